"""notebooks/kina/6_items.ipynb, run by papermill on the recording with the quick parameters."""

import pytest

NAME = "kina/6_items"


def test_claims_on_recorded_replies_count_items_and_questions_and_not_audits(claims_made, read):
    named, still = (claims_made[f"kina/6b_auditors.{part}"] for part in ("named", "still_broken"))
    assert (named.n, named.of) == (still.n, still.of) == (6, "items") and named.verdict == "does not hold"
    assert still.estimate == pytest.approx(
        100 * read("refinement_models").query("defect == 'leaning stem'")["rules_broken_after"].sum() / 18
    )
    vote, kept = claims_made["kina/6b_filters.consensus"], read("filters").set_index("items")["kept"]
    assert vote.estimate == pytest.approx(100 * (kept["right keys"] - kept["wrong keys"]) / 27)
    assert vote.n == 27 and vote.of == "families of questions" and vote.low < 0 < vote.high
