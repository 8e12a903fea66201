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


@pytest.mark.parametrize("row", [1, 5, 9, 12, 17, 33, 36, 37, 42])  # of each kind, and the tie
def test_a_search_of_every_table_finds_the_same(solutions, row):
    """All n up to 500 and all positives, by plain loops over the counts that print the recall and the precision."""
    own = solutions[solutions["row"] == row]
    accuracy, precision, recall = own[FIGURES].iloc[0]
    units = [int(Decimal(text) * 100) for text in (accuracy, precision, recall)]

    def near(
        unit, count, total
    ):  # 10,000 * count / total, a unit either side: every rule's candidates, sorted out below
        return abs(10_000 * count - unit * total) <= total

    pairs = [(k, m) for m in range(1, 501) for k in range(m + 1)]
    accepted = {}  # true positives: the false positives that may come with them
    for tp, total in pairs:
        if near(units[1], tp, total):
            accepted.setdefault(tp, []).append(total - tp)
    found = set()
    for tp, positives in [pair for pair in pairs if near(units[2], *pair)]:
        for fp in accepted.get(tp, []):
            for n in range(positives + fp, 501):
                if near(units[0], n - fp - positives + tp, n):
                    if any(row_of(n, positives, tp, fp, rule) == [accuracy, precision, recall] for rule in RULES):
                        found.add((n, positives, tp, fp))
    assert found == set(
        own.dropna(subset="n")[["n", "positives", "tp", "fp"]].astype(int).itertuples(index=False, name=None)
    )


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
