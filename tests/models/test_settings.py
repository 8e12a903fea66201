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


SENT = ("reasoning_effort", "temperature", "logprobs", "max_completion_tokens", "max_tokens", "chat_template_kwargs")
LONG, THINKING = dict(max_completion_tokens=PROVIDER_TOKENS), {"enable_thinking": False, "thinking": False}


@pytest.mark.parametrize(
    ("models", "settings", "sent"),
    [
        (["openai/o3", "openai/gpt-5.2", "openai/gpt-6-sol"], dict(effort="high", temperature=0.5, thinking=True),
         dict(reasoning_effort="high") | LONG),
        (["openai/gpt-4o", "openai/gpt-5-chat-latest"], dict(effort="low", temperature=0.5),
         dict(temperature=0.5, logprobs=True) | LONG),
        ([SERVER], dict(effort="low", temperature=1.0, thinking=False, max_tokens=900),
         dict(reasoning_effort="low", temperature=1.0, logprobs=True, max_tokens=900,
              chat_template_kwargs=THINKING)),
        (["openai/gpt-4-turbo"], {}, dict(temperature=0.0, logprobs=True, max_completion_tokens=4096)),
        (["openai/gpt-4-turbo"], dict(max_tokens=5000), dict(temperature=0.0, logprobs=True, max_completion_tokens=5000)),
    ],
)  # fmt: skip
def test_models_behind_openai_s_interface_get_what_they_take(models, settings, sent):
    for model in models:
        told = body(model, **settings)
        assert {name: told[name] for name in SENT if name in told} == sent
        assert [m["role"] for m in told["messages"]][:2] == ["system", "user"]


def test_openai_s_first_reasoning_models_take_the_instruction_in_the_users_turn():
    assert [m["role"] for m in body("openai/o1-mini")["messages"]][:2] == ["user", "user"]


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
    most = 4096 if "haiku" in model else told["max_tokens"]  # a model with short replies is asked for no more
    assert budget < told["max_tokens"] == most and told["messages"][-1]["role"] == "user"


def test_what_a_model_does_not_take_is_said_and_not_in_the_key():
    settings = Settings(effort="high", thinking=2000, temperature=1.0)
    told = settings.left_out(["openai/o3", "openai/gpt-4o", "anthropic/claude-opus-4-7", "smollm2-135m"])
    assert [line.split()[0] + line.split(" takes ")[-1][:16] for line in told if "takes" in line] == [
        "openai/o3no setting of th", "openai/o3no temperature, ", "openai/gpt-4ono effort, which",
        "openai/gpt-4ono setting of th", "anthropic/claude-opus-4-7no temperature, ",
    ]  # fmt: skip
    plain, strict = (exam_request("openai/gpt-4o", QUESTION, settings=s) for s in (Settings(), Settings(effort="high")))
    assert plain.key == strict.key


def test_what_changes_a_reply_is_in_its_key_and_models_served_here_keep_what_their_prompts_say():
    changes = dict(effort="high", thinking=False, max_tokens=20_000, temperature=1.0, style="short", timeout=5.0)
    plain = exam_request(SERVER, QUESTION)
    keys = {name: exam_request(SERVER, QUESTION, settings=Settings(**{name: changes[name]})).key for name in changes}
    assert keys.pop("timeout") == plain.key and len({plain.key, *keys.values()}) == len(changes)
    plain = exam_request("smollm2-135m", QUESTION)
    most = Settings(max_tokens=20_000, effort="high", thinking=True, timeout=900.0)
    assert exam_request("smollm2-135m", QUESTION, settings=most) == replace(plain, timeout=900.0)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (dict(style="long"), "style: it should be 'auto', 'free', 'short' or 'paper', found 'long'"),
        (dict(effort="hard"), "effort: .*'hard'"),
        (dict(max_tokens=0), "max_tokens: .*0"),
        (dict(timeout=-1.0), "timeout: .*-1.0"),
        (dict(temperature=3.0), "temperature: .*3.0"),
        (dict(thinking=10), "thinking 10: give 1024 tokens or more"),
        (dict(thinking=4000, max_tokens=4000), "max_tokens is 4000 and must be larger"),
        (dict(tokens=10), "tokens: .*The settings are style, max_tokens"),
    ],
)
def test_a_wrong_setting_is_told(settings, told):
    with pytest.raises(ValueError, match=told):
        Settings.of(settings)


def test_settings_are_given_by_name_or_as_such():
    assert Settings.of({"effort": "low"}) == Settings.of(Settings(effort="low")) and Settings.of(None) == Settings()
    with pytest.raises(ModelError):
        Settings(effort="low").left_out(["nobody"])
