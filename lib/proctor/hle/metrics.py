"""What an exam says of a model: HLE's own figures, and corrected ones next to them, each under its own name.

correct: shape (questions,), 1, 0, or NaN where the judgement is missing or unreadable. confidence: the same shape, in
[0, 1], NaN where none was stated.

How sure a model says it is of its own answers: without examples, and after two that state high or low numbers.

All are asked of the same answers, so that the anchor's effect is the only difference. An anchor of 96 and 97 % cannot
raise what is at the top of the scale; one of 61 and 62 % can lower it, and was added after the first result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.exam import natural, screening
from proctor.exam.marking import accuracy_interval
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.stats import checks
from proctor.stats.bootstrap import Interval
from proctor.stats.calibration import calibration_error, calibration_interval, calibration_of_samples
from proctor.stats.proportions import official_half_width, wilson

OFFICIAL_BIN = 100


@dataclass(frozen=True)
class OfficialMetrics:
    """As HLE's public code computes them, in percent. `judged` answers enter the calibration error, which is None where
    the code would stop; of these, `unstated` gave no confidence and count as 100 %. `note` says what is odd."""

    n: int
    right: int
    accuracy: float
    half_width: float
    judged: int
    unstated: int
    calibration_error: float | None
    note: str


@dataclass(frozen=True)
class CorrectedMetrics:
    """In [0, 1]. accuracy counts `unreadable` judgements as wrong; its limits go from that reading to the opposite one.

    calibration: debiased, over the `calibrated` answers with judgement and stated confidence; None for fewer than two.
    overconfidence: their mean confidence less their accuracy.
    """

    n: int
    right: int
    unreadable: int
    accuracy: float
    low: float
    high: float
    calibrated: int
    all_bins: float | None
    calibration: Interval | None
    overconfidence: float | None


def official_metrics(correct: ArrayLike, confidence: ArrayLike) -> OfficialMetrics:
    """HLE's accuracy, half-width and RMS calibration error (section 4.2 and its public code).

    n is all questions: a missing or unreadable judgement counts as wrong, but leaves the calibration arrays. A missing
    confidence counts as 100 %, which HLE has the judge put down.
    """
    correct, confidence = _inputs(correct, confidence)
    n, judged = len(correct), ~np.isnan(correct)
    right = int(np.nansum(correct))
    accuracy = round(100 * right / n, 2)
    k, unstated = int(judged.sum()), int(np.isnan(confidence[judged]).sum())
    error, note = None, f"below {OFFICIAL_BIN} answers: index error"
    if k >= OFFICIAL_BIN:
        error = 100 * calibration_error(np.nan_to_num(confidence[judged], nan=1.0), correct[judged], "official")
        note = "" if k >= 2 * OFFICIAL_BIN else f"below {2 * OFFICIAL_BIN} answers: always 0"
    return OfficialMetrics(n, right, accuracy, official_half_width(accuracy, n), k, unstated, error, note)


def corrected_metrics(
    correct: ArrayLike,
    confidence: ArrayLike,
    rng: np.random.Generator,
    bin_size: int = 20,
    resamples: int = 2_000,
    level: float = 0.95,
) -> CorrectedMetrics:
    """Accuracy with Wilson's interval and the debiased calibration error with a bootstrap interval over questions."""
    correct, confidence = _inputs(correct, confidence)
    n, right, unreadable = len(correct), int(np.nansum(correct)), int(np.isnan(correct).sum())
    low, high = wilson(right, n, level)[0], wilson(right + unreadable, n, level)[1]
    known = ~np.isnan(correct) & ~np.isnan(confidence)
    k = int(known.sum())
    if k < 2:
        return CorrectedMetrics(n, right, unreadable, right / n, low, high, k, None, None, None)
    c, a = confidence[known], correct[known]
    return CorrectedMetrics(
        n,
        right,
        unreadable,
        right / n,
        low,
        high,
        k,
        calibration_error(c, a, "all_bins", bin_size),
        calibration_interval(c, a, rng, "debiased", bin_size, resamples, level),
        float(c.mean() - a.mean()),
    )


