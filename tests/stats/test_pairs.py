import numpy as np
import pytest
from proctor.stats.compare import mcnemar, mcnemar_power, pairwise, score_interval
from proctor.stats.pairs import pair_power, pair_table
from scipy import stats
from statsmodels.stats.multitest import multipletests


def test_pairs_are_mcnemar_and_holm_with_intervals_of_all_at_once():
    scores = np.random.default_rng(0).binomial(1, [[0.8], [0.7], [0.5], [0.3]], (4, 60)).astype(float)
    found = pair_table(scores, list("abcd"))
    assert len(found) == 6 and (found["difference"] >= 0).all()
    both = pairwise(scores)
    for row in found.itertuples():
        one, other = (scores["abcd".index(name)] for name in (row.a, row.b))
        assert row.holm == pytest.approx(both["abcd".index(row.a), "abcd".index(row.b)])
        limits = score_interval(one, other, 1 - 0.05 / 6)
        assert row.high == pytest.approx(100 * limits.high)
        assert row.low == pytest.approx(100 * limits.low) or (row.low > 0) == (row.holm < 0.05)


def test_shares_and_clusters_are_tested_by_student_over_their_units():
    rng = np.random.default_rng(1)
    scores, labels = rng.random((5, 40)), np.repeat(np.arange(10), 4)
    found = pair_table(scores, list("abcde"))
    p = [stats.ttest_rel(scores["abcde".index(r.a)], scores["abcde".index(r.b)]).pvalue for r in found.itertuples()]
    assert found["p"].to_numpy() == pytest.approx(p)
    assert found["holm"].to_numpy() == pytest.approx(multipletests(p, method="holm")[1])
    means, larger = scores.reshape(5, 10, 4).mean(axis=2), set()
    found = pair_table(scores, list("abcde"), labels)
    for r in found.itertuples():
        first, second = "abcde".index(r.a), "abcde".index(r.b)
        errors = [stats.sem(values[first] - values[second]) for values in (means, scores)]
        larger.add(np.argmax(errors))  # clusters that agree by chance are no surer than their items
        assert r.p == pytest.approx(2 * stats.t.sf(r.difference / 100 / max(errors), 9))
    assert larger == {0, 1}


def test_twins_do_not_differ_and_a_pair_has_its_power():
    scores = np.repeat(np.random.default_rng(2).binomial(1, 0.5, (1, 100)), 2, axis=0).astype(float)
    assert pair_table(scores, ["a", "b"]).iloc[0][["difference", "p", "holm"]].tolist() == [0, 1, 1]
    scores[1, :20] = 1 - scores[1, :20]
    power = pair_power(scores, ["a", "b"], ["a", "b"])
    wanted = mcnemar_power(0.125, 0.075, 100, exact=True)  # 20 items differ
    assert power.set_index("true_gap")["power"][5.0] == pytest.approx(wanted)
    assert power["items_for_80_percent"].is_monotonic_decreasing


def test_intervals_of_pairs_hold_0_exactly_where_holm_does_not_decide():
    rng = np.random.default_rng(3)
    for scores in (rng.binomial(1, np.linspace(0.3, 0.7, 14)[:, None], (14, 120)), rng.random((14, 50)) ** 2):
        found = pair_table(scores, [f"m{i}" for i in range(14)])
        assert ((found["low"] > 0) == (found["holm"] < 0.05)).all() and (found["low"] <= found["difference"]).all()
        undecided = found[found["holm"] >= 0.05]
        assert len(undecided) > 10 and (undecided["items_needed"] > undecided["n"]).all()


def test_pairs_are_compared_on_the_items_that_both_have():
    rng = np.random.default_rng(4)
    scores = rng.binomial(1, [[0.8], [0.6], [0.5]], (3, 80)).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    for values in (scores, scores * 0.7 + 0.1 * rng.random(scores.shape)):
        for row in pair_table(values, list("abc")).itertuples():
            one, other = values["abc".index(row.a)], values["abc".index(row.b)]
            both = ~np.isnan(one) & ~np.isnan(other)
            whole = np.isin(one[both], (0, 1)).all()
            test = mcnemar if whole else stats.ttest_rel
            answer = test(one[both], other[both])
            assert row.p == pytest.approx(answer.p if whole else answer.pvalue) and row.n == both.sum()
            assert row.difference == pytest.approx(100 * (one[both] - other[both]).mean())
