"""Accuracy against parameters: slopes of recorded models with intervals, and how a slope depends on where one stands.

A slope over x = log10(parameters) is a weighted sum of the accuracies, with weights (x - mean) / sum of squares.
So each question has a slope of its own, and the exam's slope is their mean: resampling questions, or whole families of
questions, gives an interval that belongs to these models.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri
from scipy.stats import linregress, t

from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval

PARTS = ("generated", "MMLU-tiny", "generated, level 1", "generated, level 2", "generated, level 3")


def parts(answers: pd.DataFrame, exam: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The recorded answers by exam: {name: answers} for PARTS. answers: generated questions; exam: MMLU-tiny."""
    levels = [answers[answers["level"] == level] for level in (1, 2, 3)]
    return dict(zip(PARTS, [answers, exam, *levels]))


def models_of(millions: Mapping[str, float]) -> list[str]:
    """The models' names. Raises ValueError, before any is asked, for fewer than two sizes: they have no slope."""
    if len(set(millions.values())) < 2:
        raise ValueError(f"a slope over size needs models of two sizes at least; millions = {dict(millions)}")
    return list(millions)


def slope_weights(millions: Mapping[str, float]) -> np.ndarray:
    """Weights of the models' scores (0 to 1) in the slope, in points for tenfold parameters, shape (models,).

    >>> slope_weights({"small": 10.0, "large": 1000.0}).tolist()
    [-50.0, 50.0]
    """
    decades = np.log10(list(millions.values()))
    off = decades - decades.mean()
    return 100 * off / (off**2).sum()


def question_slopes(answers: pd.DataFrame, millions: Mapping[str, float]) -> pd.DataFrame:
    """The slope of each question, columns question_id, family (empty where it has none), slope."""
    scores = answers.pivot(index=["question_id", "category"], columns="model", values="correct")[list(millions)]
    slopes = scores.to_numpy(float) @ slope_weights(millions)
    return pd.DataFrame(dict(slope=slopes), index=scores.index).reset_index().rename(columns={"category": "family"})


def slope_table(
    exams: Mapping[str, pd.DataFrame], millions: Mapping[str, float], seed: int, resamples: int
) -> pd.DataFrame:
    """One row an exam: questions, families, accuracy of each model (percent), slope (points a decade) and intervals.

    low, high: families resampled where the exam has them, else questions; question_low, question_high: questions.
    line_low, line_high: Student's interval of a line fitted to the models' accuracies, which asks how far the models
    lie from a line, and not how many questions there were. first_step, last_step: slopes between neighbouring models.
    """
    weights, decades, rows = slope_weights(millions), np.log10(list(millions.values())), []
    bounds = (float(weights[weights < 0].sum()), float(weights[weights > 0].sum()))
    for name, answered in exams.items():
        found, labels = question_slopes(answered, millions), None
        if found["family"].nunique() > 1:
            labels = found["family"].to_numpy()
        of_questions, of_units = (
            bootstrap.interval(found["slope"], np.random.default_rng(seed), resamples, clusters=clusters, bounds=bounds)
            for clusters in (None, labels)
        )
        accuracy = 100 * answered.groupby("model")["correct"].mean()[list(millions)].to_numpy()
        line = linregress(decades, accuracy)
        reach = t.ppf(0.975, len(decades) - 2) * line.stderr if len(decades) > 2 else np.nan
        steps = np.diff(accuracy) / np.diff(decades)
        rows.append(
            dict(exam=name, questions=len(found), families=found["family"].nunique() if labels is not None else 0)
            | dict(zip(millions, accuracy))
            | dict(
                slope=of_units.estimate,
                low=of_units.low,
                high=of_units.high,
                question_low=of_questions.low,
                question_high=of_questions.high,
                line_low=line.slope - reach,
                line_high=line.slope + reach,
                first_step=steps[0],
                last_step=steps[-1],
            )
        )
    return pd.DataFrame(rows)


def slope_lost(answers: pd.DataFrame, millions: Mapping[str, float], seed: int, resamples: int) -> tuple[Interval, int]:
    """Slope on level 1 less that on level 3, families of questions resampled with both levels; and their number."""
    found = question_slopes(answers, millions).merge(
        answers[["question_id", "level"]].drop_duplicates(), on="question_id", validate="1:1"
    )
    by_family = found.pivot_table(index="family", columns="level", values="slope")
    least, most = 0.0, float(np.abs(slope_weights(millions)).sum())
    lost = (by_family[1] - by_family[3]).to_numpy()
    return bootstrap.interval(lost, np.random.default_rng(seed), resamples, bounds=(least - most, most)), len(lost)


@dataclass(frozen=True)
class Curve:
    """Where models of one gain in ability stand: for each shift (logits) their mean accuracy and slope (percent)."""

    shift: np.ndarray
    mean: np.ndarray
    slope: np.ndarray


def slope_curve(
    gain: float, sizes_b: Sequence[float], difficulty_sd: float, n_items: int = 899, chance: float = 10.0
) -> Curve:
    """Slopes that one `gain` in ability (logits for tenfold parameters) gives, wherever the models stand.

    sizes_b: billions of parameters of the models. Items have normal difficulties of that spread, at its quantiles, so
    nothing is drawn. Accuracy is chance + (100 - chance) times the mean logistic of ability less difficulty.
    """
    hard = difficulty_sd * ndtri((np.arange(n_items) + 0.5) / n_items)
    decades, shift = np.log10(sizes_b), np.linspace(-9, 9, 361)
    ability = shift[:, None] + gain * decades
    accuracy = chance + (100 - chance) * expit(ability[..., None] - hard).mean(axis=-1)
    return Curve(shift, accuracy.mean(axis=1), np.array([linregress(decades, row).slope for row in accuracy]))


def where(curve: Curve, slope: float) -> tuple[float, float]:
    """(shift, mean accuracy) at which the curve first has that slope, NaN if it has it nowhere."""
    rising = slice(0, int(curve.slope.argmax()) + 1)
    if not curve.slope[0] <= slope <= curve.slope.max():
        return np.nan, np.nan
    shift = float(np.interp(slope, curve.slope[rising], curve.shift[rising]))
    return shift, float(np.interp(shift, curve.shift, curve.mean))
