"""The JSON API: what a program reads and sends. Everyone may read; to write, a token (see `tokens`, `api_schema`).

Cookies count for nothing here, so no other site can make a browser write. Each error is JSON that names the field and
how to mend it.
"""

import json
import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError, transaction
from django.http import Http404, HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt
from proctor.data.tabular import refuse_constant

from desk import acts, api_rows, api_schema, rate_limits, tokens
from desk.models import Account, Answer, Question
from desk.resolution import STATES
from desk.trail import bad_text

LOG = logging.getLogger(__name__)
PAGE, LONGEST_PAGE = 50, 100


class Problem(Exception):
    """What the API refuses: a status, a word, a sentence, and problems by field."""

    def __init__(self, status: int, word: str, message: str, problems: dict[str, str] | None = None, **headers: str):
        super().__init__(message)
        self.status, self.word, self.problems, self.headers = status, word, problems or {}, headers

    def response(self) -> JsonResponse:
        problems = [dict(field=field, mend=mend) for field, mend in self.problems.items()]
        told = dict(error=self.word, message=str(self), problems=problems)
        return JsonResponse(told, status=self.status, headers=self.headers)


Handler = Callable[..., dict]


def resource(get: Handler | None = None, post: tuple[str, Handler] | None = None):
    """A view. get(request, ...) gives a reply; post names a body's schema and has (by, body, ...)."""

    @csrf_exempt
    def view(request: HttpRequest, **place: Any) -> JsonResponse:
        try:
            if request.method in ("GET", "HEAD") and get:
                return JsonResponse(get(request, **place))
            if request.method == "POST" and post:
                by, body = _signed_in(request), _body(request, post[0])
                return JsonResponse(post[1](by, body, **place), status=201)
            allowed = ", ".join(["GET, HEAD"] * bool(get) + ["POST"] * bool(post))
            raise Problem(405, "method", f"Only {allowed} here.", Allow=allowed)
        except Exception as error:  # all that a view may raise is told as JSON
            return _problem(error).response()

    return view


def _problem(error: Exception) -> Problem:
    match error:
        case Problem():
            return error
        case Http404():
            return Problem(404, "not found", "There is no such thing here, or it was withdrawn.")
        case acts.NotAllowed():
            return Problem(403, "not allowed", str(error))
        case acts.Refused():
            return Problem(422, "refused", "Some fields can't be taken as they are.", error.problems)
        case acts.Stale():
            return Problem(409, "stale", str(error), {"version": f"It is {error.row.version} now. Read it again."})
        case rate_limits.TooMany():
            return Problem(429, "too many", str(error), **{"Retry-After": str(error.seconds)})
        case OperationalError() | InterfaceError() | OSError():
            LOG.error("the database can't be reached or written: %s", type(error).__name__, exc_info=error)
            told = "The desk can't reach its database just now. Nothing was stored: try again in a minute."
            return Problem(503, "away", told, **{"Retry-After": "60"})
    LOG.error("an error of the desk", exc_info=error)
    return Problem(500, "failed", "The desk made an error, which was noted. Nothing was stored.")


def _signed_in(request: HttpRequest) -> Account:
    text, how = tokens.bearer(request), {"WWW-Authenticate": "Bearer"}
    if not text:
        raise Problem(401, "no token", "Send a token of yours: Authorization: Bearer <token>.", **how)
    account = tokens.account_of(text)
    if account is None:
        rate_limits.spend("token", rate_limits.address(request))
        raise Problem(401, "bad token", "This token is unknown or revoked. Make one on your page.", **how)
    rate_limits.spend("submit", f"account {account.pk}")
    return account


def _body(request: HttpRequest, schema: str) -> dict:
    if request.content_type != "application/json":
        raise Problem(415, "content type", "Send Content-Type: application/json.")
    try:
        return api_schema.checked(schema, json.loads(request.body.decode("utf-8"), parse_constant=refuse_constant))
    except RequestDataTooBig:
        raise Problem(413, "too large", "More than 2 MB. Shorten the longest field.") from None
    except acts.Refused:
        raise
    except (ValueError, RecursionError) as error:
        raise Problem(400, "not JSON", f"The body is no JSON ({str(error)[:100]}).") from None


