import numpy as np
import pytest
from proctor.uq import validator_metrics
from proctor.uq.validator_metrics import counts_of


@pytest.fixture(scope="module")
def rows():
    return validator_metrics.reconstruct_table("uq/table_S1", range(1, 501), np.random.default_rng(7), 300)


def test_implied_counts_print_the_figures_of_the_paper(rows):
    for row in rows[rows["solution"] > 0].itertuples():
        counts = counts_of(row)
        for figure in ("accuracy", "precision", "recall"):
            assert f"{100 * getattr(counts, figure):.2f}" == getattr(row, f"{figure}_printed")
            assert getattr(row, figure) == pytest.approx(getattr(counts, figure))


def test_implied_limits_hold_the_estimate_and_both_kinds_nearly_agree(rows):
    rows = rows[(rows["solution"] > 0) & (rows["n"] > 400)]
    for figure in ("accuracy", "precision", "recall"):
        for kind in ("", "_boot"):
            assert (rows[f"{figure}{kind}_low"] <= rows[figure]).all() and (
                rows[figure] <= rows[f"{figure}{kind}_high"]
            ).all()
        assert (rows[f"{figure}_low"] - rows[f"{figure}_boot_low"]).abs().max() < 0.06


def test_a_row_without_solution_keeps_one_line_without_counts(rows):
    none = rows[rows["solutions"] == 0]
    assert len(none) == 5 and none["tp"].isna().all() and none["precision"].isna().all()
    assert len(rows.drop_duplicates(["judges", "strategy"])) == 23