def metrics_table(
    table: pd.DataFrame,
    by: list[str],
    rng: np.random.Generator,
    right: str = "correct",
    bin_size: int = 20,
    resamples: int = 2_000,
) -> pd.DataFrame:
    """One row a group of `table` (from `exam.run_exam`) by columns `by`: official and corrected figures, all in [0, 1].

    `right` names the column of 1, 0 and NaN. by: ["model"], ["model", "category"] or ["model", "answer_type"], say.
    With several samples of a question (column sample) n is questions: accuracy is the mean of their means and its
    interval is over questions; calibration errors are those of each sitting, averaged; right is of `answers`.
    """
    rows = []
    several = "sample" in table and table["sample"].nunique() > 1
    for names, group in table.groupby(by, sort=False, observed=True):
        if several:
            rows.append(dict(zip(by, names)) | _of_samples(group, right, rng, bin_size, resamples))
            continue
        one, two = (
            f(group[right].astype(float), group["confidence"], *more)
            for f, more in ((official_metrics, ()), (corrected_metrics, (rng, bin_size, resamples)))
        )
        interval = two.calibration
        rows.append(
            dict(
                zip(by, names),
                n=two.n,
                answers=two.n,
                right=two.right,
                unreadable=two.unreadable,
                accuracy=two.accuracy,
                low=two.low,
                high=two.high,
                official_half_width=one.half_width / 100,
                stated=two.calibrated,
                unstated=one.unstated,
                official=np.nan if one.calibration_error is None else one.calibration_error / 100,
                all_bins=_or_nan(two.all_bins),
                debiased=_or_nan(interval and interval.estimate),
                debiased_low=_or_nan(interval and interval.low),
                debiased_high=_or_nan(interval and interval.high),
                overconfidence=_or_nan(two.overconfidence),
                note=one.note,
            )
        )
    return pd.DataFrame(rows)


def _of_samples(
    group: pd.DataFrame, right: str, rng: np.random.Generator, bin_size: int, resamples: int
) -> dict[str, object]:
    """The row of `metrics_table` for several answers to each question."""
    values = group[right].astype(float)
    found = accuracy_interval(values, group["question_id"])
    known = values.notna() & group["confidence"].notna()
    sittings = [part for _, part in group.assign(value=values).groupby("sample")]
    one = [official_metrics(part["value"], part["confidence"]) for part in sittings]
    stated = [part[part["value"].notna() & part["confidence"].notna()] for part in sittings]
    pairs = [(part["confidence"], part["value"], part["question_id"]) for part in stated]
    all_bins = calibration_of_samples(pairs, rng, "all_bins", bin_size, 1).estimate
    error = calibration_of_samples(pairs, rng, "debiased", bin_size, resamples)
    errors = [each.calibration_error for each in one if each.calibration_error is not None]
    return dict(
        n=found.n,
        answers=len(group),
        right=int(np.nansum(values)),
        unreadable=int(values.isna().sum()),
        accuracy=found.estimate,
        low=found.low,
        high=found.high,
        official_half_width=float(np.mean([each.half_width for each in one])) / 100,
        stated=int(known.sum()),
        unstated=sum(each.unstated for each in one),
        official=float(np.mean(errors)) / 100 if errors else np.nan,
        all_bins=all_bins,
        debiased=error.estimate,
        debiased_low=error.low,
        debiased_high=error.high,
        overconfidence=float(group["confidence"][known].mean() - values[known].mean()) if known.any() else np.nan,
        note="; ".join(dict.fromkeys(filter(None, (each.note for each in one)))),
    )


def _or_nan(value) -> float:
    return np.nan if value is None else value


def _inputs(correct: ArrayLike, confidence: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    correct, confidence = np.asarray(correct, float), np.asarray(confidence, float)
    checks.same_length(correct=correct, confidence=confidence)
    checks.binary(np.nan_to_num(correct), "correct")
    checks.probability(np.nan_to_num(confidence), "confidence")
    return correct, confidence


ANSWERS = 100
STYLES = ("plain", "anchored")  # of the first study
LOW = "low"  # the same two examples, stating 61 and 62 %
# Shares of replies below BELOW and their correlation, guessed before the study with the low anchor.
COLUMNS = ["model", "style", "question_id", "category", "answer_id", "correct", "confidence"]


async def anchored_confidence(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = ANSWERS,
    styles: Sequence[str] = STYLES,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """One row a style and natural answer of the model itself: model, style, question_id, category, answer_id, correct,
    confidence (in [0, 1], NaN where unreadable)."""
    table = []
    for model in models:
        questions, answers = await natural.candidates(session, [model], n, version)
        by_id = {question.id: question for question in questions}
        for style in styles:
            prompt = load(f"hle/confidence_{style}")
            requests = [
                prompt.request(model, question=by_id[answer.question_id].question, answer=answer.text)
                for answer in answers
            ]
            for answer, reply in zip(answers, await session.ask_many(requests, f"confidence, {style}")):
                said = reply.text.strip().removesuffix("%")
                table.append(
                    dict(
                        model=model,
                        style=style,
                        question_id=answer.question_id,
                        category=by_id[answer.question_id].category,
                        answer_id=answer.id,
                        correct=answer.correct,
                        confidence=int(said) / 100 if said.isdecimal() else float("nan"),
                    )
                )
    return pd.DataFrame(table, columns=COLUMNS).astype({"confidence": float, "correct": bool})


async def low_anchor(session: Session, models: Sequence[str] = (screening.MODEL,), n: int = ANSWERS) -> pd.DataFrame:
    """The same answers after the low examples; rows of `anchored_confidence`."""
    return await anchored_confidence(session, models, n, (LOW,))


STUDIES = {"hle.anchored_confidence": anchored_confidence, "hle.low_anchor": low_anchor}
MORE_STUDIES = {"hle.anchored_confidence.more": partial(anchored_confidence, version=screening.MORE)}
