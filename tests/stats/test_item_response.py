import numpy as np
import pytest
from proctor.stats.simulate import RULES, choose, fit, information, item_responses, loss
from scipy import stats
from scipy.optimize import approx_fprime
from scipy.special import expit


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


def test_fit_recovers_what_was_simulated():
    simulated = item_responses(np.linspace(0.1, 0.9, 120), 200, np.random.default_rng(0), discrimination_sd=0.5)
    fitted = fit(simulated.scores)
    assert np.corrcoef(fitted.ability, simulated.ability)[0, 1] > 0.98
    assert np.corrcoef(fitted.difficulty, simulated.difficulty)[0, 1] > 0.95
    assert stats.spearmanr(fitted.difficulty, simulated.difficulty).statistic > 0.95
    assert np.corrcoef(np.log(fitted.discrimination), np.log(simulated.discrimination))[0, 1] > 0.9
    x = np.concatenate([fitted.ability, fitted.difficulty, np.log(fitted.discrimination)])
    assert np.abs(loss(x, simulated.scores, 1)[1]).max() < 0.01  # a minimum: nearby it is above 1


def test_item_that_sorts_models_without_a_fault_stays_finite():
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


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: fit(np.full((3, 4), 1.5)), "must lie in"),
        (lambda: fit(np.ones((1, 4))), "one model"),
        (lambda: choose(np.ones((2, 4)), "best", np.random.default_rng(0)), "rule is 'best'"),
    ],
)
def test_impossible_questions_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
