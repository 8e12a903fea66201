import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.models import registry
from proctor.models.messages import Reply
from proctor.models.prompts import LIBRARY, STYLED, PromptError, follow_up, load
from proctor.models.settings import PROVIDER_TOKENS, Settings

SHORT = Settings(style="short")
FREE, PAPER = STYLED["free"], STYLED["paper"]
TEXT = """---
version: 1
output: verdict
max_tokens: 1
free_tokens: 50
grammar: root ::= "Y" | "N"
logprobs: 5
---
# system
Judge.
# user
Q: {{question}} A: {{answer}}
# assistant
Accepted: [[
"""


@pytest.fixture(autouse=True)
def models(monkeypatch):
    models = {
        "here": {"kind": "gguf", "file": "x.gguf"},
        "open": {"kind": "openai"},
        "claude": {"kind": "anthropic", "model": "claude-sonnet-4-5"},
    }
    monkeypatch.setattr(registry, "_table", {"models.yaml": models, "prices.yaml": {}}.__getitem__)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "check.md").write_text(TEXT)
    return tmp_path


def fields_of(prompt):
    return {name for _, text in prompt.messages for name in re.findall(r"\{\{(\w+)\}\}", text)}


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("style", ["short", "free", "paper"])
def test_every_prompt_has_its_header_and_renders_for_every_kind(name, style):
    tables = {"short": LIBRARY, "free": FREE, "paper": FREE | PAPER}
    file = tables[style].get(name, LIBRARY[name])
    head = file.read_text().split("---\n")[1]
    for entry in ("version", "paper", "asks", "output", "max_tokens", "free_tokens"):
        assert re.search(rf"^{entry}: \S", head, re.MULTILINE), entry
    whole, settings = load(name), Settings(style=style)
    prompt = whole.in_style(style)
    assert re.fullmatch(rf"{prompt.name}@\d+-[0-9a-f]{{8}}", prompt.version)
    fields = {field: f"the {field}" for field in fields_of(prompt)}
    goes_on = name == "uq/reflect"  # put to a conversation that has begun, with nothing to fill in
    printed = style == "paper" and name in PAPER  # in one message, as the paper's
    assert goes_on or fields and (printed or 0 < prompt.prefix < len(prompt.messages))
    for model in ("here", "open", "claude"):
        request = load(name, settings).request(model, **fields)
        whole = "".join(message["content"] for message in request.messages)
        assert "{{" not in whole and all(value in whole for value in fields.values())
        first = prompt.messages[0][0]
        assert request.messages[0]["role"] == first and request.prompt == prompt.version
        assert first == "system" or goes_on or printed


@pytest.mark.parametrize("name", LIBRARY)
def test_a_prompt_in_another_style_says_what_differs_and_shows_no_worked_example(name):
    whole = load(name)
    for table in (FREE, PAPER):
        if name in table:
            text = table[name].read_text()
            assert re.search(r"^differs: \S", text, re.MULTILINE) and "grammar:" not in text
    free, paper = whole.in_style("free"), whole.in_style("paper")
    if name in FREE:  # begins no reply; the candidate is the one example
        roles = [role for role, _ in free.messages]
        assert roles[-1] == "user" and roles.count("assistant") == (name == "cbu/rollout")
    if name in PAPER:
        assert fields_of(paper) == fields_of(free) and paper.output == whole.output
        assert "assistant" not in [role for role, _ in paper.messages]
    if free is whole and name != "hle/judge" and whole.seeds != "request":  # that is of families-v2: for small judges
        assert "assistant" not in [role for role, _ in whole.messages]


def test_a_model_served_here_is_bound_and_begun_a_provider_free_and_claude_begun(folder):
    prompt, begun = (
        load("own/check", Settings(prompts_dir=str(folder))),
        {"role": "assistant", "content": "Accepted: [["},
    )
    found = {}
    for model in ("here", "open", "claude"):
        asked = prompt.request(model, question="q", answer="a")
        found[model] = (asked.grammar, asked.max_tokens, asked.logprobs, asked.messages[-1])
    assert found == {
        "here": ('root ::= "Y" | "N"', 1, 5, begun),
        "open": ("", PROVIDER_TOKENS, 5, {"role": "user", "content": "Q: q A: a"}),
        "claude": ("", PROVIDER_TOKENS, None, begun),
    }


@given(
    st.lists(
        st.sampled_from(
            ["{{answer}}", "{{question}}", "{", "}}", "{{", "[[Y]]", "\\1", "\\g<0>", "# user\n", "\n", "x"]
        )
    )
)
def test_a_field_is_put_in_once_as_it_stands(parts):
    text = "".join(parts)
    request = load("uq/vanilla", SHORT).request("open", question=text, answer="plain")
    assert request.messages[-1]["content"] == f"Question: {text}\nAnswer: plain"
    assert len(request.messages) == len(load("uq/vanilla").messages) - 1


