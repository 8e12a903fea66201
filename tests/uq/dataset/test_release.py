"""Versions: what the first one takes, what the next replaces, what is refused, and each planted fault that a check finds."""

import json
import re
import shutil

import pandas as pd
import pyarrow.parquet as pq
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import release as module
from proctor.uq.dataset.pool import write_site
from proctor.uq.dataset.posts import COLUMNS, attributions, home
from proctor.uq.dataset.release import (
    PUBLIC,
    check_releases,
    checked_version,
    digest,
    next_changes,
    propose,
    read_proposal,
    read_releases,
    write_release,
)
from proctor.uq.dataset.review_queue import KEY, READ, UNREAD, load_quotas, read_reviews, without_place


def keys(table: pd.DataFrame) -> set[tuple[str, int]]:
    return set(zip(table["site"], table["question_id"]))


@pytest.fixture(scope="module")
def made(two_versions):
    """(versions, sheet of version 1, kept questions, quotas)."""
    folder = two_versions.parent
    sheet, kept = read_reviews([folder / "review/review.csv"]), pd.read_parquet(folder / "kept/kept.parquet")
    return read_releases(two_versions), sheet, kept, load_quotas(folder / "quotas.yaml")


def test_the_first_version_takes_the_accepted_questions_that_have_a_place(made, two_versions):
    (one, _), read, kept, _ = made
    sheet = pd.read_csv(two_versions.parent / "review/review.csv")
    accepted = sheet[sheet["decision"] == "accept"].sort_values("place")
    expected = keys(accepted[accepted["way"] == UNREAD]) | keys(
        accepted[accepted["way"] == READ].groupby("site").head(4)
    )
    assert set(one.keys) == expected and len(one.keys) == 12
    assert keys(one.diamond) == expected & keys(sheet[sheet["diamond"] == "yes"]) != set()
    left = keys(accepted) - expected  # without a place: counted in both pages, with the setting to change
    assert left and without_place(read, one.keys).startswith(f"Accepted without a place: {len(left)} (")
    assert without_place(read, keys(accepted)) == ""
    for page in ("CHANGELOG.md", "DATASHEET.md"):
        text = (two_versions / "1" / page).read_text()
        assert f"Accepted without a place: {len(left)}" in text and "quotas.yaml" in text
    source = {(row.site, row.question_id): row for row in kept.itertuples()}
    for row in one.questions:
        asked = source[row["site"], row["question_id"]]
        assert list(row) == "question_id title body tags category site link comments score views".split()
        assert [row[name] for name in ("title", "score", "views")] == [asked.title, asked.score, asked.views]
        assert row["tags"] == list(asked.tags) and (row["comments"] == []) == (asked.comments == 0)
        assert row["body"].split() == re.sub("</?p>", "", asked.body).split()
    assert pq.read_table(two_versions / "1/questions.parquet").to_pylist() == one.questions
    assert pq.read_schema(two_versions / "1/questions.parquet").equals(PUBLIC)


def test_the_next_version_replaces_each_solved_question_by_a_new_one_of_its_site(made, two_versions):
    one, two = made[0]
    gone, came = set(one.keys) - set(two.keys), set(two.keys) - set(one.keys)
    assert len(gone) == len(came) == 3 and sorted(site for site, _ in gone) == sorted(site for site, _ in came)
    stayed = {key: row for key, row in zip(two.keys, two.questions) if key in set(one.keys)}
    assert stayed == {key: row for key, row in zip(one.keys, one.questions) if key in stayed}
    assert two.dev == one.dev and len(one.dev) == 5 and all(row["answer"] and row["answer_licence"] for row in one.dev)
    text = (two_versions / "2/CHANGELOG.md").read_text()  # it names every change of every version
    assert text.count("# Changelog\n") == 1 and text.index("## 2 (2026-01-01)") < text.index("## 1 (2025-01-01)")
    told = re.findall(r"^- (\S+) (\d+): .+$", text, re.MULTILINE)
    changes = pd.concat([one.changes, two.changes])
    assert sorted((site, int(number)) for site, number in told) == sorted(zip(changes["site"], changes["question_id"]))
    assert "12 questions: 3 added, 3 removed." in text and "12 questions: 12 added, 0 removed." in text
    assert text.count("solved (accepted answer; B)") == 3
    text = (two_versions / "2/DATASHEET.md").read_text()  # it gives the counts of the files
    for site, count in pd.Series([row["site"] for row in two.questions]).value_counts().items():
        assert f"| Science | {site} | {count} |" in text
    for name, count in two.attribution["licence"].value_counts().items():
        assert f"[{name}](https://creativecommons.org/licenses/by-sa/{name.split()[-1]}/) ({count})" in text
    assert "the one before is 1." in text and f"{len(two.diamond)} of them are the diamond subset" in text


