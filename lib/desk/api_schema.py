"""What the JSON API takes and gives: JSON Schemas, the check of a body against one, and the OpenAPI document."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from desk.models import Correct, Outcome
from desk.resolution import ANSWER_STATES, STATES
from desk.trail import LONGEST, Refused


def _text(most: int, least: int = 1, **more) -> dict:
    return dict(type="string", minLength=least, maxLength=most, **more)


def _object(required: str, fields: dict, **more) -> dict:
    return dict(type="object", required=required.split(), properties=fields, **more)


def _body(required: str, fields: dict) -> dict:
    return _object(required, fields, additionalProperties=False)


SYSTEM = dict(
    organisation=_text(200, description="who built the system"),
    system=_text(200, description="its name and version"),
    base_model=_text(200, description="the model beneath it, or none"),
)
BODIES = {
    "NewAnswer": _body(
        "organisation system base_model prompt text",
        SYSTEM
        | dict(
            prompt=_text(LONGEST["prompt"], description="the full prompt, so that others can ask again"),
            text=_text(LONGEST["text"], description="the answer, in Markdown"),
        ),
    ),
    "NewReview": _body(
        "organisation system base_model correct confidence text",
        SYSTEM
        | dict(
            correct=dict(type="string", enum=Correct.values),
            confidence=dict(type="integer", minimum=1, maximum=5, description="1 a guess, 5 certain"),
            text=_text(LONGEST["text"]),
            version=dict(type="integer", minimum=1, description="of the answer that was reviewed; 409 if edited since"),
        ),
    ),
    "NewVerdict": _body(
        "validator outcome",
        dict(
            validator=_text(300, description="in Proctor's notation, such as (C x3|U)"),
            judges=_text(300, 0),
            outcome=dict(type="string", enum=Outcome.values),
            probability=dict(type=["number", "null"], minimum=0, maximum=1),
            calls=dict(type="integer", minimum=0, maximum=2**31 - 1),
            dollars=dict(type="number", minimum=0, maximum=1e9),
            trace=dict(type="array", description="what was asked and replied, call by call"),
        ),
    ),
    "NewComment": _body("text", dict(text=_text(LONGEST["text"]))),
}

_S, _N, _B = dict(type="string"), dict(type="integer"), dict(type="boolean")
_LIST, _TIME = dict(type="array"), dict(type="string", format="date-time")
_TIME_OR_NONE = _TIME | dict(type=["string", "null"])


def _ref(name: str) -> dict:
    return {"$ref": f"#/components/schemas/{name}"}


def _many(name: str) -> dict:
    return dict(type="array", items=_ref(name))


_TYPES = (  # of a reply's fields, whatever it is of; others are texts
    dict.fromkeys(("score", "views", "votes", "version", "confidence", "calls"), _N)
    | dict.fromkeys(("diamond", "people", "conflict", "counts"), _B)
    | dict(posted_at=_TIME_OR_NONE, edited_at=_TIME_OR_NONE, written_at=_TIME, decided_at=_TIME)
    | dict(tags=_LIST, trace=_LIST, comments=dict(type=["array", "null"]), dollars=dict(type="number"))
    | dict(probability=dict(type=["number", "null"]), next=dict(type=["string", "null"]))
    | dict(items=_many("Question"), answers=_many("Answer"), remarks=_many("Comment"), verdicts=_many("Verdict"))
    | dict(human_reviews=_many("Review"), ai_reviews=_many("Review"))
)


def _given(fields: str, **types: dict) -> dict:
    """A reply's object: every field always there."""
    return _object(fields, {name: (_TYPES | types).get(name, _S) for name in fields.split()})


_QUESTION = (
    "key url site category title body tags comments score views link author author_link licence posted_at release "
    "diamond votes state"
)
_STATE = dict(type="string", enum=list(STATES))
REPLIES = {
    "Question": _given(_QUESTION, state=_STATE),
    "WholeQuestion": _given(f"{_QUESTION} answers remarks", state=_STATE),
    "Questions": _given("items next"),
    "Answer": _given(
        "key url question organisation system base_model people prompt text submitted_by written_at edited_at version "
        "state verdicts human_reviews ai_reviews",
        state=dict(type="string", enum=list(ANSWER_STATES)),
    ),
    "Review": _given(
        "key reviewer organisation system base_model correct confidence text conflict counts written_at edited_at "
        "version"
    ),
    "Verdict": _given("key validator judges outcome probability calls dollars trace decided_at"),
    "Comment": _given("key author review text written_at edited_at"),
    "Error": _given("error message problems", problems=dict(type="array", items=_given("field mend"))),
}


