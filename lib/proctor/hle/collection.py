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

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom, norm

from proctor.hle.review import MOST
from proctor.hle.submission import most_right
from proctor.stats import checks
from proctor.stats.agreement import alpha_interval
from proctor.stats.bootstrap import Interval
from proctor.stats.power import power_of

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


def printed_plan(printed: pd.Series, models: int, questions: int, **assumed: float) -> CollectionPlan:
    """A plan with HLE's printed figures; `calibrate` then fits the chances of solving.

    printed: values of "hle/facts" by fact. models: gatekeepers that read images. questions: attempts to simulate; as
    many of 70,000 as the public set has are accepted. assumed: further fields of CollectionPlan.
    """
    return CollectionPlan(
        Solving(1, 1),
        questions=questions,
        accepted=round(printed["public_questions"] * questions / 70_000),
        models=models,
        text_models=int(printed["check_models_for_text_only"]),
        images=printed["image_question_share"] / 100,
        options=int(printed["answer_choices_minimum"]),
        **assumed,
    )


def review_steps(drawn: Collected) -> pd.DataFrame:
    """A drawn collection after each step: step, questions, and means with _low and _high (95 %, normal).

    wrong_key, first (accuracy at the check), retest_accuracy, choice: shares in [0, 1]; quality: in its spread.
    """
    groups = {"sent in": np.ones(len(drawn.stumped), bool), "past the check": drawn.stumped, "accepted": drawn.accepted}
    rows = []
    for name, which in groups.items():
        row: dict[str, object] = dict(step=name, questions=int(which.sum()))
        for key in ("wrong_key", "first", "retest_accuracy", "choice", "quality"):
            mean, low, high = _mean(getattr(drawn, key)[which])
            row |= {key: mean, f"{key}_low": low, f"{key}_high": high}
        rows.append(row)
    return pd.DataFrame(rows)


def quality_gain(drawn: Collected, level: float = 0.95) -> Interval:
    """Mean quality of the accepted less that of the questions past the check that were not accepted (normal)."""
    kept, rest = drawn.quality[drawn.accepted], drawn.quality[drawn.stumped & ~drawn.accepted]
    gain = float(kept.mean() - rest.mean())
    half = norm.ppf((1 + level) / 2) * np.sqrt(kept.var(ddof=1) / len(kept) + rest.var(ddof=1) / len(rest))
    return Interval(gain, gain - half, gain + half, level, "normal")


def agreement_by_noise(
    plan: CollectionPlan,
    rng: np.random.Generator,
    noises: Sequence[float] = (0.5, 1.0, 2.0),
    questions: int = 400,
    resamples: int = 400,
) -> pd.DataFrame:
    """How much reviewers agree, and what they accept, by the error of their scores; one row a noise.

    alpha (Krippendorff's, ordinal, on the first `questions` past the check) with low, high; quality of the accepted
    with quality_low, quality_high; among_best: share of the accepted that are among as many best ones past the check.
    """
    rows = []
    for noise in noises:
        drawn = collect(replace(plan, noise=noise), rng)
        found = alpha_interval(drawn.scores[:, drawn.stumped][:, :questions], rng, resamples)
        best = np.sort(drawn.quality[drawn.stumped])[-plan.accepted]
        kept = drawn.quality[drawn.accepted]
        mean, low, high = _mean(kept)
        rows.append(
            dict(
                noise=noise,
                alpha=found.estimate,
                low=found.low,
                high=found.high,
                quality=mean,
                quality_low=low,
                quality_high=high,
                among_best=(kept >= best).mean(),
            )
        )
    return pd.DataFrame(rows)


def fall_with_noise(agreement: pd.DataFrame, column: str, limits: tuple[str, str]) -> Interval:
    """`column` at the least noise less that at the most, by the limits of both: covers at least as often as they do."""
    low, high = limits
    first, last = agreement.iloc[0], agreement.iloc[-1]
    return Interval(
        first[column] - last[column], first[low] - last[high], first[high] - last[low], 0.95, "difference of intervals"
    )


def private_set_power(
    accuracy: float,
    public: int,
    rng: np.random.Generator,
    sizes: Sequence[int] = (100, 300, 1000, 3000),
    gaps: Sequence[float] = (0.01, 0.02, 0.04, 0.08),
    trials: int = 4_000,
) -> pd.DataFrame:
    """Chance that a private set shows, at 95 %, that a model gains on the public one: private, gap, power, drawn.

    accuracy: on the private set. gap: what a model that has seen the public questions scores higher there. power: by
    the normal formula; drawn: share of `trials` simulated pairs of exams.
    """
    rows = []
    for n in sizes:
        sd = np.sqrt(accuracy * (1 - accuracy) * (1 / public + 1 / n))
        for gap in gaps:
            shown = rng.binomial(public, accuracy + gap, trials) / public - rng.binomial(n, accuracy, trials) / n
            drawn = (abs(shown) > 1.96 * sd).mean()
            rows.append(dict(private=n, gap=gap, power=float(power_of(gap, sd, 1)), drawn=drawn))
    return pd.DataFrame(rows)


def _mean(values: np.ndarray) -> tuple[float, float, float]:
    """(mean, low, high), 95 %, normal."""
    values = np.asarray(values, float)
    half = norm.ppf(0.975) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(values.mean() - half), float(values.mean() + half)
