"""Public runs on HLE, on small synthetic logs, against pandas and brute force."""

import numpy as np
import pandas as pd
import pytest
from proctor.hle import frontier_runs
from proctor.stats.calibration import auc

PAIRS = frontier_runs.RETESTS["GPT-5-mini"], frontier_runs.RETESTS["o4-mini"], frontier_runs.RETESTS["GPT-5"]


def by_pairs(score, right):
    """AUC by comparing every right with every wrong answer."""
    above = [(a > b) + (a == b) / 2 for a in score[right == 1] for b in score[right == 0]]
    return np.mean(above)


@pytest.fixture(scope="module")
def source():
    """The two tables of the source: 240 questions, the last 40 with another kind of key; seven runs."""
    rng = np.random.default_rng(2)
    ease, runs = rng.normal(-1, 1.2, 240), [*(run for pair in PAIRS for run in pair), "z-ai_glm-4.5_z-ai"]
    items = pd.DataFrame({"id": [f"q{n}" for n in range(240)], "key_kind": ["letter", "number"] * 100 + ["other"] * 40})
    tables = []
    for run in runs:
        right = (ease + rng.normal(0, 0.7, 240) > 0).astype(float)
        stated = np.clip(70 + 20 * rng.normal(size=240) + 8 * right, 1, 100).round()
        judge = np.where(rng.random(240) < 0.95, right, 1 - right)
        table = dict(id=items["id"], run=run, answered=1.0, stated_confidence=stated, judge_correct=judge)
        program = np.where(np.arange(240) < 200, right, np.nan)
        tables.append(pd.DataFrame(table | dict(exact_original_key=program, completion_tokens=2000 + 900 * right)))
    return pd.concat(tables, ignore_index=True), items


@pytest.fixture(scope="module")
def answers(source):
    return frontier_runs.tidy(*source)


def test_only_keys_of_one_letter_or_number_are_kept_and_glm_is_marked_by_the_judge(source, answers):
    runs, items = source
    assert len(answers) == 7 * 200 and set(answers["kind"]) == {"letter", "number"}
    glm = runs[(runs["run"] == "z-ai_glm-4.5_z-ai") & runs["exact_original_key"].notna()]
    found = answers[answers["model"] == "GLM-4.5"]
    assert found["correct"].tolist() == glm["judge_correct"].tolist() and set(found["by"]) == {"judge"}
    others = answers[answers["by"] == "program"]
    assert (others["correct"] == others["program"]).all() and set(others["by"]) == {"program"}


def test_a_stated_fraction_is_a_share_and_a_whole_number_a_percentage(source):
    runs, items = source
    few = runs.head(4).assign(stated_confidence=[0.63, 63, 0, np.nan])
    found = frontier_runs.tidy(few, items)
    assert found["confidence"].tolist()[:3] == pytest.approx([0.63, 0.63, 0]) and np.isnan(found["confidence"].iloc[3])
    assert found["as_read"].tolist()[:2] == pytest.approx([0.0063, 0.63])


def test_metrics_are_those_that_pandas_counts(answers):
    found = frontier_runs.metrics(answers, np.random.default_rng(0), 60).set_index("model")
    groups = answers.groupby("model")
    assert found["accuracy"].to_dict() == pytest.approx((100 * groups["correct"].mean()).to_dict())
    assert found["stated_mean"].to_dict() == pytest.approx((100 * groups["confidence"].mean()).to_dict())
    assert (found["fractions"] == 0).all() and found["accuracy"].is_monotonic_decreasing


def test_overconfidence_is_claimed_less_right(answers):
    found = frontier_runs.overconfidence(answers, np.random.default_rng(0), 200, 0.95).set_index("model")
    by_hand = answers.assign(gap=100 * (answers["confidence"] - answers["correct"])).groupby("model")["gap"].mean()
    assert found["points"].to_dict() == pytest.approx(by_hand.to_dict())


