"""How good is a validator? Published rows turned back into counts, our own checks into estimates with intervals.

Accepted means that the validator passed an answer. An unreadable verdict passes nothing: it counts as a
rejection here, has a column of its own, and leaves the AUC, which needs a score.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats.bootstrap import Interval, exact_interval, interval, paired_difference, statistic_interval
from proctor.stats.calibration import auc_interval, resampled_auc
from proctor.stats.proportions import Confusion, balanced_accuracy, confusion, measures
from proctor.stats.reconstruct import confusion_counts
from proctor.uq.checks import OUTCOMES

PRINTED = ("accuracy", "precision", "recall")
NONE = Interval(np.nan, np.nan, np.nan, 0.95, "none")  # of a figure that does not exist


def reconstruct_table(
    name: str, sizes: Iterable[int], rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """The rows of a published validator table ("uq/table_S1") with every confusion table that prints so.

    One row a solution; a row without any keeps one line, its counts missing. sizes: numbers of items to try.
    solution, solutions: 1 of 6, say, or 0 of 0. Every measure of `proportions.measures` is computed from the counts:
    _low and _high are its exact limits, _boot_low and _boot_high those of a percentile bootstrap over the items.
    Level 95 %. The paper's own figures, in percent as printed, end in _printed.
    """
    rows = []
    for row in load_published(name).itertuples(index=False):
        found = confusion_counts(row.accuracy, row.precision, row.recall, sizes)
        known = dict(
            model=row.model,
            judges=row.judges,
            strategy=row.strategy,
            **{f"{figure}_printed": getattr(row, figure) for figure in PRINTED},
            solutions=len(found),
        )
        for i, table in enumerate(found, 1):
            counts = table.confusion
            rows.append(
                known
                | dict(
                    solution=i,
                    n=table.n,
                    positives=table.positives,
                    tp=counts.tp,
                    fp=counts.fp,
                    fn=counts.fn,
                    tn=counts.tn,
                )
                | _figures(counts, rng, resamples)
            )
        if not found:
            rows.append(known | {"solution": 0})
    frame = pd.DataFrame(rows)
    return frame.astype({column: "Int64" for column in ("n", "positives", "tp", "fp", "fn", "tn")})


def counts_of(row) -> Confusion:
    """The confusion table of one row of `reconstruct_table` or `metrics_by_group` that has counts."""
    return Confusion(tp=int(row.tp), fp=int(row.fp), fn=int(row.fn), tn=int(row.tn))


def metrics_by_group(
    frame: pd.DataFrame,
    rng: np.random.Generator,
    resamples: int = 2_000,
    by: Sequence[str] = ("judge", "check"),
    level: float = 0.95,
) -> pd.DataFrame:
    """One row a judge and check of `checks.run_check`: counts, estimates and limits (_low, _high) of `level`.

    by: the columns that make a row, with the author, say; ("judges", "validator") for `run_validator.validate`, which
    has no p_accept and so no AUC. Questions are resampled, with all their answers: those to one question are not
    independent. Where no resample differs (a judge that accepts everything) the exact interval stands in, a question
    being one trial. A figure that does not exist is NaN, such as precision when nothing was accepted.
    """
    rows = []
    for names, part in frame.groupby(list(by), sort=False):
        accept, correct, question = _decisions(part)
        counts = confusion(accept, correct)
        row = dict(
            zip(by, names),
            n=counts.n,
            questions=part["question_id"].nunique(),
            unreadable=int((part["outcome"] == "unreadable").sum()),
            tp=counts.tp,
            fp=counts.fp,
            fn=counts.fn,
            tn=counts.tn,
        )
        found = {
            "balanced_accuracy": _balanced(accept, correct, question, rng, resamples, level),
            "precision": _mean(correct, accept == 1, question, rng, resamples, level),
            "recall": _mean(accept, correct == 1, question, rng, resamples, level),
            "specificity": _mean(1 - accept, correct == 0, question, rng, resamples, level),
        }
        if "p_accept" in part:
            found["auc"] = _auc(part["p_accept"].to_numpy(float), correct, question, rng, resamples, level)
        found["accuracy"] = interval(accept == correct, rng, resamples, level, clusters=question)
        for figure, value in found.items():
            row |= {figure: value.estimate, f"{figure}_low": value.low, f"{figure}_high": value.high}
        rows.append(row)
    if not rows:  # a judge of its own answers alone has none of others
        return pd.DataFrame(columns=[*by, *_COLUMNS, *(["auc", "auc_low", "auc_high"] if "p_accept" in frame else [])])
    return pd.DataFrame(rows)


_COLUMNS = ["n", "questions", "unreadable", "tp", "fp", "fn", "tn"] + [
    f"{figure}{end}"
    for figure in ("balanced_accuracy", "precision", "recall", "specificity", "accuracy")
    for end in ("", "_low", "_high")
]


def first_failure(frame: pd.DataFrame, stages: Sequence[str]) -> pd.Series:
    """At which of `stages`, from 1, each answer ends that goes through them in turn; one more if it passes them all.

    frame: one row an answer and stage, of one judge, columns answer_id, validator (the stage) and outcome, every answer
    judged at every stage (`recorded.stages`). Raises ValueError where one was not.
    """
    passed = frame.pivot(index="answer_id", columns="validator", values="outcome").reindex(columns=list(stages))
    if passed.isna().any(axis=None):
        name, stage = passed.isna().stack().idxmax()
        raise ValueError(f"answer {name} was not judged at stage {stage}: run every stage on every answer")
    return pd.Series((passed == "accept").cumprod(axis=1).sum(axis=1) + 1, name="stage")


def difference(
    frame: pd.DataFrame,
    check: str,
    other: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
    by: tuple[str, str] = ("judge", "check"),
    level: float = 0.95,
) -> pd.DataFrame:
    """Per judge, `check` less `other` in share of right verdicts, balanced accuracy and AUC, with limits of `level`.

    Limits end in _low and _high; without p_accept there is no AUC. Paired: both judged the same answers, and
    questions are resampled with both verdicts on all their answers. by: the columns of the judge and of what differs;
    ("judges", "validator") for `run_validator.validate`.
    """
    rows, (who, what) = [], by
    for judge, part in frame.groupby(who, sort=False):
        one, two = (part[part[what] == name].set_index("answer_id").sort_index() for name in (check, other))
        if not one.index.equals(two.index) or one.empty:
            raise ValueError(
                f"{judge}: {check} and {other} must have judged the same answers, {len(one)} and {len(two)} found"
            )
        (a, correct, question), (b, _, _) = _decisions(one), _decisions(two)
        exact = exact_interval(0.0, len(np.unique(question)), level, (-1.0, 1.0))  # where no resample differs
        found = {
            "right": paired_difference(a == correct, b == correct, rng, resamples, level, clusters=question),
            "balanced": statistic_interval(
                _balanced_gain,
                [a, b, correct],
                rng,
                resamples,
                level,
                clusters=question,
                bounds=(exact.low, exact.high),
                weighted=True,
            ),
        }
        if "p_accept" in part:
            scores = one["p_accept"].to_numpy(float), two["p_accept"].to_numpy(float)
            scored = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
            arrays = [values[scored] for values in (*scores, correct)]
            found["auc"] = statistic_interval(
                _auc_gain, arrays, rng, resamples, level, clusters=question[scored], bounds=(-1.0, 1.0), weighted=True
            )
        row = {who: judge}
        for figure, value in found.items():
            row |= {figure: value.estimate, f"{figure}_low": value.low, f"{figure}_high": value.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _raters(frame: pd.DataFrame) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The labels of the truth and of each judge, and question_id, each of shape (answers,)."""
    table = frame.pivot(index="answer_id", columns="judge", values="outcome")[list(frame["judge"].unique())]
    if table.isna().any(axis=None):
        missing = table.isna().any(axis=1).idxmax()
        raise ValueError(f"answer {missing} was not judged by every judge: let all judge the same answers")
    first = frame.drop_duplicates("answer_id").set_index("answer_id").loc[table.index]
    truth = np.where(first["correct"].astype(bool), "accept", "reject")
    return (
        {"truth": truth} | {judge: table[judge].to_numpy(str) for judge in table},
        first["question_id"].to_numpy(str),
    )


