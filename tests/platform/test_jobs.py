"""Jobs against a local server that speaks OpenAI's chat completions. No key, no network."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone
from proctor.platform import jobs
from proctor.platform.models import Account, Act, Answer, Job, Question, System, Verdict
from proctor.platform.trail import NotAllowed, Refused

from ..chat_server import Server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(monkeypatch, tmp_path, settings):
    settings.FOLDER = tmp_path
    with Server(lambda text: "Accepted: [[N]]" if "wrong" in text else "Accepted: [[Y]]") as found:
        found.judge = f"openai/fake@{found.url}"
        monkeypatch.setenv("PROCTOR_DESK_JUDGES", f"{found.judge}, openai/gpt-4o")
        monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
        monkeypatch.delenv("PROCTOR_DESK_BUDGET", raising=False)
        yield found


@pytest.fixture
def mira(db):
    return Account.objects.create_user("mira", password=None, role="moderator")


@pytest.fixture
def answers(mira):
    question = Question.objects.create(key="math/1", site="math", title="Is it?", body="Why?", licence="CC BY-SA 4.0")
    system = System.objects.create(organisation="Lab", name="A", base_model="b")
    texts = ["right", "wrong", "right too"]
    return [
        Answer.objects.create(question=question, system=system, prompt="p", text=text, submitted_by=mira)
        for text in texts
    ]


@pytest.fixture
def launched(monkeypatch):
    """Keys of the jobs whose process would have been started."""
    found = []
    monkeypatch.setattr(jobs, "launch", found.append)
    return found


def test_verdicts_arrive_with_traces_and_the_job_ends(server, mira, answers, launched):
    job = jobs.plan(mira, "(C u2|U)", [server.judge], answers)
    assert server.asked == 0 and (job.most_calls, job.most_dollars) == (6, None)
    jobs.start(mira, job)
    assert launched == [job.key]
    jobs.run(job.key)
    job.refresh_from_db()
    assert (job.state, sorted(job.judged)) == ("done", sorted(answer.key for answer in answers))
    found = dict(Verdict.objects.values_list("answer__text", "outcome"))
    assert found == {"right": "accept", "wrong": "reject", "right too": "accept"}
    one = Verdict.objects.get(answer=answers[0])
    assert one.ordered_by == mira and one.judges == server.judge and one.calls == len(one.trace) == 2
    assert job.calls == server.asked == sum(Verdict.objects.values_list("calls", flat=True))


def test_a_job_that_was_interrupted_asks_only_what_is_left(server, mira, answers, launched):
    job = jobs.start(mira, jobs.plan(mira, "C", [server.judge], answers))
    Job.objects.filter(pk=job.pk).update(beat_at=timezone.now() - timedelta(minutes=1), judged=[answers[0].key])
    job.refresh_from_db()
    assert jobs.state_of(job) == "interrupted"
    jobs.start(mira, job)
    jobs.run(job.key)
    assert server.asked == 2 and Verdict.objects.count() == 2 and Job.objects.get().state == "done"


def test_a_running_job_is_not_started_twice_and_an_ended_one_not_again(server, mira, answers, launched):
    job = jobs.start(mira, jobs.plan(mira, "C", [server.judge], answers))
    with pytest.raises(Refused, match="is running"):
        jobs.start(mira, job)
    jobs.run(job.key)
    with pytest.raises(Refused, match="has ended"):
        jobs.start(mira, job)


def test_a_bill_above_the_desk_s_budget_is_refused_before_the_first_call(server, mira, answers, launched, monkeypatch):
    job = jobs.plan(mira, "C", ["openai/gpt-4o"], answers)
    assert job.most_dollars > 0
    with pytest.raises(Refused, match="budget has .0.00 left"):
        jobs.start(mira, job)
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "2")
    with pytest.raises(Refused, match="may take 3 calls"):
        jobs.start(mira, jobs.plan(mira, "C", [server.judge], answers))
    assert not launched and server.asked == 0
    monkeypatch.setenv("PROCTOR_DESK_BUDGET", "5")
    jobs.start(mira, job)
    assert jobs.dollars_left() == pytest.approx(5 - job.most_dollars)  # what runs is set aside


@pytest.mark.parametrize(
    "validator, judging, field",
    [
        ("(C", ["own"], "validator"),
        ("C", ["openai/other"], "judges"),
        ("C@openai/other", ["own"], "judges"),
        ("C", [], "validator"),
        ("(C x3|U)", ["own"], "validator"),  # at temperature 0 every reply is the same
    ],
)
def test_what_the_engine_would_not_take_is_refused_by_field(server, mira, answers, validator, judging, field):
    with pytest.raises(Refused) as error:
        jobs.plan(mira, validator, [server.judge if name == "own" else name for name in judging], answers)
    assert list(error.value.problems) == [field] and not Job.objects.exists()


def test_only_a_moderator_plans_starts_and_stops(server, mira, answers, launched):
    ada = Account.objects.create_user("ada", password=None, role="reviewer")
    with pytest.raises(NotAllowed):
        jobs.plan(ada, "C", [server.judge], answers)
    job = jobs.plan(mira, "C", [server.judge], answers)
    for act in (jobs.start, jobs.stop):
        with pytest.raises(NotAllowed):
            act(ada, job)


def test_a_server_that_fails_leaves_the_job_stopped_and_its_reason_told(
    mira, answers, launched, monkeypatch, settings, tmp_path
):
    settings.FOLDER = tmp_path
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", "openai/fake@http://127.0.0.1:9/v1")
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
    monkeypatch.setattr(jobs, "RETRIES", 0)
    job = jobs.start(mira, jobs.plan(mira, "C", jobs.judges(), answers))
    jobs.run(job.key)
    job.refresh_from_db()
    assert job.state == "stopped" and job.message and not Verdict.objects.exists()


def test_the_bill_is_confirmed_in_the_browser_and_verdicts_show(server, mira, answers, launched, client):
    client.force_login(mira)
    order = dict(validator="C", judges=[server.judge], temperature=0, question="math/1", answer="")
    assert b"3 answers to judge" in client.get("/jobs/new/?question=math/1").content
    bad = client.post("/jobs/new/", order | dict(validator="(C"))
    assert bad.status_code == 400 and server.asked == 0
    address = client.post("/jobs/new/", order)["Location"]
    page = client.get(address)
    assert b"At most <strong>3 calls</strong>" in page.content and "Refresh" not in page
    client.post(f"{address}start/")
    assert client.get(address)["Refresh"] == "3" and len(launched) == 1
    jobs.run(launched[0])
    client.logout()
    page = client.get(address)
    assert page.content.count(b"Accepts") == 2 and b"Confirm" not in page.content and "Refresh" not in page
    assert client.get("/jobs/new/").status_code == 302 and b"has ended" in client.get("/jobs/").content
    assert list(Act.objects.filter(verb__endswith="job").values_list("verb", flat=True)) == ["plan job", "start job"]


SLOW = """
import os, sys, django
django.setup()
from proctor.platform import jobs
jobs.AT_ONCE = 1
jobs.run(sys.argv[1])
"""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the other process finds the test's database by its file")
def test_a_killed_process_loses_no_verdict_and_pays_no_call_twice(
    mira, answers, launched, monkeypatch, settings, tmp_path
):
    settings.FOLDER = tmp_path

    def answer(text):
        time.sleep(0 if server.asked < 2 else 0.3)
        return "Accepted: [[Y]]"

    with Server(answer) as server:
        monkeypatch.setenv("PROCTOR_DESK_JUDGES", f"openai/fake@{server.url}")
        monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
        job = jobs.start(mira, jobs.plan(mira, "C", jobs.judges(), answers))
        here = os.environ | {
            "PYTHONPATH": str(Path(jobs.__file__).parents[2]),
            "PROCTOR_DESK": str(tmp_path),
            "PROCTOR_DESK_DB": "",
        }
        (tmp_path / "desk.sqlite3").symlink_to(connection.settings_dict["NAME"])
        process = subprocess.Popen([sys.executable, "-c", SLOW, job.key], env=here)
        for _ in range(300):
            if len(Job.objects.get().judged) >= 1:
                break
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        stored = Verdict.objects.count()
        assert 1 <= stored == len(Job.objects.get().judged) < 3 and Job.objects.get().state == "running"
        Job.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
        jobs.start(mira, job)
        jobs.run(job.key)
        assert Verdict.objects.count() == 3 and Job.objects.get().state == "done"
        assert server.asked <= 4  # the call in flight at the kill may be asked again, no other
