"""The notebook of small and strong models: run once, it leaves what is committed, and it names all that it reads."""

import pandas as pd
from proctor import paths
from proctor.workflow.notebook import Notebook

NAME = "synthesis/7_frontier"


def test_it_needs_no_logs_and_leaves_what_is_committed(done):
    for name in ("claims_7_frontier.csv", "frontier_questions.csv"):
        assert (done / "figures/synthesis" / name).read_bytes() == (
            paths.ROOT / "figures/synthesis" / name
        ).read_bytes()


def test_its_metadata_names_the_claims_of_every_question():
    pairs = pd.read_csv(paths.ROOT / "data/frontier_questions.csv")
    wanted = set(pairs["here"]) | set(pairs["frontier"])
    named = Notebook(paths.ROOT / f"notebooks/{NAME}.ipynb").data()
    held = pd.concat(pd.read_csv(path) for path in named if path.name.startswith("claims_"))
    assert wanted <= set(held["id"])


def test_readings_are_counted_as_in_the_claims(done):
    table = pd.read_csv(done / "figures/synthesis/frontier_questions.csv")
    claims = pd.read_csv(done / "figures/synthesis/claims_7_frontier.csv").set_index("id")
    sides = table["here_verdict"] + "/" + table["frontier_verdict"]
    opposite = sides.isin(["holds/does not hold", "does not hold/holds"]).sum()
    assert claims.loc["synthesis/7_opposite", "exact"].startswith(f"{opposite} of {len(table)} ")
    decided = [(table[f"{side}_verdict"] != "cannot tell").sum() for side in ("frontier", "here")]
    assert claims.loc["synthesis/7_decided", "exact"].startswith(f"{decided[0]} against {decided[1]} of")
