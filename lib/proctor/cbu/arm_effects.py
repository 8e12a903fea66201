"""Rollouts after the arms of a study, by question and by family, and the AUC of right against wrong of a question.

Rollouts have one row each, as `utility.run_rollouts` gives them. Units are families of questions
(`exam.paired_effects`).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from proctor.cbu.sign_flip import cautious_interval
from proctor.cbu.utility import NONE
from proctor.exam.paired_effects import families_of, paired_effects, with_family
from proctor.generated.worked_families import WORKED_FAMILIES


def solve_rates(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Share of rollouts that solve the neighbour: one row per question, one column per arm."""
    return rollouts.pivot_table(index="question_id", columns="kind", values="correct", aggfunc="mean")


def ranks_right(right: pd.Series, wrong: pd.Series) -> pd.Series:
    """AUC of each question with one right and one wrong candidate: 1, 1/2 for a tie, 0; NaN where one has no score."""
    order = (np.sign(right - wrong) + 1) / 2
    return order.where(right.notna() & wrong.notna())


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


def by_family(rollouts: pd.DataFrame, arms: tuple[str, ...] = (NONE, "right", "wrong")) -> pd.DataFrame:
    """One row per family: category, carries_over, questions, and the share solved after each arm, largest effect
    first."""
    rates = solve_rates(rollouts)
    table = (
        rates.reindex(columns=list(arms)).groupby(families_of(rollouts)).mean().rename_axis("category").reset_index()
    )
    table.insert(1, "carries_over", [WORKED_FAMILIES[name].transfers for name in table["category"]])
    table.insert(2, "questions", table["category"].map(families_of(rollouts).value_counts()))
    gap = table["right"] - table["wrong"]
    return table.iloc[np.lexsort((-gap, ~table["carries_over"].to_numpy(bool)))].reset_index(drop=True)
