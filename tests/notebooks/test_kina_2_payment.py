"""notebooks/kina/2_payment.ipynb, run by papermill with the quick parameters."""

import pytest

NAME = "kina/2_payment"


def test_flat_pay_costs_two_hasty_hours_over_the_chance_of_a_good_release(claims_made, printed_text):
    flat = 2 / (1 - 0.8**2)
    above = (2 * 2 + 0.5) / (1 - 0.2**2)  # the bonus is part of what keeps both reviewers; an audit an item
    assert f"'flat': {flat:.2f}" in printed_text and f"'above': {above:.2f}" in printed_text
    assert claims_made["kina/2b_cost.above"].estimate == pytest.approx(above - flat)


def test_pacts_end_where_the_pair_gains_by_work_what_it_saves_by_haste(claims_made, printed_text):
    """Both hasty: two hours saved for a bonus that is likelier by 0.96 - 0.36; one hasty: one hour, 0.96 - 0.84."""
    assert f"hasty_pact': '{2 / 0.6 / 10:.0%}'" in printed_text
    assert f"sharing_pact': '{1 / 0.12 / 10:.0%}'" in printed_text
    assert claims_made["kina/2b_collusion.pacts"].verdict == "holds"
    drawn = claims_made["kina/2b_collusion.drawn"]
    assert drawn.family == 8 and drawn.n == 10_000 and drawn.low < 0 < drawn.high


def test_needed_bonuses_rise_with_the_other_reviewers_skill(read):
    found = read("incentive_threshold")
    alike = found[(found["own"] == "typical") & (found["other"] == "typical")]
    assert alike["threshold"].tolist() == pytest.approx([1 / 0.555, 1 / 0.375]) and len(found) == 18
    beside = found.groupby(["own", "other"])["threshold"].max()
    assert beside["novice", "expert"] > beside["novice", "typical"] > beside["novice", "novice"]