def solved_of(version, count: int = 99) -> pd.DataFrame:
    return pd.DataFrame([dict(zip(KEY, key), status="answered", expert="E") for key in version.keys[:count]])


def test_no_question_comes_back_and_one_without_a_successor_is_not_replaced(made):
    versions, sheet, _, _ = made
    found = next_changes(sheet[sheet["place"] <= 9], solved_of(versions[-1]), versions, early=False)
    added, held = keys(found[found["change"] == "added"]), {key for version in versions for key in version.keys}
    assert not held & added and 0 < len(added) < 12 == (found["change"] == "removed").sum()


def test_a_version_that_is_not_due_is_refused_unless_early(made):
    versions, sheet, _, _ = made
    solved = solved_of(versions[-1], 2)
    with pytest.raises(DataError, match=r"2 of 12 questions are solved \(16.7 %\), a next version is due at 20 %"):
        next_changes(sheet, solved, versions, early=False)
    assert len(next_changes(sheet, solved, versions, early=True)) == 4
    with pytest.raises(DataError, match="no question is marked as solved"):
        next_changes(sheet, solved[:0], versions, early=True)


def test_a_version_is_there_whole_or_not_at_all_and_the_same_input_gives_the_same_bytes(made, tmp_path, monkeypatch):
    versions, sheet, kept, quotas = made

    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    for holder, name in ((module.pq, "write_table"), (module.os, "rename")):
        with monkeypatch.context() as full, pytest.raises(DataError, match="No space left on device"):
            full.setattr(holder, name, fails)
            write_release(tmp_path, "1", kept, sheet, versions[0].changes, quotas)
        assert not list(tmp_path.iterdir())
    for name in "ab":
        mixed = kept.sample(frac=1, random_state=ord(name))
        write_release(tmp_path / name, "1", mixed, sheet, versions[0].changes, quotas)
    one, other = (json.loads((tmp_path / name / "1/release.json").read_text()) for name in "ab")
    assert one == other


def test_what_does_not_fit_is_refused(made, two_versions, tmp_path):
    versions, sheet, kept, quotas = made
    own = dict(answer_id=1, answer="<p>so</p>", answered=kept["created"])
    dev = kept.assign(**own, answer_owner_id=1.0, answer_owner_name="B", answer_licence=None)
    for folder, version, questions, held_out, told in (
        (tmp_path, "1", kept[:3], None, "reviewed, but not among the kept"),
        (tmp_path, "1", pd.concat([kept, kept]), None, "is there twice"),
        (tmp_path, "1", kept, dev, "is in the dev set too"),
        (two_versions, "2", kept, None, "Give a later one"),
        (two_versions, "1.9", kept, None, "Give a later one"),
        (two_versions, "two", kept, None, "not a version"),
    ):
        with pytest.raises(DataError, match=told):
            write_release(folder, version, questions, sheet, versions[0].changes, quotas, held_out)
    for bad in ("", "v1", "1.", "../1", "1.2.3.4.5", "1\n"):
        with pytest.raises(DataError):
            checked_version(bad)


def test_authors_keep_their_names_from_version_to_version(made, tmp_path):
    """Names that a table's reader would take for numbers, for nothing, or for a formula."""
    versions, sheet, kept, quotas = made
    names = ["007", "NA", "1e3", "", "None", "=HYPERLINK(A1)", "@ada", "'tis", "-1+1"]
    kept = kept.assign(owner_name=[names[n % 9] for n in kept["question_id"]], owner_id=5)
    write_release(tmp_path, "1", kept, sheet, versions[0].changes, quotas)
    changes = next_changes(sheet, solved_of(versions[0], 1), read_releases(tmp_path), early=True)
    write_release(tmp_path, "2", kept, sheet, changes, quotas)
    for release in read_releases(tmp_path):
        expected = [names[n % 9] or "user 5" for n in release.attribution["question_id"]]
        assert list(release.attribution["author"]) == expected
        assert not re.search(r"[,\n][=@]", (tmp_path / release.version / "attribution.csv").read_text())
    assert check_releases(tmp_path) == []


