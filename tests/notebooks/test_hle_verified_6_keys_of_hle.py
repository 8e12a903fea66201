"""The keys of HLE: the committed numbers against pandas, scipy and statsmodels on the tidy files, where these are here."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, paths
from proctor.report.claims import read_claims
from scipy.stats import binomtest, kendalltau, mannwhitneyu
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

CLAIMS = {claim.id: claim for claim in read_claims(paths.ROOT / "figures")}


def model_of(run):
    return run.rpartition("_")[0]  # without its provider


@pytest.fixture(scope="module")
def found(needs_logs):
    """(items of the window, answers with both marks): as numbers, text items, without new problems among the answers."""
    needs_logs("hle_repaired_items")
    items = pd.read_csv(log_files.files("hle_repaired_items")[0]).query("in_window == 1 and text_only == 1")
    marks = pd.read_csv(log_files.files("hle_repaired_answers")[0].with_name("tidy.csv.gz"))
    items = items.assign(wrong=(items["key_changed"] == 1) & (items["answer_error"] != "A4"))
    marks = marks.merge(items.query("problem_changed == 0"), on="id").dropna(
        subset=["exact_original_key", "exact_repaired_key"]
    )
    return items, marks.assign(model=marks["run"].map(model_of))


def figures(name):
    return pd.read_csv(paths.ROOT / f"figures/hle_verified/{name}.csv")


def per_item(marks, column):
    """Mean over the models, each over its providers."""
    return marks.groupby(["id", "model"])[column].mean().groupby("id").mean()


def test_the_share_of_wrong_keys_has_the_exact_interval_of_scipy(found):
    items, _ = found
    exact = binomtest(int(items["wrong"].sum()), len(items)).proportion_ci(method="exact")
    claim = CLAIMS["hle_verified/6_wrong_keys"]
    assert (claim.n, claim.estimate) == (275, pytest.approx(100 * items["wrong"].mean()))
    assert (claim.low, claim.high) == (pytest.approx(100 * exact.low), pytest.approx(100 * exact.high))


def test_each_run_gains_the_items_that_it_wins_less_those_that_it_loses(found):
    _, marks = found
    table = figures("keys_gains").set_index("run")
    for run, part in marks.groupby("run"):
        cells = pd.crosstab(part["exact_original_key"], part["exact_repaired_key"])
        won, lost = cells.loc[0, 1], cells.get(0, pd.Series()).get(1, 0)
        assert (table.loc[run, "won"], table.loc[run, "lost"], table.loc[run, "items"]) == (won, lost, len(part))
        assert table.loc[run, "gain"] == pytest.approx(100 * (won - lost) / len(part))


@pytest.mark.parametrize("claim, wrong_alone", [("6_gain", False), ("6_changed", True)])
def test_mean_gains_are_those_of_statsmodels(found, claim, wrong_alone):
    _, marks = found
    part = marks[marks["wrong"]] if wrong_alone else marks
    gain = DescrStatsW(100 * (per_item(part, "exact_repaired_key") - per_item(part, "exact_original_key")))
    made = CLAIMS[f"hle_verified/{claim}"]
    assert (made.n, made.estimate) == (int(gain.nobs), pytest.approx(gain.mean))
    assert (made.low, made.high) == pytest.approx(gain.tconfint_mean(), abs=0.12 * (made.high - made.low))


def test_items_with_a_wrong_key_are_easier_by_the_difference_of_two_means(found):
    _, marks = found
    right = per_item(marks, "exact_repaired_key")
    wrong = set(marks.loc[marks["wrong"], "id"])
    gold = set(marks.loc[marks["verified_class"] == "gold", "id"])
    one, other = (DescrStatsW(100 * right[right.index.isin(ids)]) for ids in (wrong, gold))
    made, limits = CLAIMS["hle_verified/6_easier"], CompareMeans(one, other).tconfint_diff(usevar="unequal")
    assert made.estimate == pytest.approx(one.mean - other.mean) and made.n == len(wrong) + len(gold)
    assert (made.low, made.high) == pytest.approx(limits, abs=0.1 * (made.high - made.low))
    assert CLAIMS["hle_verified/6_circular"].estimate == pytest.approx(100 * (1 - other.mean / one.mean))


def test_the_formula_divides_by_the_share_of_sound_keys_and_the_order_is_kendalls(found):
    _, marks = found
    table, names = figures("keys_formula").set_index("model"), {"x-ai_grok-4": "Grok-4", "z-ai_glm-4.5": "GLM-4.5"}
    for model, name in names.items():
        part = marks[marks["model"] == model]
        expected = part["exact_original_key"].mean() / (1 - part["wrong"].mean())
        error = 100 * (part["exact_repaired_key"].mean() - expected)
        assert table.loc[name, "error"] == pytest.approx(error)
    means = marks.groupby(["model", "id"])[["exact_original_key", "exact_repaired_key"]].mean().groupby("model").mean()
    assert CLAIMS["hle_verified/6_order"].estimate == pytest.approx(kendalltau(*means.to_numpy().T).statistic)


def test_signals_are_counted_anew_from_the_short_answers(found, needs_logs):
    items, _ = found
    needs_logs("hle_short_answers")
    used = items.query("problem_changed == 0 and verified_class != 'uncertain' and original_key_kind != 'other'")
    wrong = used.set_index("id")["wrong"].astype(int).sort_index()
    short = pd.read_csv(log_files.files("hle_short_answers")[0], dtype={"answer": str}, keep_default_na=False)
    ten = set(figures("keys_gains")["run"])
    votes = defaultdict(Counter)
    short = short[short["id"].isin(wrong.index) & short["run"].isin(ten) & ~short["run"].str.startswith("z-ai")]
    providers = Counter(zip(short["id"], short["run"].map(model_of)))
    for item, run, answer, right in zip(short["id"], short["run"], short["answer"], short["exact_original_key"]):
        if right == "1" or answer:
            votes[item]["key" if right == "1" else answer] += 1 / providers[item, model_of(run)]
    assert set(votes) == set(wrong.index) and len(wrong) == CLAIMS["hle_verified/6_agreement"].n
    other = [
        max((n for a, n in votes[i].items() if a != "key"), default=0) / sum(votes[i].values()) for i in wrong.index
    ]
    apart = [1 - max(votes[i].values()) / sum(votes[i].values()) for i in wrong.index]
    for claim, score in (("6_agreement", np.array(other)), ("6_disagreement", np.array(apart))):
        pairs = mannwhitneyu(score[wrong == 1].round(9), score[wrong == 0].round(9)).statistic
        area = pairs / (wrong.sum() * (1 - wrong).sum())
        assert CLAIMS[f"hle_verified/{claim}"].estimate == pytest.approx(area, abs=0.005)
