"""How many rollouts, and how to spend them: the error of few (CBU, section 7.1, Figure 6) and schemes at equal calls.

Simulated questions come from `rollout_error.transfer`; the last function deals recorded rollouts again.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.cbu import ranking_metrics
from proctor.cbu.adaptive_rollouts import (
    Draw,
    RacingResult,
    halving,
    race_to_best,
    run_trials,
    uniform,
    violates_guarantee,
)
from proctor.cbu.printed_scores import facts
from proctor.cbu.rollout_error import error_bound, expected_error, subsample_error
from proctor.stats.bootstrap import interval, paired_difference
from proctor.stats.proportions import clopper_pearson

Scheme = Callable[[Draw, int], RacingResult]
PRINTED = {"Acc@1": "acc1", "AUC": "auc", "HumanWin": "humanwin", "Recall@5": "recall5"}
RESAMPLES = 2_000


def counts_of_small_error(pool: int, n: int, bound: float) -> np.ndarray:
    """Successes k of `pool` rollouts for which n of them have a mean error below `bound`.

    >>> counts_of_small_error(64, 8, 0.05).tolist()
    [0, 1, 2, 62, 63, 64]
    """
    k = np.arange(pool + 1)
    return k[expected_error(k, pool, n) < bound]


def always_falls(pool: int, sizes: Sequence[int]) -> bool:
    """Whether the exact mean error falls from each of `sizes` to the next, for every count but 0 and all."""
    errors = np.array([expected_error(np.arange(1, pool), pool, n) for n in sizes])
    return bool((np.diff(errors, axis=0) < 0).all())


def error_curve(outcomes: np.ndarray, sizes: Sequence[int], rng: np.random.Generator, resamples: int) -> pd.DataFrame:
    """Mean error over candidates of n rollouts, one row an n: exact without and with replacement, sampled, bound.

    outcomes: 0/1, (candidates, rollouts).
    """
    k, pool = outcomes.sum(axis=1), outcomes.shape[1]
    rows = [
        dict(
            n=n,
            without=expected_error(k, pool, n).mean(),
            replaced=expected_error(k, pool, n, replace=True).mean(),
            sampled=subsample_error(outcomes, n, rng, resamples).mean(),
            bound=error_bound(k, pool, n).mean(),
        )
        for n in sizes
    ]
    return pd.DataFrame(rows)


def simulated_metrics(outcomes: np.ndarray, correct: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """The five metrics of simulated utilities with intervals over questions, and what the text prints of them.

    outcomes: 0/1, (questions, candidates, rollouts); the first candidate of each stands for the human one. `paper`:
    GPT-OSS-120B under utility, in [0, 1], NaN where the text has none.
    """
    questions, candidates, _ = outcomes.shape
    frame = pd.DataFrame(
        dict(
            method="simulated",
            question=np.repeat(np.arange(questions), candidates),
            score=outcomes.mean(axis=2).ravel(),
            correct=np.tile(correct, questions),
            human=np.tile(np.arange(candidates) == 0, questions),
        )
    )
    found = ranking_metrics.metrics_by_method(frame, rng, resamples=1_000)
    printed = facts()["value_value"]
    names = [f"cbu_{PRINTED.get(metric)}_gpt_oss_120b" for metric in found["metric"]]
    return found[["metric", "estimate", "low", "high"]].assign(paper=[printed.get(n, np.nan) / 100 for n in names])


def schemes(
    sizes: Sequence[int], budgets: Sequence[int], margins: Sequence[float], delta: float, rng: np.random.Generator
) -> dict[str, Scheme]:
    """{"uniform 64": scheme, ..., "halving 320": ..., "racing 0.25": ...}: each takes draw and number of candidates."""
    found: dict[str, Scheme] = {f"uniform {n}": lambda draw, c, n=n: uniform(draw, c, n) for n in sizes[::-1]}
    found |= {f"halving {n}": lambda draw, c, n=n: halving(draw, c, n, rng) for n in budgets}
    return found | {f"racing {m:g}": lambda draw, c, m=m: race_to_best(draw, c, delta, m) for m in margins}


def try_schemes(
    tried: Mapping[str, Scheme], rates: np.ndarray, correct: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """`run_trials`, with `violated`: whether a race broke its guarantee on the question (False for other schemes)."""
    found = run_trials(tried, rates, correct, rng).assign(violated=False)
    for name in tried:
        if name.startswith("racing"):
            raced = found["scheme"] == name
            found.loc[raced, "violated"] = violates_guarantee(found[raced], float(name.split()[1]))
    return found


def frontier(found: pd.DataFrame, rng: np.random.Generator, reference: str = "uniform 64") -> pd.DataFrame:
    """One row a scheme: calls, share of the reference's calls, Acc@1, regret, violated, bias; and against the reference
    the differences of Acc@1 and of regret with intervals, all of a column together at 95 %."""
    means = found.groupby("scheme", sort=False)[["calls", "acc1", "regret", "violated", "bias_first", "bias_others"]]
    table = means.mean().astype(float)
    table.insert(1, "share", table["calls"] / table.loc[reference, "calls"])
    others = [name for name in table.index if name != reference]
    level = 1 - 0.05 / len(others)
    for metric in ("acc1", "regret"):
        wide = found.pivot(index="question", columns="scheme", values=metric)
        for name in others:
            gap = paired_difference(wide[name], wide[reference], rng, RESAMPLES, level)
            table.loc[name, [f"{metric} gap", f"{metric} low", f"{metric} high"]] = gap.estimate, gap.low, gap.high
    return table.reset_index()


def at_equal_calls(found: pd.DataFrame, metric: str, rng: np.random.Generator) -> pd.DataFrame:
    """Halving less uniform at the same calls: one row a budget of both (calls, difference, low, high, questions).

    Simultaneous 95 %. For "regret" the sign is turned, so that more is better for every metric.
    """
    wide, sign = found.pivot(index="question", columns="scheme", values=metric), -1 if metric == "regret" else 1
    calls = found.groupby("scheme")["calls"].max()
    by_calls = {calls[name]: name for name in calls.index if name.startswith("uniform")}
    most = max(by_calls)
    budgets = {name: int(name.split()[1]) for name in calls.index if name.startswith("halving")}
    pairs = [(name, by_calls[n]) for name, n in budgets.items() if n in by_calls and n < most]
    rows = []
    for name, uniformly in pairs:
        gap = interval(sign * (wide[name] - wide[uniformly]), rng, RESAMPLES, 1 - 0.05 / len(pairs), bounds=(-1, 1))
        rows.append(
            dict(calls=int(name.split()[1]), difference=gap.estimate, low=gap.low, high=gap.high, questions=len(wide))
        )
    return pd.DataFrame(rows).sort_values("calls", ignore_index=True)


def violation_rate(found: pd.DataFrame) -> dict[str, float | tuple[float, float] | int]:
    """The greatest share of questions on which racing broke its guarantee, over margins, with an exact interval.

    Keywords of `Output.claim`: estimate, interval (simultaneous 95 % over margins), n, level, family.
    """
    raced = found[found["scheme"].str.startswith("racing")].groupby("scheme")["violated"].agg(["sum", "size"])
    level = 1 - 0.05 / len(raced)
    limits = [clopper_pearson(int(k), int(n), level) for k, n in raced.to_numpy()]
    return dict(
        estimate=float((raced["sum"] / raced["size"]).max()),
        interval=(max(low for low, _ in limits), max(high for _, high in limits)),
        n=int(raced["size"].min()),
        level=level,
        family=len(raced),
    )
