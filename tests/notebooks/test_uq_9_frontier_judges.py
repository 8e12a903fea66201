"""The notebook on judges of the frontier: run with params/quick.yaml where its logs are; its box holds the committed numbers."""

import numpy as np
import pandas as pd
import pytest
from proctor import logs, paths

NAME = "uq/9_frontier_judges"


@pytest.fixture(scope="module")
def shared(needs_logs):
    """The rows of the items that every judge scored with every prompt."""
    needs_logs("judge_scores")
    scores = logs.verdicts("judge_scores")
    judges = ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5"]
    part = scores[scores["judge"].isin([*judges, *(f"{judge}+criteria" for judge in judges)])]
    counted = part.groupby("item", observed=True)["judge"].nunique()
    return part[part["item"].isin(counted.index[counted == part["judge"].nunique()])]


def test_votes_are_what_pandas_counts(read, shared):
    """One call, and majority and unanimity of five from each repeat on, of the judges whose threshold is 6 in each
    fold."""
    table = read("frontier_validators").set_index(["judges", "validator"])
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
            assert table.loc[(judge, validator), "recall"] == pytest.approx(100 * recall)
            precision = 0.13 * recall / (0.13 * recall + 0.87 * wrong)
            assert table.loc[(judge, validator), "precision"] == pytest.approx(100 * precision)
        wrong, right = pd.Series(asked.mean(axis=0), cast.index).groupby("truth").mean()
        assert table.loc[(judge, "V x5 |U"), "calls"] == pytest.approx(0.13 * right + 0.87 * wrong)


def test_picks_and_repeats_are_what_pandas_counts(shared):
    part = shared[shared["judge"] == "gpt-5.4"]  # with prompt V
    given = part.assign(score=part["score"].fillna(0)).groupby(["item", "repeat"], observed=True)["score"]
    top = part["score"].fillna(0) == given.transform("max")  # a missing score comes last
    credit = part[top].groupby(["item", "repeat"], observed=True)["truth"].mean()  # its share of the tie
    picked = pd.read_csv(paths.ROOT / "figures/uq/frontier_mixed.csv").set_index(["judges", "calls"])
    assert picked.loc[("gpt-5.4", 1), "fair_credit"] == pytest.approx(100 * credit.mean())
    whole = part[part["score"].notna().groupby(part["item"], observed=True).transform("all")]
    each = whole.groupby(["item", "candidate", "truth"], observed=True)["score"].agg(["mean", "var"]).groupby("truth")
    noise, means = each["var"].mean(), each["mean"].var(ddof=0)  # wrong candidates, right ones: three to one
    same = np.average(means - noise / 8, weights=[3, 1])
    correlation = same / (same + np.average(noise, weights=[3, 1]))
    repeats = pd.read_csv(paths.ROOT / "figures/uq/frontier_repeats.csv").set_index("judge").loc["gpt-5.4"]
    assert repeats["correlation"] == pytest.approx(correlation)
    assert repeats["effective"] == pytest.approx(8 / (1 + 7 * correlation))


def test_means_next_to_every_judge_are_those_of_the_tables():
    claims = pd.concat(
        pd.read_csv(paths.ROOT / f"figures/uq/claims_9_{name}.csv").set_index("id")["estimate"]
        for name in ("frontier_judges", "pairs_and_repeats")
    )
    table = pd.read_csv(paths.ROOT / "figures/uq/frontier_validators.csv")
    alone = table[~table["judges"].str.startswith("panel")].pivot(index="judges", columns="validator")
    for figure in ("precision", "recall"):
        change = (alone[figure]["V x5 |U"] - alone[figure]["V x5 |M"]).dropna()
        assert len(change) == 5 and claims[f"uq/9_unanimity_{figure}.mean"] == pytest.approx(change.mean())
    pairs = pd.read_csv(paths.ROOT / "figures/uq/frontier_pairs.csv")
    gain = pairs.groupby("family")["gain"].mean()
    assert claims["uq/9_mixed_families.ten_pairs"] == pytest.approx(pairs["gain"].mean()) and len(pairs) == 10
    assert claims["uq/9_mixed_families.two_families"] == pytest.approx(gain["two"] - gain["one"])


def test_order_changes_are_what_pandas_counts(needs_logs):
    needs_logs("llmbar")
    table = pd.read_csv(paths.ROOT / "figures/uq/frontier_order.csv").set_index(["judge", "prompt"])
    raw = logs.table("llmbar").query("prompt == 'Vanilla' and judge == 'GPT-4'")
    changed = (raw["winner_order1"] != raw["winner_order2_mapped"]).mean()
    assert table.loc[("GPT-4", "Vanilla"), "changes"] == pytest.approx(100 * changed)
