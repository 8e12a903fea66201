import json

import pytest
from desk import api_schema
from desk.api import api_urls
from desk.trail import Refused
from jsonschema import Draft202012Validator

VERDICT = dict(validator="C", outcome="accept")


@pytest.mark.parametrize("name", [*api_schema.BODIES, *api_schema.REPLIES])
def test_each_schema_is_one(name):
    Draft202012Validator.check_schema((api_schema.BODIES | api_schema.REPLIES)[name])


def test_the_document_describes_each_address_and_its_references_lead_somewhere():
    told = api_schema.document()
    known = {path.replace("{", "<str:").replace("}", ">").removeprefix("/") for path in told["paths"]}
    served = {str(one.pattern).removeprefix("api/") for one in api_urls} - {"", "<path:rest>"}
    assert known == served
    text = json.dumps(told)
    for part in text.split('"#/components/schemas/')[1:]:
        assert part.split('"')[0] in told["components"]["schemas"]


def test_each_operation_names_its_errors_and_writes_need_a_token():
    for path, verbs in api_schema.document()["paths"].items():
        for verb, operation in verbs.items():
            if verb == "post":
                assert operation["security"] and {"201", "401", "422", "429"} <= set(operation["responses"]), path


@pytest.mark.parametrize(
    "change, field, mend",
    [
        (dict(outcome="maybe"), "outcome", "accept"),
        (dict(calls=True), "calls", "integer"),
        (dict(calls=-1), "calls", "minimum"),
        (dict(dollars=1e400), "dollars", "maximum"),
        (dict(probability="0.5"), "probability", "number"),
        (dict(validator=""), "validator", "Fill"),
        (dict(validator="x" * 301), "validator", "301 characters"),
        (dict(password="x"), "password", "no such field"),
    ],
)
def test_a_wrong_field_is_named_with_its_mend(change, field, mend):
    with pytest.raises(Refused) as refused:
        api_schema.checked("NewVerdict", VERDICT | change)
    assert list(refused.value.problems) == [field] and mend in refused.value.problems[field]


def test_every_missing_field_is_named_at_once():
    with pytest.raises(Refused) as refused:
        api_schema.checked("NewAnswer", {})
    assert set(refused.value.problems) == {"organisation", "system", "base_model", "prompt", "text"}
