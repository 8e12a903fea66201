"""The notebook on real repairs: run with params/quick.yaml where its logs are, against pandas on the tidy file."""

import pandas as pd
import pytest
from proctor import log_files, logs, paths

NAME = "hle_verified/5_real_repairs"
SHARED = next((up / "shared/data/logs" for up in paths.ROOT.parents[:2] if (up / "shared/data/logs").is_dir()), None)


@pytest.fixture(scope="module")
def ran(request):
    with pytest.MonkeyPatch.context() as patch:
        if SHARED is not None and not log_files.available("mmlu_redux"):
            patch.setenv("PROCTOR_LOGS", str(SHARED))
        if not log_files.available("mmlu_redux"):
            pytest.skip("needs the logs mmlu_redux")
        yield request.getfixturevalue("done") / "figures" / "hle_verified"


def test_gains_are_what_pandas_counts(ran):
    raw = logs.table("mmlu_redux")
    table = pd.read_csv(ran / "real_gains.csv").set_index("model")
    key = raw["repaired_keys"].where(raw["error_type"] != "ok", "").mask(lambda keys: keys == "", raw["original_key"])
    for model in table.index[:3]:
        right = [letter != "" and letter in keys for letter, keys in zip(raw[model], key)]
        assert table.loc[model, "after"] == pytest.approx(100 * sum(right) / len(raw))
        assert table.loc[model, "before"] == pytest.approx(100 * (raw[model] == raw["original_key"]).mean())


def test_unsolved_items_are_what_pandas_counts(ran):
    raw = logs.table("mmlu_redux")
    none = raw.iloc[:, 5:].ne(raw["original_key"], axis=0).all(axis=1)
    counted = pd.read_csv(ran / "real_impossible.csv").set_index("error_type")["impossible"]
    assert counted.to_dict() == raw["error_type"].where(none).value_counts().reindex(counted.index).to_dict()
