"""One generated question with its candidates and neighbours, and what candidates are worth (CBU, Figures 1 and 2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.cbu import ranking_metrics
from proctor.cbu.candidates import KINDS
from proctor.cbu.method_comparison import compare_by_question
from proctor.cbu.utility import NONE
from proctor.data.schemas import Answer, Question
from proctor.stats.bootstrap import intervals

PREDICTIONS = (("right", "wrong"), ("right", NONE), ("short", NONE), ("lucky", "wrong"))
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


def workflow_counts(rolled: pd.DataFrame) -> dict[str, int]:
    """Counts of the workflow: questions, candidates and neighbours, and rollouts and solved after each sort.

    rolled: rows of `utility.run_rollouts`. Keys: questions, neighbours, right, wrong; rollouts_/solved_ + right, wrong,
    none.
    """
    sort = rolled["kind"].map(
        {name: "right" if kind.correct else "wrong" for name, kind in KINDS.items()} | {NONE: "none"}
    )
    found = {
        "questions": rolled["question_id"].nunique(),
        "neighbours": len(rolled[["question_id", "neighbour"]].drop_duplicates()),
    }
    for name in ("right", "wrong", "none"):
        part = rolled[sort == name]
        found |= {f"rollouts_{name}": len(part), f"solved_{name}": int(part["correct"].sum())}
        if name != "none":
            found[name] = part["candidate"].nunique()
    return found


def utility_by_kind(worth: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """Mean utility of each kind of candidate by model, with 95 % intervals over questions; `base`: no candidate."""
    rows = []
    for model, part in worth.groupby("model", sort=False):
        wide = part.pivot(index="kind", columns="question_id", values="utility").loc[list(KINDS)]
        base = part.drop_duplicates("question_id")["base"].mean()
        for kind, found in zip(KINDS, intervals(wide.to_numpy(), rng, resamples)):
            rows.append(dict(model=model, kind=kind, utility=found.estimate, low=found.low, high=found.high, base=base))
    return pd.DataFrame(rows)


def kind_differences(worth: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Utility of one kind less another (PREDICTIONS; "none" is the base rate), paired by question, by model."""
    rows = []
    for model in models:
        own = worth[worth["model"] == model]
        each = own.pivot(index="question_id", columns="kind", values="utility")
        each[NONE] = own.groupby("question_id")["base"].first()
        rows += [(model, f"{one} less {other}", each[one], each[other]) for one, other in PREDICTIONS]
    return compare_by_question(rows, "kinds")


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


def orders_of_averaging(
    rolled: pd.DataFrame, scored: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Metrics of utility when neighbours are averaged before ranking (section 3), and after it (section 4.4).

    One row a model and order: Acc@1, AUC, MeanWin (point estimates; the orders share their rollouts).
    """
    right = scored.drop_duplicates("answer_id").set_index("answer_id")["correct"].astype(int)
    cells = rolled[rolled["kind"] != NONE].groupby(["model", "question_id", "candidate", "neighbour"])
    each = cells["correct"].mean().rename("score").reset_index()
    each = each.assign(
        method=each["model"],
        question=each["question_id"] + "~" + each["neighbour"].astype(str),
        original=each["question_id"],
        correct=each["candidate"].map(right),
    )
    first = scored[scored["method"] == "utility"]
    first = first.assign(method=first["model"], question=first["question_id"])
    found = []
    for name, frame in (("averaged, then ranked (3)", first), ("ranked, then averaged (4.4)", each)):
        found.append(ranking_metrics.metrics_by_method(frame, rng, resamples=resamples).assign(order=name))
    table = pd.concat(found).pivot(index=["method", "order"], columns="metric", values="estimate")
    return (
        table[["Acc@1", "AUC", "MeanWin"]].rename_axis(columns=None).reset_index().rename(columns={"method": "model"})
    )


def own_difficulty(answers: pd.DataFrame) -> pd.DataFrame:
    """Accuracy (%) of the weakest and the strongest model and the mean: all our questions, then each family."""
    rows = []
    for name, part in [("our nine families", answers), *answers.groupby("category")]:
        score = 100 * part.groupby("model")["correct"].mean()
        rows.append(dict(questions=name, lowest=score.min(), highest=score.max(), mean=score.mean()))
    return pd.DataFrame(rows)
