"""What a candidate does to its solver, and whether that ranks right above wrong: the studies of `arms`, read.

Rollouts have one row each, as `utility.run_rollouts` gives them; judges' scores as `judges.ask_judges`. Units are
families of questions (`exam.paired_effects`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import ttest_ind

from proctor.cbu.arms import ARMS, NATURAL, Expected
from proctor.cbu.judges import JUDGES, sample_scores
from proctor.cbu.sign_flip import cautious_interval
from proctor.cbu.utility import NEIGHBOURS, NONE
from proctor.exam.paired_effects import families_of, paired_effects, with_family
from proctor.generated.worked_families import WORKED_FAMILIES
from proctor.stats.paired_proportions import chances, score_power
from proctor.stats.power import t_power

Arm = str | tuple[str, ...]  # of several, the mean of those that a question has
EFFECTS: dict[str, tuple[Arm, Arm]] = {
    "right less wrong": ("right", "wrong"),
    "right less none": ("right", NONE),
    "none less wrong": (NONE, "wrong"),
}
# Of the other arms: those of one group are told together.
OTHER_EFFECTS: dict[str, dict[str, tuple[Arm, Arm]]] = {
    "words": {"right again less right": ("right again", "right"), "confident less wrong": ("confident", "wrong")},
    "derivation": {
        "right less lucky": ("right", "lucky"),
        "lucky less wrong": ("lucky", "wrong"),
        "midway less lucky": (("right", "wrong"), "lucky"),
    },
    "natural": {
        "natural right less wrong": NATURAL,
        "natural less none": (NATURAL, NONE),
        "natural right less none": (NATURAL[0], NONE),
        "natural wrong less none": (NATURAL[1], NONE),
    },
}
ALL_ARMS = (NONE, *ARMS, *NATURAL)


@dataclass(frozen=True)
class GroupDifference:
    """Mean of the families where the method carries over less that of the others, with Welch's interval."""

    estimate: float
    low: float
    high: float
    level: float
    families: tuple[int, int]


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


