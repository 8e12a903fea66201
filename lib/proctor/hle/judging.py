"""A model as judge (HLE, section 4.1): what comparison decides without one, and how good the judge itself is.

    judge_scores(judgements, rng)                    # each judge against exact comparison with the key
    comparison_counts(answers, questions)            # what comparison decides, and what is left open

judgements: rows of `exam.run_exam.judge`: judge, question_id, category, correct (by the key), accepted, p_accept.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from proctor.data.schemas import Question
from proctor.exam import run_exam
from proctor.exam.answer_match import same
from proctor.exam.words import same_answer
from proctor.hle.confidence import resampling_units
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.registry import price, spec
from proctor.stats.agreement import agreement
from proctor.stats.bootstrap import Interval, interval, paired_difference
from proctor.stats.calibration import auc_interval

TOKENS_A_JUDGEMENT = 150  # of a provider's reply with four fields, about


def judge_scores(
    judged: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> pd.DataFrame:
    """Each judge against exact comparison with the key; intervals resample questions with all their answers.

    Indexed by judge: judged, unreadable; agreement with low, high; always_no (the agreement of a judge that rejects
    everything), kappa; wrong_accepted of_wrong, right_rejected of_right; accepts_wrong and accepts_right with limits
    (shares); auc of the probability of yes with auc_low, auc_high; agreement_tuned: with the threshold that suits the
    other families best. NaN where a class or the probability is missing.
    """
    rows = []
    for judge, these in judged.groupby("judge", sort=False):
        read = these.dropna(subset=["accepted"])
        accepted, right, unit = read["accepted"].astype(bool), read["correct"].astype(bool), read["question_id"]
        both = agreement(accepted, right) if len(read) else None
        share = interval(accepted == right, rng, resamples, level, clusters=unit)
        row = dict(
            judge=judge,
            judged=len(these),
            unreadable=len(these) - len(read),
            agreement=both.agreement if both else np.nan,
            low=share.low,
            high=share.high,
            always_no=1 - right.mean(),
            kappa=np.nan if both is None or both.kappa is None else both.kappa,
            wrong_accepted=int((accepted & ~right).sum()),
            of_wrong=int((~right).sum()),
            right_rejected=int((~accepted & right).sum()),
            of_right=int(right.sum()),
        )
        for name, which in (("accepts_wrong", ~right), ("accepts_right", right)):
            row |= _share(name, accepted[which], unit[which], rng, resamples, level)
        rows.append(row | _ranking(these.dropna(subset=["p_accept"]), rng, resamples, level))
    return pd.DataFrame(rows).set_index("judge")


def tuned_verdicts(judged: pd.DataFrame) -> np.ndarray:
    """Verdicts of one judge by its probability of yes: each family with the threshold that suits the others best.

    Rejects everything in a family where there is no other.
    """
    p, right = judged["p_accept"].to_numpy(float), judged["correct"].to_numpy(bool)
    family, verdicts = judged["category"].to_numpy(), np.zeros(len(judged), bool)
    for held_out in dict.fromkeys(family):
        other = family != held_out
        if other.any():
            threshold = max(sorted(p[other]), key=lambda t: ((p[other] >= t) == right[other]).mean())
            verdicts[~other] = p[~other] >= threshold
    return verdicts


def gain_of_tuning(
    judged: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Agreement of one judge's `tuned_verdicts` with the key, less that of rejecting everything; no interval for a
    judge that gives no probabilities."""
    judged = judged.dropna(subset=["p_accept"])
    right = judged["correct"].to_numpy(bool)
    return paired_difference(
        (tuned_verdicts(judged) == right).astype(float),
        (~right).astype(float),
        rng,
        resamples,
        level,
        clusters=judged["question_id"],
    )


# What comparison alone can say


