import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats import proportions
from proctor.stats.bootstrap import statistic_interval
from proctor.stats.proportions import Confusion
from scipy import stats

CELLS = st.tuples(*[st.integers(0, 30)] * 4).filter(any)
BEST_OF_UQ = Confusion(tp=16, fp=24, fn=49, tn=411)
REJECT_ALL = Confusion(tp=0, fp=0, fn=65, tn=435)


def items(counts):
    """accept and correct, 0/1 of shape (n,)."""
    cells = [counts.tp, counts.fp, counts.fn, counts.tn]
    return np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)


def by_name(counts, seed=0, **options):
    found = proportions.measures(counts, np.random.default_rng(seed), **options)
    return {one.Index: one for one in found.itertuples()}


@pytest.mark.parametrize("ours, theirs", [(proportions.wilson, "wilson"), (proportions.clopper_pearson, "exact")])
@pytest.mark.parametrize("k, n", [(0, 10), (1, 10), (10, 10), (478, 899)])
def test_intervals_of_a_share_are_scipy_s_and_end_at_0_and_1_exactly(ours, theirs, k, n):
    expected, (low, high) = stats.binomtest(k, n).proportion_ci(0.8, theirs), ours(k, n, 0.8)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (low == 0) == (k == 0) and (high == 1) == (k == n)


def test_official_half_width_uses_the_rounded_percentage():
    assert proportions.official_half_width(25.0, 2500) == 1.7  # 1.96 * sqrt(1875 / 2500) = 1.6974
    assert proportions.official_half_width(0, 2500) == proportions.official_half_width(100, 2500) == 0


@given(CELLS)
def test_measures_estimate_what_the_confusion_table_says(cells):
    counts = Confusion(*cells)
    found = by_name(counts, resamples=20)
    accept, correct = items(counts)
    assert proportions.confusion(accept, correct) == counts
    positives, negatives = counts.tp + counts.fn, counts.fp + counts.tn
    recall, specificity = counts.recall if positives else None, counts.specificity if negatives else None
    positive = counts.tp * negatives / (counts.fp * positives) if counts.fp * positives else None
    negative = counts.fn * negatives / (counts.tn * positives) if counts.tn * positives else None
    said = {
        "accuracy": counts.accuracy,
        "precision": counts.tp / accept.sum() if accept.any() else None,
        "recall": recall,
        "specificity": specificity,
        "balanced_accuracy": None if None in (recall, specificity) else (recall + specificity) / 2,
        "mcc": np.corrcoef(accept, correct)[0, 1] if np.ptp(accept) and np.ptp(correct) else None,
        "lr_positive": positive,
        "lr_negative": negative,
    }
    assert list(found) == list(said)
    for name, value in said.items():
        one = found[name]
        assert one.estimate == pytest.approx(np.nan if value is None else value, nan_ok=True)
        assert np.isnan(one.low) == np.isnan(one.high) == (value is None)
        if value is not None:
            assert one.low <= one.high and one.exact_low - 1e-12 <= value <= one.exact_high + 1e-12


@pytest.mark.parametrize("name", ["precision", "balanced_accuracy", "mcc"])
def test_bootstrap_limits_agree_with_the_bootstrap_over_items(name):
    statistic = {
        "precision": lambda accept, correct: correct[accept == 1].mean(),
        "balanced_accuracy": lambda accept, correct: (
            (accept[correct == 1].mean() + 1 - accept[correct == 0].mean()) / 2
        ),
        "mcc": lambda accept, correct: np.corrcoef(accept, correct)[0, 1],
    }[name]
    found = by_name(BEST_OF_UQ, resamples=20_000)[name]
    over_items = statistic_interval(
        statistic,
        items(BEST_OF_UQ),
        np.random.default_rng(1),
        resamples=2_000,
    )
    spread = over_items.high - over_items.low
    assert (found.low, found.high) == pytest.approx((over_items.low, over_items.high), abs=0.1 * spread)


def test_exact_limits_of_both_classes_come_from_two_intervals_that_hold_together_as_often_as_stated():
    found = by_name(BEST_OF_UQ, level=0.9)
    recalls = proportions.clopper_pearson(16, 65, math.sqrt(0.9))
    specificities = proportions.clopper_pearson(411, 435, math.sqrt(0.9))

    def mcc(r, s):
        accepted = 0.13 * r + 0.87 * (1 - s)
        return (r + s - 1) * math.sqrt(0.13 * 0.87 / (accepted * (1 - accepted)))

    for name, figure in {
        "balanced_accuracy": lambda r, s: (r + s) / 2,
        "lr_positive": lambda r, s: r / (1 - s),
        "lr_negative": lambda r, s: (1 - r) / s,
        "mcc": mcc,
    }.items():
        limits = sorted(figure(r, s) for r, s in zip(recalls, specificities))
        assert [found[name].exact_low, found[name].exact_high] == pytest.approx(limits)
    assert (found["precision"].exact_low, found["precision"].exact_high) == proportions.clopper_pearson(16, 40, 0.9)


def test_where_no_resample_differs_or_most_lack_the_measure_the_exact_limits_stand_in():
    found = by_name(REJECT_ALL)
    for name in ("recall", "specificity", "balanced_accuracy", "lr_negative"):
        assert (found[name].low, found[name].high) == (found[name].exact_low, found[name].exact_high)
        assert found[name].low < found[name].high
    assert (found["recall"].low, found["recall"].high) == proportions.clopper_pearson(0, 65)
    assert np.isnan(found["precision"].exact_low) and found["mcc"].exact_low < 0 < found["mcc"].exact_high
    found = by_name(Confusion(tp=498, fp=1, fn=1, tn=0))["mcc"]
    assert (found.low, found.high) == (found.exact_low, found.exact_high)


def test_a_ratio_that_resamples_divide_by_nothing_has_no_upper_limit():
    found = by_name(Confusion(tp=20, fp=1, fn=5, tn=24))["lr_positive"]
    assert found.estimate == pytest.approx(20) and found.high == math.inf and 1 < found.low < 20
    never_wrong = by_name(Confusion(tp=20, fp=0, fn=5, tn=25))["lr_positive"]
    assert np.isnan(never_wrong.estimate) and 1 < never_wrong.exact_low and never_wrong.exact_high == math.inf


def test_hypergeometric_limits_are_those_that_no_tail_rejects_and_end_at_the_population():
    n, population = 7, 20
    for k in range(n + 1):
        kept = [
            marked
            for marked in range(k, population - n + k + 1)
            if min(stats.hypergeom.cdf(k, population, marked, n), stats.hypergeom.sf(k - 1, population, marked, n))
            > 0.025
        ]
        low, high = proportions.hypergeometric_limits(k, n, population)
        assert (low * population, high * population) == pytest.approx((kept[0], kept[-1]))
    assert [float(end) for end in proportions.hypergeometric_limits(3, 10, 10)] == [0.3, 0.3]
    wide = proportions.clopper_pearson(3, 50)
    assert np.abs(np.array(proportions.hypergeometric_limits(3, 50, 200_000)) - wide).max() < 1e-4
