"""KINA's notebooks with the quick parameters: their numbers, counted again by hand, pandas, scipy and statsmodels."""

import asyncio
import json
import math
import re
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from proctor import logs, paths
from proctor.data.published import load_published
from proctor.exam import recorded as exam_recorded
from proctor.kina import simulated
from proctor.models.session import Session
from proctor.stats.simulate import choose
from scipy.special import logit
from scipy.stats import kendalltau, linregress, norm, spearmanr
from statsmodels.formula.api import ols

# 1_population and your_coverage


def test_anchors_win_the_proxy_and_lose_the_population_and_quotas_give_some_of_it_back(read, claim):
    approval = read("kina/topic_approval").set_index("approval")
    anchors, quotas = approval.loc["by anchors"], approval.loc["by anchors, with quotas"]
    assert approval["proxy"].idxmax() == "by anchors" and approval["population"].idxmin() == "by anchors"
    assert anchors["without_items"] > 0 == quotas["without_items"]
    assert quotas["population"] > anchors["population"] and quotas["least_tested"] > 0.2
    gain = anchors["population"] - approval.loc["nobody is asked", "population"]
    assert claim("kina/1b_topic_approval.anchors").estimate == pytest.approx(100 * gain)


def test_shares_of_represented_items_are_those_of_cosines_counted_word_by_word(read):
    lines = (paths.ROOT / "data/examples/exam_questions.jsonl").read_text().splitlines()
    texts = {row["id"]: re.findall(r"\w+", row["question"].casefold()) for row in map(json.loads, lines)}
    terms = {name: Counter(words) + Counter(zip(words, words[1:])) for name, words in texts.items()}
    within = Counter(term for counts in terms.values() for term in counts)
    rarity = {term: 1 + math.log((1 + len(terms)) / (1 + seen)) for term, seen in within.items()}
    weights = {name: {term: n * rarity[term] for term, n in counts.items()} for name, counts in terms.items()}

    def cosine(one, other):
        dot = sum(weight * other.get(term, 0) for term, weight in one.items())
        return dot / math.hypot(*one.values()) / math.hypot(*other.values())

    table = read("kina/your_coverage_table")
    near = pd.DataFrame({name: [cosine(weights[name], other) for other in weights.values()] for name in table["item"]})
    assert table["reached"].to_numpy() == pytest.approx(near.cummax(axis=1).mean().to_numpy())


# 2_tournament and 2_payment


def test_flat_pay_costs_two_hasty_hours_over_the_chance_of_a_good_release(done, given, printed, claim):
    flat = 2 / (1 - 0.8**2)
    above = (2 * 2 + 0.5) / (1 - 0.2**2)  # the bonus is part of what keeps both reviewers; an audit an item
    said = printed(done("kina/2_payment"))
    assert f"'flat': {flat:.2f}" in said and f"'above': {above:.2f}" in said
    assert claim("kina/2b_cost.above").estimate == pytest.approx(above - flat)
    # pacts end where the pair gains by work what it saves by haste: both hasty, two hours are saved for a bonus that is
    # likelier by 0.96 - 0.36; one hasty, one hour, 0.96 - 0.84
    assert f"hasty_pact': '{2 / 0.6 / 10:.0%}'" in said and f"sharing_pact': '{1 / 0.12 / 10:.0%}'" in said
    drawn = claim("kina/2b_collusion.drawn")
    assert drawn.n == 5 * given("kina/2_payment")["games"] and drawn.low < 0 < drawn.high


def test_needed_bonuses_rise_with_the_other_reviewers_skill(read):
    found = read("kina/incentive_threshold")
    alike = found[(found["own"] == "typical") & (found["other"] == "typical")]
    assert alike["threshold"].tolist() == pytest.approx([1 / 0.555, 1 / 0.375]) and len(found) == 18
    highest = found.groupby(["own", "other"])["threshold"].max()["novice"]
    assert highest["expert"] > highest["typical"] > highest["novice"]


HASTY, DILIGENT = (0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)  # the assumed numbers of 2_tournament


