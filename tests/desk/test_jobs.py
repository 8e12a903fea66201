"""Jobs and their pages against a local server that speaks OpenAI's chat completions. No key, no network."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from desk import jobs
from desk.models import Act, Answer, Job, Round, Verdict
from desk.trail import NotAllowed, Refused
from django.db import connection
from django.utils import timezone
from faulty_server import Server

on_disk = pytest.mark.django_db(transaction=True)  # a run reads and writes in threads of its own


def test_a_bill_above_the_desk_s_budget_is_refused_before_the_first_call(
    order, judge_server, moderator, launched, monkeypatch
):
    job = order(judging=["openai/gpt-4o"])
    assert job.most_dollars > 0
    with pytest.raises(Refused, match="budget has .0.00 left"):
        jobs.start(moderator, job)
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "2")
    with pytest.raises(Refused, match="may take 3 calls"):
        jobs.start(moderator, order())
    assert not launched and judge_server.arrived == 0
    monkeypatch.setenv("PROCTOR_DESK_BUDGET", "5")
    jobs.start(moderator, job)
    assert jobs.left("dollars") == pytest.approx(5 - job.most_dollars)  # what runs is set aside


HUGE = ("C x999999999999|U", "C u21|U", "((C x100|U) x100|U) x100|U")


def test_what_the_engine_would_not_take_or_not_bill_at_once_is_refused_by_field(order):
    for field, *told in (
        ("validator", "(C"),
        ("validator", "C", []),
        ("validator", "(C x3|U)"),  # at temperature 0 every reply is the same
        ("judges", "C", ["openai/other"]),
        ("judges", "C@openai/other"),
        *(("validator", huge, None, 0.7) for huge in HUGE),
    ):
        with pytest.raises(Refused) as error:
            order(*told)
        assert list(error.value.problems) == [field] and not Job.objects.exists()
        if told[0] in HUGE:
            assert "At most x100" in str(error.value) or "More than 20,000 votes" in str(error.value)


@pytest.mark.parametrize("validator, judging", [("C", ["openai/gpt-4o"]), ("C@openai/gpt-4o", None)])
def test_a_judge_that_the_desk_gave_up_since_is_not_asked(
    order, judge_server, moderator, launched, monkeypatch, validator, judging
):
    job = order(validator, judging)
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", judge_server.judge)
    with pytest.raises(Refused, match="openai/gpt-4o: no longer a judge"):
        jobs.start(moderator, job)
    assert not launched


@on_disk
def test_a_server_that_fails_leaves_the_job_stopped_and_its_reason_told(order, moderator, launched, monkeypatch):
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", "openai/fake@http://127.0.0.1:9/v1")
    monkeypatch.setattr(jobs, "RETRIES", 0)
    job = jobs.start(moderator, order(judging=jobs.judges()))
    jobs.run(job.key)
    job.refresh_from_db()
    assert job.state == "stopped" and job.message and not Verdict.objects.exists()


@on_disk
def test_jobs_that_start_at_once_do_not_pass_the_budget_together(order, moderator, launched, monkeypatch, at_once):
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "5")
    planned = [order() for _ in range(4)]  # three calls each
    refused = at_once(*(partial(jobs.start, moderator, job) for job in planned))
    assert [type(error) for error in refused] == [Refused] * 3 and len(launched) == 1


def test_the_embedded_model_judges_without_a_budget_where_its_weights_are_and_no_judge_is_named(
    moderator, three_answers, monkeypatch, launched
):
    for name in ("JUDGES", "BUDGET", "CALLS"):
        monkeypatch.delenv(f"PROCTOR_DESK_{name}", raising=False)
    for missing in (jobs.ModelError, ModuleNotFoundError):
        monkeypatch.setattr(jobs, "weights_file", Mock(side_effect=missing("not here")))
        assert jobs.judges() == []
    monkeypatch.setattr(jobs, "weights_file", Mock())
    assert jobs.judges() == ["smollm2-135m"]
    job = jobs.start(moderator, jobs.plan(moderator, "(C x3|U)", jobs.judges(), three_answers, 0.7))
    assert (job.state, job.most_dollars) == ("running", 0)
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", "")
    assert jobs.judges() == []


# Their pages


@on_disk
def test_the_bill_is_confirmed_by_a_moderator_in_the_browser_and_verdicts_arrive_with_traces(
    judge_server, moderator, reviewer, three_answers, launched, client
):
    link = '<a href="/jobs/new/?question=math/1">'
    assert link not in client.get("/q/math/1/").text and 'href="/jobs/"' in client.get("/").text
    client.force_login(moderator)
    assert link in client.get("/q/math/1/").text
    order = dict(validator="(C u2|U)", judges=[judge_server.judge], temperature=0, question="math/1", answer="")
    assert "3 answers to judge" in client.get("/jobs/new/?question=math/1").text
    assert client.post("/jobs/new/", order | dict(validator="(C")).status_code == 422
    address = client.post("/jobs/new/", order)["Location"]
    page, job = client.get(address), Job.objects.get()
    assert "At most <strong>6 calls</strong>" in page.text and "Refresh" not in page
    assert judge_server.arrived == 0 and (job.most_calls, job.most_dollars) == (6, None)
    client.force_login(reviewer)
    assert client.post("/jobs/new/", order).status_code == 403 and "Confirm" not in client.get(address).text
    for act in (jobs.start, jobs.stop):
        with pytest.raises(NotAllowed):
            act(reviewer, job)
    with pytest.raises(NotAllowed):
        jobs.plan(reviewer, "C", [judge_server.judge], three_answers)
    client.force_login(moderator)
    client.post(f"{address}start/")
    assert client.get(address)["Refresh"] == "3" and launched == [job.key]
    with pytest.raises(Refused, match="is running"):
        jobs.start(moderator, job)
    jobs.run(job.key)
    with pytest.raises(Refused, match="has ended"):
        jobs.start(moderator, job)
    client.logout()
    page = client.get(address)
    assert page.text.count("Accepts") == 2 and "Confirm" not in page.text and "Refresh" not in page
    assert "<h1>Sign in</h1>" in client.get("/jobs/new/").text and "has ended" in client.get("/jobs/").text
    assert list(Act.objects.filter(verb__endswith="job").values_list("verb", flat=True)) == ["plan job", "start job"]
    job.refresh_from_db()
    assert (job.state, sorted(job.judged)) == ("done", sorted(answer.key for answer in three_answers))
    found = dict(Verdict.objects.values_list("answer__text", "outcome"))
    assert found == {"right": "accept", "wrong": "reject", "right too": "accept"}
    one = Verdict.objects.get(answer=three_answers[0])
    assert one.ordered_by == moderator and one.judges == judge_server.judge and one.calls == len(one.trace) == 2
    assert job.calls == judge_server.arrived == sum(Verdict.objects.values_list("calls", flat=True))


def test_why_a_run_stopped_is_for_moderators_alone_and_lists_need_few_queries(
    moderator, client, django_assert_max_num_queries
):
    job = Job.objects.create(
        ordered_by=moderator, validator="C", state="stopped", message="no key at http://10.0.0.7/v1"
    )
    assert "10.0.0.7" not in client.get(f"/jobs/{job.key}/").text
    client.force_login(moderator)
    assert "10.0.0.7" in client.get(f"/jobs/{job.key}/").text
    for number in range(12):
        Job.objects.create(ordered_by=moderator, validator="C")
        Round.objects.create(protocol="kina_blind", title=f"R{number}", organizer=moderator)
    for address in ("/jobs/", "/rounds/"):
        with django_assert_max_num_queries(6):
            client.get(address)


# The process of a job, killed while it asks


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the process finds the test's database by its file")
@on_disk
def test_a_killed_process_loses_no_verdict_and_pays_no_kept_reply_again(
    moderator, three_answers, launched, monkeypatch, settings, tmp_path
):
    settings.FOLDER = tmp_path
    more = [
        Answer(question=one.question, system=one.system, prompt="p", text=f"{n}", submitted_by=moderator)
        for n in range(3)
        for one in three_answers
    ]
    answers = [*three_answers, *Answer.objects.bulk_create(more)]

    with Server(answer=lambda text: "Accepted: [[Y]]", hold=2) as server:
        monkeypatch.setenv("PROCTOR_DESK_JUDGES", f"openai/fake@{server.url}/v1")
        monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
        job = jobs.start(moderator, jobs.plan(moderator, "C", jobs.judges(), answers))
        here = {"PYTHONPATH": str(Path(jobs.__file__).parents[1]), "PROCTOR_DESK": str(tmp_path), "PROCTOR_DESK_DB": ""}
        (tmp_path / "desk.sqlite3").symlink_to(connection.settings_dict["NAME"])
        process = subprocess.Popen(
            [sys.executable, "-m", "proctor", "platform", "run-job", job.key], env=os.environ | here
        )
        while not Verdict.objects.exists():
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        server.hold = None
        assert 1 <= Verdict.objects.count() == len(Job.objects.get().judged) < len(answers)
        assert Job.objects.get().state == "running"  # nobody could tell; it is found by its silence
        Job.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
        assert jobs.state_of(Job.objects.get()) == "interrupted"
        jobs.start(moderator, job)
        jobs.run(job.key)
        assert Verdict.objects.count() == len(answers) and Job.objects.get().state == "done"
        assert server.arrived <= len(answers) + jobs.AT_ONCE  # only calls in flight at the kill may be asked again
