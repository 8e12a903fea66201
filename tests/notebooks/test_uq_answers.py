"""UQ's notebooks 1 to 5, from its data set to its validators, with the quick parameters: their numbers counted again."""

import asyncio
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.models.session import Session
from proctor.uq.dataset import llm_filter
from proctor.uq.notation import cost, parse
from scipy.stats import norm, t

# 1_dataset and 1_review_and_releases


def test_claims_on_the_data_set_are_those_of_the_printed_counts(claim):
    assert claim("uq/claim_rules_trim_99").estimate == pytest.approx(100 * (1 - 33_916 / 3_000_000), abs=0.005)
    assert claim("uq/claim_candidate_pool").estimate == 7_685 - 500
    assert claim("uq/claim_stem_skew").estimate == pytest.approx(100 * (395 + 52) / 500)
    assert claim("uq/claim_llm_filter_raises_difficulty").estimate == pytest.approx(51.2 - 14.1)


def test_the_measured_numbers_of_the_filter_are_those_of_the_recorded_replies(read, claim):
    found = asyncio.run(llm_filter.question_filter(Session("replay", progress=False), ["smollm2-135m"]))
    replies = np.array(found["correctness"].tolist(), float)
    criteria = read("uq/1c_criteria_table", keep_default_na=False).set_index("criterion")
    assert float(criteria["measured"]["correctness"]) == pytest.approx(replies.mean())
    assert float(criteria["reply_2"]["clear"]) == 100 * np.mean([each[1] for each in found["clear"]])
    excess = []
    for fresh in range(3):
        selecting, other = np.delete(replies, fresh, axis=1).mean(axis=1), replies[:, fresh]
        chosen = selecting <= 40
        excess.append(selecting.mean() - selecting[chosen].mean() - other.mean() + other[chosen].mean())
    made = claim("uq/1c_fresh_reply.correctness")
    assert made.estimate == pytest.approx(np.mean(excess)) and made.n == 3
    assert claim("uq/1c_over_rating").estimate == pytest.approx(replies.mean() - 100 / 40)  # one answer is right


def test_questions_are_counted_alike_in_every_table(read, given):
    names = ("stages", "review", "versions", "filter_rule", "later_crawl", "licences")
    stages, review, versions, rule, later, licences = (read(f"uq/1c_{name}") for name in names)
    stages, versions = stages.set_index("stage")["questions"], versions.set_index("version")
    assert (
        stages["raw"] == 4 * given("uq/1_review_and_releases")["posts_a_site"] and (stages.diff().dropna() <= 0).all()
    )
    assert review[["by_votes", "to_review"]].sum().sum() == stages["in the review queue"]
    assert review["released"].sum() == stages["after human review"] == versions["questions"][1]
    assert review["diamond"].sum() == stages["diamond subset"] == versions["diamond"][1]
    assert licences["questions"].sum() == later["questions"].sum() == versions["questions"][1]
    assert versions["removed"][2] == later["solved"].sum() > 0
    assert versions["questions"][2] == versions["questions"][1] + versions["added"][2] - versions["removed"][2]
    assert rule["dropped_measured"].tolist()[2:] == [40] * 3  # no question has only yes
    assert rule["alone_simulated"].sum() <= stages["after rules"] - stages["after LLM judges"]


# 2_small_judges


