"""What calls buy, and where answers fail (UQ, appendix I.5): early exit, stages of the default pipeline, authors."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.data.schemas import Answer, Question
from proctor.exam.recorded import model_answers
from proctor.models.session import Session
from proctor.stats.bootstrap import Interval, interval, paired_difference
from proctor.uq import validator_metrics
from proctor.uq.run_validator import validate

OUTCOMES = ("fails_at_1", "fails_at_2", "fails_at_3", "passes")


async def run_both_ways(
    session: Session,
    plan: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    questions: Sequence[Question],
    answers: Sequence[Answer],
) -> pd.DataFrame:
    """`validate` with early exit, its calls beside all_calls, those of casting every vote.

    plan: {name in column judges: (judges, validators)}. Raises AssertionError where both ways give other verdicts.
    """
    found = []
    for name, (judges, validators) in plan.items():
        for text in validators:
            early = await validate(session, text, judges, questions, answers)
            every = await validate(session, text, judges, questions, answers, exhaustive=True)
            assert early["outcome"].equals(every["outcome"]), f"{text} by {name}: early exit changes a verdict"
            found.append(early.assign(all_calls=every["calls"], judges=name))
    return pd.concat(found, ignore_index=True)


async def both_ways_on_models_answers(
    session: Session,
    plan: Mapping[str, tuple[Sequence[str], Sequence[str]]],
    answering: Sequence[str],
    per_level: int,
) -> tuple[list[Question], list[Answer], pd.DataFrame]:
    """(Generated questions, the answers of the `answering` models, `run_both_ways` on them)."""
    questions, answers = await model_answers(session, answering, per_level)
    return questions, answers, await run_both_ways(session, plan, questions, answers)


def calls_table(found: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """`metrics_by_group` of every judge and validator, with mean calls, all_calls and the share rejected."""
    scores = validator_metrics.metrics_by_group(found, rng, resamples, by=("judges", "validator"))
    scores["rejected"] = 1 - (scores["tp"] + scores["fp"]) / scores["n"]
    calls = found.groupby(["judges", "validator"], sort=False)[["calls", "all_calls"]].mean().reset_index()
    return scores.merge(calls, on=["judges", "validator"], validate="one_to_one")


def stage_ends(votes: pd.DataFrame, answers: pd.DataFrame, stages: Sequence[str]) -> pd.DataFrame:
    """One row a judge and answer: judge, author, question_id, correct and stage, from 1; one more passes them all.

    votes: `recorded.stages`. answers: `answer_gap.answer_table`.
    """
    return pd.concat(
        [
            answers.merge(validator_metrics.first_failure(part, stages).reset_index()).assign(judge=judge)
            for judge, part in votes.groupby("judges", sort=False)
        ],
        ignore_index=True,
    )


def stage_counts(ends: pd.DataFrame, judges: Sequence[str], authors: Sequence[str]) -> pd.DataFrame:
    """Answers of each author by judge and OUTCOMES, with right and passes_and_right; index judge, author."""
    keys = ["judge", "author"]
    index = pd.MultiIndex.from_product([judges, authors], names=keys)
    counts = ends.groupby(keys)["stage"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=range(1, 5), fill_value=0).set_axis(list(OUTCOMES), axis=1).reindex(index)
    counts["right"] = ends.groupby(keys)["correct"].sum()
    passed = ends[ends["stage"] == len(OUTCOMES)].groupby(keys)["correct"].sum()
    return counts.assign(passes_and_right=passed.reindex(index, fill_value=0))


def accepted_alone(found: pd.DataFrame, answers: pd.DataFrame, checks: Sequence[str]) -> pd.DataFrame:
    """How many answers of each author a judge accepts with each check alone: index judges, author; columns checks."""
    part = found[found["validator"].isin(list(checks))].merge(answers[["answer_id", "author"]], on="answer_id")
    part = part.assign(accepted=part["outcome"] == "accept")
    return part.pivot_table(index=["judges", "author"], columns="validator", values="accepted", aggfunc="sum")[
        list(checks)
    ]


def share_by_author(
    frame: pd.DataFrame, event: pd.Series, strong: str, weak: str, rng: np.random.Generator, resamples: int = 2_000,
    level: float = 0.95,
) -> Interval:  # fmt: skip
    """How much more often `event` is true of the author `strong` than of `weak`, in points: mean over judges, paired.

    frame: one row a judge and answer (columns question_id, author); event: bool, on its index.
    """
    wide = event.astype(float).groupby([frame["question_id"], frame["author"]]).mean().unstack()
    found = paired_difference(wide[strong], wide[weak], rng, resamples, level)
    return _percent(found)


def author_gap(
    stage: int, ends: pd.DataFrame, strong: str, weak: str, rng: np.random.Generator, resamples: int = 2_000
) -> Interval:
    """How much more often answers of `strong` than of `weak` end at `stage`, in points: mean over judges, paired."""
    return share_by_author(ends, ends["stage"] == stage, strong, weak, rng, resamples)


def failures_at(ends: pd.DataFrame, stage: int, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Of the answers that fail, the share that fails at `stage`, in percent; questions are resampled."""
    failed = ends[ends["stage"] <= 3]
    found = interval((failed["stage"] == stage).to_numpy(float), rng, resamples, clusters=failed["question_id"])
    return _percent(found)


