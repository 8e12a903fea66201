import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from proctor.data.published import load_published
from proctor.stats.misprints import (
    KINDS,
    classify,
    draw_probability,
    misprints,
    padded_zeros,
    partial_run,
    whole_percent,
)
from proctor.stats.reconstruct import confusion_counts
from proctor.stats.rounding import ROUNDINGS
from scipy.stats import fisher_exact

N, POSITIVES = 500, 65  # UQ, Table S10: 500 answers; 65 right ones are what its rows imply
ROWS = [tuple(row) for row in load_published("uq/table_S10")[["accuracy", "precision", "recall"]].to_numpy()]


@cache
def printed(k, m, rounding, decimals=2):
    """100 k / m as it prints, by integer division alone."""
    units, rest = divmod(100 * 10**decimals * k, m)
    if rounding == "half_up":
        units += 2 * rest >= m
    elif rounding == "half_even":
        units += 2 * rest > m or 2 * rest == m and units % 2 == 1
    return f"{units // 10**decimals}.{units % 10**decimals:0{decimals}d}" if decimals else str(units)


def figures(n, pos, tp, fp, rounding):
    return [printed(n - fp - pos + tp, n, rounding), printed(tp, tp + fp, rounding), printed(tp, pos, rounding)]


def search(row, n, rounding):
    """Every (positives, tp, fp) over n items that prints as `row`, by going through all."""
    return [
        (pos, tp, fp)
        for pos in range(1, n + 1)
        for tp in range(pos + 1)
        if printed(tp, pos, rounding) == row[2]
        for fp in range(n - pos + 1)
        if tp + fp and figures(n, pos, tp, fp, rounding) == list(row)
    ]


@pytest.mark.parametrize("row", [0, 4, 7, 8, 11, 16, 32, 35], ids=lambda i: "/".join(ROWS[i]))
@pytest.mark.parametrize("n", [81, 162, 496, 499, 500])
def test_rows_of_uq_agree_with_a_search_of_every_table(row, n):
    for rounding in ("half_up", "truncate"):
        found = confusion_counts(*ROWS[row], n, roundings=[rounding])
        assert [(t.positives, t.tp, t.fp) for t in found] == search(ROWS[row], n, rounding)


def test_table_s10_is_sorted_into_25_8_2_and_8_rows_quickly():
    start = time.process_time()
    kinds = Counter(classify(*row, N, POSITIVES).kind for row in ROWS)
    assert time.process_time() - start < 5  # measured: 0.4 s
    assert kinds == {"unique at n": 25, "smaller n": 8, "partial run": 2, "none": 8}


def test_every_table_of_a_reading_prints_back_as_the_row():
    for row in ROWS:
        reading = classify(*row, N, POSITIVES)
        assert reading.kind in KINDS
        for t in reading.tables + tuple(run.table for run in reading.runs):
            for rounding in t.roundings:
                assert figures(t.n, t.positives, t.tp, t.fp, rounding) == list(row)


def test_rows_with_a_solution_at_n_are_searched_no_further():
    reading = classify("85.40", "40.00", "24.62", N, POSITIVES)
    assert reading.kind == "unique at n" and not (reading.runs or reading.misprints or reading.padded)


def test_several_tables_at_n_are_told_from_one():
    """Whole percents leave many tables, and classify lists those of a search."""
    row = "30", "15", "91"
    every = {
        (tp, fp)
        for tp, fp in product(range(POSITIVES + 1), range(436))
        if tp + fp
        and any(
            tuple(printed(k, m, rounding, 0) for k, m in ((435 - fp + tp, N), (tp, tp + fp), (tp, POSITIVES))) == row
            for rounding in ROUNDINGS
        )
    }
    reading = classify(*row, N, POSITIVES)
    assert reading.kind == "several at n" and {(t.tp, t.fp) for t in reading.tables} == every and len(every) > 1


def test_claudes_81_52_is_one_digit_from_81_54():
    nearest = misprints("41.20", "15.82", "81.52", N, POSITIVES)
    half_up = [m for m in nearest if "half_up" in m.table.roundings]
    assert [(m.figure, m.recomputed, m.points, m.digits, m.change) for m in half_up] == [
        ("recall", "81.54", Decimal("0.02"), 1, "one digit")
    ]


