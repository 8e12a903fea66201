from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.proportions import Confusion
from proctor.stats.reconstruct import (
    AccuracyCount,
    AgreementTable,
    accuracy_counts,
    agreement_counts,
    base_rate,
    confusion_counts,
    draw_probability,
    shares_of_whole,
)
from proctor.stats.rounding import ROUNDINGS, show
from scipy.stats import fisher_exact
from statsmodels.stats.inter_rater import cohens_kappa


def printed(k, n, rounding, decimals=2):
    return show(Fraction(100 * k, n), decimals, rounding)


def decimals(text):
    return len(text.partition(".")[2])


def tables(n):
    for pos in range(n + 1):
        for tp, fp in product(range(pos + 1), range(n - pos + 1)):
            yield n, pos, tp, fp


@pytest.mark.parametrize(
    "shown",
    [
        ("66.67", "50.00", "100.00"),
        ("75.00", "66.67", "66.67"),
        ("75", "67", "67"),
        ("62.5", "50.0", "33.3"),
        ("50.00", "0.00", "0.00"),
        ("62", "50", "33"),  # 62.5, a tie
        ("91.00", "13.00", "7.00"),  # of no table
        ("70.0", "33.33", "50"),  # each with its own decimals
        (None, "50.00", "33.33"),  # one may be anything
        ("62.50", None, "33.33"),
        ("62.50", "50.00", None),
    ],
)
def test_confusion_counts_agree_with_a_search_of_every_table(shown):
    expected = {}
    for key in (key for n in range(1, 13) for key in tables(n)):
        n, pos, tp, fp = key
        if pos and tp + fp:
            parts = list(zip(shown, ((n - fp - pos + tp, n), (tp, tp + fp), (tp, pos))))
            for rounding in ROUNDINGS:
                if all(text is None or printed(k, m, rounding, decimals(text)) == text for text, (k, m) in parts):
                    expected.setdefault(key, []).append(rounding)
    found = confusion_counts(*shown, range(1, 13))
    assert {(t.n, t.positives, t.tp, t.fp): list(t.roundings) for t in found} == expected
    assert bool(expected) == ("91.00" not in shown)


def test_positives_narrow_the_search_half_way_cases_tell_the_roundings_apart_and_stated_decimals_count():
    free = confusion_counts("50.00", "50.00", "50.00", 20)
    held = confusion_counts("50.00", "50.00", "50.00", 20, positives=[4, 6])
    assert held == [t for t in free if t.positives in (4, 6)] and len(held) < len(free)
    assert accuracy_counts("0.13", 800) == [AccuracyCount(1, 800, ("half_up",))]  # 1/800 = 0.125 %
    assert accuracy_counts("0.12", 800) == [AccuracyCount(1, 800, ("half_even", "truncate"))]
    assert {c.k for c in accuracy_counts("85", 500)} == {c.k for c in accuracy_counts("85", 500, decimals=0)}
    assert [c.k for c in accuracy_counts("85", 500, decimals=2)] == [425]
    assert [c.k for c in accuracy_counts("85.00", 500)] == [425] and len(accuracy_counts("85", 500)) > 1
    table = confusion_counts("85.40", "40.00", "24.62", 500)[0]
    assert table.shares == {"accuracy": Fraction(427, 500), "precision": Fraction(2, 5), "recall": Fraction(16, 65)}
    for name, share in table.shares.items():
        assert float(share) == getattr(table.confusion, name)


@given(st.integers(1, 2000), st.data())
def test_accuracy_counts_agree_with_a_search_of_every_count(n, data):
    k, rounding = data.draw(st.integers(0, n)), data.draw(st.sampled_from(ROUNDINGS))
    shown = printed(k, n, rounding)
    found = accuracy_counts(shown, n, roundings=[rounding])
    near = range(max(0, k - 30), min(n, k + 30) + 1)
    assert [c.k for c in found] == [j for j in near if printed(j, n, rounding) == shown]


def test_samples_agree_with_a_search_of_every_count():
    expected = {
        (k, n, s)
        for n, s in product((7, 30), (1, 2, 5))
        for k in range(n * s + 1)
        if printed(k, n * s, "half_even") == "43.33"
    }
    found = accuracy_counts("43.33", [7, 30], samples=[1, 2, 5], roundings=["half_even"])
    assert {(c.k, c.n, c.samples) for c in found} == expected and expected