def test_an_author_is_named_as_far_as_the_source_knows_him():
    """And a licence changes at midnight of the days that the paper gives, unless the source says a later one."""
    moments = ["2011-04-07T23:59:59.999", "2011-04-08", "2018-05-01T23:59:59.999", "2018-05-02", "2015-01-01"]
    days = pd.to_datetime(moments, format="ISO8601")
    asked = pd.DataFrame(dict(site="cs", question_id=range(5), owner_id=[7.0, 8.0, None, 9.0, 9.0], created=days))
    asked = asked.assign(owner_name=["Ada", None, None, "", "Bo"], licence=[None] * 4 + ["CC BY-SA 4.0"])
    found = attributions(asked)
    assert tuple(found.columns) == COLUMNS
    assert list(found["author"]) == ["Ada", "user 8", "unknown", "user 9", "Bo"]
    assert [name[-3:] for name in found["licence"]] == ["2.5", "3.0", "3.0", "4.0", "4.0"]
    assert list(found["author_link"][:3]) == [home("cs") + "/users/7", home("cs") + "/users/8", ""]


# planted faults


@pytest.fixture
def damaged(two_versions, tmp_path):
    """A copy of two sound versions, to be damaged."""
    shutil.copytree(two_versions, tmp_path / "releases")
    return tmp_path / "releases"


def edit(path, change):
    """Change the rows of a .csv or .jsonl and put the digests right, so that only what the files say is wrong."""
    if path.suffix == ".csv":
        change(pd.read_csv(path, keep_default_na=False)).to_csv(path, index=False)
    else:
        rows = change([json.loads(line) for line in path.read_text().splitlines()])
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    manifest = json.loads((path.parent / "release.json").read_text())
    manifest["files"] = {name: digest(path.parent / name) for name in manifest["files"]}
    (path.parent / "release.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "name, change, told",
    [
        ("2/questions.jsonl", lambda rows: rows[1:], "2/questions.jsonl: question .* is lost"),
        ("2/questions.jsonl", lambda rows: [*rows, rows[0]], "stands there more than once"),
        (
            "2/questions.jsonl",
            lambda rows: [rows[0] | {"question_id": 999}, *rows[1:]],
            "999 of .* came with no change",
        ),
        (
            "2/attribution.csv",
            lambda table: table[1:],
            "attribution.csv: .* is in one of this and questions.jsonl alone",
        ),
        ("2/attribution.csv", lambda table: table.assign(licence="MIT"), "under another licence"),
        (
            "2/attribution.csv",
            lambda table: table.assign(posted="2020-01-01", licence="CC BY-SA 3.0"),
            "another licence",
        ),
        ("2/attribution.csv", lambda table: table.assign(posted="soon"), "under another licence"),
        ("1/diamond.csv", lambda table: table[1:], r"diamond is said to be \d+, and is \d+"),
        ("2/changes.csv", lambda table: table[table["change"] == "added"], "is lost"),
        ("2/changes.csv", lambda table: table[table["change"] == "removed"], "came with no change"),
        ("2/changes.csv", lambda table: table.assign(change="added"), "is lost"),
    ],
)
def test_a_planted_fault_is_found(damaged, name, change, told):
    edit(damaged / name, change)
    assert [problem for problem in check_releases(damaged) if re.search(told, problem)]


def test_a_question_of_the_dev_set_is_not_released_and_one_that_went_never_comes_back(damaged):
    """Version 3 adds what version 2 removed."""
    questions = [json.loads(line) for line in (damaged / "1/questions.jsonl").read_text().splitlines()]
    edit(damaged / "1/dev.jsonl", lambda rows: [questions[0] | {"answer": "so"}])
    shutil.copytree(damaged / "2", damaged / "3")
    removed = pd.read_csv(damaged / "2/changes.csv").query("change == 'removed'").iloc[0]
    edit(damaged / "3/changes.csv", lambda table: pd.DataFrame([removed]).assign(change="added"))
    found = "\n".join(check_releases(damaged))
    assert (
        re.search("dev.jsonl: question .* is in questions.jsonl too", found)
        and "was in an earlier version already" in found
    )


