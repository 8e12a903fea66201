"""What a model claims and how often it is right: stated confidence, token probability, agreement of samples.

    claimed = claims_and_accuracy(answers, rng)       # one row a model: stated, token, right, with intervals
    errors = calibration_by_signal(answers, rng)      # the calibration error of both signals
    auc = discrimination({("MMLU", "confidence"): answers}, rng)

answers: rows of `exam.run_exam`: model, question_id, category, correct, confidence, probability. An interval resamples
`resampling_units`: families of questions whole, and questions that belong to no family one by one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.stats.bootstrap import Interval, interval, no_interval, statistic_interval
from proctor.stats.calibration import calibration_error, calibration_interval, reliability
from proctor.stats.proportions import wilson

SIGNALS = {"confidence": "stated confidence", "probability": "token probability"}  # column -> what it is
EXAM_PROMPTS = ("hle/answer_exact", "hle/answer_choice")
ALIKE = 0.03  # "near" a worked example: within three points


def resampling_units(rows: pd.DataFrame) -> pd.Series:
    """The label of the unit that each answer is resampled with: its family, or its question where it has none.

    Where all answers are of one family, every question is a unit.

    >>> rows = pd.DataFrame({"question_id": ["a", "b", "c"], "category": ["sums", "sums", ""]})
    >>> list(resampling_units(rows))
    ['sums', 'sums', 'c']
    """
    unit = rows["category"].where(rows["category"] != "", rows["question_id"])
    return unit if unit.nunique() > 1 else rows["question_id"]


def example_confidences(names: Sequence[str] = EXAM_PROMPTS) -> pd.DataFrame:
    """The confidence that each worked example of the exam's prompts states: prompt, example, confidence (in [0, 1]).

    >>> example_confidences()["confidence"].tolist()
    [0.96, 0.71, 0.97, 0.68]
    """
    rows = []
    for name in names:
        replies = [text for role, text in load(name).messages if role == "assistant"]
        rows += [
            dict(prompt=name, example=i, confidence=stated(text).confidence) for i, text in enumerate(replies, start=1)
        ]
    return pd.DataFrame(rows)


def claims_and_accuracy(
    answers: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> pd.DataFrame:
    """What each model claims and how often it is right, on the answers that have its signals (`claiming`). All in
    [0, 1], NaN for a signal that a model does not give.

    One row a model: model, n, units (that were resampled), and each quantity of `quantities` with _low and _high.
    """
    rows = []
    for model, given in answers.groupby("model", sort=False):
        these = claiming(given)
        row = dict(model=model, n=len(these), units=resampling_units(these).nunique())
        for name, found in quantities(these, rng, resamples, level).items():
            row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
        rows.append(row)
    return pd.DataFrame(rows)


def claiming(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that state a confidence and have a token probability; without the latter where none of them has one,
    as is usual with reasoning models and with Anthropic's."""
    signals = [name for name in SIGNALS if name == "confidence" or answers[name].notna().any()]
    return answers.dropna(subset=signals)


