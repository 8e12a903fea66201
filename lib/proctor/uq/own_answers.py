"""A validator on answers of one's own: what it accepts, by author, and how right it is where the truth is known."""

from typing import Any

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import interval, statistic_interval
from proctor.stats.interval import exact_interval
from proctor.stats.proportions import balanced_accuracy, wilson


def acceptance(verdicts: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """One row an author, "all" first where there are several: answers, accepted, votes, unreadable (votes that no
    verdict could be read from), rejected_unreadable (answers rejected or unreadable with such a vote among theirs),
    share (percent) with its interval, and of right and of wrong answers the same (NaN where none is known to be so).

    verdicts: of `run_validator.validate`, with a column author. An unreadable vote accepts nothing, so a judge whose
    replies can't be read looks strict; these two columns show it. Answers to one question are resampled together."""
    several = verdicts["author"].nunique() > 1
    groups = ([("all", verdicts)] if several else []) + list(verdicts.groupby("author", sort=False))
    rows = []
    for author, part in groups:
        known = part["correct"].map(lambda truth: truth if isinstance(truth, bool) else None)
        row = dict(
            author=author or "(no author)",
            answers=len(part),
            accepted=int((part["outcome"] == "accept").sum()),
            votes=int(part["votes"].sum()),
            unreadable=int(part["unreadable"].sum()),
            rejected_unreadable=int(((part["outcome"] != "accept") & (part["unreadable"] > 0)).sum()),
        )
        for name, these in (("share", part), ("of_right", part[known == True]), ("of_wrong", part[known == False])):  # noqa: E712
            row |= _share(name, these, rng, resamples)
        rows.append(row)
    return pd.DataFrame(rows)


def _share(name: str, part: pd.DataFrame, rng: np.random.Generator, resamples: int) -> dict[str, float]:
    if not len(part):
        return {name: np.nan, f"{name}_low": np.nan, f"{name}_high": np.nan}
    accepted = (part["outcome"] == "accept").to_numpy(float)
    if part["question_id"].nunique() == len(part):
        low, high = wilson(int(accepted.sum()), len(part))
        return {name: 100 * accepted.mean(), f"{name}_low": 100 * low, f"{name}_high": 100 * high}
    found = interval(accepted, rng, resamples, clusters=part["question_id"]).scaled(100)
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def finding(verdicts: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> dict[str, Any]:
    """The keywords of `Output.claim`: does it tell right from wrong (balanced accuracy, questions resampled)?

    Where no truth is known, or all answers are right or all wrong: does it accept at most half?"""
    known = verdicts[verdicts["correct"].map(lambda truth: isinstance(truth, bool))]
    if known["correct"].nunique() == 2:
        accept, correct = (known["outcome"] == "accept").to_numpy(float), known["correct"].to_numpy(float)
        questions = known["question_id"].nunique()
        alike = exact_interval(0.5, questions, 0.95, (0.0, 1.0))  # of a validator that accepts all, or none
        found = statistic_interval(
            balanced_accuracy,
            [accept, correct],
            rng,
            resamples,
            clusters=known["question_id"],
            bounds=(alike.low, alike.high),
            weighted=True,
        ).scaled(100)
        return dict(
            sentence="The validator tells right answers from wrong ones better than chance",
            interval=found,
            n=questions,
            of="questions",
            unit="% balanced accuracy",
            says="> 50",
        )
    row = _share("share", verdicts, rng, resamples)
    return dict(
        sentence="The validator accepts at most half of the answers",
        estimate=row["share"],
        interval=(row["share_low"], row["share_high"]),
        n=verdicts["question_id"].nunique(),
        of="questions",
        unit="%",
        says="<= 50",
    )
