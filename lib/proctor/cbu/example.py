"""One generated question with its candidates and neighbours, and what candidates are worth (CBU, Figures 1 and 2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.cbu import ranking_metrics
from proctor.cbu.candidates import KINDS
from proctor.data.schemas import Answer, Question

TINY = pd.DataFrame(  # six candidates with ties in all the wrong places
    dict(score=[0.9, 0.5, 0.2, 0.9, 0.5, 0.1], correct=[1, 1, 1, 0, 0, 0], human=[0, 1, 0, 0, 0, 0])
)


def example_table(
    question: Question, own: Sequence[Answer], near: Sequence[Question], worth: pd.DataFrame
) -> pd.DataFrame:
    """Question (Q), candidates (C) with their utility to each model, neighbours (Q*) with their keys; text last.

    worth: as of `utility.utilities`. `oracle` is 1 for a candidate whose answer and derivation are right, else 0.
    """
    rows = [dict(part="Q", kind="", oracle="", text=question.question)]
    rows += [dict(part="C", kind=c.label, oracle=int(c.correct), text=c.text) for c in own]
    rows += [dict(part="Q*", kind="", oracle="", text=f"{other.question} [{other.answer}]") for other in near]
    each = worth[worth["question_id"] == question.id].pivot(index="kind", columns="model", values="utility")
    return pd.DataFrame(rows).join(each[list(worth["model"].unique())], on="kind")


def example_scores(scored: pd.DataFrame, question_id: str, model: str) -> pd.DataFrame:
    """What each validator says of one question's candidates: kind, oracle, a column a method (model's own, or none)."""
    own = scored[(scored["question_id"] == question_id) & scored["model"].isin(["", model])]
    wide = own[own["method"] != "length"].pivot(index="kind", columns="method", values="score").loc[list(KINDS)]
    wide.insert(0, "oracle", [int(KINDS[kind].correct) for kind in KINDS])
    return wide.rename_axis(columns=None).reset_index()


def choices(scores: pd.DataFrame) -> pd.DataFrame:
    """Which candidates each method of `example_scores` puts first, and the Acc@1 of that choice (ties shared).

    A method that could not score all of them chooses none."""
    rows = []
    for method in scores.columns[2:]:
        if scores[method].isna().any():
            rows.append({"method": method, "chosen": "", "Acc@1": np.nan})
            continue
        best = scores.loc[scores[method] == scores[method].max(), "kind"]
        hit = ranking_metrics.acc1(scores[method], scores["oracle"])
        rows.append({"method": method, "chosen": ", ".join(best), "Acc@1": hit})
    return pd.DataFrame(rows)


def metric_examples(meanings: pd.DataFrame) -> pd.DataFrame:
    """The five metrics on TINY, with ties as a half, with ties as no win, and on scores that say nothing."""
    table = meanings[["metric", "meaning"]].copy()
    views = {
        "example": ranking_metrics.metrics(**TINY),
        "a tie is no win": ranking_metrics.metrics(**TINY, tie=0),
        "no information": ranking_metrics.metrics(**TINY.assign(score=0.0)),
    }
    return table.assign(**{name: table["metric"].map(values) for name, values in views.items()})


def unchanged_by_scale(frame: pd.DataFrame = TINY) -> bool:
    """Whether all metrics stay the same when scores are multiplied and shifted: they judge order, not calibration."""
    one, other = (ranking_metrics.metrics(**part) for part in (frame, frame.assign(score=10 * frame["score"] - 3)))
    return all(np.isclose(one[name], other[name]) for name in one)


def own_difficulty(answers: pd.DataFrame) -> pd.DataFrame:
    """Accuracy (%) of the weakest and the strongest model and the mean: all our questions, then each family."""
    rows = []
    for name, part in [("our nine families", answers), *answers.groupby("category")]:
        score = 100 * part.groupby("model")["correct"].mean()
        rows.append(dict(questions=name, lowest=score.min(), highest=score.max(), mean=score.mean()))
    return pd.DataFrame(rows)