def _question(site: str, number: str) -> Question:
    return get_object_or_404(Question, key=_key(f"{site}/{number}"))


def _answer(key: str) -> Answer:
    return get_object_or_404(api_rows.with_all(Answer.objects), key=_key(key))


def _key(given: str) -> str:
    if bad_text("key", given):  # no database would look it up
        raise Http404
    return given


def list_questions(request: HttpRequest) -> dict:
    given = request.GET
    wanted = {name: given[name] for name in ("state", "site", "category") if name in given}
    if wanted.get("state", "open") not in STATES:
        raise acts.Refused({"state": f"Give one of {', '.join(STATES)}."})
    if bad := {name: told for name, value in wanted.items() if (told := bad_text(name, value))}:
        raise acts.Refused(bad)
    limit, after = _number(given, "limit", PAGE, 1, LONGEST_PAGE), _number(given, "after", 0, 0, 2**62)
    rows = list(Question.objects.filter(pk__gt=after, **wanted).order_by("pk")[: limit + 1])
    more = given.copy()
    more["after"] = rows[limit - 1].pk if len(rows) > limit else 0
    following = f"{reverse('api')}questions/?{more.urlencode()}" if len(rows) > limit else None
    return dict(items=[api_rows.question(row) for row in rows[:limit]], next=following)


def _number(given, name: str, default: int, least: int, most: int) -> int:
    text = given.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise acts.Refused({name: f"Give a whole number from {least} to {most}."})
    return int(text)


def submit_answer(by: Account, body: dict, site: str, number: str) -> dict:
    made = acts.submit_answer(by, _question(site, number), **body)
    return api_rows.answer(_answer(made.key))


def add_comment(by: Account, body: dict, site: str, number: str) -> dict:
    return api_rows.comment(acts.comment(by, _question(site, number), **body))


def add_review(by: Account, body: dict, key: str) -> dict:
    answer = _answer(key)
    with transaction.atomic():  # no system is left of a review that is refused
        system = acts.system_of(body.pop("organisation"), body.pop("system"), body.pop("base_model"))
        return api_rows.review(acts.review(by, answer, kind="ai", system=system, **body))


def add_verdict(by: Account, body: dict, key: str) -> dict:
    if not by.may_moderate():
        raise acts.NotAllowed("Verdicts enter the validators' pass rates: only moderators add them. Send an AI review.")
    return api_rows.verdict(acts.add_verdict(_answer(key), by=by, **body))


def start(request: HttpRequest) -> dict:
    return dict(questions=f"{reverse('api')}questions/", description=f"{reverse('api')}openapi.json")


def nowhere(request: HttpRequest, rest: str) -> JsonResponse:
    return _problem(Http404()).response()


question = "api/questions/<str:site>/<str:number>/"
api_urls = [
    path("api/", resource(start), name="api"),
    path(
        "api/openapi.json", resource(lambda request: api_schema.document(reverse("api").rstrip("/"))), name="api_schema"
    ),
    path("api/questions/", resource(list_questions)),
    path(question, resource(lambda request, **place: api_rows.whole_question(_question(**place)))),
    path(f"{question}answers/", resource(post=("NewAnswer", submit_answer))),
    path(f"{question}comments/", resource(post=("NewComment", add_comment))),
    path("api/answers/<str:key>/", resource(lambda request, key: api_rows.answer(_answer(key)))),
    path("api/answers/<str:key>/reviews/", resource(post=("NewReview", add_review))),
    path("api/answers/<str:key>/verdicts/", resource(post=("NewVerdict", add_verdict))),
    path("api/<path:rest>", csrf_exempt(nowhere)),
]
