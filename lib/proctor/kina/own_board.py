"""What one's own leaderboard says by category and pair by pair (ranks: `ranked_models`)."""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from proctor.kina.leaderboard import Leaderboard
from proctor.stats.proportions import wilson

CLUSTERS = 20  # labels from which on it makes sense to resample them


def resampled(board: Leaderboard) -> tuple[tuple[str, ...] | None, int, str]:
    """The labels to resample whole (None: single items), and how many of what that is. With fewer than 20 labels
    resampling them is too bold."""
    n = len(set(board.clusters or ()))
    return (board.clusters, n, "disciplines") if n >= CLUSTERS else (None, len(board.items), "items")


def by_category(board: Leaderboard, least: int = 1) -> pd.DataFrame:
    """One row a system and category: items, accuracy in percent with its 95 % interval (items resampled; Wilson's where
    scores are 0 and 1, else Student's). Categories with fewer than `least` items are left out: they say nothing."""
    labels = np.array(board.clusters or (), object)
    rows = []
    for category in dict.fromkeys(board.clusters or ()):
        part = board.scores[:, labels == category]
        if part.shape[1] < least:
            continue
        for model, scores in zip(board.models, part):
            low, high = _limits(scores)
            rows.append((model, category, len(scores), 100 * scores.mean(), 100 * low, 100 * high))
    return pd.DataFrame(rows, columns=["model", "category", "items", "accuracy", "low", "high"])


def _limits(scores: np.ndarray) -> tuple[float, float]:
    n = len(scores)
    if np.isin(scores, (0.0, 1.0)).all():
        return wilson(int(scores.sum()), n)
    if n < 2 or not (spread := scores.std(ddof=1)):
        return 0.0, 1.0  # one number tells nothing of its spread
    half = stdtrit(n - 1, 0.975) * spread / n**0.5
    return max(scores.mean() - half, 0.0), min(scores.mean() + half, 1.0)
