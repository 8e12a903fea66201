"""Agreement of reviewers, people and AI apart, and of validators with people (UQ, appendices B.3, C and I.3)."""

import krippendorff
import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats import bootstrap
from proctor.stats.proportions import clopper_pearson
from proctor.stats.reconstruct import accuracy_counts, agreement_counts
from proctor.uq.community import Community
from proctor.uq.resolution import independent

LABELS = ("yes", "no", "unsure")


def label_alpha(counts: np.ndarray) -> float:
    """Krippendorff's alpha of unordered labels, from how often each answer got each: counts (answers, labels).

    NaN where no two labels that can be paired differ.
    """
    paired = counts[counts.sum(axis=1) > 1]
    if (paired.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=paired, level_of_measurement="nominal"))


def reviewer_agreement(
    community: Community, rng: np.random.Generator, resamples: int = 1_000, level: float = 0.95
) -> pd.DataFrame:
    """People, AI reviewers, and both: reviews, answers with two or more, pairs that agree, alpha with limits.

    Answers are resampled with all their reviews. people, surest: those with confidence 4 or 5.
    """
    people = independent(community)
    ai = community.reviews[(community.reviews["kind"] == "ai") & community.reviews["withdrawn_at"].isna()]
    parts = {"people": people, "people, surest": people[people["confidence"] >= 4], "AI reviewers": ai}
    parts["people and AI"] = pd.concat([people, ai])
    rows = []
    for name, part in parts.items():
        if part.empty:
            continue
        counts = part.pivot_table(
            index="answer_id", columns="correct", values="review_id", aggfunc="count", fill_value=0
        )
        counts = counts.reindex(columns=list(LABELS), fill_value=0).to_numpy()
        counts = counts[counts.sum(axis=1) > 1]
        if not len(counts):
            continue
        n = counts.sum(axis=1)
        agree = float((counts * (counts - 1)).sum() / (n * (n - 1)).sum())
        found = bootstrap.statistic_interval(label_alpha, [counts], rng, resamples, level)
        row = dict(reviewers=name, reviews=int(n.sum()), answers=len(counts), agreement=agree)
        rows.append(row | dict(alpha=found.estimate, low=found.low, high=found.high))
    return pd.DataFrame(rows)


CELLS = ["both_passed", "only_validator", "only_people", "neither"]


def rated_answers(n: int = 25) -> pd.DataFrame:
    """Table S9 (and S2) as counts: one row an answer model, the 2x2 table that its three printed rates leave.

    low, high: exact 95 % limits of the agreement. always_reject: how often rejecting everything agrees with people.
    kappa: the exact fraction as text, "" where it does not exist. Raises ValueError unless exactly one table fits.
    """
    rows = []
    for row in load_published("uq/table_S9").itertuples():
        (found,) = agreement_counts(row.passed_validator, row.passed_human, row.agreement, n)
        (reasoning,) = accuracy_counts(row.reasoning_accuracy, n)
        cells, kappa = found.confusion, found.share("kappa")
        low, high = clopper_pearson(cells.tp + cells.tn, n)
        counts = dict(zip(CELLS, (cells.tp, cells.fp, cells.fn, cells.tn)))
        shares = dict(agreement=cells.accuracy, low=low, high=high, always_reject=1 - found.positives / n)
        known = dict(
            reasoning_right=reasoning.k, kappa_printed=row.cohens_kappa, kappa="" if kappa is None else str(kappa)
        )
        rows.append(dict(answer_model=row.answer_model) | counts | shares | known)
    return pd.DataFrame(rows)
