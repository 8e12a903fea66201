"""The notebook on what Table S10 bears, run once with params/quick.yaml; what it leaves in figures/."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from proctor.uq.calls import cost
from proctor.uq.notation import parse

NAME = "uq/3_validators"


@pytest.fixture(scope="module", params=["table_S1", "table_S10"])
def table(request, read):
    text = {f"{figure}_printed": str for figure in ("accuracy", "precision", "recall")}
    return read(request.param, dtype=text)


def test_counts_print_the_figures_of_the_paper(table):
    known = table[table["solutions"] > 0]
    assert (known["tp"] + known["fn"] == known["positives"]).all()
    for row in known.itertuples():
        tp, fp, fn, tn = (int(getattr(row, cell)) for cell in ("tp", "fp", "fn", "tn"))
        assert tp + fp + fn + tn == row.n
        shares = Decimal(tp + tn) / int(row.n), Decimal(tp) / (tp + fp), Decimal(tp) / (tp + fn)
        printed = row.accuracy_printed, row.precision_printed, row.recall_printed
        assert tuple(str((100 * share).quantize(Decimal("0.01"), ROUND_HALF_UP)) for share in shares) == printed


def test_rows_of_figure_s10_have_the_calls_of_their_notation(read):
    table = read("scaling_table")
    assert len(table) == 14 and table["calls"].is_monotonic_increasing
    for row in table.itertuples():
        assert row.calls == cost(parse(row.strategy), row.judges.count(";") + 1).most and row.accuracy_printed < 87
    counted = table[table["solutions"] > 0]
    assert len(counted) == 10 and table.loc[table["solutions"] == 0, "accuracy"].isna().all()
    assert (counted["accuracy_boot_low"] <= counted["accuracy"]).all()
    assert (counted["accuracy"] <= counted["accuracy_boot_high"]).all()


def test_the_trend_over_o3s_rows_is_spearmans_and_undecided(read, claims_made):
    table, claim = (
        read("scaling_table"),
        claims_made["uq/claim_test_time_scaling.accuracy"],
    )
    o3 = table[table["judges"] == "o3"]
    assert claim.estimate == pytest.approx(o3["calls"].corr(o3["accuracy_printed"], method="spearman"))
    assert (claim.verdict, claim.n) == ("cannot tell", 13) and claim.low < 0 < claim.high
