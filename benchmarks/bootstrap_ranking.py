"""What a bootstrapped leaderboard costs: 42 models, 899 items, 10,000 resamples (the size of KINA's board).

    PYTHONPATH=lib python benchmarks/bootstrap_ranking.py [--rounds 7] [--seed 0] [--large]

Ours (means, intervals, ranks, chances of the first place) against
  floor   the arithmetic that no version can do without: draws, counts, one float32 product, nothing after it;
  scipy   scipy.stats.bootstrap, vectorised, percentile intervals of the means, no ranks;
  pandas  the loop that one would write first: sample rows, mean, rank. Timed on 200 resamples and scaled by 50.
Beside them `sets`, the simultaneous rank sets and tiers of `rank_sets` with its own 2,000 resamples of 861 pairs.
With --large instead the leaderboards of today's agents: all pairs by McNemar's exact test with Holm's correction (134
systems x 500 tasks, 400 x 5,000) and rank sets of 1,000 systems x 10,000 items, each in a process of its own, beside
  statsmodels  mcnemar(exact=True), one call a pair, and its multipletests; timed on 2,000 pairs and scaled;
  evalstats    all_pairwise(method="newcombe", correction="holm"), where it is installed (it is no requirement). It
               takes McNemar's mid-p and makes an interval a pair; its "sign_test" bootstraps each pair, minutes.
Rounds are interleaved and ratios taken within a round, so that another job on the machine hits all alike.
Measured evidence: the times are this machine's, the ratios travel better.
"""

import argparse
import importlib.util
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np
import pandas as pd
from proctor.stats.rank_sets import all_pairs, holm_p, rank_sets, ranking
from proctor.stats.simulate import item_responses
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

MODELS, ITEMS, RESAMPLES = 42, 899, 10_000
PANDAS_RESAMPLES = 200
SCIPY_BATCH = 50  # the quickest of 10, 50, 100, 500 where this was written; larger ones spill out of the cache
SECONDS = 1.0  # of processor time, all cores together: on a free machine no round takes longer than that
LARGE = {"pairs": [(134, 500, 0.2), (400, 5_000, 2.0)], "rank sets": [(1_000, 10_000, 30.0)]}  # models, items, seconds
MEBIBYTES = 2_048
PEER_PAIRS = 2_000
TARGETS = {"floor": ("at most", 1.5), "scipy": ("at least", 4.0), "pandas": ("at least", 20.0)}


def ours(scores: np.ndarray, rng: np.random.Generator) -> None:
    ranking(scores, rng, RESAMPLES)


def sets(scores: np.ndarray, rng: np.random.Generator) -> None:
    rank_sets(scores, rng)


def every_pair(scores: np.ndarray) -> None:
    holm_p(all_pairs(scores))


def floor(scores: np.ndarray, rng: np.random.Generator) -> None:
    drawn = rng.integers(0, ITEMS, (RESAMPLES, ITEMS), dtype=np.uint16)
    counts = np.empty((RESAMPLES, ITEMS), np.float32)
    for row, items in zip(counts, drawn):
        row[:] = np.bincount(items, minlength=ITEMS)
    scores.astype(np.float32) @ counts.T


