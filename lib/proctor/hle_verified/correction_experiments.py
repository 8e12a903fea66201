"""How well corrections for a judge's and a key's mistakes work: coverage of their intervals in simulated exams.

Methods: Rogan-Gladen (solve for the share of right answers, given what the judge passes), Wilson's uncorrected one,
and prediction-powered inference (PPI), which verifies a few of the very items.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.hle_verified.key_noise import correct_for_keys, key_limits, observed_accuracy
from proctor.stats.bootstrap import held
from proctor.stats.judge_error import estimated_judge, judge_limits, ppi_limits, prediction_powered
from proctor.stats.proportions import confusion, wilson
from proctor.stats.self_preference import pass_rate

ROGAN_GLADEN = ("jeffreys", "bootstrap", "delta")
METHODS = (*ROGAN_GLADEN, "Wilson", "PPI smoothed", "PPI")
SENSITIVITY = SPECIFICITY = 0.9  # of the judge in `correction_coverage` and `failures`


def one_exam(n_items: int, seed: int, level: float = 0.95, truth: float = 0.35) -> pd.DataFrame:
    """One row a correction of one simulated exam: observed, estimate, low, high, truth.

    A judge (sensitivity 0.90, specificity 0.85) tried on 200 answers of known truth; keys of which 12 of 60 audited
    ones are wrong; 100 of the exam's items verified.
    """
    rng = np.random.default_rng(seed)
    right = rng.random(n_items + 200) < truth
    passed = rng.random(len(right)) < np.where(right, 0.9, 0.15)
    judge = confusion(passed[n_items:].astype(int), right[n_items:].astype(int))
    k, (wrong, audited) = int(passed[:n_items].sum()), (12, 60)
    keyed = int(rng.binomial(n_items, observed_accuracy(truth, wrong / audited)))
    rows = []
    for method in ROGAN_GLADEN:
        found = estimated_judge(k, n_items, judge, rng, method, level=level)
        rows.append((f"Rogan-Gladen, {method}", k / n_items, found))
    keys = correct_for_keys(keyed, n_items, wrong, audited, rng, level=level)
    rows.append(("wrong keys, audit of 60", keyed / n_items, keys))
    parts = (right[:100], passed[:100], passed[100:n_items])
    ppi = prediction_powered(*(part.astype(float) for part in parts), level=level)
    rows += [("PPI, 100 verified", k / n_items, ppi.smoothed), ("the 100 verified alone", k / n_items, ppi.verified)]
    return pd.DataFrame(
        [
            dict(correction=name, observed=seen, estimate=one.estimate, low=one.low, high=one.high, truth=truth)
            for name, seen, one in rows
        ]
    )


def correction_coverage(
    truths: Sequence[float],
    known: Sequence[int],
    n_items: int,
    trials: int,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> pd.DataFrame:
    """One row a method, true accuracy and number of known answers: share of intervals that hold the truth.

    known: answers on which the judge was tried (Rogan-Gladen), or items verified in the exam (PPI). hits: of `trials`.
    """
    rng, rows = np.random.default_rng(seed), []
    for truth in truths:
        for n in known:
            k = rng.binomial(n_items, pass_rate(truth, SENSITIVITY, SPECIFICITY), trials)
            tp, tn = rng.binomial(n // 2, SENSITIVITY, trials), rng.binomial(n // 2, SPECIFICITY, trials)
            found = {
                method: judge_limits(k, n_items, tp, n // 2, tn, n // 2, rng, method, resamples, level)[:2]
                for method in ROGAN_GLADEN
            }
            found["Wilson"] = np.array([wilson(int(x), n_items, level) for x in k]).T
            sample = rng.random((trials, n + n_items)) < truth
            passed = rng.random(sample.shape) < np.where(sample, SENSITIVITY, 1 - SPECIFICITY)
            for name, pseudo in (("PPI", 0.0), ("PPI smoothed", 0.5)):
                parts = sample[:, :n], passed[:, :n], passed[:, n:]
                found[name] = ppi_limits(*parts, level=level, pseudo=pseudo)[1:3]
            for method, limits in found.items():
                share = held(*np.nan_to_num(np.clip(limits, 0, 1), nan=2), truth).estimate
                rows.append(
                    dict(method=method, truth=truth, known=n, held=share, hits=round(share * trials), trials=trials)
                )
    return pd.DataFrame(rows)


def worst_cells(table: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """One row a method: its worst cell of `correction_coverage`, and an interval for the least coverage.

    The interval is simultaneous (Wilson): low is the least of the cells' lower limits and high the least of their
    upper ones, each at 1 - (1 - level) / cells. So it holds the least true coverage with `level`.
    """
    rows = []
    for method, own in table.groupby("method", sort=False):
        each = 1 - (1 - level) / len(own)
        limits = np.array([wilson(int(row.hits), int(row.trials), each) for row in own.itertuples()])
        worst = own.loc[own["held"].idxmin()]
        rows.append(
            dict(
                method=method,
                cells=len(own),
                trials=int(own["trials"].iloc[0]),
                truth=worst["truth"],
                known=int(worst["known"]),
                held=worst["held"],
                low=limits[:, 0].min(),
                high=limits[:, 1].min(),
            )
        )
    return pd.DataFrame(rows)


def failures(n_items: int, trials: int, resamples: int, seed: int, level: float = 0.95) -> pd.DataFrame:
    """One row a broken assumption and its size: coverage of Rogan-Gladen (jeffreys) and smoothed PPI, truth 50 %.

    "sensitivity here": the judge was tried at 0.90 and has `value` on the exam. "none": an assumption-free judge with
    sensitivity = specificity = value. "wrong keys on hard items": a fifth of the keys is wrong, a share `value` of them
    on hard items; the correction is that for keys. width: mean, of Rogan-Gladen's intervals cut at 0 and 1.
    """
    rng, n, truth, rows = np.random.default_rng(seed), 100, 0.5, []
    cases = [("sensitivity here", here, here, SPECIFICITY, SENSITIVITY) for here in (0.90, 0.85, 0.80, 0.70)]
    cases += [("none; sensitivity = specificity", s, s, s, s) for s in (0.9, 0.75, 0.6)]
    for broken, value, sensitivity, specificity, tried in cases:
        k = rng.binomial(n_items, pass_rate(truth, sensitivity, specificity), trials)
        tp, tn = rng.binomial(n // 2, tried, trials), rng.binomial(n // 2, specificity, trials)
        low, high, _ = judge_limits(k, n_items, tp, n // 2, tn, n // 2, rng, "jeffreys", resamples, level)
        sample = rng.random((trials, n + n_items)) < truth
        passed = rng.random(sample.shape) < np.where(sample, sensitivity, 1 - specificity)
        rows.append(_failure(broken, value, low, high, (sample[:, :n], passed[:, :n], passed[:, n:]), truth, level))
    easy = np.arange(n_items) % 2 == 0
    for on_hard in (0.5, 0.75, 1.0):  # accuracy 80 % on easy items, 20 % on hard ones
        chance, share = np.where(easy, 0.8, 0.2), np.where(easy, 0.4 * (1 - on_hard), 0.4 * on_hard)
        right, flawed = (rng.random((trials, n_items)) < p for p in (chance, share))
        seen, order = right & ~flawed, rng.random((trials, n_items)).argsort(axis=1)
        wrong = np.take_along_axis(flawed, order[:, :n], axis=1).sum(axis=1)
        low, high, _ = key_limits(seen.sum(axis=1), n_items, wrong, n, rng, 0.0, "jeffreys", resamples, level)
        right, seen = (np.take_along_axis(one, order, axis=1) for one in (right, seen))
        parts = right[:, :n], seen[:, :n], seen[:, n:]
        rows.append(_failure("wrong keys on hard items", on_hard, low, high, parts, truth, level))
    return pd.DataFrame(rows)


def _failure(broken: str, value: float, low: np.ndarray, high: np.ndarray, parts: tuple, truth: float, level: float):
    cut = np.clip([low, high], 0, 1)
    ppi = held(*ppi_limits(*parts, level=level, pseudo=0.5)[1:3], truth)
    own = held(*np.nan_to_num(cut, nan=2), truth)
    return dict(
        broken=broken,
        value=value,
        rogan_gladen=own.estimate,
        rogan_gladen_low=own.low,
        rogan_gladen_high=own.high,
        ppi=ppi.estimate,
        ppi_low=ppi.low,
        ppi_high=ppi.high,
        width=np.nanmean(cut[1] - cut[0]),
    )