def test_threshold_printed_is_cost_over_the_rise_of_the_winning_chance_and_drawn_gains_lie_by_it(done, printed, claim):
    def wins(own, other):  # clears level 2, and is better; a tie counts half
        return sum(own[q] * (sum(other[:q]) + other[q] / 2) for q in (2, 3))

    hasty, diligent = (1 / (wins(DILIGENT, other) - wins(HASTY, other)) for other in (HASTY, DILIGENT))
    said = f"threshold {hasty:.2f} against a hasty, {diligent:.2f} against a diligent other"
    assert said in printed(done("kina/2_tournament"))
    for part, exact in (("drawn_pays", 0.1), ("drawn_fails", -0.1)):  # 10 % above and below it, at a cost of one hour
        made = claim(f"kina/claim_tournament.{part}")
        assert made.low < exact < made.high


def test_hasty_equilibria_are_those_of_flat_pay_per_item_pay_and_agreement(read):
    rows = read("kina/lazy_agreement")
    found = rows.groupby("mechanism")["share_diligent"].agg(["min", "max", "size"]).T.to_dict("list")
    assert found["flat"] == found["per item"] == found["agreement, bonus 4"] == [0, 0, 1]
    assert found["agreement, bonus 20"] == [0, 1, 3] and found["tournament, above"] == [1, 1, 1]
    assert 0 < found["tournament, below"][1] < 1
    ends = rows.query("share_diligent in (0, 1)").groupby("share_diligent")[["alike", "good_release"]]
    by_hand = [[0.8 + 0.2 * (0.8**2 + 0.2**2), 1 - miss**2] for miss in (0.8, 0.2)]  # alike, but for what they release
    for values in (ends.min(), ends.max()):
        assert values.to_numpy() == pytest.approx(np.array(by_hand))


# 3_leaderboard and 3_subject_profiles


@pytest.fixture(scope="module")
def tiers(read):
    return read("kina/simulated_tiers", keep_default_na=False, na_values=[""])


def test_board_ranks_42_models_by_what_is_printed_and_assumed_but_for_luck(tiers):
    assert tiers["rank"].tolist() == tiers["accuracy"].rank(method="min", ascending=False).astype(int).tolist()
    assert len(tiers) == 42 and tiers["rank"].is_monotonic_increasing and tiers["model"].is_unique
    printed = load_published("kina/leaderboard")["accuracy_value"].dropna()
    assert sorted(tiers["printed"].dropna()) == sorted(printed)
    wanted = np.array([53.17, 49.92, 48.55, *np.linspace(45, 38, 25), *np.linspace(20, 11, 14)])
    called = tiers["model"].str.extract(r"at ([\d.]+) %")[0].astype(float)
    assert np.sort(called)[::-1] == pytest.approx(wanted, abs=0.051)
    assert tiers["accuracy"].to_numpy() == pytest.approx(called.to_numpy(), abs=3)
    quarters = tiers["accuracy"] * 4 * 899 / 100
    assert np.allclose(quarters, np.rint(quarters), atol=1e-6)  # four answers to each of 899 items


def test_ranks_by_itself_are_those_of_other_resamples_of_the_same_board(tiers):
    models = simulated.simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    settings = dict(samples=4, difficulty_sd=2.0, interaction_sd=1.0)
    (board,) = simulated.draw_exams(models["accuracy"], 1, np.random.default_rng(20260101), **settings)
    drawn = np.random.default_rng(1).multinomial(899, np.full(899, 1 / 899), 1000) @ board.T
    rank = pd.DataFrame(drawn, columns=models["model"]).rank(axis=1, ascending=False, method="min")
    found = tiers.set_index("model").loc[models["model"]]
    assert found["p_top10"].to_numpy() == pytest.approx((rank <= 10).mean().to_numpy(), abs=0.06)
    for name, share in (("rank_low", 0.025), ("rank_high", 0.975)):
        assert found[name].to_numpy() == pytest.approx(rank.quantile(share).to_numpy(), abs=2)


def test_a_border_stands_where_a_tier_ends_and_says_what_it_separates(tiers):
    ends = np.diff(tiers["tier"]) > 0
    border = tiers["border"].fillna("").to_numpy()[:-1]
    assert ((border != "") == ends).all()
    told_apart = tiers["gap_low"].to_numpy()[:-1] > 0
    assert (told_apart[ends] == (border[ends] == "separates its neighbours")).all()
    assert (border == "separates nothing").sum() > 0


