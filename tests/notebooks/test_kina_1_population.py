"""notebooks/kina/1_population.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest

NAME = "kina/1_population"


@pytest.fixture(scope="module")
def approval(read):
    return read("topic_approval").set_index("approval")


def test_tested_shares_of_the_approvals_agree_with_each_other(approval):
    shares = approval.drop(columns=["without_items", "proven"])
    assert ((0 <= shares) & (shares <= 1)).all(axis=None) and len(approval) == 4
    assert (approval["least_tested"] <= approval["population"]).all()
    assert (approval["population"] <= approval["most_tested"]).all()
    assert (approval["after_losses"] < approval["population"]).all()
    assert (approval["population_low"] < approval["population"]).all()
    assert (approval["population"] < approval["population_high"]).all()
    per_discipline = approval[["least_tested", "most_tested"]] * 100 * 4  # of 100 topics each, mean over four fields
    assert np.allclose(per_discipline, per_discipline.round())


def test_anchors_win_the_proxy_and_lose_the_population_and_quotas_give_some_of_it_back(approval, claims_made):
    anchors, quotas = approval.loc["by anchors"], approval.loc["by anchors, with quotas"]
    assert approval["proxy"].idxmax() == "by anchors" and approval["population"].idxmin() == "by anchors"
    assert anchors["without_items"] > 0 == quotas["without_items"]
    assert quotas["population"] > anchors["population"] and quotas["least_tested"] > 0.2
    nobody = approval.loc["nobody is asked", "population"]
    found = claims_made["kina/1b_topic_approval.anchors"]
    assert found.estimate == pytest.approx(100 * (anchors["population"] - nobody)) and found.family == 4
