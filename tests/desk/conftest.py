"""The desk's tests run on SQLite in a folder of their own; PROCTOR_TEST_DB=postgresql://... runs them on PostgreSQL."""

import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import django
import pytest

os.environ["PROCTOR_DESK"] = tempfile.mkdtemp(prefix="review-desk-")
os.environ["PROCTOR_DESK_DB"] = os.environ.get("PROCTOR_TEST_DB", "")
os.environ["DJANGO_SETTINGS_MODULE"] = "desk.settings"
django.setup()

from desk import acts, jobs  # noqa: E402
from desk.models import Account, Answer, Question, System  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from faulty_server import Server  # noqa: E402

settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a slow one would take most of the time
settings.WHITENOISE_AUTOREFRESH = True  # else each new client reads the list of all static files
if connection.vendor == "sqlite":  # a file: threads can't share a database in memory
    connection.settings_dict["TEST"]["NAME"] = os.path.join(os.environ["PROCTOR_DESK"], "test.sqlite3")
    connection.settings_dict["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"


@pytest.fixture
def reviewer(db):
    return Account.objects.create_user("ada", password="a long pass phrase", role="reviewer")


@pytest.fixture
def question(db):
    return Question.objects.create(
        key="math/1", site="math", title="Is it so?", body="Why $x$?", licence="CC BY-SA 4.0"
    )


@pytest.fixture
def answer(question, reviewer):
    system = System.objects.create(organisation="Lab", name="System A", base_model="base")
    return Answer.objects.create(
        question=question, system=system, prompt="Answer.", text="Because $x=1$.", submitted_by=reviewer
    )


@pytest.fixture
def at_once():
    """`at_once(*acts)`: each in a thread of its own, as so many browsers would send them; returns what was refused."""

    def run(*told):
        start, refused = threading.Barrier(len(told)), []

        def one(act):
            start.wait()
            try:
                act()
            except (acts.NotAllowed, acts.Refused) as error:
                refused.append(error)
            finally:
                connection.close()

        with ThreadPoolExecutor(len(told)) as pool:
            list(pool.map(one, told))
        return refused

    return run


# Jobs: a local server that judges, answers, and no process


@pytest.fixture
def judge_server(monkeypatch, tmp_path, settings):
    settings.FOLDER = tmp_path
    with Server(answer=lambda text: "Accepted: [[N]]" if "wrong" in text else "Accepted: [[Y]]") as found:
        found.judge = f"openai/fake@{found.url}/v1"
        monkeypatch.setenv("PROCTOR_DESK_JUDGES", f"{found.judge}, openai/gpt-4o")
        monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
        monkeypatch.delenv("PROCTOR_DESK_BUDGET", raising=False)
        yield found


@pytest.fixture
def three_answers(question, moderator):
    system = System.objects.create(organisation="Lab", name="A", base_model="b")
    told = dict(question=question, system=system, prompt="p", submitted_by=moderator)
    return [Answer.objects.create(text=text, **told) for text in ("right", "wrong", "right too")]


@pytest.fixture
def order(judge_server, moderator, three_answers):
    """`order(...)`: a run over the three answers, planned by the moderator for the server's own judge."""

    def plan(validator="C", judging=None, temperature=0.0):
        judging = [judge_server.judge] if judging is None else judging
        return jobs.plan(moderator, validator, judging, three_answers, temperature)

    return plan


@pytest.fixture
def launched(monkeypatch):
    """Keys of the jobs whose process would have been started."""
    found = []
    monkeypatch.setattr(jobs, "launch", found.append)
    return found


@pytest.fixture
def moderator(db):
    return Account.objects.create_user("mo", password="a long pass phrase", role="moderator")


@pytest.fixture
def reader(db):
    return Account.objects.create_user("rea", password="a long pass phrase")


@pytest.fixture
def as_reader(client, reader):
    client.force_login(reader)
    return client


def say_all(answer, reader, moderator):
    """All that can be said of an answer: a verdict with its trace, an AI review, two reviews, a comment."""
    judge = System.objects.create(organisation="Checks Inc", name="Judge 7", base_model="judge-base")
    told = dict(probability=0.7, judges="judge-base", calls=4, dollars=0.03)
    trace = [{"prompt": "Is it right?", "reply": "Yes, <b>it</b> is."}]
    acts.add_verdict(answer, "(CC x3|U) => C", "accept", trace=trace, **told)
    acts.review(reader, answer, "no", 3, "The AI doubts $x$.", kind="ai", system=judge)
    first = acts.review(moderator, answer, "yes", 4, "I checked $x=1$.")
    other = Account.objects.create_user("bo", password="a long pass phrase", role="reviewer")
    acts.review(other, answer, "unsure", 2, "Step two is unclear.")
    remark = acts.comment(reader, answer.question, "Is it still open?")
    return dict(answer=answer, review=first, remark=remark, question=answer.question)


@pytest.fixture
def talk(answer, reviewer, moderator, reader):
    return say_all(answer, reader, moderator)
