"""The notebooks over all papers with the quick parameters: their numbers, counted again by searches of these tests."""

import asyncio
import json
import re
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.cbu import candidates
from proctor.data.published import load_published
from proctor.models.session import Session
from proctor.report.claims import read_claims, verdict
from proctor.stats.proportions import clopper_pearson, wilson
from proctor.workflow import receipts
from proctor.workflow.notebook import Notebook, all_notebooks
from scipy import stats

# 0_bootstrap


@pytest.fixture(scope="module")
def coverage(read):
    return read("synthesis/coverage_table").set_index(["method", "n", "p"])["coverage"].sort_index()


@pytest.mark.parametrize("method, interval", [("Wilson", wilson), ("Clopper-Pearson", clopper_pearson)])
def test_coverage_agrees_with_the_exact_sum_over_counts(coverage, claim, method, interval):
    exact = {}
    for (n, p), simulated in coverage[method].items():
        k = np.arange(n + 1)
        held = np.array([low <= p <= high for low, high in (interval(i, n) for i in k)])
        exact[n, p] = stats.binom.pmf(k, n, p)[held].sum()
        assert abs(simulated - exact[n, p]) < 4 * np.sqrt(exact[n, p] * (1 - exact[n, p]) / 5000) + 1e-3
    assert claim(f"synthesis/0_closed_form.{method}").estimate == pytest.approx(100 * min(exact.values()))


def test_intervals_without_width_fail_as_often_as_all_answers_are_right_and_the_fallback_divides_two_rows(coverage):
    for method in ("normal", "plain percentile"):  # of 20 answers
        assert coverage[method, 20, 0.98] == pytest.approx(1 - 0.98**20, abs=0.03)
    gain = coverage["percentile"] - coverage["plain percentile"]
    assert (gain >= 0).all() and gain[[(100, 0.5), (200, 0.5), (500, 0.5)]].tolist() == [0, 0, 0]


# 1_numbers_of_items and 1_what_the_tables_hold

RULES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
FIGURES = ["accuracy", "precision", "recall"]


def unit(text) -> Decimal:
    """That of a printed figure's last digit."""
    return Decimal(1).scaleb(Decimal(text).as_tuple().exponent)


def shown(k, m, rule, digits="0.01"):
    """100 k / m as Decimal prints it."""
    with localcontext(prec=60):  # far beyond any tie, so the quotient's own rounding decides nothing
        return str((Decimal(100 * k) / m).quantize(Decimal(digits), RULES[rule]))


def test_no_number_of_items_gives_the_revised_subset_and_kina_is_not_one_answer_an_item(read):
    sizes = read("synthesis/hle_verified_sizes").set_index(["accuracies", "rounding"])["sizes"]
    table = load_published("hle_verified/table_2")
    texts = [*table["subset_raw_accuracy"], *table["subset_verified_accuracy"]]

    def prints(n, rule):
        return all(
            any(
                shown(int(Decimal(text) * 5 * n / 100) + near, 5 * n, rule, unit(text)) == text
                for near in (-1, 0, 1, 2)
            )
            for text in texts
        )

    for rule in RULES:
        fit = [n for n in range(100, 1301) if prints(n, rule)]
        assert len(fit) == sizes["both", rule] and not [n for n in fit if n <= 1143]
    samples = read("synthesis/kina_samples", dtype=str).set_index("answers_an_item")
    assert samples.loc["1", ["accuracy_second", "accuracy_third", "largest_tool_gain"]].tolist() == ["-"] * 3
    assert samples.index[samples["all_half_up"] == "True"].tolist() == ["4", "8"]


