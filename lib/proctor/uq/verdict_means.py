"""More than one verdict on an answer: the mean of several checks, and of two judges.

Rows are those of `natural_checks` and its studies. Probabilities are averaged before a threshold is fitted on the other
families of questions. Each mean is compared with the single verdict on the same answers, in balanced accuracy, with
families as the units (`exam.paired_effects`).
"""

import numpy as np
import pandas as pd

from proctor.exam.paired_effects import balanced, families_of, paired_effects
from proctor.stats.calibration import auc_interval
from proctor.uq.verdict_effects import can_be_fitted, fitted_outcomes

MEAN, TWO = "mean of all", "two judges"
SENTENCES = {  # of claims on `effects`, by effect: name and sentence
    "mean of checks less C": ("mean", "The mean of four checks gains balanced accuracy over check C"),
    "two judges less one": ("two_judges", "The mean of two judges gains balanced accuracy over the first one"),
}
KNOWN = ["question_id", "category", "answer_id", "correct"]


def joined(*studies: pd.DataFrame) -> pd.DataFrame:
    """Rows of several studies of checks on the same answers, one row an answer, judge, check and style.

    Raises ValueError where a study lacks answers that another one has."""
    answers = [set(part["answer_id"]) for part in studies]
    if any(own != answers[0] for own in answers):
        raise ValueError(f"studies of {', '.join(str(len(own)) for own in answers)} answers: give the same n to all")
    return pd.concat(studies, ignore_index=True)


def mean_of(bare: pd.DataFrame, over: str, name: str) -> pd.DataFrame:
    """Bare verdicts averaged over the values of one column, "check" or "judge", which then says `name`.

    An answer that lacks the probability of one of them has none."""
    by = [*KNOWN, *(column for column in ("judge", "check") if column != over)]
    p = bare.assign(p_accept=bare["p_accept"].astype(float)).groupby(by, sort=False)["p_accept"]
    means = p.mean().where(p.count() == bare[over].nunique()).reset_index()
    return means.assign(**{over: name})


def with_means(rows: pd.DataFrame) -> pd.DataFrame:
    """The bare verdicts, beside them the mean of the first judge's checks and, where there are several judges, the mean
    of the first two in each check that both gave."""
    bare = rows[rows["style"] == "bare"]
    judges = bare["judge"].unique()
    first, two = bare[bare["judge"] == judges[0]], bare[bare["judge"].isin(judges[:2])]
    parts = [first, mean_of(first, "check", MEAN), bare.drop(first.index)]
    if len(judges) > 1:
        shared = [name for name, part in two.groupby("check") if part["judge"].nunique() == 2]
        parts.append(mean_of(two[two["check"].isin(shared)], "judge", TWO))
    return pd.concat(parts, ignore_index=True)


def aucs(bare: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """One row a judge and check: answers, auc, auc_low, auc_high (families resampled; the intervals hold together).

    bare: of `with_means`."""
    table, groups = [], bare.groupby(["judge", "check"], sort=False)
    for (judge, check), part in groups:
        known = part[part["p_accept"].notna()]
        p = known["p_accept"].astype(float)
        area = auc_interval(p, known["correct"], rng, resamples, 1 - 0.05 / groups.ngroups, known["category"])
        table.append(
            dict(judge=judge, check=check, answers=len(known), auc=area.estimate, auc_low=area.low, auc_high=area.high)
        )
    return pd.DataFrame(table)


def _fitted_values(bare: pd.DataFrame, rng: np.random.Generator) -> pd.Series:
    """`balanced` of each answer, by answer, of one check by one judge; NaN where no threshold can be fitted."""
    index = bare["answer_id"].to_numpy()
    if not can_be_fitted(bare):
        return pd.Series(np.nan, index)
    accepted = fitted_outcomes(bare, rng).eq("accept")
    return pd.Series(balanced(bare["correct"], accepted).to_numpy(), index)


def mean_effects(bare: pd.DataFrame, rng: np.random.Generator) -> dict:
    """Pairs for `paired_effects`: the mean of the first judge's checks less check C; and the mean of two judges less
    the first, averaged over the checks that both gave."""
    first = bare[bare["judge"] == bare["judge"].iloc[0]]
    value = {check: _fitted_values(part, rng) for check, part in first.groupby("check", sort=False)}
    pairs = {"mean of checks less C": (value[MEAN], value["C"])}
    both = bare[bare["judge"] == TWO]
    if len(both):
        two = {check: _fitted_values(part, rng) for check, part in both.groupby("check", sort=False)}
        pairs["two judges less one"] = (_average(two.values()), _average([value[check] for check in two]))
    return pairs


def effects(bare: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """`paired_effects` of what was planned, together. bare: of `with_means`."""
    return paired_effects(mean_effects(bare, rng), families_of(bare, "answer_id"))


def _average(values) -> pd.Series:
    return pd.concat(list(values), axis=1).astype(float).mean(axis=1, skipna=False)
