"""Pairs of claims: both sides judged by one sentence, faults told by row, and the table against the committed CSV files."""

import re

import pandas as pd
import pytest
from proctor import paths
from proctor.data.tabular import DataError
from proctor.report.claims import judge, read_claims
from proctor.synthesis import frontier

FILE = paths.ROOT / "data/frontier_questions.csv"


def claim(name, low, high, says="> 0", evidence="logged", **how):
    if low is None:
        return judge(name, "A sentence", notebook="a/1", evidence=evidence, holds=True, exact="counted", n=3, **how)
    return judge(name, "A sentence", notebook="a/1", evidence=evidence, estimate=(low + high) / 2,
                 interval=(low, high), says=says, n=9, of="items", unit="points", **how)  # fmt: skip


def pairs(*rows):
    return pd.DataFrame([dict.fromkeys(frontier.COLUMNS, "") | row for row in rows], columns=frontier.COLUMNS)


@pytest.mark.parametrize(
    "here, there, reading",
    [
        ((1, 2), (3, 4), "same answer"),
        ((-2, -1), (1, 2), "opposite answers"),
        ((-2, 1), (1, 2), "only the frontier decides"),
        ((1, 2), (-1, 2), "only the papers' side decides"),
        ((-1, 1), (-1, 2), "neither decides"),
    ],
)
def test_both_sides_are_judged_by_the_questions_own_sentence(here, there, reading):
    claims = [claim("a/here", *here, says="> 1000", evidence="measured"), claim("a/there", *there, says="< -1000")]
    row = frontier.answers(pairs(dict(here="a/here", frontier="a/there", says="> 0")), claims).iloc[0]
    assert row["reading"] == reading


def test_without_a_common_sentence_or_an_interval_each_side_keeps_its_verdict():
    claims = [claim("a/exact", None, None, evidence="published"), claim("a/there", 1, 2, says="< 0")]
    asked = [dict(here="a/exact", frontier="a/there", says=says) for says in ("", "> 0")]
    found = frontier.answers(pairs(*asked), claims)
    assert found["here_verdict"].tolist() == ["holds", "holds"]
    assert found["frontier_verdict"].tolist() == ["does not hold", "holds"]
    assert found.loc[0, "here_numbers"] == "counted"


def test_a_claim_that_is_nowhere_or_not_logged_is_told_by_row():
    claims = [claim("a/here", 1, 2, evidence="measured"), claim("a/there", 1, 2)]
    with pytest.raises(DataError, match=r"row 3, column frontier: no claim a/lost\. Run its notebook"):
        frontier.answers(pairs(dict(here="a/here", frontier="a/there"), dict(here="a/here", frontier="a/lost")), claims)
    with pytest.raises(DataError, match="a/here is measured"):
        frontier.answers(pairs(dict(here="a/there", frontier="a/here")), claims)


def test_narrower_counts_pairs_of_sampled_intervals_in_one_unit():
    claims = [
        claim("a/wide", 0, 9, evidence="measured"),
        claim("a/point", 5, 5, evidence="measured"),
        claim("a/slim", 1, 2),
    ]
    rows = [dict(here=name, frontier="a/slim", unit="points", says="> 0") for name in ("a/wide", "a/point")]
    table = frontier.answers(pairs(*rows, rows[0] | dict(unit="")), claims)
    assert frontier.narrower(table) == (1, 1)


def test_a_table_of_another_form_is_refused(tmp_path):
    file = tmp_path / "pairs.csv"
    text = FILE.read_text(encoding="utf-8")
    file.write_text(text.replace("paper,question", "question,paper", 1), encoding="utf-8")
    with pytest.raises(DataError, match="columns must be paper, question"):
        frontier.load_questions(file)
    file.write_text(text.replace("> 0", "above 0", 1), encoding="utf-8")
    with pytest.raises(DataError, match=r"row 2, column says"):
        frontier.load_questions(file)
    with pytest.raises(DataError, match="cannot be read"):
        frontier.load_questions(tmp_path / "absent.csv")


def test_the_committed_questions_are_answered_from_the_committed_claims():
    found = frontier.answers(frontier.load_questions(FILE), read_claims(paths.ROOT / "figures"))
    raw = pd.concat(pd.read_csv(path) for path in (paths.ROOT / "figures").glob("*/claims_*.csv")).set_index("id")
    for side in ("here", "frontier"):
        for end in ("estimate", "low", "high"):
            wanted = raw.loc[found[f"{side}_claim"], end].tolist()
            assert found[f"{side}_{end}"].tolist() == pytest.approx(wanted, nan_ok=True)
    for row in found[found["says"].str.startswith(">")].itertuples():
        bound = float(re.sub("[>= ]", "", row.says))
        assert (row.frontier_verdict == "holds") == (row.frontier_low >= bound)
    assert (found["frontier_evidence"] == "logged").all() and set(found["paper"]) == {
        "uq",
        "hle",
        "hle_verified",
        "kina",
    }
