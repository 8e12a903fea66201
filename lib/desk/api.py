"""The JSON API: what a program reads and sends. Everyone may read; to write, a token (see `people`, `api_schema`).

Cookies count for nothing here, so no other site can make a browser write. Each error is JSON that names the field and
how to mend it (`security.told`).
"""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.db.models import Model, Prefetch, QuerySet
from django.http import Http404, HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt
from proctor.data.tabular import parse_json

from desk import acts, api_schema, people, security
from desk.api_schema import Operation
from desk.models import Account, Answer, Comment, Kind, Question, Review, System, Verdict
from desk.resolution import counts, state_of
from desk.security import Problem
from desk.trail import jsonable


def view_of(one: Operation) -> Callable:
    allowed = ("POST",) if one.takes else ("GET", "HEAD")

    @csrf_exempt
    def view(request: HttpRequest, **place: Any) -> JsonResponse:
        if request.method not in allowed:
            raise Problem(405, "method", f"Only {', '.join(allowed)} here.", Allow=", ".join(allowed))
        if not one.takes:
            return JsonResponse(one.call(request, **place))
        by, body = _signed_in(request), _body(request, one.takes)
        return JsonResponse(one.call(by, body, **place), status=201)

    return view


def _signed_in(request: HttpRequest) -> Account:
    text, how = people.bearer(request), {"WWW-Authenticate": "Bearer"}
    if not text:
        raise Problem(401, "no token", "Send a token of yours: Authorization: Bearer <token>.", **how)
    account = people.account_of(text)
    if account is None:
        security.spend("token", security.address(request))
        raise Problem(401, "bad token", "This token is unknown or revoked. Make one on your page.", **how)
    security.spend("submit", f"account {account.pk}")
    return account


def _body(request: HttpRequest, schema: str) -> dict:
    if request.content_type != "application/json":
        raise Problem(415, "content type", "Send Content-Type: application/json.")
    try:
        body = parse_json(request.body.decode("utf-8"))
    except RequestDataTooBig:
        raise Problem(413, "too large", "More than 2 MB. Shorten the longest field.") from None
    except ValueError as error:
        raise Problem(400, "not JSON", f"The body is no JSON ({str(error)[:100]}).") from None
    return api_schema.checked(api_schema.BODIES[schema], body)


# Rows as they are given


def _reply(name: str, row: Model, **more: Any) -> dict:
    """A row with the fields of its schema; `more`: those that are not the row's own."""
    return {
        one: more[one] if one in more else jsonable(getattr(row, one)) for one in api_schema.REPLIES[name]["properties"]
    }


def question(row: Question) -> dict:
    return _reply("Question", row, url=_url(row))


def whole_question(row: Question) -> dict:
    remarks = row.remarks.filter(withdrawn_at=None).select_related("author", "review").order_by("pk")
    answers = [answer(one, traces=False) for one in with_all(row.answers)]
    remarks = [comment(one) for one in remarks]
    return _reply("WholeQuestion", row, url=_url(row), answers=answers, remarks=remarks)


def _url(row: Question) -> str:
    return f"{reverse('api')}questions/{row.key}/"


def with_all(answers: QuerySet) -> QuerySet:
    """Standing answers with all that `answer` reads, in few queries."""
    reviews = Review.objects.filter(withdrawn_at=None).select_related("reviewer", "system").order_by("pk")
    return (
        answers.filter(withdrawn_at=None)
        .select_related("question", "system", "submitted_by")
        .prefetch_related(Prefetch("reviews", reviews), Prefetch("verdicts", Verdict.objects.order_by("pk")))
        .order_by("pk")
    )


def answer(row: Answer, traces: bool = True) -> dict:
    """traces: with the validators' traces, which may be long."""
    reviews, system = list(row.reviews.all()), row.system
    for one in reviews:
        one.answer = row
    told = dict(url=f"{reverse('api')}answers/{row.key}/", question=row.question.key, state=state_of(reviews))
    told |= dict(**names(system), people=system.people, submitted_by=row.submitted_by.username)
    told |= dict(verdicts=[verdict(one, traces) for one in row.verdicts.all()])
    for kind in Kind.values:
        told[f"{kind}_reviews"] = [review(one) for one in reviews if one.kind == kind]
    return _reply("Answer", row, **told)


