"""notebooks/kina/2_tournament.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest

NAME = "kina/2_tournament"
# the notebook's assumed numbers
HASTY, DILIGENT = (0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)


def test_threshold_printed_is_cost_over_the_rise_of_the_winning_chance(printed_text):
    def wins(own, other):  # clears level 2, and is better; a tie counts half
        return sum(own[q] * (sum(other[:q]) + other[q] / 2) for q in (2, 3))

    by_hand = [1 / (wins(DILIGENT, other) - wins(HASTY, other)) for other in (HASTY, DILIGENT)]
    assert f"threshold {by_hand[0]:.2f} against a hasty, {by_hand[1]:.2f} against a diligent other" in printed_text


def test_drawn_gains_lie_by_the_exact_ones(claims_made):
    """10 % above and below the threshold diligence gains 0.1 of a cost difference of one hour."""
    for part, exact in (("drawn_pays", 0.1), ("drawn_fails", -0.1)):
        claim = claims_made[f"kina/claim_tournament.{part}"]
        assert claim.low < exact < claim.high


def test_hasty_equilibria_are_those_of_flat_pay_per_item_pay_and_agreement(read):
    found = read("lazy_agreement").groupby("mechanism")["share_diligent"].agg(["min", "max", "size"])
    assert found.loc["flat"].tolist() == found.loc["per item"].tolist() == [0, 0, 1]
    assert found.loc["agreement, bonus 4"].tolist() == [0, 0, 1]
    assert found.loc["agreement, bonus 20"].tolist() == [0, 1, 3]
    assert found.loc["tournament, above"].tolist() == [1, 1, 1] and 0 < found.loc["tournament, below", "max"] < 1


def test_hasty_and_diligent_pairs_agree_alike_and_differ_in_what_they_release(read):
    ends = read("lazy_agreement").query("share_diligent in (0, 1)").groupby("share_diligent")
    alike, good = ends["alike"].unique(), ends["good_release"].unique()
    assert np.concatenate(alike.tolist()) == pytest.approx(0.8 + 0.2 * (0.8**2 + 0.2**2))
    assert [value for (value,) in good] == pytest.approx([1 - 0.8**2, 1 - 0.2**2])
