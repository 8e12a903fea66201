import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.agreement import agreement
from proctor.stats.calibration import auc
from proctor.uq import validator_metrics
from proctor.uq.validator_metrics import counts_of


@pytest.fixture(scope="module")
def rows():
    return validator_metrics.reconstruct_table("uq/table_S1", range(1, 501), np.random.default_rng(7), 300)


def frame(judge="m", check="C", questions=40, skill=0.8, seed=0):
    """What `run_check` returns, of a judge that accepts right answers with chance `skill`, wrong with 1 - skill."""
    rng = np.random.default_rng(seed)
    correct = np.tile([True, False], questions)
    score = np.where(rng.random(2 * questions) < skill, correct, ~correct) * 0.4 + rng.random(2 * questions) * 0.6
    ids = [f"q{i // 2}-{'right' if c else 'wrong'}" for i, c in enumerate(correct)]
    return pd.DataFrame(
        dict(
            judge=judge,
            check=check,
            question_id=[key.partition("-")[0] for key in ids],
            category="sums",
            level=1,
            answer_id=ids,
            correct=correct,
            outcome=np.where(score > 0.5, "accept", "reject"),
            p_accept=score,
        )
    )


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


def test_summary_recomputes_each_figure_from_the_verdicts():
    data = frame()
    row = validator_metrics.metrics_by_group(data, np.random.default_rng(0), 200).iloc[0]
    accept = (data["outcome"] == "accept").to_numpy()
    correct = data["correct"].to_numpy()
    assert (row["n"], row["questions"], row["unreadable"]) == (80, 40, 0)
    assert row["tp"] + row["fn"] == correct.sum() and row["tp"] == (accept & correct).sum()
    assert row["precision"] == pytest.approx(correct[accept].mean())
    assert row["balanced_accuracy"] == pytest.approx((accept[correct].mean() + (~accept)[~correct].mean()) / 2)
    assert row["auc"] == pytest.approx(auc(data["p_accept"], correct))
    for figure in ("balanced_accuracy", "precision", "recall", "specificity", "auc"):
        assert row[f"{figure}_low"] < row[figure] < row[f"{figure}_high"]


def test_a_judge_that_accepts_everything_has_an_interval_about_one_half():
    data = frame().assign(outcome="accept")
    row = validator_metrics.metrics_by_group(data, np.random.default_rng(0), 200).iloc[0]
    assert row["balanced_accuracy"] == row["precision"] == 0.5 and (row["recall"], row["specificity"]) == (1, 0)
    assert row["balanced_accuracy_low"] < 0.5 < row["balanced_accuracy_high"]
    assert row["recall_low"] < 1 and row["specificity_high"] > 0


def test_unreadable_counts_as_a_rejection_and_leaves_the_auc():
    data = frame()
    lost = data.index[:6]
    data.loc[lost, "outcome"], data.loc[lost, "p_accept"] = "unreadable", np.nan
    row = validator_metrics.metrics_by_group(data, np.random.default_rng(0), 200).iloc[0]
    assert row["unreadable"] == 6 and row["n"] == 80 and row["tp"] + row["fn"] == 40
    kept = data.drop(lost)
    assert row["auc"] == pytest.approx(auc(kept["p_accept"], kept["correct"]))


def test_nothing_accepted_leaves_no_precision():
    row = validator_metrics.metrics_by_group(frame().assign(outcome="reject"), np.random.default_rng(0), 200).iloc[0]
    assert np.isnan(row["precision"]) and row["recall"] == 0


