"""What the attempts of solvers say of an item: who reproduces keys, and what replication and votes keep out of gold."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import confint_proportions_2indep

from proctor.hle_verified.decision_rules import Evidence, screen
from proctor.hle_verified.detection import counted
from proctor.hle_verified.planted_defects import COMPONENTS, Truth
from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval


def replication_rates(known: Mapping[str, Evidence], truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row a solver and damaged component ("none"): items whose key at least one attempt gives, exact intervals."""
    part = {item: truth.defect.component if truth.defect else "none" for item, truth in truths.items()}
    rows = pd.DataFrame(
        [
            dict(solver=one.solver, component=part[item], reproduced=one.agree > 0, undecided=one.undecided)
            for item, each in known.items()
            for one in each.replications
        ]
    )
    return pd.DataFrame(
        [
            dict(solver=solver, component=part, undecided=int(group["undecided"].sum()))
            | counted("reproduced", int(group["reproduced"].sum()), len(group))
            for (solver, part), group in rows.groupby(["solver", "component"], sort=False)
        ]
    )


def screening_rates(known: Mapping[str, Evidence], truths: Mapping[str, Truth], quorum: str = "most") -> pd.DataFrame:
    """What Stage I keeps out of gold by the votes alone, by replication alone (all votes for the item) and by both.

    damaged: items with a damaged problem or key that are kept out; sound: the others, a damaged rationale included.
    """
    yes = {part: (True,) for part in COMPONENTS}
    uses = {
        "votes": lambda one: Evidence(one.votes),
        "replication": lambda one: Evidence(yes, one.replications),
        "both": lambda one: one,
    }
    bad = {item for item in known if False in (truths[item].holds["problem"], truths[item].holds["answer"])}
    rows = []
    for name, used in uses.items():
        out = {item for item, one in known.items() if screen(used(one), quorum=quorum).outcome != "gold"}
        rows.append(
            dict(evidence=name)
            | counted("damaged", len(out & bad), len(bad))
            | counted("sound", len(out - bad), len(known) - len(bad))
        )
    return pd.DataFrame(rows)


def key_agreement(known: Mapping[str, Evidence], truths: Mapping[str, Truth], share: float) -> pd.DataFrame:
    """One row a solver: items where at least `share` of its attempts give the key, and how many of them are damaged.

    damaged: in problem or key, `rationale`: in the rationale alone. Exact intervals.
    """
    rows = []
    for solver in dict.fromkeys(one.solver for each in known.values() for one in each.replications):
        agreed = [
            item
            for item, each in known.items()
            for one in each.replications
            if one.solver == solver and one.agree >= share * one.attempts
        ]
        parts = [truths[item].defect.component if truths[item].defect else "none" for item in agreed]
        bad = sum(part in ("problem", "answer") for part in parts)
        rows.append(dict(solver=solver, rationale=parts.count("rationale")) | counted("damaged", bad, len(agreed)))
    return pd.DataFrame(rows)


def damaged_less_sound(row: Mapping, level: float = 0.95, names: tuple[str, str] = ("damaged", "sound")) -> Interval:
    """Difference of two independent shares of a row, such as one of `screening_rates`, with Newcombe's interval.

    row: <name> and <name>_n for both names. Where one is a share of nothing, there is no interval.
    """
    (k, n), (j, m) = ((int(row[name]), int(row[f"{name}_n"])) for name in names)
    if not n or not m:
        return bootstrap.no_interval(level)
    low, high = confint_proportions_2indep(k, n, j, m, method="newcomb", compare="diff", alpha=1 - level)
    return Interval(k / n - j / m, float(low), float(high), level, "newcombe")


def damaged_among(
    chosen: Mapping[str, bool],
    truths: Mapping[str, Truth],
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Share of items with a damaged problem or key among the chosen ones less that among all, items being resampled."""
    bad = np.array([False in (truths[item].holds["problem"], truths[item].holds["answer"]) for item in chosen], float)
    taken = np.array(list(chosen.values()), bool)

    def difference(bad: np.ndarray, taken: np.ndarray) -> float | None:
        return bad[taken].mean() - bad.mean() if taken.any() else None

    return bootstrap.statistic_interval(difference, [bad, taken], rng, resamples, level, bounds=(-1.0, 1.0))


def agreed_items(known: Mapping[str, Evidence], solver: str, share: float) -> dict[str, bool]:
    """By item, whether at least `share` of the solver's attempts give its key."""
    return {
        item: any(one.solver == solver and one.agree >= share * one.attempts for one in each.replications)
        for item, each in known.items()
    }