def review(row: Review) -> dict:
    return _reply("Review", row, reviewer=row.reviewer.username, counts=counts(row), **names(row.system))


def names(system: System | None) -> dict[str, str]:
    system = system or System()
    return dict(organisation=system.organisation, system=system.name, base_model=system.base_model)


def verdict(row: Verdict, trace: bool = True) -> dict:
    return _reply("Verdict", row, trace=row.trace if trace else [])


def comment(row: Comment) -> dict:
    return _reply("Comment", row, author=row.author.username, review=row.review.key if row.review else "")


# Resources


def by_key(site: str, number: str) -> Question:
    return get_object_or_404(Question, key=f"{site}/{number}")


def _answer(key: str) -> Answer:
    return get_object_or_404(with_all(Answer.objects), key=key)


def list_questions(request: HttpRequest) -> dict:
    wanted = api_schema.checked_filters(request.GET.dict())
    limit, after = wanted.pop("limit"), wanted.pop("after")
    rows = list(Question.objects.filter(pk__gt=after, **wanted).order_by("pk")[: limit + 1])
    more = request.GET.copy()
    more["after"] = rows[limit - 1].pk if len(rows) > limit else 0
    following = f"{reverse('api')}questions/?{more.urlencode()}" if len(rows) > limit else None
    return dict(items=[question(row) for row in rows[:limit]], next=following)


def submit_answer(by: Account, body: dict, site: str, number: str) -> dict:
    made = acts.submit_answer(by, by_key(site, number), **body)
    return answer(_answer(made.key))


def add_comment(by: Account, body: dict, site: str, number: str) -> dict:
    return comment(acts.comment(by, by_key(site, number), **body))


def add_review(by: Account, body: dict, key: str) -> dict:
    answer = _answer(key)
    with transaction.atomic():  # no system is left of a review that is refused
        system = acts.system_of(body.pop("organisation"), body.pop("system"), body.pop("base_model"))
        return review(acts.review(by, answer, kind="ai", system=system, **body))


def add_verdict(by: Account, body: dict, key: str) -> dict:
    if not by.may_moderate():
        raise acts.NotAllowed("Verdicts enter the validators' pass rates: only moderators add them. Send an AI review.")
    return verdict(acts.add_verdict(_answer(key), by=by, **body))


def start(request: HttpRequest) -> dict:
    return dict(questions=f"{reverse('api')}questions/", description=reverse("api_schema"))


def describe(request: HttpRequest) -> dict:
    return api_schema.document(OPERATIONS, reverse("api"))


def read_question(request: HttpRequest, site: str, number: str) -> dict:
    return whole_question(by_key(site, number))


def read_answer(request: HttpRequest, key: str) -> dict:
    return answer(_answer(key))


def nowhere(request: HttpRequest, rest: str) -> dict:
    raise Http404


QUESTION, ANSWER = "questions/{site}/{number}/", "answers/{key}/"
OPERATIONS = (
    Operation("openapi.json", "Read this document", "", "", describe),
    Operation("questions/", "List questions, oldest first", "", "Questions", list_questions),
    Operation(QUESTION, "Read a question with its answers", "", "WholeQuestion", read_question),
    Operation(ANSWER, "Read an answer with all that was said of it", "", "Answer", read_answer),
    Operation(f"{QUESTION}answers/", "Submit an answer", "NewAnswer", "Answer", submit_answer),
    Operation(f"{QUESTION}comments/", "Comment on a question", "NewComment", "Comment", add_comment),
    Operation(f"{ANSWER}reviews/", "Add an AI review", "NewReview", "Review", add_review),
    Operation(f"{ANSWER}verdicts/", "Add a validator's verdict (moderators)", "NewVerdict", "Verdict", add_verdict),
)
api_urls = [
    path("api/", view_of(Operation("", "", "", "", start)), name="api"),
    path("api/openapi.json", view_of(OPERATIONS[0]), name="api_schema"),
    *(path("api/" + one.address.replace("{", "<str:").replace("}", ">"), view_of(one)) for one in OPERATIONS[1:]),
    path("api/<path:rest>", csrf_exempt(nowhere)),
]
