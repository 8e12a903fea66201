"""Everything out and in again: the same rows, whatever they hold, and nothing private; a release's questions; and tables."""

import asyncio
import json
import re
from datetime import UTC, datetime

import pandas as pd
import pyarrow.parquet as pq
import pytest
from desk import acts, files, people, releases, store, tables
from desk.files import import_all
from desk.models import Account, Act, Ballot, Case, Job, Question, Round, Seat, System
from django.core.cache import cache
from django.db import models, transaction
from proctor.data.tabular import DataError
from proctor.uq.community import COLUMNS, Community
from proctor.uq.dataset.release import write_release
from proctor.uq.dataset.review_queue import load_quotas

from . import round_cases


def whole_store() -> dict[str, list[dict]]:
    return {files.name_of(table): list(files.rows_of(table)) for table in files.exported()}


def empty() -> None:
    Job.answers.through.objects.all().delete()
    for table in reversed(files.exported()):
        table.objects.all()._raw_delete("default")


TEXT = "\u2028\u2029\ufeff\ufffd\uffff\U0001f600\U0010ffff" + "".join(map(chr, range(1, 400)))
JSON = [{TEXT: [None, True, False, 2**40, -0.1, 123_456.789012, 1e-6, "", " ", [], {}]}, [[TEXT]], 0, 0.0]
HARDEST = {
    models.CharField: TEXT,
    models.TextField: TEXT,
    models.JSONField: JSON,
    models.FloatField: 1 / 3,
    models.DateTimeField: datetime(2026, 1, 31, 23, 59, 59, 999_999, tzinfo=UTC),
}


def fill_columns() -> None:
    """What may hold anything holds what is hardest to write."""
    for table in {*files.exported()} - {System}:  # of which no two have the same names
        for field in files.columns(table):
            free = not (field.unique or field.choices or field.name == "orcid")
            if free and (value := HARDEST.get(type(field))):
                length = field.max_length if type(field) is models.CharField else None
                table.objects.update(**{field.name: value[:length] if length else value})


def goes_round(folder) -> dict[str, list[dict]]:
    """The store, which is the same after each format's export and import into an empty one."""
    before = whole_store()
    for format in files.FORMATS:
        counts = files.export(folder / format, format, rounds=True)
        empty()
        assert import_all(folder / format) == counts and whole_store() == before
    return before


def test_what_comes_in_again_is_what_went_out(talk, reader, reviewer, tmp_path):
    answer, question = talk["answer"], talk["question"]
    acts.vote(reader, question, 1)
    acts.edit(reader, talk["remark"], 1, text="Still.")
    people.ask(reader, "report", "x", page="/")
    job = Job.objects.create(ordered_by=reviewer, validator="C", judges=["m"], most_dollars=None)
    job.answers.set([answer])
    case = Case.objects.create(round=Round.objects.create(protocol="hle", title="T", organizer=reviewer), place=1)
    Seat.objects.create(case=case, account=reviewer, part="expert")
    Ballot.objects.create(case=case, number=1, by=reviewer, part="expert", move="vote", form=dict(score=3))
    assert goes_round(tmp_path / "as it is")["job"][0]["answers"] == [answer.key]
    fill_columns()
    before = goes_round(tmp_path / "full")
    assert all(before.values()) and before["comment"][0]["text"] == TEXT and before["act"][0]["before"] == JSON
    schema = pq.read_schema(tmp_path / "full/parquet/answer.parquet")
    assert str(schema.field("written_at").type) == "timestamp[us, tz=UTC]"
    assert pq.read_table(tmp_path / "full/parquet/answer.parquet")["system"].to_pylist() == [
        ["Lab", "System A", "base"]
    ]


def test_an_export_names_no_blind_voter_unless_it_is_to_move_the_desk(answer, moderator, tmp_path):
    case = round_cases.opened("kina_blind", {"reviewer": ["nameofbo", "nameofdi"], "auditor": ["cy"]})
    round_cases.cast(case, "nameofbo", "review", verdict="reject", text="SECRET")
    for rounds in (False, True):
        files.export(tmp_path / f"{rounds}", rounds=rounds)
        told = [f.name for f in (tmp_path / f"{rounds}").iterdir() if "nameofbo" in f.read_text()]
        assert set(told) == {"account.jsonl"} | (
            {"act.jsonl", "ballot.jsonl", "round.jsonl", "seat.jsonl"} if rounds else set()
        )
    empty()
    assert import_all(tmp_path / "False")["answer"] == 1


