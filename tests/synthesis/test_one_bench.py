"""All methods on one bench, against scipy, statsmodels, brute force and data whose truth is known."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.stats.power import t_power
from proctor.synthesis import one_bench
from scipy.special import ndtr
from scipy.stats import kendalltau, mannwhitneyu, ttest_1samp
from statsmodels.api import GLM
from statsmodels.api import families as glm_families


def table(methods, families=6, each=2, candidates=4, seed=0, model=""):
    """methods: {name: (signal, calls)}; a score is signal x truth + noise. Half of the candidates are right."""
    rng, rows = np.random.default_rng(seed), []
    for family in range(families):
        for question in range(each):
            for candidate in range(candidates):
                correct = int(candidate < candidates / 2)
                known = dict(set="toy", model=model, paper="p", family=f"f{family}", question=f"f{family}-{question}")
                rows += [
                    known
                    | dict(candidate=candidate, correct=correct, method=name, score=signal * correct + rng.normal())
                    | dict(accept=np.nan, calls=calls, reads="")
                    for name, (signal, calls) in methods.items()
                ]
    return pd.DataFrame(rows)


def bench_of(methods, **how):
    (found,) = one_bench.benches(table(methods, **how))
    return found


def subsets(methods, most=3):
    return [subset for size in range(1, most + 1) for subset in combinations(range(methods), size)]


@pytest.fixture(scope="module")
def toy():
    return bench_of({"a": (1.0, 1), "b": (0.5, 1), "c": (0.0, 2), "free": (0.2, 0)})


def test_auc_within_and_over_questions_are_those_of_all_pairs(toy):
    found = one_bench.quality(toy).set_index("method")
    for method in toy.scores:
        score, per_question = toy.scores[method].to_numpy(), []
        for question in np.unique(toy.question):
            here = toy.question == question
            right, wrong = score[here & (toy.correct == 1)], score[here & (toy.correct == 0)]
            per_question.append(np.mean([(x > y) + 0.5 * (x == y) for x in right for y in wrong]))
        assert found.loc[method, "within"] == pytest.approx(np.mean(per_question))
        right, wrong = score[toy.correct == 1], score[toy.correct == 0]
        assert found.loc[method, "over"] == pytest.approx(
            mannwhitneyu(right, wrong).statistic / len(right) / len(wrong)
        )


def test_the_interval_over_questions_is_delong_s_where_each_candidate_is_a_family(toy):
    score, correct = toy.scores["a"].to_numpy(), toy.correct
    alone = one_bench.Bench(**{**vars(toy), "family": np.arange(len(score)).astype(str)})
    found = one_bench.auc_over_questions(score, alone, 0.95)
    right, wrong = score[correct == 1], score[correct == 0]
    wins = (right[:, None] > wrong).astype(float)
    error = np.sqrt(wins.mean(1).var(ddof=1) / len(right) + wins.mean(0).var(ddof=1) / len(wrong))
    assert (found.high - found.low) / 2 == pytest.approx(2.012 * error, rel=0.02)  # Student's, 47 degrees of freedom
    same = one_bench.auc_over_questions(score, toy, 0.95, less=score)
    assert same.estimate == 0


def test_the_interval_over_questions_holds_its_level_with_nine_families():
    rng, held, trials = np.random.default_rng(3), 0, 200
    family = np.repeat(np.arange(9), 14).astype(str)
    correct = np.tile([1, 1, 0, 0, 0, 0, 0], 18)
    known = dict(set="s", model="", question=np.repeat(np.arange(18), 7).astype(str), family=family, correct=correct)
    frames = dict(scores=pd.DataFrame(), accept=pd.DataFrame(), methods=pd.DataFrame())
    for _ in range(trials):
        shift = np.repeat(rng.normal(size=9), 14)  # of a family: hard and easy ones
        found = one_bench.auc_over_questions(correct + shift + rng.normal(size=126), one_bench.Bench(**known, **frames))
        held += found.low <= ndtr(1 / 2) <= found.high  # both scores have variance 2
    assert 0.91 <= held / trials <= 0.99


def test_verdicts_are_the_method_s_own_or_from_a_threshold_of_other_families():
    rows = table({"a": (2.0, 1), "b": (1.0, 1)})
    rows.loc[rows["method"] == "b", "accept"] = (rows["score"] > 0.3).astype(float)
    (bench,) = one_bench.benches(rows)
    yes = one_bench.decisions(bench)
    assert (yes[:, 1] == (bench.scores["b"] > 0.3)).all()
    here, score = bench.family == "f2", bench.scores["a"].to_numpy()
    gains = {}
    for limit in [*np.unique(score), np.inf]:
        took = score[~here] >= limit
        gains[limit] = took[bench.correct[~here] == 1].mean() - took[bench.correct[~here] == 0].mean()
    assert (yes[here, 0] == (score[here] >= max(gains, key=gains.get))).all()
    found = one_bench.quality(bench).set_index("method")
    assert found.loc["b", "precision"] == pytest.approx(bench.correct[yes[:, 1] == 1].mean())
    assert found.loc["b", "recall"] == pytest.approx(yes[bench.correct == 1, 1].mean())
    assert found["verdict"].tolist() == ["cross-fitted", "own"]


def test_a_difference_is_student_s_and_says_how_many_families_it_needs(toy):
    level, ranked = 0.99, one_bench.pairs(toy)
    each = pd.Series(ranked.by_question(toy.scores[["a"]].to_numpy())[:, 0] - 0.5)
    row = one_bench.difference(each.to_numpy(), ranked.families, level, 0.5)
    by_family = each.groupby(np.repeat(range(6), 2)).mean()
    limits = ttest_1samp(by_family, 0).confidence_interval(level)
    assert (row["difference"], row["low"]) == pytest.approx((by_family.mean(), limits.low))
    assert row["high"] == pytest.approx(min(limits.high, 0.5)) and row["families"] == 6
    gap, sd = by_family.mean(), by_family.std()
    assert t_power(gap, sd, row["needed"], level) >= 0.8 > t_power(gap, sd, row["needed"] - 1, level)


def test_correlations_are_scipy_s_and_numpy_s(toy):
    found = one_bench.agreement(toy).set_index(["one", "other"])
    wins = one_bench.pairs(toy).wins(toy.scores.to_numpy())
    assert found.loc[("a", "b"), "errors"] == pytest.approx(np.corrcoef(wins[:, 0], wins[:, 1])[0, 1])
    single = one_bench.Bench(**{**vars(toy), "question": np.full(len(toy.correct), "one")})
    tau = one_bench.agreement(single).set_index(["one", "other"])["tau"]
    assert tau["a", "c"] == pytest.approx(kendalltau(toy.scores["a"], toy.scores["c"]).statistic)
    either = np.mean([max(x, y) for x, y in wins[:, :2]])
    assert found.loc[("a", "b"), "one_right"] == pytest.approx(either)


def test_mean_agreement_weighs_pairs_of_methods(toy):
    papers = np.array(["x", "x", "y", "none"])
    other = one_bench.Bench(**{**vars(toy), "methods": toy.methods.assign(paper=papers)})
    errors = one_bench.agreement(other).set_index(["one", "other"])["errors"]
    across = one_bench.mean_agreement(other, one_bench.across_papers)
    assert across.estimate == pytest.approx((errors["a", "c"] + errors["b", "c"]) / 2)
    less = one_bench.mean_agreement(other, one_bench.same_less_across)
    assert less.estimate == pytest.approx(errors["a", "b"] - across.estimate)


def test_no_fold_sees_what_it_is_judged_on(toy):
    some = subsets(4)
    before = one_bench.nested_cv(toy, some)
    scores = toy.scores.copy()
    here = toy.family == "f3"
    scores.loc[here] = np.random.default_rng(9).normal(size=(here.sum(), 4)) * 10
    after = one_bench.nested_cv(one_bench.Bench(**{**vars(toy), "scores": scores}), some)
    fold = one_bench.folds(toy.family)[here][0]
    assert after.inner[fold] == pytest.approx(before.inner[fold])
    assert not np.allclose(after.inner[fold - 1], before.inner[fold - 1])


def test_inner_folds_are_those_of_plain_cross_validation(toy):
    subsets = [(0,), (0, 1)]  # signals whose weights are positive without a bound
    found, fold = one_bench.nested_cv(toy, subsets), one_bench.folds(toy.family)
    ranked = one_bench.pairs(toy)
    values = []
    for inner in range(1, 6):
        kept = (fold != 0) & (fold != inner)
        x = toy.scores.to_numpy()[:, [0, 1]]
        x = (x - x[kept].mean(0)) / x[kept].std(0)
        alpha = np.r_[0, np.ones(2)] / kept.sum()
        fit = GLM(toy.correct[kept], np.column_stack([np.ones(kept.sum()), x[kept]]), family=glm_families.Binomial())
        weights = fit.fit_regularized(alpha=alpha, L1_wt=0).params
        assert (weights[1:] > 0).all()
        each = ranked.by_question((x @ weights[1:])[:, None])[:, 0]
        values += each[found.fold == inner].tolist()
    assert found.inner[0, 1] == pytest.approx(np.mean(values))


def test_combining_helps_where_signals_are_independent_and_noise_only_flatters():
    good = bench_of({name: (1.2, 1) for name in "abcd"}, families=20, each=2, seed=2)
    nested = one_bench.nested_cv(good, subsets(4))
    (row,) = one_bench.combinations(nested, [3]).to_dict("records")
    assert row["low"] > 0 and row["difference"] == pytest.approx(row["combination"] - row["single"])
    noise = [bench_of({name: (0, 1) for name in "abcdef"}, seed=seed) for seed in range(8)]
    nested = [one_bench.nested_cv(bench, subsets(6, 2)) for bench in noise]
    rows = pd.concat([one_bench.combinations(each, [2]) for each in nested])
    assert rows["in_sample"].mean() > rows["difference"].mean() and abs(rows["combination"].mean() - 0.5) < 0.1


def test_budgets_count_a_shared_call_once():
    rows = table({"a x1": (1, 1), "a x2": (1, 2), "b x1": (1, 1), "b x2": (1, 2), "c x1": (1, 1)})
    rows.loc[rows["method"].isin(["a x1", "b x1"]), "reads"] = "one call"
    (bench,) = one_bench.benches(rows)
    assert bench.calls((0, 2)) == 1 and bench.calls((0, 4)) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: pd.concat([rows, rows[:1]]), "twice"),
        (lambda rows: rows.iloc[1:], "let it score all"),
        (lambda rows: rows.assign(correct=[1 - rows["correct"].iloc[0], *rows["correct"][1:]]), "two truths"),
    ],
)
def test_a_table_that_is_no_bench_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        one_bench.benches(change(table({"a": (1, 1), "b": (1, 1)})))


def test_an_unreadable_score_is_the_lowest():
    rows = table({"a": (1, 1)})
    rows.loc[5, "score"] = np.nan
    (bench,) = one_bench.benches(rows)
    assert bench.scores["a"].iloc[5] == rows["score"].min() and bench.methods.loc["a", "unreadable"] == 1


def test_a_table_of_one_s_own_is_read_or_refused_by_name(tmp_path, defined):
    known = dict(np=np, pd=pd, Path=Path, DataError=DataError, problem=problem, read_rows=read_rows, summary=summary)
    own_table = defined("synthesis/3_one_bench", **known).own_table
    file, header = tmp_path / "mine.csv", "question,candidate,correct,method,score,calls\n"
    lines = [f"q{q},c{c},{int(c == 0)},m,{q + c},1\n" for q in range(3) for c in range(2)]
    file.write_text(header + "".join(lines))
    (bench,) = one_bench.benches(own_table(file))
    assert bench.set == "own" and list(bench.family[:2]) == ["q0", "q0"] and len(bench.scores) == 6
    file.write_text(header + lines[0] + "q0,c1,maybe,m,1,1\n")
    with pytest.raises(DataError, match="row 2.*correct|correct.*maybe"):
        own_table(file)
    file.write_text(header.replace("score,", "") + "q,c,1,m,1\n")
    with pytest.raises(DataError, match="no column score"):
        own_table(file)
