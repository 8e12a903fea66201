"""Tokens and calibration of public runs on HLE: the committed numbers against pandas and scipy, where the logs are here."""

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, paths
from proctor.report.claims import read_claims
from scipy.stats import binomtest

CLAIMS = {claim.id: claim for claim in read_claims(paths.ROOT / "figures")}
PLAIN = ("gpt-5-chat", "claude-sonnet-4", "deepseek-chat", "kimi-k2", "qwen3")


@pytest.fixture(scope="module")
def rows(needs_logs):
    needs_logs("hle_short_answers")
    found = pd.read_csv(log_files.files("hle_short_answers")[0])
    extra = found["reasoning_tokens"].where(found["run"].str.startswith("x-ai"), 0)
    return found.assign(tokens=found["completion_tokens"] + extra, plain=found["run"].str.contains("|".join(PLAIN)))


def test_times_are_the_ratio_of_means_on_the_same_questions(rows):
    counted = rows.dropna(subset="tokens")
    plain = counted[counted["plain"]].pivot_table(index="id", values="tokens")
    table = pd.read_csv(paths.ROOT / "figures/hle/reasoning_times.csv").set_index("model")
    for model, run in (("o4-mini", "openai_o4-mini_openai"), ("Grok-4", "x-ai_grok-4_x-ai")):
        both = counted[counted["run"] == run].merge(plain, on="id", suffixes=("", "_plain"))
        assert table.loc[model, "questions"] == len(both)
        assert table.loc[model, "times"] == pytest.approx(both["tokens"].sum() / both["tokens_plain"].sum())
    assert CLAIMS["hle/claim_reasoning_tokens"].estimate == pytest.approx(table["times"].min())


def test_the_calibration_error_is_that_of_hles_public_code(rows):
    part = rows[rows["run"] == "openai_gpt-5-nano_openai"].dropna(subset=["exact_original_key", "stated_confidence"])
    sure = part["stated_confidence"].map(lambda stated: stated if 0 < stated < 1 else stated / 100).to_numpy()
    order = np.argsort(sure, kind="stable")
    sure, right = sure[order], part["exact_original_key"].to_numpy()[order]
    bins = [[100 * i, 100 * (i + 1)] for i in range(len(sure) // 100)]
    bins[-1][1] = len(sure)
    total = 0.0
    for low, high in bins[:-1]:  # HLE's code leaves out the last bin
        total += (high - low) / len(sure) * (sure[low:high].mean() - right[low:high].mean()) ** 2
    claim = CLAIMS["hle/5_calibration"]
    assert claim.n == len(sure) and claim.estimate == pytest.approx(100 * np.sqrt(total))


def test_the_longer_of_two_answers_is_counted_on_the_questions_of_which_one_is_right(rows):
    longer = total = 0
    for name in ("gpt-5", "gpt-5-mini", "o4-mini"):
        two = rows[rows["run"].isin([f"openai_{name}_openai", f"openai_{name}_azure"])]
        wide = two.pivot(index="id", columns="run", values=["exact_original_key", "tokens"]).dropna()
        one = wide[wide["exact_original_key"].sum(axis=1) == 1]
        ahead = np.diff(one["tokens"], axis=1) * np.diff(one["exact_original_key"], axis=1)
        longer, total = longer + (ahead > 0).sum() + (ahead == 0).sum() / 2, total + len(one)
    claim = CLAIMS["hle/5_same_question"]
    assert claim.estimate == pytest.approx(100 * longer / total)
    exact = binomtest(int(longer), total).proportion_ci()
    assert (claim.low, claim.high) == pytest.approx((100 * exact.low, 100 * exact.high), abs=1)
