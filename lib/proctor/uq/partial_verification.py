"""What a count allows one to say when only some of the items were checked, and not at random (Manski's bounds).

A validator passed some answers, people checked some of those. What they did not check may be anything, so
shares are only known up to a range, and no number of resamples makes that range narrower. Added to what was
seen, an assumption narrows it, and is named.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import confint_proportions_2indep

from proctor.data.published import load_published
from proctor.stats import checks
from proctor.stats.bootstrap import Interval
from proctor.stats.proportions import Confusion, clopper_pearson, wilson
from proctor.stats.reconstruct import confusion_counts
from proctor.uq.community import RULE, Community, Rule, answer_states, passed


@dataclass(frozen=True)
class Checked:
    """`passed` of `n` answers were passed on, `verified` of those checked, and `right` of the checked were right."""

    n: int
    passed: int
    verified: int
    right: int

    def __post_init__(self):
        checks.at_least_one(self.n, "n")
        if not 0 <= self.right <= self.verified <= self.passed <= self.n:
            raise ValueError(
                f"right {self.right}, verified {self.verified}, passed {self.passed}, n {self.n}: "
                "each must be a part of the next"
            )

    @property
    def passed_and_right(self) -> tuple[float, float]:
        """Share of all n that passed and are right: least if all unchecked ones are wrong, most if all are right."""
        return self.right / self.n, (self.right + self.passed - self.verified) / self.n

    @property
    def right_among_passed(self) -> tuple[float, float]:
        """The validator's precision: the same two extremes, of the passed. Nothing passed: 0 to 1, nothing is known."""
        if not self.passed:
            return 0.0, 1.0
        return self.right / self.passed, (self.right + self.passed - self.verified) / self.passed

    @property
    def right_of_all(self) -> tuple[float, float]:
        """Share of all n that are right, if nothing is known of the rejected: all but the answers seen to be wrong."""
        return self.right / self.n, (self.n - (self.verified - self.right)) / self.n

    def right_at_recall(self, low: float, high: float) -> tuple[float, float]:
        """Share of all n that are right, if the validator passes between `low` and `high` of all right answers."""
        if not 0 < low <= high <= 1:
            raise ValueError(f"recall from {low} to {high}: give two shares above 0, the lower one first")
        least, most = self.passed_and_right
        return min(1.0, least / high), min(1.0, most / low)


def pass_rates(level: float = 0.95) -> pd.DataFrame:
    """UQ Table S3 recomputed from its counts: one row a model and set of questions, the last of the full set for all.

    passed, questions, recomputed (the validator's pass rate) with Wilson's limits; differs: the printed percentage is
    not that of the counts. human_passed, human_verified, verified_right (the human pass rate) with exact limits, NaN
    where nobody looked.
    """
    printed = load_published("uq/table_S3")
    table = printed[["answer_model", "questions_of", "pass_rate"]].rename(columns={"pass_rate": "printed_percent"})
    for name in ("passed", "questions", "human_passed", "human_verified"):
        table[name] = printed[f"{name}_value"].astype(int)
    table["recomputed"] = table["passed"] / table["questions"]
    table[["low", "high"]] = [wilson(row.passed, row.questions, level) for row in table.itertuples()]
    printed_share = table["printed_percent"].astype(float)
    table["differs"] = (100 * table["recomputed"] - printed_share).abs() > 0.05
    table["verified_right"] = table["human_passed"] / table["human_verified"].replace(0, np.nan)
    table[["right_low", "right_high"]] = [
        clopper_pearson(row.human_passed, row.human_verified, level) if row.human_verified else (np.nan, np.nan)
        for row in table.itertuples()
    ]
    return table


def full_set(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """(models, every): the rows of `pass_rates` for the full set, most passed first, and that of all models."""
    full = table[table["questions_of"] == "full set"].set_index("answer_model")
    return full.drop(index="all").sort_values("passed", ascending=False, kind="stable"), full.loc["all"]


def counts_from_reviews(
    community: Community, validator: str, rule: Rule = RULE, level: float = 0.95
) -> tuple[pd.DataFrame, pd.Series]:
    """What `full_set` gives, from a platform's tables: (systems, every), human verdicts by the rule of resolution.

    A question that an answer of a system passed on is human_passed when such an answer is right, and human_verified
    when one is right or all of them are settled. People are no system here. Shares are of all questions of the
    platform, as in Table S3.
    """
    states = answer_states(community, rule)
    answers = community.answers.set_index("answer_id")
    states = states[(states["answer_id"].map(answers["base_model"]) != "").to_numpy()]
    states = states.assign(passed=passed(community.verdicts, validator, states["answer_id"]))
    states["human_passed"] = states["passed"] & (states["state"] == "right")
    states["waits"] = states["passed"] & ~states["state"].isin(["right", "wrong"])
    by_system = states.groupby(["system", "question_id"])[["passed", "human_passed", "waits"]].any().reset_index()
    by_question = states.groupby("question_id")[["passed", "human_passed", "waits"]].any().assign(system="all")
    found = pd.concat([by_system, by_question], ignore_index=True)
    found["human_verified"] = found["human_passed"] | (found["passed"] & ~found["waits"])
    names, n = ["passed", "human_verified", "human_passed"], len(community.questions)
    table = found.groupby("system")[names].sum().astype(int)
    table = table.assign(questions=n, recomputed=table["passed"] / n)
    table[["low", "high"]] = [wilson(int(k), n, level) for k in table["passed"]]
    table.index.name = "answer_model"
    return table.drop(index="all").sort_values("passed", ascending=False, kind="stable"), table.loc["all"]


def validator_on_hle(judges: str, pipeline: str) -> Confusion:
    """The counts behind one row of Table S10, on HLE, where the truth is known. ValueError unless exactly one fits."""
    row = load_published("uq/table_S10").set_index(["judges", "strategy"]).loc[(judges, pipeline)]
    found = confusion_counts(row["accuracy"], row["precision"], row["recall"], range(490, 501))
    if len(found) != 1:
        raise ValueError(f"{judges}, {pipeline}: {len(found)} tables print so; choose a row with one")
    return found[0].confusion


def solve_rate_bounds(models: pd.DataFrame, every: pd.Series, recall: tuple[float, float]) -> pd.DataFrame:
    """What partial checking leaves possible, in shares of the questions: one row a model, the last for any model.

    verified_right to passed_and_right_most; right_least to right_most if the validator passes a share within `recall`
    of the right answers; right_most_unassumed if nothing is known of the rejected ones.
    """
    n, rows = int(every["questions"]), []
    for name, row in [*models.iterrows(), ("any model (questions)", every)]:
        c = Checked(n, int(row["passed"]), int(row["human_verified"]), int(row["human_passed"]))
        least, most = c.right_at_recall(*recall)
        counts = dict(answer_model=name, right=c.right, verified=c.verified, passed_count=c.passed)
        shares = dict(passed=c.passed / n, verified_right=c.right / n, passed_and_right_most=c.passed_and_right[1])
        rows.append(counts | shares | dict(right_least=least, right_most=most, right_most_unassumed=c.right_of_all[1]))
    return pd.DataFrame(rows)


def precision_difference(
    right: int, checked: int, other_right: int, other_checked: int, level: float = 0.95
) -> Interval:
    """Share right of the checked answers less that of others, as if drawn at random and apart (Newcombe's limits)."""
    counts = right, checked, other_right, other_checked
    low, high = confint_proportions_2indep(*counts, compare="diff", method="newcomb", alpha=1 - level)
    return Interval(right / checked - other_right / other_checked, float(low), float(high), level, "newcombe")
