"""Someone in JupyterLab changes cells, and runs all of them: the notebook runs to its end."""

import importlib.util
import json
from pathlib import Path

import pytest
from proctor import paths
from proctor.report.claims import read_claims
from proctor.workflow import params, receipts
from proctor.workflow.notebook import Notebook, all_notebooks

_spec = importlib.util.spec_from_file_location("explore_walks", paths.ROOT / "benchmarks/explore_walks.py")
explore_walks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(explore_walks)
WALKS = {Path(walk.picture).stem: walk for walk in explore_walks.walks()}
ROWS = "table = table_s10.load_rows(out.rng(), resamples)"
MODELS = "models = simulated_models(strong, low)"
EDITS = {  # notebook, text of a cell, what stands there then, claims that are undecided then, figures not drawn
    "uq with o3-mini alone": (
        "uq/3_validators", ROWS, f'{ROWS}.query("model == \'o3-mini\'")',
        {"uq/3_balance", "uq/claim_compound_beats_single_prompt.deepest", "uq/claim_finding_2.precision",
         "uq/claim_diversity_beats_turns.gain", "uq/claim_prompt_quality", "uq/claim_validator_strength_scales.balanced"},
        {"uq/fig_S5"},
    ),
    "hle_verified without Physics": (
        "hle_verified/2_defects", '    "Physics": 230,\n', "",
        {"hle_verified/claim_rationales_by_subject"}, set(),
    ),
    "kina without the low tier": (
        "kina/3_leaderboard", MODELS, f"{MODELS}.query(\"tier != 'low'\")", {"kina/claim_tiers.low"}, set(),
    ),
}  # fmt: skip


@pytest.fixture
def edited_run(run_in):
    """`edited_run(label, content, name)`: where a run of an edited copy of the notebook left figures/ and out.ipynb."""

    def run(label, content, name) -> Path:
        folder = paths.BUILD / "tests/filtered rows" / label
        folder.mkdir(parents=True, exist_ok=True)
        copy, values = folder / "mine.ipynb", params.resolve(all_notebooks(), paths.PARAMS / "quick.yaml")[name]
        copy.write_text(json.dumps(content))
        run_in(folder, Notebook(copy), values, page=False, PROCTOR_NOTEBOOK="", JPY_SESSION_NAME=str(copy))  # as in Lab
        return folder

    return run


@pytest.mark.parametrize("edit", EDITS)
def test_it_runs_to_its_end_and_says_what_is_undecided(edit, edited_run):
    name, old, new, undecided, not_drawn = EDITS[edit]
    content = json.loads((paths.ROOT / f"notebooks/{name}.ipynb").read_text())
    hit = [cell for cell in content["cells"] if old in "".join(cell["source"]) and cell["cell_type"] == "code"]
    hit[0]["source"] = "".join(hit[0]["source"]).replace(old, new, 1)
    folder = edited_run(edit, content, name)

    verdicts = {claim.id: claim.verdict for claim in read_claims(folder / "figures")}
    committed = [claim.id for claim in read_claims() if claim.notebook == name]
    assert sorted(verdicts) == sorted(committed) and {verdicts[claim] for claim in undecided} <= {"cannot tell"}
    due = [one for one, record in receipts.records().items() if record["code"]["notebook"] == name]
    kept = [(paths.FIGURES / one, folder / "figures" / one) for one in due]
    lost = {f"{one.parent.name}/{one.name}" for one, drawn in kept
            if one.with_suffix(".svg").exists() and not drawn.with_suffix(".svg").exists()}  # fmt: skip
    assert lost == not_drawn
    page = (folder / "out.ipynb").read_text()
    assert all(f"{figure} is not drawn: " in page for figure in not_drawn)


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_of_the_docs_ends_in_its_figure(walk, edited_run):
    one = WALKS[walk]
    assert len(one.changes) > 2 and (paths.ROOT / "docs" / one.picture).is_file()
    folder = edited_run(f"walk {walk}", explore_walks.changed(one), one.notebook)
    assert (folder / f"figures/{one.figure}.svg").exists()
