"""Do scores separate right from wrong on questions that the solver cannot solve? (CBU, section 5, Figure 3)

The gap of a question is the mean score of its right candidates less that of its wrong ones, over the range that the
score can take. Its difficulty is one minus the share of the solver's own attempts that are right.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.cbu.judges import JUDGES
from proctor.cbu.sign_flip import cautious_interval
from proctor.stats.bootstrap import statistic_interval

BINS = {"solved": (-0.01, 0.4), "sometimes": (0.4, 0.9), "never": (0.9, 1.0)}  # of difficulty, upper end included


def score_gaps(scores: pd.DataFrame, attempts: Sequence[pd.DataFrame], methods: Sequence[str]) -> pd.DataFrame:
    """One row a method, model and question: gap, difficulty, and which of BINS it is in.

    scores: as of `score_candidates.score_all`. attempts: frames with model, question_id, correct; all count alike.
    """
    tried = pd.concat([table[["model", "question_id", "correct"]] for table in attempts])
    difficulty = 1 - tried.groupby(["model", "question_id"])["correct"].mean().rename("difficulty")
    kept = scores[scores["method"].isin(methods)]
    span = kept["method"].map(lambda name: JUDGES[name].high - JUDGES[name].low if name in JUDGES else 1)
    keys = ["method", "model", "question_id"]
    sides = kept.assign(score=kept["score"] / span).groupby([*keys, "correct"])["score"].mean().unstack()
    gaps = (sides[True] - sides[False]).dropna().rename("gap").reset_index().merge(difficulty.reset_index())
    edges = [low for low, _ in BINS.values()] + [1.0]
    return gaps.assign(solved=pd.cut(gaps["difficulty"], edges, labels=list(BINS)))


def gap_by_difficulty(gaps: pd.DataFrame) -> pd.DataFrame:
    """Mean gap in each bin of difficulty, by method and model: difficulty, gap, low, high (95 %), questions.

    Limits are NaN with fewer than six questions: no sign-flip test can then reject anything at 95 %.
    """
    rows = []
    for (method, model, name), part in gaps.groupby(["method", "model", "solved"], observed=True, sort=False):
        found = cautious_interval(part["gap"])
        low, high = (np.nan, np.nan) if found.method == "range" else (found.low, found.high)
        rows.append(
            dict(method=method, model=model, solved=str(name), difficulty=part["difficulty"].mean())
            | dict(gap=found.estimate, low=low, high=high, questions=len(part))
        )
    columns = ["method", "model", "solved", "difficulty", "gap", "low", "high", "questions"]
    return pd.DataFrame(rows, columns=columns).sort_values(["method", "model", "difficulty"], ignore_index=True)


def gaps_at(gaps: pd.DataFrame, solved: str, methods: Sequence[str]) -> pd.DataFrame:
    """Mean gap in one bin of difficulty by method and model: difference, low, high (simultaneous 95 %), questions."""
    own = gaps[(gaps["solved"] == solved) & gaps["method"].isin(methods)]
    parts = [(key, part["gap"]) for key, part in own.groupby(["method", "model"], sort=False)]
    rows = []
    for (method, model), values in parts:
        found = cautious_interval(values, 1 - 0.05 / len(parts))
        rows.append(
            dict(method=method, model=model, difference=found.estimate, low=found.low, high=found.high)
            | dict(questions=len(values))
        )
    return pd.DataFrame(rows, columns=["method", "model", "difference", "low", "high", "questions"])


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Least-squares slope of y on x; NaN where x does not vary."""
    return float(np.polyfit(x, y, 1)[0]) if np.ptp(x) else np.nan


def gap_slopes(
    gaps: pd.DataFrame, methods: tuple[str, str], rng: np.random.Generator, resamples: int = 2_000, spread: int = 5
) -> pd.DataFrame:
    """Change of the gap from difficulty 0 to 1 for both methods and their difference, by model: slope, low, high.

    Simultaneous 95 % over all rows (bootstrap over questions). NaN where fewer than `spread` questions differ from
    the commonest difficulty: there is nothing to fit.
    """
    models, rows = list(gaps["model"].unique()), []
    level = 1 - 0.05 / (3 * len(models))
    for model in models:
        own = gaps[gaps["model"] == model]
        wide = own.pivot(index=["question_id", "difficulty"], columns="method", values="gap").reset_index()
        wide = wide.reindex(columns=["difficulty", *methods])
        columns = {name: wide[name] for name in methods}
        columns[f"{methods[0]} less {methods[1]}"] = wide[methods[0]] - wide[methods[1]]
        for name, column in columns.items():
            column, difficulty = column.dropna(), wide.loc[column.notna(), "difficulty"]
            row = dict(model=model, gap_of=name, slope=np.nan, low=np.nan, high=np.nan, questions=len(column))
            if difficulty.value_counts().max() <= len(column) - spread:
                found = statistic_interval(slope, [difficulty, column], rng, resamples, level, bounds=(-2, 2))
                row |= dict(slope=found.estimate, low=found.low, high=found.high)
            rows.append(row)
    return pd.DataFrame(rows)
