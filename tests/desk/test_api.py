"""The JSON API from outside: what goes in, what comes out, what is refused, and how."""

import json
import logging

import pytest
from desk import acts, api_schema, rate_limits, tokens
from desk.models import Answer, Comment, Question, Review, System, Verdict
from django.db import OperationalError
from django.test import Client
from jsonschema import Draft202012Validator

ANSWER = dict(organisation="Lab", system="B", base_model="b", prompt="Answer.", text="Because.")
REVIEW = dict(organisation="Lab", system="Judge", base_model="b", correct="no", confidence=4, text="Wrong.")


@pytest.fixture
def send(reviewer):
    """send(path, body) as the fixture's reviewer; token="" for nobody."""
    _, own = tokens.make(reviewer, "tests")

    def ask(path, body=None, token=own, **how):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = Client(raise_request_exception=False)
        if body is None:
            return client.get(f"/api/{path}", headers=headers, **how)
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return client.post(f"/api/{path}", text, **dict(content_type="application/json") | how, headers=headers)

    ask.token = own
    return ask


def keeps(name: str, value) -> None:
    """Whether a reply keeps its documented schema."""
    document = api_schema.document()
    Draft202012Validator({"$ref": f"#/components/schemas/{name}"} | document).validate(value)


def told(reply) -> dict:
    keeps("Error", reply.json())
    return {one["field"]: one["mend"] for one in reply.json()["problems"]}


def test_an_answer_is_submitted_and_read_back(send, question):
    reply = send("questions/math/1/answers/", ANSWER)
    assert reply.status_code == 201
    keeps("Answer", reply.json())
    whole = send("questions/math/1/", token="").json()
    keeps("WholeQuestion", whole)
    assert whole["state"] == "answered" and whole["answers"][0]["text"] == "Because."
    assert send(f"answers/{reply.json()['key']}/", token="").json() == reply.json()


def test_an_ai_review_stands_apart_and_resolves_nothing(send, answer):
    reply = send(f"answers/{answer.key}/reviews/", REVIEW)
    assert reply.status_code == 201
    keeps("Review", reply.json())
    assert not reply.json()["counts"]
    read = send(f"answers/{answer.key}/").json()
    assert len(read["ai_reviews"]) == 1 and read["human_reviews"] == [] and read["state"] == "unreviewed"


def test_the_same_ai_review_sent_again_is_refused_not_doubled(send, answer):
    send(f"answers/{answer.key}/reviews/", REVIEW)
    assert "text" in told(send(f"answers/{answer.key}/reviews/", REVIEW))
    assert Review.objects.count() == 1


def test_an_ai_review_of_an_older_version_is_a_conflict(send, answer, reviewer):
    acts.edit(reviewer, answer, 1, text="Because of y.")
    reply = send(f"answers/{answer.key}/reviews/", REVIEW | dict(version=1))
    assert reply.status_code == 409 and "2" in told(reply)["version"]
    assert not System.objects.filter(name="Judge").exists()


def test_only_a_moderator_adds_verdicts(send, answer, reviewer):
    body = dict(validator="(C x3|U)", outcome="accept", calls=3, trace=[{"reply": "yes"}])
    assert send(f"answers/{answer.key}/verdicts/", body).status_code == 403
    acts.set_role(None, reviewer, "moderator")
    reply = send(f"answers/{answer.key}/verdicts/", body)
    keeps("Verdict", reply.json())
    assert Verdict.objects.get().ordered_by == reviewer


def test_questions_are_listed_page_by_page_and_by_state(send, db):
    for number in range(5):
        Question.objects.create(
            key=f"cs/{number}", site="cs", title="T", body="B", licence="CC BY-SA 4.0", state="open"
        )
    Question.objects.filter(key="cs/3").update(state="resolved")
    seen, address = [], "questions/?limit=2&site=cs"
    while address:
        page = send(address.removeprefix("/api/")).json()
        keeps("Questions", page)
        seen += [one["key"] for one in page["items"]]
        address = page["next"]
    assert seen == [f"cs/{number}" for number in range(5)]
    assert [one["key"] for one in send("questions/?state=resolved").json()["items"]] == ["cs/3"]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", "after=-1", "state=maybe", "site=%00", "limit=" + "9" * 5000]
)
def test_an_odd_query_is_refused_by_name(send, query):
    reply = send(f"questions/?{query}")
    assert reply.status_code == 422 and query.split("=")[0] in told(reply)


