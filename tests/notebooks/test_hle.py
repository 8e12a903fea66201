"""HLE's notebooks with the quick parameters: their numbers, counted again from the recording, the papers and the logs."""

import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, logs, paths
from proctor.exam import recorded as exam_recorded
from proctor.models.prompts import load
from proctor.report.claims import read_claims
from scipy.stats import binomtest, norm

# 1_collection and 1_review


def test_the_funnel_of_our_questions_and_wrong_keys_equal_a_recount_of_the_recording(read, exam_rows):
    questions, passed = exam_recorded.families(2), read("hle/wrong_keys_pass").set_index("key")["stumped"]
    met = exam_rows(questions).query("right")["question"]
    stumped = {question.question for question in questions if question.id not in set(met)}
    rows = read("hle/funnel").set_index("step")["n"]
    assert (rows["generated: sent in"], rows["stump all models"]) == (len(questions), len(stumped)) == (54, 39)
    assert set(read("hle/sample_questions")["question"]) <= stumped
    for name, key in {
        "misconception": lambda q: q.extra["wrong_answer"],
        "unrelated": lambda q: q.extra["neighbours"][0]["answer"],
    }.items():
        assert passed[name] == len(questions) - exam_rows(questions, key).query("right")["question"].nunique()


def test_the_implied_accuracies_solve_the_equation(read):
    rows = read("hle/accuracy_before")
    assert set(rows["models"]) == {4, 6} and len(rows) == 20
    for row in rows.itertuples():  # b + M and a + b follow from before and retest_accuracy
        whole = row.models * row.retest_accuracy / (row.before - row.retest_accuracy)
        a, b = row.before * whole, (1 - row.before) * whole
        assert math.prod((b + i) / (a + b + i) for i in range(row.models)) == pytest.approx(row.passes, rel=1e-6)


def test_the_simulated_collection_meets_what_it_is_calibrated_to_and_multiplies_wrong_keys_by_bayes(read):
    """No exact answer meets a wrong key, and each of four models or more misses one of a choice with a chance of half
    or more."""
    rows = read("hle/collection").set_index("step")
    sent, past, accepted = rows.loc["sent in"], rows.loc["past the check"], rows.loc["accepted"]
    assert past["questions"] / sent["questions"] == pytest.approx(13 / 70, abs=0.03)
    assert accepted["retest_accuracy"] == pytest.approx(0.054, abs=0.025)
    if_all_pass = sent["wrong_key"] * sent["questions"] / past["questions"]
    assert (1 - sent["choice"]) * if_all_pass - 0.03 < past["wrong_key"] < if_all_pass + 0.03
    assert abs(sent["quality"]) < 0.05 and abs(past["quality"]) < 0.1 and accepted["quality"] > 0.3
    alphas = read("hle/review_agreement")
    assert all(alphas[name].is_monotonic_decreasing for name in ("alpha", "quality", "among_best"))


def test_drawn_exams_agree_with_the_normal_formula(read):
    for row in read("hle/private_set").itertuples():
        sd = math.sqrt(0.091 * 0.909 * (1 / 3000 + 1 / row.private))
        power = norm.cdf(row.gap / sd - norm.ppf(0.975)) + norm.cdf(-row.gap / sd - norm.ppf(0.975))
        assert row.power == pytest.approx(power) and row.drawn == pytest.approx(power, abs=0.05)


# 2_measured_models and 3_scores_and_judging


@pytest.fixture(scope="module")
def families(exam_rows, given):
    return exam_rows(exam_recorded.families(given("hle/2_measured_models")["levels"]))


@pytest.fixture(scope="module")
def exam(exam_rows, given):
    return exam_rows(exam_recorded.exam_questions(given("hle/2_measured_models")["n_exam"]))


@pytest.fixture(scope="module")
def stated(families, exam):
    """The rows of both that state a confidence."""
    return pd.concat([families, exam]).dropna(subset="confidence")