@given(st.integers(2, 40), st.sampled_from(ROUNDINGS), st.data())
def test_misprints_agree_with_a_search_of_every_table(n, rounding, data):
    pos = data.draw(st.integers(1, n - 1))
    tp, fp = data.draw(st.integers(0, pos)), data.draw(st.integers(1, n - pos))
    row = figures(n, pos, tp, fp, rounding)
    true = list(row)
    wrong = data.draw(st.integers(0, 2))
    row[wrong] = data.draw(st.sampled_from(["12.34", "50.00", "99.99", "7.10"]))
    assume(row[wrong] != true[wrong])
    expected = set()
    for tp_, fp_ in product(range(pos + 1), range(n - pos + 1)):
        if tp_ + fp_:
            shown = figures(n, pos, tp_, fp_, rounding)
            differ = [i for i in range(3) if shown[i] != row[i]]
            if len(differ) == 1:
                expected.add((("accuracy", "precision", "recall")[differ[0]], shown[differ[0]], tp_, fp_))
    found = misprints(*row, n, pos, roundings=[rounding])
    assert {(m.figure, m.recomputed, m.table.tp, m.table.fp) for m in found} == expected
    assert (("accuracy", "precision", "recall")[wrong], true[wrong], tp, fp) in expected
    assert [abs(m.points) for m in found] == sorted(abs(m.points) for m in found)
    assert all(m.points == Decimal(m.recomputed) - Decimal(m.printed) for m in found)


@pytest.mark.parametrize(
    "wrong, digits, change",
    [
        ("24.26", 2, "transposition"),
        ("42.62", 2, "transposition"),
        ("26.42", 2, "transposition"),
        ("24.63", 1, "one digit"),
        ("4.62", 1, "one digit"),
        ("22.64", 2, "several digits"),
        ("62.24", 4, "several digits"),
    ],
)
def test_changes_of_digits_are_named(wrong, digits, change):
    """The true recall is 24.62 (16 of 65); the point is no digit, so 26.42 exchanges the two around it."""
    found = [m for m in misprints("85.40", "40.00", wrong, N, POSITIVES) if m.recomputed == "24.62"]
    assert [(m.digits, m.change) for m in found] == [(digits, change)]


def test_whole_percents_padded_with_zeros_are_read_as_whole():
    # o3, one iteration: 24.00 and 42.00 are 27 of 112 and 27 of 65 in whole percents.
    assert confusion_counts("75.40", "24.00", "42.00", N, POSITIVES) == []
    (table,) = whole_percent("75.40", "24.00", "42.00", N, POSITIVES)
    assert (table.tp, table.fp) == (27, 85)
    assert whole_percent("73.20", "24.12", "42.10", N, POSITIVES) == []  # no figure ends in .00


def test_padded_zeros_reach_further_than_whole_percents():
    # o3, five iterations: 81.50 is 81.49 over 497 items, and 81.5 with one decimal.
    assert whole_percent("81.50", "26.23", "25.40", range(495, 501)) == []
    assert [(t.n, t.positives) for t in padded_zeros("81.50", "26.23", "25.40", range(495, 501))] == [
        (496, 63),
        (497, 63),
        (498, 63),
    ]
    assert padded_zeros("81.51", "26.23", "25.41", N) == []
    assert padded_zeros("100", "50", "10", N) == []  # zeros before the point are no padding


def test_claudes_five_iterations_are_a_run_of_81_items():
    runs = partial_run("44.44", "22.64", "75.00", N, POSITIVES)
    assert [(run.table.n, run.table.positives, run.missing) for run in runs] == [
        (324, 64, 176),
        (243, 48, 257),
        (162, 32, 338),
        (81, 16, 419),
    ]
    assert [run.probability > Fraction(1, 20) for run in runs] == [False, False, False, True]
    assert classify("44.44", "22.64", "75.00", N, POSITIVES).tables == (runs[-1].table,)


@pytest.mark.parametrize(
    "n, positives, total, total_positives",
    [(81, 16, 500, 65), (496, 64, 500, 65), (5, 0, 20, 7), (5, 5, 20, 7), (10, 5, 20, 10), (3, 1, 6, 3)],
)
def test_draw_probability_is_fishers(n, positives, total, total_positives):
    rest = total - n
    table = [[positives, n - positives], [total_positives - positives, rest - total_positives + positives]]
    assert float(draw_probability(n, positives, total, total_positives)) == pytest.approx(fisher_exact(table).pvalue)


def test_impossible_draws_have_probability_zero():
    assert draw_probability(5, 6, 20, 7) == draw_probability(5, -1, 20, 7) == draw_probability(19, 2, 20, 7) == 0


@given(st.data())
def test_a_row_with_few_items_missing_is_explained(data):
    n, missing = 200, data.draw(st.integers(0, 2))
    positives = data.draw(st.integers(3, 60))
    lost = data.draw(st.integers(0, missing))
    pos = positives - lost
    tp, fp = data.draw(st.integers(0, pos)), data.draw(st.integers(1, n - positives - missing + lost))
    rounding = data.draw(st.sampled_from(ROUNDINGS))
    row = figures(n - missing, pos, tp, fp, rounding)
    reading = classify(*row, n, positives)
    assert reading.kind in KINDS[:3]  # a table over all n may fit by chance, and comes first
    if reading.kind == "smaller n" or missing == 0:
        assert any(
            (t.n, t.positives, t.tp, t.fp) == (n - missing, pos, tp, fp) and rounding in t.roundings
            for t in reading.tables
        )


def test_positives_beyond_the_items_are_refused():
    with pytest.raises(ValueError, match="positives is 0"):
        classify("50.00", "50.00", "50.00", 10, 0)
