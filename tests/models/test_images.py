"""Pictures of questions on their way to a model: read, refused, put into bodies, told apart by the key."""

import asyncio
import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.models import registry
from proctor.models.messages import Request, anthropic_message, openai_message, picture
from proctor.models.prompts import PromptError, load
from proctor.models.providers import anthropic_body, openai_body
from proctor.models.registry import Spec, spec
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError

BYTES = {
    "image/png": b"\x89PNG\r\n\x1a\n.",
    "image/jpeg": b"\xff\xd8\xff\xe0.",
    "image/webp": b"RIFF\x04\x00\x00\x00WEBP.",
    "image/gif": b"GIF89a.",
}


def uri(kind: str, said: str | None = None) -> str:
    return f"data:{said or kind};base64,{base64.b64encode(BYTES[kind]).decode()}"


PNG = uri("image/png")


def ask(model: str, image: str = "", **how) -> Request:
    return load("hle/answer_exact", Settings(max_tokens=1024)).request(
        model, question="What is shown?", image=image, **how
    )


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


@given(st.text(max_size=40))
def test_no_text_is_anything_but_a_picture_or_a_value_error(text):
    for image in (text, "data:image/png;base64," + text):
        try:
            assert picture(image)[0] in BYTES
        except ValueError:
            pass


def test_a_picture_changes_the_key_and_the_lack_of_one_changes_nothing():
    plain, one, two = (ask("openai/gpt-4o", image) for image in ("", PNG, uri("image/gif")))
    assert len({plain.key, one.key, two.key}) == 3 and one.key == ask("openai/gpt-4o", PNG).key
    assert plain.messages[-1] == {"role": "user", "content": "What is shown?"}
    assert all(set(message) == {"role", "content"} for message in (*plain.messages, *one.messages[:-1]))


def test_bodies_of_text_are_what_they_were():
    for message in ask("openai/gpt-4o").messages:
        assert openai_message(message) is message and anthropic_message(message) is message


def test_both_interfaces_get_the_picture_with_the_last_message_in_their_own_form():
    data = PNG.partition(",")[2]
    body = openai_body(spec("openai/gpt-4o"), ask("openai/gpt-4o", uri("image/png", "image/jpg")))
    assert body["messages"][-1] == {
        "role": "user",
        "content": [{"type": "text", "text": "What is shown?"}, {"type": "image_url", "image_url": {"url": PNG}}],
    }
    body = anthropic_body(spec("anthropic/claude"), ask("anthropic/claude", PNG))
    assert body["messages"][-1] == {
        "role": "user",
        "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
            {"type": "text", "text": "What is shown?"},
        ],
    }
    assert "image" not in json.dumps(body["messages"][:-1]) and isinstance(body["system"], str)


def test_a_model_that_takes_none_is_refused_by_name():
    with pytest.raises(PromptError, match="smollm2-135m takes no images"):
        ask("smollm2-135m", PNG)
    with pytest.raises(PromptError, match="no data URI"):
        ask("openai/gpt-4o", "map.png")


def test_which_models_take_images():
    assert Spec("a", "openai").images and Spec("a", "anthropic").images
    assert not Spec("a", "openai", base_url="http://x").images
    assert Spec("a", "openai", base_url="http://x", sees=True).images
    assert not Spec("a", "anthropic", sees=False).images and not Spec("a", "gguf", sees=True).images


def test_early_reasoning_models_take_the_instruction_in_the_users_turn():
    roles = {
        name: [m["role"] for m in openai_body(spec(name), ask(name))["messages"]][:2]
        for name in ("openai/o1-mini", "openai/o3", "openai/gpt-4o")
    }
    assert roles["openai/o1-mini"] == ["user", "user"]
    assert roles["openai/o3"] == roles["openai/gpt-4o"] == ["system", "user"]


def test_a_picture_counts_in_the_estimate_and_against_the_budget(serving, session):
    serving()
    registry._table("models.yaml")["open"]["sees"] = True
    assert ask("open", PNG).characters > ask("open").characters + 1_000
    too_little = 0.01  # dollars, at one a million tokens: enough for the text, not for a picture as well
    replies = asyncio.run(session(budget=Budget(dollars=too_little)).ask_many([ask("open")]))
    assert len(replies) == 1
    with pytest.raises(BudgetError):
        asyncio.run(session(budget=Budget(dollars=too_little)).ask_many([ask("open", PNG)]))
