"""The notebook on HLE-Verified's labels, run once with params/quick.yaml; what it leaves in figures/."""

import json
from decimal import ROUND_HALF_UP, Decimal

from proctor.data.published import load_published

NAME = "hle_verified/2_defects"


def prints(k, n):
    return str((100 * Decimal(int(k)) / int(n)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_counts_of_figure_6_print_as_the_paper_does(read):
    printed = load_published("hle_verified/fig_6").set_index(["subject", "component"])
    checked = 0
    for row in read("fig_6_counts").itertuples():
        for part in row.counts.split("; "):
            where, counts = part.split(": ")
            component, label = where.split()
            for k in counts.split("/"):
                assert prints(k, row.public_items) == printed.loc[(row.subject, component), label]
                checked += 1
    assert checked >= 13


def test_limits_of_figure_5_leave_room_for_all_items(read):
    limits = read("fig_5_counts")
    assert (limits["least"] <= limits["most"]).all() and (limits["least_not_gold"] <= limits["most_not_gold"]).all()
    total = limits.groupby("component")[["least", "most", "least_not_gold", "most_not_gold"]].sum()
    assert (total["least"] <= 2500).all() and (total["most"] >= 2500).all()
    assert (total["least_not_gold"] <= 1832).all() and (total["most_not_gold"] >= 1832).all()


def test_smallest_counts_of_table_1_print_as_the_paper_does_and_no_smaller_ones_do(read):
    table = read("table_1", dtype=str)
    assert len(table) == 15
    for row in table.itertuples():
        k, n = map(int, row.smallest.split(" of "))
        assert prints(k, n) == row.percent
        assert not any(prints(i, m) == row.percent for m in range(1, n) for i in range(m + 1))


def test_the_title_of_figure_6_says_no_more_than_its_limits(done, read):
    limits = read("fig_6_limits", keep_default_na=False).query("component == 'rationale'")
    sure = limits[2 * limits["least"] > limits["items"]].groupby("label")["subject"].agg(set)
    assert sure["invalid"] == {"Math", "Biology/Medicine", "Chemistry"}
    assert sure["uncertain"] == {"Physics", "Engineering", "Humanities/Social Science", "Other"}
    title = json.loads((done / "figures/hle_verified/fig_6.json").read_text())["claim"]
    assert "elsewhere" not in title and "Chemistry" in title


def test_limits_of_figure_6_leave_room_for_all_items_and_exact_percentages_one_or_two_counts(read):
    limits = read("fig_6_limits", keep_default_na=False)
    sums = limits.groupby(["subject", "component"]).agg({"least": "sum", "most": "sum", "items": "first"})
    assert (sums["least"] <= sums["items"]).all() and (sums["items"] <= sums["most"]).all() and len(limits) == 72
    exact = limits[limits["printed"] != ""]
    assert len(exact) == 13 and all(prints(row.least, row.items) == row.printed for row in exact.itertuples())
    assert ((exact["most"] - exact["least"]) <= 1).all()


def test_gold_items_come_off_the_valid_problems_and_answers(read):
    table = read("fig_5_counts").set_index(["component", "label"])
    for component in ("problem", "answer"):
        row = table.loc[(component, "valid")]
        assert row["least"] - row["least_not_gold"] == row["most"] - row["most_not_gold"] == 668
    assert table.loc[("rationale", "valid"), "least_not_gold"] == 0
