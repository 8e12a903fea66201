"""Versions: what the first one takes, what the next replaces, what is refused, and that a folder is whole or not there."""

import json
import re
import shutil

import pandas as pd
import pyarrow.parquet as pq
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import release as module
from proctor.uq.dataset.release import PUBLIC, checked_version, next_changes, order, read_releases, write_release
from proctor.uq.dataset.release_check import check_releases
from proctor.uq.dataset.review_queue import KEY, READ, UNREAD, load_quotas, read_reviews, without_place


@pytest.fixture(scope="module")
def made(two_versions):
    """(versions, sheet of version 1, kept questions, quotas)."""
    folder = two_versions.parent
    sheet = read_reviews([folder / "review/review.csv"])
    return (
        read_releases(two_versions),
        sheet,
        pd.read_parquet(folder / "kept/kept.parquet"),
        load_quotas(folder / "quotas.yaml"),
    )


def test_the_first_version_takes_the_accepted_questions_that_have_a_place(made, two_versions):
    (one, _), _, kept, _ = made
    sheet = pd.read_csv(two_versions.parent / "review/review.csv")
    expected = set()
    for site, group in sheet[sheet["decision"] == "accept"].groupby("site"):
        expected |= {(site, n) for n in group.loc[group["way"] == UNREAD, "question_id"]}
        expected |= {(site, n) for n in group.loc[group["way"] == READ].sort_values("place")["question_id"][:4]}
    assert set(one.keys) == expected and len(one.keys) == 12
    diamond = sheet[(sheet["diamond"] == "yes")]
    assert set(zip(one.diamond["site"], one.diamond["question_id"])) == expected & set(
        zip(diamond["site"], diamond["question_id"])
    )
    assert len(one.diamond) > 0


def test_accepted_questions_without_a_place_are_counted_in_both_pages_with_the_setting_to_change(made, two_versions):
    (one, _), sheet, _, _ = made
    accepted = sheet[sheet["outcome"] == "accept"]
    left = [key for key in zip(accepted["site"], accepted["question_id"]) if key not in set(one.keys)]
    assert left and without_place(sheet, one.keys).startswith(f"Accepted without a place: {len(left)} (")
    for page in ("CHANGELOG.md", "DATASHEET.md"):
        text = (two_versions / one.version / page).read_text()
        assert f"Accepted without a place: {len(left)}" in text and "quotas.yaml" in text
    assert without_place(sheet, zip(accepted["site"], accepted["question_id"])) == ""


def test_its_rows_are_the_questions_in_the_public_columns(made, two_versions):
    (one, _), _, kept, _ = made
    source = {(row.site, row.question_id): row for row in kept.itertuples()}
    for row in one.questions:
        asked = source[row["site"], row["question_id"]]
        assert (
            list(row) == PUBLIC.names == "question_id title body tags category site link comments score views".split()
        )
        assert (row["title"], row["tags"], row["score"], row["views"]) == (
            asked.title,
            list(asked.tags),
            asked.score,
            asked.views,
        )
        assert (
            "<p>" not in row["body"]
            and row["body"].split() == asked.body.replace("<p>", "").replace("</p>", "").split()
        )
        assert (row["comments"] == []) == (asked.comments == 0)
    assert pq.read_table(two_versions / "1/questions.parquet").to_pylist() == one.questions
    assert pq.read_schema(two_versions / "1/questions.parquet").equals(PUBLIC)


def test_the_next_version_replaces_each_solved_question_by_a_new_one_of_its_site(made):
    one, two = made[0]
    gone, came = set(one.keys) - set(two.keys), set(two.keys) - set(one.keys)
    assert len(gone) == len(came) == 3 and sorted(site for site, _ in gone) == sorted(site for site, _ in came)
    stayed = {key: row for key, row in zip(two.keys, two.questions) if key in set(one.keys)}
    assert stayed == {key: row for key, row in zip(one.keys, one.questions) if key in stayed}
    assert two.dev == one.dev and len(one.dev) == 5 and all(row["answer"] and row["answer_licence"] for row in one.dev)


def test_no_question_comes_back_and_one_without_a_successor_is_not_replaced(made):
    versions, sheet, _, _ = made
    solved = pd.DataFrame([dict(zip(KEY, key), status="answered", expert="E") for key in versions[-1].keys])
    found = next_changes(sheet[sheet["place"] <= 9], solved, versions, early=False)
    added = found[found["change"] == "added"]
    held = {key for version in versions for key in version.keys}
    assert not held & set(zip(added["site"], added["question_id"])) and 0 < len(added) < len(solved)
    assert (found["change"] == "removed").sum() == 12


def test_a_version_that_is_not_due_is_refused_unless_early(made):
    versions, sheet, _, _ = made
    solved = pd.DataFrame([dict(zip(KEY, key), status="answered", expert="E") for key in versions[-1].keys[:2]])
    with pytest.raises(DataError, match=r"2 of 12 questions are solved \(16.7 %\), a next version is due at 20 %"):
        next_changes(sheet, solved, versions, early=False)
    assert len(next_changes(sheet, solved, versions, early=True)) == 4
    with pytest.raises(DataError, match="no question is marked as solved"):
        next_changes(sheet, solved[:0], versions, early=True)


