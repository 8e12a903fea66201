"""Jobs against a local server that speaks OpenAI's chat completions. No key, no network."""

from datetime import timedelta
from functools import partial

import pytest
from desk import jobs
from desk.models import Account, Job, Verdict
from desk.trail import NotAllowed, Refused
from django.utils import timezone

pytestmark = pytest.mark.django_db(transaction=True)


def test_verdicts_arrive_with_traces_and_the_job_ends(judge_server, mira, three_answers, launched):
    job = jobs.plan(mira, "(C u2|U)", [judge_server.judge], three_answers)
    assert judge_server.asked == 0 and (job.most_calls, job.most_dollars) == (6, None)
    jobs.start(mira, job)
    assert launched == [job.key]
    jobs.run(job.key)
    job.refresh_from_db()
    assert (job.state, sorted(job.judged)) == ("done", sorted(answer.key for answer in three_answers))
    found = dict(Verdict.objects.values_list("answer__text", "outcome"))
    assert found == {"right": "accept", "wrong": "reject", "right too": "accept"}
    one = Verdict.objects.get(answer=three_answers[0])
    assert one.ordered_by == mira and one.judges == judge_server.judge and one.calls == len(one.trace) == 2
    assert job.calls == judge_server.asked == sum(Verdict.objects.values_list("calls", flat=True))


def test_a_job_that_was_interrupted_asks_only_what_is_left(judge_server, mira, three_answers, launched):
    job = jobs.start(mira, jobs.plan(mira, "C", [judge_server.judge], three_answers))
    Job.objects.filter(pk=job.pk).update(beat_at=timezone.now() - timedelta(minutes=1), judged=[three_answers[0].key])
    job.refresh_from_db()
    assert jobs.state_of(job) == "interrupted"
    jobs.start(mira, job)
    jobs.run(job.key)
    assert judge_server.asked == 2 and Verdict.objects.count() == 2 and Job.objects.get().state == "done"


def test_a_running_job_is_not_started_twice_and_an_ended_one_not_again(judge_server, mira, three_answers, launched):
    job = jobs.start(mira, jobs.plan(mira, "C", [judge_server.judge], three_answers))
    with pytest.raises(Refused, match="is running"):
        jobs.start(mira, job)
    jobs.run(job.key)
    with pytest.raises(Refused, match="has ended"):
        jobs.start(mira, job)


def test_a_bill_above_the_desk_s_budget_is_refused_before_the_first_call(
    judge_server, mira, three_answers, launched, monkeypatch
):
    job = jobs.plan(mira, "C", ["openai/gpt-4o"], three_answers)
    assert job.most_dollars > 0
    with pytest.raises(Refused, match="budget has .0.00 left"):
        jobs.start(mira, job)
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "2")
    with pytest.raises(Refused, match="may take 3 calls"):
        jobs.start(mira, jobs.plan(mira, "C", [judge_server.judge], three_answers))
    assert not launched and judge_server.asked == 0
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
def test_what_the_engine_would_not_take_is_refused_by_field(
    judge_server, mira, three_answers, validator, judging, field
):
    with pytest.raises(Refused) as error:
        jobs.plan(mira, validator, [judge_server.judge if name == "own" else name for name in judging], three_answers)
    assert list(error.value.problems) == [field] and not Job.objects.exists()


@pytest.mark.parametrize("validator, judging", [("C", ["openai/gpt-4o"]), ("C@openai/gpt-4o", [])])
def test_a_judge_that_the_desk_gave_up_since_is_not_asked(
    judge_server, mira, three_answers, launched, monkeypatch, validator, judging
):
    job = jobs.plan(mira, validator, [*judging, judge_server.judge][:1], three_answers)
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", judge_server.judge)
    with pytest.raises(Refused, match="openai/gpt-4o: no longer a judge"):
        jobs.start(mira, job)
    assert not launched


def test_only_a_moderator_plans_starts_and_stops(judge_server, mira, three_answers, launched):
    ada = Account.objects.create_user("ada", password=None, role="reviewer")
    with pytest.raises(NotAllowed):
        jobs.plan(ada, "C", [judge_server.judge], three_answers)
    job = jobs.plan(mira, "C", [judge_server.judge], three_answers)
    for act in (jobs.start, jobs.stop):
        with pytest.raises(NotAllowed):
            act(ada, job)


def test_a_server_that_fails_leaves_the_job_stopped_and_its_reason_told(
    mira, three_answers, launched, monkeypatch, settings, tmp_path
):
    settings.FOLDER = tmp_path
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", "openai/fake@http://127.0.0.1:9/v1")
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
    monkeypatch.setattr(jobs, "RETRIES", 0)
    job = jobs.start(mira, jobs.plan(mira, "C", jobs.judges(), three_answers))
    jobs.run(job.key)
    job.refresh_from_db()
    assert job.state == "stopped" and job.message and not Verdict.objects.exists()


def test_jobs_that_start_at_once_do_not_pass_the_budget_together(
    judge_server, mira, three_answers, launched, monkeypatch, at_once
):
    monkeypatch.setenv("PROCTOR_DESK_CALLS", "5")
    planned = [jobs.plan(mira, "C", [judge_server.judge], three_answers) for _ in range(4)]  # three calls each
    refused = at_once(*(partial(jobs.start, mira, job) for job in planned))
    assert [type(error) for error in refused] == [Refused] * 3 and len(launched) == 1


@pytest.mark.parametrize("validator", ["C x999999|U", "C x999999999999|U", "((C x100|U) x100|U) x100|U"])
def test_an_order_that_would_take_minutes_to_bill_is_refused_at_once(judge_server, mira, three_answers, validator):
    with pytest.raises(Refused, match="At most x100|More than 20,000 votes"):
        jobs.plan(mira, validator, [judge_server.judge], three_answers, 0.7)
    assert not Job.objects.exists()


@pytest.mark.parametrize("here, named", [(True, ["smollm2-135m"]), (False, [])])
def test_the_embedded_model_judges_where_its_weights_are_and_no_judge_is_named(monkeypatch, tmp_path, here, named):
    monkeypatch.delenv("PROCTOR_DESK_JUDGES", raising=False)
    weights = tmp_path / "weights.gguf"
    weights.touch()

    def found(model):
        if not here:
            raise jobs.ModelError("not here")
        return weights

    monkeypatch.setattr(jobs, "weights_file", found)
    assert jobs.judges() == named
    monkeypatch.setenv("PROCTOR_DESK_JUDGES", "")
    assert jobs.judges() == []


def test_a_run_by_the_embedded_model_fits_a_desk_without_a_budget(mira, three_answers, monkeypatch, launched):
    for name in ("JUDGES", "BUDGET", "CALLS"):
        monkeypatch.delenv(f"PROCTOR_DESK_{name}", raising=False)
    monkeypatch.setattr(jobs, "_is_here", lambda model: True)
    job = jobs.start(mira, jobs.plan(mira, "(C x3|U)", jobs.judges(), three_answers, 0.7))
    assert (job.state, job.most_dollars) == ("running", 0)
