"""notebooks/kina/2_tournament.ipynb, run by papermill with the quick parameters."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.kina.tournament import Reviewer, thresholds
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/2_tournament"
FIGURES = ("theorem_1", "released_quality")
# the notebook's assumed numbers
HASTY, DILIGENT = (0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def table(done, name) -> pd.DataFrame:
    return pd.read_csv(done / f"figures/kina/{name}.csv")


def test_leaves_what_the_catalog_promises(done):
    rows = [row for row in catalog.read() if row.notebook == NAME]
    assert len(rows) == 5 and all((done / "figures" / file).is_file() for row in rows for file in catalog.files(row))


def test_everything_simulated_says_so_with_its_seed_and_that_its_amounts_are_assumed(done):
    for name in (*FIGURES, "lazy_agreement"):
        found = json.loads((done / f"figures/kina/{name}.json").read_text())
        assert found["evidence"] == "simulated" and found["seed"] == 20260101 and "assumed" in found["note"]
        assert found["parameters"]["costs"] == [1.0, 2.0] and found["parameters"]["hasty"] == list(HASTY)
    for name in FIGURES:
        svg = (done / f"figures/kina/{name}.svg").read_text()
        assert "simulated" in svg and "costs 1 and 2 hours" in svg


def test_threshold_printed_is_cost_over_the_rise_of_the_winning_chance(printed_text):
    def wins(own, other):  # clears level 2, and is better; a tie counts half
        return sum(own[q] * (sum(other[:q]) + other[q] / 2) for q in (2, 3))

    by_hand = [1 / (wins(DILIGENT, other) - wins(HASTY, other)) for other in (HASTY, DILIGENT)]
    assert f"threshold {by_hand[0]:.2f} against a hasty, {by_hand[1]:.2f} against a diligent other" in printed_text
    assert thresholds(Reviewer((1, 2), (HASTY, DILIGENT)), bar=2) == pytest.approx(by_hand)


def test_exact_claims_hold_and_drawn_ones_have_intervals_as_wide_as_their_comparisons_need(claims):
    drawn = {name.rpartition(".")[2]: claim for name, claim in claims.items() if not claim.exact}
    assert set(drawn) == {"drawn_pays", "drawn_fails", "games", "crowds"}
    assert drawn["games"].family == drawn["drawn_pays"].family == 18 and drawn["crowds"].family == 9
    assert all(claim.level == pytest.approx(1 - 0.05 / claim.family) for claim in drawn.values())
    exact = [claim for claim in claims.values() if claim.exact]
    assert len(exact) == 8 and {claim.verdict for claim in exact} == {"holds"}


def test_drawn_gains_lie_by_the_exact_ones(claims):
    """10 % above and below the threshold diligence gains 0.1 of a cost difference of one hour."""
    for part, exact in (("drawn_pays", 0.1), ("drawn_fails", -0.1)):
        claim = claims[f"kina/claim_tournament.{part}"]
        assert claim.low < exact < claim.high


def test_hasty_equilibria_are_those_of_flat_pay_per_item_pay_and_agreement(done):
    found = table(done, "lazy_agreement").groupby("mechanism")["share_diligent"].agg(["min", "max", "size"])
    assert found.loc["flat"].tolist() == found.loc["per item"].tolist() == [0, 0, 1]
    assert found.loc["agreement, bonus 4"].tolist() == [0, 0, 1]
    assert found.loc["agreement, bonus 20"].tolist() == [0, 1, 3]
    assert found.loc["tournament, above"].tolist() == [1, 1, 1] and 0 < found.loc["tournament, below", "max"] < 1


def test_hasty_and_diligent_pairs_agree_alike_and_differ_in_what_they_release(done):
    ends = table(done, "lazy_agreement").query("share_diligent in (0, 1)").groupby("share_diligent")
    alike, good = ends["alike"].unique(), ends["good_release"].unique()
    assert np.concatenate(alike.tolist()) == pytest.approx(0.8 + 0.2 * (0.8**2 + 0.2**2))
    assert [value for (value,) in good] == pytest.approx([1 - 0.8**2, 1 - 0.2**2])


def test_results_box_states_the_committed_claims():
    box = "".join(json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())["cells"][0]["source"])
    own = {claim.id: claim for claim in read_claims(paths.ROOT / "figures") if claim.notebook == NAME}
    text = " ".join(box.replace("\n>", " ").split())
    for part, verdict in (("drawn_pays", "holds"), ("drawn_fails", "does not hold")):
        claim = own[f"kina/claim_tournament.{part}"]
        assert claim.numbers.split(", n =")[0] in text and claim.verdict == verdict
    assert "96 % of releases clear the bar, 36 % under flat pay" in text and "93.6 %" in text  # 1 - 0.2^2, 1 - 0.8^2
