import pytest
from desk import jobs
from desk.models import Act, Job, Round

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_bill_is_confirmed_in_the_browser_and_verdicts_show(judge_server, mira, three_answers, launched, client):
    client.force_login(mira)
    order = dict(validator="C", judges=[judge_server.judge], temperature=0, question="math/1", answer="")
    assert b"3 answers to judge" in client.get("/jobs/new/?question=math/1").content
    bad = client.post("/jobs/new/", order | dict(validator="(C"))
    assert bad.status_code == 422 and judge_server.asked == 0
    address = client.post("/jobs/new/", order)["Location"]
    page = client.get(address)
    assert b"At most <strong>3 calls</strong>" in page.content and "Refresh" not in page
    client.post(f"{address}start/")
    assert client.get(address)["Refresh"] == "3" and len(launched) == 1
    jobs.run(launched[0])
    client.logout()
    page = client.get(address)
    assert page.content.count(b"Accepts") == 2 and b"Confirm" not in page.content and "Refresh" not in page
    assert b"<h1>Sign in</h1>" in client.get("/jobs/new/").content and b"has ended" in client.get("/jobs/").content
    assert list(Act.objects.filter(verb__endswith="job").values_list("verb", flat=True)) == ["plan job", "start job"]


def test_a_run_is_ordered_from_the_question_by_a_moderator(mira, three_answers, client):
    link = '<a href="/jobs/new/?question=math/1">'
    assert link not in client.get("/q/math/1/").text and 'href="/jobs/"' in client.get("/").text
    client.force_login(mira)
    assert link in client.get("/q/math/1/").text


def test_the_lists_of_runs_and_rounds_need_few_queries_however_long(mira, client, django_assert_max_num_queries):
    for number in range(12):
        Job.objects.create(ordered_by=mira, validator="C")
        Round.objects.create(protocol="kina_blind", title=f"R{number}", organizer=mira)
    client.force_login(mira)
    for address in ("/jobs/", "/rounds/"):
        with django_assert_max_num_queries(6):
            client.get(address)


def test_why_a_run_stopped_is_for_moderators_alone(mira, client):
    job = Job.objects.create(ordered_by=mira, validator="C", state="stopped", message="no key at http://10.0.0.7/v1")
    assert "10.0.0.7" not in client.get(f"/jobs/{job.key}/").text
    client.force_login(mira)
    assert "10.0.0.7" in client.get(f"/jobs/{job.key}/").text