@given(st.tuples(*[st.integers(1, 400)] * 4))
def test_base_rate_follows_from_the_three_figures_alone(cells):
    counts = Confusion(*cells)
    figures = [100 * figure for figure in (counts.accuracy, counts.precision, counts.recall)]
    assert base_rate(*figures) == pytest.approx((counts.tp + counts.fn) / counts.n)


@pytest.mark.parametrize(
    "n, positives, total, total_positives",
    [(81, 16, 500, 65), (496, 64, 500, 65), (5, 0, 20, 7), (5, 5, 20, 7), (10, 5, 20, 10), (3, 1, 6, 3)],
)
def test_draw_probability_is_fishers(n, positives, total, total_positives):
    rest = total - n
    table = [[positives, n - positives], [total_positives - positives, rest - total_positives + positives]]
    assert float(draw_probability(n, positives, total, total_positives)) == pytest.approx(fisher_exact(table).pvalue)


def two_by_two(n):
    return [(a, b, c, n - a - b - c) for a, b, c in product(range(n + 1), repeat=3) if a + b + c <= n]


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0))
def test_kappa_agrees_with_statsmodels(cells):
    table, (both, only_a, only_b, neither) = AgreementTable(sum(cells), *cells, ()), cells
    assert (table.kappa is None) == (max(both, neither) == sum(cells))
    if table.kappa is not None:
        expected = cohens_kappa(np.array([[both, only_a], [only_b, neither]]), return_results=False)
        assert float(table.kappa) == pytest.approx(float(expected), abs=1e-12)


@given(st.integers(1, 9), st.sampled_from(ROUNDINGS), st.lists(st.booleans(), min_size=4, max_size=4), st.data())
def test_agreement_counts_agree_with_a_search_of_every_table(n, rounding, hidden, data):
    def shown(cells):
        both, only_a, only_b, neither = cells
        figures = [printed(k, n, rounding, 1) for k in (both + only_a, both + only_b, both + neither)]
        kappa = AgreementTable(n, *cells, ()).kappa
        return figures + [None if kappa is None else show(kappa, 2, rounding)]

    true = data.draw(st.sampled_from(two_by_two(n)))
    want = shown(true)
    expected = [
        cells for cells in two_by_two(n) if all(a == b for a, b, hide in zip(shown(cells), want, hidden) if not hide)
    ]
    a, b, same, kappa = [None if hide else figure or "-" for figure, hide in zip(want, hidden)]
    found = agreement_counts(a, b, same, n, kappa, roundings=[rounding])
    assert [(t.both, t.only_a, t.only_b, t.neither) for t in found] == sorted(expected)
    assert true in expected


def test_a_negative_kappa_is_read():
    found = agreement_counts("50", "50", None, 4, kappa="-1.00")
    assert [(t.both, t.only_a, t.only_b, t.neither) for t in found] == [(0, 2, 2, 0)]


@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=4).filter(lambda counts: sum(counts) > 0),
    st.sampled_from(ROUNDINGS),
    st.integers(0, 1),
)
def test_shares_agree_with_a_search_of_every_assignment(counts, rounding, decimals):
    n = sum(counts)
    shown = [printed(k, n, rounding, decimals) for k in counts]
    fits = [[k for k in range(n + 1) if printed(k, n, rounding, decimals) == text] for text in shown]
    every = [ks for ks in product(*fits) if sum(ks) == n]
    (found,) = shares_of_whole(shown, n, roundings=[rounding])
    assert found.assignments == len(every) and tuple(counts) in every
    assert found.counts == tuple((min(part), max(part)) for part in zip(*every))


def test_wide_parts_are_counted_by_all_their_assignments_and_impossible_ones_have_none():
    fits = [k for k in range(1001) if printed(k, 1000, "half_up", 0) == "33"]
    every = [(a, b, 1000 - a - b) for a in fits for b in fits if 1000 - a - b in fits]
    (found,) = shares_of_whole(["33", "33", "33"], 1000, roundings=["half_up"])
    assert found.assignments == len(every) and found.counts[0] == (min(every)[0], max(every)[0])
    assert shares_of_whole(["50.0", "49.0"], 1000) == []
    assert shares_of_whole(["33.3", "66.6"], 2) == []  # the sum could make a whole, two items cannot
    assert draw_probability(5, 6, 20, 7) == draw_probability(5, -1, 20, 7) == draw_probability(19, 2, 20, 7) == 0
