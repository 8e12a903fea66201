"""The notebook on real repairs: run with params/quick.yaml where its logs are, against pandas on the tidy file."""

import pandas as pd
import pytest
from proctor import logs

NAME = "hle_verified/5_real_repairs"


def test_gains_are_what_pandas_counts(read):
    raw = logs.table("mmlu_redux")
    table = read("real_gains").set_index("model")
    key = raw["repaired_keys"].where(raw["error_type"] != "ok", "").mask(lambda keys: keys == "", raw["original_key"])
    for model in table.index[:3]:
        right = [letter != "" and letter in keys for letter, keys in zip(raw[model], key)]
        assert table.loc[model, "after"] == pytest.approx(100 * sum(right) / len(raw))
        assert table.loc[model, "before"] == pytest.approx(100 * (raw[model] == raw["original_key"]).mean())


def test_unsolved_items_are_what_pandas_counts(read):
    raw = logs.table("mmlu_redux")
    none = raw.iloc[:, 5:].ne(raw["original_key"], axis=0).all(axis=1)
    counted = read("real_impossible").set_index("error_type")["impossible"]
    assert counted.to_dict() == raw["error_type"].where(none).value_counts().reindex(counted.index).to_dict()


def test_signals_are_what_votes_counted_one_by_one_give(read):
    """AUC as the share of pairs that are ordered rightly, the review by a table sorted by hand."""
    raw = logs.table("mmlu_redux")
    found = read("real_signals").set_index(["signal", "target"]).loc[("against_key", "wrong_key")]
    keys = [repaired if kind != "ok" else "" for kind, repaired in zip(raw["error_type"], raw["repaired_keys"])]
    wrong = pd.Series([bool(new) and old not in new for old, new in zip(raw["original_key"], keys)])
    against = raw.iloc[:, 5:].ne(raw["original_key"], axis=0).sum(axis=1)
    below = against[~wrong].value_counts().sort_index()
    wins = sum(below[below.index < score].sum() + below.get(score, 0) / 2 for score in against[wrong])
    assert found["auc"] == pytest.approx(wins / (wrong.sum() * (~wrong).sum()))
    left, hits = round(0.05 * len(raw)), 0.0
    for score in sorted(against.unique(), reverse=True):
        at = against == score
        hits += wrong[at].sum() * min(left / at.sum(), 1)
        left -= min(left, int(at.sum()))
    assert found["found"] == pytest.approx(100 * hits / wrong.sum()) and found["targets"] == wrong.sum()
