"""Wrong keys: votes read from tables, items by suspicion, what a review finds, and scores under other keys."""

import itertools

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.exam import wrong_keys
from proctor.exam.wrong_keys import expected_found, read_decisions, read_votes, share_found, suspects

WIDE = "item,key,subject,a,b,c\nq1,A,x,A,A,B\nq2,B,x,C,C,C\nq3,C,y,C,,C\n"
LONG = "question_id,model,answer,target\nq1,a,1/2,1/2\nq1,b,0.5,1/2\nq1,c,2,1/2\nq2,a,Paris,Rome\nq2,b,paris,Rome\n"


def groups(votes):
    return {(row.item, row.system): row.group for row in votes.given.itertuples()}


def test_answers_that_mean_the_same_are_one_group_a_wide_table_has_a_column_per_system_and_other_keys_go_before_its_own(
    file,
):
    found = groups(read_votes([file(LONG)]))
    assert found == {("q1", "a"): 0, ("q1", "b"): 0, ("q1", "c"): 1, ("q2", "a"): 1, ("q2", "b"): 1}
    votes = read_votes([file(WIDE)], file("id,answer\nq1,B\nq2,C\n", "keys.csv"))
    assert groups(votes)[("q1", "a")] == 1 and set(votes.given["item"]) == {"q1", "q2"}
    votes = read_votes([file(WIDE)])
    assert votes.systems == ["a", "b", "c"] and votes.keys["q2"].answer == "B"
    assert groups(votes)[("q2", "c")] == 1 and groups(votes)[("q3", "b")] == -1
    assert read_votes([file(WIDE)], leave_out=["c"]).systems == ["a", "b"]


@pytest.mark.parametrize(
    "text, given, message",
    [
        (WIDE.replace("q2,B", "q1,A"), {}, "row 3, column item: 'q1' is the item of row 2 too"),
        (WIDE.replace("q2,B", "q1,B"), {}, "row 3, column item: 'q1' is the item of row 2 too"),
        (LONG.replace("q2,a", "q1,d"), {}, "row 5, column target: 'q1' has the key '1/2' in row 2, here 'Rome'"),
        (WIDE.replace("q2,B", "q2,"), {}, "row 3, column key: empty. Give the item its key"),
        (WIDE.replace("C,C,C", "C,7,C"), {}, "row 3, column b: '7' is a number, the keys are letters"),
        (WIDE.replace("key", "right"), {}, "no keys in it"),
        (WIDE, dict(leave_out=["a", "b"]), "answers of 1 system"),
        (WIDE, dict(leave_out=["d"]), "no column d"),
        (WIDE, dict(columns={"answer": "gold"}), "no column gold"),
        (WIDE.replace("item", "name"), {}, "--column id="),
    ],
)
def test_tables_that_cannot_be_read_are_refused_by_name(file, text, given, message):
    with pytest.raises(DataError, match=message) as raised:
        read_votes([file(text)], **given)
    assert "table.csv" in str(raised.value)


def test_suspicion_is_the_weighted_share_of_the_best_other_answer_minus_twice_the_key_s(file):
    table = suspects(read_votes([file(WIDE)])).set_index("item")
    # accuracy on the other items: of a on q1 (q2 wrong, q3 right) 1/2, of b 0/2, of c 1/2; on q2: 1, 1/2, 1/2
    assert table.loc["q1", "suspicion"] == pytest.approx(0.5 - 2 * 0.5)
    assert table.loc["q2", ["suspicion", "for_other", "other"]].tolist() == [1, 100, "C"]
    assert table.loc["q3", "suspicion"] == -2 and list(table.index) == ["q2", "q1", "q3"]


def test_equal_suspicion_at_the_edge_counts_as_over_all_orders():
    suspicion, wrong = np.array([2.0, 1, 1, 1, 0]), np.array([1.0, 1, 0, 1, 1])
    for budget in (0.2, 0.4, 0.6, 1):
        size = round(5 * budget)
        orders = [one for one in itertools.permutations(range(5)) if all(np.diff(suspicion[list(one)]) <= 0)]
        brute = np.mean([wrong[list(one[:size])].sum() / wrong.sum() for one in orders])
        assert share_found(suspicion, wrong, budget) == pytest.approx(brute)


def test_limits_hold_the_share_found_of_keys_wrong_by_any_of_the_labelled_exams_chances():
    rng = np.random.default_rng(0)
    key = rng.random(400)
    ranked = pd.DataFrame(dict(key_share=key, other_share=(1 - key) * rng.random(400)))
    ranked["suspicion"] = ranked["other_share"] - 2 * ranked["key_share"]
    found = expected_found(ranked, [0.1], rng).iloc[0]
    for weights in wrong_keys.CHANCES.values():
        chance = 1 / (1 + np.exp(-(weights[0] + weights[1] * ranked["other_share"] + weights[2] * ranked["key_share"])))
        drawn = [(rng.random(400) < chance).to_numpy(float) for _ in range(200)]
        shares = [100 * share_found(ranked["suspicion"].to_numpy(), one, 0.1) for one in drawn if one.any()]
        assert np.mean((np.array(shares) >= found["low"]) & (np.array(shares) <= found["high"])) >= 0.95
    assert found["low"] < found["found"] < found["high"] and found["items"] == 40


def test_a_review_is_a_share_or_a_number_of_items_and_neither_of_nothing_nor_of_more_than_all():
    assert [wrong_keys.budget_of(text, 200) for text in ("5%", "20", "100%")] == pytest.approx([0.05, 0.1, 1])
    for text in ("0", "300", "a lot", "120%", "nan"):
        with pytest.raises(DataError, match="--review"):
            wrong_keys.budget_of(text, 200)


def test_decisions_of_the_desk_and_by_hand_are_read_alike(file):
    votes = read_votes([file(WIDE)])
    by_hand = read_decisions(file("id,answer\nq1,B\nq2,\n", "hand.csv"), votes)
    desk = "id,decision,answer\nq1,revised,B\nq2,uncertain,B\nq3,audit,\n"
    assert by_hand["decision"].tolist() == ["repaired", "excluded"]
    assert read_decisions(file(desk, "desk.csv"), votes)[["item", "decision"]].equals(by_hand[["item", "decision"]])


@pytest.mark.parametrize(
    "rows, message",
    [
        ("q9,sound,A", "q9.* is no item"),
        ("q1,perhaps,A", "'perhaps' is none"),
        ("q1,repaired,", "Give the repaired key"),
        ("q1,sound,A\nq1,excluded,", "two decisions"),
    ],
)
def test_decisions_that_cannot_be_are_refused_by_row(file, rows, message):
    votes = read_votes([file(WIDE)])
    with pytest.raises(DataError, match=message):
        read_decisions(file(f"id,decision,answer\n{rows}\n", "decisions.csv"), votes)
