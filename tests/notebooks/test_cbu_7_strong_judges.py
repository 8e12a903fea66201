"""notebooks/cbu/7_strong_judges.ipynb with the quick parameters, counted again by pandas and scipy."""

from itertools import combinations

import pandas as pd
import pytest
from proctor import logs
from scipy.stats import spearmanr

NAME = "cbu/7_strong_judges"
JUDGES = ("gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5")


@pytest.fixture(scope="module")
def by_judge(done):
    """Scores of each judge with its variants, of the items whose four candidates all have one."""
    found = {}
    for judge, part in logs.verdicts("judge_scores").groupby("judge", observed=True):
        scored = part.dropna(subset="score").groupby("item", observed=True)["candidate"].nunique()
        found[judge] = part[part["item"].isin(scored.index[scored == 4])]
    return found


@pytest.fixture(scope="module")
def plain(by_judge):
    """The five judges on the items that they share."""
    common = set.intersection(*(set(by_judge[judge]["item"]) for judge in JUDGES))
    return {judge: by_judge[judge][by_judge[judge]["item"].isin(common)] for judge in JUDGES}


def test_the_worst_share_of_top_marks_is_that_of_a_count(plain, claims_made):
    top, wrong = [], []
    for part in plain.values():
        scores = part.dropna(subset="score")
        high = 100 * scores["score"].ge(9)
        top.append(high.groupby(scores["item"]).mean().mean())
        poor = scores[scores["candidate"] != scores["candidate"].iloc[0]]
        wrong.append(high[poor.index].groupby(poor["item"]).mean().mean())
    assert claims_made["cbu/claim_judge_ceiling"].estimate == pytest.approx(max(top))
    assert claims_made["cbu/claim_judge_ceiling.wrong"].estimate == pytest.approx(max(wrong))


def test_the_least_correlation_of_two_prompts_is_scipys(by_judge, claims_made):
    found = []
    for judge in JUDGES:
        prompts = [name for name in by_judge if name == judge or name.startswith(f"{judge}+")]
        means = [
            by_judge[name].groupby(["item", "candidate"], observed=True)["score"].mean().round(6) for name in prompts
        ]
        for pair in combinations(means, 2):
            both = pd.concat(pair, axis=1, join="inner")
            found.append(spearmanr(both.iloc[:, 0], both.iloc[:, 1]).statistic)
    assert claims_made["cbu/claim_prompt_order"].estimate == pytest.approx(min(found), abs=1e-6)


def test_the_error_of_one_score_is_its_mean_distance_to_the_mean_of_the_candidate(plain, claims_made, read):
    errors = {}
    for judge, part in plain.items():
        away = part["score"] - part.groupby(["item", "candidate"], observed=True)["score"].transform("mean")
        errors[judge] = (away.abs() / 10).groupby(part["repeat"]).mean().mean()
    table = read("7_repeats").query("repeats == 1").set_index("judge")["error"]
    assert table.to_dict() == pytest.approx(errors, abs=2e-4)
    assert claims_made["cbu/7_one_score"].estimate == pytest.approx(max(errors.values()), abs=2e-4)


def test_the_share_of_equal_marks_at_temperature_0_is_that_of_a_count(by_judge, claims_made):
    cold = by_judge["gpt-5.4@t0"].groupby(["item", "candidate"], observed=True)["score"]
    same = (cold.nunique() == 1) & (cold.count() == 8)
    assert claims_made["cbu/7_temperature"].estimate == pytest.approx(100 * same.mean())
    assert claims_made["cbu/7_temperature"].evidence == "logged" and claims_made["cbu/7_temperature"].n == len(
        same.groupby(level="item").size()
    )
