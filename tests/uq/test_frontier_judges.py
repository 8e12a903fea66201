"""Validators on logged scores, checked against brute force and pandas on a made-up log."""

import itertools

import numpy as np
import pandas as pd
import pytest
from proctor.uq import frontier_judges as fj
from proctor.uq.notation import accepts_needed, decide, parse

NAMES = ("chosen", "rejected1", "rejected2", "rejected3")


def made_log(judges=("a", "a+criteria", "b"), items=40, repeats=8, seed=3):
    """Scores 1 to 10: right candidates about two points higher; repeats of a candidate alike, some missing."""
    rng = np.random.default_rng(seed)
    rows = []
    for judge in judges:
        base = 5 + 2.0 * (np.arange(4) == 0) + rng.normal(0, 1.5, (items, 4))
        scores = np.clip(np.rint(base[..., None] + rng.normal(0, 0.7, (items, 4, repeats))), 1, 10)
        scores[rng.random(scores.shape) < 0.01] = np.nan
        for (i, c, r), score in np.ndenumerate(scores):
            rows.append((f"q{i:03d}", NAMES[c], judge, r + 1, score, int(c == 0)))
    columns = ["item", "candidate", "judge", "repeat", "score", "truth"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=1)


@pytest.fixture(scope="module")
def log():
    return made_log()


@pytest.fixture(scope="module")
def scores(log):
    return fj.gather(log, ["a", "b"])


@pytest.fixture(scope="module")
def votes(scores):
    return scores.votes(4, np.random.default_rng(1))


def test_scores_are_gathered_in_the_order_of_the_log(log, scores):
    assert list(scores.by) == [("a", "V"), ("a", "C"), ("b", "V")]
    cell = log[(log["judge"] == "a+criteria") & (log["item"] == "q007") & (log["candidate"] == "rejected2")]
    expected = cell.sort_values("repeat")["score"].to_numpy()
    np.testing.assert_array_equal(scores.by["a", "C"][list(scores.items).index("q007"), 2], expected)


def test_only_items_that_all_judges_scored_are_kept(log):
    part = log[~((log["judge"] == "b") & (log["item"] == "q005"))]
    assert len(fj.gather(part, ["a", "b"]).items) == 39 and len(fj.gather(part, ["a"]).items) == 40
    with pytest.raises(ValueError, match="no item was scored by all of nobody"):
        fj.gather(log, ["nobody"])
    two = log.assign(truth=log["truth"].where(log["candidate"] != "rejected1", 1))
    with pytest.raises(ValueError, match="one right candidate"):
        fj.gather(two, ["a"])


def test_thresholds_are_the_best_on_the_other_folds(scores):
    fold = np.arange(40) % 4
    found = fj.thresholds(scores.by["a", "V"], fold)
    for part in range(4):
        rest = scores.by["a", "V"][fold != part]
        balanced = {
            t: (rest[:, 0] >= t).mean() + (rest[:, 1:] < t).mean() + np.isnan(rest[:, 1:]).mean() for t in range(2, 11)
        }
        assert found[part] == max(balanced, key=balanced.get)


def test_a_missing_score_is_no_acceptance(scores, votes):
    for key, table in scores.by.items():
        assert not votes.by[key][np.isnan(table)].any()


def test_own_items_never_choose_their_threshold():
    scores = fj.Scores(np.arange(8), {("a", "V"): np.tile(np.array([9, 3, 3, 3.0])[None, :, None], (8, 1, 2))})
    other = {("a", "V"): scores.by["a", "V"].copy()}
    other["a", "V"][0] = 10.0  # one item that would ask for another threshold
    one, two = (fj.Scores(np.arange(8), table).votes(8, np.random.default_rng(0)) for table in (scores.by, other))
    fold = (np.random.default_rng(0).permutation(8) % 8)[0]
    assert one.thresholds["a", "V"][fold] == two.thresholds["a", "V"][fold]


@pytest.mark.parametrize("text, quorum", [("V x3 |M", 2), ("V x5 |U", 5), ("V x4 |M", 3), ("V", 1)])
def test_repeats_count_as_the_notation_says(votes, text, quorum):
    cast = votes.by["a", "V"].astype(int)
    n = int(text.split("x")[1].split()[0]) if "x" in text else 1
    assert quorum == (accepts_needed(text[-1], n) if "x" in text else 1)
    shifted = np.concatenate([cast, cast], axis=2)
    expected = np.mean([shifted[:, :, s : s + n].sum(axis=2) >= quorum for s in range(8)], axis=0)
    np.testing.assert_allclose(fj.run_on_votes(text, ["a"], votes).accepted, expected)


def test_sequences_and_panels_agree_with_the_engine_run_candidate_by_candidate(votes):
    node, judges = parse("((V x2 |U) => (V x3 |M)) |U"), ["a", "b"]
    found = fj.run_on_votes(node, judges, votes)
    for item, candidate in itertools.product(range(0, 40, 9), range(4)):
        verdicts, calls = [], []
        for start in range(8):
            run, asked = decide(node, 2), 0
            try:
                vote = next(run)
                while True:
                    asked += 1
                    vote = run.send(
                        bool(votes.by[judges[vote.judge], vote.check][item, candidate, (start + vote.sample) % 8])
                    )
            except StopIteration as end:
                verdicts.append(end.value)
                calls.append(asked)
        assert found.accepted[item, candidate] == np.mean(verdicts)
        assert found.calls[item, candidate] == np.mean(calls)


