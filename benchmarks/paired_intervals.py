"""Coverage and width of 95 % intervals of paired differences: ours, evalstats and evalconfidence on the same tables.

    PYTHONPATH=lib python benchmarks/paired_intervals.py [--trials 2000] [--sizes 15 18 30 60 100 200] [--seed 0]

0/1 scores of two models over n items: five pairs of rates, three correlations (where such a table exists). Each trial
draws one table; a method's interval is computed once for each table that occurs. Then nine families of five items, of
equal and of different effects, by cluster. The two peers are optional (`pip install evalstats evalconfidence` in an
environment of their own); what is not installed is left out and said. Simulated evidence.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from proctor.cbu.ranking_metrics import sign_flip_interval
from proctor.stats import bootstrap
from proctor.stats.compare import chances, cluster_t_interval, counts, newcombe_limits, score_interval

RATES = [(0.5, 0.5), (0.6, 0.5), (0.8, 0.6), (0.95, 0.9), (0.95, 0.7)]
CORRELATIONS = (0.0, 0.3, 0.5)
Limits = tuple[float, float]


def percentile(a: np.ndarray, b: np.ndarray) -> Limits:
    found = bootstrap.interval(a - b, np.random.default_rng(1), 2_000, bounds=(-1.0, 1.0))
    return found.low, found.high


def ours(interval: Callable, a: np.ndarray, b: np.ndarray) -> Limits:
    found = interval(a, b)
    return found.low, found.high


def methods() -> dict[str, Callable[[np.ndarray, np.ndarray], Limits]]:
    found = {
        "score (ours)": partial(ours, score_interval),
        "newcombe (ours)": lambda a, b: tuple(float(limit) for limit in newcombe_limits(*counts(a, b))),
        "percentile (ours)": percentile,
    }
    try:
        from evalstats.core import resampling

        found["newcombe (evalstats)"] = lambda a, b: resampling.newcombe_mover_paired_ci(a, b, 0.05)
        found["mj_floor (evalstats)"] = lambda a, b: resampling.mj_floor_paired_ci(a, b, 0.05)
        found["tango (evalstats)"] = lambda a, b: resampling.tango_scc_paired_ci(a, b, 0.05, c=0.0)
    except ImportError as error:
        print(f"evalstats is left out: {error}")
    try:
        import evalconfidence
        from evalconfidence.types import ItemResult

        def compare(a: np.ndarray, b: np.ndarray) -> Limits:
            sides = [
                [ItemResult(item_id=str(i), model_id=name, score=float(x)) for i, x in enumerate(scores)]
                for name, scores in (("a", a), ("b", b))
            ]
            return evalconfidence.compare(*sides).ci_diff

        found["compare (evalconfidence)"] = compare
    except ImportError as error:
        print(f"evalconfidence is left out: {error}")
    return found


def shares(sizes: list[int], trials: int, seed: int) -> pd.DataFrame:
    """One row a method, size and setting: coverage, width, seconds an interval."""
    rows, known = [], methods()
    for n in sizes:
        for rates in RATES:
            for correlation in CORRELATIONS:
                try:
                    cells = chances(*rates, correlation)
                except ValueError:
                    continue
                rng = np.random.default_rng([seed, n, int(100 * rates[0]), int(100 * rates[1]), int(10 * correlation)])
                tables, drawn = np.unique(rng.multinomial(n, cells, trials), axis=0, return_counts=True)
                weights, truth = drawn / trials, cells[1] - cells[2]
                for name, method in known.items():
                    start = time.perf_counter()
                    limits = np.array([method(*_scores(table)) for table in tables])
                    seconds = (time.perf_counter() - start) / len(tables)
                    inside = (limits[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= limits[:, 1])
                    rows.append(
                        dict(
                            method=name,
                            n=n,
                            differing=n * (cells[1] + cells[2]),
                            coverage=float(weights @ inside),
                            width=float(weights @ (limits[:, 1] - limits[:, 0])),
                            seconds=seconds,
                        )
                    )
    return pd.DataFrame(rows)


def _scores(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)


def families(trials: int, seed: int, n_clusters: int = 9, size: int = 5) -> pd.DataFrame:
    """Coverage and width over few clusters, by how much the true difference varies between them."""
    clusters, rows = np.repeat(np.arange(n_clusters), size), []
    for spread in (0.0, 0.2):
        rng, found = np.random.default_rng([seed, int(10 * spread)]), {}
        for _ in range(trials):
            shift = rng.uniform(-spread, spread, (n_clusters, 1))
            a, b = rng.random((n_clusters, size)) < 0.55 + shift, rng.random((n_clusters, size)) < 0.45 - shift
            each = (a.astype(float) - b).ravel()
            means = each.reshape(n_clusters, size).mean(axis=1)
            for name, one in (
                ("cluster t", cluster_t_interval(each, clusters)),
                ("sign flip of family means", sign_flip_interval(means)),
                (
                    "percentile by cluster",
                    bootstrap.interval(each, np.random.default_rng(1), 1_000, clusters=clusters, bounds=(-1.0, 1.0)),
                ),
            ):
                found.setdefault(name, []).append((one.low, one.high))
        for name, limits in found.items():
            low, high = np.array(limits).T
            rows.append(
                dict(
                    method=name,
                    spread=spread,
                    coverage=float(((low <= 0.1 + 1e-9) & (0.1 - 1e-9 <= high)).mean()),
                    width=float((high - low).mean()),
                )
            )
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[15, 18, 30, 60, 100, 200])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = shares(options.sizes, options.trials, options.seed)
    width = found[found["method"] == "score (ours)"].groupby("n")["width"].mean()
    for name, part in (
        ("where 5 or more items are expected to differ", found[found["differing"] >= 5]),
        ("where fewer do", found[found["differing"] < 5]),
    ):
        print(f"\nCoverage, least and most over the settings, {name}")
        spans = part.groupby(["method", "n"], sort=False)["coverage"].agg(["min", "max"])
        print((spans["min"].map("{:.3f}".format) + "-" + spans["max"].map("{:.3f}".format)).unstack("n").to_string())
    print("\nMean width, as a ratio to the score interval's; milliseconds an interval")
    table = found.groupby(["method", "n"], sort=False)["width"].mean().unstack("n").div(width, axis=1).round(3)
    print(table.assign(ms=(1000 * found.groupby("method")["seconds"].mean()).round(2)).to_string())
    print("\nNine families of five items, true difference 0.1")
    print(families(options.trials, options.seed).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
