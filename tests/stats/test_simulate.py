import numpy as np
import pytest
from proctor.stats.calibration import positive_logistic
from proctor.stats.simulate import RULES, choose, fit, information, item_responses, loss
from scipy import stats
from scipy.optimize import approx_fprime
from scipy.special import expit
from statsmodels.api import GLM, families


@pytest.mark.parametrize("samples", [1, 4])
def test_gradient_is_that_of_finite_differences(samples):
    rng = np.random.default_rng(1)
    scores, x = rng.binomial(samples, 0.4, (4, 6)) / samples, 0.5 * rng.standard_normal(4 + 12)
    near = approx_fprime(x, lambda x: loss(x, scores, samples)[0], 1e-6)
    assert loss(x, scores, samples)[1] == pytest.approx(near, abs=1e-4)


def test_loss_is_minus_the_log_of_likelihood_and_priors():
    rng = np.random.default_rng(2)
    right, (t, b, log_a) = rng.integers(0, 4, (3, 5)), (rng.standard_normal(n) for n in (3, 5, 5))
    chance = expit(np.exp(log_a) * (t[:, None] - b))
    x = np.concatenate([t, b, log_a])
    change = []
    for point in (x, x * 0):  # a constant cancels in the difference of two points
        t, b, log_a = np.split(point, [3, 8])
        chance = expit(np.exp(log_a) * (t[:, None] - b))
        logs = [
            stats.binom.logpmf(right, 3, chance),
            stats.norm.logpdf(t),
            stats.norm.logpdf(b, scale=2),
            stats.norm.logpdf(log_a, scale=0.5),
        ]
        change.append(loss(point, right / 3, 3)[0] + sum(each.sum() for each in logs))
    assert change[0] == pytest.approx(change[1])


def test_fit_recovers_what_was_simulated_and_stays_finite():
    simulated = item_responses(np.linspace(0.1, 0.9, 120), 200, np.random.default_rng(0), discrimination_sd=0.5)
    fitted = fit(simulated.scores)
    assert np.corrcoef(fitted.ability, simulated.ability)[0, 1] > 0.98
    assert np.corrcoef(fitted.difficulty, simulated.difficulty)[0, 1] > 0.95
    assert stats.spearmanr(fitted.difficulty, simulated.difficulty).statistic > 0.95
    assert np.corrcoef(np.log(fitted.discrimination), np.log(simulated.discrimination))[0, 1] > 0.9
    x = np.concatenate([fitted.ability, fitted.difficulty, np.log(fitted.discrimination)])
    assert np.abs(loss(x, simulated.scores, 1)[1]).max() < 0.01  # a minimum: nearby it is above 1
    found = fit(np.triu(np.ones((6, 6))))
    assert np.isfinite([*found.ability, *found.difficulty, *found.discrimination]).all()
    assert (np.diff(found.ability) < 0).all() and found.discrimination.max() < 20


def test_information_is_the_variance_of_the_score_function():
    t, b, a = np.array([-1.0, 0.5]), np.array([0.0, 0.4, 2.0]), np.array([1.0, 2.0, 0.5])
    found = information(t, b, a)
    for m in range(2):
        for i in range(3):
            p = expit(a[i] * (t[m] - b[i]))
            by_answer = [(q, a[i] * (y - p)) for y, q in ((1, p), (0, 1 - p))]  # d log chance / d ability
            assert found[m, i] == pytest.approx(sum(q * s**2 for q, s in by_answer))
    assert information([0.4], b, a).argmax() == 1  # sharpest, and as hard as the model is able


def test_rules_order_every_item_once_and_find_the_telling_ones():
    rng = np.random.default_rng(7)
    ability = np.linspace(-2, 2, 60)
    a, b = np.array([3.0] * 10 + [0.3] * 10 + [3.0] * 10), np.array([0.0] * 20 + [6.0] * 10)  # the last: far too hard
    scores = (rng.random((60, 30)) < expit(a * (ability[:, None] - b))).astype(float)
    for rule in RULES:
        assert sorted(choose(scores, rule, rng)) == list(range(30))
    assert set(choose(scores, "information", rng)[:10]) == set(range(10))
    assert set(choose(scores, "middling", rng)[:20]) == set(range(20))  # takes blunt items too: it can't see them


def test_mean_chance_over_the_drawn_items_is_the_accuracy_asked_for_and_clusters_share_difficulty():
    wanted = np.array([0.001, 0.05, 0.3, 0.5317, 0.9, 0.999])
    found = item_responses(wanted, 899, np.random.default_rng(0), clusters=np.arange(899) % 30, discrimination_sd=0.6)
    assert found.chance.mean(axis=1) == pytest.approx(wanted, abs=1e-9)
    assert (np.diff(found.ability) > 0).all()
    found = item_responses([0.4], 200, np.random.default_rng(0), samples=4)
    assert set(np.unique(found.scores)) == {0, 0.25, 0.5, 0.75, 1}
    many = item_responses([0.2, 0.6], 100, np.random.default_rng(1), samples=1000).scores.mean(axis=1)
    assert many == pytest.approx([0.2, 0.6], abs=0.006)  # five standard errors
    labels = np.repeat(np.arange(50), 20)
    found = item_responses([0.5], 1000, np.random.default_rng(0), labels, difficulty_sd=1, cluster_sd=2)
    between = found.difficulty.reshape(50, 20).mean(axis=1).std()
    within = found.difficulty.reshape(50, 20).std(axis=1).mean()
    assert between == pytest.approx(2, rel=0.3) and within == pytest.approx(1, rel=0.1)


def test_items_that_are_hard_for_one_model_are_hard_for_another_but_for_their_interaction():
    alike, own = (
        item_responses([0.4, 0.4], 3000, np.random.default_rng(5), difficulty_sd=2, interaction_sd=sd) for sd in (0, 2)
    )
    assert own.chance.mean(axis=1) == pytest.approx([0.4, 0.4], abs=1e-9)
    assert np.allclose(alike.chance[0], alike.chance[1])
    assert 0.2 < np.corrcoef(own.chance)[0, 1] < 0.8
    varied = item_responses([0.5, 0.5], 2000, np.random.default_rng(2), difficulty_sd=2)
    flat = item_responses([0.5, 0.5], 2000, np.random.default_rng(2), difficulty_sd=0, discrimination_sd=0)
    assert np.corrcoef(varied.scores)[0, 1] > 0.3 > 0.08 > abs(np.corrcoef(flat.scores)[0, 1])


# many small logistic regressions


def test_positive_logistic_regressions_are_statsmodels_own_or_at_their_bound():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4, 80, 3))
    y = (rng.random(80) < 1 / (1 + np.exp(-x[0] @ [1.0, -0.7, 0.3]))).astype(float)
    design = np.concatenate([np.ones((4, 80, 1)), x], axis=2)
    found, alpha = positive_logistic(design, y), np.r_[0, np.ones(3)] / 80
    assert (found[:, 1:] == 0).any(axis=1).all() and (found[:, 1:] > 0).any()
    for k in range(4):
        kept = np.r_[True, found[k, 1:] > 0]
        fit = GLM(y, design[k][:, kept], family=families.Binomial()).fit_regularized(alpha=alpha[kept], L1_wt=0)
        assert found[k, kept] == pytest.approx(fit.params, abs=1e-3)
        slope = (expit(design[k] @ found[k]) - y) @ design[k]
        assert (slope[~kept] > -1e-3).all()  # a weight at 0 would fall further
    assert positive_logistic(design, y, start=found) == pytest.approx(found, abs=1e-4)