def test_the_lead_figure_shows_the_recounted_shares_and_the_anchor(done, read, stated):
    rows = read("hle/lead_confidence_table").set_index("model")
    for model, these in stated.groupby("model"):
        near = [min(abs(c - x) for x in (0.96, 0.71, 0.97, 0.68)) < 0.0301 for c in these["confidence"]]
        assert rows.loc[model, ["n", "stated", "right", "anchored"]].tolist() == pytest.approx(
            [len(these), these["confidence"].mean(), these["right"].mean(), np.mean(near)]
        )
    said = [re.findall(r"^Confidence: (\d+)%", load(f"hle/{name}").messages[i][1], re.MULTILINE)
            for name in ("answer_exact", "answer_choice") for i in (2, 4)]  # fmt: skip
    assert [int(found[0]) for found in said] == [96, 71, 97, 68]
    record = json.loads((done("hle/2_measured_models") / "figures/hle/lead_confidence.json").read_text())
    assert "worked examples state 96 and 71 and 97 and 68" in record["alt"]


def test_accuracies_equal_a_recount_of_the_recording(read, families, exam):
    rows = read("hle/measured_accuracy_table")
    groups = {"all families": families, "MMLU-tiny": exam} | dict(list(families.groupby("category")))
    groups |= {f"level {level:.0f}": these for level, these in families.groupby("level")}
    assert set(rows["questions"]) == set(groups) and len(rows) == 3 * len(groups)
    for row in rows.itertuples():
        these = groups[row.questions].query("model == @row.model")
        assert (row.n, row.right) == (len(these), these["right"].sum())
        assert row.accuracy == pytest.approx(these["right"].mean())
    replies = pd.concat([families, exam])
    for row in read("hle/metrics").itertuples():
        these = replies[(replies["model"] == row.model) & ((row.by == "all") | (replies["kind"] == row.group))]
        assert (row.n, row.stated, row.unreadable) == (len(these), these["confidence"].notna().sum(), 0)


def test_the_official_calibration_error_is_shown_to_depend_on_the_number_of_answers_alone(read, stated):
    rows = read("hle/calibration_table").query("signal == 'stated confidence'").set_index("answers")
    assert rows["n"]["all, both exams"] == len(stated)
    assert rows["official"][exam_recorded.MODELS].isna().all()  # below 100 answers
    assert (rows["official"]["all, both exams"] == 0) == (len(stated) < 200)  # it leaves out the rest of a hundred
    one_bin = stated[stated["model"] == exam_recorded.MODELS[2]]
    gap = abs(one_bin["confidence"].mean() - one_bin["right"].mean())
    assert rows["all_bins"][exam_recorded.MODELS[2]] == pytest.approx(gap)


def test_the_effect_of_a_low_anchor_is_that_of_the_table_with_families_as_units(read, claim):
    styles, made = read("hle/3b_styles"), claim("hle/3b_low_guess")
    below = styles[styles["version"] == "families-v2"].set_index("style")["below_90"]
    assert (made.estimate, made.n) == (pytest.approx(100 * below["low"] - 100 * below["plain"]), 9)


# 2_published_tables


def half_up(k, n) -> str:
    return str((Decimal(100 * k) / n).quantize(Decimal("0.1"), ROUND_HALF_UP))


def prints(accuracy, n) -> list[int]:
    """All counts of n that print as the accuracy, rounded half up."""
    return [k for k in range(n) if half_up(k, n) == f"{accuracy:.1f}"]


def between(counts) -> str:
    return f"{min(counts)} to {max(counts)}"


def test_table_1_has_the_official_half_width_wilsons_interval_and_the_bounds_of_their_formulas(read):
    rows = read("hle/table_1")
    for row in rows.itertuples():
        a, n = row.accuracy, row.n
        assert n == (2700 if row.model == "DeepSeek-R1" else 3000)
        assert row.half_width == pytest.approx(1.96 * math.sqrt(a * (100 - a) / n), abs=0.005)
        fits = prints(a, n)
        assert row.right == between(fits)
        for k, sign, found in ((fits[0], -1, row.low), (fits[-1], 1, row.high)):
            p, z = k / n, 1.959964
            limit = (p + z * z / 2 / n + sign * z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)) / (1 + z * z / n)
            assert found == pytest.approx(100 * limit, abs=1e-3)
    assert np.allclose(rows["confidence_at_least"], rows["calibration_error"] ** 2 / 100 - rows["accuracy"])
    assert np.allclose(rows["error_at_most"], 100 * np.sqrt(1 - rows["accuracy"] / 100))


