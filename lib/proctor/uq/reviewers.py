"""Agreement of the reviewers of a platform, people and AI apart (UQ, appendix C)."""

import krippendorff
import numpy as np
import pandas as pd

from proctor.stats import bootstrap
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