def share_at(ends: pd.DataFrame, stage: int, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """The largest share, over authors, of answers that end at `stage`, in percent, with simultaneous intervals."""
    authors = list(ends["author"].unique())
    level = 1 - 0.05 / len(authors)
    parts = [ends[ends["author"] == author] for author in authors]
    found = [
        interval((part["stage"] == stage).to_numpy(float), rng, resamples, level, clusters=part["question_id"])
        for part in parts
    ]
    ends_of = (max(getattr(one, end) for one in found) for end in ("estimate", "low", "high"))
    return _percent(Interval(*ends_of, 0.95, f"largest of {len(authors)}"))


def author_differences(
    ends: pd.DataFrame,
    found: pd.DataFrame,
    answers: pd.DataFrame,
    strong: str,
    weak: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> pd.DataFrame:
    """Finding 8 by judge: answers of the strongest and of the weakest author to the same questions.

    what, judge, weakest, strongest (counts of n), points (strongest less weakest) with limits low and high at the
    level that the number of rows asks for; reading, by the interval alone: as the finding says, the other way, or
    cannot tell.
    """
    looks = [("fails at stage 1", ends, ends["stage"] == 1, -1), ("passes all", ends, ends["stage"] == 4, 1)]
    named = found.merge(answers[["answer_id", "author"]], on="answer_id").rename(columns={"judges": "judge"})
    for check in ("FLC", "C"):
        part = named[(named["validator"] == check) & named["judge"].isin(ends["judge"])]
        looks.append((f"{check} alone accepts", part, part["outcome"] == "accept", 1))
    judges = list(ends["judge"].unique())
    level = 1 - 0.05 / (len(looks) * len(judges))
    rows = []
    for what, frame, event, sign in looks:
        for judge in judges:
            one = frame[frame["judge"] == judge]
            it = share_by_author(one, event[one.index], strong, weak, rng, resamples, level)
            count = event[one.index].groupby(one["author"]).sum()
            low, high = sorted((sign * it.low, sign * it.high))
            reading = "as the finding says" if low > 0 else "the other way" if high < 0 else "cannot tell"
            rows.append(dict(what=what, judge=judge, weakest=count[weak], strongest=count[strong],
                             n=one["question_id"].nunique(), points=it.estimate, low=it.low, high=it.high,
                             reading=reading))  # fmt: skip
    return pd.DataFrame(rows)


def _percent(found: Interval) -> Interval:
    return Interval(100 * found.estimate, 100 * found.low, 100 * found.high, found.level, found.method)
