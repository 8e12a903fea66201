"""Two ways to mend a judge that accepts everything: another threshold, and reasons before the verdict.

Rows are those of `natural_checks`: each check in both styles on the same natural answers. Balanced accuracy weighs
right and wrong answers alike; families of questions are the units (`exam.paired_effects`).
"""

import numpy as np
import pandas as pd

from proctor.exam.paired_effects import balanced, families_of, paired_effects
from proctor.stats.calibration import auc_interval
from proctor.uq.thresholds import calibrate

HALF, FITTED, REASONED = "bare, one half", "bare, fitted threshold", "reasoned"
STYLES = (HALF, FITTED, REASONED)


def verdicts(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """One judge's verdicts by style: check, style, answer_id, category, correct, accepted, p_accept.

    The fitted threshold is that of highest balanced accuracy on the other families, so that no family chose its own; a
    judge without probabilities has none, and no rows of that style. An unreadable verdict accepts nothing.
    """
    if rows["judge"].nunique() != 1:
        raise ValueError(f"verdicts of {rows['judge'].nunique()} judges: give the rows of one")
    parts = []
    for check, part in rows.groupby("check", sort=False):
        bare, reasoned = (part[part["style"] == style] for style in ("bare", "reasoned"))
        styles = [(HALF, bare, bare["outcome"]), (REASONED, reasoned, reasoned["outcome"])]
        if can_be_fitted(bare):
            styles.insert(1, (FITTED, bare, fitted_outcomes(bare, rng)))
        for style, own, outcomes in styles:
            columns = own[["answer_id", "category", "correct", "p_accept"]]
            parts.append(columns.assign(check=check, style=style, accepted=outcomes.eq("accept")))
    return pd.concat(parts, ignore_index=True)


def fitted_outcomes(bare: pd.DataFrame, rng: np.random.Generator) -> pd.Series:
    """Outcomes of one check by one judge, each family of questions at the threshold that fits the others."""
    families = bare.assign(question_id=bare["category"])
    return calibrate(families, rng, folds=families["question_id"].nunique()).outcomes


def can_be_fitted(bare: pd.DataFrame) -> bool:
    """Whether right and wrong answers with a probability are left without any one family."""
    known = bare[bare["p_accept"].notna()]
    rests = [known.loc[known["category"] != family, "correct"].nunique() for family in bare["category"].unique()]
    return len(rests) > 1 and min(rests) == 2


def by_check(found: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """One row a check and style: right_accepted, wrong_rejected, balanced, and the AUC of the bare probability with
    auc_low and auc_high (families resampled)."""
    table = []
    for (check, style), part in found.groupby(["check", "style"], sort=False):
        right, wrong = part[part["correct"]], part[~part["correct"]]
        row = dict(
            check=check,
            style=style,
            right=len(right),
            wrong=len(wrong),
            right_accepted=right["accepted"].mean(),
            wrong_rejected=1 - wrong["accepted"].mean(),
            balanced=balanced(part["correct"], part["accepted"]).mean(),
        )
        if style == HALF:
            known = part[part["p_accept"].notna()]
            p = known["p_accept"].astype(float)
            area = auc_interval(p, known["correct"], rng, resamples, clusters=known["category"])
            row |= dict(auc=area.estimate, auc_low=area.low, auc_high=area.high)
        table.append(row)
    return pd.DataFrame(table)


def _values(found: pd.DataFrame) -> pd.DataFrame:
    """`balanced` of each answer (rows) by check and style (columns)."""
    found = found.assign(
        value=found.groupby(["check", "style"], group_keys=False)[["correct", "accepted"]].apply(
            lambda part: balanced(part["correct"], part["accepted"])
        )
    )
    wide = found.pivot(index="answer_id", columns=["check", "style"], values="value")
    return wide.reindex(columns=pd.MultiIndex.from_product([found["check"].unique(), STYLES], names=wide.columns.names))


def main_effects(found: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects` of what was planned: the mean of the checks' balanced accuracy, by threshold and by reasons, and
    the share of wrong answers that are rejected, by reasons."""
    values = _values(found)
    mean = {style: values.xs(style, axis=1, level="style").mean(axis=1) for style in STYLES}
    rejected = (
        found[~found["correct"]]
        .assign(rejected=lambda part: ~part["accepted"])
        .pivot_table(index="answer_id", columns="style", values="rejected", aggfunc="mean")
    )
    pairs = {
        "fitted threshold less one half": (mean[FITTED], mean[HALF]),
        "reasoned less bare": (mean[REASONED], mean[HALF]),
        "reasoned less bare, wrong answers rejected": (rejected[REASONED], rejected[HALF]),
    }
    return paired_effects(pairs, families_of(found, "answer_id"))


def effects_by_check(found: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects` on each check's balanced accuracy: both mends against the bare verdict at one half; effect is
    "<check>: <style>"."""
    values = _values(found)
    checks = found["check"].unique()
    pairs = {f"{c}: {style}": (values[c, style], values[c, HALF]) for c in checks for style in (FITTED, REASONED)}
    return paired_effects(pairs, families_of(found, "answer_id"))
