"""HLE-Verified's notebooks with the quick parameters: their numbers, counted again from the paper, our exam and the logs."""

import json
import math
from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, logs, paths
from proctor.data.published import load_published
from proctor.hle_verified.planted_defects import component_of, damaged_exam
from proctor.recordings.examples import simulated_exam
from proctor.report.claims import read_claims
from proctor.stats.proportions import clopper_pearson
from scipy.stats import binomtest, kendalltau, mannwhitneyu, norm
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

# 1_protocol


@pytest.fixture(scope="module")
def records(done):
    """`records("audit_trail")`: the lines of a file that the notebook wrote."""
    folder = done("hle_verified/1_protocol") / "figures/hle_verified"
    return lambda name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_every_item_ends_once_its_trail_leads_there_and_its_record_says_what_changed(records):
    items = {item.id: item for item in damaged_exam()[0]}
    released = records("released_exam")
    assert [record["id"] for record in released] == list(items)
    routed = {line["item"]: line["status"] for line in records("audit_trail") if line["step"] == "routing"}
    assert routed == {record["id"]: record["status"] for record in released}
    for record in released:
        for part, field in dict(problem="question", answer="answer", rationale="rationale").items():
            assert record["before"].get(part, record[part]) == getattr(items[record["id"]], field)
        open_ones = {bool(record["uncertainty_source"]), bool(record["required_expertise"])}
        assert open_ones == {record["status"] == "uncertain"}


def test_what_became_of_the_items_is_recounted_from_the_released_exam(records, read):
    counts = read("hle_verified/outcomes", keep_default_na=False).set_index(["experts", "component"])
    assert set(counts.sum(axis=1).groupby("experts").sum()) == {50}
    truths, ended, panel = damaged_exam()[1], {}, "panel, most must accept"
    for record in records("released_exam"):
        defect = truths[record["id"]].defect
        ended.setdefault(component_of(defect) if defect else "none", []).append(record["status"])
    for component, statuses in ended.items():
        row, which = counts.loc[panel, component].astype(int), "sound" if component == "none" else "damaged"
        taken = row["sound, kept" if which == "sound" else "damaged, taken for gold"]
        assert (taken, row[f"{which}, left open"]) == (statuses.count("gold"), statuses.count("uncertain"))
        assert row.sum() == len(statuses)
    gold = [record["id"] for record in records("released_exam") if record["status"] == "gold"]
    bad = sum(False in (truths[item].holds["problem"], truths[item].holds["answer"]) for item in gold)
    row = read("hle_verified/gold_damage").set_index("experts").loc[panel]
    assert row[["gold", "damaged"]].tolist() == [len(gold), bad]
    assert (row["damaged_low"], row["damaged_high"]) == pytest.approx(clopper_pearson(bad, len(gold)))


def test_inclusion_rules_are_those_of_every_reviewer_counted_out(read):
    """All 2^5 verdicts on an item of each class, summed by hand."""
    rules = read("hle_verified/inclusion_rules").set_index(["case", "quorum"])
    share, accept = {"easy": 0.35, "hard": 0.35, "flawed": 0.3}, {"easy": 0.95, "hard": 0.75, "flawed": 0.3}
    inside = dict.fromkeys(share, 0.0)
    for said in product((0, 1), repeat=5):
        if sum(said) >= 4:
            for kind, p in accept.items():
                inside[kind] += share[kind] * math.prod(p if yes else 1 - p for yes in said)
    row = rules.loc[("hard items doubted more", 4)].astype(float)
    assert row["size"] == pytest.approx(sum(inside.values()))
    assert row["coverage"] == pytest.approx((inside["easy"] + inside["hard"]) / 0.7)
    assert row["accuracy"] == pytest.approx((0.9 * inside["easy"] + 0.3 * inside["hard"]) / sum(inside.values()))


# 2_cases and 2_defects


def test_the_sizes_of_the_join_are_all_that_a_search_over_every_size_finds(claim):
    a, b = np.meshgrid(np.arange(1, 465), np.arange(1, 465))
    found = 0
    for buffer in range(3, 103):
        cost = np.minimum(a + np.ceil(a / (buffer - 2)) * b, b + np.ceil(b / (buffer - 2)) * a)
        found += int(((cost == 465) & (a <= b)).sum())
    assert claim("hle_verified/2c_join_is_open").n == found


