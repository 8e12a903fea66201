"""What is sent and what comes back: the key of a request, a reply in JSON, pictures on their way to a model."""

import asyncio
import base64
import json
from dataclasses import replace

import pytest
from proctor.models import registry
from proctor.models.messages import Reply, Request, anthropic_message, openai_message, picture
from proctor.models.prompts import PromptError, load
from proctor.models.providers import anthropic_body, openai_body
from proctor.models.registry import Spec, spec
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError

BASE = Request(model="m", messages=({"role": "user", "content": "hello"},), prompt="p@1", prefix=0)


# keys


def test_key_changes_with_each_field_that_matters_and_not_with_prefix():
    other = dict(
        model="n",
        messages=({"role": "user", "content": "hullo"},),
        sample=1,
        prompt="p@2",
        temperature=0.7,
        max_tokens=1,
        logprobs=1,
        grammar="root ::= x",
        schema={"type": "object"},
        seeds="request",
        server="http://a/v1",
        effort="high",
        thinking=True,
    )
    assert set(other) | {"prefix", "timeout", "quoted"} == set(Request.__dataclass_fields__)
    keys = {replace(BASE, **{name: value}).key for name, value in other.items()} | {BASE.key}
    assert len(keys) == len(other) + 1
    assert replace(BASE, prefix=1, quoted="hello", timeout=1.0).key == BASE.key


def test_key_of_a_known_request_stays_what_it_is():
    """Recordings are found by it: a change here makes every recorded reply unfindable."""
    assert BASE.key == "11e456fb155a25cc0757a2b72f62d8daa5280b2dd4fc23345f5c2690ff063d2f"
    assert Request("m", ()).key == "26ff30c395b9969e09088a01d1a97290fbc239910025c8b5d81770afaf4f0f07"


def test_seeds_are_the_samples_own_or_the_requests(ask):
    """Without `seeds: request` sample k has one seed for all requests; with it every request and sample has its own."""
    assert [ask(text, sample=3).seed for text in ("a", "b")] == [3, 3]
    found = {ask(text, sample=k, seeds="request").seed for text in ("a", "b") for k in (1, 2)}
    assert len(found) == 4 and all(0 <= seed < 2**31 for seed in found)


# replies


def test_half_a_surrogate_pair_can_be_written():
    line = Reply("x\ud83d", tokens=(("\ud83d", -1.0),)).to_json()
    assert Reply.from_json(line.encode(), "cache").text == "x?"


# pictures

BYTES = {
    "image/png": b"\x89PNG\r\n\x1a\n.",
    "image/jpeg": b"\xff\xd8\xff\xe0.",
    "image/webp": b"RIFF\x04\x00\x00\x00WEBP.",
    "image/gif": b"GIF89a.",
}


def uri(kind: str, said: str | None = None) -> str:
    return f"data:{said or kind};base64,{base64.b64encode(BYTES[kind]).decode()}"


PNG = uri("image/png")


def shown(model: str, image: str = "") -> Request:
    settings = Settings(max_tokens=1024)
    return load("hle/answer_exact", settings).request(model, question="What is shown?", image=image)


@pytest.mark.parametrize("kind", BYTES)
@pytest.mark.parametrize("said", [None, "image/jpg", "image/png;charset=utf-8", "IMAGE/PNG"])
def test_the_type_is_what_the_bytes_are_whatever_the_file_says(kind, said):
    assert picture(uri(kind, said)) == (kind, base64.b64encode(BYTES[kind]).decode())


@pytest.mark.parametrize(
    "bad, told",
    [
        ("https://x.org/a.png", "no data URI"),
        ("data:image/png,AA", "no data URI"),
        ("data:image/png;base64,A", "base64"),
        ("data:image/png;base64,!!!!", "base64"),
        ("data:image/svg+xml;base64,PHN2Zz4=", "no png"),
        ("data:image/png;base64,", "no png"),
    ],
)
def test_what_no_provider_takes_is_told(bad, told):
    with pytest.raises(ValueError, match=told):
        picture(bad)


def test_both_interfaces_get_the_picture_with_the_last_message_in_their_own_form_and_text_as_it_was():
    plain, one, two = (shown("openai/gpt-4o", image) for image in ("", PNG, uri("image/gif")))
    assert len({plain.key, one.key, two.key}) == 3 and one.key == shown("openai/gpt-4o", PNG).key
    for message in (*plain.messages, *one.messages[:-1]):
        assert openai_message(message) is message and anthropic_message(message) is message
        assert set(message) == {"role", "content"}
    text = {"type": "text", "text": "What is shown?"}
    body = openai_body(spec("openai/gpt-4o"), shown("openai/gpt-4o", uri("image/png", "image/jpg")))
    image = {"type": "image_url", "image_url": {"url": PNG}}
    assert body["messages"][-1] == {"role": "user", "content": [text, image]}
    body = anthropic_body(spec("anthropic/claude"), shown("anthropic/claude", PNG))
    source = {"type": "base64", "media_type": "image/png", "data": PNG.partition(",")[2]}
    assert body["messages"][-1] == {"role": "user", "content": [{"type": "image", "source": source}, text]}
    assert "image" not in json.dumps(body["messages"][:-1]) and isinstance(body["system"], str)


def test_models_that_take_no_image_are_refused_by_name():
    with pytest.raises(PromptError, match="smollm2-135m takes no images"):
        shown("smollm2-135m", PNG)
    with pytest.raises(PromptError, match="no data URI"):
        shown("openai/gpt-4o", "map.png")
    assert Spec("a", "openai").images and Spec("a", "anthropic").images
    assert not Spec("a", "openai", base_url="http://x").images
    assert Spec("a", "openai", base_url="http://x", sees=True).images
    assert not Spec("a", "anthropic", sees=False).images and not Spec("a", "gguf", sees=True).images


def test_a_picture_counts_in_the_estimate_and_against_the_budget(serving, session):
    serving()
    registry._table("models.yaml")["open"]["sees"] = True
    assert shown("open", PNG).characters > shown("open").characters + 1_000
    too_little = 0.01  # dollars, at one a million tokens: enough for the text, not for a picture as well
    assert len(asyncio.run(session(budget=Budget(dollars=too_little)).ask_many([shown("open")]))) == 1
    with pytest.raises(BudgetError):
        asyncio.run(session(budget=Budget(dollars=too_little)).ask_many([shown("open", PNG)]))
