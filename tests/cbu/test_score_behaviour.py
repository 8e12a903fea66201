from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from proctor.cbu.score_behaviour import (
    _spearman,
    above_mean,
    cosine_similarity,
    mean_by,
    overlap,
    prompt_correlations,
    rank_correlation_with,
    reply_similarity,
    similarity_gap,
    token_differences,
)
from scipy.stats import spearmanr


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    rows = [
        dict(
            method=method,
            question_id=f"q{q}",
            kind=kind,
            score=rng.normal() + bonus * (kind == "right"),
            size=rng.integers(9),
        )
        for method, bonus in (("good", 3), ("blind", 0))
        for q in range(12)
        for kind in ("right", "wrong", "wrong")
    ]
    return pd.DataFrame(rows)


def test_above_mean_compares_within_method_and_question(frame):
    found = above_mean(frame)
    for _, part in frame.groupby(["method", "question_id"]):
        assert (found[part.index] == (part["score"] > part["score"].mean())).all()


def test_a_score_that_says_nothing_has_none_above_its_mean(frame):
    assert above_mean(frame.assign(score=0.1 + 0.2)).sum() == 0


def test_shifting_and_stretching_a_method_changes_nothing(frame):
    assert (above_mean(frame) == above_mean(frame.assign(score=7 * frame["score"] - 100))).all()


def test_mean_by_averages_within_questions_first_and_resamples_them(frame):
    found = mean_by(frame.assign(above=above_mean(frame)), "above", "kind", np.random.default_rng(2), 200).set_index(
        ["method", "kind"]
    )
    good = frame[(frame["method"] == "good") & (frame["kind"] == "wrong")]
    assert found.loc[("good", "wrong"), "estimate"] == pytest.approx(
        above_mean(frame)[good.index].groupby(good["question_id"]).mean().mean()
    )
    assert found.loc[("good", "right"), "low"] > found.loc[("good", "wrong"), "high"]
    assert (found["questions"] == 12).all()


def test_order_with_is_the_mean_of_scipys_correlation_and_counts_flat_questions(frame):
    frame.loc[frame["question_id"] == "q3", "score"] = 1.0
    found = rank_correlation_with(frame, "size", np.random.default_rng(3), 200).set_index("method")
    part = frame[(frame["method"] == "good") & (frame["question_id"] != "q3")]
    each = [
        spearmanr(one["score"], one["size"])[0] for _, one in part.groupby("question_id") if one["size"].nunique() > 1
    ]
    assert found.loc["good", "estimate"] == pytest.approx(np.mean(each)) and found.loc["good", "flat"] == 12 - len(each)


def test_a_method_without_any_order_has_no_correlation(frame):
    found = rank_correlation_with(frame.assign(score=1.0), "size", np.random.default_rng(4), 50)
    assert found["estimate"].isna().all() and (found["flat"] == 12).all()


def test_cosines_of_word_counts():
    found = cosine_similarity(["Add two, and two.", "two and two add", "subtract", ""])
    assert found[0, 1] == pytest.approx(1) and found[0, 2] == 0 and (found[3] == 0).all()
    assert cosine_similarity(["a a b", "a b b"])[0, 1] == pytest.approx(4 / 5)
    assert np.allclose(found, found.T)


def test_likeness_pairs_rollouts_of_one_neighbour_by_what_they_saw():
    rows = [
        dict(model="m", question_id=q, neighbour=n, candidate=c, reply=f"{c} {n} said")
        for q, n, c, _ in product("pq", (1, 2), "xy", range(2))
    ]
    found = reply_similarity(pd.DataFrame(rows), np.random.default_rng(5), 50).set_index("pairs")
    assert found.loc["same prompt", "estimate"] == pytest.approx(1)
    assert found.loc["other candidate", "estimate"] == pytest.approx(2 / 3)  # two of three words


def test_likeness_needs_two_replies_to_one_prompt():
    rows = pd.DataFrame([dict(model="m", question_id="q", neighbour=1, candidate=c, reply="a") for c in "xy"])
    with pytest.raises(ValueError, match="raise the budget"):
        reply_similarity(rows, np.random.default_rng(6))


@pytest.mark.parametrize("n", [3, 4])
def test_overlap_is_what_exhaustion_finds(n):
    subsets = [set(c) for k in range(n + 1) for c in combinations(range(n), k)]
    for a, b in product(range(n + 1), repeat=2):
        shared = [len(x & y) for x in subsets for y in subsets if len(x) == a and len(y) == b]
        assert overlap([a, b], n) == (min(shared), max(shared))
    assert overlap([n, n - 1, n - 1], n) == (n - 2, n - 1)


def test_overlap_refuses_counts_that_can_not_be():
    with pytest.raises(ValueError, match="between 0 and 4"):
        overlap([5, 2], 4)


def test_prompts_that_agree_correlate_and_stand_in_one_family():
    rng, rows = np.random.default_rng(11), []
    for q in range(12):
        for a in range(5):
            score = rng.normal()
            for method, value in (("one", score), ("same", 2 * score + 0.1 * rng.normal()), ("other", rng.normal())):
                rows.append(dict(model="m", method=method, question_id=q, answer_id=f"{q}-{a}", score=value))
    pairs = {"same": ("one", "same"), "other": ("one", "other")}
    found = prompt_correlations(pd.DataFrame(rows), pairs, rng, 200).set_index("prompts")
    assert found.loc["same", "rho"] > 0.9 and found.loc["other", "low"] < 0.3 < found.loc["same", "low"]


def test_critiques_that_repeat_are_more_alike_than_rollouts_that_differ():
    rolled = pd.DataFrame(
        [
            dict(model="m", question_id=q, candidate=c, neighbour=n, reply=f"word{q}{c}{n} word", completion_tokens=6)
            for q in range(8)
            for c in "ab"
            for n in (1, 2)
        ]
    )
    spoken = pd.DataFrame(
        [dict(model="m", question_id=q, reply="the same critique", completion_tokens=4) for q in range(8) for _ in "ab"]
    )
    gap = similarity_gap(rolled, spoken).iloc[0]
    assert gap["critiques"] == pytest.approx(1) and gap["rollouts"] == pytest.approx(0.5) and gap["questions"] == 8
    tokens = token_differences(rolled, spoken.assign(completion_tokens=[3] * 8 + [5] * 8), np.random.default_rng(1), 50)
    assert tokens.iloc[0][["rollout", "critique", "difference"]].tolist() == pytest.approx([6, 4, 50])


def test_correlations_of_resamples_are_scipys():
    rng = np.random.default_rng(3)
    one, other, index = rng.integers(0, 5, 20) / 3, rng.integers(0, 7, 20), rng.integers(0, 20, (50, 20))
    drawn = np.array([np.bincount(row, minlength=20) for row in index]).astype(float)
    expected = [spearmanr(one[row], other[row]).statistic for row in index]
    assert _spearman(drawn, one, other) == pytest.approx(expected)
    assert np.isnan(_spearman(drawn, one, np.ones(20))).all()