def prints(k, n):
    return str((100 * Decimal(int(k)) / int(n)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_limits_of_figures_5_and_6_leave_room_for_all_items(read):
    limits = read("hle_verified/fig_5_counts")
    for suffix, items in (("", 2500), ("_not_gold", 1832)):
        ends = limits[[f"least{suffix}", f"most{suffix}"]].groupby(limits["component"]).sum()
        assert (ends.iloc[:, 0] <= items).all() and (ends.iloc[:, 1] >= items).all()
        assert (limits[f"least{suffix}"] <= limits[f"most{suffix}"]).all()
    valid = limits[limits["label"] == "valid"].set_index("component")  # gold items come off these
    for end in ("least", "most"):
        assert (valid[end] - valid[f"{end}_not_gold"])[["problem", "answer"]].tolist() == [668, 668]
    assert valid.loc["rationale", "least_not_gold"] == 0
    limits = read("hle_verified/fig_6_limits", keep_default_na=False)
    sums = limits.groupby(["subject", "component"]).agg({"least": "sum", "most": "sum", "items": "first"})
    assert (sums["least"] <= sums["items"]).all() and (sums["items"] <= sums["most"]).all() and len(limits) == 72
    exact = limits[limits["printed"] != ""]
    assert len(exact) == 13 and all(prints(row.least, row.items) == row.printed for row in exact.itertuples())
    assert ((exact["most"] - exact["least"]) <= 1).all()


def test_smallest_counts_of_table_1_print_as_the_paper_does_and_no_smaller_ones_do(read):
    table = read("hle_verified/table_1", dtype=str)
    assert len(table) == 15
    for row in table.itertuples():
        k, n = map(int, row.smallest.split(" of "))
        assert prints(k, n) == row.percent
        assert not any(prints(i, m) == row.percent for m in range(1, n) for i in range(m + 1))


def test_the_title_of_figure_6_says_no_more_than_its_limits(done, read):
    limits = read("hle_verified/fig_6_limits", keep_default_na=False).query("component == 'rationale'")
    sure = limits[2 * limits["least"] > limits["items"]].groupby("label")["subject"].agg(set)
    assert sure["invalid"] == {"Math", "Biology/Medicine", "Chemistry"}
    assert sure["uncertain"] == {"Physics", "Engineering", "Humanities/Social Science", "Other"}
    record = json.loads((done("hle_verified/2_defects") / "figures/hle_verified/fig_6.json").read_text())
    assert "elsewhere" not in record["claim"] and "Chemistry" in record["claim"]


# 3_remeasurement


@pytest.fixture(scope="module")
def published():
    return load_published("hle_verified/table_2").set_index("model")


def test_gains_of_the_text_that_are_not_those_of_the_table_are_the_ones_found_by_hand(read):
    table = read("hle_verified/table_2", dtype=str)
    assert len(table) == 14 and (table["table_agrees"] == "True").all()
    differ = table[table["agrees"] == "False"]
    assert dict(zip(differ["model"] + ", " + differ["set"], differ["text"])) == {
        "Gemini3-pro, full set": "7.58",
        "Claude-Opus4.5, full set": "8.68",
        "Grok 4.1-fast-reasoning, full set": "9.26",
        "Claude-Opus4.6, full set": "7.75",
        "Deepseek-V3.2, full set": "10.79",
        "Qwen3-Max-Thinking, full set": "8.92",
        "Claude-Opus4.5, revised subset": "32.94",
    }
    assert table[table["agrees"].isna()]["model"].tolist() == ["Qwen3-Max-Thinking"]  # subset: not quoted


def test_the_parts_of_the_exam_make_up_the_whole_with_one_share_for_five_models(read, published):
    parts = read("hle_verified/decomposition").set_index("model")
    fitting = parts[parts["fits"]]
    assert set(parts.index) - set(fitting.index) == {"Deepseek-V3.2", "Qwen3-Max-Thinking"}
    share = (fitting["share_low"].max() + fitting["share_high"].min()) / 2
    assert fitting["share_low"].max() <= share <= fitting["share_high"].min()
    for state, column in (("before", "raw"), ("after", "verified")):
        whole = share * published[f"subset_{column}_accuracy_value"] + (1 - share) * parts[f"rest_{state}"]
        assert (whole - published[f"full_{column}_accuracy_value"]).abs().max() < 0.002
    explained = share * published["subset_gain_value"] / published["full_gain_value"]
    assert (explained - parts["explained"]).abs().max() < 0.001


def test_calibration_errors_fall_by_about_the_gain_of_accuracy(read, published):
    errors = read("hle_verified/calibration")
    for name, column in (("full set", "full"), ("revised subset", "subset")):
        part = errors[errors["set"] == name].set_index("model")
        fall = published[f"{column}_raw_calibration_value"] - published[f"{column}_verified_calibration_value"]
        assert (part["fall"] == fall).all() and (fall > 0).all()
        assert (part["remainder"] - (fall - published[f"{column}_gain_value"])).abs().max() < 1e-9


def test_an_eighth_model_at_the_ends_keeps_the_mean_in_the_claimed_range(read):
    average = read("hle_verified/average_gains").set_index("set")
    assert average["mean"].round(2).tolist() == [9.02, 34.39]
    for end, claimed in (("least", "low"), ("most", "high")):
        mean = (7 * average["mean"] + average[f"eighth_{end}"]) / 8
        assert mean.tolist() == pytest.approx(average[f"claimed_{claimed}"].tolist())


# 4_corrections and 4_noise


def test_corrections_move_the_observed_share_towards_the_truth(read):
    table = read("hle_verified/corrections").set_index("correction")
    judged = table.loc["Rogan-Gladen, jeffreys"]
    assert judged["observed"] > judged["truth"] and judged["estimate"] < judged["observed"]
    keyed = table.loc["wrong keys, audit of 60"]
    assert keyed["estimate"] == pytest.approx(keyed["observed"] / (1 - 12 / 60))
    broken = read("hle_verified/correction_failures").set_index(["broken", "value"])
    moved = broken.loc["sensitivity here", "rogan_gladen"].sort_index()
    assert moved.is_monotonic_increasing and moved.iloc[0] < 0.6 and (broken["ppi"] > 0.85).all()


def test_the_worst_cell_of_each_method_is_in_the_table_of_all(read):
    cells = read("hle_verified/correction_coverage_table").groupby("method")["held"].min()
    worst = read("hle_verified/correction_worst").set_index("method")
    assert worst["held"].to_dict() == pytest.approx(cells.to_dict())
    assert worst.loc["bootstrap", "high"] < 0.9 and worst.loc["Wilson", "high"] < 0.2


def test_five_rollouts_take_away_the_luck_of_answers_only(read):
    rolls = read("hle_verified/rollouts").set_index(["rollouts", "keys"])
    assert rolls.loc[5, "sd_of_answers"].to_numpy() * 5**0.5 == pytest.approx(rolls.loc[1, "sd_of_answers"].to_numpy())
    assert (rolls["sd_of_exam"] > rolls["sd_of_answers"]).all()
    lost = rolls["mean"].unstack()
    assert (lost["a fifth wrong"] / lost["sound keys"]).to_numpy() == pytest.approx([0.8, 0.8], abs=0.02)


def test_formulas_agree_with_the_simulated_exams(read):
    assert read("hle_verified/noise_accuracy_table")["z"].abs().max() < 4.5
    for table, most in (("noise_ranking_table", 0.13), ("pass_at_k", 0.02)):  # 300 exams
        rows = read(f"hle_verified/{table}")
        assert (rows["formula"] - rows["simulated"]).abs().max() < most


def test_the_chance_of_the_right_order_is_that_of_all_answers_and_keys(done, read):
    """Brute force over both answers, the key and which wrong option is met, for the last row: letters, 30 % wrong."""
    row = read("hle_verified/noise_ranking_table").query("answers == 'letters'").iloc[-1]
    record = json.loads((done("hle_verified/4_noise") / "figures/hle_verified/rollouts.json").read_text())
    e, n, differences, chances = row["wrong_keys"], record["parameters"]["n_items"], [], []
    for first, second, key in product(range(5), repeat=3):  # option 0 is right
        differences.append((first == key) - (second == key))
        answers = (0.43 if first == 0 else 0.57 / 4) * (0.40 if second == 0 else 0.60 / 4)
        chances.append(answers * (1 - e if key == 0 else e / 4))
    mean = np.dot(chances, differences)
    sd = np.sqrt(np.dot(chances, np.square(differences)) - mean**2)
    assert sum(chances) == pytest.approx(1) and row["gap"] == pytest.approx(mean)
    assert row["formula"] == pytest.approx(norm.cdf(mean / sd * np.sqrt(n)))


def test_implied_shares_of_wrong_keys_are_those_of_table_2(read, published):
    for row in read("hle_verified/implied_wrong_keys").itertuples():
        before, after = (published.loc[row.model, f"full_{when}_accuracy_value"] for when in ("raw", "verified"))
        assert row.share == pytest.approx(1 - before / after)
        assert row.lost / row.right_after == pytest.approx(row.share, abs=1e-3)


# 5_real_repairs


@pytest.fixture(scope="module")
def raw(needs_logs):
    needs_logs("mmlu_redux")
    return logs.table("mmlu_redux")


def test_gains_and_unsolved_items_are_what_pandas_counts(read, raw):
    table = read("hle_verified/real_gains").set_index("model")
    key = raw["repaired_keys"].where(raw["error_type"] != "ok", "").mask(lambda keys: keys == "", raw["original_key"])
    for model in table.index[:3]:
        right = [letter != "" and letter in keys for letter, keys in zip(raw[model], key)]
        assert table.loc[model, "after"] == pytest.approx(100 * sum(right) / len(raw))
        assert table.loc[model, "before"] == pytest.approx(100 * (raw[model] == raw["original_key"]).mean())
    none = raw.iloc[:, 5:].ne(raw["original_key"], axis=0).all(axis=1)
    counted = read("hle_verified/real_impossible").set_index("error_type")["impossible"]
    assert counted.to_dict() == raw["error_type"].where(none).value_counts().reindex(counted.index).to_dict()


def test_signals_are_what_votes_counted_one_by_one_give(read, raw):
    """AUC as the share of pairs that are ordered rightly, the review by a table sorted by hand."""
    found = read("hle_verified/real_signals").set_index(["signal", "target"]).loc[("against_key", "wrong_key")]
    keys = [repaired if kind != "ok" else "" for kind, repaired in zip(raw["error_type"], raw["repaired_keys"])]
    wrong = pd.Series([bool(new) and old not in new for old, new in zip(raw["original_key"], keys)])
    against = raw.iloc[:, 5:].ne(raw["original_key"], axis=0).sum(axis=1)
    wins = mannwhitneyu(against[wrong], against[~wrong]).statistic
    assert found["auc"] == pytest.approx(wins / (wrong.sum() * (~wrong).sum()))
    left, hits = round(0.05 * len(raw)), 0.0
    for score in sorted(against.unique(), reverse=True):
        at = against == score
        hits += wrong[at].sum() * min(left / at.sum(), 1)
        left -= min(left, int(at.sum()))
    assert found["found"] == pytest.approx(100 * hits / wrong.sum()) and found["targets"] == wrong.sum()


# 6_keys_of_hle and 6_wrong_key_signals


def model_of(run):
    return run.rpartition("_")[0]  # without its provider


@pytest.fixture(scope="module")
def items(needs_logs):
    """Those of the window, as numbers and text alone."""
    needs_logs("hle_repaired_items", "hle_repaired_answers")
    found = pd.read_csv(log_files.files("hle_repaired_items")[0]).query("in_window == 1 and text_only == 1")
    return found.assign(wrong=(found["key_changed"] == 1) & (found["answer_error"] != "A4"))


@pytest.fixture(scope="module")
def marks(items):
    """The answers with both marks to items without a new problem."""
    found = pd.read_csv(log_files.files("hle_repaired_items")[0].with_name("tidy.csv.gz"))
    found = found.merge(items.query("problem_changed == 0"), on="id").dropna(subset=[ORIGINAL, REPAIRED])
    return found.assign(model=found["run"].map(model_of))


ORIGINAL, REPAIRED = "exact_original_key", "exact_repaired_key"


def per_item(marks, column):
    """Mean over the models, each over its providers."""
    return 100 * marks.groupby(["id", "model"])[column].mean().groupby("id").mean()


def test_the_share_of_wrong_keys_has_the_exact_interval_of_scipy(items, claim):
    exact, made = binomtest(int(items["wrong"].sum()), len(items)).proportion_ci(), claim("hle_verified/6_wrong_keys")
    assert (made.n, made.estimate) == (275, pytest.approx(100 * items["wrong"].mean()))
    assert (made.low, made.high) == (pytest.approx(100 * exact.low), pytest.approx(100 * exact.high))


def test_each_run_gains_the_items_that_it_wins_less_those_that_it_loses(marks, read):
    table = read("hle_verified/keys_gains").set_index("run")
    for run, part in marks.groupby("run"):
        change = part[REPAIRED] - part[ORIGINAL]
        counts = [(change == 1).sum(), (change == -1).sum(), len(part), 100 * change.mean()]
        assert table.loc[run, ["won", "lost", "items", "gain"]].tolist() == pytest.approx(counts)


def test_mean_gains_and_the_ease_of_items_with_a_wrong_key_are_those_of_statsmodels(marks, claim):
    for name, part in (("6_gain", marks), ("6_changed", marks[marks["wrong"]])):
        gain, made = DescrStatsW(per_item(part, REPAIRED) - per_item(part, ORIGINAL)), claim(f"hle_verified/{name}")
        assert (made.n, made.estimate) == (int(gain.nobs), pytest.approx(gain.mean))
        assert (made.low, made.high) == pytest.approx(gain.tconfint_mean(), abs=0.12 * (made.high - made.low))
    one, other = (
        DescrStatsW(per_item(part, REPAIRED))
        for part in (marks[marks["wrong"]], marks.query("verified_class == 'gold'"))
    )
    made, limits = claim("hle_verified/6_easier"), CompareMeans(one, other).tconfint_diff(usevar="unequal")
    assert made.estimate == pytest.approx(one.mean - other.mean) and made.n == one.nobs + other.nobs
    assert (made.low, made.high) == pytest.approx(limits, abs=0.1 * (made.high - made.low))
    assert claim("hle_verified/6_circular").estimate == pytest.approx(100 * (1 - other.mean / one.mean))


def test_the_formula_divides_by_the_share_of_sound_keys_and_the_order_is_kendalls(marks, read, claim):
    table = read("hle_verified/keys_formula").set_index("model")
    for model, name in {"x-ai_grok-4": "Grok-4", "z-ai_glm-4.5": "GLM-4.5"}.items():
        part = marks[marks["model"] == model]
        error = part[REPAIRED].mean() - part[ORIGINAL].mean() / (1 - part["wrong"].mean())
        assert table.loc[name, "error"] == pytest.approx(100 * error)
    means = marks.groupby(["model", "id"])[[ORIGINAL, REPAIRED]].mean().groupby("model").mean()
    assert claim("hle_verified/6_order").estimate == pytest.approx(kendalltau(*means.to_numpy().T).statistic)


def test_signals_are_counted_anew_from_the_short_answers(items, needs_logs):
    """The committed ones."""
    needs_logs("hle_short_answers")
    made = {claim.id: claim for claim in read_claims(paths.COMMITTED)}
    used = items.query("problem_changed == 0 and verified_class != 'uncertain' and original_key_kind != 'other'")
    wrong = used.set_index("id")["wrong"].astype(int).sort_index()
    short = pd.read_csv(log_files.files("hle_short_answers")[0], dtype={"answer": str}, keep_default_na=False)
    ten = set(pd.read_csv(paths.COMMITTED / "hle_verified/keys_gains.csv")["run"])
    votes = defaultdict(Counter)
    short = short[short["id"].isin(wrong.index) & short["run"].isin(ten) & ~short["run"].str.startswith("z-ai")]
    providers = Counter(zip(short["id"], short["run"].map(model_of)))
    for item, run, answer, right in zip(short["id"], short["run"], short["answer"], short[ORIGINAL]):
        if right == "1" or answer:
            votes[item]["key" if right == "1" else answer] += 1 / providers[item, model_of(run)]
    assert set(votes) == set(wrong.index) and len(wrong) == made["hle_verified/6_agreement"].n
    cast = [votes[item] for item in wrong.index]
    other = [max((n for a, n in one.items() if a != "key"), default=0) / sum(one.values()) for one in cast]
    apart = [1 - max(one.values()) / sum(one.values()) for one in cast]
    for name, score in (("6_agreement", np.round(other, 9)), ("6_disagreement", np.round(apart, 9))):
        pairs = mannwhitneyu(score[wrong == 1], score[wrong == 0]).statistic
        area = pairs / (wrong.sum() * (1 - wrong).sum())
        assert made[f"hle_verified/{name}"].estimate == pytest.approx(area, abs=0.005)


# your_exam


def test_scores_under_old_and_repaired_keys_and_without_the_excluded_items_are_counted_again(read):
    table = read("hle_verified/your_exam_rescored").set_index(["system", "keys"])
    answers, decisions = simulated_exam()
    old = answers["key"]
    new = answers["item"].map(decisions.set_index("id")["answer"]).replace("", np.nan).fillna(old)
    kept = ~answers["item"].isin(decisions.loc[decisions["decision"] == "excluded", "id"])
    for system in answers.columns[2:]:
        right = answers[system] == new
        expected = [(answers[system] == old).mean(), right.mean(), right[kept].mean()]
        mine = table.loc[system]
        assert mine["accuracy"].to_numpy() == pytest.approx(100 * np.array(expected))
        assert mine.loc["repaired", "gain"] == pytest.approx(mine["accuracy"].diff()["repaired"])
    assert table["set_low"].le(table["rank"]).all() and table["rank"].le(table["set_high"]).all()
