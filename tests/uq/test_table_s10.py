"""Rows of Table S10 as counts, and gains between rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.bootstrap import Interval
from proctor.stats.compare import score_limits
from proctor.stats.proportions import Confusion, clopper_pearson
from proctor.uq import table_s10
from statsmodels.stats.proportion import proportion_confint

BEST = ("Multi-model", "3-Iter |U, 2 models")


@pytest.fixture(scope="module")
def table():
    return table_s10.load_rows(np.random.default_rng(0), 50)


def test_every_printed_row_is_named_once(table):
    rows = table.drop_duplicates(["judges", "strategy"])
    assert len(rows) == 43 and not rows[["model", "name"]].duplicated().any()
    assert (rows["solutions"] > 0).sum() == 35 and (table["solutions"] == 1).sum() == 33
    assert rows.set_index("name").loc[BEST[1], "judge_count"] == 2
    assert table_s10.printed_rows()["name"].tolist() == rows["name"].tolist()


def test_a_gain_in_precision_is_newcombes_of_different_answers(table):
    found = table_s10.gain(table, BEST, ("o3", "V"), "precision")
    (a_low, a_high), (b_low, b_high) = (proportion_confint(k, n, method="wilson") for k, n in ((16, 40), (51, 246)))
    a, b = 16 / 40, 51 / 246
    low, high = a - b - math.hypot(a - a_low, b_high - b), a - b + math.hypot(a_high - a, b - b_low)
    assert (found.estimate, found.low, found.high) == pytest.approx((100 * (a - b), 100 * low, 100 * high))


def test_balanced_accuracy_has_limits_by_variance_recovery():
    found = table_s10.limits(Confusion(40, 100, 25, 335), "balanced_accuracy", 0.95)
    recall, specificity = clopper_pearson(40, 65), clopper_pearson(335, 435)
    low = math.hypot(40 / 65 - recall[0], 335 / 435 - specificity[0]) / 2
    assert found[0] == pytest.approx((40 / 65 + 335 / 435) / 2) and found[0] - found[1] == pytest.approx(low)


def test_rows_without_counts_or_on_other_answers_bear_no_gain(table):
    for row in (("o3", "C"), ("Claude Sonnet 3.7", "C u5 |U")):
        found = table_s10.gain(table, row, (row[0], "V"), family=5)
        assert math.isnan(found.estimate) and (found.low, found.high, found.level) == (-math.inf, math.inf, 0.99)
    with pytest.raises(KeyError, match="no row 'C u9' of o3"):
        table_s10.gain(table, ("o3", "C u9"), ("o3", "V"))


def test_the_smallest_gain_has_the_smallest_limits_and_an_undefined_one_decides():
    gains = [Interval(1.0, -4.0, 3.0, 0.99, ""), Interval(2.0, -1.0, 5.0, 0.99, "")]
    found = table_s10.smallest(gains)
    assert (found.estimate, found.low, found.high, found.level) == (1.0, -4.0, 3.0, 0.99)
    most = table_s10.largest(gains)
    assert (most.estimate, most.low, most.high) == (2.0, -1.0, 5.0)
    assert math.isnan(table_s10.smallest([*gains, table_s10.UNDEFINED]).estimate)
    assert math.isnan(table_s10.smallest([]).estimate)


def test_rows_that_were_filtered_out_are_known_and_bear_nothing(table):
    rest = table[table["model"] != "o3"]
    lost = table_s10.gain(rest, BEST, ("o3", "V"))
    assert math.isnan(lost.estimate) and lost.method == "not in the table"
    assert table_s10.largest([Interval(1.0, 0.0, 3.0, 0.95, ""), lost]).method == lost.method
    assert table_s10.precision(rest, ("o3", "V")).n == 0 and table_s10.precision(table, BEST).n == 40
    printed = table_s10.printed(rest)["accuracy"]
    assert len(printed) == 43 and printed.isna().sum() == 13 and printed["o3"].isna().all()
    with pytest.raises(KeyError, match="no row 'Vv' of o3"):
        table_s10.gain(rest, BEST, ("o3", "Vv"))


@given(st.integers(1, 15), st.integers(1, 15), st.data())
def test_no_pairing_gives_a_wider_interval_than_the_worst_one(n, m, data):
    """Brute force over every number of right and of wrong answers that both validators can judge rightly."""
    (x, y), (v, w) = ([data.draw(st.integers(0, size)) for _ in range(2)] for size in (n, m))
    one, other = (Confusion(tp=k, fp=m - j, fn=n - k, tn=j) for k, j in ((x, v), (y, w)))
    of_right, of_wrong = (np.arange(max(0, a + b - size), min(a, b) + 1) for a, b, size in ((x, y, n), (v, w, m)))
    of_all = np.add.outer(of_right, of_wrong).ravel()
    parts = dict(recall=(x - of_right, y - of_right, n), specificity=(v - of_wrong, w - of_wrong, m))
    for figure, part in (parts | dict(accuracy=(x + v - of_all, y + w - of_all, n + m))).items():
        low, high = table_s10.worst_paired(one, other, figure, 0.95)
        lows, highs = score_limits(*part, 0.95)
        assert low <= lows.min() + 1e-9 and high >= highs.max() - 1e-9
        assert low == pytest.approx(lows[0]) and high == pytest.approx(highs[0])