def test_the_nearest_misprint_is_the_nearest_of_all_tables_that_print_the_two_other_figures(read):
    printed = {}  # what a table prints as accuracy, precision and recall
    for tp in range(66):
        for fp in range(436):
            if tp + fp:
                printed.setdefault((shown(435 - fp + tp, 500, "half_up"), shown(tp, tp + fp, "half_up")), set()).add(tp)
    tables = [(*key, shown(tp, 65, "half_up")) for key, found in printed.items() for tp in found]
    for row in read("synthesis/table_S10_hypotheses").itertuples():
        own = row.row.split(" / ")
        near = [(abs(Decimal(table[i]) - Decimal(own[i])), f"{FIGURES[i]} {table[i]}")
                for table in tables for i in range(3)
                if table[i] != own[i] and all(table[j] == own[j] for j in range(3) if j != i)]  # fmt: skip
        assert (Decimal(f"{row.points:.2f}"), row.misprint) == min(near) if near else pd.isna(row.misprint)


# 2_consistency


def box(name) -> str:
    """The first cell of a notebook, in one line."""
    text = "".join(Notebook(paths.ROOT / f"notebooks/{name}.ipynb").content["cells"][0]["source"])
    return " ".join(text.replace("\n>", " ").split())


def test_the_box_on_consistency_says_its_claims_and_a_moved_number_is_noticed(read, claim):
    """Recounted for whole numbers that the other figures pin down exactly: a move by one is always noticed."""
    table = read("synthesis/consistency", dtype=str, keep_default_na=False)
    said, noticed = box("synthesis/2_consistency"), claim("synthesis/2_misprint_detection")
    wrong, serious = (table["agrees"] == "False").sum(), (table["severity"] == "claim").sum()
    assert f"{wrong} of {len(table)} comparisons disagree" in said and f"{serious} of {len(table)} do" in said
    assert f"{noticed.estimate:.4g} % of {noticed.n}" in said
    exact = table[(table["agrees"] == "True") & table["printed"].str.fullmatch(r"\d+")]
    exact = exact[(exact["printed"] == exact["follows"]) & ~exact["what"].str.contains("percent|share")]
    found = read("synthesis/misprint_detection")
    first = found.iloc[0]
    assert 30 < len(exact) <= first["detected"] <= first["comparisons"] and found["detected"].is_monotonic_increasing
    assert first["share"] == pytest.approx(first["detected"] / first["comparisons"])


# 3_one_bench and 3_strong_judges


def test_utility_ranks_as_the_rollouts_say_and_calls_are_shared(read, given):
    session, versions = Session("replay", progress=False), given("synthesis/3_one_bench")["versions"]
    rates = pd.concat(
        candidates.solve_rates(asyncio.run(candidates.core(session, version=version))) for version in versions
    )
    table = read("synthesis/one_bench").set_index(["set", "method"]).sort_index()
    right = candidates.ranks_right(rates["right"], rates["wrong"]).mean()
    assert table.loc[("pairs", "utility"), "within"] == pytest.approx(right)
    calls = table["calls"].groupby(level=[0, 1]).first()
    assert calls["pairs"][["utility", "own samples", "own answer", "length"]].tolist() == [4, 1, 0.5, 0]
    assert calls["answers"][["B", "C with reasons"]].tolist() == [2, 1]


def test_gains_over_other_methods_are_those_of_the_tables_corrected_for_all_comparisons(read, claim):
    compared, above = read("synthesis/one_bench_chance"), claim("synthesis/3_above_chance")
    assert above.family == len(compared) and above.low == pytest.approx(100 * compared["low"].max())
    within = read("synthesis/one_bench").query("set == 'pairs'").set_index("method")[["within", "calls"]]
    dear, cheap = within[within["calls"] >= 1.4], within[within["calls"] <= 1]
    more = claim("synthesis/3_more_calls")
    assert more.estimate == pytest.approx(100 * (dear["within"].max() - cheap["within"].max()))
    assert more.family == len(dear) * len(cheap)
    chosen = read("synthesis/one_bench_combinations")  # the mean over budgets
    assert claim("synthesis/3_combination").estimate == pytest.approx(100 * chosen["difference"].mean())
    assert claim("synthesis/3_flattery").estimate == pytest.approx(100 * chosen["flattery"].mean())


