"""notebooks/kina/1_representativeness.ipynb, run by papermill with the quick parameters."""

import json

import pytest
from proctor import paths
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/1_representativeness"
FIGURES = ("fig_1", "proposition_1", "coverage_curve")


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_leaves_what_the_catalog_promises(done):
    rows = [row for row in catalog.read() if row.notebook == NAME]
    assert len(rows) == 5 and all((done / "figures" / file).is_file() for row in rows for file in catalog.files(row))


def test_everything_simulated_says_so_and_what_is_drawn_of_the_paper_is_published(done):
    for name in FIGURES[1:]:
        assert record(done, name)["evidence"] == "simulated" and record(done, name)["seed"] == 20260101
    assert record(done, "fig_1")["evidence"] == "published" and record(done, "fig_1")["note"]
    assert [entry["path"] for entry in record(done, "fig_1")["inputs"]] == ["data/published/kina/facts.csv"] + (
        ["data/published/kina/leaderboard.csv"]
    )


def test_workflow_shows_the_stages_of_the_caption_and_its_counts_in_order(done):
    svg = (done / "figures/kina/fig_1.svg").read_text()
    stages = ("Topic approval", "Double-blind expert", "Five flagship models", "three judges", "Refinement loop", "899")
    places = [svg.index(stage, svg.index("<defs")) for stage in stages]
    assert places == sorted(places)
    for text in ("two yes votes", "261", "six parts", "10 options"):
        assert text in svg


def test_exact_claims_hold_also_with_few_instances(claims):
    """Proofs and constructions do not depend on the number of simulated instances."""
    for part in ("bound", "tight", "quotas"):
        claim = claims[f"kina/claim_greedy.{part}"]
        assert claim.verdict == "holds" and claim.exact
    assert claims["kina/claim_greedy.tight"].estimate == pytest.approx(100 * (1 - (1 - 1 / 30) ** 30), abs=1e-3)
    assert claims["kina/claim_greedy.quotas"].estimate == pytest.approx(100 * 1.001 / 2.001)


def test_sampled_claims_have_intervals_over_simulated_instances(claims):
    sampled = [claim for claim in claims.values() if claim.id.startswith("kina/1_greedy_performance.")]
    assert len(sampled) == 3 and all(claim.of.startswith("simulated") and claim.low < claim.high for claim in sampled)
    assert claims["kina/1_greedy_performance.typical"].n == 12 and claims["kina/1_greedy_performance.proven"].n == 3


def test_results_box_states_the_committed_claims():
    box = "".join(json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())["cells"][0]["source"])
    own = [claim for claim in read_claims(paths.ROOT / "figures") if claim.notebook == NAME]
    text = " ".join(box.replace("\n>", " ").split())
    stated = [claim for claim in own if claim.numbers.split(", n =")[0] in text]
    assert {claim.id for claim in stated} >= {
        "kina/claim_greedy.tight",
        "kina/1_greedy_performance.proven",
        "kina/1_greedy_performance.reached",
    }
    assert all(claim.verdict == "holds" for claim in own)
