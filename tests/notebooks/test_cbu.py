"""CBU's notebooks with the quick parameters, counted again by pandas and scipy."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom, spearmanr, t, ttest_ind


def test_tokens_under_the_two_readings_differ_by_the_neighbours_of_an_original(read):
    budget = read("cbu/same_budget")
    assert budget.iloc[:, 3].div(budget.iloc[:, 2]).to_numpy() == pytest.approx(122 / 70)


def test_eight_rollouts_err_little_at_six_counts_alone(claim):
    errors = [hypergeom(64, k, 8).expect(lambda x, k=k: abs(x / 8 - k / 64)) for k in range(65)]
    assert sum(error < 0.05 for error in errors) == 6
    assert "for 6 of 65 counts" in claim("cbu/claim_eight_rollouts.every_candidate").finding


def test_the_effect_of_worked_candidates_is_recounted_from_the_families(read, claim):
    """The mean over questions, and Student's interval from the families' summed deviations (25 families, two to nine
    questions each)."""
    table = read("cbu/5_families")
    gap, questions = table["right"] - table["wrong"], table["questions"]
    mean = np.average(gap, weights=questions)
    error = np.sqrt(((questions * (gap - mean)) ** 2).sum() * 25 / 24) / questions.sum()
    made, half = claim("cbu/5_right_against_wrong"), t.ppf(1 - 0.05 / 6, 24) * error
    assert [made.estimate, made.low, made.high] == pytest.approx([100 * x for x in (mean, mean - half, mean + half)])
    carried = claim("cbu/5_transfer")
    limits = ttest_ind(gap[table["carries_over"]], gap[~table["carries_over"]], equal_var=False).confidence_interval()
    assert (carried.low, carried.high) == pytest.approx((100 * limits.low, 100 * limits.high)) and carried.n == 25


def test_effects_of_other_candidates_are_recounted_and_their_parts_add_up_to_that_of_the_first_study(read, claim):
    shares = read("cbu/5b_arms").set_index("arm")["solved"]
    assert shares[["none", "right", "wrong"]].tolist() == pytest.approx([0.525, 0.79375, 0.45])  # cbu/5_effects
    parts = read("cbu/5b_derivation_table").set_index("effect")["difference"]
    assert parts["right minus lucky"] + parts["lucky minus wrong"] == pytest.approx(shares["right"] - shares["wrong"])
    assert claim("cbu/5b_midway").estimate == pytest.approx(100 * parts["midway minus lucky"])
    table = read("cbu/5b_families")
    arms = {"answer": ("lucky", "wrong"), "confident": ("confident", "wrong"), "again": ("right again", "right")}
    for name, (one, other) in arms.items():
        gap = ((table[one] - table[other]) * table["questions"]).sum() / 40
        assert claim(f"cbu/5b_{name}").estimate == pytest.approx(100 * gap, abs=1e-9)


JUDGES = ("gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5")
CANDIDATE = ["item", "candidate"]


@pytest.fixture(scope="module")
def by_judge(judge_scores):
    """Scores of each judge with its variants, of the items whose four candidates all have one."""
    found = {}
    for judge, part in judge_scores.groupby("judge"):
        scored = part.dropna(subset="score").groupby("item", observed=True)["candidate"].nunique()
        found[judge] = part[part["item"].isin(scored.index[scored == 4])]
    return found


@pytest.fixture(scope="module")
def plain(by_judge):
    """The five judges on the items that they share."""
    common = set.intersection(*(set(by_judge[judge]["item"]) for judge in JUDGES))
    return {judge: by_judge[judge][by_judge[judge]["item"].isin(common)] for judge in JUDGES}


def test_top_marks_and_the_error_of_one_score_are_those_of_counts(plain, read, claim):
    top, wrong, errors = [], [], {}
    for judge, part in plain.items():
        scores = part.dropna(subset="score")
        high = 100 * scores["score"].ge(9)
        top.append(high.groupby(scores["item"]).mean().mean())
        poor = scores[scores["candidate"] != scores["candidate"].iloc[0]]
        wrong.append(high[poor.index].groupby(poor["item"]).mean().mean())
        away = part["score"] - part.groupby(CANDIDATE, observed=True)["score"].transform("mean")
        errors[judge] = (away.abs() / 10).groupby(part["repeat"]).mean().mean()
    assert claim("cbu/claim_judge_ceiling").estimate == pytest.approx(max(top))
    assert claim("cbu/claim_judge_ceiling.wrong").estimate == pytest.approx(max(wrong))
    table = read("cbu/7_repeats").query("repeats == 1").set_index("judge")["error"]
    assert table.to_dict() == pytest.approx(errors, abs=2e-4)
    assert claim("cbu/7_one_score").estimate == pytest.approx(max(errors.values()), abs=2e-4)


def test_the_least_correlation_of_two_prompts_is_scipys(by_judge, claim):
    found = []
    for judge in JUDGES:
        prompts = [part for name, part in by_judge.items() if name == judge or name.startswith(f"{judge}+")]
        means = [part.groupby(CANDIDATE, observed=True)["score"].mean().round(6) for part in prompts]
        for pair in combinations(means, 2):
            both = pd.concat(pair, axis=1, join="inner")
            found.append(spearmanr(both.iloc[:, 0], both.iloc[:, 1]).statistic)
    assert claim("cbu/claim_prompt_order").estimate == pytest.approx(min(found), abs=1e-6)


def test_the_share_of_equal_marks_at_temperature_0_is_that_of_a_count(by_judge, claim):
    cold = by_judge["gpt-5.4@t0"].groupby(CANDIDATE, observed=True)["score"]
    same, made = (cold.nunique() == 1) & (cold.count() == 8), claim("cbu/7_temperature")
    assert made.estimate == pytest.approx(100 * same.mean())
    assert made.evidence == "logged" and made.n == same.index.get_level_values("item").nunique()
