"""The bench of strong judges with two of them, where the logs are on this machine, and its results box."""

import pandas as pd
import pytest
from proctor import logs

NAME = "synthesis/3_strong_judges"


def test_one_score_ranks_as_pandas_counts(read):
    table = read("strong_judges").set_index("method")["within"]
    scores = logs.verdicts("judge_scores")
    wanted = [f"{judge}{prompt}" for judge in ("gpt-5.4-mini", "claude-haiku-4.5") for prompt in ("", "+criteria")]
    scores = scores[scores["judge"].isin(wanted)]
    shared = scores.groupby("item", observed=True)["judge"].nunique()
    first = scores[(scores["repeat"] == 1) & (scores["judge"] == "gpt-5.4-mini")]
    first = first[first["item"].isin(shared.index[shared == len(wanted)])]
    wide = first.pivot(index="item", columns="candidate", values="score")
    lowest = wide.fillna(wide.min().min())
    wins = [(lowest["chosen"] > lowest[name]) + 0.5 * (lowest["chosen"] == lowest[name]) for name in lowest.columns[1:]]
    assert table["gpt-5.4-mini V x1"] == pytest.approx(pd.concat(wins, axis=1).mean(axis=None))
