"""How well do scores predict correctness? Logistic regression, judged on questions that it was not fitted to.

CBU's Table 3 predicts correctness from one score or from several and prints accuracies, without saying on which
candidates. On the candidates that the regression was fitted to, a further score of pure noise never lowers the
likelihood, and moves the accuracy by chance. On questions left out, noise lowers it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit
from statsmodels.api import GLM, Logit, families

from proctor.cbu.sign_flip import cautious_interval
from proctor.stats import bootstrap, checks
from proctor.stats.calibration import auc


@dataclass(frozen=True)
class Prediction:
    """Logistic regression of correct (items,) on scores (items, features).

    in_sample: share of items on the right side of 1/2 by the fit to all of them. hits (items,): 1 where a fit without
    the item's own group puts it on the right side, 1/2 on the line itself; probability (items,): of being correct, by
    that fit. weights (features,): of the fit to all, for a rise of one standard deviation.
    """

    in_sample: float
    hits: np.ndarray
    probability: np.ndarray
    weights: np.ndarray

    @property
    def accuracy(self) -> float:
        """Share of items that a fit without their group predicts correctly."""
        return float(self.hits.mean())


def predict(scores: ArrayLike, correct: ArrayLike, groups: ArrayLike, ridge: float = 1.0) -> Prediction:
    """Fit to all items, and for each group (a question's candidates) once more without it.

    scores: float (items, features), or (items, 0) for the constant alone. Features are brought to mean 0 and standard
    deviation 1 over the items fitted to. ridge: penalty ridge / 2 x sum of squared weights, the constant free; it keeps
    weights finite where a score separates the classes. Raises ValueError with fewer than two groups, with one class,
    or where the items left after leaving out a group are of one class.
    """
    scores, correct = np.asarray(scores, float), checks.binary(correct, "correct")
    if scores.shape[1:] != (0,):
        scores = checks.finite(scores, "scores", 2)
    codes, n_groups = checks.cluster_index(groups, checks.same_length(scores=scores, correct=correct))
    if n_groups < 2:
        raise ValueError("all items are of one group: there is nothing to fit to when it is left out")
    if correct.min() == correct.max():
        raise ValueError("correct holds one class only: there is nothing to predict")
    everything, weights = _fit(scores, correct, scores, ridge)
    probability = np.empty(len(correct))
    for group in range(n_groups):
        out = codes == group
        if np.ptp(correct[~out]) == 0:
            raise ValueError(f"without group {groups[np.flatnonzero(out)[0]]!r} all items are of one class")
        probability[out] = _fit(scores[~out], correct[~out], scores[out], ridge)[0]
    return Prediction(float(_hits(everything, correct).mean()), _hits(probability, correct), probability, weights)


def _fit(scores: np.ndarray, correct: np.ndarray, to: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities for the items `to`, and the weights."""
    middle, spread = scores.mean(axis=0), scores.std(axis=0)
    spread = np.where(spread > 1e-12 * np.maximum(1, np.abs(middle)), spread, np.inf)  # a constant score weighs nothing
    design = [np.column_stack([np.ones(len(x)), (x - middle) / spread]) for x in (scores, to)]
    penalty = np.r_[0.0, np.full(scores.shape[1], ridge)] / len(correct)  # statsmodels penalises the mean likelihood
    fit = GLM(correct, design[0], family=families.Binomial()).fit_regularized(alpha=penalty, L1_wt=0)
    return expit(design[1] @ fit.params), fit.params[1:]


def _hits(probability: np.ndarray, correct: np.ndarray) -> np.ndarray:
    side = np.where(np.abs(probability - 0.5) < 1e-9, 0.0, np.sign(probability - 0.5))
    return (1 + side * np.where(correct == 1, 1, -1)) / 2


def noise_gains(questions: int, separation: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Points of in-sample accuracy that a second score of pure noise adds, shape (trials,). Simulated.

    Each trial: ten candidates a question, five right; the first score is normal and `separation` standard deviations
    higher for right candidates; both fits are unpenalised and judged on the candidates they were fitted to.

    >>> gains = noise_gains(70, 1.2, 20, np.random.default_rng(0))
    >>> gains.shape, bool(abs(gains).max() < 5)
    ((20,), True)
    """
    n, truth = 10 * questions, np.tile(np.repeat([1, 0], 5), questions)
    gains = np.empty(checks.at_least_one(trials, "trials"))
    for i in range(trials):
        score, noise = rng.normal(size=n) + separation * truth, rng.normal(size=n)
        design = np.column_stack([np.ones(n), score, noise])
        one, both = (((x @ Logit(truth, x).fit(disp=0).params > 0) == truth).mean() for x in (design[:, :2], design))
        gains[i] = 100 * (both - one)
    return gains


SETS = {
    "constant": [],
    "G": ["generative reward"],
    "J": ["judge"],
    "U": ["utility"],
    "J + U": ["judge", "utility"],
    "G + J + U": ["generative reward", "judge", "utility"],
}


def predict_by_sets(scores: pd.DataFrame, judge: str, models: Sequence[str]) -> dict[tuple[str, str], pd.DataFrame]:
    """Correctness predicted from each of SETS: {(model, set): frame of question_id, correct, hits, probability}, on the
    candidates that all have a score; the frame is empty where these are too few to fit.

    scores: one row a candidate (`score_candidates.score_all`); `judge` is the method that stands for "judge". Each
    frame's attrs hold `in_sample`.
    """
    found = {}
    for model in models:
        own = scores[(scores["model"] == model) & scores["score"].notna()]
        wide = own.pivot(index=["question_id", "answer_id", "correct"], columns="method", values="score")
        wide = wide.rename(columns={judge: "judge"}).dropna().reset_index()
        if not _enough(wide):
            wide = pd.DataFrame(columns=[*wide.columns, *SETS["G + J + U"]])
        truth = wide["correct"].astype(int)
        for label, columns in SETS.items():
            if wide.empty:
                found[model, label] = pd.DataFrame(columns=["question_id", "correct", "hits", "probability"])
                found[model, label].attrs["in_sample"] = np.nan
                continue
            fit = predict(wide[columns].to_numpy(float), truth, wide["question_id"])
            frame = pd.DataFrame(dict(question_id=wide["question_id"], correct=truth, hits=fit.hits))
            frame = frame.assign(probability=fit.probability)
            frame.attrs["in_sample"] = fit.in_sample
            found[model, label] = frame
    return found


def _enough(wide: pd.DataFrame) -> bool:
    """Whether both classes stay when any question is left out, and all of SETS are there."""
    right = wide.groupby("question_id")["correct"].agg(["sum", "size"]).astype(int)
    rest = right["sum"].sum() - right["sum"], (right["size"] - right["sum"]).sum() - (right["size"] - right["sum"])
    there = set(SETS["G + J + U"]) <= set(wide.columns)
    return there and len(right) > 1 and bool((rest[0] > 0).all() and (rest[1] > 0).all())


def prediction_table(
    fits: Mapping[tuple[str, str], pd.DataFrame], rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """One row a model and set: in_sample, across (on questions left out) with low and high over questions, auc."""
    rows = []
    for (model, label), fit in fits.items():
        across = bootstrap.interval(fit["hits"], rng, resamples, clusters=fit["question_id"])
        rows.append(
            dict(model=model, scores=label, in_sample=fit.attrs["in_sample"], across=across.estimate)
            | dict(low=across.low, high=across.high, auc=auc(fit["probability"], fit["correct"]) if len(fit) else None)
        )
    return pd.DataFrame(rows)


def prediction_gains(fits: Mapping[tuple[str, str], pd.DataFrame], pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Accuracy on questions left out, one set less another, by model: model, sets, difference, low, high, questions.

    Paired by question; simultaneous 95 % over all rows (`cautious_interval`).
    """
    models = list(dict.fromkeys(model for model, _ in fits))
    rows = []
    for model in models:
        for one, other in pairs:
            a, b = (fits[model, label].groupby("question_id")["hits"].mean() for label in (one, other))
            found = cautious_interval(a - b, 1 - 0.05 / (len(models) * len(pairs)))
            rows.append(
                dict(model=model, sets=f"{one} less {other}", difference=found.estimate, low=found.low)
                | dict(high=found.high, questions=len(a))
            )
    return pd.DataFrame(rows)
