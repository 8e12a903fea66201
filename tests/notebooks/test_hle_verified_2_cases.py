"""The notebook on the paper's cases, run once with params/quick.yaml; what it leaves in figures/."""

import json

import numpy as np
import pandas as pd
import pytest

NAME = "hle_verified/2_cases"
FIGURES = {"case_speculative_decoding_figure": "simulated"}


def saved(done, name, **how):
    return pd.read_csv(done / f"figures/hle_verified/{name}.csv", **how)


def test_the_cases_come_out_as_the_paper_repaired_them(done):
    cases = saved(done, "cases", dtype=str).set_index("case")
    for name in ("case_speculative_decoding", "case_stoichiometry", "case_exciton"):
        assert cases.loc[name, "computed"] == cases.loc[name, "repaired"]
    assert cases.loc["case_euler_sequence", "computed"].startswith("1, 3, 6, 10, 15") and len(cases) == 6
    noise = saved(done, "case_speculative_decoding")
    assert ((noise["low"] <= noise["rate"]) & (noise["rate"] <= noise["high"])).sum() >= len(noise) - 1


def test_the_sizes_of_the_join_are_all_that_a_search_over_every_size_finds(claims_made):
    a, b = np.meshgrid(np.arange(1, 465), np.arange(1, 465))
    found = 0
    for buffer in range(3, 103):
        cost = np.minimum(a + np.ceil(a / (buffer - 2)) * b, b + np.ceil(b / (buffer - 2)) * a)
        found += int(((cost == 465) & (a <= b)).sum())
    assert claims_made["hle_verified/2c_join_is_open"].n == found


@pytest.mark.parametrize("artifact", FIGURES)
def test_figures_are_there_with_their_evidence(done, artifact):
    record = json.loads((done / f"figures/hle_verified/{artifact}.json").read_text())
    assert record["evidence"] == FIGURES[artifact] and record["claim"] and record["alt"]
    assert (done / f"figures/hle_verified/{artifact}.png").stat().st_size > 10_000