def test_a_changed_byte_a_missing_file_and_a_wrong_predecessor_are_found(damaged):
    (damaged / "1/DATASHEET.md").write_text("mine")
    (damaged / "2/CHANGELOG.md").unlink()
    manifest = json.loads((damaged / "2/release.json").read_text())
    (damaged / "2/release.json").write_text(json.dumps(manifest | {"previous": "0.9", "diamond": 77}))
    (damaged / "2/questions.parquet").write_bytes(b"no")
    found = "\n".join(check_releases(damaged))
    for told in ("1/DATASHEET.md: not the file", "2/CHANGELOG.md: not the file", "said to be 0.9",
                 "2/release.json: diamond is said to be 77, and is ", "parquet: not the file"):  # fmt: skip
        assert told in found
    for name in ("release.json", "questions.jsonl", "attribution.csv"):  # what can't be read is a problem, no crash
        (damaged / "2" / name).write_text("{")
        assert str(damaged / "2") in check_releases(damaged)[-1]


# a later crawl

DAY = "2015-01-01T00:00:00"
STATUS = {1: "open", 2: "answered", 3: "accepted answer", 4: "closed", 5: "not in the crawl", 6: "accepted answer"}
RELEASED = {("math", number) for number in STATUS} | {("cs", 1)}


@pytest.fixture(scope="module")
def proposal(tmp_path_factory):
    """The proposal for seven released questions, of which a later crawl shows five."""
    folder = tmp_path_factory.mktemp("crawl")

    def row(number, answers=0, **more):
        told = dict(PostTypeId="1", Title="What?", Body="<p>b</p>", Tags="|a|", Score="5", CreationDate=DAY)
        return number, told | more | dict(Id=str(number), AnswerCount=str(answers))

    accepted, other = (dict(AcceptedAnswerId=number) for number in "87")
    rows = [row(1), row(2, 1), row(3, 2, **accepted), row(4, ClosedDate=DAY), row(6, 1, **other), row(70)]
    write_site(folder / "pool", "math", [rows])
    table = pd.DataFrame(sorted(RELEASED), columns=["site", "question_id"]).assign(title="What?", link="L")
    return propose(table, folder / "pool")


def test_a_later_crawl_gives_each_question_its_status(proposal):
    assert keys(proposal) == RELEASED and len(proposal) == len(RELEASED)
    math = proposal[proposal["site"] == "math"]
    assert dict(zip(math["question_id"], math["status"])) == STATUS
    assert proposal.set_index("site").loc["cs", "status"] == "site not crawled"
    assert proposal.groupby("proposal")["status"].agg(set).to_dict() == {
        "replace": {"accepted answer"},
        "check": {"answered", "closed", "not in the crawl"},
        "keep": {"open", "site not crawled"},
    }


def test_only_what_an_expert_signed_counts_as_solved(proposal, tmp_path):
    path = tmp_path / "p.csv"
    proposal.assign(solved=["yes", "no", "", "yes", "", "", ""], expert="E").to_csv(path, index=False)
    found = read_proposal(path, RELEASED)
    assert list(found["question_id"]) == list(proposal["question_id"].iloc[[0, 3]]) and set(found["expert"]) == {"E"}
    proposal.to_csv(path, index=False)
    assert read_proposal(path, RELEASED).empty


@pytest.mark.parametrize(
    "columns, told",
    [
        (dict(solved="yes"), "row 2, column expert: solved, but checked by no one"),
        (dict(solved="perhaps"), "row 2, column solved: 'perhaps'"),
        (dict(question_id=3), "row 3, column question_id: 'math 3' is the question of row 2 too"),
        (dict(question_id=99), "row 2, column question_id: math 99 is not in the release"),
        (dict(question_id="x"), "row 2, column question_id: math x is not in the release"),
        (dict(status=None), "column status: not there"),
    ],
)
def test_a_mistake_in_the_experts_file_is_told_with_its_row(proposal, tmp_path, columns, told):
    table = proposal.assign(site="math", **columns).dropna(axis="columns")
    table.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(DataError, match=told):
        read_proposal(tmp_path / "p.csv", RELEASED)
    with pytest.raises(DataError, match="no questions there"):
        propose(table, tmp_path)
