"""UQ's notebooks 6 to 10, from people to proofs, with the quick parameters: their numbers counted again."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from proctor import log_files, logs
from proctor.stats.compare import holm
from proctor.uq.community import Rule
from scipy.special import stdtrit
from scipy.stats import binom, hypergeom, mannwhitneyu
from statsmodels.stats.inter_rater import cohens_kappa

# 6_agreement and 7_evaluation


def test_counts_give_the_printed_percentages_and_kappa_and_rejecting_all_agrees_as_often(read):
    table = read("uq/table_S9", keep_default_na=False).set_index("answer_model")
    assert (table[["both_passed", "only_validator", "only_people", "neither"]].sum(axis=1) == 25).all()
    row = table.loc["Gemini 2.5 Pro"]
    assert (row["both_passed"] + row["only_validator"]) * 4 == 12 and (row["both_passed"] + row["only_people"]) * 4 == 4
    observed, chance = Fraction(int(row["both_passed"] + row["neither"]), 25), Fraction(3 * 1 + 22 * 24, 625)
    assert Fraction(row["kappa"]) == (observed - chance) / (1 - chance) == Fraction(22, 47)
    right = table["both_passed"] + table["only_people"]
    assert (table["always_reject"] == 1 - right / 25).all() and (table["always_reject"] >= table["agreement"]).all()


def test_the_smallest_fall_of_kappa_is_that_of_the_expected_tables_and_one_answer_decides_against_people(claim):
    def kappa(right, e):
        both, neither = right * (1 - e) ** 2 + (1 - right) * e**2, right * e**2 + (1 - right) * (1 - e) ** 2
        return cohens_kappa(np.array([[both, e * (1 - e)], [e * (1 - e), neither]]), return_results=False)

    falls = [kappa(0.5, error) - kappa(0.04, error) for error in (0.02, 0.05, 0.1, 0.2)]
    assert claim("uq/6_kappa_and_prevalence").estimate == pytest.approx(min(falls), abs=0.0005)
    gain = claim("uq/claim_human_agreement_high.gain")
    # +1 with chance 1/100, -1 with 2/100: 3 differing answers are too few for the normal interval, which is narrower
    assert gain.estimate == pytest.approx(-1) and gain.low < 0 < gain.high
    assert 2 * 1.96 * np.sqrt(0.03 - 0.01**2) * 10 < gain.high - gain.low < 11


def test_table_s3_names_the_two_rates_that_its_counts_do_not_give_and_only_its_leader_differs(read):
    table = read("uq/table_S3")
    odd = table.loc[table["differs"], ["answer_model", "printed_percent", "passed", "questions"]]
    assert odd.to_numpy().tolist() == [["o3-pro", 4.0, 3, 25], ["o3", 2.0, 1, 25]]
    assert ((table["recomputed"] - table["passed"] / table["questions"]).abs() < 1e-12).all()
    pairs = read("uq/table_S3_neighbours")  # by McNemar's test with no shared question, and by its interval
    apart = pairs["higher"] == "o3-pro"
    assert ((pairs["low"] > 0) == apart).all() and ((pairs["p_max"] < 0.05 / len(pairs)) == apart).all()


def test_bounds_and_claims_of_the_evaluation_are_those_of_the_counts(read, claim):
    rows = read("uq/solve_rate_bounds").set_index("answer_model")
    ends = ["verified_right", "passed_and_right_most", "right_most_unassumed"]
    assert rows.loc["o3-pro", ends].tolist() == [4 / 500, (4 + 75 - 46) / 500, (500 - 42) / 500]
    assert rows.loc["GPT-4o", [*ends[:2], "right_most"]].tolist() == [0, 0, 0]
    questions = claim("uq/claim_most_passed_answers_wrong.questions")
    assert (questions.low, questions.high) == pytest.approx((100 * 10 / 144, 100 * 63 / 144))
    assert claim("uq/claim_most_passed_answers_wrong.answers").high == pytest.approx(100 * 98 / 193)
    high = read("uq/carried_precision").set_index("among").loc["UQ, checked questions", "high"]
    assert binom.cdf(10, 91, high) == pytest.approx(0.025, abs=1e-6)
    assert claim("uq/claim_nearly_none_solved").high == pytest.approx(100 * (500 - 81) / 500)
    for name, estimate in {
        "verified_are_biased": (11 / 95) * (193 * 49 / 71) / (193 * 22 / 71),
        "ranking_mirrors_benchmarks": 100 * (25 - 6) / 500,
        "o3_pro_stands_out.precision": 100 * (4 / 46 - 7 / 60),
    }.items():
        assert claim(f"uq/claim_{name}").estimate == pytest.approx(estimate)


# 8_platform and 8_reviewers


def test_the_overview_agrees_with_the_funnel_and_the_list_of_updates(read):
    overview = read("uq/8_resolution_statistics").set_index("measure")["count"]
    stages, updates = read("uq/8_stages").set_index("stage"), read("uq/8_dataset_updates")
    assert overview["questions resolved"] == stages.loc["resolved", "simulated"] == updates["question_id"].nunique()
    assert overview["questions with an answer that passed"] == stages.loc["some answer passed", "simulated"]
    assert stages["paper"].dropna().tolist() == [500, 144, 91, 10]


def test_effort_is_the_sum_over_all_sequences_of_fifteen_reviews(read, claim):
    """Of 2 % right answers read without a screen; plain wrong ones get yes with 0.15, six in a hundred with 0.405."""
    yes = np.array(list(product([0, 1], repeat=15)))
    counts = yes.cumsum(axis=1)
    decided = np.isin(Rule(3, 0.75).state(counts, np.arange(1, 16) - counts), ("right", "wrong"))
    last = np.where(decided.any(axis=1), decided.argmax(axis=1), 14)
    at = counts[np.arange(len(yes)), last]
    called = (at >= 3) & (at >= 0.75 * (last + 1)) & decided.any(axis=1)
    reviews, resolved = 0.0, []
    for share, p in ((0.02, 0.85), (0.98 * 0.94, 0.15), (0.98 * 0.06, 1 - 0.7 * 0.85)):
        chance = np.prod(np.where(yes, p, 1 - p), axis=1)
        reviews += share * chance @ (last + 1) / 0.9  # a tenth is unsure
        resolved.append(share * chance @ called)
    table = read("uq/8_effort").set_index(["base_rate", "screen"])
    row = table.loc[(0.02, "none")]
    assert row["reviews_per_resolution"] == pytest.approx(reviews / resolved[0])
    assert row["false_share"] == pytest.approx(sum(resolved[1:]) / sum(resolved))
    found = table["found"].unstack()
    assert (found["three stages"] / found["none"]).to_numpy() == pytest.approx(0.34)  # the screen's recall
    ratio = table.loc[(0.02, "three stages"), "reviews_per_resolution"] / row["reviews_per_resolution"]
    assert claim("uq/claim_validation_lowers_effort").estimate == pytest.approx(ratio)


def test_the_formula_of_needed_reviews_is_the_binomial_sum(read):
    table = read("uq/8b_reviews_needed_table")
    for row in table.itertuples():
        p, n = row.mean_skill, row.reviews
        mistaken = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range((n + 1) // 2))
        assert row.formula == pytest.approx(mistaken) and row.low <= row.error <= row.high
    misled = table[table["panel"].str.contains("misleading")]
    assert misled["mean_skill"].to_numpy() == pytest.approx(0.85 * 0.7)


@pytest.fixture(scope="module")
def functions(defined):
    """The functions of 8_reviewers."""
    return defined("uq/8_reviewers", np=np, pd=pd, holm=holm, stdtrit=stdtrit, hypergeom=hypergeom)


def test_agreement_with_others_is_that_of_a_loop_and_its_error_that_of_leaving_one_out(functions):
    rng = np.random.default_rng(0)  # 12 reviewers, 60 answers, of skill 0.8, four votes each
    right, voted = rng.random(60) < 0.3, np.argsort(rng.random((12, 60)), axis=0) < 4
    votes = np.where(voted, (rng.random((12, 60)) < np.where(right, 0.8, 0.2)) * 1.0, np.nan)

    def corrected(r, items):
        alike, their = [], []
        for i in items:
            others = [votes[s, i] for s in range(len(votes)) if s != r and not np.isnan(votes[s, i])]
            alike.append(np.mean([vote == votes[r, i] for vote in others]))
            their.append(np.mean(others))
        own = np.mean(votes[r, items])
        chance = own * np.mean(their) + (1 - own) * (1 - np.mean(their))
        return np.mean(alike), (np.mean(alike) - chance) / (1 - chance)

    found = functions.against_others(votes)
    for r in range(3):
        items = np.flatnonzero(~np.isnan(votes[r]))
        assert (found["agreement"][r], found["corrected"][r]) == pytest.approx(corrected(r, items))
        without = np.array([corrected(r, np.delete(items, k))[1] for k in range(len(items))])
        expected = np.sqrt((len(items) - 1) / len(items) * ((without - without.mean()) ** 2).sum())
        assert found["error"][r] == pytest.approx(expected)


def test_a_pair_that_copies_its_mistakes_is_flagged_and_nobody_else(functions):
    rng = np.random.default_rng(1)
    votes = (rng.random((8, 120)) < 0.15) * 1.0  # all answers are wrong
    votes[1] = votes[0]
    assert functions.pairs(votes, None).tolist() == [True, True] + 6 * [False]
    votes[1] = (rng.random(120) < 0.15) * 1.0
    assert not functions.pairs(votes, None).any()


def test_the_model_s_error_is_near_that_of_bayes_with_known_rates(functions):
    rng = np.random.default_rng(0)
    skill, right = np.array([0.95, 0.9, 0.6, 0.6, 0.55]), rng.random(4000) < 0.25
    votes = (rng.random((5, 4000)) < np.where(right, skill[:, None], 1 - skill[:, None])) * 1.0
    weight = np.log(skill / (1 - skill)) @ (2 * votes - 1) + np.log(0.25 / 0.75)  # naive Bayes, by hand
    bayes = ((weight > 0) != right).mean()
    found = ((functions.dawid_skene(votes) > 0.5) != right).mean()
    assert bayes < 0.06 and found == pytest.approx(bayes, abs=0.005)


# 9_frontier_judges and 9_pairs_and_repeats


@pytest.fixture(scope="module")
def shared(needs_logs, judge_scores):
    """The rows of the items that every judge scored with every prompt."""
    needs_logs("llmbar")
    judges = ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5"]
    part = judge_scores[judge_scores["judge"].isin([*judges, *(f"{judge}+criteria" for judge in judges)])]
    counted = part.groupby("item", observed=True)["judge"].nunique()
    return part[part["item"].isin(counted.index[counted == part["judge"].nunique()])]


def test_votes_are_what_pandas_counts(read, shared):
    """One call, and majority and unanimity of five from each repeat on, of the judges whose threshold is 6 in each
    fold."""
    table = read("uq/frontier_validators").set_index(["judges", "validator"])
    for judge in table.index.get_level_values(0).unique()[:2]:
        part = shared[shared["judge"] == judge]
        cast = part.assign(vote=part["score"] >= 6).pivot(
            index=["item", "truth", "candidate"], columns="repeat", values="vote"
        )
        runs = np.stack([np.roll(cast.to_numpy(), -start, axis=1)[:, :5] for start in range(8)])
        asked = 1 + np.cumprod(runs, axis=2)[..., :4].sum(axis=2)  # unanimity stops at the first rejection
        given = {
            "V": cast.mean(axis=1),
            "V x5 |M": (runs.sum(axis=2) > 2).mean(axis=0),
            "V x5 |U": runs.all(axis=2).mean(axis=0),
        }
        for validator, accepted in given.items():
            wrong, recall = pd.Series(accepted, cast.index).groupby("truth").mean()
            precision = 0.13 * recall / (0.13 * recall + 0.87 * wrong)
            made = table.loc[(judge, validator), ["recall", "precision"]].tolist()
            assert made == pytest.approx([100 * recall, 100 * precision])
        wrong, right = pd.Series(asked.mean(axis=0), cast.index).groupby("truth").mean()
        assert table.loc[(judge, "V x5 |U"), "calls"] == pytest.approx(0.13 * right + 0.87 * wrong)


def test_picks_repeats_and_order_changes_are_what_pandas_counts(read, shared):
    part = shared[shared["judge"] == "gpt-5.4"]  # with prompt V
    given = part.assign(score=part["score"].fillna(0)).groupby(["item", "repeat"], observed=True)["score"]
    top = part["score"].fillna(0) == given.transform("max")  # a missing score comes last
    credit = part[top].groupby(["item", "repeat"], observed=True)["truth"].mean()  # its share of the tie
    picked = read("uq/frontier_mixed").set_index(["judges", "calls"])
    assert picked.loc[("gpt-5.4", 1), "fair_credit"] == pytest.approx(100 * credit.mean())
    whole = part[part["score"].notna().groupby(part["item"], observed=True).transform("all")]
    each = whole.groupby(["item", "candidate", "truth"], observed=True)["score"].agg(["mean", "var"]).groupby("truth")
    noise, means = each["var"].mean(), each["mean"].var(ddof=0)  # wrong candidates, right ones: three to one
    same = np.average(means - noise / 8, weights=[3, 1])
    correlation = same / (same + np.average(noise, weights=[3, 1]))
    repeats = read("uq/frontier_repeats").set_index("judge").loc["gpt-5.4"]
    assert repeats["correlation"] == pytest.approx(correlation)
    assert repeats["effective"] == pytest.approx(8 / (1 + 7 * correlation))
    raw = logs.table("llmbar").query("prompt == 'Vanilla' and judge == 'GPT-4'")
    changed = (raw["winner_order1"] != raw["winner_order2_mapped"]).mean()
    order = read("uq/frontier_order").set_index(["judge", "prompt"])
    assert order.loc[("GPT-4", "Vanilla"), "changes"] == pytest.approx(100 * changed)


def test_means_over_all_judges_are_those_of_the_tables(read, claim):
    table = read("uq/frontier_validators")
    alone = table[~table["judges"].str.startswith("panel")].pivot(index="judges", columns="validator")
    for figure in ("precision", "recall"):
        change = (alone[figure]["V x5 |U"] - alone[figure]["V x5 |M"]).dropna()
        assert len(change) == 5 and claim(f"uq/9_unanimity_{figure}.mean").estimate == pytest.approx(change.mean())
    pairs = read("uq/frontier_pairs")
    gain, mean = pairs.groupby("family")["gain"].mean(), pairs["gain"].mean()
    assert claim("uq/9_mixed_families.ten_pairs").estimate == pytest.approx(mean) and len(pairs) == 10
    assert claim("uq/9_mixed_families.two_families").estimate == pytest.approx(gain["two"] - gain["one"])


# 9_false_theorems and 9_graded_proofs

EIGHT = ["GPT-5 (high)", "o4-mini (high)", "gemini-2.5-pro", "Grok 4 Fast (Reasoning)", "DeepSeek-v3.1 (Think)"]
EIGHT += ["Qwen3-235B-A22B", "Qwen3-4B (25/07)", "DeepSeek-R1-Qwen3-8B"]


@pytest.fixture(scope="module")
def tables(needs_logs):
    names = ("broken_math", "broken_math_true", "open_proofs", "open_proofs_lists")
    needs_logs(*names)
    return {name: logs.table(name) for name in names}


@pytest.fixture(scope="module")
def common(tables):
    """One row per solver and problem that all eight have: held (not deceived), solved, kind."""
    plain = tables["broken_math"].query("setting == 'plain' and judge == 'GPT-5-mini (medium)'")
    both = plain[plain["solver"].isin(EIGHT)].merge(tables["broken_math_true"], on=["problem", "solver"])
    both = both[both.groupby("problem")["solver"].transform("nunique") == 8]
    return both.assign(held=1 - both["deceived"], solved=both["score"])


def kappa(one, other):
    return cohens_kappa(pd.crosstab(one, other).to_numpy(), return_results=False)


def test_gaps_and_their_two_kinds_are_what_pandas_counts_and_a_pair_of_the_table_turns(common, claim):
    gap = 100 * (common["held"] - common["solved"])
    assert claim("uq/9_false_gap").estimate == pytest.approx(gap.mean())
    for kind, mean in gap.groupby(common["kind"]).mean().items():
        assert claim(f"uq/9_false_gap.{kind}").estimate == pytest.approx(mean)
    means = 100 * common.groupby("solver")[["solved", "held"]].mean()
    apart = means.loc["DeepSeek-v3.1 (Think)"] - means.loc["Qwen3-4B (25/07)"]
    assert (
        claim("uq/9_false_better").estimate == pytest.approx(min(apart["solved"], -apart["held"])) and apart["held"] < 0
    )
    slope = np.polyfit(means["solved"], means["held"], 1)[0]
    assert claim("uq/claim_gap_widens_noisier.false_theorems").estimate == pytest.approx(slope)


def test_the_slope_within_problems_is_that_of_a_regression_with_both_effects(common, claim):
    # demeaned by problem first, so that statsmodels need not fit 449 dummies
    inner = common[["held", "solved"]] - common.groupby("problem")[["held", "solved"]].transform("mean")
    fit = smf.ols("held ~ solved + C(solver)", inner.assign(solver=common["solver"])).fit()
    assert claim("uq/9_false_solved").estimate == pytest.approx(100 * fit.params["solved"])


def test_kappas_of_judges_and_aucs_of_confidence_are_those_of_statsmodels_and_scipy(tables, claim):
    plain = tables["broken_math"].query("setting == 'plain'")
    judged = plain.pivot(index=["problem", "solver"], columns="judge", values="deceived").dropna()
    pairs = [kappa(judged[a], judged[b]) for i, a in enumerate(judged) for b in list(judged)[:i]]
    assert len(pairs) == 21 and claim("uq/9_false_judges").estimate == pytest.approx(np.mean(pairs))
    areas, shares = [], []
    sure = tables["broken_math"].query("setting == 'confidence'").dropna(subset="stated_confidence")
    for solver, part in sure.groupby("solver"):
        held, deceived = (part.loc[part["deceived"] == value, ["problem", "stated_confidence"]] for value in (0, 1))
        wins = mannwhitneyu(held["stated_confidence"], deceived["stated_confidence"]).statistic
        areas.append(wins / (len(held) * len(deceived)))
        if solver.startswith("Qwen"):
            pairs = held.merge(deceived, on="problem")
            apart = pairs["stated_confidence_x"] - pairs["stated_confidence_y"]
            shares.append((apart > 0).mean() + (apart == 0).mean() / 2)
    assert claim("uq/9_false_confidence.pooled").estimate == pytest.approx(np.mean(areas))
    assert claim("uq/9_false_confidence.within").estimate == pytest.approx(np.mean(shares))


def test_figures_of_the_grader_are_those_of_a_weighted_table_and_a_proof_in_both_files_counts_once(tables, read, claim):
    graded = tables["open_proofs"].query("has_issue_list == 1")
    right, accept = graded["human_correct"], graded["no_issue"]
    share = pd.crosstab(right, accept, normalize="index")  # of the right and of the wrong proofs
    passed = share[1] * pd.Series({0: 0.87, 1: 0.13})
    assert claim("uq/9_proof_precision").estimate == pytest.approx(100 * passed[1] / passed.sum())
    assert claim("uq/9_proof_recall").estimate == pytest.approx(100 * share.loc[1, 1])
    assert claim("uq/9_proof_kappa").estimate == pytest.approx(kappa(right, accept))
    assert claim("uq/9_proof_optimism").estimate == pytest.approx(100 * (accept - right).mean())
    shares = right.groupby(graded["n_issues"]).mean()
    assert claim("uq/9_proof_strict.one").estimate == pytest.approx(100 * (shares[1] - shares[4]))
    both = tables["open_proofs_lists"].query("in_tidy == 1")  # 15 of them were marked before their list, of 3 problems
    first = both[both["list_in_tidy"] == 0]
    assert (len(both), len(first), first["problem"].nunique()) == (102, 15, 3)
    assert read("uq/proof_anchoring")["n"].tolist() == [311, 15]


# 10_unsolved_questions


@pytest.fixture
def erdos(needs_logs):
    """`erdos("erdos")`: that file, as text."""
    needs_logs("erdos", "erdos_attempts")
    return lambda name: pd.read_csv(log_files.folder(name) / "tidy.csv.gz", dtype=str, keep_default_na=False)


def test_the_share_settled_is_a_product_limit_by_hand(erdos, read):
    rows = erdos("erdos")
    closed = ["proved", "disproved", "solved", "independent", "unknown", ""]
    at_start = rows[rows["date"] <= "2025-09-15"].drop_duplicates("number", keep="last")
    numbers = at_start.loc[~at_start["state"].isin(closed), "number"]
    later = rows[(rows["date"] > "2025-09-15") & rows["number"].isin(numbers)]
    ends = later[(later["settled"] == "1") | (later["changed"] == "removed")].drop_duplicates("number")
    days = (pd.to_datetime(ends["date"]) - pd.Timestamp("2025-09-15")).dt.days
    share = 1.0
    for day in np.unique(days[(ends["settled"] == "1") & (days <= 10 * 365.25 / 12)]):
        share *= 1 - ((days == day) & (ends["settled"] == "1")).sum() / (len(numbers) - (days < day).sum())
    month = read("uq/10_by_month").set_index("month").loc[10]
    assert (len(numbers), month["share"]) == (674, pytest.approx(100 * (1 - share)))


def test_reviews_of_claims_are_what_pandas_counts(erdos, read):
    attempts = erdos("erdos_attempts")
    claims = attempts[(attempts["set"] == "erdos") & attempts["claim"].str.startswith("claims")]
    reviews = claims.drop_duplicates("problem")["review"].value_counts()
    board = read("uq/10_board").set_index("model").loc["gpt_pro_5.2"]
    assert reviews.sum() == board["claims"] == 17 and reviews["accepted"] == board["accepted"]
