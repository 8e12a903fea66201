"""How many reviewers, labelled items and checks of a repair an aim takes; see `how_many`."""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Annotated

import numpy as np
import typer
from scipy.special import ndtri
from scipy.stats import betabinom, binom, hypergeom

from proctor import program
from proctor.stats import checks
from proctor.stats.proportions import clopper_pearson, hypergeometric_limits
from proctor.synthesis.how_many import MOST, Level, Plan, app, beta_of, least_number, positive_number, within_one

MOST_REVIEWERS = 500

# Reviewers


def kappa_error(items: int, reviewers: int, kappa: float, prevalence: float) -> float:
    """Standard error of the agreement of `reviewers` who all label `items` items yes or no.

    For large numbers of items it is the same for Fleiss' kappa, for Krippendorff's alpha and, of two reviewers with
    equal shares of yes, for Cohen's kappa. Delta method: kappa is 1 - D / E with the mean disagreement D of pairs and
    E = 2 p (1 - p); the number of yes of an item is beta-binomial with mean `prevalence` and correlation `kappa`, which
    for two reviewers is the only possibility (Bloch and Kraemer, Biometrics 45, 1989).
    """
    items, r = checks.at_least_one(items, "items"), checks.at_least_one(reviewers, "reviewers")
    if r < 2:
        raise ValueError("reviewers is 1: agreement needs two at least")
    checks.share(prevalence, "prevalence")
    within_one(kappa, "kappa", below_one=True)
    x = np.arange(r + 1)
    weight = betabinom.pmf(x, r, *beta_of(prevalence, kappa)) if kappa else binom.pmf(x, r, prevalence)
    expected = 2 * prevalence * (1 - prevalence)
    disagreement = 2 * x * (r - x) / (r * (r - 1))
    influence = -disagreement / expected + (1 - kappa) * 2 * (1 - 2 * prevalence) * x / r / expected
    return float(sqrt(max(weight @ influence**2 - (weight @ influence) ** 2, 0.0) / items))


@app.command("agreement", help="Items for so many reviewers, or reviewers for so many items, for a known agreement.")
def labels_for_agreement(
    half_width: Annotated[float, typer.Option(help="of the interval of the agreement")] = 0.1,
    kappa: Annotated[
        float, typer.Option(help="agreement beyond chance that is expected (kappa or alpha), 0 to below 1")
    ] = 0.6,
    prevalence: Annotated[float, typer.Option(help="expected share of labels that are yes")] = 0.5,
    reviewers: Annotated[
        int | None, typer.Option(help="who label every item; asks for items (2 if none given)")
    ] = None,
    items: Annotated[int | None, typer.Option(help="that there are; asks for reviewers")] = None,
    level: Level = 0.95,
) -> Plan:
    """Items that so many reviewers must all label, for an agreement known within `half_width` (`kappa_error`); with
    `items` the reviewers of these. Raises ValueError where 500 do not do: more reviewers leave what items differ."""
    if items is not None and reviewers is not None:
        raise ValueError("give --items or --reviewers, not both: the other one is the answer")
    positive_number(half_width, "half-width")
    z = ndtri((1 + checks.share(level, "level")) / 2)

    def width(items: int, reviewers: int) -> float:
        return float(z * kappa_error(items, reviewers, kappa, prevalence))

    if items is None:
        reviewers = 2 if reviewers is None else reviewers
        items = n = max(2, ceil((width(1, reviewers) / half_width) ** 2))
        unit = f"items, each labelled by {reviewers} reviewers"
    else:
        if width(items, MOST_REVIEWERS) > half_width:
            two = labels_for_agreement(half_width, kappa, prevalence, 2, level=level).n
            raise ValueError(
                f"{MOST_REVIEWERS} reviewers of {items} items know an agreement of {kappa:g} within "
                f"{width(items, MOST_REVIEWERS):.3f} only, for items differ; give more items ({two} with two)"
            )
        reviewers = n = next(r for r in range(2, MOST_REVIEWERS + 1) if width(items, r) <= half_width)
        unit = f"reviewers of the same {items} items"
    aim = f"an agreement of {kappa:g} known within {half_width:g} at {level:.0%}"
    assumes = (
        f"labels are yes or no, {prevalence:.0%} of them yes, and any two of one item correlate by {kappa:g}",
        "every reviewer labels every item; reviewers are alike",
    )
    return Plan(n, unit, aim, {"half-width": width(items, reviewers), "labels in all": items * reviewers}, assumes)


