from dataclasses import replace

import pytest
from proctor.data.schemas import Question
from proctor.exam.run_exam import exam_request
from proctor.models.providers import anthropic_body, openai_body
from proctor.models.registry import ModelError, spec
from proctor.models.settings import PROVIDER_TOKENS, Settings

QUESTION = Question(id="q", question="What is 2 + 2?", answer="4")
SERVER = "openai/qwen3@http://node:8000/v1"


def body(model: str, **settings) -> dict:
    request = exam_request(model, QUESTION, settings=Settings(**settings))
    return (anthropic_body if model.startswith("anthropic") else openai_body)(spec(model), request)


def sent(model: str, *names: str, **settings) -> dict:
    told = body(model, **settings)
    return {name: told[name] for name in names if name in told}


@pytest.mark.parametrize("model", ["openai/o3", "openai/gpt-5.2", "openai/gpt-6-sol"])
def test_openai_s_reasoning_models_get_effort_and_no_temperature(model):
    names = ("reasoning_effort", "temperature", "logprobs", "max_completion_tokens", "chat_template_kwargs")
    told = sent(model, *names, effort="high", temperature=0.5, thinking=True)
    assert told == {"reasoning_effort": "high", "max_completion_tokens": PROVIDER_TOKENS}


@pytest.mark.parametrize("model", ["openai/gpt-4o", "openai/gpt-5-chat-latest"])
def test_openai_s_other_models_get_a_temperature_and_no_effort(model):
    assert sent(model, "reasoning_effort", "temperature", effort="low", temperature=0.5) == {"temperature": 0.5}


def test_an_own_server_gets_all_of_it():
    names = ("reasoning_effort", "temperature", "max_tokens", "chat_template_kwargs")
    told = sent(SERVER, *names, effort="low", temperature=1.0, thinking=False, max_tokens=900)
    thinking = {"enable_thinking": False, "thinking": False}
    assert told == {"reasoning_effort": "low", "temperature": 1.0, "max_tokens": 900, "chat_template_kwargs": thinking}


CLAUDES = [  # model, settings, (thinking, effort, temperature) as sent
    ("claude-3-haiku-20240307", dict(thinking=True, effort="high"), (None, None, 0.0)),
    ("claude-3-7-sonnet-20250219", dict(thinking=4000), ({"type": "enabled", "budget_tokens": 4000}, None, None)),
    ("claude-opus-4-20250514", dict(thinking=True), ({"type": "enabled", "budget_tokens": 8192}, None, None)),
    ("claude-sonnet-4-5-20250929", dict(effort="high"), (None, None, 0.0)),
    ("claude-sonnet-4-5-20250929", dict(thinking=False), ({"type": "disabled"}, None, 0.0)),
    ("claude-opus-4-5", dict(effort="low"), (None, {"effort": "low"}, 0.0)),
    ("claude-opus-4-6", dict(thinking=True), ({"type": "adaptive"}, None, None)),
    ("claude-opus-4-6", dict(thinking=2000), ({"type": "enabled", "budget_tokens": 2000}, None, None)),
    ("claude-opus-4-7", dict(thinking=2000, effort="max"), ({"type": "adaptive"}, {"effort": "max"}, None)),
    ("claude-opus-4-7", {}, (None, None, None)),
    ("claude-sonnet-5", dict(effort="medium"), (None, {"effort": "medium"}, None)),
    ("claude-new", {}, (None, None, None)),
]


@pytest.mark.parametrize(("model", "settings", "expected"), CLAUDES)
def test_a_claude_gets_what_its_version_takes(model, settings, expected):
    told = body(f"anthropic/{model}", **settings)
    assert (told.get("thinking"), told.get("output_config"), told.get("temperature")) == expected
    budget = (told.get("thinking") or {}).get("budget_tokens", 0)
    assert budget < told["max_tokens"] and told["messages"][-1]["role"] == "user"


def test_what_a_model_does_not_take_is_said_and_not_in_the_key():
    settings = Settings(effort="high", thinking=2000, temperature=1.0)
    told = settings.left_out(["openai/o3", "openai/gpt-4o", "anthropic/claude-opus-4-7", "smollm2-135m"])
    assert [line.split()[0] + line.split(" takes ")[-1][:16] for line in told if "takes" in line] == [
        "openai/o3no setting of th", "openai/o3no temperature, ", "openai/gpt-4ono effort, which",
        "openai/gpt-4ono setting of th", "anthropic/claude-opus-4-7no temperature, ",
    ]  # fmt: skip
    plain, strict = (exam_request("openai/gpt-4o", QUESTION, settings=s) for s in (Settings(), Settings(effort="high")))
    assert plain.key == strict.key


@pytest.mark.parametrize(
    "settings",
    [dict(effort="high"), dict(thinking=True), dict(thinking=False), dict(max_tokens=20_000), dict(temperature=1.0), dict(style="short")],
)  # fmt: skip
def test_what_changes_a_reply_is_in_its_key(settings):
    plain = exam_request(SERVER, QUESTION)
    assert exam_request(SERVER, QUESTION, settings=Settings(**settings)).key != plain.key
    assert exam_request(SERVER, QUESTION, settings=Settings(timeout=5.0)).key == plain.key


def test_models_served_here_keep_what_their_prompts_say():
    plain = exam_request("smollm2-135m", QUESTION)
    most = Settings(max_tokens=20_000, effort="high", thinking=True, timeout=900.0)
    assert exam_request("smollm2-135m", QUESTION, settings=most) == replace(plain, timeout=900.0)


def test_a_model_with_short_replies_is_asked_for_no_more():
    assert body("anthropic/claude-3-haiku-20240307")["max_tokens"] == 4096
    assert body("openai/gpt-4-turbo")["max_completion_tokens"] == 4096
    assert body("openai/gpt-4-turbo", max_tokens=5000)["max_completion_tokens"] == 5000  # the provider's word then


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (dict(style="long"), "style 'long': use one of auto, free, short"),
        (dict(effort="hard"), "effort 'hard'"),
        (dict(max_tokens=0), "max_tokens 0"),
        (dict(timeout=-1.0), "timeout -1.0"),
        (dict(temperature=3.0), "temperature 3.0"),
        (dict(thinking=10), "thinking 10: give 1024 tokens or more"),
        (dict(thinking=4000, max_tokens=4000), "max_tokens is 4000 and must be larger"),
        (dict(tokens=10), "no setting 'tokens': there are style, max_tokens"),
    ],
)
def test_a_wrong_setting_is_told(settings, told):
    with pytest.raises(ValueError, match=told):
        Settings.of(settings)


def test_settings_are_given_by_name_or_as_such():
    assert Settings.of({"effort": "low"}) == Settings.of(Settings(effort="low")) and Settings.of(None) == Settings()
    with pytest.raises(ModelError):
        Settings(effort="low").left_out(["nobody"])