def _agreed(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.mean(a == b))


def _kappa(a: np.ndarray, b: np.ndarray) -> float | None:
    """As stats.agreement has it, without its table: thousands of resamples need it."""
    expected = sum(np.mean(a == label) * np.mean(b == label) for label in OUTCOMES.values())
    return None if expected == 1 else float((np.mean(a == b) - expected) / (1 - expected))


def _figures(counts: Confusion, rng: np.random.Generator, resamples: int) -> dict[str, float | None]:
    """Every measure of one confusion table with its exact and its bootstrap limits."""
    found = {}
    for figure in measures(counts, rng, resamples):
        name = figure.measure
        found |= {
            name: figure.estimate,
            f"{name}_low": figure.exact_low,
            f"{name}_high": figure.exact_high,
            f"{name}_boot_low": figure.low,
            f"{name}_boot_high": figure.high,
        }
    return found


def _decisions(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """accept (0/1), correct (0/1) and question_id, each of shape (answers,)."""
    return (
        (part["outcome"] == "accept").to_numpy(float),
        part["correct"].to_numpy(float),
        part["question_id"].to_numpy(str),
    )


def _mean(
    score: np.ndarray, among: np.ndarray, question: np.ndarray, rng: np.random.Generator, resamples: int, level: float
) -> Interval:
    """Interval of the mean 0/1 score `among` some of the answers; NaN where there are none."""
    if not among.any():
        return NONE
    return interval(score[among], rng, resamples, level, clusters=question[among])


def _balanced(
    accept: np.ndarray,
    correct: np.ndarray,
    question: np.ndarray,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> Interval:
    if correct.all() or not correct.any():
        return NONE
    estimate = confusion(accept, correct).balanced_accuracy
    exact = exact_interval(estimate, len(np.unique(question)), level, (0.0, 1.0))
    return statistic_interval(
        balanced_accuracy,
        [accept, correct],
        rng,
        resamples,
        level,
        clusters=question,
        bounds=(exact.low, exact.high),
        weighted=True,
    )


def _auc(
    score: np.ndarray,
    correct: np.ndarray,
    question: np.ndarray,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> Interval:
    scored = ~np.isnan(score)
    if len(np.unique(correct[scored])) < 2:
        return NONE
    return auc_interval(score[scored], correct[scored], rng, resamples, level, clusters=question[scored])


def _balanced_gain(drawn: np.ndarray, one: np.ndarray, two: np.ndarray, correct: np.ndarray) -> np.ndarray:
    return balanced_accuracy(drawn, one, correct) - balanced_accuracy(drawn, two, correct)


def _auc_gain(drawn: np.ndarray, one: np.ndarray, two: np.ndarray, correct: np.ndarray) -> np.ndarray:
    return resampled_auc(drawn, one, correct) - resampled_auc(drawn, two, correct)
