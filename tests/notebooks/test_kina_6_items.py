"""notebooks/kina/6_items.ipynb, run by papermill on the recording with the quick parameters."""

import pytest

NAME = "kina/6_items"


def test_worked_example_is_rejected_for_four_reasons_two_of_them_recounted(read):
    found = read("review_manual")
    assert len(found) == 4
    words = " ".join(found.to_numpy().ravel())
    assert "A, D, E lie within the answer B" in words and "at least 6 statements has 5" in words


def test_items_keep_the_rules_and_only_an_antichain_hides_the_key(read, claims_made):
    guessed = read("item_format").set_index(["kind", "way"])
    assert (guessed[["rules_broken", "letters"]] == 0).all(axis=None)
    assert guessed.loc[("sets, none in another", "contains no other"), "right"] == pytest.approx(10)
    assert guessed.loc[("sets, KINA's rule", "contains no other"), "low"] > 10
    assert claims_made["kina/6_guessing.subset_rule"].verdict == "holds"


def test_planted_defects_are_named_and_only_those_of_form_mended(read):
    found = read("refinement").set_index("defect")
    assert (found["named"] == found["items"]).all() and (found["same_key"] == found["items"]).all()
    assert found.loc["subset", "mended"] == found.loc["subset", "items"]
    assert found.loc["leaning stem", "mended"] == found.loc["no explanation", "mended"] == 0


def test_claims_on_recorded_replies_count_items_and_questions_and_not_audits(claims_made, read):
    named, still = (claims_made[f"kina/6b_auditors.{part}"] for part in ("named", "still_broken"))
    assert (named.n, named.of) == (still.n, still.of) == (6, "items") and named.verdict == "does not hold"
    assert still.estimate == pytest.approx(
        100 * read("refinement_models").query("defect == 'leaning stem'")["rules_broken_after"].sum() / 18
    )
    vote, kept = claims_made["kina/6b_filters.consensus"], read("filters").set_index("items")["kept"]
    assert vote.estimate == pytest.approx(100 * (kept["right keys"] - kept["wrong keys"]) / 27)
    assert vote.n == 27 and vote.of == "families of questions" and vote.low < 0 < vote.high
