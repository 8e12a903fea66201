"""The notebook that collects all verdicts: it runs after every notebook on a paper, and its box says its counts."""

import re

import pandas as pd
from proctor import paths
from proctor.workflow import receipts
from proctor.workflow.notebook import Notebook, all_notebooks

NAME = "synthesis/6_does_it_hold"
PAPERS = ("cbu", "hle", "hle_verified", "kina", "uq")
NOTEBOOK = Notebook(paths.ROOT / f"notebooks/{NAME}.ipynb")


def test_it_runs_after_every_notebook_on_a_paper_and_after_no_other():
    places = [each.name.rpartition("/") for each in all_notebooks()]
    made = {f"{paper}/{name}": paths.ROOT / f"figures/{paper}/claims_{name}.csv" for paper, _, name in places}
    before = {name for name, file in made.items() if name.partition("/")[0] in PAPERS and file.exists()}
    assert set(receipts.reads_results_of(NOTEBOOK)) == before and len(before) > 50


def test_it_leaves_what_is_committed(done):
    for name in ("claims_6_does_it_hold.csv", "findings.csv", "finding_tests.csv"):
        made, kept = (root / "figures/synthesis" / name for root in (done, paths.ROOT))
        assert made.read_bytes() == kept.read_bytes()


def test_no_finding_is_counted_twice_and_each_has_its_tests(done):
    table, tests = (pd.read_csv(done / f"figures/synthesis/{name}.csv") for name in ("findings", "finding_tests"))
    assert table["finding"].is_unique and set(tests["finding"]) == set(table["finding"])
    assert tests["test"].dropna().is_unique
    assert (tests.loc[tests["test"].isna(), "verdict"] == "not tested").all()


def test_the_box_says_the_counts_of_the_claims():
    box = [line for line in NOTEBOOK.content["cells"][0]["source"] if line.startswith(">")]
    said = re.findall(r"(\d+) of (\d+)", " ".join(box))
    claims = pd.read_csv(paths.ROOT / "figures/synthesis/claims_6_does_it_hold.csv")
    known = set(re.findall(r"(\d+) of (\d+)", " ".join(claims["exact"])))
    hold = claims.set_index("id").loc["synthesis/6_by_evidence.measured", "exact"]
    assert f"measured*) {hold}" in " ".join(box) and len(said) >= 5
    assert set(said) <= known
