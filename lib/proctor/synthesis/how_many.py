"""How many: items, repeats, votes and rollouts for an aim, and how a budget is split among them.

    python -m proctor how-many items --rates 0.6 0.5 --correlation 0.4
    python -m proctor how-many checks --population 1143 --below 0.05

One function a question, which is a command too (`app`); reviewers and checks are in `how_many_checks`. Each takes
numbers that are expected, not known, and returns a `Plan` that says what it assumes. Their simulations and the papers'
own sizes are in `synthesis/5_how_many`.
Rates, shares, errors and half-widths are shares of 1, never percent: 0.8, not 80.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil, floor, inf, isfinite, sqrt
from typing import Annotated, Literal

import pandas as pd
import typer
from scipy.optimize import brentq
from scipy.stats import beta, betabinom, binom

from proctor import COMMAND_LINE
from proctor.cbu.ranking_metrics import expected_error, order_chance
from proctor.stats import checks
from proctor.stats.compare import chances, mcnemar_power
from proctor.stats.power import mcnemar_items

TESTS = {"exact": "McNemar's exact test", "score": "McNemar's score test"}
MOST = 10_000_000  # above this a search says that no number does

app = typer.Typer(
    name="how-many",
    help="How many items, repeats, votes, rollouts, reviewers or checks an aim takes, and what a budget is best spent "
    "on. Shares and rates are numbers from 0 to 1: 0.8, not 80. Each answer says what it assumes.",
    no_args_is_help=True,
    result_callback=print,
    **COMMAND_LINE,
)
Power = Annotated[float, typer.Option(help="chance to tell the two apart")]
Level = Annotated[float, typer.Option(help="confidence level of the interval or test")]
Test = Annotated[
    Literal["exact", "score"],
    typer.Option(help="exact (McNemar's, as leaderboard and compare decide) or score (Tango's)"),
]
Alike = Annotated[float, typer.Option(help="of the two models' right answers over items (phi); 0 needs the most")]
Correlation = Annotated[float, typer.Option(help="of two votes on the same answer: 0 if its errors are independent")]


@dataclass(frozen=True)
class Plan:
    """n of a unit, for an aim. told: what n gives, by name. assumes: what must be true for it, a sentence each."""

    n: int
    unit: str
    aim: str
    told: dict[str, float] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.n:,} {self.unit}", f"  for: {self.aim}", *_lines(self.told, self.assumes)])


def _lines(told: Mapping[str, float], assumes: Sequence[str]) -> Iterator[str]:
    for name, value in told.items():
        yield f"  {name}: {value:,.4g}" if value < 1e4 else f"  {name}: {value:,.0f}"
    for each in assumes:
        yield f"  assumed: {each}"


# Items


@app.command("items", help="Items that tell two models apart, both answering all of them.")
def items_for_difference(
    rates: Annotated[tuple[float, float], typer.Option(help="expected accuracies of the two models, as 0.6 0.5")],
    correlation: Alike = 0.0,
    power: Power = 0.8,
    level: Level = 0.95,
    family: Annotated[int, typer.Option(help="items of a family (same template, text or author)")] = 1,
    icc: Annotated[float, typer.Option(help="correlation within a family of the difference of the two scores")] = 0.0,
    test: Test = "exact",
) -> Plan:
    """Items on which two models of these accuracies are distinguished with chance `power`; whole families are counted.

    test: "score" is the formula's and Tango's interval's; of families it is Student's over them. Raises ValueError for
    equal rates, and for rates that cannot have the correlation.

    >>> items_for_difference((0.6, 0.5), correlation=0.4).n, items_for_difference((0.6, 0.5), 0.4, test="score").n
    (252, 237)
    """
    for name, rate in zip(("first rate", "second rate"), rates):
        within_one(rate, name)
    if rates[0] == rates[1]:
        raise ValueError(f"both rates are {rates[0]:g}: no number of items tells equal models apart; give two rates")
    _, only_a, only_b, _ = chances(*rates, correlation)
    checks.at_least_one(family, "family size")
    effect = 1 + (family - 1) * within_one(icc, "icc")  # the design effect (Kish, 1965)
    exact = test == "exact" and family == 1
    families = ceil(effect * float(mcnemar_items(only_a, only_b, level, power, exact)) / family)
    n = families * family
    if exact and n <= 20_000:  # the correction asks for a few more than are needed
        while n > 2 and mcnemar_power(only_a, only_b, n - 1, level, exact=True) >= power:
            n -= 1
    told = {"items on which one alone is right, expected": n * (only_a + only_b)}
    if family == 1 and n <= 100_000:
        for name, label in TESTS.items():
            told[f"power of {label}"] = mcnemar_power(only_a, only_b, n, level, exact=name == "exact")
    assumes = [f"both models answer the same items, and their right answers correlate by {correlation:g}"]
    if family > 1:
        told |= {"families": families, "design effect": effect}
        assumes.append(f"families of {family} items, whose differences correlate by {icc:g}; families are independent")
    else:
        assumes.append(f"they are distinguished by {TESTS[test]} of this pair alone (of k pairs: level 1 - 0.05 / k)")
        assumes.append("items are independent")
    aim = f"accuracies {rates[0]:g} and {rates[1]:g} distinguished with {power:.0%} power at {level:.0%}"
    return Plan(n, "items", aim, told, tuple(assumes))


@app.command("difference", help="The smallest difference of two models that so many items tell.")
def _difference(
    n: Annotated[int, typer.Option("-n", help="items that there are")],
    rate: Annotated[float, typer.Option(help="expected accuracy of the better model")],
    correlation: Alike = 0.0,
    power: Power = 0.8,
    level: Level = 0.95,
    test: Test = "exact",
) -> str:
    found = smallest_difference(n, rate, correlation, power, level, test)
    if found != found:
        raise ValueError(
            f"{n:,} items tell no difference that a correlation of {correlation:g} allows below {rate:g}: give more "
            "items, or a lower correlation"
        )
    return (
        f"{100 * found:.2f} points: {rate:g} and {rate - found:.4f} are distinguished with {power:.0%} power by "
        f"{TESTS[test]}"
    )


def smallest_difference(
    n: int, rate: float, correlation: float = 0.0, power: float = 0.8, level: float = 0.95, test: str = "score"
) -> float:
    """The smallest difference that n items show with chance `power`, the better model being right on a share `rate`.

    The inverse of `items_for_difference`, not rounded. NaN where no second model with this correlation is so much
    worse.
    """
    checks.at_least_one(n, "n")
    within_one(rate, "rate")

    def possible(d: float) -> bool:
        return _possible(rate, rate - d, correlation)

    def surplus(d: float) -> float:
        _, only_a, only_b, _ = chances(rate, rate - d, correlation)
        return float(mcnemar_items(only_a, only_b, level, power, test == "exact")) - n

    if not possible(1e-6):
        return float("nan")
    worst = rate - 1e-9 if possible(rate - 1e-9) else _last(possible, 1e-6, rate - 1e-9)
    if surplus(worst) > 0:
        return float("nan")
    return float(brentq(surplus, 1e-6, worst, xtol=1e-9))


def item_curves(
    rates: Sequence[float], differences: Sequence[float], correlations: Sequence[float], power: float = 0.8
) -> pd.DataFrame:
    """Columns rate (of the better model), difference, correlation, n: every possible design of the grid."""
    rows = []
    for rate, d, correlation in product(rates, differences, correlations):
        if rate > d and _possible(rate, rate - d, correlation):
            _, only_a, only_b, _ = chances(rate, rate - d, correlation)
            n = ceil(mcnemar_items(only_a, only_b, power=power, exact=False))
            rows.append(dict(rate=rate, difference=d, correlation=correlation, n=n))
    return pd.DataFrame(rows)


def _possible(rate_a: float, rate_b: float, correlation: float) -> bool:
    try:
        chances(rate_a, rate_b, correlation)
    except ValueError:
        return False
    return True


def _last(possible: Callable[[float], bool], inside: float, outside: float) -> float:
    """The end of what is possible, by bisection."""
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if possible(middle) else (inside, middle)
    return inside


# Repeats and votes of a judge


@app.command("repeats", help="Repeats of a judge until its own variance is a small share.")
def repeats_for_share(
    within: Annotated[float, typer.Option(help="variance of a judge's scores of one item")],
    between: Annotated[float, typer.Option(help="variance of the items' mean scores")],
    share: Annotated[float, typer.Option(help="largest share of an item's mean score that is the judge's own")] = 0.1,
) -> Plan:
    """Repeats of a judge's score until the variance within items is at most `share` of the variance of items' means.

    The mean of k repeats has variance between + within / k, so k = within (1 - share) / (share between). One less the
    share is the reliability, the correlation of the means of two sets of k repeats (Spearman and Brown, 1910).

    >>> repeats_for_share(within=2.0, between=1.0, share=0.2).n
    8
    """
    positive_number(between, "variance between items")
    if not 0 <= within < inf:
        raise ValueError(f"variance within items is {within:g}: give a number from 0 on")
    checks.share(share, "share")
    k = max(1, ceil(round(within * (1 - share) / (share * between), 9)))
    left = within / k / (between + within / k)
    return Plan(
        k,
        "repeats of each item",
        f"at most {share:.0%} of the variance of an item's mean score is the judge's own",
        {"share within": left, "reliability": 1 - left},
        ("repeats of an item are independent", "items differ by a fixed mean and an equal variance of repeats"),
    )


def error_of_votes(error: float, votes: int, correlation: float = 0.0) -> float:
    """Chance that most of an odd number of votes of one judge on one item are wrong.

    correlation: of two votes on the same item. 0 is Condorcet's case (1785); above 0 each item has its own chance of
    an error, beta distributed with mean `error` and this correlation.

    >>> round(error_of_votes(0.2, 5), 3), round(error_of_votes(0.2, 5, correlation=0.3), 3)
    (0.058, 0.15)
    """
    within_one(error, "error")
    within_one(correlation, "correlation", below_one=True)
    checks.at_least_one(votes, "votes")
    if votes % 2 == 0:
        raise ValueError(f"votes is {votes}: give an odd number, an even one can tie")
    if correlation == 0 or error in (0, 1):
        return float(binom.cdf(votes // 2, votes, 1 - error))
    return float(betabinom.sf(votes // 2, votes, *beta_of(error, correlation)))


@app.command("votes", help="Votes of a judge whose majority errs rarely.")
def votes_for_error(
    miss: Annotated[float, typer.Option(help="chance that one vote rejects a right answer")],
    false_alarm: Annotated[float, typer.Option(help="chance that one vote accepts a wrong answer")],
    at_most: Annotated[float, typer.Option(help="largest chance of each error for the majority")] = 0.05,
    correlation: Correlation = 0.0,
) -> Plan:
    """Votes of a judge whose majority rejects right answers and accepts wrong ones with chances of `at_most`: the least
    odd number. Raises ValueError where none up to 999 does, and says what is left for ever."""
    checks.share(at_most, "at most")
    worse, most = max(miss, false_alarm), 999
    if worse >= 0.5:
        raise ValueError(f"one vote errs with chance {worse:g}: a majority helps only below 0.5; fix the judge first")
    for k in range(1, most + 1, 2):
        if error_of_votes(worse, k, correlation) <= at_most:
            break
    else:
        left = float(beta.sf(0.5, *beta_of(worse, correlation))) if correlation else 0.0
        raise ValueError(
            f"{most} votes leave an error of {error_of_votes(worse, most, correlation):.3f}, any number "
            f"{left:.3f}, as votes on one answer correlate by {correlation:g}; allow more, or take another judge"
        )
    told = {
        "right answers rejected": error_of_votes(miss, k, correlation),
        "wrong answers accepted": error_of_votes(false_alarm, k, correlation),
    }
    same = f"votes on one answer correlate by {correlation:g}" if correlation else "votes on one answer are independent"
    aim = f"a majority that errs with chance {at_most:g} at most"
    return Plan(k, "votes on each answer", aim, told, (same, "no ties"))


# Rollouts


@app.command("rollouts", help="Rollouts of a candidate until its utility is known (CBU).")
def rollouts_for_error(
    utility: Annotated[float, typer.Option(help="expected share of rollouts that succeed; 0.5 needs the most")] = 0.5,
    error: Annotated[float, typer.Option(help="largest mean absolute error of the utility")] = 0.05,
    pool: Annotated[int | None, typer.Option(help="compare with the mean of so many rollouts, not the truth")] = None,
) -> Plan:
    """Rollouts of a candidate until the mean absolute error of its utility is at most `error` (CBU, section 7.1).

    pool: the n are drawn without replacement from so many, as in the paper's Figure 6.
    """
    within_one(utility, "utility")
    positive_number(error, "error")
    of = checks.at_least_one(pool, "pool") if pool else 100_000
    k = round(utility * of)

    def mean_error(n: int) -> float:
        return float(expected_error(k, of, n, replace=not pool))

    n = least_number(lambda n: mean_error(n) <= error, 1, of)
    whose = f"the mean of {of} rollouts" if pool else "the utility itself"
    return Plan(
        n,
        "rollouts of each candidate",
        f"a utility of {utility:g} within {error:g} of {whose} on average",
        {"mean absolute error": mean_error(n)},
        ("rollouts of a candidate are independent and have one chance",),
    )


@app.command("order", help="Rollouts that rank two candidates rightly (CBU).")
def rollouts_for_order(
    utilities: Annotated[tuple[float, float], typer.Option(help="of the better and the worse candidate, as 0.6 0.4")],
    chance: Annotated[float, typer.Option(help="of the right order")] = 0.9,
) -> Plan:
    """Rollouts of each of two candidates until the one of higher utility comes first with this chance."""
    better, worse = utilities
    for name, rate in (("better utility", better), ("worse utility", worse)):
        within_one(rate, name)
    if better <= worse:
        raise ValueError(f"utilities are {better:g} and {worse:g}: give the better candidate's first")
    if not 0.5 < chance < 1:
        raise ValueError(f"chance is {chance:g}: give a share above 0.5 and below 1; 0.5 is a coin")
    n = least_number(lambda n: order_chance(better, worse, n) >= chance, 1, 1_000_000)
    return Plan(
        n,
        "rollouts of each candidate",
        f"utilities {better:g} and {worse:g} in the right order with chance {chance:.0%}",
        {"chance of the right order": order_chance(better, worse, n)},
        ("rollouts are independent; a tie is broken at random",),
    )


# A budget


@dataclass(frozen=True)
class Split:
    """n items with k repeats each for a budget. error: standard error of the mean; spent: of the budget; rule: the
    number of repeats by the square-root rule, before rounding and limits; once: the error of one repeat each."""

    n: int
    k: int
    error: float
    spent: float
    rule: float
    once: float
    assumes: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = {
            "standard error": self.error,
            "standard error with one repeat": self.once,
            "repeats by the square-root rule": self.rule,
            "spent": self.spent,
        }
        return "\n".join([f"{self.n:,} items with {self.k:,} repeats each", *_lines(told, self.assumes)])


def error_of_split(n: int, k: int, between: float, within: float) -> float:
    """Standard error of a mean over n items with k repeats each: sqrt(between / n + within / (n k)).

    >>> round(error_of_split(100, 4, between=0.15, within=0.1), 4)
    0.0418
    """
    return sqrt(between / n + within / (n * k))


@app.command("split", help="A budget split into items and repeats of each.")
def split_budget(
    budget: Annotated[float, typer.Option(help="in dollars or calls, as the costs are")],
    between: Annotated[float, typer.Option(help="variance of the items' means")],
    within: Annotated[float, typer.Option(help="variance of repeats of one item")],
    item_cost: Annotated[float, typer.Option(help="of an item, once; 0 if it is there")] = 0.0,
    call_cost: Annotated[float, typer.Option(help="of a repeat")] = 1.0,
    most_items: Annotated[int | None, typer.Option(help="items that there are at most")] = None,
) -> Split:
    """Items and repeats of each that make the standard error of a mean smallest, for a budget.

    The best number of repeats is sqrt(within / between item_cost / call_cost) (Cochran, Sampling Techniques, 1977,
    ch. 10), at least 1, and at least what `most_items` items leave money for. The whole numbers beside it are tried,
    with one item more too; what is left goes into repeats.
    """
    positive_number(between, "variance between items")
    positive_number(call_cost, "cost of a call")
    for name, value in (("variance within items", within), ("cost of an item", item_cost)):
        if not 0 <= value < inf:
            raise ValueError(f"{name} is {value:g}: give a number from 0 on")
    if budget < item_cost + call_cost:
        raise ValueError(f"the budget of {budget:g} doesn't pay one item with one call ({item_cost + call_cost:g})")
    if most_items is not None:
        checks.at_least_one(most_items, "most items")

    def affordable(k: int) -> int:
        return floor(round(budget / (item_cost + k * call_cost), 9))

    rule = sqrt(within / between * item_cost / call_cost)
    bound = most_items or affordable(1)
    repeats = max(rule, 1.0, (budget / bound - item_cost) / call_cost)  # at least what all items leave money for
    beside = [affordable(k) for k in (floor(repeats), ceil(repeats))]
    tried = {min(max(n, 1), bound) for some in beside for n in (some, some + 1)}
    left = {n: floor(round((budget / n - item_cost) / call_cost, 9)) for n in tried}
    found = {n: error_of_split(n, k, between, within) for n, k in left.items() if k >= 1}
    n = min(found, key=found.__getitem__)
    k = left[n]
    once = error_of_split(min(affordable(1), bound), 1, between, within)
    assumes = (
        "items are a random sample of those that are meant, and repeats of an item are independent",
        f"an item costs {item_cost:g} once and {call_cost:g} a repeat",
    )
    return Split(n, k, found[n], n * (item_cost + k * call_cost), rule, once, assumes)


# What they share


def beta_of(mean: float, correlation: float) -> tuple[float, float]:
    """Parameters of the beta distribution whose draws give 0/1 values of this mean and correlation."""
    spread = (1 - correlation) / correlation
    return mean * spread, (1 - mean) * spread


def least_number(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number from low to high for which `holds`, which is false before it and true after it."""
    top = low
    while not holds(top):
        if top >= high:
            raise ValueError(f"no number up to {high:,} does: ask for less")
        low, top = top + 1, min(2 * top, high)
    while low < top:
        middle = (low + top) // 2
        low, top = (low, middle) if holds(middle) else (middle + 1, top)
    return top


def within_one(value: float, name: str, below_one: bool = False) -> float:
    if not (0 <= value < 1 if below_one else 0 <= value <= 1):
        end = "to below 1" if below_one else "to 1"
        hint = f"; {value:g} percent is {value / 100:g}" if 1 < value <= 100 else ""
        raise ValueError(f"{name} is {value:g}: give a share from 0 {end}{hint}")
    return value


def positive_number(value: float, name: str) -> float:
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{name} is {value:g}: give a number above 0")
    return value
