import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor.kina import item_findings as lib
from proctor.kina.generated_items import plain_items, pseudo_items

SETS = pseudo_items(9, antichain=False)
GROUPS = {"old": lib.first_plain_items(1), "sets": SETS}


@pytest.fixture(scope="module")
def guessed():
    return lib.guess_table(GROUPS, np.random.default_rng(1), 500)


def test_our_first_items_ask_the_same_questions_as_the_new_ones_in_the_same_order():
    assert [item.index.split("-ten")[0] for item in GROUPS["old"]] == [
        item.index.split("-ten")[0] for item in plain_items(per_level=1)
    ]


def test_guess_table_has_a_row_a_group_and_way_with_intervals_that_hold_the_estimate(guessed):
    assert (
        len(guessed) == 3 + 4 and ((guessed["low"] <= guessed["right"]) & (guessed["right"] <= guessed["high"])).all()
    )
    strike = guessed.set_index(["kind", "way"]).loc[("sets", "contains no other"), "right"]
    left = [sum(not any(o < s for o in item.sets) for s in item.sets) for item in SETS]
    assert strike == pytest.approx(100 * np.mean(1 / np.array(left)))  # by hand: one of the options that are left
    numbers = lib.guess_numbers(guessed, "sets", "contains no other")
    assert numbers["estimate"] == strike and numbers["family"] == 7 and numbers["n"] == 9


def test_guessing_the_same_items_differs_by_nothing():
    found = lib.guess_difference(GROUPS["old"], GROUPS["old"], "longest", np.random.default_rng(1), 100)
    assert found["interval"].estimate == 0 and found["n"] == len(GROUPS["old"])


def test_planted_defects_are_counted_by_kind():
    loop = asyncio.run(lib.planted_loop(pseudo_items(3)))
    found = lib.by_defect(loop)
    assert len(loop) == 18 and (found["items"] == 3).all() and (found["named"] == 3).all()
    assert found.loc["subset", "mended"] == 3 and found.loc["no explanation", "mended"] == 0


AUDITS = pd.DataFrame(
    dict(
        model=["a", "a", "a", "b", "b"],
        defect=["none", "leaning stem", "leaning stem", "leaning stem", "leaning stem"],
        index=["x", "x", "y", "x", "y"],
        issues=["", "stem, balance", "balance", "", "stem"],
        outcomes=["", "mended, refused: an option is gone", "unchanged", "", "mended"],
        ended=["clean", "stuck", "stuck", "unreadable", "clean"],
        before=["", "stem", "stem", "stem", "stem"],
        after=["", "", "stem", "stem", ""],
    )
)


def test_audits_are_counted_by_model_and_defect():
    found = lib.audit_table(AUDITS).set_index(["model", "defect"])
    assert found.loc[("a", "leaning stem")].tolist() == [2, 2, 1, 0, 1, 1, 0, 2, 1]
    assert found.loc[("b", "leaning stem"), ["issue", "stem", "unreadable"]].tolist() == [1, 1, 1]


def test_shares_of_leaning_stems_resample_items_with_all_their_audits():
    found = lib.leaning_shares(AUDITS, np.random.default_rng(1))
    assert found["named"]["interval"].estimate == 50 and found["still_broken"]["interval"].estimate == 50
    assert found["named"]["n"] == 2 and found["named"]["of"] == "items"


def votes(*outcomes):
    return pd.DataFrame(
        [
            dict(answer_id=answer, judge=judge, outcome=outcome)
            for answer, row in zip(("q-1-right", "q-1-wrong"), outcomes)
            for judge, outcome in zip("abc", row.split())
        ]
    )


def test_votes_are_counted_and_an_unreadable_one_is_never_a_yes():
    kept = lib.vote_filter(votes("accept accept reject", "accept unreadable reject"), ["a", "b", "c"])
    assert kept["kept"].tolist() == [True, False] and kept["unreadable"].tolist() == [0, 1]
    assert kept["key"].tolist() == ["right", "wrong"] and set(kept["question_id"]) == {"q-1"}


def test_filters_keep_what_few_models_solve_and_report_fresh_accuracy():
    kept = lib.vote_filter(votes("accept accept reject", "reject reject reject"), ["a", "b", "c"])
    solved = pd.DataFrame([[False, False], [True, False], [True, True]], columns=["m", "n"])
    fresh = pd.DataFrame([[0.5, 0.0], [1.0, 0.0], [1.0, 1.0]], columns=["m", "n"])
    found = lib.filter_table(kept, solved, fresh)
    assert found["kept"].tolist() == [1, 0, 1, 2] and found["share"].tolist() == pytest.approx(
        [100, 0, 100 / 3, 200 / 3]
    )
    assert found["accuracy_filtering"].tolist()[2:] == [0, 25] and found["accuracy_fresh"].tolist()[2:] == [25, 37.5]
    assert lib.fresh_accuracy(solved, fresh, 0, np.random.default_rng(1))["interval"].estimate == 25
