"""The collection of an exam that models must fail: what passes its check, and what a retest then shows.

Questions go through a difficulty check of several models and a review (HLE, Figure 4, section 3.2). `Solving` is the
check in one equation: each question has a chance p of being solved by any of the models, p is Beta(a, b) over the
questions, attempts are independent given p, and the key is exact. Of M models none solves a question with chance
(1 - p)^M, so that p is Beta(a, b + M) among those that pass:

    share that passes = B(a, b + M) / B(a, b)
    accuracy before = a / (a + b), of those that pass at a retest = a / (a + b + M)

`collect` draws the whole collection with guessing, wrong keys and reviewers; a share of the questions may be hard for
each model on its own. Simulated, never data.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom, norm

from proctor.hle.review import MOST
from proctor.hle.submission import most_right
from proctor.stats import checks

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


@dataclass(frozen=True)
class CollectionPlan:
    """What `collect` assumes. Counts and shares of the paper are the notebook's to give; the rest is ours.

    solving: chances of solving before guessing. own: share of questions on which a model's chance is drawn for it alone
    (0: all models find the same questions hard). wrong_keys: share of submitted keys that are wrong. detection_rate:
    share of them that reviewers find in the five minutes that they have. noise: of a reviewer's score; quality has
    spread 1.
    """

    solving: Solving
    questions: int = 70_000
    accepted: int = 3_000
    models: int = 4
    text_models: int = 2
    images: float = 0.1
    choice: float = 0.2
    options: int = 5
    rule: str = "all but one"
    own: float = 0.0
    wrong_keys: float = 0.05
    detection_rate: float = 0.3
    noise: float = 1.0


@dataclass(frozen=True)
class Collected:
    """Arrays (questions,): choice, wrong_key, stumped, accepted are booleans.

    first, retest_accuracy: the gatekeepers' mean score at the check and when asked again. held_out_model: score of one
    more model of the same chances, which is no gatekeeper. scores (3, questions): of reviewers, 0 to 5, NaN where none;
    only questions that stumped have any.
    """

    choice: np.ndarray
    wrong_key: np.ndarray
    first: np.ndarray
    stumped: np.ndarray
    accepted: np.ndarray
    retest_accuracy: np.ndarray
    held_out_model: np.ndarray
    quality: np.ndarray
    scores: np.ndarray


def collect(plan: CollectionPlan, rng: np.random.Generator) -> Collected:
    """Draw a whole collection: answers of the gatekeepers, the check, reviews, the accepted, and a retest.

    A model that does not solve a choice question guesses evenly. A wrong key is never met by an exact answer, and by a
    choice like any other wrong option. Quality has nothing to do with difficulty: what the check does to it is chance.
    Reviewers discard the wrong keys that they see; of the rest the best mean scores are accepted, ties by lot.
    """
    n, total = checks.at_least_one(plan.questions, "questions"), plan.models + plan.text_models
    choice, image, wrong_key = (rng.random(n) < share for share in (plan.choice, plan.images, plan.wrong_keys))
    shared = rng.beta(plan.solving.a, plan.solving.b, n)
    alone = rng.beta(plan.solving.a, plan.solving.b, (total + 1, n))
    chance = np.where(rng.random((total + 1, n)) < plan.own, alone, shared)
    chance = np.where(choice, chance + (1 - chance) / plan.options, chance)
    chance = np.where(wrong_key, np.where(choice, (1 - chance) / (plan.options - 1), 0), chance)
    asked = np.ones((total, n), bool)
    asked[plan.models :] = ~image  # models without eyes try text only
    right, second = (rng.random((total + 1, n)) < chance for _ in range(2))
    sizes = asked.sum(axis=0)
    first = np.where(asked, right[:-1], 0).sum(axis=0)
    most = {size: most_right("multipleChoice", size, plan.options, plan.rule) for size in (plan.models, total)}
    allowed = np.where(choice, np.where(sizes == total, most[total], most[plan.models]), 0)
    stumped = first <= allowed
    quality = rng.standard_normal(n)
    scores = np.where(stumped, review_scores(quality, plan.noise, rng), np.nan)
    open_to = np.flatnonzero(stumped & ~(wrong_key & (rng.random(n) < plan.detection_rate)))
    if len(open_to) < plan.accepted:
        raise ValueError(
            f"{len(open_to)} questions are left to accept {plan.accepted} of: ask for fewer, or start with more"
        )
    mean = np.nanmean(scores[:, open_to], axis=0)
    accepted = np.zeros(n, bool)
    accepted[open_to[np.lexsort((rng.random(len(open_to)), -mean))[: plan.accepted]]] = True
    retest_accuracy = np.where(asked, second[:-1], 0).sum(axis=0) / sizes
    return Collected(
        choice, wrong_key, first / sizes, stumped, accepted, retest_accuracy, second[-1].astype(float), quality, scores
    )


def calibrate(
    plan: CollectionPlan,
    passes: float,
    retest_accuracy: float,
    choice: float,
    rng: np.random.Generator,
    rounds: int = 6,
) -> CollectionPlan:
    """The plan with chances and a share of choice questions such that `collect` gives three published shares.

    passes: of the questions, past the check; retest_accuracy: that of the gatekeepers on the accepted ones; choice: of
    the accepted ones. Each round draws a collection and scales what is asked of `fit_difficulty` by what is missing;
    what is left is the chance of one draw. Raises ValueError, from `fit_difficulty`, where no chances give the three.
    """
    asked = np.array([passes, retest_accuracy / 2, choice])
    for _ in range(checks.at_least_one(rounds, "rounds")):
        plan = replace(
            plan, solving=fit_difficulty(asked[0], asked[1], plan.models + plan.text_models), choice=float(asked[2])
        )
        drawn = collect(plan, rng)
        got = drawn.stumped.mean(), drawn.retest_accuracy[drawn.accepted].mean(), drawn.choice[drawn.accepted].mean()
        asked *= np.array([passes, retest_accuracy, choice]) / got
    return plan


def review_scores(quality: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """Scores 0 to 5 of one to three reviewers a question, (3, questions), NaN where there is none.

    A reviewer sees quality (spread 1) with error of spread `noise`; each of the six scores is equally frequent.
    """
    perceived = quality + noise * rng.standard_normal((MOST, len(quality)))
    cuts = norm.ppf(np.arange(1, 6) / 6) * np.hypot(1, noise)
    asked = np.arange(MOST)[:, None] < rng.integers(1, MOST + 1, len(quality))
    return np.where(asked, np.searchsorted(cuts, perceived), np.nan)