def quantities(
    answers: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> dict[str, Interval]:
    """What all these answers claim together, by name; answers of one unit stay together, whoever gave them.

    stated, token, right: means of stated confidence, token probability and correctness. overconfidence: stated less
    right. token_gap: stated less token probability. anchored: share of answers that state a confidence within three
    points of a worked example of the prompt. sure_when_wrong: share of wrong answers that state 90 % or more.
    """
    known = claiming(answers)
    said, token, right = known["confidence"], known["probability"], known["correct"].astype(float)
    examples = example_confidences()["confidence"].to_numpy()
    near = (abs(said.to_numpy()[:, None] - examples) <= ALIKE + 1e-9).any(axis=1)
    wrong = ~known["correct"].astype(bool)
    values = dict(
        stated=said,
        token=token,
        right=right,
        overconfidence=said - right,
        token_gap=said - token,
        anchored=pd.Series(near.astype(float), known.index),
        sure_when_wrong=(said[wrong] >= 0.9).astype(float),
    )
    found = {}
    for name, x in values.items():
        bounds = (-1.0, 1.0) if name in ("overconfidence", "token_gap") else (0.0, 1.0)
        x = x.dropna()
        units = resampling_units(known.loc[x.index])
        found[name] = _holding(interval(x, rng, resamples, level, clusters=units, bounds=bounds))
    return found


def in_percent(found: Interval | pd.Series, name: str = "") -> Interval:
    """An Interval in percent; of a row of `claims_and_accuracy` the quantity `name`.

    >>> in_percent(Interval(0.5, 0.25, 0.75, 0.95, "percentile")).low
    25.0
    """
    if isinstance(found, Interval):
        return replace(found, estimate=100 * found.estimate, low=100 * found.low, high=100 * found.high)
    return Interval(*(100 * found[name + end] for end in ("", "_low", "_high")), 0.95, "")  # callers say another level


def calibration_curves(answers: pd.DataFrame, bins: int = 5) -> pd.DataFrame:
    """Points of the calibration curves: signal, model, claimed, right, low, high (Wilson), n; all shares in [0, 1]."""
    rows = []
    for signal in SIGNALS:
        for model, these in answers.dropna(subset=[signal]).groupby("model", sort=False):
            curve = reliability(these[signal], these["correct"], bins=bins)
            rows += [
                dict(signal=signal, model=model, claimed=x, right=y, low=low, high=high, n=int(n))
                for x, y, low, high, n in zip(curve.confidence, curve.accuracy, curve.low, curve.high, curve.n)
            ]
    return pd.DataFrame(rows, columns=["signal", "model", "claimed", "right", "low", "high", "n"])


def calibration_by_signal(
    sets: Mapping[str, pd.DataFrame], rng: np.random.Generator, bin_size: int = 20, resamples: int = 2_000
) -> pd.DataFrame:
    """RMS calibration error of both signals, one row a set of answers and signal; all in [0, 1].

    official: HLE's code (NaN below 100 answers); all_bins: nothing left out; debiased: bins of `bin_size`, with its
    95 % interval. official_says: what is odd about the official figure.
    """
    rows = []
    for name, these in sets.items():
        for signal, title in SIGNALS.items():
            known = these.dropna(subset=[signal])
            c, right, n = known[signal], known["correct"], len(known)
            found = calibration_interval(c, right, rng, "debiased", max(min(bin_size, n), 2), resamples)
            rows.append(
                dict(
                    answers=name,
                    signal=title,
                    n=n,
                    accuracy=right.mean(),
                    claimed=c.mean(),
                    official=calibration_error(c, right) if n >= 100 else np.nan,
                    all_bins=calibration_error(c, right, "all_bins") if n else np.nan,
                    debiased=found.estimate,
                    low=found.low,
                    high=found.high,
                    official_says=_oddity(n),
                )
            )
    return pd.DataFrame(rows)


def calibration_difference(
    answers: pd.DataFrame,
    rng: np.random.Generator,
    bin_size: int = 20,
    resamples: int = 2_000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Debiased calibration error of stated confidence less that of token probability, one row a model.

    Both on the same answers, resampled together. Columns model, n, difference, low, high; NaN for a model that gives
    fewer than two answers with both.
    """
    rows = []
    for model, given in answers.groupby("model", sort=False):
        these = given.dropna(subset=list(SIGNALS))
        size = min(bin_size, len(these))
        if size < 2:
            rows.append(dict(model=model, n=len(these), difference=np.nan, low=np.nan, high=np.nan))
            continue

        def difference(said, token, right, size=size):
            return np.subtract(*(calibration_error(c, right, "debiased", min(size, len(c))) for c in (said, token)))

        columns = [these[name].to_numpy(float) for name in ("confidence", "probability", "correct")]
        found = statistic_interval(
            difference, columns, rng, resamples, level, clusters=resampling_units(these), bounds=(-1.0, 1.0)
        )
        found = _holding(found)
        rows.append(dict(model=model, n=len(these), difference=found.estimate, low=found.low, high=found.high))
    return pd.DataFrame(rows)


def accuracy_by_group(
    answers: pd.DataFrame, exam_answers: pd.DataFrame, exam: str, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Accuracy of each model on all families, by level, by family, and on the exam named `exam`; all in [0, 1].

    Over several families, families are resampled whole (`resampled` says so); else Wilson's interval of the questions,
    which stands beside in any case. Families are ordered by their accuracy over all models, the easiest first.
    """
    by_family = answers.groupby("category")["correct"].mean().sort_values(ascending=False, kind="stable")
    groups = {"all families": answers} | {f"level {level:.0f}": rows for level, rows in answers.groupby("level")}
    groups |= {name: answers[answers["category"] == name] for name in by_family.index} | {exam: exam_answers}
    rows = []
    for group, answered in groups.items():
        for model, these in answered.groupby("model", sort=False):
            right, several = these["correct"].astype(float), these["category"].nunique() > 1
            k, n = int(right.sum()), len(right)
            limits = wilson(k, n)
            found = interval(right, rng, resamples, clusters=these["category"]) if several else None
            rows.append(
                dict(
                    questions=group,
                    model=model,
                    n=n,
                    right=k,
                    accuracy=k / n,
                    low=found.low if found else limits[0],
                    high=found.high if found else limits[1],
                    resampled="families" if several else "questions",
                    wilson_low=limits[0],
                    wilson_high=limits[1],
                )
            )
    return pd.DataFrame(rows)


def spread_difference(answers: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Spread of accuracy over families less its spread over models (standard deviations), resampling families whole.

    The first is the mean over models of the deviation over families, the second the mean over families of that over
    models. A resample repeats families, so the first is a little too small in it: the interval leans towards 0.
    Below two families or two models there is no spread and no interval.
    """
    table = answers.pivot_table(index="category", columns="model", values="correct", aggfunc="mean").to_numpy(float)
    if min(table.shape) < 2:
        return no_interval(0.95)

    def difference(rows: np.ndarray) -> float:
        return rows.std(axis=0, ddof=1).mean() - rows.std(axis=1, ddof=1).mean()

    return _holding(statistic_interval(difference, [table], rng, resamples, bounds=(-1.0, 1.0)))


def unreadable(answers: pd.DataFrame) -> pd.DataFrame:
    """What could not be read of each model's replies: answers, unreadable, cut_off, no_confidence; and mean tokens."""
    return answers.groupby("model", sort=False).agg(
        answers=("answer", "size"),
        unreadable=("answer", lambda answer: answer.isna().sum()),
        cut_off=("cut_off", "sum"),
        no_confidence=("confidence", lambda confidence: confidence.isna().sum()),
        tokens=("completion_tokens", "mean"),
    )


def _holding(found: Interval) -> Interval:
    """The interval, stretched by rounding errors only, so that it holds its estimate."""
    return replace(found, low=found.low, high=max(found.high, found.estimate))


def _oddity(n: int) -> str:
    if n < 100:
        return "does not exist below 100"
    return "0 below 200" if n < 200 else f"leaves out {n - 100 * (n // 100 - 1)} of {n}"