def test_surest_share_takes_ties_in_proportion():
    rng = np.random.default_rng(1)
    sure, right = rng.choice([0.5, 0.8, 0.9], 30), rng.integers(0, 2, 30).astype(float)
    shuffled = []
    for _ in range(4000):  # ties broken by chance, on average
        order = rng.permutation(30)
        top = order[np.argsort(-sure[order], kind="stable")[:6]]
        shuffled.append(right[top].mean())
    assert frontier_runs.surest(sure, right) == pytest.approx(np.mean(shuffled), abs=0.02)
    assert frontier_runs.surest(sure, right, 1.0) == pytest.approx(right.mean())


def test_signals_are_the_auc_over_all_pairs_and_the_gain_of_the_surest(answers):
    found = frontier_runs.signals(answers, np.random.default_rng(0), 60, 0.95).set_index("model")
    part = answers[answers["model"] == "o4-mini"]
    assert found.loc["o4-mini", "auc"] == pytest.approx(
        by_pairs(part["confidence"].to_numpy(), part["correct"].to_numpy())
    )
    assert found["gain"].to_numpy() == pytest.approx((found["surest"] - found["every"]).to_numpy())


def test_the_auc_is_that_of_scikit_learn_where_it_is_installed(answers):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    found = frontier_runs.signals(answers, np.random.default_rng(0), 60, 0.95).set_index("model")
    part = answers[answers["model"] == "GPT-5"]
    assert found.loc["GPT-5", "auc"] == pytest.approx(metrics.roc_auc_score(part["correct"], part["confidence"]))


def test_retests_are_the_two_by_two_table_of_the_pair(answers):
    found = frontier_runs.retests(answers, np.random.default_rng(0), 60).set_index("model")
    a, b = (answers[answers["run"] == run].set_index("item")["correct"] for run in PAIRS[1])
    table, row = pd.crosstab(a, b), found.loc["o4-mini"]
    assert (row["both"], row["none"]) == (table.loc[1, 1], table.loc[0, 0]) and row["both"] + row["one"] + row[
        "none"
    ] == 200
    assert row["points"] == pytest.approx(100 * (a == b).mean()) and row["gap"] == pytest.approx(
        100 * (a.mean() - b.mean())
    )
    assert row["again"] == pytest.approx(
        100 * np.mean([b[a == 1].mean() * a.sum(), a[b == 1].mean() * b.sum()]) * 2 / (a.sum() + b.sum())
    )


def test_rerun_share_is_the_disagreement_within_over_that_between(answers):
    found = frontier_runs.rerun_share(answers, "GPT-5-mini", "o4-mini", np.random.default_rng(0), 60)
    wide = answers.pivot(index="item", columns="run", values="correct")
    differ = {(x, y): (wide[x] != wide[y]).mean() for pair in PAIRS[:2] for x in pair for y in sum(PAIRS[:2], ())}
    within = np.mean([differ[pair] for pair in PAIRS[:2]])
    between = np.mean([differ[x, y] for x in PAIRS[0] for y in PAIRS[1]])
    assert found["estimate"] == pytest.approx(100 * within / between) and found["n"] == 200


def test_longer_answers_that_are_right_have_an_auc_of_one(answers):
    found = frontier_runs.lengths(answers, np.random.default_rng(0), 60, 0.95).set_index("model")
    assert found.loc["o4-mini", "auc"] == 1 and found["counted"].all()


def test_first_tokens_have_the_auc_over_all_pairs():
    rng = np.random.default_rng(3)
    right = rng.integers(0, 2, 120)
    rows = pd.DataFrame(
        {"item": range(120), "system": "a", "correct": right, "confidence": (right + rng.random(120)) / 2}
    )
    found = frontier_runs.first_tokens(rows, rng, 60, 0.95).iloc[0]
    assert (
        found["auc"] == pytest.approx(by_pairs(rows["confidence"].to_numpy(), right)) == auc(rows["confidence"], right)
    )
    assert found["accuracy"] == pytest.approx(100 * right.mean())
