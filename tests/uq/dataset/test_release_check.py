"""What a check of releases finds: each planted fault, and nothing in sound ones."""

import json
import shutil

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset.release import digest
from proctor.uq.dataset.release_check import check_releases


@pytest.fixture
def damaged(two_versions, tmp_path):
    """A copy of two sound versions, to be damaged."""
    shutil.copytree(two_versions, tmp_path / "releases")
    return tmp_path / "releases"


def sign(folder):
    """Put the files' digests right, so that only what they say is wrong."""
    path = folder / "release.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {name: digest(folder / name) for name in manifest["files"]}
    path.write_text(json.dumps(manifest))


def edit(path, change):
    """Change the rows of a .csv or .jsonl and sign the release anew."""
    if path.suffix == ".csv":
        change(pd.read_csv(path, keep_default_na=False)).to_csv(path, index=False)
    else:
        rows = change([json.loads(line) for line in path.read_text().splitlines()])
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sign(path.parent)


def test_sound_versions_have_no_problem(two_versions):
    assert check_releases(two_versions) == []


@pytest.mark.parametrize(
    "name, change, told",
    [
        ("2/questions.jsonl", lambda rows: rows[1:], "is lost: no change removes it|is added, but not there"),
        ("2/questions.jsonl", lambda rows: [*rows, rows[0]], "stands 2 times"),
        (
            "2/questions.jsonl",
            lambda rows: [{**rows[0], "question_id": 999}, *rows[1:]],
            "999 of .* came with no change",
        ),
        ("2/questions.jsonl", lambda rows: [rows[0] | {"body": "x"}, *rows[1:]], "not the rows of questions.jsonl"),
        ("2/questions.jsonl", lambda rows: [row | {"body": "x"} for row in rows], "was changed"),
        ("2/attribution.csv", lambda table: table[1:], "is not named once"),
        ("2/attribution.csv", lambda table: table.assign(licence="MIT"), "'MIT'"),
        ("2/attribution.csv", lambda table: table.assign(posted="2020-01-01", licence="CC BY-SA 3.0"), "2020-01-01"),
        ("2/attribution.csv", lambda table: table.assign(posted="soon"), "posted soon"),
        ("1/diamond.csv", lambda table: table.assign(question_id=999), "999 of .* is not in the release"),
        ("1/dev.jsonl", lambda rows: [*rows, rows[0]], "dev.jsonl: .* stands 2 times"),
        ("1/dev.jsonl", lambda rows: [rows[0] | {"answer": ""}], "has no answer"),
        ("2/changes.csv", lambda table: table[table["change"] == "added"], "is lost: no change removes it"),
        ("2/changes.csv", lambda table: table.assign(change="added"), "is added, but not there"),
        ("2/changes.csv", lambda table: pd.concat([table, table]), "changes.csv: .* stands 2 times"),
        ("2/changes.csv", lambda table: table.assign(change="moved"), "'moved' is no change"),
    ],
)
def test_a_planted_fault_is_found(damaged, name, change, told):
    edit(damaged / name, change)
    found = check_releases(damaged)
    assert any(pd.Series([problem]).str.contains(told)[0] for problem in found), found


def test_a_question_of_the_dev_set_may_not_be_released(damaged):
    row = json.loads((damaged / "1/questions.jsonl").read_text().splitlines()[0])
    edit(damaged / "1/dev.jsonl", lambda rows: [row | {"answer": "so"}])
    assert any("is a question of the release too" in told for told in check_releases(damaged))


def test_a_question_never_comes_back(damaged):
    """Version 3 adds what version 2 removed."""
    shutil.copytree(damaged / "2", damaged / "3")
    manifest = json.loads((damaged / "3/release.json").read_text())
    (damaged / "3/release.json").write_text(json.dumps(manifest | {"previous": "2"}))
    removed = pd.read_csv(damaged / "2/changes.csv").query("change == 'removed'").iloc[0]
    back = [json.loads(line) for line in (damaged / "1/questions.jsonl").read_text().splitlines()]
    [back] = [row for row in back if (row["site"], row["question_id"]) == (removed["site"], removed["question_id"])]
    edit(damaged / "3/questions.jsonl", lambda rows: [*rows, back])
    edit(damaged / "3/changes.csv", lambda table: pd.DataFrame([removed]).assign(change="added"))
    assert any("was in an earlier version already" in told for told in check_releases(damaged))


def test_a_changed_byte_a_missing_file_and_a_wrong_predecessor_are_found(damaged):
    (damaged / "1/DATASHEET.md").write_text("mine")
    (damaged / "2/CHANGELOG.md").unlink()
    manifest = json.loads((damaged / "2/release.json").read_text())
    (damaged / "2/release.json").write_text(json.dumps(manifest | {"previous": "0.9", "diamond": 77}))
    (damaged / "2/questions.parquet").write_bytes(b"no")
    found = "\n".join(check_releases(damaged))
    for told in (
        "1/DATASHEET.md: not the file",
        "2/release.json: diamond is said to be 77, and is ",
        "2/CHANGELOG.md: not the file",
        "said to be 0.9",
        "parquet: cannot be",
    ):
        assert told in found


@pytest.mark.parametrize("name", ["release.json", "questions.jsonl", "attribution.csv"])
def test_a_file_that_cannot_be_read_is_a_problem_not_a_crash(damaged, name):
    (damaged / "2" / name).write_text("{")
    [told] = check_releases(damaged)
    assert str(damaged / "2") in told


def test_a_folder_without_versions_is_bad_input(tmp_path):
    with pytest.raises(DataError, match="no release there"):
        check_releases(tmp_path)
