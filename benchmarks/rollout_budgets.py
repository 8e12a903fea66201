"""Is a utility unbiased, and does its interval cover what it should: the utility on its own neighbours, or on all?

    PYTHONPATH=lib python benchmarks/rollout_budgets.py [--trials 2000] [--seed 0]

Simulated rollouts. Fewer rollouts for the same ranking: notebook cbu/3_budget.
"""

import argparse
import time

import numpy as np
import pandas as pd
from proctor.cbu.utility import utilities
from proctor.stats import bootstrap


def held(low, high, true: float) -> float:
    """Share of the intervals that cover the true value."""
    return float(((np.asarray(low) <= true) & (true <= np.asarray(high))).mean())


def coverage(n: int, rng: np.random.Generator) -> bool:
    """U of these neighbours against U of all such neighbours: the unit that is resampled decides which is covered."""
    print(f"\nutility .3, {n} candidates a row: bias of the estimate, and coverage of 95 % intervals in %")
    print("  neighbours  rollouts each   bias (s.e.)          rollouts, these   rollouts, all   neighbours, all")
    met = True
    for neighbours, times in ((1, 64), (2, 32), (2, 64), (5, 13), (10, 7), (20, 8)):
        labels = np.repeat(np.arange(neighbours), times)
        drawn = rng.beta(0.3 * 7 / 3, 0.7 * 7 / 3, (n, neighbours))  # intraclass correlation .3
        scores = (rng.random((n, len(labels))) < drawn[:, labels]).astype(float)
        own = rng.beta(0.3 * 7 / 3, 0.7 * 7 / 3, neighbours)  # of neighbours that stay the same
        fixed = rng.random((n, neighbours * times)) < own[labels]
        here, everywhere = (utilities(_rows(table, labels, times)) for table in (fixed, scores))
        these = held(here["low"], here["high"], own.mean())
        of_rollouts = held(everywhere["low"], everywhere["high"], 0.3)
        few = [bootstrap.interval(row, rng, 400, clusters=labels) for row in scores[: n // 5]]
        of_neighbours = held([one.low for one in few], [one.high for one in few], 0.3)
        gap, error = here["utility"].mean() - own.mean(), here["utility"].std() / np.sqrt(n)
        met &= abs(gap) < 4 * error and these > 0.95 - 4 * np.sqrt(0.05 * 0.95 / n)
        shares = 100 * these, 100 * of_rollouts, 100 * of_neighbours
        print(
            f"  {neighbours:10}  {times:13}   {gap:+.4f} ({error:.4f})  {{:16.1f}} {{:15.1f}} {{:17.1f}}".format(
                *shares
            )
        )
    return met


def _rows(outcomes: np.ndarray, labels: np.ndarray, times: int) -> pd.DataFrame:
    """As the table of `utility.roll`, one candidate a row of outcomes."""
    candidates, n = outcomes.shape
    return pd.DataFrame(
        dict(
            model="m",
            question_id="q",
            category="",
            level=1,
            kind="right",
            correct=outcomes.ravel() > 0,
            candidate=np.repeat(np.arange(candidates), n),
            neighbour=np.tile(labels + 1, candidates),
            sample=np.tile(np.arange(n) % times, candidates),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.perf_counter()
    covered = coverage(options.trials, np.random.default_rng(options.seed))
    print(f"\nseed {options.seed}, {time.perf_counter() - began:.0f} s")
    print(f"  unbiased, and covers the utility on its own neighbours: {'met' if covered else 'MISSED'}")


if __name__ == "__main__":
    main()
