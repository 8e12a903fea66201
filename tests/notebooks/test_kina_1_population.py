"""notebooks/kina/1_population.ipynb, run by papermill with the quick parameters."""

import pytest

NAME = "kina/1_population"


@pytest.fixture(scope="module")
def approval(read):
    return read("topic_approval").set_index("approval")


def test_anchors_win_the_proxy_and_lose_the_population_and_quotas_give_some_of_it_back(approval, claims_made):
    anchors, quotas = approval.loc["by anchors"], approval.loc["by anchors, with quotas"]
    assert approval["proxy"].idxmax() == "by anchors" and approval["population"].idxmin() == "by anchors"
    assert anchors["without_items"] > 0 == quotas["without_items"]
    assert quotas["population"] > anchors["population"] and quotas["least_tested"] > 0.2
    nobody = approval.loc["nobody is asked", "population"]
    found = claims_made["kina/1b_topic_approval.anchors"]
    assert found.estimate == pytest.approx(100 * (anchors["population"] - nobody)) and found.family == 4
