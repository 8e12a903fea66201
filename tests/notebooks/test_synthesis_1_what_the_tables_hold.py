"""The notebook that turns printed figures back into counts, run once with params/quick.yaml, against searches of its
own."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext

import pytest

NAME = "synthesis/1_what_the_tables_hold"
RULES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
FIGURES = ["accuracy", "precision", "recall"]


def shown(k, m, rule):
    """100 k / m with two decimals, as Decimal prints it."""
    with localcontext(prec=60):  # far beyond any tie, so the quotient's own rounding decides nothing
        return str((Decimal(100 * k) / m).quantize(Decimal("0.01"), RULES[rule]))


def row_of(n, positives, tp, fp, rule):
    right = n - fp - (positives - tp)
    return [shown(right, n, rule), shown(tp, tp + fp, rule), shown(tp, positives, rule)]


@pytest.fixture(scope="module")
def solutions(read):
    return read("table_S10_solutions", dtype={name: str for name in FIGURES})


def test_each_solution_prints_back_its_row(solutions):
    found = solutions.dropna(subset="n")
    assert len(found) == 25 + 8 + 2 * 6
    for s in found.itertuples():
        counts = [int(s.n), int(s.positives), int(s.tp), int(s.fp)]
        rules = [rule for rule in RULES if row_of(*counts, rule) == [s.accuracy, s.precision, s.recall]]
        assert rules == (list(RULES) if s.rounding == "any" else s.rounding.split(", "))
    taken = found[found["taken"].astype(bool)]
    assert taken["row"].is_unique and len(taken) == 35
    assert set(taken.loc[taken["reading"] == "unique at n", ["n", "positives"]].itertuples(index=False, name=None)) == {
        (500, 65)
    }


def test_the_nearest_misprint_is_the_nearest_of_all_tables_that_print_the_two_other_figures(read):
    printed = {}  # what a table prints as accuracy, precision and recall
    for tp in range(66):
        for fp in range(436):
            if tp + fp:
                printed.setdefault((shown(435 - fp + tp, 500, "half_up"), shown(tp, tp + fp, "half_up")), set()).add(tp)
    tables = [(*key, shown(tp, 65, "half_up")) for key, found in printed.items() for tp in found]
    for row in read("table_S10_hypotheses").itertuples():
        own = row.row.split(" / ")
        near = [(abs(Decimal(table[i]) - Decimal(own[i])), f"{FIGURES[i]} {table[i]}")
                for table in tables for i in range(3)
                if table[i] != own[i] and all(table[j] == own[j] for j in range(3) if j != i)]  # fmt: skip
        if near:
            assert (Decimal(f"{row.points:.2f}"), row.misprint) == min(near)
        else:
            assert row.misprint != row.misprint  # NaN
