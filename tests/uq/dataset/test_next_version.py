"""A release against a later crawl: statuses, the 20 % rule, the experts' file."""

from datetime import datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.tabular import DataError
from proctor.uq.dataset.next_version import is_due, propose, read_proposal
from proctor.uq.dataset.pool import writing

DAY = datetime(2015, 1, 1)
STATUS = {1: "open", 2: "answered", 3: "accepted answer", 4: "closed", 5: "not in the crawl", 6: "accepted answer"}


@pytest.fixture(scope="module")
def proposal(tmp_path_factory):
    """(path, table) of a proposal for seven released questions, of which a later crawl shows five."""
    folder = tmp_path_factory.mktemp("crawl")

    def row(number, answers=0, accepted=None, closed=None):
        return (number, "What?", "<p>b</p>", 0, ["a"], 5, 9, answers, 0, accepted, DAY, DAY, closed, 1, "Ada", None)

    with writing(folder / "pool", "math") as pool:
        pool.add("questions", [row(1), row(2, 1), row(3, 2, 8), row(4, 0, None, DAY), row(6, 1, 7, DAY), row(70)])
    released = [("math", number) for number in STATUS] + [("cs", 1)]
    table = pd.DataFrame(released, columns=["site", "question_id"]).assign(title="What?", link="L")
    found = propose(table, folder / "pool")
    found.to_csv(folder / "proposal.csv", index=False)
    return folder / "proposal.csv", found


def test_a_later_crawl_gives_each_question_its_status(proposal):
    found = proposal[1]
    assert len(found) == len(STATUS) + 1
    math = found[found["site"] == "math"]
    assert dict(zip(math["question_id"], math["status"])) == STATUS
    assert found.set_index("site").loc["cs", "status"] == "site not crawled"
    proposed = found.groupby("proposal")["status"].agg(set).to_dict()
    assert proposed == {
        "replace": {"accepted answer"},
        "check": {"answered", "closed", "not in the crawl"},
        "keep": {"open", "site not crawled"},
    }


@given(st.integers(0, 600), st.integers(0, 600))
def test_a_next_version_is_due_from_a_fifth_on(solved, questions):
    assert is_due(solved, questions) == (questions > 0 and solved / questions >= 0.2)


def test_only_what_an_expert_signed_counts_as_solved(proposal, tmp_path):
    _, table = proposal
    keys = set(zip(table["site"], table["question_id"]))
    path = tmp_path / "p.csv"
    answers = ["yes", "no", "", "yes", "", "", ""]
    table.assign(solved=answers, expert="E").to_csv(path, index=False)
    found = read_proposal(path, keys)
    assert list(found["question_id"]) == list(table["question_id"].iloc[[0, 3]]) and set(found["expert"]) == {"E"}
    assert read_proposal(proposal[0], keys).empty


@pytest.mark.parametrize(
    "columns, told",
    [
        (dict(solved="yes"), "row 2, column expert: solved, but checked by no one"),
        (dict(solved="perhaps"), "row 2, column solved: 'perhaps'"),
        (dict(question_id=3), "row 3, column question_id: 3 of math stands in an earlier row"),
        (dict(question_id=99), "row 2, column question_id: math 99 is not in the release"),
        (dict(question_id="x"), "row 2, column question_id: math x is not in the release"),
    ],
)
def test_a_mistake_in_the_experts_file_is_told_with_its_row(proposal, tmp_path, columns, told):
    path, table = tmp_path / "p.csv", proposal[1]
    table.assign(site="math", **columns).to_csv(path, index=False)
    with pytest.raises(DataError, match=told):
        read_proposal(path, {("math", number) for number in STATUS})


def test_another_file_is_refused(tmp_path):
    (tmp_path / "p.csv").write_text("site,question_id\nmath,1\n")
    with pytest.raises(DataError, match="column status: not there"):
        read_proposal(tmp_path / "p.csv", {("math", 1)})
    with pytest.raises(DataError, match="no questions there"):
        (tmp_path / "pool").mkdir()
        propose(
            pd.DataFrame([("math", 1, "t", "l")], columns=["site", "question_id", "title", "link"]), tmp_path / "pool"
        )