def test_one_score_of_a_strong_judge_ranks_as_pandas_counts(read, given, judge_scores):
    table = read("synthesis/strong_judges").set_index("method")["within"]
    judges = given("synthesis/3_strong_judges")["judges"]
    scores = judge_scores[judge_scores["judge"].isin([*judges, *(f"{judge}+criteria" for judge in judges)])]
    shared = scores.groupby("item", observed=True)["judge"].nunique()
    first = scores[(scores["repeat"] == 1) & (scores["judge"] == "gpt-5.4-mini")]
    first = first[first["item"].isin(shared.index[shared == scores["judge"].nunique()])]
    wide = first.pivot(index="item", columns="candidate", values="score")
    lowest = wide.fillna(wide.min().min())
    wins = [(lowest["chosen"] > lowest[name]) + 0.5 * (lowest["chosen"] == lowest[name]) for name in lowest.columns[1:]]
    assert table["gpt-5.4-mini V x1"] == pytest.approx(pd.concat(wins, axis=1).mean(axis=None))


# 4_from_pass_rate_to_truth and 5_how_many


def test_the_readings_are_recounted_from_the_printed_counts(read):
    """75 of 500 passed, 46 read, 4 right; on HLE 22 of 64 right and 49 of 432 wrong answers passed."""
    table = read("synthesis/solve_rate_readings").set_index("reading")
    assert table.loc["Nothing is assumed", ["low", "high"]].tolist() == pytest.approx([4 / 500, 1 - (46 - 4) / 500])
    estimate, high = table["estimate"], table["high"]
    assert estimate["Checked at random, recall of HLE"] == pytest.approx(0.15 * 4 / 46 * 64 / 22)
    assert estimate["The validator errs as on HLE"] == pytest.approx((0.15 - 49 / 432) / (22 / 64 - 49 / 432))
    recall = np.random.default_rng(1).beta(22.5, 42.5, 200_000)
    names = ("Right answers harder to settle", "Any order of checking")
    harder, any_order = (high[f"{name}, recall of HLE"] for name in names)
    assert any_order == pytest.approx(33 / 500 / np.quantile(recall, 0.025), rel=0.02)
    right = harder / any_order * 33  # among the passed: settled a fifth as often as wrong ones
    assert (42 / (75 - right)) / (4 / right) == pytest.approx(5) and right == pytest.approx(24.19, abs=0.01)


def test_every_question_on_sizes_was_simulated_and_sizes_say_what_n_leaves_and_the_aim_needs(read):
    table = read("synthesis/how_many_trials").set_index("question")
    assert set(table.index) == {"items", "repeats", "votes", "rollouts", "agreement", "checks", "split"}
    off = (table["simulated"] - table["promised"]).abs()
    assert off.drop("split").max() < 8 and off["split"].max() < 15
    assert (table.loc["checks", "high"] > 95).all()
    sizes = read("synthesis/paper_sizes")
    known = sizes.dropna(subset=["within"])
    assert ((known["n"] >= known["needed"]) == (known["within"] <= known["aim"])).all()
    assert sizes["n"].tolist()[:2] == [91, 25] and sizes["printed"][1] == pytest.approx(22 / 47)


# 6_does_it_hold

COLLECTS = "synthesis/6_does_it_hold"
OTHERS = "not tested on these models"


@pytest.fixture(scope="module")
def held(read):
    """`held("findings")`: a table of the notebook that collects all verdicts."""
    return lambda name: read(f"synthesis/{name}", keep_default_na=False)


def test_it_runs_after_every_notebook_on_a_paper_and_after_no_other():
    places = [each.name.rpartition("/") for each in all_notebooks()]
    made = {f"{paper}/{name}": paths.ROOT / f"figures/{paper}/claims_{name}.csv" for paper, _, name in places}
    papers = ("cbu", "hle", "hle_verified", "kina", "uq")
    before = {name for name, file in made.items() if name.partition("/")[0] in papers and file.exists()}
    notebook = Notebook(paths.ROOT / f"notebooks/{COLLECTS}.ipynb")
    assert set(receipts.reads_results_of(notebook)) == before and len(before) > 30


