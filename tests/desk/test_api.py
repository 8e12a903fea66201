"""The JSON API from outside: what goes in, what comes out, what is refused, and how."""

import json
import logging

import pytest
from desk import acts, api, api_schema, people, security
from desk.models import Account, Act, Answer, Comment, Question, System, Verdict
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

ANSWER = dict(organisation="Lab", system="B", base_model="b", prompt="Answer.", text="Because.")
REVIEW = dict(organisation="Lab", system="Judge", base_model="b", correct="no", confidence=4, text="Wrong.")
COMMENTS = "questions/math/1/comments/"


@pytest.fixture
def send(reviewer):
    """send(path, body) as the fixture's reviewer; token="" for nobody."""
    _, own = people.make_token(reviewer, "tests")

    def ask(path, body=None, token=own, **how):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = Client(raise_request_exception=False)
        if body is None:
            return client.get(f"/api/{path}", headers=headers, **how)
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return client.post(f"/api/{path}", text, **dict(content_type="application/json") | how, headers=headers)

    ask.token = own
    return ask


def kept(name: str, reply, status: int = 200) -> dict:
    """A reply's body, which keeps its documented schema."""
    assert reply.status_code == status
    document = api_schema.document(api.OPERATIONS)
    Draft202012Validator({"$ref": f"#/components/schemas/{name}"} | document).validate(reply.json())
    return reply.json()


def told(reply, status: int) -> dict:
    return {one["field"]: one["mend"] for one in kept("Error", reply, status)["problems"]}


def test_an_answer_is_submitted_and_read_back_until_it_is_withdrawn(send, question, reviewer):
    made = kept("Answer", send("questions/math/1/answers/", ANSWER), 201)
    whole = kept("WholeQuestion", send("questions/math/1/", token=""))
    assert whole["state"] == "answered" and whole["answers"][0]["text"] == "Because."
    assert "word for word" in told(send("questions/math/1/answers/", ANSWER), 422)["text"]
    assert Act.objects.filter(actor=reviewer, verb="submit", table="answer", key=made["key"]).count() == 1
    assert send(f"answers/{made['key']}/", token="").json() == made
    acts.withdraw(reviewer, Answer.objects.get())
    told(send(f"answers/{made['key']}/"), 404)
    assert send("questions/math/1/").json()["answers"] == []


def test_a_reader_s_ai_review_stands_once_apart_and_resolves_nothing(send, answer, reviewer):
    people.decide(None, reviewer, "role reader")
    acts.edit(reviewer, answer, 1, text="Because of y.")
    assert "2" in told(send(f"answers/{answer.key}/reviews/", REVIEW | dict(version=1)), 409)["version"]
    assert not System.objects.filter(name="Judge").exists()  # of a review of an older version nothing is left
    assert not kept("Review", send(f"answers/{answer.key}/reviews/", REVIEW), 201)["counts"]
    assert "text" in told(send(f"answers/{answer.key}/reviews/", REVIEW), 422)
    read = send(f"answers/{answer.key}/").json()
    assert len(read["ai_reviews"]) == 1 and read["human_reviews"] == [] and read["state"] == "unreviewed"


def test_only_a_moderator_adds_verdicts(send, answer, reviewer):
    body = dict(validator="(C x3|U)", outcome="accept", calls=3, trace=[{"reply": "yes"}])
    told(send(f"answers/{answer.key}/verdicts/", body), 403)
    people.decide(None, reviewer, "role moderator")
    kept("Verdict", send(f"answers/{answer.key}/verdicts/", body), 201)
    assert Verdict.objects.get().ordered_by == reviewer
    whole = send("questions/math/1/").json()
    assert whole["state"] == "open" and whole["answers"][0]["verdicts"][0]["trace"] == []  # long ones: with the answer
    assert send(f"answers/{answer.key}/").json()["verdicts"][0]["trace"] == [{"reply": "yes"}]


def test_a_question_is_read_in_as_many_queries_however_much_was_said(answer):
    with CaptureQueriesContext(connection) as few:
        api.whole_question(answer.question)
    for number in range(5):
        who = Account.objects.create_user(f"r{number}", role="reviewer")
        acts.review(who, answer, "yes", 4, "Right.")
        acts.add_verdict(answer, "C", "accept")
    with CaptureQueriesContext(connection) as many:
        told = api.whole_question(answer.question)
    assert len(told["answers"][0]["human_reviews"]) == 5 and told["answers"][0]["state"] == "verified"
    assert len(many) <= len(few) + 1


def test_questions_are_listed_page_by_page_and_by_state(send):
    for number in range(5):
        Question.objects.create(key=f"cs/{number}", site="cs", title="T", body="B", licence="CC BY-SA 4.0")
    Question.objects.filter(key="cs/3").update(state="resolved")
    seen, address = [], "questions/?limit=2&site=cs"
    while address:
        page = kept("Questions", send(address.removeprefix("/api/")))
        seen += [one["key"] for one in page["items"]]
        address = page["next"]
    assert seen == [f"cs/{number}" for number in range(5)]
    assert [one["key"] for one in send("questions/?state=resolved").json()["items"]] == ["cs/3"]