def test_the_text_only_sizes_that_fit_both_tables_and_the_image_questions_equal_a_recount(read):
    rows = read("hle/table_2").dropna(subset=["n_text_fit"])
    assert len(rows) == 6
    for row in rows.itertuples():
        a, a_text = row.accuracy_full / 100, row.accuracy_text / 100
        low, high = row.calibration_error_full / 100 - 0.0005, row.calibration_error_text / 100 + 0.0005
        assert row.error_images_least == pytest.approx(100 * math.sqrt(10 * (low**2 - 0.9 * high**2)))
        s = row.text_share_most / 100  # here even images with an error of 1 only just fit
        assert s * high**2 + 1 - s == pytest.approx(low**2)
        fits, no_worse = [], []  # no_worse: images as badly calibrated as the text will do
        for n in range(2685, 2716):
            s, bins = n / 3000, n // 100  # the code sums all bins but the last, whose answers are n - 100 (bins - 1)
            whole = low**2 + 100 / 3000 * (1 - a - 0.0005) ** 2
            part = high**2 + (n - 100 * (bins - 1)) / n * (1 - a_text + 0.0005) ** 2
            if whole <= s * part + 1 - s:
                fits.append(n)
            if whole <= part:
                no_worse.append(n)
        assert (2685 in no_worse) == (row.model not in ("GPT-4o", "Gemini 1.5 Pro"))
        assert set(range(2694, 2700)) <= set(no_worse)
        assert row.n_text_fit == between(fits) and fits == list(range(fits[0], fits[-1] + 1))
    assert set(rows["n_text_fit"][rows["model"] != "Grok 2"]) == {"2685 to 2699"}
    for row in read("hle/table_2").dropna(subset=["images"]).itertuples():
        full, text = prints(row.accuracy_full, 3000), prints(row.accuracy_text, 2700)
        assert row.images == f"{between({k - j for k in full for j in text})} of 300"


# 4_frontier_runs


@pytest.fixture(scope="module")
def runs(needs_logs):
    needs_logs("hle_runs", "hle_items")
    table = logs.table("hle_runs")
    return table[table["exact_original_key"].notna()]


def in_hundredths(stated):
    """A stated fraction is a share and a whole number a percentage."""
    return stated.map(lambda one: one if 0 < one < 1 else one / 100)


def test_figures_of_runs_are_what_pandas_counts(done, read, runs):
    found, names = read("hle/frontier_metrics").set_index("model"), runs["run"].str.rpartition("_")[0]
    grok, glm = runs[runs["run"] == "x-ai_grok-4_x-ai"], runs[runs["run"] == "z-ai_glm-4.5_z-ai"]
    assert len(found) == 12 and found.loc["Grok-4", "accuracy"] == pytest.approx(
        100 * grok["exact_original_key"].mean()
    )
    # by the judge, whose calls that failed are no verdicts
    assert found.loc["GLM-4.5", "accuracy"] == pytest.approx(100 * glm["judge_correct"].mean())
    nano = runs.loc[names == "openai_gpt-5-nano", "stated_confidence"].dropna()
    assert found.loc["GPT-5-nano", "stated_mean"] == pytest.approx(100 * in_hundredths(nano).mean())
    alt = json.loads((done("hle/4_frontier_runs") / "figures/hle/frontier_confidence.json").read_text())["alt"]
    both = glm.dropna(subset=["judge_correct", "stated_confidence"])
    assert f"GLM-4.5 says 91, is right in {100 * both['judge_correct'].mean():.0f} %" in alt


def test_agreement_of_program_and_judge_has_an_exact_interval_over_questions(claim, runs):
    judged = runs.dropna(subset=["judge_correct"])
    own = judged[judged["run"].str.startswith("openai")].merge(logs.table("hle_items"), on="id")
    same = own["judge_correct"].eq(own["exact_original_key"]).groupby([own["key_kind"], own["id"]]).all()["number"]
    made, exact = claim("hle/4_marking"), binomtest(int(same.sum()), len(same)).proportion_ci(1 - 0.05 / 4, "exact")
    assert (made.low, made.high) == pytest.approx((100 * exact.low, 100 * exact.high)) and made.n == len(same)