def scipy(scores: np.ndarray, rng: np.random.Generator) -> None:
    stats.bootstrap(
        (scores,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=SCIPY_BATCH,
        vectorized=True,
        axis=-1,
        method="percentile",
        rng=rng,
    )


def pandas(scores: np.ndarray, rng: np.random.Generator) -> None:
    frame = pd.DataFrame(scores.T)
    means = [frame.sample(frac=1, replace=True, random_state=rng).mean() for _ in range(PANDAS_RESAMPLES)]
    table = pd.DataFrame(means)
    table.quantile([0.025, 0.975])
    table.rank(axis=1, ascending=False, method="min").quantile([0.025, 0.975])


def seconds(job, scores: np.ndarray, seed: int) -> float:
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    job(scores, rng)
    return time.perf_counter() - start


def statsmodels_pairs(scores: np.ndarray, pairs: int) -> None:
    """Holm-corrected p of the first `pairs` pairs, by the loop that one would write first."""
    i, j = np.triu_indices(len(scores), 1)
    raw = []
    for a, b in zip(i[:pairs], j[:pairs]):
        x, y = scores[a] > 0, scores[b] > 0
        raw.append(mcnemar([[np.sum(x & y), np.sum(x & ~y)], [np.sum(~x & y), np.sum(~x & ~y)]], exact=True).pvalue)
    multipletests(raw, method="holm")


def evalstats_pairs(scores: np.ndarray) -> None:
    import evalstats

    names = [str(model) for model in range(len(scores))]
    evalstats.all_pairwise(
        scores, names, method="newcombe", correction="holm", simultaneous_ci=False, rng=np.random.default_rng(0)
    )


def timed(job: Callable, *given) -> tuple[float, float]:
    """Seconds by the clock and seconds of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    job(*given)
    return time.perf_counter() - wall, time.process_time() - processor


def large_board(kind: str, models: int, items: int, seed: int) -> tuple[float, float, float, list[str]]:
    """Seconds (clock, processor), the process's largest memory in MiB, and a line for each peer."""
    rng, lines = np.random.default_rng(seed), []
    scores = (rng.random((models, items), np.float32) < np.linspace(0.1, 0.6, models)[:, None]).astype(float)
    holm_p(all_pairs(scores[:2]))  # warm
    wall, processor = timed(rank_sets, scores, rng) if kind == "rank sets" else timed(every_pair, scores)
    memory, pairs = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, models * (models - 1) // 2
    if kind == "pairs":
        took = timed(statsmodels_pairs, scores, PEER_PAIRS)[0] * pairs / PEER_PAIRS
        lines.append(f"statsmodels {took:8.2f} s: {took / wall:6.0f} times ours")
    if kind == "pairs" and pairs < 20_000 and importlib.util.find_spec("evalstats"):
        took, _ = timed(evalstats_pairs, scores)
        lines.append(f"evalstats   {took:8.2f} s: {took / wall:6.0f} times ours")
    return wall, processor, memory, lines


def large(seed: int) -> None:
    for kind, sizes in LARGE.items():
        for models, items, target in sizes:
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # so that memory is this board's alone
                wall, processor, memory, lines = pool.submit(large_board, kind, models, items, seed).result()
            met = "met" if wall <= target and memory <= MEBIBYTES else "MISSED"
            print(
                f"{kind} of {models:,} x {items:,}: {wall:.3f} s, {processor:.3f} s of the processor, {memory:.0f} MiB;"
                f" target {target:g} s within {MEBIBYTES:,} MiB: {met}"
            )
            for line in lines:
                print(f"  {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", action="store_true", help="pairs and rank sets of up to 1,000 systems")
    options = parser.parse_args()
    if options.large:
        return large(options.seed)
    scores = item_responses(np.linspace(0.1, 0.55, MODELS), ITEMS, np.random.default_rng(options.seed)).scores
    jobs = {"ours": ours, "sets": sets, "floor": floor, "scipy": scipy, "pandas": pandas}
    for job in jobs.values():
        seconds(job, scores, options.seed)  # imports, caches and threads warm up outside the count
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(options.rounds):
        for name, job in jobs.items():
            took = seconds(job, scores, options.seed + turn)
            times[name].append(took * RESAMPLES / PANDAS_RESAMPLES if name == "pandas" else took)
    print(
        f"{MODELS} models x {ITEMS} items x {RESAMPLES} resamples, {options.rounds} interleaved rounds, "
        f"seed {options.seed}"
    )
    for name, values in times.items():
        print(f"  {name:7} median {median(values):8.3f} s   best {min(values):8.3f} s")
    for name in ("ours", "sets"):
        start = time.process_time()
        jobs[name](scores, np.random.default_rng(options.seed))
        took = time.process_time() - start
        print(
            f"  {name + ', processor':14} {took:5.2f} s   target at most {SECONDS:g} s: "
            f"{'met' if took <= SECONDS else 'MISSED'}"
        )
    for name, (sense, target) in TARGETS.items():
        pairs = list(zip(times["ours"], times[name]))
        ratio = median(a / b if name == "floor" else b / a for a, b in pairs)
        met = ratio <= target if sense == "at most" else ratio >= target
        label = "ours / floor" if name == "floor" else f"{name} / ours"
        print(f"  {label:14} {ratio:7.2f}   target {sense} {target:g}: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
