"""Do the numbers of `how_many` keep what they promise? Simulated studies of that size, and exact checks.

Each `try_*` returns one row a design: question, design, n (what the formula asks for), promised (percent, or what
`unit` says), simulated with low and high, trials. The limits of a table hold together at 95 %. Simulated evidence.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit
from scipy.stats import chi2, hypergeom

from proctor.stats import checks
from proctor.stats.paired_proportions import chances, mcnemar_power, newcombe_limits, score_limits
from proctor.stats.power import items_needed
from proctor.stats.proportions import hypergeometric_limits, wilson
from proctor.synthesis import how_many

ITEMS = (  # rates of two models, correlation, items of a family, correlation within it
    (0.6, 0.5, 0.0, 1, 0.0),
    (0.6, 0.5, 0.4, 1, 0.0),
    (0.1, 0.06, 0.4, 1, 0.0),
    (0.6, 0.5, 0.4, 5, 0.3),
    (0.6, 0.5, 0.4, 20, 0.1),
)
VOTES = ((0.3, 0.05, 0.0), (0.2, 0.1, 0.15), (0.1, 0.05, 0.3))  # error of a vote, of the majority, correlation
SHARES = ((0.1, 0.1), (0.3, 0.1), (0.6, 0.1))  # correlation of two verdicts on an item, share within
ERRORS, ORDERS = ((0.5, 0.05), (0.1, 0.05)), ((0.6, 0.4), (0.1, 0.02))  # utility and error; two utilities
AGREEMENTS = ((0.6, 0.3, 2, 0.1), (0.6, 0.3, 5, 0.1), (0.4, 0.5, 2, 0.1))  # kappa, share of yes, reviewers, half-width
CHECKS = ((1143, 0.1, 0.03), (1143, 0.02, 0.02), (144, 0.1, 0.05))  # population, expected share, half-width
SPLITS = ((300.0, 1.0, 1.0), (300.0, 1.0, 0.1), (60.0, 0.0, 0.1))  # budget, cost of an item, of a call


def try_items(
    trials: int, rng: np.random.Generator, power: float = 0.8, designs: Sequence[tuple] = ITEMS
) -> pd.DataFrame:
    """Share of simulated exams that tell the two models apart, by Tango's and Newcombe's interval; of families, whose
    chances are Dirichlet distributed, by Student's interval over families."""
    rows, level = [], 1 - 0.05 / sum(1 + (design[3] == 1) for design in designs)
    for rate_a, rate_b, correlation, family, icc in designs:
        n = how_many.items_for_difference(rate_a, rate_b, correlation, power, 0.95, family, icc).n
        cells = np.array(chances(rate_a, rate_b, correlation))
        design = f"{rate_a:g} and {rate_b:g}, correlation {correlation:g}"
        if family == 1:
            both, only_a, only_b, neither = rng.multinomial(n, cells, trials).T
            shown = {
                "Tango": score_limits(only_a, only_b, n)[0] > 0,
                "Newcombe": newcombe_limits(both, only_a, only_b, neither)[0] > 0,
            }
        else:
            design += f"; families of {family}, {icc:g}"
            own = rng.dirichlet(np.maximum(cells, 1e-9) * (1 - icc) / icc, (trials, n // family))
            drawn = rng.multinomial(family, own)
            shown = {"Student": _student_low(drawn[..., 1] - drawn[..., 2]) > 0}
        rows += [_share(f"{design}; {name}", n, power, seen, level) for name, seen in shown.items()]
    return pd.DataFrame(rows)


def exact_powers(
    rates: Sequence[float], differences: Sequence[float], correlations: Sequence[float], power: float = 0.8
) -> pd.DataFrame:
    """`how_many.item_curves` with `power`, the exact one of McNemar's test at n, and `one_variance`, that at the n of
    `stats.power.items_needed`: no simulation."""
    table = how_many.item_curves(rates, differences, correlations, power)
    for at, row in table.iterrows():
        _, a, b, _ = chances(row["rate"], row["rate"] - row["difference"], row["correlation"])
        table.loc[at, "power"] = mcnemar_power(a, b, int(row["n"]))
        table.loc[at, "one_variance"] = mcnemar_power(a, b, int(items_needed(a - b, np.sqrt(a + b - (a - b) ** 2))))
    return table


def try_repeats(items: int, rng: np.random.Generator, designs: Sequence[tuple] = SHARES) -> pd.DataFrame:
    """Correlation (percent) over items of two means of k verdicts each, against the reliability that is promised."""
    rows, z = [], ndtri(1 - 0.025 / len(designs))
    for correlation, share in designs:
        plan = how_many.repeats_for_share(1 - correlation, correlation, share)
        chance = rng.beta(*how_many.beta_of(0.5, correlation), items)
        found = np.corrcoef(rng.binomial(plan.n, chance), rng.binomial(plan.n, chance))[0, 1]
        low, high = np.tanh(np.arctanh(found) + np.array([-z, z]) / np.sqrt(items - 3))  # Fisher
        promised = plan.told["reliability"]
        rows.append(_row(f"verdicts correlate by {correlation:g}", plan.n, promised, found, low, high, items))
    return pd.DataFrame(rows)


def try_votes(answers: int, rng: np.random.Generator, designs: Sequence[tuple] = VOTES) -> pd.DataFrame:
    """Share of simulated answers on which most votes are wrong."""
    rows = []
    for error, at_most, correlation in designs:
        k = how_many.votes_for_error(error, error, at_most, correlation).n
        chance = rng.beta(*how_many.beta_of(error, correlation), answers) if correlation else error
        wrong = rng.binomial(k, chance, answers) > k / 2
        promised = how_many.error_of_votes(error, k, correlation)
        design = f"a vote errs on {error:.0%}, correlation {correlation:g}"
        rows.append(_share(design, k, promised, wrong, 1 - 0.05 / len(designs)))
    return pd.DataFrame(rows)


def try_rollouts(trials: int, rng: np.random.Generator) -> pd.DataFrame:
    """Mean error of a utility (percent of its range), and share of pairs of candidates in the right order."""
    rows, level = [], 1 - 0.05 / (len(ERRORS) + len(ORDERS))
    for utility, error in ERRORS:
        plan = how_many.rollouts_for_error(utility, error)
        off = np.abs(rng.binomial(plan.n, utility, trials) / plan.n - utility)
        half = ndtri((1 + level) / 2) * off.std(ddof=1) / np.sqrt(trials)
        promised = plan.told["mean absolute error"]
        found = off.mean()
        rows.append(
            _row(f"mean error of a utility of {utility:g}", plan.n, promised, found, found - half, found + half, trials)
        )
    for better, worse in ORDERS:
        plan = how_many.rollouts_for_order(better, worse)
        one, other = (rng.binomial(plan.n, utility, trials) for utility in (better, worse))
        right = (one > other) | ((one == other) & (rng.random(trials) < 0.5))
        promised = plan.told["chance of the right order"]
        rows.append(_share(f"order of {better:g} and {worse:g}", plan.n, promised, right, level))
    return pd.DataFrame(rows)


def try_agreement(trials: int, rng: np.random.Generator, designs: Sequence[tuple] = AGREEMENTS) -> pd.DataFrame:
    """Share of simulated studies whose alpha lies within the planned half-width of the truth."""
    rows = []
    for kappa, prevalence, reviewers, half_width in designs:
        n = how_many.items_for_agreement(half_width, reviewers, kappa, prevalence).n
        yes = rng.binomial(reviewers, rng.beta(*how_many.beta_of(prevalence, kappa), (trials, n)))
        near = np.abs(alpha_of_counts(yes, reviewers) - kappa) <= half_width
        design = f"{reviewers} reviewers, agreement {kappa:g} ± {half_width:g}, {prevalence:.0%} yes"
        rows.append(_share(design, n, 0.95, near, 1 - 0.05 / len(designs)))
    return pd.DataFrame(rows)


def alpha_of_counts(yes: np.ndarray, reviewers: int) -> np.ndarray:
    """Krippendorff's alpha of studies without gaps: yes (studies, items) says how many reviewers said yes.

    1 where nobody ever says anything else, though alpha is undefined there."""
    labels = yes.shape[1] * reviewers
    share = yes.mean(axis=1) / reviewers
    expected = 2 * share * (1 - share) * labels / (labels - 1)
    observed = (2 * yes * (reviewers - yes) / (reviewers * (reviewers - 1))).mean(axis=1)
    return 1 - np.divide(observed, expected, out=np.zeros(len(yes)), where=expected > 0)


def try_checks(trials: int, rng: np.random.Generator, designs: Sequence[tuple] = CHECKS) -> pd.DataFrame:
    """Share of simulated checks whose exact interval holds the share of errors of the whole population."""
    rows = []
    for population, expected, half_width in designs:
        n = how_many.checks_within(half_width, expected, population).n
        marked = round(expected * population)
        found, which = np.unique(rng.hypergeometric(marked, population - marked, n, trials), return_inverse=True)
        low, high = hypergeometric_limits(found, n, population)
        held = ((low <= marked / population + 1e-12) & (marked / population <= high + 1e-12))[which]
        design = f"{population:,} items, {expected:.0%} ± {100 * half_width:g} points"
        rows.append(_share(design, n, 0.95, held, 1 - 0.05 / len(designs)))
    return pd.DataFrame(rows)


def most_passed(below: float, population: int, allowed: int = 0) -> tuple[int, float]:
    """(items to check, the greatest chance of a pass of any population whose share of errors is not below), exact."""
    n = how_many.checks_below(below, population, allowed).n
    marked = np.arange(int(np.ceil(round(below * population, 9))), population + 1)
    return n, float(hypergeom.cdf(allowed, population, marked, n).max())


def try_splits(
    trials: int, rng: np.random.Generator, correlation: float = 0.4, designs: Sequence[tuple] = SPLITS
) -> pd.DataFrame:
    """Standard error of simulated means of 0/1 answers, in percent of what the two-level model says.

    correlation: of two answers to one item, the share of the variance that lies between items."""
    rows, tail = [], 0.025 / len(designs)
    for budget, item_cost, call_cost in designs:
        found = how_many.split_budget(budget, correlation / 4, (1 - correlation) / 4, item_cost, call_cost)
        right = rng.binomial(found.k, rng.beta(*how_many.beta_of(0.5, correlation), (trials, found.n)))
        spread = (right.mean(axis=1) / found.k).std(ddof=1) / found.error
        low, high = spread * np.sqrt((trials - 1) / chi2.ppf([1 - tail, tail], trials - 1))
        design = f"budget {budget:g}, item {item_cost:g}, call {call_cost:g}: {found.n} items, {found.k} repeats"
        rows.append(_row(design, found.n, 1.0, spread, low, high, trials))
    return pd.DataFrame(rows)


def rule_loss(
    ratios: Sequence[float] = (0.5, 2, 8, 32),
    costs: Sequence[float] = (0, 1, 10, 100, 1000),
    budgets: Sequence[float] = (2_000, 20_000),
    limits: Sequence[int | None] = (None, 100),
) -> pd.DataFrame:
    """The square-root rule against a search over all numbers of repeats, calls at 1: loss of standard error in percent.

    ratios: variance within items over that between. costs: of an item. limits: the most items that there are.
    """
    rows = []
    for ratio in ratios:
        for cost in costs:
            for budget in budgets:
                for limit in limits:
                    found = how_many.split_budget(budget, 1.0, ratio, cost, 1.0, limit)
                    k = np.arange(1, int(budget - cost) + 1)
                    n = np.minimum(np.floor(budget / (cost + k)), limit or np.inf)
                    errors = np.sqrt(1 / n + ratio / (n * k))
                    best = int(errors.argmin())
                    loss = 100 * (found.error / errors[best] - 1)
                    row = dict(ratio=ratio, item_cost=cost, budget=budget, most_items=limit, k=found.k)
                    rows.append(row | dict(best_k=int(k[best]), loss=loss))
    return pd.DataFrame(rows)


def worst(table: pd.DataFrame) -> dict:
    """The row whose simulation is farthest from the promise, as keywords of `Output.claim`: simulated less promised,
    with the lowest and the highest limit of any row, so that what they satisfy all rows do."""
    off = table["simulated"] - table["promised"]
    low, high = (table["low"] - table["promised"]).min(), (table["high"] - table["promised"]).max()
    how = dict(n=int(table["trials"].min()), level=1 - 0.05 / len(table), family=len(table), unit="points")
    return how | dict(estimate=float(off.loc[off.abs().idxmax()]), interval=(float(low), float(high)))


def _student_low(sums: np.ndarray) -> np.ndarray:
    """Lower 95 % limit of `stats.paired_proportions.cluster_t_interval` for families of one size: sums (trials, C)."""
    families = sums.shape[1]
    error = sums.std(axis=1, ddof=1) / np.sqrt(families)
    return sums.mean(axis=1) - stdtrit(families - 1, 0.975) * error


def _share(design: str, n: int, promised: float, seen: np.ndarray, level: float) -> dict:
    seen = np.asarray(seen)
    hits, trials = int(seen.sum()), checks.at_least_one(len(seen), "trials")
    return _row(design, n, promised, hits / trials, *wilson(hits, trials, level), trials)


def _row(design: str, n: int, promised: float, found: float, low: float, high: float, trials: int) -> dict:
    row = dict(design=design, n=n, promised=100 * promised, simulated=100 * found)
    return row | dict(low=100 * low, high=100 * high, trials=trials)
