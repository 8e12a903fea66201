"""The verdicts of synthesis/audit_your_table, next to a search that tries all counts by the definition."""

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from proctor.audit.reported_table import Reported
from proctor.stats import reconstruct, rounding
from proctor.stats.reconstruct import FIGURES, draw_probability
from proctor.stats.rounding import ROUNDINGS, show


@pytest.fixture(scope="module")
def notebook(defined):
    known = vars(rounding) | vars(reconstruct) | dict(NamedTuple=NamedTuple, Reported=Reported)
    return defined("synthesis/audit_your_table", **known)


@pytest.fixture(scope="module")
def one(notebook):
    return lambda figures, n, positives=None: notebook.audit(Reported("a", n, n, positives, figures=figures))


def shares(tp, fp, fn, tn) -> dict[str, Fraction]:
    """The figures that a confusion table has, exact; written here once more, apart from the library."""
    parts = dict(
        accuracy=(tp + tn, tp + fp + fn + tn),
        precision=(tp, tp + fp),
        recall=(tp, tp + fn),
        f1=(2 * tp, 2 * tp + fp + fn),
        specificity=(tn, tn + fp),
        npv=(tn, tn + fn),
    )
    found = {name: Fraction(k, m) for name, (k, m) in parts.items() if m}
    if {"recall", "specificity"} <= set(found):
        found["balanced_accuracy"] = (found["recall"] + found["specificity"]) / 2
    n = tp + fp + fn + tn
    chance = Fraction((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), n * n)
    if chance != 1:
        found["kappa"] = (found["accuracy"] - chance) / (1 - chance)
    return found


def python_prints(tp, fp, fn, tn, decimals) -> dict[str, str]:
    """As a careless script prints them: by floats, whose ties go up or down by accident."""
    return {name: f"{100 * float(share):.{decimals}f}" for name, share in shares(tp, fp, fn, tn).items()}


def fits(figures: dict[str, str], tp, fp, fn, tn) -> bool:
    """By the definition: every figure within half a last digit, or every one cut off."""
    own = shares(tp, fp, fn, tn)
    if not set(figures) <= set(own):
        return False
    unit = {name: Fraction(1, 10 ** len(text.partition(".")[2])) for name, text in figures.items()}
    above = {name: (100 * own[name] - Fraction(text)) / unit[name] for name, text in figures.items()}
    return all(abs(x) <= Fraction(1, 2) for x in above.values()) or all(0 <= x < 1 for x in above.values())


def brute_force(figures, n, positives) -> set[tuple[int, int, int]]:
    """(positives, tp, fp) of every table of n items, by trying all of them."""
    return {
        (p, tp, fp)
        for p in positives
        for tp in range(p + 1)
        for fp in range(n - p + 1)
        if fits(figures, tp, fp, p - tp, n - p - fp)
    }


cells = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cell: cell[0] + cell[2] > 0)


# Verdicts


@given(cells, st.sampled_from([1, 2]), st.sets(st.sampled_from(FIGURES), min_size=1), st.booleans())
def test_what_a_true_table_prints_is_never_called_infeasible(one, cell, decimals, chosen, positives_known):
    tp, fp, fn, tn = cell
    figures = {name: text for name, text in python_prints(*cell, decimals).items() if name in chosen}
    assume(figures)
    found = one(figures, sum(cell), tp + fn if positives_known else None)
    assert found.verdict.startswith("feasible") or found.verdict == "not checked" and "accuracy" not in figures
    if found.row.settles_table:
        assert (tp + fn, tp, fp) in {(t.positives, t.tp, t.fp) for t in found.solutions}


def test_ties_that_floats_round_up_and_down_in_one_row_are_feasible(one):
    cell = 1, 1997, 1999, 3  # recall 0.05 % prints as 0.1, specificity 0.15 % as 0.1: both are ties
    figures = {name: python_prints(*cell, 1)[name] for name in ("recall", "specificity", "accuracy")}
    own = shares(*cell)
    for rule in ROUNDINGS:  # no single one prints both as Python does
        assert any(show(100 * own[name], 1, rule) != text for name, text in figures.items())
    assert one(figures, 4000, 2000).verdict.startswith("feasible")


