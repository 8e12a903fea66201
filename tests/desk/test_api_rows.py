from desk import acts, api_rows
from desk.models import Account
from django.db import connection
from django.test.utils import CaptureQueriesContext


def test_a_question_is_read_in_as_many_queries_however_much_was_said(answer):
    with CaptureQueriesContext(connection) as few:
        api_rows.whole_question(answer.question)
    for number in range(5):
        who = Account.objects.create_user(f"r{number}", role="reviewer")
        acts.review(who, answer, "yes", 4, "Right.")
        acts.add_verdict(answer, "C", "accept")
    with CaptureQueriesContext(connection) as many:
        told = api_rows.whole_question(answer.question)
    assert len(told["answers"][0]["human_reviews"]) == 5 and told["answers"][0]["state"] == "verified"
    assert len(many) <= len(few) + 1


def test_traces_are_given_with_their_answer_alone(answer):
    acts.add_verdict(answer, "C", "accept", trace=[{"reply": "yes"}])
    assert api_rows.whole_question(answer.question)["answers"][0]["verdicts"][0]["trace"] == []
    assert api_rows.answer(answer)["verdicts"][0]["trace"] == [{"reply": "yes"}]
