"""What an exam says of a model: HLE's own figures, and corrected ones next to them, each under its own name.

correct: shape (questions,), 1, 0, or NaN where the judgement is missing or unreadable. confidence: the same shape, in
[0, 1], NaN where none was stated.

`anchored_confidence` asks how sure a model is of its own answers: without examples, and after two that state high or
low numbers. All are asked of the same answers, so that the anchor is the only difference. An anchor of 96 and 97 %
cannot raise what is at the top of the scale; one of 61 and 62 % can lower it, and was added after the first result.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.exam import screening
from proctor.exam.marking import accuracy_interval
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.models.studies import ask_table
from proctor.stats import checks
from proctor.stats.bootstrap import no_interval
from proctor.stats.calibration import calibration_error, calibration_interval
from proctor.stats.proportions import official_half_width

OFFICIAL_BIN = 100


def official_metrics(correct: ArrayLike, confidence: ArrayLike) -> dict[str, Any]:
    """HLE's accuracy, half-width and RMS calibration error in percent (section 4.2), as its public code computes them.

    n is all questions: a missing or unreadable judgement counts as wrong, but leaves the calibration arrays of `judged`
    answers. A missing confidence counts as 100 %, which HLE has the judge put down; `unstated` counts these.
    calibration_error is NaN where the code would stop; `note` says what is odd.
    """
    correct, confidence = np.asarray(correct, float), np.asarray(confidence, float)
    checks.same_length(correct=correct, confidence=confidence)
    checks.binary(np.nan_to_num(correct), "correct")
    checks.probability(np.nan_to_num(confidence), "confidence")
    n, judged = len(correct), ~np.isnan(correct)
    accuracy = round(100 * int(np.nansum(correct)) / n, 2)
    k, unstated = int(judged.sum()), int(np.isnan(confidence[judged]).sum())
    error, note = np.nan, f"below {OFFICIAL_BIN} answers: index error"
    if k >= OFFICIAL_BIN:
        error = 100 * calibration_error(np.nan_to_num(confidence[judged], nan=1.0), correct[judged], "official")
        note = "" if k >= 2 * OFFICIAL_BIN else f"below {2 * OFFICIAL_BIN} answers: always 0"
    found = dict(accuracy=accuracy, half_width=official_half_width(accuracy, n), judged=k, unstated=unstated)
    return found | dict(calibration_error=error, note=note)


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
    accuracy counts `unreadable` judgements as wrong; its limits go from that reading to the opposite one. Calibration
    is over the `stated` answers, with judgement and confidence; debiased, with a bootstrap interval over questions.
    overconfidence is their mean confidence minus their accuracy. What fewer than two answers can't show is NaN.

    With several samples of a question (column sample) n is questions: accuracy is the mean of their means and its
    interval is over questions; calibration errors are those of each sitting, averaged; right is of `answers`.
    """
    rows = []
    several = "sample" in table and table["sample"].nunique() > 1
    for names, group in table.groupby(by, sort=False, observed=True):
        group = group.assign(value=group[right].astype(float))
        found = accuracy_interval(group["value"], group["question_id"] if several else range(len(group)))
        sittings = [part for _, part in group.groupby("sample")] if several else [group]
        official = pd.DataFrame([official_metrics(part["value"], part["confidence"]) for part in sittings])
        known = group.dropna(subset=["value", "confidence"])
        sure, true = known["confidence"].to_numpy(), known["value"].to_numpy()
        all_bins, error = np.nan, no_interval(0.95)
        if several:
            labels = dict(questions=known["question_id"], sittings=known["sample"])
            all_bins = calibration_interval(sure, true, rng, "all_bins", bin_size, 1, **labels).estimate
            error = calibration_interval(sure, true, rng, "debiased", bin_size, resamples, **labels)
        elif len(known) > 1:
            all_bins = calibration_error(sure, true, "all_bins", bin_size)
            error = calibration_interval(sure, true, rng, "debiased", bin_size, resamples)
        row = dict(zip(by, names), n=found.n, answers=len(group), right=int(np.nansum(group["value"])))
        row |= dict(unreadable=int(group["value"].isna().sum()), accuracy=found.estimate, low=found.low)
        row |= dict(high=found.high, official_half_width=official["half_width"].mean() / 100, stated=len(known))
        row |= dict(unstated=official["unstated"].sum(), official=official["calibration_error"].mean() / 100)
        row |= dict(all_bins=all_bins) | error.columns("debiased")
        row["overconfidence"] = float(sure.mean() - true.mean()) if len(known) > (not several) else np.nan
        rows.append(row | dict(note="; ".join(filter(None, official["note"].unique()))))
    return pd.DataFrame(rows)


ANSWERS = 100
STYLES = ("plain", "anchored")  # of the first study
LOW = "low"  # the same two examples, stating 61 and 62 %
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
    calls = []
    for model in models:
        questions, answers = await screening.candidates(session, [model], n, version)
        by_id = {question.id: question for question in questions}
        for style, answer in product(styles, answers):
            question = by_id[answer.question_id]
            row = dict(model=model, style=style, question_id=question.id, category=question.category)
            asked = load(f"hle/confidence_{style}").request(model, question=question.question, answer=answer.text)
            calls.append((row | dict(answer_id=answer.id, correct=answer.correct), asked))
    table = await ask_table(session, calls, "confidence", _stated_percent, COLUMNS)
    return table.astype({"confidence": float, "correct": bool})


def _stated_percent(_: Mapping, __: Request, reply: Reply) -> dict[str, float]:
    said = reply.text.strip().removesuffix("%")
    return dict(confidence=int(said) / 100 if said.isdecimal() else np.nan)


low_anchor = partial(anchored_confidence, styles=(LOW,))  # the same answers after the low examples
STUDIES = {"hle.anchored_confidence": anchored_confidence, "hle.low_anchor": low_anchor}
MORE_STUDIES = {"hle.anchored_confidence.more": partial(anchored_confidence, version=screening.MORE)}
