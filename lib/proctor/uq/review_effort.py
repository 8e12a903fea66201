"""How many reviews it takes: errors of a majority, reviews until a rule decides, and what a screen before them saves.

Closed forms beside simulations of the same thing. Reviewers are drawn anew for each review, so that a mix of skills
counts by its mean; errors that readers share (`fooled`, as in `community.yes_chance`) are a mixture over answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binom

from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval
from proctor.stats.proportions import wilson
from proctor.uq.community import Validator, accept_chance, yes_chance
from proctor.uq.resolution import Rule

BLOCK = 100  # answers
MOST = 15  # reviews of one answer after which the simulation and the recursion stop


@dataclass(frozen=True)
class Outcome:
    """Of one answer: chances that the rule calls it right, wrong, or neither within the cap; and expected reviews."""

    right: float
    wrong: float
    undecided: float
    reviews: float


def majority_error(skill: ArrayLike, reviews: ArrayLike) -> np.ndarray:
    """Chance that most of n (odd) independent reviews are mistaken, each right with chance `skill` (Condorcet, 1785).

    >>> majority_error(0.8, [1, 3, 5]).round(3).tolist()
    [0.2, 0.104, 0.058]
    """
    reviews = np.asarray(reviews)
    if (reviews % 2 == 0).any():
        raise ValueError(f"reviews {reviews.tolist()}: give odd numbers, an even one can tie")
    return binom.cdf(reviews // 2, reviews, skill)


def simulated_majority(
    skills: ArrayLike, reviews: int, answers: int, rng: np.random.Generator, right: bool, misled: float = 0.0
) -> Interval:
    """Share of `answers` on which most of `reviews` distinct people of `skills` are mistaken, with Wilson's 95 %.

    The people are drawn without replacement for each answer. misled: share of those who take a tempting wrong answer
    for right whatever their skill; `right` must then be False.
    """
    skills = np.asarray(skills, float)
    if reviews > len(skills):
        raise ValueError(f"{reviews} reviews by {len(skills)} people: each reviews an answer once")
    who = np.argsort(rng.random((answers, len(skills))), axis=1)[:, :reviews]
    yes = rng.random(who.shape) < yes_chance(skills[who], right, misled > 0, misled)
    wrong = int(((yes if not right else ~yes).sum(axis=1) > reviews / 2).sum())
    return Interval(wrong / answers, *wilson(wrong, answers), 0.95, "wilson")


def majority_table(
    panels: dict[str, tuple[ArrayLike, float]], reviews: ArrayLike, answers: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Formula beside simulation: panel, reviews, formula (independent reviews of mean skill), error with limits.

    panels: name -> (skills, misled): 0, plain wrong answers; above, tempting ones.
    """
    rows = []
    for name, (skills, misled) in panels.items():
        mean = float(np.mean(skills)) * (1 - misled)
        for n in np.asarray(reviews).tolist():
            found = simulated_majority(skills, n, answers, rng, right=False, misled=misled)
            row = dict(
                panel=name, people=len(skills), mean_skill=mean, reviews=n, formula=float(majority_error(mean, n))
            )
            rows.append(row | dict(error=found.estimate, low=found.low, high=found.high, answers=answers))
    return pd.DataFrame(rows)


def until_decided(rule: Rule, yes: float, most: int = MOST, unsure: float = 0.0) -> Outcome:
    """Exact, by recursion: reviews come one by one until the rule says right or wrong, or `most` decide.

    yes: chance that a review that decides says yes. unsure: share of reviews that decide nothing but cost as much.

    >>> found = until_decided(Rule(needed=2, share=1.0), 0.9, most=2)
    >>> round(found.right, 2), round(found.undecided, 2), found.reviews
    (0.81, 0.18, 2.0)
    """
    chance = {(0, 0): 1.0}
    ended = dict.fromkeys(("right", "wrong", "undecided"), 0.0)
    reviews = 0.0
    for step in range(1, most + 1):
        reviews += sum(chance.values())
        after: dict[tuple[int, int], float] = {}
        for (k, m), p in chance.items():
            for place, q in (((k + 1, m), yes), ((k, m + 1), 1 - yes)):
                after[place] = after.get(place, 0.0) + p * q
        chance = {}
        for place, p in after.items():
            state = str(rule.state(*place))
            if state in ("right", "wrong"):
                ended[state] += p
            elif step == most:
                ended["undecided"] += p
            else:
                chance[place] = p
    return Outcome(**ended, reviews=reviews / (1 - unsure))


@dataclass(frozen=True)
class Crowd:
    """Who reviews, by mean skill, and what there is: base_rate, share of right answers; tempting, of the wrong ones."""

    skill: float
    base_rate: float
    tempting: float = 0.0
    fooled: float = 0.0
    unsure: float = 0.1


def kinds(crowd: Crowd, validator: Validator | None) -> pd.DataFrame:
    """The kinds of answers: right and tempting, share (of all answers), read (chance to be read), yes (of a review)."""
    table = pd.DataFrame(dict(right=[True, False, False], tempting=[False, False, True]))
    wrong = 1 - crowd.base_rate
    table["share"] = [crowd.base_rate, wrong * (1 - crowd.tempting), wrong * crowd.tempting]
    chance = accept_chance(validator, table["right"], table["tempting"], crowd.tempting) if validator else 1.0
    table["read"] = chance
    table["yes"] = yes_chance(crowd.skill, table["right"], table["tempting"], crowd.fooled)
    return table


