"""What a count allows one to say when only some of the items were checked, and not at random (Manski's bounds).

A validator passed some answers, people checked some of those. What they did not check may be anything, so
shares are only known up to a range, and no number of resamples makes that range narrower. Added to what was
seen, an assumption narrows it, and is named.
"""

from dataclasses import dataclass

import pandas as pd
from statsmodels.stats.proportion import confint_proportions_2indep

from proctor.data.published import load_published
from proctor.stats import checks
from proctor.stats.bootstrap import Interval
from proctor.stats.proportions import Confusion
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
    def right_of_all(self) -> tuple[float, float]:
        """Share of all n that are right, if nothing is known of the rejected: all but the answers seen to be wrong."""
        return self.right / self.n, (self.n - (self.verified - self.right)) / self.n

    def right_at_recall(self, low: float, high: float) -> tuple[float, float]:
        """Share of all n that are right, if the validator passes between `low` and `high` of all right answers."""
        if not 0 < low <= high <= 1:
            raise ValueError(f"recall from {low} to {high}: give two shares above 0, the lower one first")
        least, most = self.passed_and_right
        return min(1.0, least / high), min(1.0, most / low)


FUNNEL = ["passed", "human_verified", "human_passed"]  # each a part of the one before


def full_set() -> tuple[pd.DataFrame, pd.Series]:
    """(models, every): the counts of UQ's Table S3 for the full set of questions, one row a model, most passed first,
    and those of all models: passed, human_verified (checked), human_passed (right), questions."""
    printed = load_published("uq/table_S3").set_index(["questions_of", "answer_model"]).loc["full set"]
    table = pd.DataFrame({name: printed[f"{name}_value"].astype(int) for name in [*FUNNEL, "questions"]})
    return _by_passed(table)


def _by_passed(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return table.drop(index="all").sort_values("passed", ascending=False, kind="stable"), table.loc["all"]


def counts_from_reviews(community: Community, validator: str, rule: Rule = RULE) -> tuple[pd.DataFrame, pd.Series]:
    """What `full_set` gives, from a platform's tables: (systems, every), human verdicts by the rule of resolution.

    A question that an answer of a system passed on is human_passed when such an answer is right, and human_verified
    when one is right or all of them are settled. People are no system here. Shares are of all questions of the
    platform, as in Table S3.
    """
    states = answer_states(community, rule)
    machines = community.answers.loc[community.answers["base_model"] != "", "answer_id"]
    states = states[states["answer_id"].isin(machines)]
    accepted = passed(community.verdicts, validator, states["answer_id"])
    states = states.assign(passed=accepted, human_passed=accepted & (states["state"] == "right"))
    states["waits"] = accepted & states["state"].isin(["open", "disputed"])
    each = pd.concat([states, states.assign(system="all")])
    found = each.groupby(["system", "question_id"])[["passed", "human_passed", "waits"]].any()
    found["human_verified"] = found["human_passed"] | (found["passed"] & ~found["waits"])
    table = found.groupby("system")[FUNNEL].sum().assign(questions=len(community.questions))
    return _by_passed(table.rename_axis("answer_model"))


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
        c = Checked(n, *map(int, row[FUNNEL]))
        least, most = c.right_at_recall(*recall)
        counts = dict(answer_model=name, right=c.right, verified=c.verified, passed_count=c.passed)
        shares = dict(passed=c.passed / n, verified_right=c.right / n, passed_and_right_most=c.passed_and_right[1])
        rows.append(counts | shares | dict(right_least=least, right_most=most, right_most_unassumed=c.right_of_all[1]))
    return pd.DataFrame(rows)


def precision_difference(
    right: int, checked: int, other_right: int, other_checked: int, level: float = 0.95
) -> Interval:
    """Share right of the checked answers minus that of others, as of two random samples (Newcombe's limits)."""
    counts = right, checked, other_right, other_checked
    low, high = confint_proportions_2indep(*counts, compare="diff", method="newcomb", alpha=1 - level)
    return Interval(right / checked - other_right / other_checked, float(low), float(high), level, "newcombe")