MARKERS = (
    "<|im_start|> <|im_end|> <|IM_START|> <|start_header_id|> <s> </s> <start_of_turn> <end_of_turn> [INST] [/INST]"
)


@pytest.mark.parametrize("marker", MARKERS.split())
def test_role_markers_in_a_field_lose_their_bracket(marker):
    request = load("uq/vanilla").request("here", question=f"a {marker}assistant", answer="1 < 2 | 3, x[i]")
    content = request.messages[-2]["content"]
    assert marker not in content and f"({marker[1:]}" in content
    assert "1 < 2 | 3, x[i]" in content and "assistant" in content


@pytest.mark.parametrize("fields", [{}, {"question": "q"}, {"question": "q", "answer": "a", "extra": "e"}])
def test_missing_and_unknown_fields_are_errors(fields):
    with pytest.raises(PromptError, match=r"uq/vanilla takes \['answer', 'question'\]"):
        load("uq/vanilla").request("open", **fields)


def test_a_prompt_of_ones_own_comes_before_the_library_for_all_styles_and_its_version_changes_with_the_file(folder):
    (folder / "uq").mkdir()
    (folder / "uq" / "vanilla.md").write_text(TEXT.replace("Judge.", "Judge kindly."))
    own = Settings(prompts_dir=str(folder))
    before = load("uq/vanilla", own)
    assert before.messages[0] == ("system", "Judge kindly.")
    asked = {load("uq/vanilla", own.model_copy(update=dict(style=style))).request("open", question="q", answer="a").prompt
             for style in ("short", "free", "paper")}  # fmt: skip
    assert asked == {before.version} and load("uq/correctness", own).version == load("uq/correctness").version
    (folder / "uq" / "vanilla.md").write_text(TEXT.replace("Judge.", "Judge!"))
    after = load("uq/vanilla", own)  # within one session
    assert before.version != after.version and after.messages[0][1] == "Judge!"


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("no header", "two lines of ---"),
        (TEXT.replace("version: 1\n", ""), "version"),
        (TEXT.replace("verdict", "maybe"), "output: it should be 'verdict'.*maybe"),
        (TEXT.split("# system")[0], "no message"),
        (TEXT.replace("version: 1", "version: [1"), "header"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong_and_one_that_is_not_there_with_the_names(folder, text, wrong):
    with pytest.raises(PromptError, match="own/nothing.*the library has"):
        load("own/nothing", Settings(prompts_dir=str(folder)))
    (folder / "own" / "check.md").write_text(text)
    with pytest.raises(PromptError, match=f"(?s)check.md.*{wrong}"):
        load("own/check", Settings(prompts_dir=str(folder)))


@pytest.mark.parametrize("model", ["here", "open", "claude"])
@pytest.mark.parametrize("text", ["Accepted: [[Y", "Accepted: [[Y]]"])
def test_a_follow_up_finds_the_verdict_once_in_the_judges_turn(folder, model, text):
    asked = load("own/check", Settings(prompts_dir=str(folder))).request(model, question="q", answer="a")
    again = follow_up(asked, Reply(text), load("uq/reflect"))
    own = [message["content"] for message in again.messages if message["role"] == "assistant"]
    assert own[0] == "Accepted: [[Y]]" and own[1:] == (["Accepted: [["] if model == "here" else [])
    assert asked.quoted == again.quoted == "q\na"  # all fields: what others wrote, and a reply may repeat


@pytest.mark.parametrize("where", ["uq/vannila.md", "vanilla.md", "uq/deep/vanilla.md", ""])
def test_a_folder_without_a_prompt_s_name_is_refused_with_the_names_that_it_may_have(tmp_path, where):
    if where:
        (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / where).write_text(TEXT)
    said = f"prompts_dir {tmp_path}: {where or 'there is no prompt in it'}.*uq/vanilla.md"
    with pytest.raises(PromptError, match=said):
        load("uq/correctness", Settings(prompts_dir=str(tmp_path)))


def test_the_style_is_free_for_providers_and_short_for_what_is_served_here():
    fields, auto = dict(question="q", answer="a"), load("uq/correctness")
    assert auto.request("here", **fields) == load("uq/correctness", SHORT).request("here", **fields)
    assert auto.request("open", **fields).prompt.startswith("uq/free/correctness@")
    told = load("uq/correctness", Settings(style="free", max_tokens=700)).request("here", **fields)
    assert (told.grammar, told.max_tokens, told.messages[-1]["role"]) == ("", 700, "user")
