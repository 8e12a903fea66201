"""The notebook on judges of the frontier: run with params/quick.yaml where its logs are; its box holds the committed numbers."""

import pandas as pd
import pytest
from proctor import log_files, logs, paths

NAME = "uq/9_frontier_judges"
SHARED = next((up / "shared/data/logs" for up in paths.ROOT.parents[:2] if (up / "shared/data/logs").is_dir()), None)


@pytest.fixture(scope="module", autouse=True)
def with_logs():
    with pytest.MonkeyPatch.context() as patch:
        if SHARED is not None and not log_files.available("judge_scores"):
            patch.setenv("PROCTOR_LOGS", str(SHARED))
        yield


@pytest.fixture(scope="module")
def ran(with_logs, request):
    if not log_files.available("judge_scores"):
        pytest.skip("needs the logs judge_scores")
    return request.getfixturevalue("done") / "figures" / "uq"


def test_one_call_is_what_pandas_counts(ran):
    table = pd.read_csv(ran / "frontier_validators.csv").set_index(["judges", "validator"])
    scores = logs.verdicts("judge_scores")
    names = table.index.get_level_values(0)
    judges = [name for name in dict.fromkeys(names) if not name.startswith("panel")]
    wanted = [*judges, *(f"{judge}+criteria" for judge in judges)]
    part = scores[scores["judge"].isin(wanted)]
    shared = part.groupby("item", observed=True)["judge"].nunique()
    part = part[part["item"].isin(shared.index[shared == part["judge"].nunique()])]
    accepted = (part["score"] >= 6).groupby([part["judge"], part["truth"]], observed=True).mean().unstack()
    for judge in judges[:2]:  # their threshold is 6 in every fold
        recall, wrong = accepted.loc[judge, 1], accepted.loc[judge, 0]
        assert table.loc[(judge, "V"), "recall"] == pytest.approx(100 * recall)
        precision = 0.13 * recall / (0.13 * recall + 0.87 * wrong)
        assert table.loc[(judge, "V"), "precision"] == pytest.approx(100 * precision)


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


def test_order_changes_are_what_pandas_counts(with_logs):
    if not log_files.available("llmbar"):
        pytest.skip("needs the logs llmbar")
    table = pd.read_csv(paths.ROOT / "figures/uq/frontier_order.csv").set_index(["judge", "prompt"])
    raw = logs.table("llmbar").query("prompt == 'Vanilla' and judge == 'GPT-4'")
    changed = (raw["winner_order1"] != raw["winner_order2_mapped"]).mean()
    assert table.loc[("GPT-4", "Vanilla"), "changes"] == pytest.approx(100 * changed)
