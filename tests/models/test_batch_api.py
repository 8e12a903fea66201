"""What the two batch interfaces read of a results line; whole rounds are in test_batch.py."""

import asyncio

import pytest
from proctor.models.batch_api import INTERFACES, Ticket, custom_id, pause
from proctor.models.call_errors import CallError
from proctor.models.registry import Spec

TICKET = Ticket("key", "m", "p@1", 0, "")


@pytest.fixture(params=["openai", "anthropic"])
def interface(request):
    made = INTERFACES[request.param](Spec("m", request.param, "m", "http://127.0.0.1:1"))
    yield made
    asyncio.run(made.close())


@pytest.mark.parametrize("raw", [b"", b"nonsense", b"[]", b'{"custom_id"'])
def test_a_line_without_a_name_is_passed_over(raw):
    assert custom_id(raw) is None


def test_a_failed_line_is_a_call_error(interface):
    if interface.__class__.__name__.startswith("OpenAI"):
        line = {"response": {"status_code": 500, "body": {"error": {"message": "down"}}}}
    else:
        line = {"result": {"type": "errored", "error": {"error": {"type": "overloaded_error", "message": "down"}}}}
    with pytest.raises(CallError, match="down") as error:
        interface.reply(line, TICKET)
    assert error.value.again


def test_pauses_grow_and_keep_what_the_server_asked():
    assert pause(5, CallError("x")) > pause(0, CallError("x"))
    assert pause(0, CallError("x", wait=10_000)) >= 10_000
