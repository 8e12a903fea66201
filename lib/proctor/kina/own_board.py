"""What one's own leaderboard says by category and pair by pair (ranks: `ranked_models`)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from proctor.kina.leaderboard import Leaderboard
from proctor.stats.proportions import wilson

LEAST = 6  # labels from which on Student's interval over them was shown to hold its level
POPULATIONS = ("auto", "items", "disciplines")


@dataclass(frozen=True)
class Population:
    """What a board's results are to hold for. clusters: the labels that are the units, None where single items are.

    n, of: how many of what are the units. says: the population in a sentence."""

    clusters: tuple[str, ...] | None
    n: int
    of: str
    says: str


def population_of(board: Leaderboard, population: str = "auto") -> Population:
    """Items like these in these very disciplines ("items"), or also other disciplines like these ("disciplines").

    auto: disciplines where there are six or more, else items. Items of one discipline rise and fall together: taken one
    by one they say nothing of other disciplines, and fewer than six labels hardly say anything either."""
    if population not in POPULATIONS:
        raise ValueError(f"population is {population!r}: choose one of {', '.join(POPULATIONS)}")
    n = len(set(board.clusters or ()))
    if population == "disciplines" and n < 2:
        raise ValueError("population is disciplines, and there are none: give each item one, or choose items")
    if n >= LEAST and population == "auto" or population == "disciplines":
        says = f"other disciplines like these: the {n} disciplines are the units"
        return Population(board.clusters, n, "disciplines", says)
    n_items = len(board.items)
    says = (
        f"other items like these{', of these very disciplines' if n > 1 else ''}: the {n_items:,} items are the units"
    )
    return Population(None, n_items, "items", says)


def by_category(board: Leaderboard, least: int = 1) -> pd.DataFrame:
    """One row a system and category: items that it has, accuracy in percent with its 95 % interval (other items of the
    category; Wilson's where scores are 0 and 1, else Student's). Categories with fewer than `least` items are left out:
    they say nothing."""
    labels = np.array(board.clusters or (), object)
    rows = []
    for category in dict.fromkeys(board.clusters or ()):
        part = board.scores[:, labels == category]
        if part.shape[1] < least:
            continue
        for model, scores in zip(board.models, part):
            own = scores[~np.isnan(scores)]
            low, high = _limits(own) if len(own) else (np.nan, np.nan)
            mean = own.mean() if len(own) else np.nan
            rows.append((model, category, len(own), 100 * mean, 100 * low, 100 * high))
    return pd.DataFrame(rows, columns=["model", "category", "items", "accuracy", "low", "high"])


def _limits(scores: np.ndarray) -> tuple[float, float]:
    n = len(scores)
    if np.isin(scores, (0.0, 1.0)).all():
        return wilson(int(scores.sum()), n)
    if n < 2 or not (spread := scores.std(ddof=1)):
        return 0.0, 1.0  # one number tells nothing of its spread
    half = stdtrit(n - 1, 0.975) * spread / n**0.5
    return max(scores.mean() - half, 0.0), min(scores.mean() + half, 1.0)