def test_the_own_part_of_a_profile_is_what_an_additive_model_leaves(given, claim):
    """A recount by least squares: points that model and subject together do not explain."""
    models = simulated.simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    n_exams = given("kina/3_subject_profiles")["exams"]
    exams = simulated.draw_exams(
        models["accuracy"], n_exams, np.random.default_rng(20260101), samples=4, difficulty_sd=2.0, interaction_sd=1.0
    )
    subject, ranges = np.arange(899) % 261 % 12, []
    for scores in exams:
        best = pd.DataFrame(100 * scores).assign(mean=scores.mean(axis=1)).nlargest(10, "mean").drop(columns="mean")
        cells = best.T.groupby(subject).mean().melt(ignore_index=False, var_name="model").rename_axis("subject")
        own = ols("value ~ C(model) + C(subject)", cells.reset_index()).fit().resid
        ranges.append(np.ptp(own.to_numpy().reshape(10, 12), axis=1).mean())
    assert claim("kina/3b_subject_scores").estimate == pytest.approx(np.mean(ranges))


# 4_scaling_cost_tools

MILLIONS = {"smollm2-135m": 134.5, "qwen2.5-coder-0.5b": 494.0, "qwen2.5-coder-1.5b": 1543.7}


@pytest.fixture(scope="module")
def answers():
    """The recorded answers, and those in steps."""

    async def replay():
        async with Session("replay", progress=False) as session:
            return await exam_recorded.answers(session), await exam_recorded.worked_answers(session)

    return asyncio.run(replay())


def test_slopes_are_those_of_a_line_through_the_recorded_accuracies(read, answers, claim):
    slopes, (first, worked) = read("kina/scaling_slopes").set_index("exam")["slope"], answers
    easy = first[first["level"] == 1]
    for exam, part in {"": first, ", level 1": easy, ", level 1, in steps": worked}.items():
        accuracy = 100 * part.groupby("model")["correct"].mean()[list(MILLIONS)]
        line = linregress(np.log10(list(MILLIONS.values())), accuracy)
        assert slopes[f"generated{exam}"] == pytest.approx(line.slope)
    wanted, made = slopes["generated, level 1, in steps"] - slopes["generated, level 1"], claim("kina/4_slope_in_steps")
    assert made.estimate == pytest.approx(wanted) and made.n == 27 and made.of == "families of questions"


def test_costs_of_a_right_answer_are_a_recount(read, answers, claim):
    costs = read("kina/cost_table").set_index("model")
    for model, part in answers[0].groupby("model"):
        tokens, right = part[["prompt_tokens", "completion_tokens"]].sum(axis=1), part["correct"].sum()
        each = MILLIONS[model] / 1000 * tokens.sum() / right if right else np.inf
        assert costs.loc[model, "each_right"] == pytest.approx(each)
        if not right:  # bounded from below, by the exact upper limit of 0 of 27 families
            most = 1 - 0.025 ** (1 / 27)
            assert costs.loc[model, "low"] == pytest.approx(MILLIONS[model] / 1000 * tokens.mean() / most, rel=0.01)
            assert np.isinf(costs.loc[model, "high"]) and model == "smollm2-135m"
    ratio = costs.loc["qwen2.5-coder-1.5b", "each_right"] / costs.loc["qwen2.5-coder-0.5b", "each_right"]
    assert claim("kina/4_cost_per_right_answer").estimate == pytest.approx(ratio)


def test_the_luck_of_five_gains_is_that_of_drawn_ones(claim):
    drawn = np.random.default_rng(0).standard_normal((200_000, 5))
    chance = 100 * (abs(100 * np.sqrt(0.4 / 899) * drawn).max(axis=1) >= 5.17).mean()
    assert claim("kina/claim_tool_gain.largest").estimate == pytest.approx(chance, abs=0.2)
    spread = 100 * np.sqrt(0.2 / 899) * np.ptp(drawn, axis=1).mean()
    assert claim("kina/claim_tool_gain.spread").estimate == pytest.approx(spread, rel=0.01)


# 5_how_many_items and 6_items


def test_gaps_are_differences_of_printed_scores_and_the_smallest_is_seen_with_the_planned_chance(read, claim):
    gaps = read("kina/lead_gaps_table")
    assert gaps["gap"].tolist() == [6.2, 3.8, 3.25, 1.37, 2.9, 1.2, 1.4, 3.5]
    below = [100 * 2.8016 * (0.15 / (n + 2.8016**2)) ** 0.5 > gap for n, gap in zip(gaps["items"], gaps["gap"])]
    assert sum(below) == claim("kina/5_lead_gaps").estimate == 5
    row, gap = gaps.set_index(["exam", "gap"]).loc[("KINA", 3.25)], 0.0325  # in McNemar's setting
    differ = 1 - row["agree"] / 100
    drawn = np.random.default_rng(0).multinomial(899, [(differ + gap) / 2, (differ - gap) / 2, 1 - differ], 4000)
    seen = (drawn[:, 0] - drawn[:, 1]) / 899 > 1.96 * np.sqrt((differ - gap**2) / 899)
    assert seen.mean() == pytest.approx(0.8, abs=0.03)


