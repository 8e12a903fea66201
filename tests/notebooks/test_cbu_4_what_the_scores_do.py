"""notebooks/cbu/4_what_the_scores_do.ipynb, run by papermill with the quick parameters."""

import json

import pandas as pd
import pytest
from proctor.data.published import load_published
from proctor.report.claims import read_claims, rejudge
from scipy.stats import binomtest

NAME = "cbu/4_what_the_scores_do"


def table(done, name):
    return pd.read_csv(done / f"figures/cbu/{name}.csv")


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def test_bounds_of_the_human_solutions_are_those_of_every_sharing(done):
    for row in table(done, "human_solutions").itertuples():
        p = [
            binomtest(row.judge - both, row.judge + row.utility - 2 * both).pvalue
            for both in range(max(0, row.judge + row.utility - 70), min(row.judge, row.utility) + 1)
        ]
        assert (row.p_min, row.p_max) == pytest.approx((min(p), max(p)))


def test_labels_overlap_as_the_counts_force_them_to(claims):
    assert "At least 45 of 112" in claims["cbu/4_labels_overlap"].finding and 80 + 77 - 112 == 45


def test_tables_hold_the_printed_figures(done):
    found = table(done, "table_3")["printed"]
    assert found.tolist() == pytest.approx([0.7309, 0.7390, 0.7279, 0.7965, 0.0602, 0.1825])
    printed = load_published("cbu/facts").set_index("fact")["value_value"]
    names = [f"token_difference_{name}" for name in ("qwen3_235b", "qwen3_30b", "gpt_oss_120b", "gpt_oss_20b")]
    assert sorted(table(done, "table_5")["difference"]) == sorted(printed[names])


def test_bending_keeps_the_order_and_moves_the_share_as_the_normal_curve_has_it(claims):
    bent = claims["cbu/4_bending"]
    assert bent.n == 20_000 and 40 < bent.estimate < 48


@pytest.mark.parametrize(
    "name, evidence",
    [
        ("fig_4", "reconstructed"),
        ("above_mean_plane", "published + simulated"),
    ],
)
def test_figures_say_what_they_rest_on(done, name, evidence):
    assert json.loads((done / f"figures/cbu/{name}.json").read_text())["evidence"] == evidence


def test_noise_gains_in_sample_and_the_printed_gains_are_those_of_the_text(done):
    noise, small, large = table(done, "noise_gain").itertuples()
    assert noise.low < noise.gain < noise.high < 3
    assert (small.gain, large.gain) == (pytest.approx(0.81), pytest.approx(6.86))


def test_claims_follow_from_their_rows(claims):
    assert all(rejudge(claim) == claim.verdict for claim in claims.values()) and len(claims) == 8
