"""What a validator's pass rate says about how many answers are right, one assumption after another.

A validator passed some of n answers; people checked some of the passed ones. What is unknown: the passed answers that
nobody read, the rejected ones, and how often the validator errs on these questions. Each reading of `readings` names
what it assumes of the three. Its limits hold the sampling error of what was counted and, where an assumption leaves a
range, the whole range (`kind`).
"""

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from proctor.stats.judge_error import estimated_judge, ppi_limits
from proctor.stats.proportions import Confusion, confusion, wilson
from proctor.uq.partial_verification import Checked

PASS_RATE, NOTHING, HLE, RANDOM, HARDER, RECALL = (
    "The pass rate is the solve rate",
    "Nothing is assumed",
    "The validator errs as on HLE",
    "Checked at random, recall of HLE",
    "Right answers harder to settle, recall of HLE",
    "Any order of checking, recall of HLE",
)

DESIGNS = (
    "answers at random",
    "answers at random, and the verdicts on all",
    "half passed, half rejected answers",
)


def readings(
    found: Checked, elsewhere: Confusion, rng: np.random.Generator, odds: float = 5, draws: int = 10_000, level=0.95
) -> pd.DataFrame:
    """One row a reading, from the naive one to the one without assumptions; shares of all n answers.

    elsewhere: the validator's counts on answers of known truth. odds: how many times likelier a wrong passed answer is
    to have been settled than a right one, at most (`HARDER`).
    Columns: reading, assumes, estimate (NaN where there is a range and no number), low, high, kind.
    """
    share, known = found.passed / found.n, elsewhere.tp / (elsewhere.tp + elsewhere.fn)
    passed, recall, precision = (  # Jeffreys posteriors
        rng.beta(part + 0.5, rest + 0.5, draws)
        for part, rest in (
            (found.passed, found.n - found.passed),
            (elsewhere.tp, elsewhere.fn),
            (found.right, found.verified - found.right),
        )
    )
    corrected = estimated_judge(found.passed, found.n, elsewhere, rng, resamples=draws, level=level)
    ends = [(1 - level) / 2, (1 + level) / 2]
    random = np.quantile(np.minimum(passed * precision / recall, 1), ends)
    lowest, highest = np.quantile(recall, ends)
    under = found.right / found.n / highest
    over = [min(1, most / found.n / lowest) for most in (right_passed(found, odds), right_passed(found, np.inf))]
    rows = [
        (PASS_RATE, "no passed answer is wrong, no rejected one right", share, *wilson(found.passed, found.n, level),
         "sampling"),
        (HLE, "recall and specificity of HLE", corrected.estimate, corrected.low, corrected.high, "sampling"),
        (RANDOM, "checked answers stand for all passed ones; recall of HLE",
         share * found.right / found.verified / known, *random, "sampling"),
        (HARDER, f"a wrong answer is settled at most {odds:g} times as readily; recall of HLE",
         np.nan, under, over[0], "range and sampling"),
        (RECALL, "recall of HLE", np.nan, under, over[1], "range and sampling"),
        (NOTHING, "nothing", np.nan, *found.right_of_all, "range"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["reading", "assumes", "estimate", "low", "high", "kind"])


def right_passed(found: Checked, odds: float) -> float:
    """The most right answers that can be among the passed, if a wrong one is `odds` times as likely to be checked.

    With u right among the unchecked, the odds ratio of being checked, wrong against right, is
    u (verified - right) / (right (unchecked - u)); it is set to `odds` and solved for u. Odds of 1: checked at random;
    infinite: all unchecked answers are right.
    """
    if odds < 1:
        raise ValueError(f"odds {odds:g}: at least 1, where checking is at random")
    unchecked, wrong = found.passed - found.verified, found.verified - found.right
    if np.isinf(odds) or not found.right:
        return float(found.right + unchecked)  # where none was seen to be right, no odds bound how many are
    return found.right + unchecked * odds * found.right / (wrong + odds * found.right)


def transport(calibration: pd.DataFrame, target: pd.DataFrame, rng: np.random.Generator, level=0.95) -> pd.DataFrame:
    """Does a judge's pass rate, corrected by its errors on other answers, hold the share that is right?

    Both: judge, check, correct, outcome (accept or another), a row an answer. One row a judge and check that stand in
    both: n, right and passed (shares of the target), corrected, low, high (NaN where the calibration knows no judge
    better than a coin) and told: holds, misses, or cannot be corrected.
    """
    rows = []
    known_of = dict(list(calibration.groupby(["judge", "check"])))
    for (judge, check), part in target.groupby(["judge", "check"], sort=False):
        if (known := known_of.get((judge, check))) is None:
            continue
        passed, right = (part["outcome"] == "accept"), part["correct"].astype(bool)
        row = dict(judge=judge, check=check, n=len(part), right=right.mean(), passed=passed.mean())
        try:
            errors = confusion(known["outcome"] == "accept", known["correct"])
            found = estimated_judge(int(passed.sum()), len(part), errors, rng, level=level)
        except ValueError:
            rows.append(row | dict(corrected=np.nan, low=np.nan, high=np.nan, told="cannot be corrected"))
            continue
        told = "holds" if found.low <= right.mean() <= found.high else "misses"
        rows.append(row | dict(corrected=found.estimate, low=found.low, high=found.high, told=told))
    return pd.DataFrame(rows)


def transport_all(sets: Mapping[str, pd.DataFrame], rng: np.random.Generator) -> pd.DataFrame:
    """`transport` from each set of answers to each other one; columns errors_of and corrects name the two."""
    return pd.concat(
        transport(sets[one], sets[other], rng).assign(errors_of=one, corrects=other)
        for one, other in permutations(sets, 2)
    )


def designs(
    rate: float, errors: Confusion, n: int, sizes: Sequence[int], trials: int, rng: np.random.Generator, level=0.95
) -> pd.DataFrame:
    """What checking `size` of n answers at random would tell of a solve rate `rate`, in three ways; simulated.

    errors: whose recall and specificity the simulated validator has. Designs: `DESIGNS`. Columns design, checked,
    half_width (mean over the trials) and coverage (of the rate of the trial's own n answers).
    """
    recall, false = errors.tp / (errors.tp + errors.fn), errors.fp / (errors.fp + errors.tn)
    right = rng.random((trials, n)) < rate
    passed = rng.random((trials, n)) < np.where(right, recall, false)
    truth, rows = right.mean(axis=1), []
    for size in sizes:
        _, low, high, _ = ppi_limits(right[:, :size], passed[:, :size], passed[:, size:], level=level, pseudo=0.5)
        alone = proportion_confint(right[:, :size].sum(axis=1), size, 1 - level, "wilson")
        limits = (alone, (low, high), by_outcome(right, passed, size, level))
        for design, (low, high) in zip(DESIGNS, limits):
            rows.append((design, size, (high - low).mean() / 2, ((low <= truth) & (truth <= high)).mean()))
    return pd.DataFrame(rows, columns=["design", "checked", "half_width", "coverage"])


def by_outcome(right: np.ndarray, passed: np.ndarray, size: int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the share right, (trials,), from a half of `size` checks among the passed and a half among the others.

    right, passed (trials, n), in random order: the first of each kind are checked. Wilson's limits of the two shares,
    weighted and joined as Zou and Donner (2008), Statistics in Medicine 27, join limits of a sum. Where fewer passed
    than half of `size`, the rest of the checks goes to the others.
    """
    among_passed = np.minimum(passed.sum(axis=1), size // 2)
    estimate, below, above = 0.0, 0.0, 0.0
    for kind, checks_made in ((passed, among_passed), (~passed, size - among_passed)):
        checked = kind & (kind.cumsum(axis=1) <= checks_made[:, None])
        count, some = checked.sum(axis=1), np.maximum(checked.sum(axis=1), 1)
        found, weight = (right & checked).sum(axis=1), kind.mean(axis=1)
        low, high = proportion_confint(found, some, 1 - level, "wilson")
        low, high = np.where(count == 0, 0.0, low), np.where(count == 0, 1.0, high)
        estimate = estimate + weight * found / some
        below, above = below + (weight * (found / some - low)) ** 2, above + (weight * (high - found / some)) ** 2
    return estimate - np.sqrt(below), estimate + np.sqrt(above)
