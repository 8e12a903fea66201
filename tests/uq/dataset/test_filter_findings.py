"""What the filter's replies are worth, on replies whose truth is known."""

import numpy as np
import pandas as pd
from proctor.uq.dataset import filter_findings
from proctor.uq.dataset.llm_filter import CRITERIA, YES_NO, decide

FACTS = dict(
    correctness_before=51, correctness_after=14, solvability_before=78, solvability_after=32, quality_after=100
)


def judged(correctness, yes=True) -> pd.DataFrame:
    """Questions with these replies to correctness; the rest is as the filter keeps it."""
    rows = []
    for replies in correctness:
        given = {"correctness": list(replies), "solvability": [50, 60, 70]} | {name: [yes] * 3 for name in YES_NO}
        rows.append((*decide(given), *(given[name] for name in CRITERIA)))
    return pd.DataFrame(rows, columns=["outcome", "failed_on", "missing_on", *CRITERIA])


def test_reasons_count_each_drop_and_those_of_one_criterion_alone():
    found = filter_findings.drop_reasons(judged([(90, 90, 90), (10, 10, 10), (90, 10, 90)]))
    assert found.set_index("criterion")["dropped"].to_dict() == dict.fromkeys(CRITERIA, 0) | {"correctness": 2}
    assert found["alone"].tolist() == [2, 0, 0, 0, 0] and found["keeps"][0] == "mean of its replies at most 40 %"
    assert filter_findings.drop_reasons(judged([(90, 90, 90)], yes=False))["alone"].sum() == 0


def test_criteria_are_means_and_shares_in_percent():
    found, rng = judged([(10, 20, None), (70, 80, 90), (None, None, None)]), np.random.default_rng(0)
    yes = pd.DataFrame(dict.fromkeys(YES_NO, [0.5, 1.0, np.nan]))
    table = filter_findings.criteria(found, yes, FACTS, rng, 200).set_index("criterion")
    assert table["measured"]["correctness"] == (15 + 80) / 2 and table["reply_3"]["correctness"] == 90
    assert table["measured"]["clear"] == 100 and table["independent"]["clear"] == 100 * (0.125 + 1) / 2
    assert table["paper_before"].tolist()[:2] == [51, 78] and np.isnan(table["paper_before"]["clear"])
    assert table["low"]["correctness"] <= 47.5 <= table["high"]["correctness"] and np.isnan(table["low"]["clear"])


def test_ratings_are_held_against_the_share_that_is_right():
    found = judged([(60, 60, 60), (80, 80, 80)])
    excess = filter_findings.over_rating(found, [True, False], np.random.default_rng(0), 200)
    assert excess.estimate == 70 - 50