def effort(crowd: Crowd, rule: Rule, validator: Validator | None = None, most: int = MOST) -> pd.Series:
    """Closed form, per answer that is submitted: reviews; resolved, truly and falsely; and what follows from these.

    reviews_per_resolution: of a true one. false_share: of all resolutions. found: share of the right answers that are
    resolved. read: share of the answers that people read.
    """
    table = kinds(crowd, validator)
    ends = [until_decided(rule, yes, most, crowd.unsure) for yes in table["yes"]]
    weight = (table["share"] * table["read"]).to_numpy()
    reviews = weight @ [end.reviews for end in ends]
    called = weight * [end.right for end in ends]
    true, false = called[0], called[1:].sum()
    return pd.Series(
        dict(
            read=weight.sum(),
            reviews=reviews,
            resolved=true,
            reviews_per_resolution=reviews / true,
            false_share=false / (true + false),
            found=true / crowd.base_rate,
        )
    )


def simulated_effort(
    crowd: Crowd,
    rule: Rule,
    validator: Validator | None,
    answers: int,
    rng: np.random.Generator,
    resamples: int = 2_000,
    most: int = MOST,
) -> tuple[Interval, np.ndarray]:
    """(reviews per true resolution; reviews and true resolutions by block of answers, (blocks, 2)).

    The answers are independent and alike; blocks of `BLOCK` of them are resampled, which is as good and much faster.
    """
    if answers % BLOCK:
        raise ValueError(f"answers is {answers}: give a multiple of {BLOCK}")
    right = rng.random(answers) < crowd.base_rate
    tempting = ~right & (rng.random(answers) < crowd.tempting)
    read = np.ones(answers, bool)
    if validator:
        read = rng.random(answers) < accept_chance(validator, right, tempting, crowd.tempting)
    votes = rng.random((answers, most)) < yes_chance(crowd.skill, right, tempting, crowd.fooled)[:, None]
    yes = votes.cumsum(axis=1)
    states = rule.state(yes, np.arange(1, most + 1) - yes)
    done = np.isin(states, ("right", "wrong"))
    last = np.where(done.any(axis=1), done.argmax(axis=1), most - 1)
    called = (states[np.arange(answers), last] == "right") & read
    extra = rng.negative_binomial(last + 1, 1 - crowd.unsure)  # unsure reviews before the last that decides
    counts = np.stack([np.where(read, last + 1 + extra, 0), called & right], axis=1).astype(float)
    counts = counts.reshape(-1, BLOCK, 2).sum(axis=1)
    found = bootstrap.statistic_interval(ratio_of_sums, [*counts.T], rng, resamples, vectorized=True)
    return found, counts


def ratio_of_sums(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sum of a over sum of b along the last axis, NaN where that is 0."""
    total = b.sum(axis=-1)
    return np.divide(a.sum(axis=-1), total, out=np.full(np.shape(total), np.nan), where=total > 0)


def screen_table(crowd: Crowd, rule: Rule, validator: Validator, base_rates: ArrayLike) -> pd.DataFrame:
    """`effort` with and without the screen over base rates: columns base_rate, screen, and those of `effort`."""
    rows = []
    for rate in np.asarray(base_rates, float).tolist():
        here = replace(crowd, base_rate=rate)
        for name, screen in (("none", None), (validator.name, validator)):
            rows.append(dict(base_rate=rate, screen=name) | effort(here, rule, screen).to_dict())
    return pd.DataFrame(rows)


def simulated_screen(
    crowd: Crowd,
    rule: Rule,
    validator: Validator,
    base_rates: Sequence[float],
    answers: int,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> tuple[pd.DataFrame, dict[float, tuple[Interval, Interval]]]:
    """(reviews per true resolution with limits, by base rate and screen; by base rate, with the screen over without:
    reviews per true resolution, and true resolutions), on different answers; both are resampled."""
    rows, ratios = [], {}
    for rate in base_rates:
        here, counts = replace(crowd, base_rate=rate), []
        for name, screen in (("none", None), (validator.name, validator)):
            found, each = simulated_effort(here, rule, screen, answers, rng, resamples)
            rows.append(dict(base_rate=rate, screen=name, reviews=found.estimate, low=found.low, high=found.high))
            counts += list(each.T)
        how = dict(rng=rng, resamples=resamples, vectorized=True)
        cost = bootstrap.statistic_interval(_cost_ratio, counts, **how)
        ratios[rate] = cost, bootstrap.statistic_interval(ratio_of_sums, [counts[3], counts[1]], **how)
    return pd.DataFrame(rows).assign(answers=answers), ratios


def _cost_ratio(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    return ratio_of_sums(c, d) / ratio_of_sums(a, b)


def largest_gap(table: pd.DataFrame) -> tuple[Interval, int]:
    """(interval, family): where `majority_table`'s simulation is furthest from the formula, in points.

    Wilson's interval of that error at the level of all its rows, less the formula.
    """
    family = len(table)
    row = table.loc[(table["error"] - table["formula"]).abs().idxmax()]
    level = 1 - 0.05 / family
    low, high = wilson(round(row["error"] * row["answers"]), int(row["answers"]), level)
    ends = (100 * (each - row["formula"]) for each in (row["error"], low, high))
    return Interval(*ends, level, "wilson"), family
