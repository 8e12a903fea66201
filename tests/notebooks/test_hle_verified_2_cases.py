"""The notebook on the paper's cases, run once with params/quick.yaml; what it leaves in figures/."""

import json

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


def test_every_solution_of_the_join_costs_465_by_counting_pages(claims_made):
    def pages(outer, inner, buffer):
        blocks = [outer[i : i + buffer - 2] for i in range(0, len(outer), buffer - 2)]
        return sum(len(block) + inner for block in blocks)

    found = sum(
        465 in (cost := sorted((pages(range(a), b, buffer), pages(range(b), a, buffer)))) and cost[0] == 465
        for buffer in (3, 50, 102)
        for a in range(1, 465)
        for b in range(a, 465)
        if a + b <= 465
    )
    claim = claims_made["hle_verified/2c_join_is_open"]
    assert claim.n > found > 0 and claim.verdict == "does not hold"


@pytest.mark.parametrize("artifact", FIGURES)
def test_figures_are_there_with_their_evidence(done, artifact):
    record = json.loads((done / f"figures/hle_verified/{artifact}.json").read_text())
    assert record["evidence"] == FIGURES[artifact] and record["claim"] and record["alt"]
    assert (done / f"figures/hle_verified/{artifact}.png").stat().st_size > 10_000