def solve_rates(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Share of rollouts that solve the neighbour: a row a question, a column an arm."""
    return rollouts.pivot_table(index="question_id", columns="kind", values="correct", aggfunc="mean")


def arm_table(rollouts: pd.DataFrame) -> pd.DataFrame:
    """A row an arm that was asked, in the order of ALL_ARMS: what it is, questions, candidates, rollouts, and the share
    solved (mean of questions).

    derivation_right: "" where nothing is derived, "not checked" for natural candidates, of which the answer alone is.
    """
    rates, rows = solve_rates(rollouts), []
    said = {NONE: ("no candidate", "", "")} | {
        arm: ("the solver's own answer to the question", yes, "not checked") for arm, yes in zip(NATURAL, ("yes", "no"))
    }
    said |= {
        arm: (kind.what, "yes" if kind.answer_right else "no", "yes" if kind.method_right else "no")
        for arm, kind in ARMS.items()
    }
    for arm in (arm for arm in ALL_ARMS if arm in rates):
        own = rollouts[rollouts["kind"] == arm]
        what, answer, derivation = said[arm]
        rows.append(
            {"arm": arm, "what": what, "answer_right": answer, "derivation_right": derivation}
            | {"questions": own["question_id"].nunique(), "candidates": own["candidate"].replace("", np.nan).nunique()}
            | {"rollouts": len(own), "solved": rates[arm].mean()}
        )
    return pd.DataFrame(rows)


def arm_effects(rollouts: pd.DataFrame, effects: Mapping[str, tuple[Arm, Arm]] = EFFECTS) -> pd.DataFrame:
    """`paired_effects` of pairs of arms, told together; questions that lack one of the two are left out."""
    rates = solve_rates(rollouts)

    def rate(arm: Arm) -> pd.Series:
        return rates.reindex(columns=[arm] if isinstance(arm, str) else list(arm)).mean(axis=1)

    return paired_effects({name: (rate(a), rate(b)) for name, (a, b) in effects.items()}, families_of(rollouts))


def effects_by_group(rollouts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """`arm_effects` of each group of OTHER_EFFECTS whose planted arms were all asked, and `natural_auc_table` ("AUC").

    So a study of fewer arms has fewer groups.
    """
    lacking = set(ARMS) - set(rollouts["kind"])
    found = {
        name: arm_effects(rollouts, pairs)
        for name, pairs in OTHER_EFFECTS.items()
        if not lacking & {arm for pair in pairs.values() for arm in pair if isinstance(arm, str)}
    }
    return found | {"AUC": natural_auc_table(natural_auc(rollouts), families_of(rollouts))}


def power_of_effects(groups: Mapping[str, pd.DataFrame], expected: Mapping[str, Expected]) -> pd.DataFrame:
    """What a study of these sizes can show if what was expected is true: a row an effect of each group.

    groups: tables of `paired_effects`, of which the items and families alone are read. Columns: effect, expected (the
    two values), shows ("a difference", or "within" the margin), neighbours and the power if each were independent
    (Tango's interval, exact; NaN where the values are no shares solved), families and the power of Student's interval
    over them (exact for normal effects of families), all at the level of the group. detectable: the least true
    difference that the latter shows with a chance of 80 %, which may be more than there can be; NaN with a margin.
    """
    rows = []
    for table in groups.values():
        level = 1 - 0.05 / len(table)
        for row in table[table["effect"].isin(list(expected))].itertuples():
            first, second, correlation, spread, margin = expected[row.effect]
            neighbours, by_neighbour = NEIGHBOURS * row.items, np.nan
            if correlation is not None:
                by_neighbour, _ = score_power(chances(first, second, correlation), neighbours, level, margin)
            rows.append(
                {"effect": row.effect, "expected": f"{first:.0%}, {second:.0%}", "spread": spread}
                | {"shows": "a difference" if margin is None else f"within {100 * margin:.0f} points"}
                | {"neighbours": neighbours, "by_neighbour": by_neighbour, "families": row.families}
                | {"by_family": t_power(first - second, spread, row.families, level, margin)}
                | {"detectable": np.nan if margin else _detectable(spread, row.families, level)}
            )
    return pd.DataFrame(rows)


def _detectable(spread: float, families: int, level: float, power: float = 0.8) -> float:
    return float(brentq(lambda gap: t_power(gap, spread, families, level) - power, 1e-9, 100 * spread))


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
            scores = rows.pivot_table(index="question_id", columns="arm", values=column, dropna=False)
            found[name] = ranks_right(scores["right"], scores["wrong"])
    return pd.DataFrame(found)


def auc_table(auc: pd.DataFrame, families: pd.Series) -> pd.DataFrame:
    """Each method's AUC less one half (`paired_effects`, all methods told together); effect is the method.

    here_low, here_high: the same for further questions of these families alone, exact over questions (`sign_flip`).
    ties: share of the questions whose two candidates score alike.
    """
    half = pd.Series(0.5, auc.index)
    return over_both_units({name: (auc[name], half) for name in auc}, families)


def over_both_units(pairs: Mapping[str, tuple[pd.Series, pd.Series]], families: pd.Series) -> pd.DataFrame:
    """`paired_effects`, and for further questions of these families alone: here_low, here_high (exact over questions,
    `sign_flip`, all effects together) and ties, the share of the questions whose two values are alike."""
    gaps = [with_family(first - second, families) for first, second in pairs.values()]
    here = [cautious_interval(gap, 1 - 0.05 / len(pairs)) for gap in gaps]
    return paired_effects(pairs, families).assign(
        here_low=[one.low for one in here],
        here_high=[one.high for one in here],
        ties=[float((gap == 0).mean()) for gap in gaps],
    )


def natural_auc(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Utility's AUC on the questions with a right and a wrong natural candidate, a row a question.

    Columns: natural, and planted: right against wrong of the same questions.
    """
    rates = solve_rates(rollouts).reindex(columns=list(ALL_ARMS))
    natural = ranks_right(rates[NATURAL[0]], rates[NATURAL[1]]).dropna()
    return pd.DataFrame({"natural": natural, "planted": ranks_right(rates["right"], rates["wrong"])[natural.index]})


def natural_auc_table(auc: pd.DataFrame, families: pd.Series) -> pd.DataFrame:
    """`auc_table` of both columns of `natural_auc` and their difference: three effects, told together."""
    half = pd.Series(0.5, auc.index)
    pairs = {"natural AUC": (auc["natural"], half), "planted AUC": (auc["planted"], half)}
    return over_both_units(pairs | {"natural less planted AUC": (auc["natural"], auc["planted"])}, families)


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
    table = (
        rates.reindex(columns=list(arms)).groupby(families_of(rollouts)).mean().rename_axis("category").reset_index()
    )
    table.insert(1, "carries_over", [WORKED_FAMILIES[name].transfers for name in table["category"]])
    table.insert(2, "questions", table["category"].map(families_of(rollouts).value_counts()))
    gap = table["right"] - table["wrong"]
    return table.iloc[np.lexsort((-gap, ~table["carries_over"].to_numpy(bool)))].reset_index(drop=True)