def test_accuracies_of_small_judges_follow_from_the_counts_and_a_verdict_costs_no_more_than_its_validator(read):
    scores = read("uq/labelled_answers_table").set_index(["judges", "validator"])
    assert len(scores) == 3 * 3 + 2 and (scores["n"] == 81).all()  # 29 answers are right
    recall, passed = scores["tp"] / 29, scores["fp"] / 52
    assert scores["accuracy"].to_numpy() == pytest.approx((100 * (scores["tp"] + 52 - scores["fp"]) / 81).to_numpy())
    assert scores["balanced_accuracy"].to_numpy() == pytest.approx((50 * (recall + 1 - passed)).to_numpy())
    for (judge, text), calls in scores["calls"].items():
        assert calls <= cost(parse(text), 3 if judge == "all" else 1).most
    gaps = read("uq/measured_gap_table").set_index("judges")  # only the answers of others
    assert (gaps["n"] == 54).all() and gaps["answers"].tolist() == pytest.approx([100 / 27, 1000 / 27, 1800 / 27])
    right = {"smollm2-135m": 28, "qwen2.5-coder-0.5b": 19, "qwen2.5-coder-1.5b": 11}
    assert gaps["rejecting_all"].to_dict() == pytest.approx({judge: 100 * (1 - n / 54) for judge, n in right.items()})


# 3_reasons_and_thresholds and 3_validators


def test_balanced_accuracy_is_the_mean_of_both_shares_of_counted_answers(read):
    table = read("uq/3_verdicts")
    assert (table["balanced"] - (table["right_accepted"] + table["wrong_rejected"]) / 2).abs().max() < 1e-9
    for share, answers in (("right_accepted", "right"), ("wrong_rejected", "wrong")):
        count = table[share] * table[answers]
        assert count.round(6).tolist() == pytest.approx(count.round().tolist())


@pytest.mark.parametrize("name", ["table_S1", "table_S10"])
def test_counts_print_the_figures_of_the_paper(read, name):
    figures = [f"{figure}_printed" for figure in ("accuracy", "precision", "recall")]
    for row in read(f"uq/{name}", dtype=dict.fromkeys(figures, str)).query("solutions > 0").to_dict("records"):
        tp, fp, fn, tn = (int(row[cell]) for cell in ("tp", "fp", "fn", "tn"))
        assert (tp + fn, tp + fp + fn + tn) == (row["positives"], row["n"])
        shares = Decimal(tp + tn) / int(row["n"]), Decimal(tp) / (tp + fp), Decimal(tp) / (tp + fn)
        printed = [str((100 * share).quantize(Decimal("0.01"), ROUND_HALF_UP)) for share in shares]
        assert printed == [row[figure] for figure in figures]


def test_rows_of_figure_s10_have_the_calls_of_their_notation_and_o3s_trend_is_spearmans(read, claim):
    table, made = read("uq/scaling_table"), claim("uq/claim_test_time_scaling.accuracy")
    assert len(table) == 14 and table["calls"].is_monotonic_increasing
    for row in table.itertuples():
        assert row.calls == cost(parse(row.strategy), row.judges.count(";") + 1).most and row.accuracy_printed < 87
    assert (table["accuracy"].isna() == (table["solutions"] == 0)).all() and table["accuracy"].notna().sum() == 10
    o3 = table[table["judges"] == "o3"]
    assert made.estimate == pytest.approx(o3["calls"].corr(o3["accuracy_printed"], method="spearman"))
    assert made.n == 13 and made.low < 0 < made.high


# 4_bias_and_ranking


def test_over_optimism_is_false_acceptances_less_misses_over_all_answers(read):
    found = read("uq/over_optimism")
    accepted, right = found["tp"] + found["fp"], found["tp"] + found["fn"]
    assert len(found) == 33 and (right == found["positives"]).all()
    assert found["bias"].to_numpy() == pytest.approx(((accepted - right) / found["n"]).to_numpy())
    assert found["precision"].to_numpy() == pytest.approx((found["tp"] / accepted).to_numpy())


def test_unanimity_widens_the_preference_of_a_lenient_judge_and_preference_does_not_average_out(read):
    gap = read("uq/preference_under_unanimity").set_index(["own", "correlation", "votes"])["difference"]
    assert gap[0.9, 0, 3] == pytest.approx(0.9**3 - 0.8**3) and gap[0.5, 0, 9] == pytest.approx(0.5**9 - 0.4**9)
    assert 0.1 < gap[0.9, 0.9, 3] < gap[0.9, 0, 3]
    found = read("uq/ranks_simulated")
    assert np.allclose(found["tipping"], 0.035 * found["youden"])  # the first two are assumed 3.5 points apart
    informed = found[found["youden"] > 0.15]
    assert (informed["order_100000"] > 0.9).all() and (informed["order_500"] < 0.4).all()
    assert (found[found["tipping"] < 0.006]["order_preferred"] < 0.2).all()


