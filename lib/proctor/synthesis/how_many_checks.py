"""How many reviewers, labelled items and checks of a repair an aim takes; see `how_many`."""

from math import ceil, sqrt

import numpy as np
from scipy.special import ndtri
from scipy.stats import betabinom, binom, hypergeom

from proctor.stats import checks
from proctor.stats.proportions import clopper_pearson, hypergeometric_limits
from proctor.synthesis.how_many import MOST, Plan, beta_of, least_number, positive_number, within_one

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


def items_for_agreement(
    half_width: float, reviewers: int = 2, kappa: float = 0.6, prevalence: float = 0.5, level: float = 0.95
) -> Plan:
    """Items that so many reviewers must all label, for an agreement known within `half_width` (`kappa_error`)."""
    positive_number(half_width, "half-width")
    one, z = kappa_error(1, reviewers, kappa, prevalence), ndtri((1 + checks.share(level, "level")) / 2)
    n = max(2, ceil((z * one / half_width) ** 2))
    return Plan(
        n,
        f"items, each labelled by {reviewers} reviewers",
        f"an agreement of {kappa:g} known within {half_width:g} at {level:.0%}",
        {"half-width": float(z * one / sqrt(n)), "labels in all": n * reviewers},
        _labels(kappa, prevalence),
    )


def reviewers_for_agreement(
    half_width: float, items: int, kappa: float = 0.6, prevalence: float = 0.5, level: float = 0.95, most: int = 500
) -> Plan:
    """Reviewers who must all label `items` items, for an agreement known within `half_width`.

    Raises ValueError where `most` do not do: more reviewers of the same items leave what items differ.
    """
    positive_number(half_width, "half-width")
    z = ndtri((1 + checks.share(level, "level")) / 2)

    def width(r: int) -> float:
        return float(z * kappa_error(items, r, kappa, prevalence))

    if width(most) > half_width:
        raise ValueError(
            f"{most} reviewers of {items} items know an agreement of {kappa:g} within {width(most):.3f} only, for "
            f"items differ; give more items ({items_for_agreement(half_width, 2, kappa, prevalence, level).n} with two)"
        )
    r = next(r for r in range(2, most + 1) if width(r) <= half_width)
    told = {"half-width": width(r), "labels in all": items * r}
    aim = f"an agreement of {kappa:g} known within {half_width:g} at {level:.0%}"
    return Plan(r, f"reviewers of the same {items} items", aim, told, _labels(kappa, prevalence))


# Checks of a repair


def checks_within(half_width: float, expected: float, population: int | None = None, level: float = 0.95) -> Plan:
    """Items to check so that the exact interval of their share of errors is no wider than twice `half_width`.

    expected: the share of errors that is found, rounded up to a whole number of items. population: all items that there
    are, checked without replacement (hypergeometric limits); None: as many as you like (Clopper and Pearson).
    """
    checks.share(half_width, "half-width")
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

    n = least_number(narrow, 1, checks.at_least_one(population, "population") if population else MOST)
    told = dict(zip(("errors found, if as expected", "low", "high"), limits(n)))
    aim = f"a share of errors of {expected:g} known within {half_width:g} at {level:.0%}"
    return Plan(n, "items to check", aim, told, _drawn(population))


def checks_below(below: float, population: int | None = None, allowed: int = 0, level: float = 0.95) -> Plan:
    """Items to check so that, with at most `allowed` errors among them, the share of errors is below `below`.

    One-sided and exact: had the items that share of errors or more, so few would be seen with chance 1 - level at most.
    """
    checks.share(below, "below")
    checks.share(level, "level")
    if allowed != int(allowed) or allowed < 0:
        raise ValueError(f"allowed is {allowed}: a whole number of errors, from 0 on")
    if population is None:
        n = least_number(lambda n: binom.cdf(allowed, n, below) <= 1 - level, allowed + 1, MOST)
        chance = binom.cdf(allowed, n, below / 2)
    else:
        bad = ceil(round(below * checks.at_least_one(population, "population"), 9))
        if bad <= allowed:
            raise ValueError(f"{bad} errors of {population} items are too many already, so {allowed} can't be allowed")
        n = least_number(lambda n: hypergeom.cdf(allowed, population, bad, n) <= 1 - level, allowed + 1, population)
        chance = hypergeom.cdf(allowed, population, bad // 2, n)
    aim = f"with {allowed} errors found, a share of errors below {below:g} at {level:.0%} (one-sided)"
    return Plan(
        n, "items to check", aim, {"chance to pass if the share is half of that": float(chance)}, _drawn(population)
    )


def _labels(kappa: float, prevalence: float) -> tuple[str, ...]:
    return (
        f"labels are yes or no, {prevalence:.0%} of them yes, and any two of one item correlate by {kappa:g}",
        "every reviewer labels every item; reviewers are alike",
    )


def _drawn(population: int | None) -> tuple[str, ...]:
    whose = f"of {population:,} items, without replacement" if population else "of very many items"
    return (f"the checked items are drawn at random {whose}", "a check is never mistaken")