def test_votes_that_are_not_there_are_named(votes):
    with pytest.raises(ValueError, match="no votes of b with check C"):
        fj.run_on_votes("C", ["b"], votes)
    with pytest.raises(ValueError, match="more than the repeats"):
        fj.run_on_votes("V x9 |M", ["a"], votes)
    with pytest.raises(ValueError, match="more than the repeats"):
        fj.run_on_votes("V u2 |M", ["a"], votes)


def test_figures_are_those_of_a_reweighted_confusion_table(votes):
    key = ("a", "V x3 |U")
    verdicts = fj.run_on_votes(key[1], ["a"], votes)
    found = fj.Resampled({key: verdicts}, 0.13, np.random.default_rng(0), 300).table().iloc[0]
    recall, wrong = verdicts.accepted[:, 0].mean(), verdicts.accepted[:, 1:].mean()
    tp, fp = 0.13 * recall, 0.87 * wrong
    assert found["precision"] == pytest.approx(100 * tp / (tp + fp))
    assert found["recall"] == pytest.approx(100 * recall)
    assert found["balanced_accuracy"] == pytest.approx(50 * (recall + 1 - wrong))
    assert found["lr_positive"] == pytest.approx(recall / wrong)
    assert found["accuracy"] == pytest.approx(100 * (tp + 0.87 - fp))
    assert found["calls"] == pytest.approx(0.13 * verdicts.calls[:, 0].mean() + 0.87 * verdicts.calls[:, 1:].mean())
    assert all(found[f"{f}_low"] <= found[f] <= found[f"{f}_high"] for f in fj.Resampled.FIGURES)


def test_items_are_resampled_whole(votes):
    """The width of a recall's interval is that of a mean over items, however many repeats there are."""
    verdicts = fj.run_on_votes("V", ["a"], votes)
    sampled = fj.Resampled({("a", "V"): verdicts}, 0.25, np.random.default_rng(0), 4000)
    spread = 100 * verdicts.accepted[:, 0].std() / np.sqrt(40)
    assert np.std(sampled.values(("a", "V"), "recall")[1:]) == pytest.approx(spread, rel=0.1)


def test_gains_are_paired_and_corrected_for_their_number(votes):
    asked = [("a", "V"), ("a", "C"), ("a", "V x5 |M"), ("a", "V x5 |U"), ("b", "V x5 |M"), ("b", "V x5 |U"), ("b", "V")]
    found = {key: fj.run_on_votes(key[1], [key[0]], votes) for key in asked}
    sampled = fj.Resampled(found, 0.13, np.random.default_rng(0), 300)
    gains = sampled.gains("V x5 |U", "V x5 |M", "recall")
    assert len(gains) == 2 and {gain.level for gain in gains} == {0.975} and all(gain.high <= 0 for gain in gains)
    assert len(sampled.gains("C", "V", "recall")) == 1
    same = sampled.gain(("a", "V"), ("a", "V"), "precision")
    assert (same.estimate, same.low, same.high) == (0, 0, 0)


def test_a_validator_that_accepts_nothing_has_no_precision():
    nothing = fj.Verdicts(np.zeros((5, 4)), np.ones((5, 4)))
    sampled = fj.Resampled({("a", "V"): nothing}, 0.13, np.random.default_rng(0), 50)
    assert np.isnan(sampled.values(("a", "V"), "precision")).all()


def test_best_of_four_gives_ties_their_share_or_nothing():
    scores = np.array(
        [[[5], [5], [3], [1]], [[5], [4], [3], [1]], [[2], [4], [3], [1]], [[np.nan], [np.nan]] * 2], float
    )
    assert fj.best_of_four([scores]).tolist() == [0.5, 1, 0, 0.25]
    assert fj.best_of_four([scores], fair=False).tolist() == [0, 1, 0, 0]


def test_picks_agree_with_pandas(log, scores):
    single = log[(log["judge"] == "a")].copy()
    single["top"] = single.groupby(["item", "repeat"])["score"].transform("max")
    at_top = single[single["score"] == single["top"]]
    credit = at_top.groupby(["item", "repeat"])["truth"].mean()  # one right candidate: its share of the tie
    assert fj.picks([scores.by["a", "V"]], 1).mean() == pytest.approx(credit.mean())
    mean = single.groupby(["item", "candidate"])["score"].mean().unstack()
    top = np.isclose(mean, mean.max(axis=1).to_numpy()[:, None])
    assert fj.picks([scores.by["a", "V"]], 8).mean() == pytest.approx((top[:, 0] / top.sum(axis=1)).mean())
    with pytest.raises(ValueError, match="3 calls can't be shared by 2"):
        fj.picks([scores.by["a", "V"], scores.by["b", "V"]], 3)


def test_intraclass_correlation_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(5)
    truth = rng.normal(0, 2, (4000, 4, 1))
    scores = truth + rng.normal(0, 1, (4000, 4, 8)) + 3 * (np.arange(4) == 0)[None, :, None]
    found = fj.reliability(scores, rng, 200)
    assert found.correlation.estimate == pytest.approx(0.8, abs=0.01)  # 2^2 / (2^2 + 1)
    assert found.effective.estimate == pytest.approx(8 / (1 + 7 * 0.8), abs=0.02)
    wrong = scores[:, 1:].reshape(-1, 8)
    k, between = 8, 8 * wrong.mean(axis=1).var(ddof=1)
    within = wrong.var(axis=1, ddof=1).mean()
    assert (between - within) / (between + (k - 1) * within) == pytest.approx(0.8, abs=0.02)


def test_independent_repeats_are_worth_their_number():
    scores = np.random.default_rng(6).normal(0, 1, (3000, 4, 8))
    found = fj.reliability(scores, np.random.default_rng(0), 200).effective
    assert found.low < 8 < found.high or found.estimate == pytest.approx(8, rel=0.03)
