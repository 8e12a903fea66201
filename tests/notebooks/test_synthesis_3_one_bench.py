"""The notebook of all methods on one bench, with the largest model alone, and its results box."""

import pandas as pd
import pytest
from proctor import paths
from proctor.report import catalog

NAME = "synthesis/3_one_bench"


def read(done, name):
    return pd.read_csv(done / f"figures/synthesis/{name}.csv")


def test_it_leaves_what_the_catalog_promises(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) == 22 and catalog.check(rows, done / "figures") == []


def test_estimates_of_a_method_do_not_depend_on_the_other_models(done):
    committed = pd.read_csv(paths.COMMITTED / "synthesis/one_bench.csv")
    keys, figures = ["set", "method"], ["within", "over", "precision", "recall", "calls", "tokens"]
    one = committed[committed["model"] == "qwen2.5-coder-1.5b"].set_index(keys)[figures]
    assert read(done, "one_bench").set_index(keys)[figures].to_numpy() == pytest.approx(one.to_numpy(), nan_ok=True)


def test_all_sets_share_their_questions_and_families(done):
    quality = read(done, "one_bench").groupby("set")[["candidates", "questions", "families"]].agg(["min", "max"])
    assert (quality.xs("min", axis=1, level=1) == quality.xs("max", axis=1, level=1)).all(axis=None)
    assert quality["candidates"]["min"].to_dict() == {"answers": 81, "pairs": 36, "solutions": 126}


def test_a_claim_on_all_methods_is_corrected_for_all_of_them(done, claims_made):
    compared = read(done, "one_bench_chance")
    claim = claims_made["synthesis/3_above_chance"]
    assert claim.family == len(compared) and claim.level == pytest.approx(1 - 0.05 / len(compared))
    assert claim.low == pytest.approx(100 * compared["low"].max())
    assert claim.of == "families" and claim.n == 9


def test_the_box_prints_the_committed_numbers(box_numbers):
    said, made = box_numbers
    assert len(said) >= 4 and said <= made