def test_the_same_seed_gives_the_same_summary():
    first, second = (validator_metrics.metrics_by_group(frame(), np.random.default_rng(3), 200) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_difference_is_that_of_the_two_checks_and_pairs_answers_by_id():
    good, bad = frame(check="B", skill=0.95), frame(check="C", skill=0.5, seed=1).sample(frac=1, random_state=0)
    data = pd.concat([good, bad], ignore_index=True)
    row = validator_metrics.difference(data, "B", "C", np.random.default_rng(0), 200).iloc[0]
    right = [((part["outcome"] == "accept") == part["correct"]).mean() for part in (good, bad)]
    assert row["right"] == pytest.approx(right[0] - right[1])
    assert row["auc"] == pytest.approx(auc(good["p_accept"], good["correct"]) - auc(bad["p_accept"], bad["correct"]))
    assert 0 < row["auc_low"] < row["auc"] < row["auc_high"]
    levels = validator_metrics.metrics_by_group(data, np.random.default_rng(0), 50).set_index("check")[
        "balanced_accuracy"
    ]
    assert row["balanced"] == pytest.approx(levels["B"] - levels["C"]) and 0 < row["balanced_low"] < row["balanced"]
    plain = data.rename(columns={"judge": "judges", "check": "validator"}).drop(columns="p_accept")
    same = validator_metrics.difference(
        plain, "B", "C", np.random.default_rng(0), 200, by=("judges", "validator")
    ).iloc[0]
    assert same["judges"] == "m" and same["right"] == row["right"] and "auc" not in same


def test_difference_refuses_checks_of_other_answers():
    data = pd.concat([frame(check="B"), frame(check="C").iloc[2:]], ignore_index=True)
    with pytest.raises(ValueError, match="m: B and C must have judged the same answers, 80 and 78 found"):
        validator_metrics.difference(data, "B", "C", np.random.default_rng(0), 100)


def test_summary_by_author_and_of_validators_without_a_score():
    data = frame().assign(author=np.resize(["a", "a", "b", "b"], 80), validator="C => B")
    rows = validator_metrics.metrics_by_group(data, np.random.default_rng(0), 100, by=("judge", "check", "author"))
    assert rows[["author", "n"]].to_numpy().tolist() == [["a", 40], ["b", 40]]
    part = data[data["author"] == "b"]
    assert rows["accuracy"][1] == pytest.approx(((part["outcome"] == "accept") == part["correct"]).mean())
    assert (rows["accuracy_low"] < rows["accuracy"]).all() and (rows["accuracy"] < rows["accuracy_high"]).all()
    plain = validator_metrics.metrics_by_group(
        data.drop(columns="p_accept"), np.random.default_rng(0), 100, by=("judge", "validator")
    )
    assert list(plain.columns[:2]) == ["judge", "validator"] and "auc" not in plain


def test_answers_that_are_all_wrong_have_an_accuracy_and_no_balanced_one():
    data = frame()
    row = validator_metrics.metrics_by_group(data[~data["correct"]], np.random.default_rng(0), 100).iloc[0]
    assert row["accuracy"] == row["specificity"] and row[["balanced_accuracy", "recall", "auc"]].isna().all()


def test_an_answer_ends_at_its_first_stage_that_does_not_accept():
    votes = {"one": "RAAAA", "two": "ARAAU", "three": "RAARA"}  # a letter an answer
    words = {"A": "accept", "R": "reject", "U": "unreadable"}
    data = pd.DataFrame(
        [
            dict(answer_id=f"a{i}", validator=stage, outcome=words[letter])
            for stage, letters in votes.items()
            for i, letter in enumerate(letters)
        ]
    )
    found = validator_metrics.first_failure(data.sample(frac=1, random_state=1), ["one", "two", "three"])
    assert found.to_dict() == {"a0": 1, "a1": 2, "a2": 4, "a3": 3, "a4": 2}
    assert validator_metrics.first_failure(data, ["three"]).tolist() == [1, 2, 2, 1, 2]
    with pytest.raises(ValueError, match="answer a0 was not judged at stage three"):
        validator_metrics.first_failure(data.drop(index=10), ["one", "two", "three"])


def two_judges(skill=0.8):
    return pd.concat([frame("a", skill=skill), frame("b", skill=skill, seed=1)], ignore_index=True)


@given(st.lists(st.tuples(*[st.sampled_from(["accept", "reject", "unreadable"])] * 2), min_size=1, max_size=30))
def test_kappa_of_the_resamples_is_that_of_the_estimate(pairs):
    a, b = (np.array(labels) for labels in zip(*pairs))
    found, wanted = validator_metrics._kappa(a, b), agreement(a.tolist(), b.tolist()).kappa
    assert found is wanted is None or found == pytest.approx(wanted)
