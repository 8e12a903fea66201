"""What KINA's Figures 5, 6 and 11 and a second leaderboard show when nothing is there (simulated).

No simulated model has a strength in any subject. Each function measures, exam by exam, how much of a strength the
picture shows all the same.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.kina.simulated_boards import disciplines, published_facts
from proctor.stats import checks
from proctor.stats.compare_rankings import compare_boards

HIGH = 0.75  # a high score on an item: three of four answers right


def levels(n_items: int | None = None) -> dict[str, np.ndarray]:
    """{"item", "discipline", "subject"}: the group of each item, shape (items,). Which discipline belongs to which of
    the 12 subjects is assumed."""
    labels = disciplines(n_items)
    subjects = labels % int(published_facts()["top_level_disciplines"])
    return dict(item=np.arange(len(labels)), discipline=labels, subject=subjects)


def best_models(scores: ArrayLike, top: int = 10) -> np.ndarray:
    """Rows of the first `top` models of an exam, the first first. scores (models, items)."""
    return np.argsort(-np.asarray(scores).mean(axis=1), kind="stable")[:top]


def group_scores(scores: ArrayLike, groups: ArrayLike) -> np.ndarray:
    """Mean score in percent of each model in each group of items, shape (models, groups)."""
    groups = np.asarray(groups)
    size = np.bincount(groups)
    return 100 * np.stack([np.bincount(groups, weights=row) / size for row in checks.finite(scores, "scores", 2)])


def own_part(cells: ArrayLike) -> np.ndarray:
    """What is the model's own in each cell: points above or below what model and group together explain.

    >>> own_part([[10.0, 20.0], [30.0, 40.0]]).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    cells = np.asarray(cells, float)
    return cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=0) + cells.mean()


def profiles_by_exam(exams: ArrayLike, rng: np.random.Generator, top: int = 10) -> pd.DataFrame:
    """What each exam shows of its `top` best models, one row an exam. exams: scores (exams, models, items).

    own_range         points from a model's worst to its best subject, of its own part, averaged over the models
    own_largest       the largest part of a cell that is the model's own, in points
    shuffled_share    variance between disciplines with the items' disciplines shuffled, over that without
    high_alone        items that only one model does well on, of the model that has fewest
    """
    groups, rows = levels(), []
    for scores in checks.finite(exams, "exams", 3):
        best = scores[best_models(scores, top)]
        own = own_part(group_scores(best, groups["subject"]))
        spread = [
            group_scores(best, labels).var(axis=1).mean()
            for labels in (groups["discipline"], rng.permutation(groups["discipline"]))
        ]
        high = best >= HIGH
        rows.append(
            dict(
                own_range=np.ptp(own, axis=1).mean(),
                own_largest=np.abs(own).max(),
                shuffled_share=spread[1] / spread[0],
                high_alone=high[:, high.sum(axis=0) == 1].sum(axis=1).min(),
            )
        )
    return pd.DataFrame(rows)


def spread_by_level(scores: ArrayLike, rng: np.random.Generator, top: int = 10) -> pd.DataFrame:
    """Spread of a model's scores over items, disciplines and subjects in one exam (points, averaged over the models),
    and with the labels shuffled. scores (models, items)."""
    best, rows = np.asarray(scores)[best_models(scores, top)], {}
    for level, labels in levels().items():
        spread = [group_scores(best, groups).std(axis=1).mean() for groups in (labels, rng.permutation(labels))]
        count = int(labels.max()) + 1
        rows[level] = dict(groups=count, items_each=len(labels) / count, spread=spread[0], shuffled=spread[1])
    return pd.DataFrame(rows).T.rename_axis("level")


def scores_by_level(scores: ArrayLike, names: list[str], rng: np.random.Generator, top: int = 10) -> pd.DataFrame:
    """The group scores behind `spread_by_level`, long: columns model, level, labels (as simulated or shuffled), score.

    names: of all models; the rows are the `top` best models of the exam.
    """
    rows, best = np.asarray(scores), best_models(scores, top)
    parts = []
    for level, groups in levels().items():
        for which, labels in (("as simulated", groups), ("labels shuffled", rng.permutation(groups))):
            cells = group_scores(rows[best], labels)
            parts.append(
                pd.DataFrame(
                    dict(
                        model=np.repeat([names[m] for m in best], cells.shape[1]),
                        level=level,
                        labels=which,
                        score=cells.ravel(),
                    )
                )
            )
    return pd.concat(parts, ignore_index=True)


def places(scores: ArrayLike) -> np.ndarray:
    """Place of each model in an exam, 1 the best; equal scores in the order given. scores (models, items)."""
    return 1 + np.argsort(np.argsort(-np.asarray(scores).mean(axis=1), kind="stable"))


def compare_exam_pairs(exams: ArrayLike, rng: np.random.Generator, resamples: int) -> pd.DataFrame:
    """Each exam beside the next one, which has the same models and other items: exams 1 and 2, 3 and 4, and so on.

    exams: scores (exams, models, items). swapped: share of pairs of models in the other order; moved: most places that
    a model moves; tau: Kendall's; changed: pairs whose lead changed beyond what resamples of both exams' items reach,
    all pairs at once (`stats.compare_rankings.compare_boards`).
    """
    exams, rows = checks.finite(exams, "exams", 3), []
    if len(exams) < 2:
        raise ValueError("one exam has no other next to it: give two at least")
    for one, other in zip(exams[::2], exams[1::2]):
        same = compare_boards(one, other, rng, resamples)
        rows.append(
            dict(
                swapped=same.swapped / same.pairs,
                moved=int(np.abs(places(one) - places(other)).max()),
                tau=same.tau,
                changed=int(same.differ.sum()) // 2,
            )
        )
    return pd.DataFrame(rows)


def cells_by_subject(scores: ArrayLike, names: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(accuracy in percent, the model's own part in points) of each model in each subject. scores (models, items)."""
    cells = group_scores(scores, levels()["subject"])
    columns = range(1, cells.shape[1] + 1)
    return pd.DataFrame(cells, names, columns), pd.DataFrame(own_part(cells), names, columns)
