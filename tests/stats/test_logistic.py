import numpy as np
import pytest
from proctor.stats.logistic import logistic, positive_logistic
from scipy.optimize import minimize
from statsmodels.api import GLM, Logit
from statsmodels.api import families as glm_families


def test_logistic_regressions_are_statsmodels_and_positive_ones_scipy_s():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4, 80, 3))
    y = (rng.random(80) < 1 / (1 + np.exp(-x[0] @ [1.0, -0.7, 0.3]))).astype(float)
    design = np.concatenate([np.ones((4, 80, 1)), x], axis=2)
    free, penalised = logistic(design, y, 0.0), logistic(design, y, 2.0)
    positive = positive_logistic(design, y, 2.0)

    def loss(weights, at):
        linear = at @ weights
        return (np.logaddexp(0, linear) - y * linear).sum() + (weights[1:] ** 2).sum()

    for k in range(4):
        assert free[k] == pytest.approx(Logit(y, design[k]).fit(disp=0).params, abs=1e-5)
        alpha = np.r_[0, np.full(3, 2.0)] / 80
        fit = GLM(y, design[k], family=glm_families.Binomial()).fit_regularized(alpha=alpha, L1_wt=0)
        assert penalised[k] == pytest.approx(fit.params, abs=1e-3)
        bounds = [(None, None), *[(0, None)] * 3]
        best = minimize(loss, np.zeros(4), (design[k],), bounds=bounds, method="L-BFGS-B", options=dict(ftol=1e-14))
        assert loss(positive[k], design[k]) == pytest.approx(best.fun, abs=1e-6) and (positive[k, 1:] >= 0).all()
    assert (penalised[:, 1:] < 0).any()
