"""The notebook on HLE-Verified's labels, run once with params/quick.yaml; what it leaves in figures/."""

import json
from decimal import ROUND_HALF_UP, Decimal

import pandas as pd
from proctor.data.published import load_published

NAME = "hle_verified/2_defects"


def saved(done, name, **how):
    return pd.read_csv(done / f"figures/hle_verified/{name}.csv", **how)


def prints(k, n):
    return str((100 * Decimal(int(k)) / int(n)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_counts_of_figure_6_print_as_the_paper_does(done):
    printed = load_published("hle_verified/fig_6").set_index(["subject", "component"])
    checked = 0
    for row in saved(done, "fig_6_counts").itertuples():
        for part in row.counts.split("; "):
            where, counts = part.split(": ")
            component, label = where.split()
            for k in counts.split("/"):
                assert prints(k, row.public_items) == printed.loc[(row.subject, component), label]
                checked += 1
    assert checked >= 13


def test_smallest_counts_of_table_1_print_as_the_paper_does_and_no_smaller_ones_do(done):
    table = saved(done, "table_1", dtype=str)
    assert len(table) == 15
    for row in table.itertuples():
        k, n = map(int, row.smallest.split(" of "))
        assert prints(k, n) == row.percent
        assert not any(prints(i, m) == row.percent for m in range(1, n) for i in range(m + 1))


def test_the_title_of_figure_6_says_no_more_than_its_limits(done):
    limits = saved(done, "fig_6_limits", keep_default_na=False).query("component == 'rationale'")
    sure = limits[2 * limits["least"] > limits["items"]].groupby("label")["subject"].agg(set)
    assert sure["invalid"] == {"Math", "Biology/Medicine", "Chemistry"}
    assert sure["uncertain"] == {"Physics", "Engineering", "Humanities/Social Science", "Other"}
    title = json.loads((done / "figures/hle_verified/fig_6.json").read_text())["claim"]
    assert "elsewhere" not in title and "Chemistry" in title