@pytest.fixture
def out(answer, reviewer, tmp_path):
    """An export of a small store, which is then emptied."""
    Account.objects.filter(pk=reviewer.pk).update(email="ada@example.org", is_superuser=True)
    people.make_token(reviewer, "runs")
    acts.comment(reviewer, answer.question, "Is $x$ real?\u2028Yes.")
    acts.vote(reviewer, answer.question, 1)
    files.export(tmp_path / "out")
    reviewer.tokens.all().delete()
    empty()
    return tmp_path / "out"


def test_passwords_tokens_addresses_and_an_admins_rights_never_leave(out):
    text = "".join(path.read_text() for path in out.iterdir())
    assert "ada" in text and not re.search("ada@example.org|is_superuser|password|digest", text)
    assert not {"token.jsonl", "use.jsonl"} & {path.name for path in out.iterdir()}
    path = out / "account.jsonl"  # as of an older desk, which did not have this column
    path.write_text(path.read_text().replace(', "source_confirmed": false', ""))
    (out / "worker.jsonl").write_text("{}\n")  # and one more table
    resign(out)
    import_all(out)
    ada = Account.objects.get()
    assert not ada.has_usable_password() and not ada.is_superuser and ada.role == "reviewer"
    assert not ada.source_confirmed
    with pytest.raises(DataError, match="holds account"):
        import_all(out)