def test_claims_on_recorded_replies_count_items_and_questions_and_not_audits(claim, read):
    named, still = (claim(f"kina/6b_auditors.{part}") for part in ("named", "still_broken"))
    assert (named.n, named.of) == (still.n, still.of) == (6, "items")
    broken = read("kina/refinement_models").query("defect == 'leaning stem'")["rules_broken_after"].sum()
    assert still.estimate == pytest.approx(100 * broken / 18)
    vote, kept = claim("kina/6b_filters.consensus"), read("kina/filters").set_index("items")["kept"]
    assert vote.estimate == pytest.approx(100 * (kept["right keys"] - kept["wrong keys"]) / 27)
    assert vote.n == 27 and vote.of == "families of questions" and vote.low < 0 < vote.high


# 8_real_leaderboards


@pytest.fixture(scope="module")
def board(needs_logs):
    needs_logs("swe_bench_verified", "gsm8k", "gso", "terminal_bench_2")
    return logs.outcomes("swe_bench_verified")


def test_the_leader_and_its_rivals_are_those_of_the_table_and_boards_are_counted_as_pandas_counts(read, board, claim):
    found, made = read("kina/real_board"), claim("kina/8_leader")
    assert found["accuracy"].tolist() == pytest.approx(sorted(100 * board.mean(), reverse=True))
    assert (made.low, made.high) == (1, found.loc[0, "set_high"]) and made.n == len(board) == 500
    assert "18 of 133" in made.finding or 10 < made.high < 30  # the set moves a little with the resamples
    boards = read("kina/real_boards").set_index("board")
    for name, one in (("GSM8K", "gsm8k"), ("GSO", "gso")):
        solved = logs.outcomes(one).mean(axis=1)
        counts = [(solved == 0).sum(), (solved == 1).sum()]
        assert boards.loc[name, ["solved_by_none", "solved_by_all"]].tolist() == counts
    assert (boards["not_told"] + 1 <= boards["systems"]).all() and boards["told_pairs"].between(0, 1).all()


def test_luck_of_the_run_is_that_of_the_trials(board, claim):
    successes, trials = logs.trials("terminal_bench_2")
    kept = (trials >= 2).all()
    s, t = successes.loc[:, kept], trials.loc[:, kept]
    within, mean = (s * (t - s) / (t * (t - 1))).stack().mean(), (s / t).mean()
    assert claim("kina/8_run_luck").estimate == pytest.approx(100 * within / (mean * (1 - mean)).mean())


def test_the_visible_gap_is_seen_with_chance_four_fifths(board, claim):
    scores = board.to_numpy(float).T
    best = np.argsort(-scores.mean(axis=1), kind="stable")[:10]
    spread = np.median([np.std(scores[a] - scores[b], ddof=1) for a, b in combinations(best, 2)])
    gap = claim("kina/8_visible_gap").estimate / 100
    assert norm.sf(1.96 - gap / (spread / np.sqrt(500))) == pytest.approx(0.8, abs=1e-3)


def test_near_twins_correlate_and_items_are_chosen_on_earlier_systems_only(read, board):
    found = read("kina/real_twins").query("board == 'SWE-bench Verified'")
    alike = board.corr().to_numpy()[np.triu_indices(board.shape[1], 1)]
    assert len(found) == (alike >= 0.9).sum()
    order = np.argsort(board.columns.str[:8].to_numpy(), kind="stable")
    earlier, later = (board.iloc[:, part] for part in np.array_split(order, 2))
    chosen = choose(earlier.to_numpy(float).T, "information", np.random.default_rng(0))[:200]
    tau = kendalltau(later.iloc[chosen].sum(), later.mean()).statistic
    assert read("kina/real_few_items").set_index("items").loc[200, "information"] == pytest.approx(tau)


# 9_frontier_boards


