"""Every notebook that asks models runs on models of providers: replies of many shapes, and no token probabilities.

Here FEW of them, those whose results need the most of a model, on the two interfaces in turns.
`benchmarks/provider_models.py` runs all on both, and with models that say nothing readable, are always right,
or always wrong; so it is to be run when one of these notebooks changes.
"""

import re

import pytest
from many_shapes import ManyShapes, asking_notebooks, provider_values
from proctor import paths
from proctor.exam import recorded
from proctor.report.claims import read_claims
from proctor.workflow import params
from proctor.workflow.notebook import all_notebooks

FEW = [
    "hle/1_collection",
    "hle/2_measured_models",
    "hle_verified/1_protocol",
    "hle_verified/2_audit_probabilities",
    "cbu/1_method",
    "uq/2_small_judges",
]


@pytest.fixture(scope="module")
def server():
    keys = {question.question: question.answer for question in [*recorded.families(1), *recorded.exam_questions(12)]}
    with ManyShapes(keys) as running:
        yield running


@pytest.fixture
def own_replies(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("PROCTOR_REPLIES", str(tmp_path_factory.getbasetemp() / "provider_replies.sqlite"))


@pytest.mark.parametrize("name", FEW)
def test_notebook_runs_on_models_of_a_provider(name, server, own_replies, run_notebook, tmp_path):
    kind = ("openai", "anthropic")[FEW.index(name) % 2]
    values = provider_values(name, server.url, kind, ["mixed", "mixed-2"])
    given = [part for key, value in values.items() for part in ("-p", key, repr(value))]
    before = sum(server.calls.values())
    result = run_notebook(name, tmp_path, "--params", "params/quick.yaml", *given)
    assert result.returncode == 0, result.stderr
    assert read_claims(tmp_path / "figures")
    [planned] = re.findall(r"plan: .* ([\d,]+) to ask", (tmp_path / "out.ipynb").read_text())
    assert 0 < sum(server.calls.values()) - before <= int(planned.replace(",", ""))


@pytest.mark.parametrize("name", ["uq/2_small_judges", "hle/2_measured_models"])
def test_models_may_be_named_alone_and_say_nothing_readable(name, server, own_replies, run_notebook, tmp_path):
    """Whose answers are judged (`authors`), and whom the second study asks (`anchored`), stay as they are."""
    values = provider_values(name, server.url, "openai", ["mute"])
    given = [part for key, value in values.items() if key != "authors" for part in ("-p", key, repr(value))]
    result = run_notebook(name, tmp_path, "--params", "params/quick.yaml", *given)
    assert result.returncode == 0, result.stderr


def test_these_notebooks_ask_models():
    assert set(FEW) <= set(asking_notebooks())


def test_the_example_of_live_yaml_puts_other_models_in_every_notebook_that_asks(tmp_path):
    text = (paths.PARAMS / "live.yaml").read_text(encoding="utf-8")
    profile = tmp_path / "mine.yaml"
    profile.write_text("\n".join(line[4:] for line in text.splitlines() if line.startswith("#   ")))
    values = params.resolve(all_notebooks(), profile, {})
    for name in asking_notebooks():
        assert values[name]["mode"] == "live" and "my-large" in str(values[name]), name
        assert not re.search("smollm|qwen", str(values[name])), name


def test_both_interfaces_were_asked(server):
    assert {path for _, path in server.calls} == {"/v1/chat/completions", "/v1/messages"}