def test_who_sends_no_token_or_a_wrong_one_writes_nothing(send, question):
    for token in ("", "desk_wrong", "\u00e9"):
        reply = send("questions/math/1/answers/", ANSWER, token=token)
        assert reply.status_code == 401 and reply["WWW-Authenticate"] == "Bearer"
        told(reply)
    assert not Answer.objects.exists()


def test_a_session_in_a_browser_does_not_write_through_the_api(question, reviewer):
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    reply = client.post("/api/questions/math/1/comments/", '{"text": "x"}', content_type="application/json")
    assert reply.status_code == 401 and not Comment.objects.exists()


@pytest.mark.parametrize(
    "body, how, status",
    [
        ("{", {}, 400),
        (b"\xff", {}, 400),
        ('{"text": NaN}', {}, 400),
        ("[" * 100_000, {}, 400),
        ('{"text": "a\\u0000b"}', {}, 422),
        ('{"text": "\\ud800"}', {}, 422),
        ("{}", {}, 422),
        ("[]", {}, 422),
        ('{"text": "x"}', dict(content_type="text/plain"), 415),
        ('{"text": "' + "x" * 2_000_001 + '"}', {}, 413),
        ('{"text": "' + "x" * 100_001 + '"}', {}, 422),
    ],
    ids=["cut", "bytes", "nan", "deep", "nul", "half letter", "empty", "list", "type", "huge", "long"],
)
def test_odd_bodies_are_told_and_not_stored(send, question, body, how, status):
    reply = send("questions/math/1/comments/", body, **how)
    assert reply.status_code == status
    told(reply)
    assert not Comment.objects.exists()


@pytest.mark.parametrize("path", ["questions/math/2/", "answers/none/", "nowhere/", "answers/%00/", "questions/%00/1/"])
def test_what_is_not_there_is_told_as_json(send, question, path):
    reply = send(path)
    assert reply.status_code == 404
    told(reply)


def test_a_withdrawn_answer_is_not_given(send, answer, reviewer):
    acts.withdraw(reviewer, answer)
    assert send(f"answers/{answer.key}/").status_code == 404
    assert send("questions/math/1/").json()["answers"] == []


def test_other_methods_are_refused_with_those_that_are_allowed(send, question):
    reply = Client().delete("/api/questions/math/1/")
    assert reply.status_code == 405 and reply["Allow"] == "GET, HEAD"
    told(reply)


def test_too_often_says_how_long_to_wait(send, question, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "submit", rate_limits.Limit(1, 3600))
    send("questions/math/1/comments/", dict(text="one"))
    reply = send("questions/math/1/comments/", dict(text="two"))
    assert reply.status_code == 429 and int(reply["Retry-After"]) > 0
    assert Comment.objects.count() == 1


def test_a_database_that_is_away_is_told_without_its_secrets(send, question, monkeypatch):
    def away(*args, **how):
        raise OperationalError("connection to server at 10.0.0.1 failed: password for desk")

    monkeypatch.setattr(acts, "comment", away)
    reply = send("questions/math/1/comments/", dict(text="one"))
    assert reply.status_code == 503 and reply["Retry-After"] and "10.0.0.1" not in reply.content.decode()
    told(reply)


def test_an_error_of_ours_is_logged_without_a_token_and_told_without_its_trace(send, question, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(acts, "comment", lambda *args, **how: 1 / 0)
    reply = send("questions/math/1/comments/", dict(text="one"))
    assert reply.status_code == 500 and "ZeroDivision" not in reply.text
    send("questions/math/1/comments/", "{")
    send("nowhere/")
    told = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    assert "ZeroDivisionError" in told and send.token not in told


def test_the_document_is_served(send, db):
    assert send("openapi.json", token="").json()["openapi"].startswith("3.1")
    assert send("", token="").json()["description"] == "/api/openapi.json"
