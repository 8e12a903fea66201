"""Utility against other validators on the same questions (CBU, section 5, Table 2): paired, exact, in families.

Frames of scores have one row a candidate, as `score_candidates.score_all` gives them. Differences are taken question by
question; their intervals are `sign_flip.cautious_interval` at 1 - 0.05 / k, where k is the number of comparisons in the
table, so that all of them hold together with a chance of 95 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from proctor.cbu import ranking_metrics
from proctor.cbu.candidates import HUMAN, KINDS
from proctor.cbu.judges import JUDGES
from proctor.cbu.sign_flip import cautious_interval, sign_flip_p
from proctor.generated.families import FAMILIES
from proctor.stats.power import units_needed

UTILITY, JUDGE, ATTEMPTS = "utility", "judge 1-10", "majority of attempts"
RIVALS = (*JUDGES, ATTEMPTS)
METRICS = ("Acc@1", "Recall@5", "AUC", "HumanWin", "MeanWin")
SIDES = ("utility", "rival", "cannot tell")


def by_method(scores: pd.DataFrame) -> pd.DataFrame:
    """The frame that `ranking_metrics` takes: method "utility, <model>", question, score, correct, human.

    A question of which a method could not score some candidate (a judge whose reply can't be read) is left out for that
    method.
    """
    keys = [scores["method"], scores["model"], scores["question_id"]]
    scores = scores[scores["score"].notna().groupby(keys).transform("all")]
    who = scores["method"] + scores["model"].map(lambda model: f", {model}" if model else "")
    human = scores["kind"].eq(HUMAN).astype(int)
    return scores.assign(scorer=scores["method"], method=who, question=scores["question_id"], human=human)


def family_of(question_id: str) -> str:
    """The family of a generated question: "operation" for "operation-1-01"."""
    return question_id.rsplit("-", 2)[0]


def metric_table(scores: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """The five metrics of every method, long: model, scorer, calls, metric, estimate, low, high (CBU, Table 2)."""
    frame = by_method(scores)
    who = frame.drop_duplicates("method").set_index("method")
    spent = frame.groupby("method")["calls"].max()
    if frame.empty:
        return pd.DataFrame(columns=["model", "scorer", "calls", "metric", "estimate", "low", "high"])
    found = ranking_metrics.metrics_by_method(frame, rng, resamples=resamples)
    return found.assign(
        model=found["method"].map(who["model"]),
        scorer=found["method"].map(who["scorer"]),
        calls=found["method"].map(spent),
    )[["model", "scorer", "calls", "metric", "estimate", "low", "high"]]


def in_columns(long: pd.DataFrame) -> pd.DataFrame:
    """`metric_table` with a column a metric and "<metric> low", "<metric> high" beside it."""
    wide = long.pivot(index=["model", "scorer", "calls"], columns="metric", values=["estimate", "low", "high"])
    wide.columns = [metric if part == "estimate" else f"{metric} {part}" for part, metric in wide.columns]
    return wide.reset_index()


def metric_differences(scores: pd.DataFrame, models: Sequence[str], rival: str = JUDGE) -> pd.DataFrame:
    """Utility less `rival` in each metric and model, paired by question; columns as of `compare_by_question`."""
    rows = []
    wide = metrics_by_question(scores)
    for model in models:
        for metric in METRICS:
            rows.append((model, metric, wide[metric][f"{UTILITY}, {model}"], wide[metric][f"{rival}, {model}"]))
    return compare_by_question(rows, "metric")


def every_difference(scores: pd.DataFrame, models: Sequence[str], rivals: Sequence[str] = RIVALS) -> pd.DataFrame:
    """Utility less every rival in every metric, by model: all in one family (as `compare_by_question`)."""
    rows = []
    for metric, wide in metrics_by_question(scores).items():
        rows += [
            (m, f"{metric}, {rival}", wide[f"{UTILITY}, {m}"], wide[f"{rival}, {m}"])
            for m in models
            for rival in rivals
        ]
    return compare_by_question(rows, "metric and rival")


def auc_over_chance(scores: pd.DataFrame, models: Sequence[str], method: str = UTILITY) -> pd.DataFrame:
    """AUC of a method less one half, by model (as `compare_by_question`)."""
    auc = auc_by_question(scores)
    half = pd.Series(0.5, auc.index)
    return compare_by_question([(model, "chance", auc[f"{method}, {model}"], half) for model in models], "rival")


def on_questions(scores: pd.DataFrame, chosen: pd.DataFrame, models: Sequence[str], rival: str = JUDGE) -> pd.DataFrame:
    """AUC of utility less `rival` on some questions of each model only (chosen: model, question_id)."""
    auc, rows = auc_by_question(scores), []
    for model in models:
        own = auc.loc[auc.index.isin(chosen.loc[chosen["model"] == model, "question_id"])]
        rows.append((model, rival, own[f"{UTILITY}, {model}"], own[f"{rival}, {model}"]))
    return compare_by_question(rows, "rival")


def auc_differences(scores: pd.DataFrame, models: Sequence[str], rivals: Sequence[str] = RIVALS) -> pd.DataFrame:
    """AUC of utility less that of each rival, by model, paired by question; columns as of `compare_by_question`."""
    auc = auc_by_question(scores)
    rows = [(m, rival, auc[f"{UTILITY}, {m}"], auc[f"{rival}, {m}"]) for m in models for rival in rivals]
    return compare_by_question(rows, "rival")


def auc_by_question(scores: pd.DataFrame) -> pd.DataFrame:
    """AUC of each method (columns) on each question (rows)."""
    return metrics_by_question(scores)["AUC"]


def metrics_by_question(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """{each of METRICS: that of each method (columns) on each question (rows)}; NaN where a method scored no question
    whole."""
    names = by_method(scores.assign(score=0.0))["method"].unique()
    each = ranking_metrics.by_question(by_method(scores))
    wide = {metric: each.pivot(index="question", columns="method", values=metric) for metric in METRICS}
    return {metric: table.reindex(columns=table.columns.union(names, sort=False)) for metric, table in wide.items()}


def compare_by_question(pairs: Sequence[tuple[str, str, pd.Series, pd.Series]], what: str) -> pd.DataFrame:
    """One row a comparison (model, name, utility's values by question, the rival's).

    Columns: model, `what`, utility, rival_value (means), difference, low, high (`cautious_interval` at 1 - 0.05 /
    rows), better (utility, rival or cannot tell), p and p_by_family (exact sign-flip over questions and
    over families of questions, uncorrected), questions, needed (questions for 80 % power at the intervals' level, if
    the estimate were true).
    """
    level, rows = 1 - 0.05 / len(pairs), []
    for model, name, utility, rival in pairs:
        gap = (utility - rival).dropna()
        found = cautious_interval(gap, level)
        better = SIDES[0] if found.low > 0 else SIDES[1] if found.high < 0 else SIDES[2]
        had = len(gap) if better == SIDES[2] else 0
        needed = float(units_needed(gap.mean(), gap.std() or np.nan, level, had=had))
        rows.append(
            {
                "model": model,
                what: name,
                "utility": utility.mean(),
                "rival_value": rival.mean(),
                "difference": found.estimate,
                "low": found.low,
                "high": found.high,
                "better": better,
                "p": sign_flip_p(gap),
                "p_by_family": sign_flip_p(gap.groupby(gap.index.map(family_of)).mean()),
                "questions": len(gap),
                "needed": needed,
            }
        )
    return pd.DataFrame(rows)


def smallest_family_p(families: int) -> float:
    """The least two-sided p that a sign-flip test over so many families can have: all differences of one sign.

    >>> smallest_family_p(9) > 0.05 / 15
    True
    """
    return 2.0 ** (1 - families)


def count_sides(compared: pd.DataFrame) -> dict[str, int]:
    """How many comparisons utility leads, how many the rival leads, and how many are undecided.

    >>> count_sides(pd.DataFrame({"better": ["utility", "rival", "rival"]}))
    {'utility': 1, 'rival': 2, 'cannot tell': 0}
    """
    return {side: int((compared["better"] == side).sum()) for side in SIDES}


def differences_by_transfer(
    scores: pd.DataFrame, models: Sequence[str], rivals: Sequence[str] = RIVALS
) -> pd.DataFrame:
    """`auc_differences` in families whose method carries over and in the others, all in one family of comparisons.

    `carries_over` says which. With six questions in a group no difference can be told at so strict a level.
    """
    auc = auc_by_question(scores)
    carries = auc.index.map(lambda name: FAMILIES[family_of(name)].transfers).to_numpy(bool)
    pairs = [
        (m, rival, auc.loc[part, f"{UTILITY}, {m}"], auc.loc[part, f"{rival}, {m}"])
        for part in (carries, ~carries)
        for m in models
        for rival in rivals
    ]
    found = compare_by_question(pairs, "rival")
    return found.assign(carries_over=np.repeat([True, False], len(models) * len(rivals)))


@dataclass(frozen=True)
class GroupDifference:
    """Mean of the families where the method carries over less that of the others, with Welch's interval."""

    estimate: float
    low: float
    high: float
    level: float
    families: tuple[int, int]


def transfer_effect(values: pd.Series, level: float = 0.95) -> GroupDifference:
    """Is a value by question (index: question ids) larger where the method carries over?

    Whether it does is a property of the family, so families are the units: their means are compared by Welch's t.
    """
    values = values.dropna()
    each = values.groupby(values.index.map(family_of)).mean()
    return group_difference(each, np.array([FAMILIES[name].transfers for name in each.index], bool), level)


def group_difference(values: pd.Series, first: np.ndarray, level: float = 0.95) -> GroupDifference:
    """Mean of the values where `first` is true less that of the others, by Welch's t; one value a family.

    NaN where a group has fewer than two families, or none of the two has any spread.
    """
    one, other = values[first], values[~first]
    if min(len(one), len(other)) < 2 or np.ptp(one) == np.ptp(other) == 0:
        return GroupDifference(np.nan, np.nan, np.nan, level, (len(one), len(other)))
    limits = ttest_ind(one, other, equal_var=False).confidence_interval(level)
    estimate = float(one.mean() - other.mean())
    return GroupDifference(estimate, float(limits.low), float(limits.high), level, (len(one), len(other)))


def transfer_effects(scores: pd.DataFrame, models: Sequence[str], rival: str = JUDGE) -> pd.DataFrame:
    """`transfer_effect` on utility's AUC and on its lead over `rival`, by model: simultaneous 95 % over the models."""
    auc, level, rows = auc_by_question(scores), 1 - 0.05 / len(models), []
    for model in models:
        utility, other = auc[f"{UTILITY}, {model}"], auc[f"{rival}, {model}"]
        for name, values in ((UTILITY, utility), (f"{UTILITY} less {rival}", utility - other)):
            found = transfer_effect(values, level)
            rows.append(
                dict(model=model, auc_of=name, difference=found.estimate, low=found.low, high=found.high)
                | dict(families=sum(found.families))
            )
    return pd.DataFrame(rows)


def least(found: pd.DataFrame, family: int | None = None, column: str = "difference") -> dict[str, Any]:
    """Keywords of `Output.claim` for the sentence that every difference in `found` is above 0, in points.

    Such a claim is one about the least difference; simultaneous intervals give it (min low, min high). found: rows of
    a table whose intervals are at 1 - 0.05 / family (default: the rows given are the family). Where one is not known
    (NaN), or there is none, neither is the least.

    >>> found = pd.DataFrame({"difference": [0.1, 0.3], "low": [-0.1, 0.2], "high": [0.3, 0.4], "questions": [18, 18]})
    >>> claim = least(found)
    >>> claim["estimate"], claim["interval"], claim["n"], claim["level"], claim["family"]
    (10.0, (-10.0, 30.0), 18, 0.975, 2)
    """
    family = max(len(found) if family is None else family, 1)
    unit = "families" if "families" in found else "questions"
    return dict(
        estimate=100 * float(found[column].min(skipna=False)),
        interval=(100 * float(found["low"].min(skipna=False)), 100 * float(found["high"].min(skipna=False))),
        says="> 0",
        n=int(found[unit].min()) if len(found) else 0,
        of=unit,
        unit="points",
        level=1 - 0.05 / family,
        family=family,
    )


def as_labelled(scores: pd.DataFrame, few: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The same scores under other labels and budgets: {look: scores}.

    few: scores of judges at a few calls (answer_id, method, model, score), in place of their expectations.
    """
    keys = ["answer_id", "method", "model"]
    sampled = scores.merge(few[[*keys, "score"]].dropna(), on=keys, suffixes=("", "_few"), how="left")
    sampled["score"] = sampled.pop("score_few").fillna(sampled["score"])
    right = {name: kind.answer_right for name, kind in KINDS.items()}
    return {
        "answer and derivation": scores,
        "answer alone": scores.assign(correct=scores["kind"].map(right)),
        "without confident": scores[scores["kind"] != "confident"],
        "judges at few repeats": sampled,
    }


def auc_by_look(looks: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Mean AUC of each method (rows) under each look (columns) of `as_labelled`; methods with a model only."""
    found = {name: auc_by_question(part[part["model"] != ""]).mean() for name, part in looks.items()}
    return pd.DataFrame(found).rename_axis("method").reset_index()


def scores_by_kind(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean score of each kind of candidate by method and model, over the range that the score can take: 0 to 1."""
    each = scores[scores["model"] != ""].groupby(["method", "model", "kind"], sort=False)["score"].mean().unstack()
    span = {name: (scale.low, scale.high) for name, scale in JUDGES.items()}
    low = np.array([span.get(method, (0, 1))[0] for method, _ in each.index])[:, None]
    high = np.array([span.get(method, (0, 1))[1] for method, _ in each.index])[:, None]
    return ((each[list(KINDS)] - low) / (high - low)).reset_index()