def test_ranks_and_first_places_are_those_of_answers_drawn_one_by_one():
    """The committed shares against studies of 100 answers, whose latent scores are drawn here in another way."""
    folder, rng, trials = paths.ROOT / "figures/uq", np.random.default_rng(1), 1000
    rows = pd.read_csv(folder / "over_optimism.csv").set_index(["judges", "strategy"])
    pipeline = "(CC x3|U) => (FLC x3|U) => (C x3|U)"
    six = [("o3-mini", "V"), ("o3-mini", "C"), ("Claude Sonnet 3.7", "C")]
    six += [("o3", strategy) for strategy in ("V", "C x3 |M", pipeline)]
    recall, specificity = (rows.loc[six, name].to_numpy() for name in ("recall", "specificity"))
    places = pd.read_csv(folder / "first_places_table.csv").set_index(["n", "correlation"])["four_or_more"]
    for correlation in (0.0, 0.5, 0.9):
        latent = np.full((6, 6), correlation) + (1 - correlation) * np.eye(6)
        score = norm.cdf(rng.multivariate_normal(np.zeros(6), latent, (trials, 5, 100)))  # studies, models, answers
        truth = rng.random((trials, 5, 100)) < np.array([0.20, 0.165, 0.13, 0.095, 0.06])[None, :, None]
        accepted = (score < np.where(truth[..., None], recall, 1 - specificity)).sum(axis=2)
        leaders = (accepted == accepted.max(axis=1, keepdims=True)).any(axis=2).sum(axis=1)
        assert (leaders >= 4).mean() == pytest.approx(places[100, correlation], abs=0.05)
        if correlation == 0:  # the same for each correlation
            right, judged = truth.sum(axis=2), accepted[:, :, 5]
            turned = [(a[:, None] - a[:, :, None]) for a in (judged, right)]
            against = (turned[0] * turned[1] < 0).any(axis=(1, 2))
            kept = pd.read_csv(folder / "ranks_simulated.csv").set_index(["judges", "strategy"])["order_100"]
            assert 1 - against.mean() == pytest.approx(kept["o3", pipeline], abs=0.04)


# 5_domain_rules


@pytest.fixture(scope="module")
def answers(read):
    return read("uq/5_answers")


def test_precision_and_recall_are_shares_of_counted_answers(answers, read):
    for row in read("uq/5_validators").itertuples():
        part = answers if row.kind == "all" else answers[answers["kind"] == row.kind]
        both = (part["right"] & part[row.validator]).sum()
        assert (row.answers, row.right, row.accepted) == (len(part), part["right"].sum(), part[row.validator].sum())
        assert (row.precision, row.recall) == pytest.approx((100 * both / row.accepted, 100 * both / row.right))
    wrong = answers[~answers["right"]].groupby("kind")["program"].mean()  # it sees all of an equation, of units one
    assert wrong["equation"] < 0.1 < 0.9 < wrong["units"]


def test_the_gain_has_students_interval_from_leaving_one_template_out(answers, claim):
    def gain(part):
        return 100 * (part["right"][part["program"]].mean() - part["right"][part["judge"]].mean())

    without = np.array([gain(answers[answers["template"] != name]) for name in answers["template"].unique()])
    half = t.ppf(0.975, 23) * np.sqrt(23 / 24 * ((without - without.mean()) ** 2).sum())
    made = claim("uq/claim_domain_rules_stronger.precision")
    assert made.estimate == pytest.approx(gain(answers)) and made.n == 24
    assert [made.low, made.high] == pytest.approx([made.estimate - half, made.estimate + half])
