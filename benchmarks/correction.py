"""Do corrected accuracies hold the truth as often as they say? Coverage of 95 % intervals over a grid.

    PYTHONPATH=lib python benchmarks/correction.py [--trials 4000] [--seed 0] [--all]

Rogan-Gladen: n answers, k of them passed by a judge that was calibrated on half right and half wrong answers. Ours
(jeffreys) beside the peer: Wilson's interval of the share that passed, uncorrected. PPI: some items verified at
random, 1,000 more with a judge's verdict. Ours (smoothed, tuned weight) beside the normal interval with tuned weight
(PPI++) and with weight 1 (PPI), and the peer: Wilson on the verified items alone.
Target 93 to 97 %. The core of the grid (truth from 10 to 90 %, at least 100 answers calibrated or verified) must meet
it; outside the table says where it fails. A trial without an interval counts as a miss. Simulated evidence.
"""

import argparse
import itertools
import time

import numpy as np
from proctor.stats.judge_error import corrected_or_nan, drawn_limits, pass_rate, ppi_limits
from proctor.stats.proportions import wilson

TRUTHS = (0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 0.98)
JUDGES = ((0.7, 0.8), (0.9, 0.9), (0.95, 0.98), (1.0, 0.95))  # sensitivity, specificity
SIZES = ((100, 30), (200, 100), (1000, 100), (1000, 400))  # answers judged, answers of known truth
VERIFIED, OTHERS = (25, 50, 100, 200, 400), 1000
RESAMPLES = 300  # trials, not resamples, decide how well coverage is known; 2,000 resamples gave the same
LOW, HIGH = 0.93, 0.97
CORE_TRUTH, CORE_SIZE = (0.1, 0.9), 100


def wilson_limits(k: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    found = {count: wilson(int(count), n) for count in np.unique(k)}
    return tuple(np.array([found[count] for count in k]).T)


def rogan_gladen_cell(truth: float, judge: tuple, size: tuple, trials: int, rng: np.random.Generator) -> dict:
    (sensitivity, specificity), (n, known) = judge, size
    half = known // 2
    k = rng.binomial(n, pass_rate(truth, sensitivity, specificity), trials)
    tp, tn = rng.binomial(half, sensitivity, trials), rng.binomial(half, specificity, trials)
    ours = drawn_limits(corrected_or_nan, (k, tp, tn), (n, half, half), rng, RESAMPLES, 0.95)[:2]
    return {"jeffreys": ours, "Wilson": wilson_limits(k, n)}


def ppi_cell(truth: float, judge: tuple, verified: int, trials: int, rng: np.random.Generator) -> dict:
    sensitivity, specificity = judge
    right = rng.random((trials, verified + OTHERS)) < truth
    verdict = rng.random(right.shape) < np.where(right, sensitivity, 1 - specificity)
    data = right[:, :verified], verdict[:, :verified], verdict[:, verified:]
    return {
        "smoothed": ppi_limits(*data, pseudo=0.5)[1:3],
        "PPI++": ppi_limits(*data)[1:3],
        "PPI": ppi_limits(*data, proxy_weight=1.0)[1:3],
        "Wilson": wilson_limits(data[0].sum(axis=1), verified),
    }


def table(title: str, cells: dict, everything: bool) -> bool:
    """Prints coverage and mean width by cell, and how many cells meet the target. True if ours does in the core.

    cells: (truth, judge, sizes, whether in the core) -> method -> limits, ours first.
    """
    names = list(next(iter(cells.values())))
    held, width = {}, {}
    for cell, found in cells.items():
        limits = {name: np.clip(found[name], 0, 1) for name in names}
        held[cell] = {name: np.mean((low <= cell[0]) & (cell[0] <= high)) for name, (low, high) in limits.items()}
        width[cell] = {name: np.nanmean(high - low) for name, (low, high) in limits.items()}
    shown = [cell for cell in cells if everything or not LOW <= held[cell][names[0]] <= HIGH]
    print(
        f"\n{title}: coverage in % / mean width in points; "
        f"{'every cell' if everything else f'cells where {names[0]} leaves 93 to 97 % (--all shows every one)'}"
    )
    print("  truth  sens  spec  sizes         " + "".join(f"{name:>14}" for name in names))
    for cell in shown:
        truth, (sensitivity, specificity), sizes, core = cell
        print(
            f"  {truth:5.2f}  {sensitivity:4.2f}  {specificity:4.2f}  {sizes!s:12}{'core' if core else '    '}"
            + "".join(f"{100 * held[cell][name]:7.1f} /{100 * width[cell][name]:5.1f}" for name in names)
        )
    if not shown:
        print("  none")
    for part in ("core", "truth below 10 or above 90 %", "few calibrated or verified"):
        inside = [cell for cell in cells if part == where(cell)]
        print(
            f"  {part}, {len(inside)} cells: "
            + ", ".join(
                f"{name} {sum(LOW <= held[cell][name] <= HIGH for cell in inside)} "
                f"({100 * min(held[cell][name] for cell in inside):.1f} to "
                f"{100 * max(held[cell][name] for cell in inside):.1f} %)"
                for name in names
            )
        )
    return all(LOW <= held[cell][names[0]] <= HIGH for cell in cells if cell[3])


def where(cell: tuple) -> str:
    truth, _, sizes, core = cell
    if core:
        return "core"
    return "few calibrated or verified" if min(np.ravel(sizes)) < CORE_SIZE else "truth below 10 or above 90 %"


def is_core(truth: float, sizes: tuple | int) -> bool:
    return CORE_TRUTH[0] <= truth <= CORE_TRUTH[1] and min(np.ravel(sizes)) >= CORE_SIZE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="show every cell, not only those that miss the target")
    options = parser.parse_args()
    rng, began = np.random.default_rng(options.seed), time.perf_counter()
    met = {}
    for title, cell_of, sizes in (("Rogan-Gladen", rogan_gladen_cell, SIZES), ("PPI", ppi_cell, VERIFIED)):
        cells = {
            (truth, judge, size, is_core(truth, size)): cell_of(truth, judge, size, options.trials, rng)
            for size, judge, truth in itertools.product(sizes, JUDGES, TRUTHS)
        }
        met[title] = table(title, cells, options.all)
    luck = 196 * np.sqrt(0.95 * 0.05 / options.trials)
    print(
        f"\n{options.trials} trials a cell (95 % would be seen as 95 +- {luck:.1f}), seed {options.seed}, "
        f"{time.perf_counter() - began:.0f} s, of them {time.process_time():.0f} s at work"
    )
    for title, good in met.items():
        print(f"  {title}: 93 to 97 % in every core cell: {'met' if good else 'MISSED'}")


if __name__ == "__main__":
    main()
