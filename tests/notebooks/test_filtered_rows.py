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
UNDECIDED = {  # walk: claims about rows that are gone
    "defects": {"hle_verified/claim_rationales_by_subject"},
    "leaderboard": {"kina/claim_tiers.low"},
}
ROWS = "table = table_s10.load_rows(out.rng(), resamples)"
WITHOUT_PAIRS = {
    "uq/3_balance", "uq/claim_compound_beats_single_prompt.deepest", "uq/claim_finding_2.precision",
    "uq/claim_diversity_beats_turns.gain", "uq/claim_prompt_quality", "uq/claim_validator_strength_scales.balanced",
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


def verdicts(folder, name) -> dict[str, str]:
    """{claim: its verdict} of a run, which has judged all that the committed run of that notebook has."""
    found = {claim.id: claim.verdict for claim in read_claims(folder / "figures")}
    assert set(found) == {claim.id for claim in read_claims() if claim.notebook == name}
    return found


def not_drawn(folder, name) -> set[str]:
    """Figures of the committed run that this one lacks; its page says so of each."""
    due = [one for one, record in receipts.records().items() if record["code"]["notebook"] == name]
    places = paths.FIGURES, folder / "figures"
    committed, drawn = ({one for one in due if (place / f"{one}.svg").exists()} for place in places)
    lost = committed - drawn
    page = (folder / "out.ipynb").read_text()
    assert all(f"{figure} is not drawn: " in page for figure in lost)
    return lost


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_of_the_docs_draws_all_figures_and_leaves_undecided_what_has_lost_its_rows(walk, edited_run):
    one = WALKS[walk]
    assert len(one.changes) > 2 and (paths.ROOT / "docs" / one.picture).is_file()
    folder = edited_run(f"walk {walk}", explore_walks.changed(one), one.notebook)
    found = verdicts(folder, one.notebook)
    assert {found[claim] for claim in UNDECIDED.get(walk, ())} <= {"cannot tell"}
    assert not not_drawn(folder, one.notebook)


def test_one_judge_alone_leaves_pairs_undecided_and_their_figure_out(edited_run):
    name = "uq/3_validators"
    content = json.loads((paths.ROOT / f"notebooks/{name}.ipynb").read_text())
    hit = next(cell for cell in content["cells"] if cell["cell_type"] == "code" and ROWS in "".join(cell["source"]))
    hit["source"] = "".join(hit["source"]).replace(ROWS, f"{ROWS}.query(\"model == 'o3-mini'\")")
    folder = edited_run("uq with o3-mini alone", content, name)
    found = verdicts(folder, name)
    assert {found[claim] for claim in WITHOUT_PAIRS} == {"cannot tell"}
    assert not_drawn(folder, name) == {"uq/fig_S5"}