def test_a_finding_has_the_verdict_that_all_its_tests_have(held):
    findings, tests = held("findings"), held("finding_tests")
    assert findings["finding"].is_unique and set(tests["finding"]) == set(findings["finding"])
    assert tests["test"][tests["test"] != ""].is_unique
    for finding, mine in tests.groupby("finding"):
        decide = set(mine["test_verdict"]) - {"", OTHERS}
        none = OTHERS if OTHERS in set(mine["test_verdict"]) else "not tested"
        expected = none if not decide else decide.pop() if len(decide) == 1 else "mixed"
        assert set(mine["verdict"]) == {expected}, finding
    stated = pd.read_csv(paths.ROOT / "data/findings.csv", keep_default_na=False).set_index("claim")
    ours = tests[tests["evidence"].str.contains("measured") & (tests["test"] != "")]
    named = stated.loc[ours["finding"], "models"].eq("named").to_numpy()  # our models do not decide these
    assert ((ours["test_verdict"] == OTHERS) == named).all() and named.any() and not named.all()


def test_contradictions_between_kinds_are_those_of_the_tests(held):
    tests, clash = held("finding_tests").query("kind == 'finding'"), held("contradictions")
    source = tests["evidence"].str.replace("published|reconstructed", "printed", regex=True).str.split(r" \+ ").str[-1]
    found = set()
    for finding, mine in tests.groupby("finding"):
        by = [set(part["test_verdict"]) for _, part in mine.groupby(source)]
        if any("holds" in one and "does not hold" in two for one in by for two in by if one is not two):
            found.add(finding)
    assert set(clash.loc[clash["between"] == "kinds of evidence", "finding"]) == found


def test_the_two_sides_of_a_question_are_judged_by_one_sentence(held, claim):
    pairs = held("frontier_questions")
    for row in pairs[pairs["says"] != ""].to_dict("records"):
        for side in ("here", "frontier"):
            low, high = row[f"{side}_low"], row[f"{side}_high"]
            assert low == high or verdict(float(low), float(high), row["says"]) == row[f"{side}_verdict"]
    sides = pairs["here_verdict"] + "/" + pairs["frontier_verdict"]
    opposite = (sides.isin(["holds/does not hold", "does not hold/holds"]) & (pairs["apart"] == "")).sum()
    assert claim("synthesis/6_opposite").exact.startswith(f"{opposite} of {(pairs['apart'] == '').sum()} ")
    left = held("undecided_tests")  # an open test needs more than it has
    counted = left[left["units"].str.fullmatch(r"[\d,]+")]
    assert (counted["units"].str.replace(",", "").astype(float) > counted["n"].astype(float)).all() and len(counted)


def test_the_box_says_the_counts_of_the_claims():
    exact = " ".join(claim.exact for claim in read_claims() if claim.notebook == COLLECTS)
    known, said = (set(re.findall(r"(\d+) of (\d+)", text)) for text in (exact, box(COLLECTS)))
    assert said <= known and len(said) >= 5


# audit_your_table (on other tables: test_own_data.py)


def test_the_table_that_ships_is_marked_as_made_up(done, read):
    assert read("synthesis/audit_feasibility")["name"].str.startswith("made-up: ").all()
    pairs, said = read("synthesis/audit_comparisons")["verdict"], box("synthesis/audit_your_table")
    assert f"{(pairs == 'differs whatever the pairing').sum()} of {len(pairs)} pairs" in said and "2 of 8 rows" in said
    record = done("synthesis/audit_your_table") / "figures/synthesis/audit_feasibility.json"
    assert "made up" in json.loads(record.read_text())["note"]
