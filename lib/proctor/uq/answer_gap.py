"""Answering against validating (UQ, appendix B.1): a model's answer accuracy beside its verdicts on others' answers.

Validation accuracy is the share of right verdicts on *other* models' answers. Rejecting them all is right with 1 - a,
a being the share of right answers, so a gap over answering says little without that baseline.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.data.schemas import Answer
from proctor.stats.bootstrap import Interval, interval, statistic_interval
from proctor.uq import validator_metrics

GAP_COLUMNS = ("judge", "answers", "validator", "author", "n", "tp", "fp", "fn", "tn", "rejecting_all")


def answer_table(answers: Sequence[Answer]) -> pd.DataFrame:
    """One row an answer: answer_id, question_id, author, correct."""
    columns = ("id", "question_id", "author", "correct")
    return pd.DataFrame([{name: getattr(one, name) for name in columns} for one in answers]).rename(
        columns={"id": "answer_id"}
    )


def answer_accuracy(answers: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """Share of right answers by author, with 95 % limits: index author, columns accuracy, low, high."""
    rows = {}
    for author, part in answers.groupby("author", sort=False):
        found = interval(part["correct"].to_numpy(float), rng, resamples)
        rows[author] = dict(accuracy=found.estimate, low=found.low, high=found.high)
    return pd.DataFrame(rows).T.rename_axis("author")


def others_answers(verdicts: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The verdicts on answers by other models than the judge, with columns judge and author."""
    authors = answers.set_index("answer_id")["author"]
    frame = verdicts.assign(judge=verdicts["judges"], author=verdicts["answer_id"].map(authors))
    return frame[frame["author"] != frame["judge"]]


def gap_table(
    others: pd.DataFrame, accuracy: pd.DataFrame, baseline: str, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Validation of each judge, pooled for every validator and by author for `baseline`.

    GAP_COLUMNS, then validates (share of right verdicts) and balanced_accuracy, each with limits (_low, _high).
    answers: the judge's own accuracy. rejecting_all: the accuracy of rejecting all answers of the row.
    """
    pooled = validator_metrics.metrics_by_group(others, rng, resamples, by=("judge", "validator"))
    single = others[others["validator"] == baseline]
    parts = validator_metrics.metrics_by_group(single, rng, resamples, by=("judge", "author"))
    table = pd.concat([pooled.assign(author="all others"), parts.assign(validator=baseline)], ignore_index=True)
    table["answers"] = table["judge"].map(accuracy["accuracy"])
    table["rejecting_all"] = (table["fp"] + table["tn"]) / table["n"]
    ends = ("", "_low", "_high")
    table = table.rename(columns={f"accuracy{end}": f"validates{end}" for end in ends})
    limits = [f"{name}{end}" for name in ("validates", "balanced_accuracy") for end in ends]
    return table[[*GAP_COLUMNS, *limits]]


def gap_changes(
    others: pd.DataFrame,
    answers: pd.DataFrame,
    models: Sequence[str],
    validator: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
) -> list[Interval]:
    """How the gap (validation less answer accuracy) changes from each of `models` to the next, in points.

    Paired by question: both models answered each question, and each judged the others' answers to it.
    """
    frame = others[others["validator"] == validator]
    right = (frame["outcome"] == "accept") == frame["correct"].astype(bool)
    validates = right.groupby([frame["question_id"], frame["judge"]]).mean().unstack()
    own = answers.pivot(index="question_id", columns="author", values="correct").astype(float)
    gap = 100 * (validates - own)
    return [
        interval((gap[strong] - gap[weak]).to_numpy(float), rng, resamples, level, bounds=(-400.0, 400.0))
        for weak, strong in zip(models, models[1:])
    ]


def balanced_interval(
    others: pd.DataFrame, validator: str, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> dict[str, Interval]:
    """{judge: balanced accuracy in percent on other models' answers}."""
    frame = others[others["validator"] == validator]
    table = validator_metrics.metrics_by_group(frame, rng, resamples, ("judge", "validator"), level)
    ends = ("", "_low", "_high")
    return {
        row["judge"]: Interval(*(100 * row[f"balanced_accuracy{end}"] for end in ends), level, "percentile")
        for _, row in table.iterrows()
    }


def within_questions(frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """Of pairs of a right and a wrong answer to one question, the share in which the right one has the higher p.

    One row a judge and check: pairs, ranked_rightly (a tie counts half) with limits low and high. It shows whether a
    judge accepts by the answer and not by the question.
    """
    rows = []
    for (judge, check), part in frame.groupby(["judge", "check"], sort=False):
        right, wrong = (part.loc[part["correct"] == kind, ["question_id", "p_accept"]] for kind in (True, False))
        pair = right.merge(wrong, on="question_id", suffixes=("_right", "_wrong")).dropna()
        win = (1 + np.sign(pair["p_accept_right"] - pair["p_accept_wrong"]).to_numpy(float)) / 2
        found = interval(win, rng, resamples, clusters=pair["question_id"])
        rows.append(dict(judge=judge, check=check, pairs=len(pair), ranked_rightly=found.estimate, low=found.low,
                         high=found.high))  # fmt: skip
    return pd.DataFrame(rows, columns=["judge", "check", "pairs", "ranked_rightly", "low", "high"])


def transfer_table(
    sets: Mapping[str, pd.DataFrame], rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> pd.DataFrame:
    """The same checks on several sets of answers: `metrics_by_group` with columns answers (the set) and accepted."""
    parts = [
        validator_metrics.metrics_by_group(frame, rng, resamples, level=level).assign(answers=name)
        for name, frame in sets.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(accepted=(table["tp"] + table["fp"]) / table["n"])


def transfer_losses(
    first: pd.DataFrame,
    second: pd.DataFrame,
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
) -> dict[str, Interval]:
    """{judge: mean balanced accuracy of its checks on set `first` less that on `second`, in points}.

    Questions are resampled; those that both sets share come with their answers of both.
    """
    found = {}
    for judge in first["judge"].unique():
        both = pd.concat([part[part["judge"] == judge].assign(first=k) for k, part in ((1, first), (0, second))])
        checks = both["check"].astype("category").cat.codes.to_numpy()
        arrays = [(both["outcome"] == "accept").to_numpy(float), both["correct"].to_numpy(float),
                  both["first"].to_numpy(), checks]  # fmt: skip
        question = both["question_id"].to_numpy(str)
        found[judge] = statistic_interval(
            _transfer_loss, arrays, rng, resamples, level, clusters=question, bounds=(-100.0, 100.0), weighted=True
        )
    return found


def _transfer_loss(
    drawn: np.ndarray, accept: np.ndarray, correct: np.ndarray, first: np.ndarray, check: np.ndarray
) -> np.ndarray:
    """100 times the difference of the mean, over checks, of balanced accuracy on the two sets; (resamples,)."""

    def level(one: int) -> np.ndarray:
        parts = [drawn * ((first == one) & (check == name)) for name in np.unique(check)]
        with np.errstate(invalid="ignore"):
            return np.mean([_balanced(part, accept, correct) for part in parts], axis=0)

    return 100 * (level(1) - level(0))


def _balanced(drawn: np.ndarray, accept: np.ndarray, correct: np.ndarray) -> np.ndarray:
    right, wrong = drawn * correct, drawn * (1 - correct)
    return (right @ accept / right.sum(axis=1) + 1 - wrong @ accept / wrong.sum(axis=1)) / 2
