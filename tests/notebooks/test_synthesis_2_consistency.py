"""The notebook that compares the papers' figures with one another; what it leaves in figures/."""

import json

import pytest
from proctor import paths

NAME = "synthesis/2_consistency"


@pytest.fixture(scope="module")
def table(read):
    return read("consistency", dtype=str, keep_default_na=False)


def results_box() -> str:
    cells = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())["cells"]
    return " ".join("".join(cells[0]["source"]).replace("\n>", " ").split())


def test_results_box_says_what_the_claims_say(claims_made, table):
    box, noticed = results_box(), claims_made["synthesis/2_misprint_detection"]
    wrong, serious = (table["agrees"] == "False").sum(), (table["severity"] == "claim").sum()
    assert f"{wrong} of {len(table)} comparisons disagree" in box and f"{serious} of {len(table)} do" in box
    assert f"{noticed.estimate:.4g} % of {noticed.n}" in box


def test_a_moved_number_is_noticed_where_it_leaves_what_follows(read, table):
    """Recounted for whole numbers that the other figures pin down exactly: a move by one is always noticed."""
    agree = table[table["agrees"] == "True"]
    exact = agree[agree["printed"].str.fullmatch(r"\d+") & (agree["printed"] == agree["follows"])]
    exact = exact[~exact["what"].str.contains("percent|share")]
    found = read("misprint_detection")
    assert len(exact) <= found["detected"][0] <= found["comparisons"][0] and len(exact) > 30
    assert found["detected"].is_monotonic_increasing and found["share"][0] == pytest.approx(
        found["detected"][0] / found["comparisons"][0]
    )