def test_an_odd_query_is_refused_by_name(send):
    for query in "limit=0 limit=101 limit=x after=-1 state=maybe site=%00".split() + ["limit=" + "9" * 5000]:
        assert query.split("=")[0] in told(send(f"questions/?{query}"), 422)


def test_who_sends_no_token_or_a_wrong_one_writes_nothing(send, question, reviewer):
    for token in ("", "desk_wrong", "\u00e9"):
        reply = send("questions/math/1/answers/", ANSWER, token=token)
        told(reply, 401)
        assert reply["WWW-Authenticate"] == "Bearer"
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)  # a session in a browser counts for nothing, nor does a token elsewhere
    for address, how in (
        (COMMENTS, {}),
        (f"{COMMENTS}?token={send.token}", {}),
        (COMMENTS, dict(headers={"Authorization": f"Basic {send.token}"})),
    ):
        told(client.post(f"/api/{address}", '{"text": "x"}', content_type="application/json", **how), 401)
    assert not Answer.objects.exists() and not Comment.objects.exists()


ODD = {
    400: ("{", b"\xff", '{"text": NaN}', '{"text": "\\ud800"}', "[" * 100_000),
    413: ('{"text": "' + "x" * 2_000_001 + '"}',),
    422: ('{"text": "a\\u0000b"}', "[]", '{"text": "' + "x" * 100_001 + '"}'),
}


def test_odd_bodies_are_told_and_not_stored(send, question):
    for status, bodies in ODD.items():
        for body in bodies:
            told(send(COMMENTS, body), status)
    told(send(COMMENTS, '{"text": "x"}', content_type="text/plain"), 415)
    assert not Comment.objects.exists()


WRONG = (  # of a verdict
    ("outcome", "maybe", "accept"),
    ("calls", True, "integer"),
    ("calls", -1, "minimum"),
    ("dollars", 1e10, "maximum"),
    ("probability", "0.5", "number"),
    ("validator", "", "Fill"),
    ("validator", "x" * 301, "301 characters"),
    ("password", "x", "no such field"),
)


def test_every_wrong_or_missing_field_is_named_with_its_mend(send, answer, reviewer):
    people.decide(None, reviewer, "role moderator")
    for field, value, mend in WRONG:
        sent = dict(validator="C", outcome="accept") | {field: value}
        problems = told(send(f"answers/{answer.key}/verdicts/", sent), 422)
        assert set(problems) == {field} and mend in problems[field]
    problems = told(send("questions/math/1/answers/", {}), 422)
    assert set(problems) == set(ANSWER) and all("Give this field" in mend for mend in problems.values())


def test_what_is_not_there_or_not_allowed_and_what_comes_too_often_is_told_as_json(send, question, monkeypatch):
    for path in ("questions/math/2/", "answers/none/", "nowhere/", "answers/%00/", "questions/%00/1/"):
        told(send(path), 404)
    reply = Client().delete("/api/questions/math/1/")
    told(reply, 405)
    assert reply["Allow"] == "GET, HEAD"
    monkeypatch.setitem(security.LIMITS, "submit", (1, 3600))
    send(COMMENTS, dict(text="one"))
    reply = send(COMMENTS, dict(text="two"))
    told(reply, 429)
    assert int(reply["Retry-After"]) > 0 and Comment.objects.count() == 1


def test_what_fails_inside_is_told_without_secrets_and_logged_without_a_token(send, question, caplog, monkeypatch):
    def away(*args, **how):
        raise OperationalError("connection to server at 10.0.0.1 failed: password for desk")

    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(acts, "comment", away)
    reply = send(COMMENTS, dict(text="one"))
    told(reply, 503)
    assert reply["Retry-After"] and "10.0.0.1" not in reply.text
    monkeypatch.setattr(acts, "comment", lambda *args, **how: 1 / 0)
    reply = send(COMMENTS, dict(text="one"))
    told(reply, 500)
    assert "ZeroDivision" not in reply.text
    send(COMMENTS, "{")
    send("nowhere/")
    logged = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    assert "ZeroDivisionError" in logged and send.token not in logged
    assert logging.getLogger("django.request").handlers  # in production, too


def test_the_document_is_served_and_describes_each_address_with_its_errors(send):
    document = send("openapi.json", token="").json()
    assert document["openapi"].startswith("3.1") and send("", token="").json()["description"] == "/api/openapi.json"
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    assert {part.split('"')[0] for part in json.dumps(document).split('"#/components/schemas/')[1:]} <= set(schemas)
    for path, verbs in document["paths"].items():
        if write := verbs.get("post"):
            assert write["security"] and {"201", "401", "422", "429"} <= set(write["responses"]), path