@given(st.integers(2, 9), st.data())
def test_search_finds_the_tables_of_brute_force_and_no_other(notebook, n, data):
    names = data.draw(st.sets(st.sampled_from(FIGURES), min_size=2))
    figures = {name: data.draw(st.sampled_from(["0", "33.3", "50", "66.67", "75.0", "80", "100"])) for name in names}
    positives = data.draw(st.none() | st.integers(1, n))
    allowed = range(1, n + 1) if positives is None else [positives]
    found = notebook.tables(figures, [n], None if positives is None else [positives])
    assert {(t.positives, t.tp, t.fp) for t in found} == brute_force(figures, n, allowed)
    assert len(found) == len({(t.positives, t.tp, t.fp) for t in found})


small = st.tuples(*[st.integers(0, 4)] * 4).filter(lambda cell: cell[0] + cell[1] and cell[0] + cell[2])
true_figures = small.map(
    lambda cell: {name: python_prints(*cell, 2)[name] for name in ("accuracy", "precision", "recall")}
)
any_figures = st.tuples(*[st.integers(0, 400)] * 3).map(
    lambda steps: dict(zip(("accuracy", "precision", "recall"), (f"{step / 4:.2f}" for step in steps)))
)


@given(true_figures | any_figures, st.integers(6, 11), st.data())
def test_a_row_is_infeasible_exactly_where_brute_force_finds_no_reading(one, figures, n, data):
    positives = data.draw(st.integers(1, n))
    complete = brute_force(figures, n, [positives])
    smaller = [(m, p) for m in range(1, n) for p in range(max(1, positives - n + m), min(positives, m) + 1)]
    smaller = [(m, p) for m, p in smaller if draw_probability(m, p, n, positives) >= Fraction(1, 20)]
    likely = not complete and any(brute_force(figures, m, [p]) for m, p in smaller)
    expected = "feasible, unique" if len(complete) == 1 else "feasible, several"
    if not complete:
        expected = "partial run" if likely else "infeasible"  # of so few items 1 % is none: never "smaller n"
    assert one(figures, n, positives).verdict == expected


FULL = python_prints(61, 14, 29, 296, 2)  # of 400 items, 90 of them positive
SWAPPED = dict(accuracy="89.25", precision="91.08", recall="95.48", specificity="67.78")


@pytest.mark.parametrize(
    "figures, n, positives, verdict, reading",
    [
        (FULL, 400, 90, "feasible, unique", ""),
        (FULL | {"f1": "70.01"}, 400, 90, "infeasible", ""),
        (python_prints(61, 14, 29, 293, 2), 400, 90, "smaller n", "fits 397 of the 400 items"),
        (python_prints(41, 9, 19, 192, 2), 400, 90, "partial run", "fits 261 of the 400 items"),  # a third is missing
        (dict(accuracy="66.66", recall="66.66"), 6, 3, "feasible, unique", "cut off"),  # 2/3 and 2/3, no rounding of them
        (dict(accuracy="84.75"), 400, None, "feasible, unique", ""),
        (dict(accuracy="84.77"), 400, None, "infeasible", ""),
        (dict(precision="81.33", recall="67.78", f1="73.94"), 400, None, "not checked", "needs accuracy"),
        (dict(accuracy="84.75", precision="81.33"), 400, None, "feasible, unique", "precision not used"),
        (dict(precision="60.0", specificity="90.0"), 100_000, 40_000, "not checked", "too many tables of 100000 items"),
        (SWAPPED, 400, 90, "infeasible", ""),
        (SWAPPED, 400, 310, "feasible, unique", ""),
    ],
)  # fmt: skip
def test_a_row_has_its_verdict_and_what_it_rests_on(one, figures, n, positives, verdict, reading):
    found = one(figures, n, positives)
    assert found.verdict == verdict and (reading in found.reading if reading else not found.reading)
    assert bool(found.solutions) is (verdict not in ("infeasible", "not checked"))


def test_sizes_with_too_many_tables_to_try_are_named(one, monkeypatch):
    monkeypatch.setattr(reconstruct, "MOST_TRIED", 10_000)
    found = one(dict(specificity="90.00", npv="77.77", kappa="12.34"), 100, 40)
    assert found.verdict == "infeasible" and "sizes up to 98 not searched" in found.reading


def test_a_range_of_n_keeps_every_size_that_fits(notebook, one):
    found = notebook.audit(Reported("a", 390, 410, 90, figures=FULL))
    assert notebook.span_of(one.n for one in found.solutions) == "400"
    found = notebook.audit(Reported("a", 90, 110, figures={"accuracy": "50.0"}))
    assert notebook.span_of(one.n for one in found.solutions) == "90 to 110"
    assert [(s.k, s.n) for s in one(dict(accuracy="84.75"), 400).solutions] == [(339, 400)]