@pytest.mark.parametrize("fault", ["full", "rename"])
def test_a_version_is_there_whole_or_not_at_all(made, tmp_path, monkeypatch, fault):
    versions, sheet, kept, quotas = made
    changes = versions[0].changes

    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        module.pq if fault == "full" else module.os, "write_table" if fault == "full" else "rename", fails
    )
    with pytest.raises(DataError, match="No space left on device"):
        write_release(tmp_path, "1", kept, sheet, changes, quotas)
    assert not list(tmp_path.iterdir())


def test_the_same_input_gives_the_same_bytes(made, two_versions, tmp_path):
    versions, sheet, kept, quotas = made
    for name in "ab":
        write_release(
            tmp_path / name,
            "1",
            kept.sample(frac=1, random_state=ord(name)),
            sheet,
            versions[0].changes,
            quotas,
            on=None,
        )
    digests = [json.loads((tmp_path / name / "1/release.json").read_text()) for name in "ab"]
    assert digests[0] == digests[1]


def test_what_does_not_fit_is_refused(made, two_versions, tmp_path):
    versions, sheet, kept, quotas = made
    changes = versions[0].changes
    with pytest.raises(DataError, match="reviewed, but not among the kept"):
        write_release(tmp_path, "1", kept[:3], sheet, changes, quotas)
    with pytest.raises(DataError, match="is there twice"):
        write_release(tmp_path, "1", pd.concat([kept, kept]), sheet, changes, quotas)
    shutil.copytree(two_versions, tmp_path / "r")
    for version, told in (("2", "Give a later one"), ("1.9", "Give a later one"), ("two", "not a version")):
        with pytest.raises(DataError, match=told):
            write_release(tmp_path / "r", version, kept, sheet, changes, quotas)
    dev = kept.assign(
        answer_id=1,
        answer="<p>so</p>",
        answered=kept["created"],
        answer_owner_id=1.0,
        answer_owner_name="B",
        answer_licence=None,
    )
    with pytest.raises(DataError, match="is in the dev set too"):
        write_release(tmp_path, "1", kept, sheet, changes, quotas, dev=dev)


def test_authors_keep_their_names_from_version_to_version(made, tmp_path):
    """Names that a table's reader would take for numbers, for nothing, or for a formula."""
    versions, sheet, kept, quotas = made
    names = ["007", "NA", "1e3", "", "None", "=HYPERLINK(A1)", "@ada", "'tis", "-1+1"]
    kept = kept.assign(owner_name=[names[n % 9] for n in kept["question_id"]], owner_id=5)
    write_release(tmp_path, "1", kept, sheet, versions[0].changes, quotas)
    solved = pd.DataFrame([dict(zip(KEY, versions[0].keys[0]), status="answered", expert="E")])
    changes = next_changes(sheet, solved, read_releases(tmp_path), early=True)
    write_release(tmp_path, "2", kept, sheet, changes, quotas)
    for release in read_releases(tmp_path):
        expected = [names[n % 9] or "user 5" for n in release.attributions["question_id"]]
        assert list(release.attributions["author"]) == expected
        assert not re.search(r"[,\n][=@]", (tmp_path / release.version / "attribution.csv").read_text())
    assert check_releases(tmp_path) == []


def test_versions_are_ordered_as_numbers():
    assert sorted(["1.10", "1.9", "2", "10"], key=order) == ["1.9", "1.10", "2", "10"]
    for bad in ("", "v1", "1.", "../1", "1.2.3.4.5", "1\n"):
        with pytest.raises(DataError):
            checked_version(bad)


def test_the_changelog_names_every_change_of_every_version(two_versions):
    text = (two_versions / "2/CHANGELOG.md").read_text()
    one, two = read_releases(two_versions)
    assert text.count("# Changelog\n") == 1 and text.index("## 2 (2026-01-01)") < text.index("## 1 (2025-01-01)")
    told = re.findall(r"^- (\S+) (\d+): .+$", text, re.MULTILINE)
    changes = pd.concat([one.changes, two.changes])
    assert sorted((site, int(number)) for site, number in told) == sorted(zip(changes["site"], changes["question_id"]))
    assert "12 questions: 3 added, 3 removed." in text and "12 questions: 12 added, 0 removed." in text
    assert text.count("solved (accepted answer; B)") == 3


def test_the_datasheet_gives_the_counts_of_the_files(two_versions):
    release = read_releases(two_versions)[1]
    text = (two_versions / "2/DATASHEET.md").read_text()
    sites = pd.Series([row["site"] for row in release.questions]).value_counts()
    for site, count in sites.items():
        assert f"| Science | {site} | {count} |" in text
    for name, count in release.attributions["licence"].value_counts().items():
        assert f"[{name}](https://creativecommons.org/licenses/by-sa/{name.split()[-1]}/) ({count})" in text
    assert "the one before is 1." in text and f"{len(release.diamond)} of them are the diamond subset" in text
