import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.files import harmless
from proctor.report import tables
from proctor.report.provenance import describe
from proctor.report.tables import escape_tex, save_table
from proctor.stats import power

RECORD = describe("hle/t", evidence="measured")
SPECIAL = st.text(st.sampled_from("&%_#${}~^\\<>|[]*ab1 -"), max_size=30)
TEX_TOKEN = re.compile(r"\\text[a-z]+\{\}|\\[&%_#${}]|[^&%_#${}~^\\<>|]")


@pytest.fixture
def out(own_figures):
    return own_figures / "hle"


@pytest.fixture
def frame():
    return pd.DataFrame(
        {"model": ["a_1", "b|c"], "n": [10, 3], "accuracy": [1 / 3, 0.5], "low": [0.1, 0.25], "high": [0.6, 0.75]}
    )


@given(SPECIAL)
def test_tex_holds_no_bare_special_and_says_the_text(text):
    tokens = TEX_TOKEN.findall(escape_tex(text))
    assert "".join(tokens) == escape_tex(text)
    back = {written: letter for letter, written in tables._TEX.items()}
    assert "".join(back.get(token, token) for token in tokens) == " ".join(text.split())


@given(SPECIAL, SPECIAL, SPECIAL)
def test_a_table_comes_back_from_its_markdown(one, other, caption):
    texts = [" ".join(text.split()) for text in (one, other, caption)]
    text = tables.to_markdown(pd.DataFrame([[one, other]], columns=["x", "y"]), ["y"], texts[2], "measured · hle/t")
    shown, *rest = tables.read_markdown(text)
    assert shown.to_numpy().tolist() == [texts[:2]] and rest == [["y"], texts[2], "measured · hle/t"]


def test_markdown_merges_an_interval_and_labels_the_evidence(out, frame):
    save_table(
        frame,
        describe("hle/t", evidence=("measured", "published")),
        caption="Some caption",
        intervals={"accuracy": ("low", "high")},
        formats={"accuracy": ".1%", "n": lambda n: f"n={n}"},
    )
    assert (out / "t.md").read_text() == (
        "Some caption\n\n"
        "| model | n | accuracy |\n|---|---:|---:|\n"
        "| a\\_1 | n=10 | 33.3% [10.0, 60.0] |\n| b\\|c | n=3 | 50.0% [25.0, 75.0] |\n\n"
        "*published + measured · hle/t*\n"
    )


@pytest.mark.parametrize(
    "change, formats, found",
    [
        ({}, {}, {"accuracy": ("low", "high")}),
        ({"n_low": [9, 2], "n_high": [11, 3]}, {}, {"n": ("n_low", "n_high"), "accuracy": ("low", "high")}),
        ({"low": [0.4, 0.25]}, {}, {}),  # limits of another column
        ({}, {"accuracy": ".3g"}, {}),
        ({"high": ["a", "b"]}, {}, {}),
    ],
)
def test_an_estimate_and_its_limits_are_joined_by_their_names(frame, change, formats, found):
    assert tables.intervals_in(frame.assign(**change), formats) == found


def test_limits_that_rounding_puts_below_their_estimate_are_joined_all_the_same(out):
    rates = dict(share=[100.0, -0.01, np.nan], share_low=[75.0, -1.0, 2.0], share_high=[99.99999999999999, 1.0, 3.0])
    shown = save_table(pd.DataFrame(rates), describe("hle/t", evidence="published"), formats={"share": ".0f"})
    assert shown["share"].tolist() == ["100 [75, 100]", "0 [-1, 1]", ""]


def test_the_command_writes_a_booktabs_table_of_the_saved_one(out, frame, monkeypatch):
    monkeypatch.setattr(tables.paths, "BUILD", out)
    frame = frame.assign(model=["[a_1", "b|c"])  # after a line break TeX takes [ for its own argument
    save_table(
        frame, describe("hle/t", evidence="published"), caption="50 % & more", intervals={"accuracy": ("low", "high")}
    )
    assert tables.main(["hle/t"]) == 0
    tex = (out / "tex/hle/t.tex").read_text()
    assert r"\caption{50 \% \& more}" in tex and r"\label{tab:hle/t}" in tex
    assert "\\begin{tabular}{lrr}\n\\toprule\nmodel & n & accuracy \\\\\n\\midrule\n" in tex
    assert "{}[a\\_1 & 10 & 0.33 [0.10, 0.60] \\\\\nb\\textbar{}c & 3" in tex and "published · hle/t}" in tex


@pytest.mark.parametrize(
    "change, arguments, message",
    [
        (lambda df: df, {"formats": {"acuracy": ".2f"}}, "no column acuracy"),
        (lambda df: df, {"intervals": {"accuracy": ("low", "up")}}, "no column up"),
        (lambda df: df, {"intervals": {"accuracy": ("low", "high")}, "formats": {"accuracy": ".3g"}}, "must be like"),
        (lambda df: df.set_axis(["x", "y"]), {}, "name the index"),
        (lambda df: df.set_axis([*"abcd", "a"], axis=1), {}, "distinct"),
        (lambda df: df.assign(canary="BENCHMARK"), {}, "canary"),
    ],
)
def test_bad_tables_are_told_and_write_nothing(out, frame, change, arguments, message):
    with pytest.raises(ValueError, match=message):
        save_table(change(frame), RECORD, **arguments)
    assert not out.exists()


def test_long_tables_are_whole_in_the_csv_alone(out):
    long = pd.DataFrame({"n": range(tables.ROWS + 5)})
    save_table(long, RECORD, caption="Many")
    assert len(pd.read_csv(out / "t.csv")) == tables.ROWS + 5
    text = (out / "t.md").read_text()
    assert text.count("\n|") == tables.ROWS + 2 and "the first 500 of 505 rows" in text
    assert "… 475 more rows in t.csv" in tables.excerpt(text, "t", rows=len(long))


def test_a_dollar_in_a_saved_table_begins_no_formula():
    text = "Costs in $ a call\n\n| $x |\n|---|\n| 5 $ |\n\n*measured · uq/costs*\n"
    shown = tables.excerpt(text, "figures/uq/costs")
    assert "$" not in shown and shown.count("<span>&#36;</span>") == text.count("$")


COMPUTED = ["=1+1", "=A1", "=HYPERLINK(1)", "+1+1", "-2+3+cmd|' /C calc'!A0", "-1 a|b", "-5 A1", "@SUM(A1)", "-x",
            "\t=1", "\r=1", "= x"]  # fmt: skip
KEPT = ["-1.5", "+.5", "-5%", "-1,234.5", "-1e-5", "-inf", "= 50", "-", "=", "-inf to 48",
        "-20 points [-40, +2], n = 27 (3)", "17", "a=b", "text", "", -1.5, -2, None]  # fmt: skip


def test_text_that_a_spreadsheet_would_compute_gets_an_apostrophe(out):
    save_table(pd.DataFrame({"said": COMPUTED, "=A1": 1}), RECORD)
    read = pd.read_csv(out / "t.csv", lineterminator="\n")
    assert list(read.columns) == ["said", "'=A1"] and all(cell[0] == "'" for cell in read["said"])
    assert all(harmless(cell) is cell for cell in KEPT)


def test_numbers_of_units_that_no_study_has_are_in_words(out):
    assert tables.MOST == power.MOST
    table = pd.DataFrame({"effect": list("abcd"), "needed": [12.0, 1.7e34, np.inf, np.nan]})
    shown = save_table(table, RECORD, formats={"needed": ".0f"})
    assert shown["needed"].tolist() == ["12", "more than 10,000", "more than 10,000", ""]
