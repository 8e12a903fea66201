"""Everything out and in again: the same rows, whatever they hold, and nothing private."""

import json
import re

import pyarrow.parquet as pq
import pytest
from desk import acts, files, people
from desk.files import import_all
from desk.models import (
    Account,
    Act,
    Answer,
    Ballot,
    Case,
    Comment,
    Job,
    Question,
    Review,
    Round,
    Seat,
    System,
    Verdict,
    Vote,
)
from django.db import models, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import from_model, register_field_strategy
from proctor.data.tabular import DataError

from . import round_cases

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9).map(lambda x: round(x, 6)) | TEXT,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXT, inside, max_size=3),
    max_leaves=6,
)
register_field_strategy(models.JSONField, JSON)


def whole_store() -> dict[str, list[dict]]:
    return {files.name_of(table): list(files.rows_of(table)) for table in files.exported()}


def empty() -> None:
    Job.answers.through.objects.all().delete()
    for table in reversed(files.exported()):
        table.objects.all()._raw_delete("default")


def row_of(draw, table, **known) -> models.Model:
    """A row with whatever its columns can hold; columns that need make no sense together."""
    free = [one for one in table._meta.fields if not one.is_relation and one.name not in ("id", "skeleton", *known)]
    own = {one.name: st.floats(0, 1) if isinstance(one, models.FloatField) else ... for one in free}
    return draw(from_model(table, **own, **{name: st.just(value) for name, value in known.items()}))


def fill(draw) -> None:
    who = row_of(draw, Account, username=draw(st.sampled_from(["ada", "Ädä"])), orcid="", password="!")
    questions = [row_of(draw, Question, posted_by=posted_by) for posted_by in (who, None)]
    systems = [row_of(draw, System, people=people) for people in (True, False)]
    for question, system in zip(questions, systems):
        answer = row_of(draw, Answer, question=question, system=system, submitted_by=who)
        for ordered_by in (who, None):
            row_of(draw, Verdict, answer=answer, ordered_by=ordered_by)
        row_of(draw, Review, answer=answer, reviewer=who, system=system, kind="ai", confidence=draw(st.integers(1, 5)))
        row_of(draw, Comment, question=question, review=None, author=who)
        row_of(draw, Vote, question=question, voter=who)
        row_of(draw, Act, actor=None)


def goes_round(folder) -> dict[str, list[dict]]:
    """The store, which is the same after each format's export and import into an empty one."""
    before = whole_store()
    for format in files.FORMATS:
        counts = files.export(folder / format, format, rounds=True)
        empty()
        assert import_all(folder / format) == counts and whole_store() == before
    return before


@given(st.data())
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_what_comes_in_again_is_what_went_out(db, tmp_path_factory, data):
    with transaction.atomic():
        fill(data.draw)
        goes_round(tmp_path_factory.mktemp("export"))
        transaction.set_rollback(True)


def test_rounds_and_runs_of_validators_come_in_again_with_what_they_refer_to(answer, reviewer, tmp_path):
    job = Job.objects.create(ordered_by=reviewer, validator="C", judges=["m"], most_dollars=None)
    job.answers.set([answer])
    case = Case.objects.create(round=Round.objects.create(protocol="hle", title="T", organizer=reviewer), place=1)
    Seat.objects.create(case=case, account=reviewer, part="expert")
    Review.objects.create(answer=answer, reviewer=reviewer, correct="yes", confidence=4, text="of no system")
    Ballot.objects.create(case=case, number=1, by=reviewer, part="expert", move="vote", form=dict(score=3))
    assert goes_round(tmp_path)["job"][0]["answers"] == [answer.key]
    schema = pq.read_schema(tmp_path / "parquet/answer.parquet")
    assert str(schema.field("written_at").type) == "timestamp[us, tz=UTC]"
    assert pq.read_table(tmp_path / "parquet/answer.parquet")["system"].to_pylist() == [["Lab", "System A", "base"]]


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
