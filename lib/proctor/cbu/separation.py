"""What a right candidate is worth: the solver's success after a right candidate less that after a wrong one (CBU, 7.2).

By the base rate of the question's family, and by the kind of neighbour. Questions are the units; all intervals of a
table hold together at 95 %.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from proctor.cbu.neighbours import INFORMATIVE_BASE_RATES, KINDS
from proctor.cbu.sign_flip import cautious_interval
from proctor.cbu.utility import NONE

LOW, HIGH = INFORMATIVE_BASE_RATES
GROUPS = (f"under {LOW:g}", f"{LOW:g} to {HIGH:g}", f"over {HIGH:g}")
KEYS = ["model", "category", "question_id"]


def separations(rows: pd.DataFrame, keys: Sequence[str] = KEYS) -> pd.DataFrame:
    """One row a key: shares solved after `right`, `wrong` and no candidate (`none`), and separation = right - wrong.

    rows: of `utility.run_rollouts`. Keys without all three are left out.
    """
    kept = rows[rows["kind"].isin([*KINDS, NONE])]
    shares = kept.pivot_table("correct", list(keys), "kind", aggfunc="mean").dropna()
    return shares.assign(separation=shares["right"] - shares["wrong"]).reset_index().rename_axis(columns=None)


def with_base_rate(found: pd.DataFrame) -> pd.DataFrame:
    """`separations` with `family_base`, the mean of `none` over the family's questions, and `base rate`, its group."""
    family = found.groupby(["model", "category"])["none"].transform("mean")
    group = np.select([family < LOW, family <= HIGH], GROUPS[:2], GROUPS[2])
    return found.assign(family_base=family, **{"base rate": group})


def summarise(found: pd.DataFrame, by: str) -> pd.DataFrame:
    """One row a model and value of `by`: questions, base, right, wrong, difference (mean separation), low, high.

    Limits are those of `cautious_interval`; with too few questions for the level they are -1 and 1.
    """
    groups = found.groupby(["model", by], sort=False)
    level, rows = 1 - 0.05 / max(groups.ngroups, 1), []
    for (model, name), part in groups:
        ends, mean = cautious_interval(part["separation"], level), part[["none", "right", "wrong"]].mean()
        rows.append(
            {"model": model, by: name, "questions": len(part), "base": mean["none"], "right": mean["right"]}
            | {"wrong": mean["wrong"], "difference": ends.estimate, "low": ends.low, "high": ends.high}
        )
    columns = ["model", by, "questions", "base", "right", "wrong", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def middling_effects(found: pd.DataFrame) -> pd.DataFrame:
    """By model: mean separation of families of middling base rate less that of the families that are never solved.

    The base rate belongs to the family, so families are the units (Welch's t, simultaneous over models). Models with
    fewer than two families in a group, or with equal separations there, are left out: their spread is not known.
    found: of `with_base_rate`.
    """
    each = found.groupby(["model", "category", "base rate"], as_index=False, sort=False)["separation"].mean()
    pairs = {}
    for model, own in each.groupby("model", sort=False):
        middling, hard = (own.loc[own["base rate"] == name, "separation"] for name in (GROUPS[1], GROUPS[0]))
        if min(len(middling), len(hard)) > 1 and min(np.ptp(middling), np.ptp(hard)) > 0:
            pairs[model] = middling, hard
    rows = []
    for model, (middling, hard) in pairs.items():
        limits = ttest_ind(middling, hard, equal_var=False).confidence_interval(1 - 0.05 / len(pairs))
        rows.append(
            dict(model=model, difference=middling.mean() - hard.mean(), low=limits.low, high=limits.high)
            | dict(families=len(middling) + len(hard))
        )
    return pd.DataFrame(rows, columns=["model", "difference", "low", "high", "families"])


def draft_outcomes(fate: pd.DataFrame, family: dict[str, str]) -> pd.DataFrame:
    """What became of generated drafts, by family: one column an outcome ("kept", "copy", ...) with its count.

    fate: the second result of `neighbours.filter_by_agreement`; family: {question id: family}.
    """
    named = fate.assign(family=fate["question_id"].map(family), outcome=fate["why"].replace("", "kept"))
    return named.groupby(["family", "outcome"]).size().unstack(fill_value=0).rename_axis(columns=None).reset_index()
