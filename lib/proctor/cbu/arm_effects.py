"""What a candidate does to its solver, and whether that ranks right above wrong: the study of `arms`, read.

Rollouts have one row each, as `utility.run_rollouts` gives them; judges' scores as `judges.ask_judges`. Units are
families of questions (`exam.paired_effects`).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from proctor.cbu.judges import JUDGES, sample_scores
from proctor.cbu.method_comparison import GroupDifference, group_difference
from proctor.cbu.sign_flip import cautious_interval
from proctor.cbu.utility import NONE
from proctor.exam.paired_effects import families_of, paired_effects
from proctor.generated.worked_families import WORKED_FAMILIES

EFFECTS = {
    "right less wrong": ("right", "wrong"),
    "right less none": ("right", NONE),
    "none less wrong": (NONE, "wrong"),
}


def solve_rates(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Share of rollouts that solve the neighbour: a row a question, a column an arm."""
    return rollouts.pivot_table(index="question_id", columns="kind", values="correct", aggfunc="mean")


def arm_effects(rollouts: pd.DataFrame, effects: Mapping[str, tuple[str, str]] = EFFECTS) -> pd.DataFrame:
    """`paired_effects` of pairs of arms, told together."""
    rates = solve_rates(rollouts)
    return paired_effects({name: (rates[a], rates[b]) for name, (a, b) in effects.items()}, families_of(rollouts))


def ranks_right(right: pd.Series, wrong: pd.Series) -> pd.Series:
    """AUC of each question with one right and one wrong candidate: 1, 1/2 for a tie, 0; NaN where one has no score."""
    order = (np.sign(right - wrong) + 1) / 2
    return order.where(right.notna() & wrong.notna())


def auc_by_method(rollouts: pd.DataFrame, judged: pd.DataFrame, calls: int, rng: np.random.Generator) -> pd.DataFrame:
    """AUC of right against wrong, a row a question: utility, each judge at its expectation and at `calls` repeats.

    A judge that writes first has no expectation and as many repeats as were asked. calls: what utility spends on a
    candidate.
    """
    rates = solve_rates(rollouts)
    found = {"utility": ranks_right(rates["right"], rates["wrong"])}
    drawn = judged.assign(drawn=sample_scores(judged, calls, rng))
    drawn["arm"] = drawn["answer_id"].str.rsplit("-", n=1).str[-1]
    for judge, rows in drawn.groupby("method", sort=False):
        looks = {judge: "score"} if JUDGES[judge].thinks else {judge: "expectation", f"{judge}, {calls} calls": "drawn"}
        for name, column in looks.items():
            scores = rows.pivot_table(index="question_id", columns="arm", values=column)
            found[name] = ranks_right(scores["right"], scores["wrong"])
    return pd.DataFrame(found)


def auc_table(auc: pd.DataFrame, families: pd.Series) -> pd.DataFrame:
    """Each method's AUC less one half (`paired_effects`, all methods told together); effect is the method.

    here_low, here_high: the same for further questions of these families alone, exact over questions (`sign_flip`).
    ties: share of the questions whose two candidates score alike.
    """
    half, level = pd.Series(0.5, auc.index), 1 - 0.05 / auc.shape[1]
    here = [cautious_interval((auc[name] - 0.5).dropna(), level) for name in auc]
    return paired_effects({name: (auc[name], half) for name in auc}, families).assign(
        here_low=[one.low for one in here],
        here_high=[one.high for one in here],
        ties=[float((auc[name] == 0.5).mean()) for name in auc],
    )


def lead_over_judges(auc: pd.DataFrame, families: pd.Series, calls: int) -> pd.DataFrame:
    """Utility's AUC less that of each judge that spends `calls` repeats as well (`paired_effects`)."""
    rivals = [name for name in auc if name.endswith(f", {calls} calls")]
    return paired_effects({name.split(",")[0]: (auc["utility"], auc[name]) for name in rivals}, families)


def effect_by_transfer(rollouts: pd.DataFrame) -> GroupDifference:
    """Right less wrong where the method carries over less the same where nothing does: Welch's t over families."""
    rates = solve_rates(rollouts)
    each = (rates["right"] - rates["wrong"]).groupby(families_of(rollouts)).mean()
    carries = np.array([WORKED_FAMILIES[name].transfers for name in each.index], bool)
    return group_difference(each, carries)


def by_family(rollouts: pd.DataFrame, arms: tuple[str, ...] = (NONE, "right", "wrong")) -> pd.DataFrame:
    """A row a family: category, carries_over, questions, and the share solved after each arm, largest effect first."""
    rates = solve_rates(rollouts)
    table = rates[list(arms)].groupby(families_of(rollouts)).mean().rename_axis("category").reset_index()
    table.insert(1, "carries_over", [WORKED_FAMILIES[name].transfers for name in table["category"]])
    table.insert(2, "questions", table["category"].map(families_of(rollouts).value_counts()))
    gap = table["right"] - table["wrong"]
    return table.iloc[np.lexsort((-gap, ~table["carries_over"].to_numpy(bool)))].reset_index(drop=True)
