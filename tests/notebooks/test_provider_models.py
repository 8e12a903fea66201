"""Every notebook that asks models runs on models of providers: replies of many shapes, and no token probabilities.

Here FEW of them, those whose results need the most of a model, on one of the two interfaces each.
`benchmarks/provider_models.py` runs all on both, and with models that say nothing readable, are always right,
or always wrong; so it is to be run when one of these notebooks changes.
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import faulty_server
import many_shapes
import pandas as pd
import pytest
from many_shapes import ManyShapes, asking_notebooks, provider_values
from proctor import paths
from proctor.exam import recorded
from proctor.report.claims import read_claims
from proctor.workflow import params, receipts
from proctor.workflow.notebook import Notebook, all_notebooks

FEW = {  # audits, rollouts, verdicts: the interface, the models
    "hle_verified/2_audit_probabilities": ("openai", ["mixed"]),
    "cbu/1_method": ("anthropic", ["mixed", "mixed-2"]),
    "uq/2_small_judges": ("openai", ["mixed", "mixed-2"]),
}
MADE_BY = [Path(file) for file in (__file__, many_shapes.__file__, faulty_server.__file__)]


@pytest.fixture(scope="module")
def server():
    keys = {question.question: question.answer for question in [*recorded.families(1), *recorded.exam_questions(12)]}
    with ManyShapes(keys) as running:
        yield running


@pytest.fixture(scope="module")
def provider_run(server, run_in, tmp_path_factory):
    """provider_run(name, kind, models, **values): where a run of the notebook left figures/, out.ipynb and calls.json,
    which has how many calls each path of the server got. It runs only if its receipt of an earlier session no longer
    holds."""
    replies = tmp_path_factory.mktemp("replies") / "provider.sqlite"

    def run(name, kind, models, **more) -> Path:
        folder = paths.BUILD / "tests/providers" / f"{name} {models[0]}"
        notebook, receipt = Notebook(paths.ROOT / f"notebooks/{name}.ipynb"), folder / "receipt.json"
        values = provider_values(name, "URL", kind, models) | more
        read = receipts.digests([*receipts.inputs(notebook, values), paths.PARAMS / "quick.yaml", *MADE_BY])
        left = receipts.digests(path for path in receipts.files_in([folder]) if path != receipt)
        if receipts.read_receipt(receipt) == {"values": values, "read": read, "left": left}:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        server.calls.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PROCTOR_REPLIES", str(replies))
            quick = params.resolve(all_notebooks(), paths.PARAMS / "quick.yaml")[name]
            run_in(folder, notebook, quick | json.loads(json.dumps(values).replace("URL", server.url)), receipt="")
        calls = Counter()
        for (_, path), count in server.calls.items():
            calls[path] += count
        (folder / "calls.json").write_text(json.dumps(calls))
        receipts.write(values, read, receipts.files_in([folder]), receipt)
        return folder

    return run


@pytest.mark.parametrize("name", FEW)
def test_notebook_runs_on_models_of_a_provider(name, provider_run):
    kind, models = FEW[name]
    folder = provider_run(name, kind, models)
    assert read_claims(folder / "figures")
    [planned] = re.findall(r"plan: .* ([\d,]+) to ask", (folder / "out.ipynb").read_text())
    calls = json.loads((folder / "calls.json").read_text())
    assert list(calls) == [{"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[kind]]
    assert 0 < sum(calls.values()) <= int(planned.replace(",", ""))


def test_an_exam_of_questions_of_one_s_own_and_a_model_that_says_nothing_readable(provider_run):
    """Whom the second study asks (`anchored`) stays as it is."""
    lines = (paths.QUESTIONS / "families_v2.jsonl").read_text().splitlines()
    ids = [f'"id": "{family}-{level}-01"' for family in ("tank", "long_sum") for level in (1, 2)]
    own = paths.BUILD / "tests/own_questions.jsonl"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("\n".join(line for line in lines if any(name in line for name in ids)))
    folder = provider_run("hle/2_measured_models", "openai", ["mute"], questions=str(own))
    rows = pd.read_csv(folder / "figures/hle/measured_accuracy_table.csv").set_index("questions")["n"]
    assert set(rows.index) == {"all families", "level 1", "level 2", "tank", "long_sum", "MMLU-tiny"}
    assert rows["all families"] == 4


def test_the_example_of_live_yaml_puts_other_models_in_every_notebook_that_asks(tmp_path):
    text = (paths.PARAMS / "live.yaml").read_text(encoding="utf-8")
    profile = tmp_path / "mine.yaml"
    profile.write_text("\n".join(line[4:] for line in text.splitlines() if line.startswith("#   ")))
    values = params.resolve(all_notebooks(), profile, {})
    for name in asking_notebooks():
        assert values[name]["mode"] == "live" and "my-large" in str(values[name]), name
        assert not re.search("smollm|qwen", str(values[name])), name
