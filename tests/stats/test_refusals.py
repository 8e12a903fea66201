"""What the statistics refuse, before any work, and the words that name what is wrong."""

import numpy as np
import pytest
from proctor.stats import (
    bootstrap,
    calibration,
    compare,
    judge_error,
    power,
    proportions,
    rank_sets,
    reconstruct,
    rounding,
    simulate,
)
from proctor.stats.proportions import Confusion

CALIBRATION = Confusion(tp=45, fn=5, fp=8, tn=42)
WHOLE, PARTIAL, OTHER = Confusion(2, 1, 1, 3), Confusion(2, 1, 1, 2), Confusion(2, 1, 2, 2)
NAN = np.nan


def rng():
    return np.random.default_rng(0)


def interval(**change):
    return bootstrap.interval(**dict(scores=[0, 1, 1, 0], rng=rng()) | change)


def errors(confidence, correct, kind="all_bins"):
    return calibration.calibration_error(confidence, correct, kind)


def judged(calibration, k=5):
    return judge_error.estimated_judge(k, 10, calibration, rng())


def counts(**change):
    return reconstruct.accuracy_counts(**dict(accuracy="50.00", n_values=500) | change)


def responses(accuracies, **change):
    return simulate.item_responses(accuracies, 10, rng(), **change)


REFUSED = [
    (lambda: interval(level=95), r"level is 95.*\(0.95, not 95\)"),
    (lambda: interval(resamples=0), "resamples is 0: must be a whole number of at least 1"),
    (lambda: interval(resamples=1.5), "resamples is 1.5: must be a whole number"),
    (lambda: interval(clusters=["a"]), "one label for each of the 4 items"),
    (lambda: interval(clusters=["a", None, "b", "b"]), r"clusters\[1\] is missing"),
    (lambda: interval(scores=[0, 1, NAN]), r"scores\[2\] is nan \(1 such entries\)"),
    (lambda: interval(scores=[[0, 1]]), "scores has 2 axes, needs 1"),
    (lambda: interval(scores=[7.0, 7.0]), "outside bounds"),
    (lambda: bootstrap.resample_means([[0, 1], [1, NAN]], 9, rng()), r"scores\[\(1, 1\)\] is nan"),
    (lambda: bootstrap.resample_means([[]], 9, rng()), "scores is empty"),
    (lambda: bootstrap.paired_difference([0, 1], [1], rng()), "lengths differ"),
    (lambda: bootstrap.held([0.1], [0.2, 0.3], 0.5), "lengths differ"),
    (lambda: bootstrap.statistic_interval(np.max, [np.ones(9)], rng(), 50), "no interval can be had"),
    (lambda: errors([0.5, 80], [1, 0]), r"confidence\[1\] is 80.*divide percentages by 100"),
    (lambda: errors([0.5, NAN], [1, 0]), r"confidence\[1\] is nan"),
    (lambda: errors([0.5, 0.5], [1, 2]), r"correct\[1\] is 2"),
    (lambda: errors([0.5], [1, 0]), "lengths differ"),
    (
        lambda: compare.confusion_bounds(WHOLE, PARTIAL),
        "a has 3 right and 4 wrong answers, b 3 and 3.*leave out such rows",
    ),
    (lambda: compare.confusion_bounds(WHOLE, OTHER), "a has 3 right and 4 wrong answers, b 4"),
    (lambda: compare.comparable([WHOLE, WHOLE, PARTIAL], ["one", "two", "short run"]), "short run 3 and 3"),
    (lambda: compare.comparable([WHOLE, WHOLE], ["one", "two"], level=5), "level is 5"),
    (lambda: compare.score_interval([0.5], [1]), r"a\[0\] is 0.5"),
    (lambda: compare.chances(0.95, 0.7, 0.6), "can't have a correlation of 0.6"),
    *[
        (lambda rates=rates: judge_error.rogan_gladen(0.5, *rates), "must be above 1.*calibrate")
        for rates in ((0.5, 0.5), (0.3, 0.7), (0.4, 0.5), (0, 0))
    ],
    (lambda: judged(Confusion(tp=4, fn=6, fp=5, tn=5)), "must be above 1"),
    (lambda: judged(CALIBRATION, k=11), "k is 11.*n = 10"),
    (lambda: judged(Confusion(tp=0, fn=0, fp=1, tn=2)), "no right answers"),
    (lambda: judged(Confusion(tp=3, fn=1, fp=0, tn=0)), "no wrong answers"),
    (lambda: judge_error.rogan_gladen(53.17, 0.9, 0.9), r"observed\[0\] is 53.17"),
    (lambda: judge_error.rogan_gladen(0.5, 0.9, 1.2), r"specificity\[0\] is 1.2"),
    (lambda: power.t_power(0.1, 0.2, 1), "n is 1"),
    (lambda: power.t_power(0.1, 0.2, 9, margin=-0.1), "margin -0.1"),
    (lambda: power.items_needed(0.1, -1.0), "not negative"),
    (lambda: power.items_needed(NAN, 0.5), "finite"),
    (lambda: power.items_needed(0.1, 0.5, power=80), "power is 80"),
    (lambda: power.items_needed(0.1, 0.5, level=95), "level is 95"),
    (lambda: power.corridor(0), "looks is 0"),
    *[
        (lambda k=k, n=n: proportions.wilson(k, n), "must be a whole number")
        for k, n in ((-1, 5), (6, 5), (2.5, 5), (0, 0))
    ],
    (lambda: proportions.measures(Confusion(0, 0, 0, 0), rng()), "n is 0"),
    (lambda: rank_sets.all_pairs([[1, 0, NAN, NAN], [NAN, NAN, 1, 0]]), "fewer than two items in common"),
    (lambda: counts(accuracy=85.4), "accuracy is 85.4"),
    (lambda: counts(accuracy="85.405", decimals=2), "more than the 2 decimals"),
    (lambda: counts(n_values=10**6, samples=2), "samples"),
    *[(lambda n=n: counts(n_values=n), "numbers of items") for n in ([], 0, [10, -1], 2.5, 10**7)],
    (lambda: reconstruct.agreement_counts("50", "50", None, 4, kappa="-1.01"), "kappa"),
    (lambda: rounding.read_printed(0.5, "recall"), "recall is 0.5"),
    (lambda: rounding.read_printed("abc", "recall"), "not a number"),
    (lambda: rounding.read_printed("Infinity", "recall"), "not a number"),
    (lambda: rounding.read_printed("100.01", "recall"), "from 0 to 100"),
    (lambda: rounding.read_printed("0.0000000001", "recall"), "0 to 9"),
    (lambda: rounding.read_printed("85.45", "recall", 1), "more than the 1 decimals"),
    (lambda: 1 / rounding.rounded("0.0"), "may be zero"),
    (lambda: responses([0.5, 1.0]), r"accuracies is 1.0: must lie strictly between 0 and 1"),
    (lambda: responses([0.5], samples=0), "samples"),
]


@pytest.mark.parametrize("call, message", REFUSED)
def test_what_cannot_be_computed_is_refused_by_name(call, message):
    with pytest.raises((ValueError, TypeError, ZeroDivisionError), match=message):
        call()