@pytest.fixture(scope="module")
def mmlu_pro(needs_logs):
    """The items without a twin."""
    needs_logs("mmlu_pro")
    table = logs.table("mmlu_pro").set_index("item")
    return table[table["twin_of"].isna()]


@pytest.fixture(scope="module")
def ten_best(mmlu_pro):
    """The outcomes of the ten best systems on the items that all answered, and these items' categories."""
    table = mmlu_pro.drop(columns=["twin_of", "DeepSeek-Coder-V2"]).dropna()
    return table[table.iloc[:, 4:].mean().astype(float).nlargest(10).index].astype(float), table["category"]


def test_slopes_are_those_of_a_regression_over_the_logarithm_of_size_and_the_rise_their_difference(
    read, mmlu_pro, claim
):
    found = read("kina/frontier_slopes").set_index(["board", "family"]).loc["MMLU-Pro"]
    share = mmlu_pro.query("common == 1")[["Llama-2-7b-hf", "Llama-2-13b-hf", "Llama-2-70b-hf"]].mean()
    for column, name, values in (("slope", "llama", 100 * share), ("log_odds", "log_odds", logit(share))):
        assert found.loc["Llama-2", column] == pytest.approx(linregress(np.log10([7, 13, 70]), values).slope)
        rise = found.loc["Llama-3", column] - found.loc["Llama-2", column]
        assert claim(f"kina/9_slope.{name}").estimate == pytest.approx(rise)


def test_an_exam_of_899_items_agrees_with_the_other_items_as_scipy_counts(read, mmlu_pro):
    rng, found, items = np.random.default_rng(0), [], mmlu_pro.query("common == 1").iloc[:, 5:]
    for _ in range(60):
        exam = pd.Series(rng.permutation(len(items)) < 899, items.index)
        rest = items[~exam].mean().sort_values(ascending=False).index[:10]
        kept = items[exam].mean().nlargest(10).index.intersection(rest)
        found.append((len(kept), kendalltau(items.loc[exam, rest].mean(), items.loc[~exam, rest].mean()).statistic))
    row = read("kina/frontier_budget").set_index("items").loc[899]
    assert row["kept"] == pytest.approx(np.mean(found, axis=0)[0], abs=0.3)
    assert row["tau"] == pytest.approx(np.mean(found, axis=0)[1], abs=0.04)


def test_profiles_of_odd_and_even_items_agree_where_they_are_said_to_repeat(ten_best, claim):
    best, category = ten_best
    halves = [100 * best.iloc[start::2].groupby(category.iloc[start::2]).mean() for start in (0, 1)]
    one, other = (half.sub(half.mean(axis=1), axis=0).sub(half.mean()).stack() for half in halves)
    made = claim("kina/9_profiles")
    assert made.n == len(best) and spearmanr(one, other).statistic > 0.5
    assert made.estimate == pytest.approx(np.corrcoef(one, other)[0, 1], abs=0.1)


def test_the_overlap_is_a_count_of_solvers_and_of_independent_draws(read, ten_best):
    best, category = ten_best
    rng, drawn = np.random.default_rng(0), np.zeros(11)
    rates = best.groupby(category).transform("mean").to_numpy()
    for _ in range(20):
        drawn += np.bincount((rng.random(rates.shape) < rates).sum(axis=1), minlength=11)
    found = read("kina/frontier_overlap_table").set_index("solvers")
    counted = 100 * best.sum(axis=1).value_counts(normalize=True).sort_index()
    assert found["items"].to_numpy() == pytest.approx(counted.to_numpy(float))
    assert found["independent"].to_numpy() == pytest.approx(100 * drawn / drawn.sum(), abs=0.3)


# your_leaderboard (on a board of one's own: test_own_data.py)


def test_the_example_is_read_back_and_a_border_that_separates_nothing_lies_among_models_not_told_apart(read):
    example, given = read("kina/own_leaderboard"), pd.read_csv(paths.ROOT / "data/examples/leaderboard.csv")
    assert len(example) == 14 and example["model"].isin(given.columns).all()
    assert example["accuracy"].to_numpy() == pytest.approx(100 * given[example["model"]].mean().to_numpy())
    after = np.flatnonzero(example["border"] == "separates nothing")[0]  # the row above the first such border
    low, high = (int(place) for place in example["not_told_apart"][after].split(", ")[-1].split("-"))
    assert low <= after + 2 <= high  # places count from 1