def compared_answers(answers: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """The exact-match rows of `answers` with columns key, exact (equal as text or number), ends_in_key, by_rounding.

    ends_in_key: the part after the last "=" is the key, as in "11 + 9 = 20". by_rounding: would be the key if rounding
    were allowed, though it is not right.
    """
    keys = {question.id: question.answer for question in questions}
    rows = answers[answers["answer_type"] == "exactMatch"]
    rows = rows[rows["question_id"].isin(keys)].assign(key=lambda these: these["question_id"].map(keys))
    said = rows["answer"].fillna("")
    last = said.str.split("=").str[-1].str.strip()
    return rows.assign(
        exact=[same_answer(text or None, key) for text, key in zip(said, rows["key"])],
        ends_in_key=[same_answer(text or None, key) for text, key in zip(last, rows["key"])],
        by_rounding=[
            not right and same(text, key, rounding=True) is True
            for text, key, right in zip(said, rows["key"], rows["correct"])
        ],
    )


def comparison_counts(compared: pd.DataFrame) -> pd.DataFrame:
    """What comparison says of each model's answers: a count a column, one row a model (from `compared_answers`)."""
    rows = []
    for model, these in compared.groupby("model", sort=False):
        right, undecided = these["correct"], these["undecided"]
        rows.append(
            dict(
                model=model,
                answers=len(these),
                unreadable=these["answer"].isna().sum(),
                exactly_right=these["exact"].sum(),
                right_in_another_form=(right & ~these["exact"]).sum(),
                wrong=(~right & ~undecided).sum(),
                undecided=undecided.sum(),
                of_these_ending_in_the_key=(undecided & these["ends_in_key"]).sum(),
            )
        )
    return pd.DataFrame(rows)


def comparison_examples() -> pd.DataFrame:
    """Pairs of answers and what `exam.answer_match.same` says of them: yes, no, or ask a judge.

    >>> comparison_examples().set_index(["answer", "key"]).loc[("1/2", "0.5"), "the same"]
    'yes'
    """
    pairs = [
        ("1/2", "0.5"),
        (r"\frac{\sqrt2}{2}", "1/sqrt(2)"),
        ("x^2+2x+1", "(x+1)^2"),
        ("{2, 1}", "{1, 2}"),
        ("[0,1)", "(0,1]"),
        ("3.14", r"\pi"),
        ("0.374", "0.4"),
        ("CO2", "C2O"),
        ("Rhine", "the river Rhine"),
        ("9**9**9**9", "1"),
    ]
    words = {True: "yes", False: "no", None: "ask a judge"}
    rows = [(answer, key, words[same(answer, key)]) for answer, key in pairs]
    return pd.DataFrame(rows, columns=["answer", "key", "the same"])


def open_verdicts(judged: pd.DataFrame, compared: pd.DataFrame, judge: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(the answers that `judge` weighed, with ends_in_key; the counts of its verdicts by ends_in_key).

    judged: from `exam.run_exam.judge_undecided`. The counts have columns accepted, rejected and, if any, unreadable.
    """
    weighed = judged[judged["decided_by"] == judge]
    ends = compared["ends_in_key"].reindex(weighed.index).fillna(False).astype(bool)
    verdict = weighed["right"].map({1.0: "accepted", 0.0: "rejected"}).fillna("unreadable")
    counts = pd.crosstab(ends.map({True: "ends in the key", False: "does not"}), verdict)
    columns = ["accepted", "rejected", *(["unreadable"] if (verdict == "unreadable").any() else [])]
    counts = counts.reindex(index=["does not", "ends in the key"], columns=columns, fill_value=0)
    return weighed.assign(ends_in_key=ends), counts.rename_axis(index="answer", columns=None)


class Bill(NamedTuple):
    """Dollars of a provider's judge for all answers and for the undecided ones, and how many these are."""

    answers: int
    undecided: int
    all_dollars: float
    undecided_dollars: float


def judging_bill(answers: pd.DataFrame, questions: Sequence[Question], judge: str = "openai/gpt-4o") -> Bill:
    """What `judge` would cost: a token for four characters of the request, about 150 tokens a judgement.

    Nothing is asked. Raises ValueError for a judge without a price in params/prices.yaml.
    """
    rates = price(judge)
    if rates is None:
        raise ValueError(f"{judge} has no price: add it to params/prices.yaml")
    by_id = {question.id: question for question in questions}
    calls = [run_exam.judge_request(judge, by_id[row.question_id], row.reply) for row in answers.itertuples()]
    dollars = np.array([call.characters / 4 * rates[0] + TOKENS_A_JUDGEMENT * rates[1] for call in calls])
    undecided = answers["undecided"].to_numpy(bool)
    return Bill(len(calls), int(undecided.sum()), float(dollars.sum()), float(dollars[undecided].sum()))


def prompt_fields(answers: pd.DataFrame, judged: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Share of replies in which each field of HLE's prompts can be read, one row a prompt and model.

    answers: of `exam.run_exam`. judged: the answers that `judge` weighed (`open_verdicts`); there `answer` is its
    verdict. The judge's prompt with four fields is for providers' models.
    """
    rows: list[dict] = []
    for name, kind in (("hle/answer_exact", "exactMatch"), ("hle/answer_choice", "multipleChoice")):
        for model, these in answers[answers["answer_type"] == kind].groupby("model", sort=False):
            rows.append(
                dict(
                    prompt=name,
                    version=_version(name),
                    model=model,
                    replies=len(these),
                    explanation=np.mean([bool(stated(reply).explanation) for reply in these["reply"]]),
                    answer=these["answer"].notna().mean(),
                    confidence=these["confidence"].notna().mean(),
                    cut_off=these["cut_off"].mean(),
                )
            )
    readable = judged["right"].notna().mean() if len(judged) else np.nan
    asked = "hle/judge" if spec(judge).local else "hle/judge_fields"
    for name in ("hle/judge", "hle/judge_fields"):
        row = dict(prompt=name, version=_version(name))
        if name == asked:
            rows.append(row | dict(model=judge, replies=len(judged), answer=readable))
        else:
            rows.append(row | dict(model="", replies=0))
    return pd.DataFrame(rows)


def _version(name: str) -> str:
    return load(name).version.partition("@")[2]


def _share(
    name: str, values: pd.Series, unit: pd.Series, rng: np.random.Generator, resamples: int, level: float
) -> Mapping[str, float]:
    if values.empty:
        return {name: np.nan, f"{name}_low": np.nan, f"{name}_high": np.nan}
    found = interval(values.astype(float), rng, resamples, level, clusters=unit)
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def _ranking(known: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float) -> Mapping[str, float]:
    if not 0 < known["correct"].sum() < len(known):
        return dict(auc=np.nan, auc_low=np.nan, auc_high=np.nan, agreement_tuned=np.nan)
    p, right = known["p_accept"].to_numpy(float), known["correct"].to_numpy(bool)
    found = auc_interval(p, right, rng, resamples, level, clusters=known["question_id"])
    tuned = (tuned_verdicts(known) == right).mean()
    return dict(auc=found.estimate, auc_low=found.low, auc_high=found.high, agreement_tuned=tuned)


def undecided_share(compared: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Share of exact-match answers that comparison leaves undecided, families of questions resampled whole."""
    return interval(compared["undecided"].astype(float), rng, resamples, clusters=resampling_units(compared))


def readable_share(answers: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Share of replies in which both answer and confidence can be read, families of questions resampled whole."""
    both = answers["answer"].notna() & answers["confidence"].notna()
    return interval(both.astype(float), rng, resamples, clusters=resampling_units(answers))


def accepts_open(weighed: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Share accepted of the open answers that do not end in the key (`open_verdicts`), resampling questions.

    An unreadable verdict accepts nothing. Where there is no such answer there is no interval.
    """
    rest = weighed[~weighed["ends_in_key"]]
    return interval((rest["right"] == 1).astype(float), rng, resamples, clusters=rest["question_id"])