def test_an_export_never_overwrites_and_leaves_nothing_half(answer, tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    for name, format, told in (("there", "jsonl", "already"), ("out", "xml", "parquet")):
        with pytest.raises(DataError, match=told):
            files.export(tmp_path / name, format)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "digest", full)
    with pytest.raises(OSError, match="nothing was changed"):
        files.export(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def resign(folder) -> None:
    """Digests anew, as after an edit by hand."""
    told = json.loads((folder / "desk.json").read_text())
    told["files"] = {file.name: files.digest(file) for file in folder.iterdir() if file.name != "desk.json"}
    (folder / "desk.json").write_text(json.dumps(told))


@pytest.mark.parametrize(
    "old, new, told",
    [
        ('"author": "ada"', '"author": "eve"', "comment.jsonl, row 1, column author: 'eve' is no row of account"),
        ('"version": 1', '"version": "1"', "column version"),
        ('"version": 1', '"version": true', "column version"),
        ('"version": 1', '"version": -1', "column version"),
        ('"text": ', '"texts": ', "column texts: no column of this desk"),
        ('"text": "Is', '"text": "\\u0000Is', "column text"),
        ('"written_at": "2', '"written_at": "x2', "wrong kind"),
        ('+00:00"', '"', "wrong kind"),
        ('"question": "math/1", ', "", "column question: not there"),
        ("{", "", "bad JSON"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(out, old, new, told):
    path = out / "comment.jsonl"
    path.write_text(path.read_text().replace(old, new, 1))
    resign(out)
    with pytest.raises(DataError, match=told):
        import_all(out)
    assert not Account.objects.exists() and not Question.objects.exists()


def test_a_changed_file_and_rows_that_cannot_stand_together_are_refused(out):
    path = out / "vote.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(DataError, match="vote.jsonl: missing, or not as it was exported"):
        import_all(out)
    resign(out)
    with pytest.raises(DataError, match="vote.jsonl"), transaction.atomic():
        import_all(out)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "files": [], "rows": {}}', '{"format": 1, "files": {"../x.jsonl": "1"}, "rows": {}}'])  # fmt: skip
def test_what_is_no_export_is_refused(db, tmp_path, text):
    (tmp_path / "desk.json").write_text(text)
    with pytest.raises(DataError, match="desk.json"):
        import_all(tmp_path)


# A release of UQ's dataset


@pytest.fixture
def folder(tmp_path):
    """A folder of releases whose version 1 has two questions, one of them diamond."""
    kept = pd.DataFrame(
        dict(
            site=["math", "cs"],
            question_id=[1, 2],
            title=["Is it so?", "How hard?"],
            body=["<p>Why <b>x</b>?</p>"] * 2,
            tags=[["sets"], []],
            comments=[0, 3],
            score=[9, 8],
            views=[100.0, None],
            owner_id=[7.0, None],
            owner_name=["Ann", None],
            licence=[None, "CC BY-SA 3.0"],
            created=pd.to_datetime(["2010-01-02", "2015-03-04"]),
        )
    )
    changes = kept[["site", "question_id"]].assign(change="added", reason="votes")
    reviews = kept[["site", "question_id"]].assign(
        diamond=[True, False], way="reviewed", outcome="accept", reason="", place=[1, 2]
    )
    (tmp_path / "quotas.yaml").write_text(
        "default: {category: Science, top: 2, min_votes: null, reviewed: 4, order: votes, spare: 4, diamond_votes: 9, diamond_views: 1}\nsites: {}"
    )
    write_release(tmp_path / "releases", "1", kept, reviews, changes, load_quotas(tmp_path / "quotas.yaml"))
    return tmp_path / "releases"


def test_a_release_is_loaded_with_whose_the_questions_are_and_loaded_again_changes_nothing(folder, db, reviewer):
    assert releases.load_release(folder) == (2, 0)
    one, two = Question.objects.order_by("-key")
    assert (one.key, one.author, one.author_link, one.licence) == (
        "math/1", "Ann", "https://math.stackexchange.com/users/7", "CC BY-SA 2.5",
    )  # fmt: skip
    assert (two.author, two.licence, two.views, two.comments) == ("unknown", "CC BY-SA 3.0", 0, [])
    assert (one.diamond, two.diamond, one.release, one.category) == (True, False, "1", "Science")
    assert "**x**" in one.body and one.posted_at.isoformat() == "2010-01-02T00:00:00+00:00"
    acts.vote(reviewer, one, 1)
    assert releases.load_release(folder / "1") == (0, 0)
    assert Question.objects.get(key="math/1").votes == 1 and Act.objects.filter(verb="add").count() == 2


def test_what_the_desk_cannot_hold_or_credit_is_named_and_nothing_loaded(folder, db):
    questions, credits = folder / "1/questions.jsonl", folder / "1/attribution.csv"
    whole = questions.read_text()
    questions.write_text(whole.replace("Is it so?", "x" * 501))
    with pytest.raises(DataError, match="math/1, title"):
        releases.load_release(folder)
    questions.write_text(whole)
    credits.write_text("\n".join(credits.read_text().splitlines()[:2]) + "\n")
    with pytest.raises(DataError, match="no row for question"):
        releases.load_release(folder)
    with pytest.raises(DataError, match="release.json: not as `release` wrote it"):
        releases.load_release(folder / "1" / "none")
    assert not Question.objects.exists()


# The store as tables, read inside the desk and from a notebook


def test_an_empty_store_has_all_tables_with_times_and_its_page_says_so(client, db):
    assert set(tables.TABLES) == set(COLUMNS) - {"truth", "reviewers"}
    for name, frame in tables.all_tables().items():
        assert frame.empty and tuple(frame.columns) == tables.COLUMNS[name]
        assert all(str(frame[column].dtype) == "datetime64[us, UTC]" for column in frame if column.endswith("_at"))
    cache.clear()
    assert b"Nobody has answered" in client.get("/overview/").content


def test_rows_tell_who_wrote_what_was_withdrawn_and_plain_conflicts(answer, reviewer):
    other = Account.objects.create_user("bob", role="reviewer", affiliation="Lab")
    acts.add_verdict(answer, "(C x3|U)", "accept", calls=3, dollars=0.5)
    acts.review(reviewer, answer, "yes", 5, "Mine.", conflict=True, conflict_text="mine")
    acts.withdraw(other, acts.review(other, answer, "no", 4, "Wrong."))
    acts.review(other, answer, "yes", 3, "AI.", kind="ai", system=acts.system_of("Lab", "Judge", "b"))
    acts.comment(reviewer, answer.question, "Is $x$ real?")
    acts.withdraw(reviewer, acts.comment(reviewer, answer.question, "Oops."))
    stored = tables.all_tables()
    reviews = stored["reviews"]
    assert list(reviews["reviewer"]) == ["ada", "bob", "Judge"]
    assert list(reviews["withdrawn_at"].notna()) == [False, True, False]
    assert list(reviews["conflict"]) == [True, True, True]  # bob is of the answer's organisation
    assert list(stored["comments"]["text"]) == ["Is $x$ real?"]
    assert stored["answers"].loc[0, ["answer_id", "question_id", "system", "submitted_by"]].tolist() == [
        answer.key, "math/1", "System A", "ada",
    ]  # fmt: skip
    assert stored["verdicts"]["probability"].isna().all() and stored["verdicts"]["dollars"].sum() == 0.5


@pytest.mark.django_db(transaction=True)
def test_a_notebook_with_its_event_loop_reads_the_tables(answer):
    async def cell():
        return store.read_tables()

    found = asyncio.run(cell())
    assert found["answers"]["answer_id"].tolist() == [answer.key]
    assert len(Community(**found).questions) == 1
