"""The difficulty check that a submitted question must pass, and what a retest then shows (HLE, sections 3.2, B.1).

The paper states the rule for multiple choice twice, and not alike: `CHOICE_RULES`. Both are a largest number of models
that may be right (`most_right`); an exact-match question must stump every model.

`Solving` is the check in one equation: each question has a chance p of being solved by any of the models, p is
Beta(a, b) over the questions, attempts are independent given p, and the key is exact. Of M models none solves a
question with chance (1 - p)^M, so that p is Beta(a, b + M) among those that pass:

    share that passes = B(a, b + M) / B(a, b)
    accuracy before = a / (a + b), of those that pass at a retest = a / (a + b + M)

`notebooks/hle/1_collection` also checks the form of submissions; `hle/1_review` draws the whole collection with
guessing, wrong keys and reviewers.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom

from proctor.stats import checks

CHOICE_RULES = {"all but one": "appendix B.1", "below chance": "section 3.2"}  # name -> where it stands


def most_right(answer_type: str, models: int, options: int = 0, rule: str = "all but one") -> int:
    """How many of the models that try a question may solve it, for it to pass; below 0 never happens.

    Exact match: none. Multiple choice by "all but one": one. By "below chance": as many as keep the share of right
    models under 1 / options, strictly. Both rules let everything pass that no model solves.
    """
    if models < 1:
        raise ValueError(f"{models} models: a question passes only if at least one has tried it")
    if rule not in CHOICE_RULES:
        raise ValueError(f"rule {rule!r}: choose one of {', '.join(CHOICE_RULES)}")
    if answer_type != "multipleChoice":
        return 0
    if rule == "all but one":
        return 1
    if options < 2:
        raise ValueError(f"rule 'below chance' needs the number of options, got {options}: chance is one in so many")
    return -(-models // options) - 1


SEEING = ("GPT-4o", "Gemini 1.5 Pro", "Claude 3.5 Sonnet", "o1")  # B.1: the models that see; it adds two for text


def guess_passes(models: int, options: int, rule: str) -> float:
    """Chance that a choice question passes if every model only guesses, evenly (HLE, B.1: lucky guesses)."""
    return float(binom.cdf(most_right("multipleChoice", models, options, rule), models, 1 / options))


@dataclass(frozen=True)
class Solving:
    """Chances of being solved, Beta(a, b) over questions; a, b > 0."""

    a: float
    b: float

    @property
    def before(self) -> float:
        """Accuracy of each model before the check."""
        return self.a / (self.a + self.b)

    def passes(self, models: int) -> float:
        """Share of questions that stump all of `models`."""
        return float(np.exp(betaln(self.a, self.b + models) - betaln(self.a, self.b)))

    def retest_accuracy(self, models: int) -> float:
        """Accuracy of any of the models on the questions that stumped all of them, when they are asked again."""
        return self.a / (self.a + self.b + models)


def fit_difficulty(passes: float, retest_accuracy: float, models: int) -> Solving:
    """The chances under which a share `passes` stumps all models, which solve `retest_accuracy` of it when asked again.

    At a given retest accuracy r the share that passes rises with a, from 0 (questions solved always or never) to
    (1 - r)^models (all questions alike). Raises ValueError for a larger one: no chances let so many pass and be
    solved so often.
    """
    checks.share(passes, "passes"), checks.share(retest_accuracy, "retest_accuracy")
    checks.at_least_one(models, "models")
    if passes >= (1 - retest_accuracy) ** models:
        raise ValueError(
            f"passes is {passes:.4g}: with {models} models and {retest_accuracy:.3g} at the retest it must "
            f"be below {(1 - retest_accuracy) ** models:.4g}, what questions that are all alike give"
        )
    least = models * retest_accuracy / (1 - retest_accuracy)  # of a, where b is 0

    def at(log_more: float) -> Solving:
        more = float(np.exp(log_more))
        return Solving(least + more, more * (1 - retest_accuracy) / retest_accuracy)

    return at(brentq(lambda x: np.log(at(x).passes(models) / passes), -40, 20, xtol=1e-12))
