"""What the command does and says; the server itself is run by `test_faults`."""

import json
import socket

import pytest
from desk import command, people
from desk.models import Account, Act, Question
from django.core import mail
from django.db import OperationalError
from proctor import cli
from typer.testing import CliRunner


@pytest.fixture
def run(db, monkeypatch):
    monkeypatch.setattr(command, "ready", lambda: None)  # the tests' database is

    def call(*words, say: str = ""):
        return CliRunner().invoke(cli.app, ["platform", *map(str, words)], input=say)

    return call


def test_a_new_moderator_is_asked_for_a_password_and_an_old_account_is_not(run, reviewer):
    told = run("moderator", "grace", say="a long pass phrase\na long pass phrase\n")
    assert told.exit_code == 0 and Account.objects.get(username="grace").check_password("a long pass phrase")
    assert "a long pass phrase" not in told.output
    assert run("moderator", "ada").exit_code == 0 and Account.objects.get(username="ada").may_moderate()
    assert not Account.objects.filter(is_superuser=True).exists()


def test_only_the_command_makes_an_admin_and_the_trail_says_so(run, reviewer):
    assert "admin" in run("moderator", "ada", "--admin").output
    assert Account.objects.get().is_superuser and Act.objects.filter(verb="make admin", actor=None).exists()


def test_a_weak_password_is_refused_and_no_account_is_left(run):
    told = run("moderator", "grace", say="12345678\n12345678\n")
    assert told.exit_code == 2 and not Account.objects.exists()


def test_an_imported_account_gets_a_password(run, reviewer):
    Account.objects.update(password="!")
    assert run("moderator", "ada", say="a long pass phrase\na long pass phrase\n").exit_code == 0
    assert Account.objects.get().check_password("a long pass phrase")
    with pytest.raises(people.Refused):
        people.set_password(reviewer, "ada")


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_an_export_says_what_it_wrote(run, answer, tmp_path, format):
    told = run("export", tmp_path / "out", "--format", format)
    assert told.exit_code == 0 and "1 question" in told.output
    assert json.loads((tmp_path / "out/desk.json").read_text())["rows"]["answer"] == 1


def test_bad_input_ends_with_2_and_a_sentence(run, answer, tmp_path):
    for words in (("export", tmp_path), ("import", tmp_path), ("load", tmp_path), ("seed",)):
        told = run(*words)
        assert told.exit_code == 2 and told.output.strip() and "Traceback" not in told.output


def test_an_empty_desk_is_seeded_before_it_is_served(run, monkeypatch, tmp_path, settings):
    settings.STATIC_ROOT = tmp_path
    served = []
    monkeypatch.setattr("os.execv", lambda program, words: served.append(words))
    monkeypatch.setattr("desk.seed.seed", lambda: dict(question=Question.objects.create(key="a/1").pk))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "made up" not in run("open", "--empty", "--port", port).output and not Question.objects.exists()
    told = run("open", "--port", port)
    assert told.exit_code == 0 and f"http://localhost:{port}/" in told.output and "moderator NAME" in told.output
    assert "made up" in told.output and "made up" not in run("open", "--port", port).output
    assert served[0][1:4] == ["-m", "gunicorn", "desk.wsgi"] and "--config=python:desk.server" in served[0]


def test_a_port_that_is_taken_is_told_before_anything_is_made(run, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = run("open", "--port", taken.getsockname()[1])
    assert told.exit_code == 1 and "another --port" in told.output


def test_without_a_commands_name_it_opens(monkeypatch):
    heard = []
    monkeypatch.setattr(command, "app", lambda words, **how: heard.append(words))
    for words in ([], ["--port", "9"], ["--help"], ["seed"]):
        command.main(words)
    assert heard == [["open"], ["open", "--port", "9"], ["--help"], ["seed"]]


def test_a_database_that_is_away_is_told_in_a_sentence(monkeypatch):
    def away():
        raise OperationalError("connection refused")

    monkeypatch.setattr(command, "ready", away)
    told = CliRunner().invoke(cli.app, ["platform", "export", "somewhere"])
    assert told.exit_code == 1 and "can't be reached" in told.output and "Traceback" not in told.output


def test_digests_are_sent_by_the_command(run, talk):
    assert run("digest").output == "nothing sent\n"
    Account.objects.filter(username="rea").update(email="rea@example.org", digest=True)
    assert run("digest").output == "1 digest sent\n" and mail.outbox[0].to == ["rea@example.org"]
