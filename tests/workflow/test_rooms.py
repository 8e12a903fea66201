"""A paper's room is its own: an edit in it runs that paper's notebooks again, and no other paper's."""

import pytest
from proctor.paths import ROOT
from proctor.workflow.notebook import all_notebooks, modules_of

PAPERS = ("uq", "hle", "hle_verified", "kina", "cbu")
READS = {
    "kina/6_items": {"uq"},  # UQ's recorded verdicts, filtered as KINA does
}


@pytest.fixture(scope="module")
def rests_on():
    """{notebook: names of the papers whose code it reads}; a prompt may be used by another paper's judge."""
    found = {}
    for notebook in all_notebooks():
        folders = {path.relative_to(ROOT / "lib").parts[1] for path in modules_of(notebook) if path.suffix == ".py"}
        found[notebook.name] = folders & set(PAPERS)
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_an_edit_in_a_paper_s_room_runs_no_other_paper_s_notebooks(rests_on, paper):
    for name, papers in rests_on.items():
        of = name.partition("/")[0]
        if of in PAPERS and of != paper:
            assert paper not in papers - READS.get(name, set()), f"{name} rests on lib/proctor/{paper}"


@pytest.mark.parametrize("paper", PAPERS)
def test_an_edit_of_a_prompt_runs_its_paper_s_notebooks(paper):
    folder = ROOT / "lib" / "proctor" / paper / "prompts"
    prompts = set(folder.glob("*.md"))
    own = [notebook for notebook in all_notebooks() if notebook.name.startswith(f"{paper}/")]
    assert not prompts or any(prompts <= set(modules_of(notebook)) for notebook in own)
