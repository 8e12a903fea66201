"""How good is a validator? Published rows turned back into counts, our own checks into estimates with intervals.

Accepted means that the validator passed an answer. An unreadable verdict passes nothing: it counts as a
rejection here, has a column of its own, and leaves the AUC, which needs a score.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats.bootstrap import Interval, exact_interval, interval, paired_difference, statistic_interval
from proctor.stats.calibration import auc, auc_interval
from proctor.stats.compare import kept_against_dropped
from proctor.stats.proportions import Confusion, confusion, measures
from proctor.stats.reconstruct import confusion_counts

PRINTED = ("accuracy", "precision", "recall")


def implied(name: str, sizes: Iterable[int], rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """The rows of a published validator table ("uq/table_S1") with every confusion table that prints so.

    One row a solution; a row without any keeps one line, its counts missing. sizes: numbers of items to try.
    solution, solutions: 1 of 6, say, or 0 of 0. Every measure of `proportions.measures` is computed from the counts:
    _low and _high are its exact limits, _boot_low and _boot_high those of a percentile bootstrap over the items.
    Level 95 %. The paper's own figures, in percent as printed, end in _printed.
    """
    rows = []
    for row in load_published(name).itertuples(index=False):
        found = confusion_counts(row.accuracy, row.precision, row.recall, sizes)
        known = dict(model=row.model, judges=row.judges, strategy=row.strategy,
                     **{f"{figure}_printed": getattr(row, figure) for figure in PRINTED}, solutions=len(found))
        for i, table in enumerate(found, 1):
            counts = table.confusion
            rows.append(known | dict(solution=i, n=table.n, positives=table.positives, tp=counts.tp, fp=counts.fp,
                                     fn=counts.fn, tn=counts.tn) | _figures(counts, rng, resamples))
        if not found:
            rows.append(known | {"solution": 0})
    frame = pd.DataFrame(rows)
    return frame.astype({column: "Int64" for column in ("n", "positives", "tp", "fp", "fn", "tn")})


def counts_of(row) -> Confusion:
    """The confusion table of one row of `implied` or `summary` that has counts."""
    return Confusion(tp=int(row.tp), fp=int(row.fp), fn=int(row.fn), tn=int(row.tn))


def unanimity(rows: pd.DataFrame) -> pd.DataFrame:
    """Each majority row of `implied` beside the unanimous row of the same judges and check.

    precision_gain, recall_gain: in points, from the printed figures. kept and dropped: of the answers that the
    majority accepted, those that unanimity still accepts and the others, as right / all; p: Fisher's exact test
    of their precisions, valid if both rows read the same votes. Only rows with one solution have counts.
    """
    first = rows.drop_duplicates(["judges", "strategy"])
    by_name = {(row.judges, row.strategy): row for row in first.itertuples(index=False)}
    table = []
    for (judges, strategy), loose in by_name.items():
        strict = by_name.get((judges, strategy.replace("|M", "|U")))
        if not strategy.endswith("|M") or strict is None:
            continue
        pair = dict(model=loose.model, judges=judges, check=strategy.removesuffix("|M").strip())
        for figure in ("precision", "recall"):
            pair[f"{figure}_gain"] = float(getattr(strict, f"{figure}_printed")) - float(getattr(loose, f"{figure}_printed"))
        if loose.solutions == strict.solutions == 1:
            both = kept_against_dropped(counts_of(strict), counts_of(loose))
            pair |= dict(kept="{} / {}".format(*both.kept), dropped="{} / {}".format(*both.dropped), p=both.p)
        table.append(pair)
    return pd.DataFrame(table)


def summary(frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """One row a judge and check of `validators.check`: counts, estimates and 95 % limits (_low, _high).

    Questions are resampled, with all their answers: the right and the wrong answer to one question are not
    independent. Where no resample differs (a judge that accepts everything) the exact interval stands in, a
    question being one trial. A figure that does not exist is NaN: precision when nothing was accepted, say.
    """
    rows = []
    for (judge, check), part in frame.groupby(["judge", "check"], sort=False):
        accept, correct, question = _decisions(part)
        counts = confusion(accept, correct)
        row = dict(judge=judge, check=check, n=counts.n, questions=part["question_id"].nunique(),
                   unreadable=int((part["outcome"] == "unreadable").sum()),
                   tp=counts.tp, fp=counts.fp, fn=counts.fn, tn=counts.tn)
        scored = part["p_accept"].notna().to_numpy()
        score = part["p_accept"].to_numpy(float)
        found = {
            "balanced_accuracy": _balanced(accept, correct, question, rng, resamples),
            "precision": _mean(correct, accept == 1, question, rng, resamples),
            "recall": _mean(accept, correct == 1, question, rng, resamples),
            "specificity": _mean(1 - accept, correct == 0, question, rng, resamples),
            "auc": auc_interval(score[scored], correct[scored], rng, resamples, clusters=question[scored]),
        }
        for figure, value in found.items():
            row |= {figure: value.estimate, f"{figure}_low": value.low, f"{figure}_high": value.high}
        rows.append(row)
    return pd.DataFrame(rows)


def difference(frame: pd.DataFrame, check: str, other: str, rng: np.random.Generator,
               resamples: int = 2_000) -> pd.DataFrame:
    """Per judge, `check` less `other` in share of right verdicts and in AUC, with 95 % limits (_low, _high).

    Paired: both judged the same answers, and questions are resampled with both verdicts on all their answers.
    """
    rows = []
    for judge, part in frame.groupby("judge", sort=False):
        one, two = (part[part["check"] == name].set_index("answer_id").sort_index() for name in (check, other))
        if not one.index.equals(two.index) or one.empty:
            raise ValueError(f"{judge}: {check} and {other} must have judged the same answers, {len(one)} and {len(two)} found")
        (a, correct, question), (b, _, _) = _decisions(one), _decisions(two)
        gain = paired_difference(a == correct, b == correct, rng, resamples, clusters=question)
        scores = one["p_accept"].to_numpy(float), two["p_accept"].to_numpy(float)
        scored = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
        arrays = [values[scored] for values in (*scores, correct)]
        area = statistic_interval(_auc_gain, arrays, rng, resamples, clusters=question[scored], bounds=(-1.0, 1.0))
        rows.append(dict(judge=judge, right=gain.estimate, right_low=gain.low, right_high=gain.high,
                         auc=area.estimate, auc_low=area.low, auc_high=area.high))
    return pd.DataFrame(rows)


def _figures(counts: Confusion, rng: np.random.Generator, resamples: int) -> dict[str, float | None]:
    """Every measure of one confusion table with its exact and its bootstrap limits."""
    found = {}
    for figure in measures(counts, rng, resamples):
        name = figure.measure
        found |= {name: figure.estimate, f"{name}_low": figure.exact_low, f"{name}_high": figure.exact_high,
                  f"{name}_boot_low": figure.low, f"{name}_boot_high": figure.high}
    return found


def _decisions(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """accept (0/1), correct (0/1) and question_id, each of shape (answers,)."""
    return ((part["outcome"] == "accept").to_numpy(float), part["correct"].to_numpy(float),
            part["question_id"].to_numpy(str))


def _mean(score: np.ndarray, among: np.ndarray, question: np.ndarray, rng: np.random.Generator, resamples: int) -> Interval:
    """Interval of the mean 0/1 score `among` some of the answers; NaN where there are none."""
    if not among.any():
        return Interval(np.nan, np.nan, np.nan, 0.95, "none")
    return interval(score[among], rng, resamples, clusters=question[among])


def _balanced(accept: np.ndarray, correct: np.ndarray, question: np.ndarray, rng: np.random.Generator,
              resamples: int) -> Interval:
    def balanced(a: np.ndarray, c: np.ndarray) -> float | None:
        return confusion(a, c).balanced_accuracy

    exact = exact_interval(balanced(accept, correct), len(np.unique(question)), 0.95, (0.0, 1.0))
    return statistic_interval(balanced, [accept, correct], rng, resamples, clusters=question,
                              bounds=(exact.low, exact.high))


def _auc_gain(one: np.ndarray, two: np.ndarray, correct: np.ndarray) -> float | None:
    areas = auc(one, correct), auc(two, correct)
    return None if None in areas else areas[0] - areas[1]
