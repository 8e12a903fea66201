"""What the command does and says, the settings, and what gunicorn is told; the server itself is run by `test_faults`."""

import runpy
import socket
from types import SimpleNamespace

import httpx
import pytest
from desk import command, people, search, server, settings
from desk.models import Account, Act, Question
from django.core import mail
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from gunicorn.config import Config
from proctor import cli
from typer.testing import CliRunner

PASS = "a long pass phrase"


@pytest.fixture
def run(db, monkeypatch):
    monkeypatch.setattr(command, "ready", lambda: None)  # the tests' database is

    def call(*words, say: str = ""):
        return CliRunner().invoke(cli.app, ["platform", *map(str, words)], input=f"{say}\n{say}\n")

    return call


def test_a_moderator_is_asked_for_a_password_where_there_is_none_and_a_weak_one_is_refused(run, reviewer):
    weak = run("moderator", "grace", say="12345678")
    assert weak.exit_code == 2 and Account.objects.count() == 1
    told = run("moderator", "grace", say=PASS)
    assert told.exit_code == 0 and Account.objects.get(username="grace").check_password(PASS)
    assert PASS not in told.output
    assert run("moderator", "ada").exit_code == 0 and Account.objects.get(username="ada").may_moderate()
    assert not Account.objects.filter(is_superuser=True).exists()
    assert "admin" in run("moderator", "ada", "--admin").output
    assert Account.objects.get(username="ada").is_superuser
    assert Act.objects.filter(verb="make admin", actor=None).exists()
    Account.objects.update(password="!")  # as after an import
    assert run("moderator", "ada", say=PASS).exit_code == 0
    assert Account.objects.get(username="ada").check_password(PASS)
    with pytest.raises(people.Refused):
        people.set_password(reviewer, "ada")


def test_an_export_says_what_it_wrote_and_bad_input_ends_with_2_and_a_sentence(run, answer, tmp_path):
    told = run("export", tmp_path / "out", "--format", "parquet")
    assert told.exit_code == 0 and "1 question" in told.output and (tmp_path / "out/question.parquet").is_file()
    for words in (("export", tmp_path), ("import", tmp_path), ("load", tmp_path)):
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


def test_a_port_that_is_taken_and_a_database_that_is_away_are_told_in_a_sentence(monkeypatch):
    def away():
        raise OperationalError("connection refused")

    monkeypatch.setattr(command, "ready", away)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, said in ((["open", "--port", port], "another --port"), (["export", "x"], "can't be reached")):
            told = CliRunner().invoke(cli.app, ["platform", *words])
            assert told.exit_code == 1 and said in told.output and "Traceback" not in told.output


def test_without_a_commands_name_it_opens(monkeypatch):
    heard = []
    monkeypatch.setattr(command, "app", lambda words, **how: heard.append(words))
    for words in ([], ["--port", "9"], ["--help"], ["load", "x"]):
        command.main(words)
    assert heard == [["open"], ["open", "--port", "9"], ["--help"], ["load", "x"]]


def test_digests_are_sent_by_the_command(run, talk):
    assert run("digest").output == "nothing sent\n"
    Account.objects.filter(username="rea").update(email="rea@example.org", digest=True)
    assert run("digest").output == "1 digest sent\n" and mail.outbox[0].to == ["rea@example.org"]


# Settings


def test_urls_name_a_postgresql_database_and_a_mail_server_or_are_refused():
    told = settings.database("postgresql://ada:p%40ss@db.example:5433/desk")
    assert told["NAME"] == "desk"
    assert told["OPTIONS"] == dict(user="ada", password="p@ss", host="db.example", port="5433")
    assert settings.mail("")["EMAIL_BACKEND"].endswith("console.EmailBackend")  # nowhere
    told = settings.mail("smtp://ada:p%40ss@mail.example")
    assert (told["EMAIL_HOST"], told["EMAIL_PORT"], told["EMAIL_HOST_PASSWORD"]) == ("mail.example", 587, "p@ss")
    assert told["EMAIL_USE_TLS"] and not told["EMAIL_USE_SSL"]
    for setting, wrong, said in ((settings.database, "mysql://host/desk", "mysql"), (settings.mail, "x", "DESK_MAIL")):
        with pytest.raises(ValueError, match=said):
            setting(wrong)


def test_the_secret_is_made_once_and_the_folder_with_it_is_its_owners():
    path = settings.FOLDER / "secret"
    assert settings._secret() == settings.SECRET_KEY == path.read_text()
    assert (path.stat().st_mode | settings.FOLDER.stat().st_mode) & 0o077 == 0


def test_behind_https_links_in_mails_and_later_visits_use_it(monkeypatch):
    monkeypatch.setenv("PROCTOR_DESK_HTTPS", "1")
    monkeypatch.setenv("PROCTOR_DESK_HOSTS", "desk.example, other.example")
    told = runpy.run_path(settings.__file__)
    assert told["HOME"] == "https://desk.example" and told["SECURE_HSTS_SECONDS"] and told["SESSION_COOKIE_SECURE"]
    assert settings.HOME == "http://localhost:8000" and not settings.SECURE_HSTS_SECONDS


# What gunicorn is told


def test_a_connection_without_a_byte_is_ended_and_one_that_sends_is_read(monkeypatch):
    monkeypatch.setattr(server, "SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listening)]))
        with socket.create_connection(listening.getsockname()) as client:
            accepted, _ = listening.accept()
            accepted.setblocking(True)
            client.sendall(b"GET / HTTP/1.1\r\n")
            assert accepted.recv(100) == b"GET / HTTP/1.1\r\n"
            with pytest.raises(BlockingIOError):
                accepted.recv(100)
            accepted.close()


def test_a_connection_is_kept_longer_than_the_api_s_clients_keep_theirs():
    config = Config()
    config.set("keepalive", server.keepalive)
    assert config.keepalive > httpx.Limits().keepalive_expiry and server.preload_app


# Migrations

APPLIED = MigrationRecorder.Migration.objects.filter(app="desk")


@pytest.mark.django_db(transaction=True)
def test_a_desk_that_stands_at_the_last_of_the_five_goes_on_with_its_rows(question):
    assert APPLIED.count() == 7
    APPLIED.filter(name__in=["0001_desk", "0002_retired"]).delete()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE desk_worker (id integer)")
    command.ready()
    assert APPLIED.count() == 7 and search.find("so") == [Question.objects.get().pk]
    assert "desk_worker" not in connection.introspection.table_names()


def test_a_desk_between_the_five_is_to_be_opened_with_an_older_version_first(question):
    APPLIED.filter(name__gt="0004").delete()
    APPLIED.filter(name__in=["0001_desk", "0002_retired"]).delete()
    with pytest.raises(RuntimeError, match="last migration is 0003_rounds_and_jobs.*f7b194f1"):
        command.ready()
    assert APPLIED.count() == 3 and Question.objects.exists()


def test_models_and_migrations_agree(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