def test_the_surest_fifth_takes_ties_in_proportion_and_the_auc_is_that_of_all_pairs(read, runs):
    found = read("hle/frontier_signals").set_index("model").loc["GPT-5"]
    part = runs[runs["run"] == "openai_gpt-5_openai"].dropna(subset=["stated_confidence"])
    sure, right = in_hundredths(part["stated_confidence"]).to_numpy(), part["exact_original_key"].to_numpy()
    above = np.sign(sure[right == 1][:, None] - sure[right == 0])
    assert found["auc"] == pytest.approx((1 + above.mean()) / 2)
    rng, shuffled = np.random.default_rng(1), []
    for _ in range(1000):  # ties broken by chance, on average
        order = rng.permutation(len(sure))
        top = order[np.argsort(-sure[order], kind="stable")[: round(len(sure) / 5)]]
        shuffled.append(right[top].mean())
    assert found["surest"] == pytest.approx(100 * np.mean(shuffled), abs=0.3)


def test_retests_are_the_two_by_two_table_of_the_pair(read, runs):
    row = read("hle/frontier_retests").set_index("model").loc["o4-mini"]
    wide = runs.pivot(index="id", columns="run", values="exact_original_key")
    counts = pd.crosstab(*(wide[f"openai_o4-mini_{host}"] for host in ("openai", "azure")))
    one = counts.loc[0, 1] + counts.loc[1, 0]
    assert (row["both"], row["none"], row["one"]) == (counts.loc[1, 1], counts.loc[0, 0], one)
    assert row["again"] == pytest.approx(200 * row["both"] / (2 * row["both"] + one))
    assert row["points"] == pytest.approx(100 * (row["both"] + row["none"]) / counts.to_numpy().sum())


# 5_reasoning_tokens: the committed numbers

CLAIMS = {claim.id: claim for claim in read_claims(paths.COMMITTED)}

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
    table = pd.read_csv(paths.COMMITTED / "hle/reasoning_times.csv").set_index("model")
    for model, run in (("o4-mini", "openai_o4-mini_openai"), ("Grok-4", "x-ai_grok-4_x-ai")):
        both = counted[counted["run"] == run].merge(plain, on="id", suffixes=("", "_plain"))
        assert table.loc[model, "questions"] == len(both)
        assert table.loc[model, "times"] == pytest.approx(both["tokens"].sum() / both["tokens_plain"].sum())
    assert CLAIMS["hle/claim_reasoning_tokens"].estimate == pytest.approx(table["times"].min())


def test_the_calibration_error_is_that_of_hles_public_code(rows):
    part = rows[rows["run"] == "openai_gpt-5-nano_openai"].dropna(subset=["exact_original_key", "stated_confidence"])
    sure = in_hundredths(part["stated_confidence"]).to_numpy()
    order = np.argsort(sure, kind="stable")
    sure, right = sure[order], part["exact_original_key"].to_numpy()[order]
    total = 0.0
    for low in range(0, 100 * (len(sure) // 100 - 1), 100):  # HLE's code leaves out the last bin
        those = slice(low, low + 100)
        total += 100 / len(sure) * (sure[those].mean() - right[those].mean()) ** 2
    made = CLAIMS["hle/5_calibration"]
    assert made.n == len(sure) and made.estimate == pytest.approx(100 * np.sqrt(total))


def test_the_longer_of_two_answers_is_counted_on_the_questions_of_which_one_is_right(rows):
    longer = total = 0
    for name in ("gpt-5", "gpt-5-mini", "o4-mini"):
        two = rows[rows["run"].isin([f"openai_{name}_openai", f"openai_{name}_azure"])]
        wide = two.pivot(index="id", columns="run", values=["exact_original_key", "tokens"]).dropna()
        one = wide[wide["exact_original_key"].sum(axis=1) == 1]
        ahead = np.diff(one["tokens"], axis=1) * np.diff(one["exact_original_key"], axis=1)
        longer, total = longer + (ahead > 0).sum() + (ahead == 0).sum() / 2, total + len(one)
    made, exact = CLAIMS["hle/5_same_question"], binomtest(int(longer), total).proportion_ci()
    assert made.estimate == pytest.approx(100 * longer / total)
    assert (made.low, made.high) == pytest.approx((100 * exact.low, 100 * exact.high), abs=1)
