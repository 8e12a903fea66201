"""The notebooks on false theorems and on graded proofs: their key numbers again, by pandas, scipy and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from proctor import logs, paths
from proctor.report.claims import read_claims
from scipy.stats import mannwhitneyu
from statsmodels.stats.inter_rater import cohens_kappa

CLAIMS = {claim.id: claim for claim in read_claims(paths.ROOT / "figures")}
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


def estimate(name):
    return CLAIMS[name].estimate


def kappa(one, other):
    return cohens_kappa(pd.crosstab(one, other).to_numpy(), return_results=False)


def auc(part):
    held, deceived = (part.loc[part["deceived"] == value, "stated_confidence"] for value in (0, 1))
    return mannwhitneyu(held, deceived).statistic / (len(held) * len(deceived))


def test_gaps_and_their_two_kinds_are_what_pandas_counts(common):
    gap = 100 * (common["held"] - common["solved"])
    assert estimate("uq/9_false_gap") == pytest.approx(gap.mean())
    for kind, mean in gap.groupby(common["kind"]).mean().items():
        assert estimate(f"uq/9_false_gap.{kind}") == pytest.approx(mean)


def test_the_slope_within_problems_is_that_of_a_regression_with_both_effects(common):
    # demeaned by problem first, so that statsmodels need not fit 449 dummies
    inner = common[["held", "solved"]] - common.groupby("problem")[["held", "solved"]].transform("mean")
    fit = smf.ols("held ~ solved + C(solver)", inner.assign(solver=common["solver"])).fit()
    assert estimate("uq/9_false_solved") == pytest.approx(100 * fit.params["solved"])
    means = common.groupby("solver")[["solved", "held"]].mean()
    slope = np.polyfit(means["solved"], means["held"], 1)[0]
    assert estimate("uq/claim_gap_widens_noisier.false_theorems") == pytest.approx(slope)


def test_the_pair_that_turns_is_one_of_the_table(common):
    means = 100 * common.groupby("solver")[["solved", "held"]].mean()
    apart = means.loc["DeepSeek-v3.1 (Think)"] - means.loc["Qwen3-4B (25/07)"]
    assert apart["solved"] > 0 > apart["held"]
    assert estimate("uq/9_false_better") == pytest.approx(min(apart["solved"], -apart["held"]))


def test_kappas_of_judges_are_those_of_statsmodels(tables):
    plain = tables["broken_math"].query("setting == 'plain'")
    judged = plain.pivot(index=["problem", "solver"], columns="judge", values="deceived").dropna()
    pairs = [kappa(judged[a], judged[b]) for i, a in enumerate(judged) for b in list(judged)[:i]]
    assert len(pairs) == 21 and estimate("uq/9_false_judges") == pytest.approx(np.mean(pairs))


def test_aucs_of_confidence_are_those_of_scipy_and_of_a_count_of_pairs(tables):
    sure = tables["broken_math"].query("setting == 'confidence'").dropna(subset="stated_confidence")
    areas = [auc(part) for _, part in sure.groupby("solver")]
    assert estimate("uq/9_false_confidence.pooled") == pytest.approx(np.mean(areas))
    shares = []
    for _, part in sure[sure["solver"].str.startswith("Qwen")].groupby("solver"):
        columns = ["problem", "stated_confidence"]
        held, deceived = (part.loc[part["deceived"] == value, columns] for value in (0, 1))
        pairs = held.merge(deceived, on="problem")
        apart = pairs["stated_confidence_x"] - pairs["stated_confidence_y"]
        shares.append((apart > 0).mean() + (apart == 0).mean() / 2)
    assert estimate("uq/9_false_confidence.within") == pytest.approx(np.mean(shares))


def test_figures_of_the_grader_are_those_of_a_weighted_table(tables):
    graded = tables["open_proofs"].query("has_issue_list == 1")
    right, accept = graded["human_correct"], graded["no_issue"]
    share = pd.crosstab(right, accept, normalize="index")  # of the right and of the wrong proofs
    passed = share[1] * pd.Series({0: 0.87, 1: 0.13})
    assert estimate("uq/9_proof_precision") == pytest.approx(100 * passed[1] / passed.sum())
    assert estimate("uq/9_proof_recall") == pytest.approx(100 * share.loc[1, 1])
    assert estimate("uq/9_proof_kappa") == pytest.approx(kappa(right, accept))
    assert estimate("uq/9_proof_optimism") == pytest.approx(100 * (accept - right).mean())
    shares = right.groupby(graded["n_issues"]).mean()
    assert estimate("uq/9_proof_strict.one") == pytest.approx(100 * (shares[1] - shares[4]))


def test_a_proof_in_both_files_is_counted_once(tables):
    """The 102 proofs that stand in both; of these 15 were marked before their list, of three problems."""
    both = tables["open_proofs_lists"].query("in_tidy == 1")
    first = both[both["list_in_tidy"] == 0]
    assert (len(both), len(first), first["problem"].nunique()) == (102, 15, 3)
    shown = pd.read_csv(paths.ROOT / "figures/uq/proof_anchoring.csv")
    assert shown["n"].tolist() == [311, 15]
