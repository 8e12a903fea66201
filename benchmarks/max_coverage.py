"""What choosing 900 of 100,000 items costs, by their coverage of 2,000 anchors, 20 anchors an item.

    PYTHONPATH=lib python benchmarks/max_coverage.py [--rounds 3] [--seed 0]

Ours (lazy greedy with its bound) on weighted coverage and on facility location, against
  plain    the same function with every gain computed in each of the 900 steps, run to the end;
  product  plain greedy on coverage as one would first write it: a sparse product with the weights uncovered, argmax.
All choose the same items, which is checked. Each run is a process of its own, and so is its peak memory; rounds are
interleaved and ratios taken within a round. The instance is made outside the time and inside the memory.
Measured evidence: the times are this machine's, the ratios travel better.
"""

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from statistics import median

import numpy as np
from proctor.kina.max_coverage import Proxy, at_most, coverage, facility_location, greedy
from scipy import sparse

ITEMS, ANCHORS, EACH, CHOSEN = 100_000, 2_000, 20, 900
SECONDS, GIGABYTES = 10.0, 2.0
TARGETS = {("coverage", "plain"): 5.0, ("coverage", "product"): 1.0, ("facility", "plain"): 5.0}


def instance(kind: str, seed: int) -> Proxy:
    """Random anchors for each item, weights 1 to 9: whole numbers, so that the peers' sums are exact too."""
    rng = np.random.default_rng(seed)
    anchors = rng.integers(0, ANCHORS, (ITEMS, EACH))  # an anchor drawn twice counts once
    covers = sparse.csr_array(
        (np.ones(anchors.size), anchors.ravel(), np.arange(0, anchors.size + 1, EACH)), shape=(ITEMS, ANCHORS)
    )
    covers.sum_duplicates()
    weights = rng.integers(1, 10, ANCHORS)
    covers.data = np.ones(covers.nnz) if kind == "coverage" else rng.integers(1, 1001, covers.nnz) / 1024
    return (coverage if kind == "coverage" else facility_location)(covers, weights)


def product(proxy: Proxy) -> np.ndarray:
    left, chosen = proxy.weights.copy(), []
    for _ in range(CHOSEN):
        gain = proxy.similarity @ left
        gain[chosen] = -1
        chosen.append(int(np.argmax(gain)))
        left[proxy.similarity[[chosen[-1]]].indices] = 0
    return np.array(chosen)


def run(kind: str, job: str, seed: int) -> dict:
    proxy = instance(kind, seed)
    began = time.perf_counter()
    if job == "product":
        chosen, share, evaluated = product(proxy), None, ITEMS * CHOSEN
    else:
        found = greedy(proxy, at_most(ITEMS, CHOSEN), lazy=job == "ours")
        chosen, share, evaluated = found.chosen, found.value / found.bound, found.evaluated
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts in kilobytes
    return dict(chosen=chosen, seconds=took, gigabytes=peak, share=share, evaluated=evaluated)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    jobs = [("coverage", "ours"), *TARGETS, ("facility", "ours")]
    runs: dict[tuple, list[dict]] = {job: [] for job in jobs}
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as fresh:
        for turn in range(options.rounds):
            for job in jobs:
                runs[job].append(fresh.submit(run, *job, options.seed + turn).result())
    print(
        f"{CHOSEN} of {ITEMS} items, {ANCHORS} anchors, {EACH} drawn an item, {options.rounds} interleaved rounds, "
        f"seed {options.seed}"
    )
    for (kind, name), found in runs.items():
        print(
            f"  {kind:8} {name:7} median {median(one['seconds'] for one in found):7.2f} s   "
            f"peak {max(one['gigabytes'] for one in found):5.2f} GB   gains computed {found[0]['evaluated']:>10,}"
        )
    for (kind, name), target in TARGETS.items():
        pairs = list(zip(runs[kind, "ours"], runs[kind, name]))
        assert all(np.array_equal(ours["chosen"], other["chosen"]) for ours, other in pairs), (kind, name)
        ratio = median(other["seconds"] / ours["seconds"] for ours, other in pairs)
        print(
            f"  {kind}: {name} / ours {ratio:6.1f}   target at least {target:g}: "
            f"{'met' if ratio >= target else 'MISSED'} (same choice)"
        )
    for kind in ("coverage", "facility"):
        slowest = max(one["seconds"] for one in runs[kind, "ours"])
        largest = max(one["gigabytes"] for one in runs[kind, "ours"])
        met = slowest < SECONDS and largest < GIGABYTES
        share = runs[kind, "ours"][0]["share"]
        print(
            f"  {kind}: slowest {slowest:.2f} s, {largest:.2f} GB; reached {share:.1%} of the bound   "
            f"target below {SECONDS:g} s and {GIGABYTES:g} GB: {'met' if met else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
