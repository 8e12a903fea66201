"""What a validator's pass rate says about how many answers are right, one assumption after another.

A validator passed some of n answers; people checked some of the passed ones. What is unknown: the passed answers that
nobody read, the rejected ones, and how often the validator errs on these questions. Each reading of `readings` names
what it assumes of the three. Its limits hold the sampling error of what was counted and, where an assumption leaves a
range, the whole range (`kind`).
"""

from collections.abc import Mapping
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
    found: Checked, elsewhere: Confusion, rng: np.random.Generator, times: float = 5, draws: int = 10_000, level=0.95
) -> pd.DataFrame:
    """One row a reading, from the naive one to the one without assumptions; shares of all n answers.

    elsewhere: the validator's counts on answers of known truth. times: how many times as often a wrong passed answer is
    settled as a right one, at most (`HARDER`; the range is that of the factor, without chance in who was read).
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
    over = [min(1, most / found.n / lowest) for most in (right_passed(found, times), right_passed(found, np.inf))]
    rows = [
        (PASS_RATE, "no passed answer is wrong, no rejected one right", share, *wilson(found.passed, found.n, level),
         "sampling"),
        (HLE, "recall and specificity of HLE", corrected.estimate, corrected.low, corrected.high, "sampling"),
        (RANDOM, "checked answers stand for all passed ones; recall of HLE",
         share * found.right / found.verified / known, *random, "sampling"),
        (HARDER, f"a wrong answer is settled at most {times:g} times as often; recall of HLE",
         np.nan, under, over[0], "range and sampling"),
        (RECALL, "recall of HLE", np.nan, under, over[1], "range and sampling"),
        (NOTHING, "nothing", np.nan, *found.right_of_all, "range"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["reading", "assumes", "estimate", "low", "high", "kind"])


def right_passed(found: Checked, times: float) -> float:
    """The most right answers that can be among the passed, if a wrong one is checked `times` times as often.

    With u right among the unchecked, the share checked of the wrong ones, over that of the right ones, is
    (wrong / (wrong + unchecked - u)) / (right / (right + u)); it is set to `times` and solved for u, which is at most
    all unchecked answers. 1: checked at random.
    """
    if times < 1:
        raise ValueError(f"times {times:g}: at least 1, where checking is at random")
    unchecked, wrong = found.passed - found.verified, found.verified - found.right
    if np.isinf(times) or not found.right:
        return float(found.right + unchecked)  # where none was seen to be right, no factor bounds how many are
    more = found.right * (times * (wrong + unchecked) - wrong) / (wrong + times * found.right)
    return found.right + min(unchecked, more)


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


def limits_by_design(right: np.ndarray, passed: np.ndarray, size: int, level: float = 0.95) -> dict[str, tuple]:
    """(estimate, low, high) of the share right of all n answers, each (trials,), by design: `DESIGNS`.

    right, passed (trials, n), in random order: the first are checked. The n answers are all that there are, so an
    interval shrinks to nothing as `size` nears n (finite population correction: Wilson's with the effective number of
    checks, the prediction-powered one times the square root of the share unchecked).
    """
    n = right.shape[1]
    estimate, low, high, _ = ppi_limits(right[:, :size], passed[:, :size], passed[:, size:], level=level, pseudo=0.5)
    drawn = np.sqrt(1 - size / n)
    powered = estimate, estimate + drawn * (low - estimate), estimate + drawn * (high - estimate)
    count = right[:, :size].sum(axis=1)
    plain = count / size, *wilson_of_some(count, np.full(len(count), size), np.full(len(count), n), level)
    return dict(zip(DESIGNS, (plain, powered, by_outcome(right, passed, size, level))))


def wilson_of_some(count: np.ndarray, size: np.ndarray, n: np.ndarray, level: float = 0.95) -> tuple:
    """Wilson's limits of the share of n items, `count` of `size` of which, drawn at random, have it; arrays.

    As if size (n - 1) / (n - size) had been drawn of very many. All drawn: the share itself; none: 0 to 1.
    """
    part = 0 < size
    every = size >= n
    share = np.divide(count, size, out=np.zeros(len(count)), where=part)
    as_if = np.where(part & ~every, size * (n - 1) / np.maximum(n - size, 1), 1)
    low, high = proportion_confint(share * as_if, as_if, 1 - level, "wilson")
    low, high = (np.where(every, share, end) for end in (low, high))
    return np.where(part, low, 0.0), np.where(part, high, 1.0)


def by_outcome(
    right: np.ndarray, passed: np.ndarray, size: int, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate and limits, (trials,), from a half of `size` checks among the passed and a half among the others.

    right, passed (trials, n), in random order: the first of each kind are checked. Limits of the two shares
    (`wilson_of_some`), weighted and joined as Zou and Donner (2008), Statistics in Medicine 27, join limits of a sum.
    Where fewer passed than half of `size`, the rest of the checks goes to the others.
    """
    among_passed = np.minimum(passed.sum(axis=1), size // 2)
    estimate, below, above = np.zeros((3, len(right)))
    for kind, checks_made in ((passed, among_passed), (~passed, size - among_passed)):
        checked = kind & (kind.cumsum(axis=1) <= checks_made[:, None])
        count, some = checked.sum(axis=1), np.maximum(checked.sum(axis=1), 1)
        found, weight = (right & checked).sum(axis=1), kind.mean(axis=1)
        low, high = wilson_of_some(found, count, kind.sum(axis=1), level)
        estimate = estimate + weight * found / some
        below, above = below + (weight * (found / some - low)) ** 2, above + (weight * (high - found / some)) ** 2
    return estimate, estimate - np.sqrt(below), estimate + np.sqrt(above)
