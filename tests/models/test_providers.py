"""What providers send is checked at the door; what they say of errors holds no key."""

import asyncio
import gzip
import json
import logging
from types import SimpleNamespace

import httpx
import pytest
from aiohttp import ClientPayloadError, web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st
from proctor.models import providers, registry
from proctor.models.endings import CallError, call_errors, retry_after, scrub
from proctor.models.messages import Reply, Request
from proctor.models.providers import reply_from_anthropic, reply_from_openai
from proctor.models.registry import ModelError, Spec, key_of

ASKED = Request(model="m", messages=({"role": "user", "content": "hi"},))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def completion(**more) -> dict:
    return {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop", **more}]}


@given(JSON, JSON)
def test_odd_usage_and_log_probabilities_never_lose_the_reply(one, other):
    odd = {"content": [{"token": "yes", "logprob": one, "top_logprobs": []}]}
    body = completion(logprobs=odd) | {"usage": {"prompt_tokens": one, "completion_tokens": other}}
    reply = reply_from_openai(body)
    assert reply.text == "yes" and 0 <= reply.prompt_tokens <= 10**9
    assert all(isinstance(word, str) and -1e5 <= p <= 0.01 for word, p in reply.tokens)
    assert Reply.from_json(reply.to_json(), "cache").text == "yes"
    message = {"content": [{"type": "text", "text": "yes"}], "usage": one}
    assert reply_from_anthropic(message).text == "yes"


@given(JSON)
@pytest.mark.parametrize("read", [reply_from_openai, reply_from_anthropic])
def test_whatever_comes_is_a_reply_or_a_call_error(read, body):
    for content in (body, json.dumps(body).encode(), b"[" * 100_000 + b"]" * 100_000):
        try:
            assert isinstance(read(content), Reply)
        except CallError as error:
            assert error.unreadable and error.again


@pytest.mark.parametrize("secret", ["ab1", "abcd", "sk-" + "proj-0123456789abcdef", "geheim-1234567"])
def test_a_secret_is_in_no_message_and_a_short_one_takes_no_other_word_apart(secret):
    assert secret not in scrub(f"wrong key {secret}, see {secret!r}", secret)
    assert scrub("the cat sat", "at") == "the cat sat"


@given(st.text("abcdefgh0123456789", min_size=12, max_size=40), st.data())
def test_no_long_piece_of_a_secret_is_told(secret, data):
    start = data.draw(st.integers(0, len(secret) - 8))
    piece = secret[start : data.draw(st.integers(start + 6, len(secret)))]
    assert piece not in scrub(f"key {piece}*** is wrong", secret)


def test_what_an_address_hides_is_a_secret(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "key-of-mine")
    model = Spec("x", "openai", "m", "https://user:pass-word@host/v1?token=to-ken-1", key_env="SOME_KEY")
    assert set(model.secrets) == {"key-of-mine", "user", "pass-word", "to-ken-1"}
    told = scrub(f"no answer from {model.base_url}", *model.secrets)
    assert "pass-word" not in told and "to-ken-1" not in told


@pytest.mark.parametrize("key", ["schlüssel-123", "two words", "line\nbreak", "tab\tkey"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_told(monkeypatch, key):
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(ModelError, match="SOME_KEY") as error:
        key_of(Spec("x", "openai", "m", key_env="SOME_KEY"))
    assert key not in str(error.value)


@pytest.mark.parametrize(
    "value", ["9" * 400, "-5", "nan", "1e9", "soon", "Mon, 99 Foo 99999 99:99:99 GMT", "١٢", "", "∞"]
)
def test_an_absurd_retry_after_raises_nothing(value):
    wait = retry_after(SimpleNamespace(response=SimpleNamespace(headers={"retry-after": value})))
    assert wait is None or wait >= 0


def test_a_kind_of_one_s_own_is_asked_with_its_key_and_takes_no_other_s_name(monkeypatch):
    """That it is asked at all: examples/own_provider.py."""
    monkeypatch.setitem(providers.KINDS, "mykind", object)  # so that it is taken out again
    monkeypatch.setitem(registry.KEYS, "mykind", "")
    providers.register("mykind", object, key_env="MY_KEY")
    found = registry.spec("mykind/a-model")
    assert (found.kind, found.model, found.key_env) == ("mykind", "a-model", "MY_KEY")
    providers.register("mykind", object)  # again, as a cell that is run twice
    for taken in ("openai", "my/kind"):
        with pytest.raises(ValueError, match="no other provider"):
            providers.register(taken, str)


@pytest.mark.parametrize("reason", ["error", "failed", "ERROR"])
def test_a_completion_that_says_it_failed_is_asked_again(reason):
    with pytest.raises(CallError) as error:
        reply_from_openai(completion(finish_reason=reason))
    assert error.value.again and error.value.unreadable


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_a_reply_in_parts_is_put_together_and_each_servers_word_for_cut_off_is_known(reason):
    parts = [{"type": "text", "text": "ye"}, {"type": "other"}, {"type": "text", "text": "s"}]
    found = reply_from_openai(completion(message={"content": parts}, finish_reason=reason))
    assert found.cut_off and found.text == "yes"


CACHED = {"cache_creation_input_tokens": 70, "cache_read_input_tokens": 900}
DETAILS = {"prompt_tokens_details": {"cached_tokens": 900}}


@pytest.mark.parametrize(
    ("usage", "sent"),
    [
        ({"input_tokens": 5} | CACHED, 975),
        ({"input_tokens": 5, "cache_read_input_tokens": None}, 5),
        ({"prompt_tokens": 1000} | DETAILS, 1000),  # the cached ones are part of the prompt's,
        ({"prompt_tokens": 5} | DETAILS, 905),  # or, with some servers, not
    ],
)
def test_cached_tokens_are_counted_once_and_as_much_as_they_can_cost(usage, sent):
    message = {"content": [{"type": "text", "text": "yes"}], "usage": usage}
    read = (reply_from_anthropic(message), reply_from_openai(completion() | {"usage": usage}))
    assert {reply.prompt_tokens for reply in read} == {sent}


@pytest.mark.parametrize(
    "url, here", [("http://127.0.0.1:8000/v1", True), ("http://localhost/v1", True), ("http://10.0.0.8/v1", False)]
)
def test_no_proxy_of_the_environment_comes_between_us_and_a_server_on_this_machine(monkeypatch, url, here):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    for kind in ("openai", "anthropic"):
        assert providers.sdk_client(kind, url, "k")._client.trust_env is not here


def test_a_malformed_answer_to_http_is_a_call_error():
    with pytest.raises(CallError) as error, call_errors("secret"):
        raise ClientPayloadError("bad chunk")
    assert error.value.again


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("kind", [providers.OpenAI, providers.Anthropic])
def test_a_reply_without_end_is_not_read_to_its_end(monkeypatch, kind, encoding):
    monkeypatch.setattr(providers, "LARGEST", 1 << 20)
    long = gzip.compress(bytes(1 << 22)) if encoding == "gzip" else bytes(1 << 22)

    async def answer(_):
        return web.Response(body=long, headers={"Content-Encoding": encoding, "Content-Type": "application/json"})

    async def main():
        application = web.Application()
        application.router.add_post("/{path:.*}", answer)
        async with TestServer(application) as server:
            asking = kind(Spec("m", kind.__name__.lower(), "m", str(server.make_url("/v1"))), 60)
            try:
                with pytest.raises(CallError, match="a reply of more than 1 MB") as error:
                    await asking.send(ASKED)
            finally:
                await asking.close()
        assert error.value.unreadable

    asyncio.run(main())


def test_no_line_of_the_log_shows_the_query_of_an_address(caplog):
    providers.sdk_client("openai", "http://127.0.0.1:1/v1?key=secret", "k")
    with caplog.at_level("INFO", "httpx"):
        url = httpx.URL("http://127.0.0.1:1/v1/chat/completions?key=secret")
        logging.getLogger("httpx").info('HTTP Request: %s %s "%s %d %s"', "POST", url, "HTTP/1.1", 200, "OK")
        logging.getLogger("httpx").info("another line")
    assert "another line" in caplog.text and "secret" not in caplog.text