# Checks of a repair


@app.command("checks", help="Items that people must check, so that the error rate of repairs is known or low.")
def items_to_check(
    population: Annotated[int | None, typer.Option(help="items in all, such as all repaired ones; none: many")] = None,
    below: Annotated[float | None, typer.Option(help="show that the share of errors is below this")] = None,
    allowed: Annotated[int, typer.Option(help="with --below: errors that may be found")] = 0,
    within: Annotated[float | None, typer.Option(help="know the share of errors within this")] = None,
    expected: Annotated[float, typer.Option(help="with --within: the share of errors that is expected")] = 0.5,
    level: Level = 0.95,
) -> Plan:
    """Items to check of a finite population without replacement (hypergeometric), or of as many as you like (binomial).

    below: one-sided and exact: had the items that share of errors or more, so few would be seen with chance 1 - level
    at most. within: the exact interval of the share of errors is no wider than twice this.
    """
    if (below is None) == (within is None):
        raise ValueError("give --below 0.05 (the share of errors is low) or --within 0.03 (it is known), one of them")
    checks.share(level, "level")
    most = MOST if population is None else checks.at_least_one(population, "population")
    if below is not None:
        n, told = _checks_below(checks.share(below, "below"), population, allowed, level, most)
        aim = f"with {allowed} errors found, a share of errors below {below:g} at {level:.0%} (one-sided)"
    else:
        n, told = _checks_within(checks.share(within, "within"), expected, population, level, most)
        aim = f"a share of errors of {expected:g} known within {within:g} at {level:.0%}"
    whose = f"of {population:,} items, without replacement" if population else "of very many items"
    assumes = (f"the checked items are drawn at random {whose}", "a check is never mistaken")
    return Plan(n, "items to check", aim, told, assumes)


def _checks_below(
    below: float, population: int | None, allowed: int, level: float, most: int
) -> tuple[int, dict[str, float]]:
    if allowed != int(allowed) or allowed < 0:
        raise ValueError(f"allowed is {allowed}: a whole number of errors, from 0 on")
    bad = ceil(round(below * most, 9))
    if population and bad <= allowed:
        raise ValueError(f"{bad} errors of {population} items are too many already, so {allowed} can't be allowed")

    def chance(n: int, half: bool = False) -> float:
        """That so few errors are found, in the whole or in half of the share."""
        if population is None:
            return float(binom.cdf(allowed, n, below / 2 if half else below))
        return float(hypergeom.cdf(allowed, population, bad // 2 if half else bad, n))

    n = least_number(lambda n: chance(n) <= 1 - level, allowed + 1, most)
    return n, {"chance to pass if the share is half of that": chance(n, half=True)}


def _checks_within(
    half_width: float, expected: float, population: int | None, level: float, most: int
) -> tuple[int, dict[str, float]]:
    """The share of errors that is found is the expected one, rounded up to a whole number of items."""
    within_one(expected, "expected share of errors")

    def limits(n: int) -> tuple[int, float, float]:
        found = ceil(round(n * expected, 9))
        if population is None:
            return found, *clopper_pearson(found, n, level)
        low, high = hypergeometric_limits(found, n, population, level)
        return found, float(low), float(high)

    def narrow(n: int) -> bool:
        _, low, high = limits(n)
        return (high - low) / 2 <= half_width + 1e-12

    n = least_number(narrow, 1, most)
    return n, dict(zip(("errors found, if as expected", "low", "high"), limits(n)))


def main(arguments: Sequence[str] = ()) -> None:
    """Run the command line. Raises ValueError for what can't be planned; the message says what to mend."""
    app([*arguments], prog_name=f"{program()} how-many")
