"""The notebook that collects all verdicts: it runs after every notebook on a paper, and its counts can be recounted."""

import re

import pandas as pd
import pytest
from proctor import paths
from proctor.report.claims import verdict
from proctor.workflow import receipts
from proctor.workflow.notebook import Notebook, all_notebooks

NAME = "synthesis/6_does_it_hold"
PAPERS = ("cbu", "hle", "hle_verified", "kina", "uq")
NOTEBOOK = Notebook(paths.ROOT / f"notebooks/{NAME}.ipynb")
OTHERS = "not tested on these models"


@pytest.fixture(scope="module")
def table(read):
    return lambda name: read(name, keep_default_na=False)


def test_it_runs_after_every_notebook_on_a_paper_and_after_no_other():
    places = [each.name.rpartition("/") for each in all_notebooks()]
    made = {f"{paper}/{name}": paths.ROOT / f"figures/{paper}/claims_{name}.csv" for paper, _, name in places}
    before = {name for name, file in made.items() if name.partition("/")[0] in PAPERS and file.exists()}
    assert set(receipts.reads_results_of(NOTEBOOK)) == before and len(before) > 30


def test_a_finding_has_the_verdict_that_all_its_tests_have(table):
    findings, tests = table("findings"), table("finding_tests")
    assert findings["finding"].is_unique and set(tests["finding"]) == set(findings["finding"])
    assert tests["test"][tests["test"] != ""].is_unique
    for finding, mine in tests.groupby("finding"):
        decide = set(mine["test_verdict"]) - {"", OTHERS}
        none = OTHERS if OTHERS in set(mine["test_verdict"]) else "not tested"
        expected = none if not decide else decide.pop() if len(decide) == 1 else "mixed"
        assert set(mine["verdict"]) == {expected}, finding


def test_sentences_on_named_models_are_not_decided_by_ours(table):
    stated = pd.read_csv(paths.ROOT / "data/findings.csv", keep_default_na=False).set_index("claim")
    tests = table("finding_tests")
    ours = tests[(tests["evidence"].str.contains("measured")) & (tests["test"] != "")]
    named = stated.loc[ours["finding"], "models"].eq("named").to_numpy()
    assert ((ours["test_verdict"] == OTHERS) == named).all() and named.any() and not named.all()


def test_contradictions_between_kinds_are_those_of_the_tests(table):
    tests, clash = table("finding_tests"), table("contradictions")
    kinds = tests[tests["kind"] == "finding"].assign(
        source=lambda part: [re.sub("published|reconstructed", "printed", text) for text in part["evidence"]]
    )
    found = set()
    for finding, mine in kinds.groupby("finding"):
        by = [set(part) for _, part in mine.groupby(mine["source"].str.split(r" \+ ").str[-1])["test_verdict"]]
        if any("holds" in one and "does not hold" in two for one in by for two in by if one is not two):
            found.add(finding)
    assert set(clash.loc[clash["between"] == "kinds of evidence", "finding"]) == found


def test_the_two_sides_of_a_question_are_judged_by_one_sentence(table):
    pairs = table("frontier_questions")
    for row in pairs[pairs["says"] != ""].itertuples():
        for side in ("here", "frontier"):
            low, high = getattr(row, f"{side}_low"), getattr(row, f"{side}_high")
            if low != high:
                assert verdict(float(low), float(high), row.says) == getattr(row, f"{side}_verdict")
    claims = table("claims_6_does_it_hold").set_index("id")
    sides = pairs["here_verdict"] + "/" + pairs["frontier_verdict"]
    opposite = (sides.isin(["holds/does not hold", "does not hold/holds"]) & (pairs["apart"] == "")).sum()
    assert claims.loc["synthesis/6_opposite", "exact"].startswith(f"{opposite} of {(pairs['apart'] == '').sum()} ")


def test_an_open_test_needs_more_than_it_has(table):
    left = table("undecided_tests")
    counted = left[left["units"].str.fullmatch(r"[\d,]+")]
    assert (counted["units"].str.replace(",", "").astype(float) > counted["n"].astype(float)).all() and len(counted)


def test_the_box_says_the_counts_of_the_claims():
    box = " ".join(line for line in NOTEBOOK.content["cells"][0]["source"] if line.startswith(">"))
    claims = pd.read_csv(paths.ROOT / "figures/synthesis/claims_6_does_it_hold.csv")
    known = set(re.findall(r"(\d+) of (\d+)", " ".join(claims["exact"])))
    said = set(re.findall(r"(\d+) of (\d+)", box))
    assert said <= known and len(said) >= 5
