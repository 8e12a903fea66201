"""notebooks/hle/4_frontier_runs.ipynb with the quick parameters, where the logs are on this machine."""

import gzip
import json
import random
import shutil

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, logs, paths
from scipy.stats import binomtest

NAME = "hle/4_frontier_runs"


@pytest.fixture(scope="module")
def runs(done):
    table = logs.table("hle_runs")
    return table[table["exact_original_key"].notna()]


def test_accuracies_are_those_of_the_program_and_of_the_judge_for_glm(read, runs):
    found = read("frontier_metrics").set_index("model")["accuracy"]
    grok = runs[runs["run"] == "x-ai_grok-4_x-ai"]["exact_original_key"]
    glm = runs[runs["run"] == "z-ai_glm-4.5_z-ai"]["judge_correct"]
    assert len(found) == 12 and found["Grok-4"] == pytest.approx(100 * grok.mean())
    assert found["GLM-4.5"] == pytest.approx(100 * glm.mean())  # the judge's calls that failed are no verdicts


def test_agreement_of_program_and_judge_has_an_exact_interval_over_questions(read, runs):
    judged = runs.dropna(subset=["judge_correct"])
    own = judged[judged["run"].str.startswith("openai")].merge(logs.table("hle_items"), on="id")
    same = own["judge_correct"].eq(own["exact_original_key"]).groupby([own["key_kind"], own["id"]]).all()["number"]
    claim = read("claims_4_frontier_runs").set_index("id").loc["hle/4_marking"]
    exact = binomtest(int(same.sum()), len(same)).proportion_ci(1 - 0.05 / 4, "exact")
    assert (claim["low"], claim["high"]) == pytest.approx((100 * exact.low, 100 * exact.high))
    assert claim["n"] == len(same) and claim["verdict"] == "cannot tell"


def test_both_marks_of_the_first_figure_are_of_the_answers_that_state_a_confidence(done, runs):
    glm = runs[(runs["run"] == "z-ai_glm-4.5_z-ai")].dropna(subset=["judge_correct", "stated_confidence"])
    alt = json.loads((done / "figures/hle/frontier_confidence.json").read_text())["alt"]
    assert f"GLM-4.5 says 91, is right in {100 * glm['judge_correct'].mean():.0f} %" in alt


def test_a_stated_fraction_is_a_share_and_a_whole_number_a_percentage(read, runs):
    nano = runs[runs["run"] == "openai_gpt-5-nano_openai"]["stated_confidence"].dropna()
    meant = nano.map(lambda stated: stated if 0 < stated < 1 else stated / 100)
    assert read("frontier_metrics").set_index("model").loc["GPT-5-nano", "stated_mean"] == pytest.approx(
        100 * meant.mean()
    )


def test_the_surest_fifth_takes_ties_in_proportion_and_the_auc_is_that_of_all_pairs(read, runs):
    found = read("frontier_signals").set_index("model").loc["GPT-5"]
    part = runs[runs["run"] == "openai_gpt-5_openai"].dropna(subset=["stated_confidence"])
    sure, right = part["stated_confidence"].to_numpy(), part["exact_original_key"].to_numpy()
    sure = np.where((sure > 0) & (sure < 1), 100 * sure, sure)
    above = np.sign(sure[right == 1][:, None] - sure[right == 0])
    assert found["auc"] == pytest.approx((1 + above.mean()) / 2)
    rng, shuffled = np.random.default_rng(1), []
    for _ in range(1000):  # ties broken by chance, on average
        order = rng.permutation(len(sure))
        top = order[np.argsort(-sure[order], kind="stable")[: round(len(sure) / 5)]]
        shuffled.append(right[top].mean())
    assert found["surest"] == pytest.approx(100 * np.mean(shuffled), abs=0.3)


def test_retests_are_the_two_by_two_table_of_the_pair(read, runs):
    row = read("frontier_retests").set_index("model").loc["o4-mini"]
    wide = runs.pivot(index="id", columns="run", values="exact_original_key")
    counts = pd.crosstab(*(wide[f"openai_o4-mini_{host}"] for host in ("openai", "azure")))
    assert (row["both"], row["none"], row["one"]) == (
        counts.loc[1, 1],
        counts.loc[0, 0],
        counts.loc[0, 1] + counts.loc[1, 0],
    )
    assert row["again"] == pytest.approx(200 * row["both"] / (2 * row["both"] + row["one"]))
    assert row["points"] == pytest.approx(100 * (row["both"] + row["none"]) / counts.to_numpy().sum())


def test_it_runs_on_sixty_runs(quick_run, needs_logs, monkeypatch):
    needs_logs("token_probability")
    draw = random.Random(1)
    lines = ["id,run,answered,stated_confidence,judge_correct,judge_confidence,exact_original_key,completion_tokens"]
    retested = [f"openai_{name}_{host}" for name in ("gpt-5", "gpt-5-mini", "o4-mini") for host in ("openai", "azure")]
    named = [*retested, "openai_gpt-5-nano_openai", "z-ai_glm-4.5_z-ai"]
    for run in [*named, *(f"vendor_model-{n}_host" for n in range(60 - len(named)))]:
        for item in range(120):
            right, sure = int(draw.random() < 0.2), draw.randint(40, 100)
            judge = str(right) if draw.random() < 0.6 or run.startswith("z-ai") else ""
            lines.append(f"q{item},{run},1,{sure},{judge},{sure if judge else ''},{right},{draw.randint(500, 9000)}")
    made = paths.BUILD / "tests/logs of sixty runs"
    shutil.rmtree(made, ignore_errors=True)
    (made / "hle_runs").mkdir(parents=True)
    (made / "hle_runs/tidy.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    kinds = [f"q{n},{'letter' if n % 2 else 'number'}" for n in range(120)]
    (made / "hle_runs/items.csv").write_text("\n".join(["id,key_kind", *kinds]) + "\n")
    (made / "token_probability").symlink_to(log_files.folder("token_probability"))
    monkeypatch.setenv("PROCTOR_LOGS", str(made))
    folder = quick_run(NAME, "-p", "resamples", "200", label="of sixty", profile=())
    assert len(pd.read_csv(folder / "figures/hle/frontier_metrics.csv")) == 60
