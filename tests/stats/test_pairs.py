import numpy as np
import pytest
from proctor.stats.compare import pairwise
from proctor.stats.pairs import pair_power, pair_table
from scipy import stats
from statsmodels.stats.multitest import multipletests


def test_pairs_are_mcnemar_and_holm_and_student():
    scores = np.random.default_rng(0).binomial(1, [[0.8], [0.7], [0.5], [0.3]], (4, 60)).astype(float)
    found = pair_table(scores, list("abcd"))
    assert len(found) == 6 and (found["difference"] >= 0).all()
    both = pairwise(scores)
    for row in found.itertuples():
        one, other = (scores["abcd".index(name)] for name in (row.a, row.b))
        assert row.holm == pytest.approx(both["abcd".index(row.a), "abcd".index(row.b)])
        limits = stats.ttest_rel(one, other).confidence_interval()
        assert (row.low, row.high) == pytest.approx((100 * limits.low, 100 * limits.high))


def test_shares_and_clusters_are_tested_by_student_over_their_units():
    rng = np.random.default_rng(1)
    scores, labels = rng.random((3, 40)), np.repeat(np.arange(10), 4)
    found = pair_table(scores, list("abc"))
    p = [stats.ttest_rel(scores["abc".index(r.a)], scores["abc".index(r.b)]).pvalue for r in found.itertuples()]
    assert found["p"].to_numpy() == pytest.approx(p)
    assert found["holm"].to_numpy() == pytest.approx(multipletests(p, method="holm")[1])
    means = scores.reshape(3, 10, 4).mean(axis=2)
    found = pair_table(scores, list("abc"), labels)
    p = [stats.ttest_rel(means["abc".index(r.a)], means["abc".index(r.b)]).pvalue for r in found.itertuples()]
    assert found["p"].to_numpy() == pytest.approx(p)


def test_twins_do_not_differ_and_a_pair_has_its_power():
    scores = np.repeat(np.random.default_rng(2).binomial(1, 0.5, (1, 100)), 2, axis=0).astype(float)
    assert pair_table(scores, ["a", "b"]).iloc[0][["difference", "p", "holm"]].tolist() == [0, 1, 1]
    scores[1, :20] = 1 - scores[1, :20]
    power = pair_power(scores, ["a", "b"], ["a", "b"])
    sd = (scores[0] - scores[1]).std(ddof=1)
    z = 0.05 / (sd / 10)
    wanted = stats.norm.sf(1.959964 - z) + stats.norm.cdf(-1.959964 - z)
    assert power.set_index("true_gap")["power"][5.0] == pytest.approx(wanted, abs=1e-6)
    assert power["items_for_80_percent"].is_monotonic_decreasing
    with pytest.raises(ValueError, match="two of the models"):
        pair_power(scores, ["a", "b"], ["a", "c"])
