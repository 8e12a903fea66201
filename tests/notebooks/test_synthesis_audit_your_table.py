"""The audit notebook on tables that are not ours: diagnostic tests built from counts here, and one that lacks most."""

import json

import pandas as pd
import pytest
from proctor import paths
from proctor.stats.proportions import clopper_pearson, wilson
from scipy.stats import binomtest

NAME = "synthesis/audit_your_table"
HEALTHY, ILL = 480, 120
COUNTS = {"antigen": (84, 6), "antibody": (66, 31), "chest X-ray": (97, 118)}  # true and false positives


@pytest.fixture(scope="module")
def table():
    """Three tests with their sensitivity and specificity, an impossible row, two accuracies alone; of other items a row
    that three tables fit and one of which most items are positive; an accuracy of five answers an item."""
    lines = ["name,accuracy,precision,recall,specificity,n,positives,samples"]
    for name, (tp, fp) in COUNTS.items():
        right = tp + HEALTHY - fp
        lines.append(
            f"{name},{100 * right / 600:.1f},{100 * tp / (tp + fp):.1f},{100 * tp / ILL:.1f},"
            f"{100 * (HEALTHY - fp) / HEALTHY:.1f},,,"
        )
    # who finds 48 of 120 misses 72, and an accuracy of 95.0 % leaves 30 errors
    lines += ["miracle,95.0,,40.0,99.5,,,", "nurse,88.5,,,,,,", "model,61.0,,,,,,"]
    lines += ["whole percent,85,64,78,,400,90,", "mostly ill,89.25,91.08,95.48,,400,310,", "five answers,70.00,,,,,,5"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def done(quick_run, table):
    options = ("-p", "path", "{}/tests.csv", "-p", "n", "600", "-p", "positives", str(ILL))
    return quick_run(NAME, *options, label="tests", files={"tests.csv": table})


def test_verdicts_are_those_of_the_counts_that_the_table_was_built_from(read):
    table = read("audit_feasibility").set_index("name")
    for name, (tp, fp) in COUNTS.items():
        assert table.loc[name, "verdict"] == "feasible, unique"
        assert table.loc[name, ["tp", "fp"]].astype(int).tolist() == [tp, fp]
    assert table.loc["miracle", "verdict"] == "infeasible" and table.loc["miracle", "solutions"] == 0
    assert table.loc[["nurse", "model"], "right"].astype(int).tolist() == [531, 366]


def test_only_feasible_rows_have_intervals_and_a_trivial_answer(read):
    measured, trivial = read("audit_measures"), read("audit_baselines")
    assert set(trivial["name"]) == {*COUNTS, "nurse", "model", "whole percent", "mostly ill"}
    assert set(measured["name"]) == {*trivial["name"], "five answers"}
    assert set(measured[measured["name"] == "nurse"]["measure"]) == {"accuracy"}
    rows = trivial.set_index("name")
    assert (rows["trivial"] == "reject all").sum() == 6 and rows.loc["mostly ill", "trivial"] == "accept all"
    assert rows.loc["antigen", "trivial_accuracy"] == HEALTHY / 600 and rows.loc["chest X-ray", "gain"] < 0
    for name, only_row, only_trivial, items in (("antigen", 84, 6, 600), ("mostly ill", 61, 14, 400)):
        assert rows.loc[name, "gain"] == pytest.approx(100 * (only_row - only_trivial) / items)
        p = binomtest(only_row, only_row + only_trivial).pvalue
        assert rows.loc[name, "p_min"] == rows.loc[name, "p_max"] == pytest.approx(p)


def test_an_interval_is_the_widest_over_the_tables_that_fit_and_counts_items_not_answers(read):
    measured = read("audit_measures").set_index(["name", "measure"])
    recall = measured.loc[("whole percent", "recall")]
    assert recall[["estimate", "estimate_max"]].tolist() == pytest.approx([70 / 90, 71 / 90])
    assert recall["exact_low"] == pytest.approx(clopper_pearson(70, 90)[0])
    assert recall["exact_high"] == pytest.approx(clopper_pearson(71, 90)[1])
    answers = measured.loc[("five answers", "accuracy")]
    assert answers[["low", "high"]].tolist() == pytest.approx(wilson(420, 600))


def test_every_pair_of_feasible_rows_on_the_same_items_is_compared(read):
    pairs = read("audit_comparisons")
    assert len(pairs) == 10 and "miracle" not in {*pairs["a"], *pairs["b"]}


def test_the_claim_counts_the_rows_that_cannot_be_true(done, claims_made):
    claim = claims_made["synthesis/audit_feasible"]
    assert claim.verdict == "does not hold" and claim.title == "1 of 9 rows cannot be true as printed"
    assert claim.title in (done / "figures/synthesis/audit_intervals.svg").read_text()


def test_sections_without_figures_say_so_in_a_line_and_go_on(quick_run):
    poor = {"poor.csv": "name,accuracy,precision\nA,84.77,\nB,,60.00\n"}
    done = quick_run(NAME, "-p", "path", "{}/poor.csv", "-p", "n", "400", label="poor", files=poor, profile=())
    text = (done / "out.ipynb").read_text()
    for line in ("no counts to put intervals on", "the trivial answer is not known", "there is nothing to compare"):
        assert f"{line}.\\n" in text  # printed, not only part of the code
    assert (done / "figures/synthesis/audit_intervals.svg").is_file()
    assert pd.read_csv(done / "figures/synthesis/audit_comparisons.csv").empty


def test_the_table_that_ships_is_marked_as_made_up(quick_run):
    done = quick_run(NAME)
    table = pd.read_csv(done / "figures/synthesis/audit_feasibility.csv")
    assert table["name"].str.startswith("made-up: ").all()
    pairs = pd.read_csv(done / "figures/synthesis/audit_comparisons.csv")["verdict"]
    box = "".join(json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())["cells"][0]["source"])
    assert f"{(pairs == 'differs whatever the pairing').sum()} of {len(pairs)} pairs" in box and "2 of 8 rows" in box
    assert "made up" in json.loads((done / "figures/synthesis/audit_feasibility.json").read_text())["note"]