FILTERS = {
    "state": _STATE,
    "site": _S | dict(pattern="^[^\x00]*$"),
    "category": _S | dict(pattern="^[^\x00]*$"),
    "limit": dict(type="integer", minimum=1, maximum=100, default=50),
    "after": dict(type="integer", minimum=0, default=0, description="as `next` gives it"),
}


class Operation(NamedTuple):
    """What stands at an address: what it does, the schemas of what it takes ("" where one reads) and gives, and by
    which function: of the request, or of the account and the body, with what the address names."""

    address: str
    summary: str
    takes: str
    gives: str
    call: Callable[..., dict]


def checked_filters(given: Mapping[str, str]) -> dict:
    """What a list is asked for. Raises Refused as `checked`."""
    told: dict[str, Any] = {name: text for name, text in given.items() if name in FILTERS}
    for name in {"limit", "after"} & {*told}:
        told[name] = int(told[name]) if re.fullmatch("[0-9]{1,18}", told[name]) else told[name]
    return dict(limit=50, after=0) | checked(_object("", FILTERS), told)


def checked(schema: dict, body: Any) -> dict:
    """A body that keeps its schema. Raises Refused with a sentence for each field."""
    problems: dict[str, str] = {}
    for error in Draft202012Validator(schema).iter_errors(body):
        field = str(error.absolute_path[0]) if error.absolute_path else ""
        known, limit = schema["properties"], error.validator_value
        match error.validator:
            case "required":
                problems |= {one: "Give this field." for one in limit if one not in body}
            case "additionalProperties":
                mend = f"There is no such field. Known: {', '.join(known)}."
                problems |= {one[:100]: mend for one in list(body)[:50] if one not in known}
            case "type":
                problems[field] = f"Give {limit if isinstance(limit, str) else ' or '.join(limit)}."
            case "enum":
                problems[field] = f"Give one of {', '.join(limit)}."
            case "maxLength":
                problems[field] = f"{len(error.instance):,} characters, {limit:,} are allowed. Shorten it."
            case "minLength":
                problems[field] = "Fill this in."
            case _:
                problems[field] = f"Out of range: {error.validator} is {limit}."
    if problems:
        raise Refused(problems)
    return body


PROBLEMS = {
    400: "not JSON",
    401: "no token, or one that is unknown, revoked or of a blocked account",
    403: "this account may not do that",
    404: "there is no such thing, or it was withdrawn",
    409: "the answer was edited since that version",
    413: "larger than 2 MB",
    415: "the content type is not application/json",
    422: "a field is missing or wrong: `problems` names each and how to fix it",
    429: "too often; Retry-After says how many seconds to wait",
    503: "the database can't be reached, or the disk is full; nothing was stored: try again later",
}


def document(operations: Sequence[Operation], address: str = "/api/") -> dict:
    """The OpenAPI description of the interface at `address`."""
    paths = {f"/{one.address}": {"post" if one.takes else "get": _operation(one)} for one in operations}
    return dict(
        openapi="3.1.0",
        info=dict(
            title="Proctor's review desk",
            version="1",
            description="Unsolved questions, candidate answers, and what reviewers say. Everyone may read. To write, "
            "make a token on your page and send it as `Authorization: Bearer <token>`. AI reviews are shown apart from "
            "people's and never resolve a question. Questions are CC BY-SA: keep link, author and licence.",
        ),
        servers=[dict(url=address.rstrip("/"))],
        paths=paths,
        components=dict(schemas=BODIES | REPLIES, securitySchemes=dict(token=dict(type="http", scheme="bearer"))),
    )


def _operation(one: Operation) -> dict:
    names = {name: _N if name == "number" else _S for name in re.findall("{(.*?)}", one.address)}
    filters = FILTERS if one.gives == "Questions" else {}
    gives = _json(one.summary, _ref(one.gives) if one.gives else dict(type="object"))
    told = dict(
        summary=one.summary,
        parameters=[{"name": name, "in": "path", "required": True, "schema": known} for name, known in names.items()]
        + [{"name": name, "in": "query", "schema": known} for name, known in filters.items()],
    )
    if not one.takes:
        errors = (404, 422, 503) if filters else (404, 503)
        return told | dict(responses={"200": gives} | _errors(*errors))
    errors = {*PROBLEMS} - (set() if "version" in BODIES[one.takes]["properties"] else {409})
    body = dict(required=True, content={"application/json": dict(schema=_ref(one.takes))})
    return told | dict(security=[dict(token=[])], requestBody=body, responses={"201": gives} | _errors(*sorted(errors)))


def _json(described: str, schema: dict) -> dict:
    return dict(description=described, content={"application/json": dict(schema=schema)})


def _errors(*codes: int) -> dict:
    return {str(code): _json(PROBLEMS[code], _ref("Error")) for code in codes}
