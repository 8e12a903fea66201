"""Simulated leaderboards of KINA's size: 42 models of chosen accuracies, and any number of exams of 899 items.

The review of the paper prints three of 42 accuracies. The other 39 are assumed inside the tiers that it describes, and
so is how hard the items are and how far models agree on that. Nothing here is data, and no simulated model has a name.

One exam is one sample of items. What is said of "an exam of this size" is therefore an average over many simulated
exams, and its interval is over these exams (`mean_over_exams`, `share_of_exams`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t

from proctor.data.published import load_published
from proctor.kina.ranked_models import rank_models
from proctor.stats import bootstrap, checks
from proctor.stats.bootstrap import Interval
from proctor.stats.power import design_effect
from proctor.stats.proportions import wilson
from proctor.stats.rank_sets import rank_sets, simulate_ranking
from proctor.stats.ranking import budget_curve, ranking, ranks, tiers
from proctor.stats.simulate import Responses, item_responses

FRONTIER, STRONG, LOW = TIERS = ("frontier", "strong", "low")


def published_facts() -> pd.Series:
    """KINA's printed numbers by name, as floats."""
    return load_published("kina/facts").set_index("fact")["value_value"]


def simulated_models(strong: Sequence[float], low: Sequence[float]) -> pd.DataFrame:
    """The 42 models, best first: columns model (no real name), accuracy (a share), printed (percent or NaN), tier.

    strong, low: (how many, best, worst accuracy in percent) of the assumed models, spread evenly. The three best have
    the printed accuracies. Raises ValueError unless all add up to the printed number of models and their accuracies
    fall from the printed ones towards chance.

    >>> models = simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    >>> models["model"].iloc[[0, 3, 41]].tolist()
    ['a model at 53.2 %', 'a model at 45.0 %', 'a model at 11.0 %']
    """
    facts = published_facts()
    printed = load_published("kina/leaderboard")["accuracy_value"].dropna().to_numpy()
    assumed = [np.linspace(best, worst, int(count)) for count, best, worst in (strong, low)]
    percent = np.concatenate([printed, *assumed])
    if len(percent) != facts["models"]:
        raise ValueError(
            f"strong and low have {len(percent) - len(printed)} models: with the {len(printed)} printed ones they "
            f"must be {facts['models']:.0f}"
        )
    if not (np.diff(percent) < 0).all() or percent[-1] <= facts["chance_baseline"]:
        raise ValueError(
            f"accuracies must fall from {printed[-1]:g} % (the last printed one) and stay above chance, "
            f"{facts['chance_baseline']:g} %: give strong and low as (models, best, worst)"
        )
    digits = next(n for n in range(1, 9) if len({f"{value:.{n}f}" for value in percent}) == len(percent))
    return pd.DataFrame(
        dict(
            model=[f"a model at {value:.{digits}f} %" for value in percent],
            accuracy=percent / 100,
            printed=[*printed, *[np.nan] * (len(percent) - len(printed))],
            tier=np.repeat(TIERS, [len(printed), *(len(values) for values in assumed)]),
        )
    )


def disciplines(n_items: int | None = None) -> np.ndarray:
    """The assumed discipline of each item, shape (items,): as even as possible, 3 or 4 items each."""
    facts = published_facts()
    return np.arange(int(facts["items"]) if n_items is None else n_items) % int(facts["disciplines"])


def simulate_board(accuracy: ArrayLike, rng: np.random.Generator, **settings: float) -> Responses:
    """One exam of 899 items on whose items the models have exactly these chances on average.

    settings: those of `stats.simulate.item_responses` (samples, difficulty_sd, interaction_sd, cluster_sd, ...).
    """
    labels = disciplines()
    return item_responses(accuracy, len(labels), rng, labels, **settings)  # type: ignore[arg-type]


def deal_exams(accuracy: ArrayLike, exams: int, rng: np.random.Generator, **settings: float) -> np.ndarray:
    """Scores of many exams of 899 fresh items, shape (exams, models, items).

    The models have these accuracies over the items of all exams together; in one exam they differ from it, as in a
    sample of items. The disciplines are the same in all exams, item by item. settings: see `simulate_board`.
    """
    labels = np.tile(disciplines(), checks.at_least_one(exams, "exams"))
    scores = item_responses(accuracy, len(labels), rng, labels, **settings).scores  # type: ignore[arg-type]
    return scores.reshape(len(scores), exams, -1).swapaxes(0, 1)


def student(values: ArrayLike, level: float = 0.95, bounds: tuple[float, float] = (0.0, 1.0)) -> Interval:
    """Mean of one number an exam, with Student's interval over the exams, kept within `bounds`. values: (exams,).

    If all exams gave the same number, the interval is `bootstrap.exact_interval`'s.
    """
    values = checks.finite(values, "values", 1)
    if len(values) < 2:
        raise ValueError("one exam has no spread over exams: simulate two at least")
    mean, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
    if error < 1e-12:
        return bootstrap.exact_interval(mean, len(values), level, bounds)
    reach = float(t.ppf((1 + level) / 2, len(values) - 1)) * error
    return Interval(mean, max(mean - reach, bounds[0]), min(mean + reach, bounds[1]), level, "Student")


def share_of_exams(flags: ArrayLike, family: int = 1, unit: str = "% of exams") -> dict[str, Any]:
    """Percent of simulated exams in which something happened, with Wilson's interval. flags: bool (exams,); NaN where
    it could not happen, and that exam is left out.

    Returns the keywords of `Output.claim`, the interval at the level that `family` comparisons need.

    >>> found = share_of_exams([True] * 9 + [False])
    >>> found["estimate"], found["n"], [round(limit, 1) for limit in found["interval"]]
    (90.0, 10, [59.6, 98.2])
    """
    flags, level = pd.Series(flags).dropna().astype(bool), 1 - 0.05 / family
    if flags.empty:
        return _quantity(np.nan, [np.nan, np.nan], 0, unit, family)
    limits = wilson(int(flags.sum()), len(flags), level)
    return _quantity(100 * float(flags.mean()), [100 * limit for limit in limits], len(flags), unit, family)


def mean_over_exams(
    values: ArrayLike, unit: str, bounds: tuple[float, float] = (0.0, 100.0), family: int = 1
) -> dict[str, Any]:
    """Mean over simulated exams of one number an exam, with Student's interval (`student`). values: (exams,); exams
    where it is NaN are left out.

    Returns the keywords of `Output.claim`, as `share_of_exams` does.
    """
    values = pd.Series(values).dropna()
    if len(values) < 2:
        return _quantity(np.nan, [np.nan, np.nan], len(values), unit, family)
    found = student(values, 1 - 0.05 / family, bounds)
    return _quantity(found.estimate, [found.low, found.high], len(values), unit, family)


def _quantity(estimate: float, limits: list[float], exams: int, unit: str, family: int) -> dict[str, Any]:
    return dict(
        estimate=estimate,
        interval=tuple(limits),
        n=exams,
        of="simulated exams",
        unit=unit,
        level=1 - 0.05 / family,
        family=family,
    )


def rank_exams(
    exams: ArrayLike, models: pd.DataFrame, rng: np.random.Generator, resamples: int = 500, top: int = 10
) -> pd.DataFrame:
    """What each exam's ranking says, and whether it is true: one row an exam. Simulated evidence: record the seed.

    exams: scores (exams, models, items). models: as `simulated_models` gives them, the truth. Rank sets hold for all
    models at once. Columns, flags unless said otherwise:

    best_first, best_proven   the best model came first; its rank set is first place alone
    top_same                  the truly best `top` are the first `top`
    told_apart                share of neighbours in the exam's list that are told apart
    inside_told_apart         the same among neighbours of one assumed tier, strong or low
    frontier_seen, low_seen   the last of the frontier is told apart from the first strong model; likewise further
                              down; NaN where one of the two tiers has no model
    borders, borders_separate   tier borders in the list; share of them whose two neighbours are told apart
    """
    exams = checks.finite(exams, "exams", 3)
    truth, tier = models["accuracy"].to_numpy(), models["tier"].to_numpy()
    true_rank, best = ranks(truth[:, None])[:, 0], int(truth.argmax())
    first = {name: int((tier == name).argmax()) for name in (STRONG, LOW)}  # 0: no such model, or none above it
    rows = []
    for scores in exams:
        sets = rank_sets(scores, rng, resamples)
        order = np.argsort(-sets.mean, kind="stable")
        apart = sets.above[order[:-1], order[1:]]
        border = np.diff(sets.tier[order]) > 0
        inside = (tier[order[:-1]] == tier[order[1:]]) & (tier[order[1:]] != FRONTIER)
        rows.append(
            dict(
                best_first=sets.rank[best] == 1,
                best_proven=sets.rank_high[best] == 1,
                top_same=(sets.rank[true_rank <= top] <= top).all(),
                told_apart=apart.mean(),
                inside_told_apart=apart[inside].mean(),
                frontier_seen=sets.above[first[STRONG] - 1, first[STRONG]] if first[STRONG] else np.nan,
                low_seen=sets.above[first[LOW] - 1, first[LOW]] if first[LOW] else np.nan,
                borders=border.sum(),
                borders_separate=apart[border].mean() if border.any() else np.nan,
            )
        )
    return pd.DataFrame(rows)


def compare_settings(
    models: pd.DataFrame,
    cases: Iterable[tuple[int, float]],
    exams: int,
    seed: int,
    resamples: int,
    **settings: float,
) -> pd.DataFrame:
    """How rankings do under other assumptions, one row a case (samples, interaction_sd), each on `exams` exams.

    Columns: those of `stats.rank_sets.RankingPerformance`.
    """
    rows = []
    for samples, interaction_sd in cases:
        assumed = settings | dict(samples=samples, interaction_sd=interaction_sd)
        dealt = deal_exams(models["accuracy"], exams, np.random.default_rng(seed), **assumed)
        left, rng = iter(dealt), np.random.default_rng(seed)
        found = simulate_ranking(lambda _, left=left: next(left), models["accuracy"], exams, rng, resamples)
        rows.append(dict(samples=samples, interaction_sd=interaction_sd) | asdict(found))
    return pd.DataFrame(rows)


def table_with_tiers(scores: ArrayLike, models: pd.DataFrame, seed: int, resamples: int) -> pd.DataFrame:
    """One simulated exam as a leaderboard (`ranked_models.rank_models`), with what is judged of each model by itself.

    scores (models, items). rank_low, rank_high, p_top10: of the resamples; tier_pairwise: a tier ends at the first
    model that its leader beats in 97.5 % of the resamples, as if no other pair had been looked at. printed: percent.
    """
    one = ranking(scores, np.random.default_rng(seed), resamples)
    alone = pd.DataFrame(
        dict(
            model=models["model"],
            printed=models["printed"],
            assumed_tier=models["tier"],
            rank_low=one.rank_low,
            rank_high=one.rank_high,
            p_top10=one.p_top[:, 9],
            tier_pairwise=tiers(one, 0.975),
        )
    )
    return rank_models(scores, list(models["model"]), seed, resamples).merge(alone, on="model", validate="1:1")


def agreement_by_budget(
    exams: ArrayLike, truth: ArrayLike, sizes: ArrayLike, rng: np.random.Generator, shuffles: int = 50
) -> tuple[pd.DataFrame, np.ndarray]:
    """How well a ranking by fewer items agrees with the whole exam's ranking, and how well with the true order.

    exams: scores (exams, models, items). Rows: sizes, columns whole, truth and their limits (Kendall's tau, the mean
    over exams with its interval over exams). At all items `whole` is 1 by construction: the exam meets itself. Also
    returns tau with the true order at the last size, one an exam.
    """
    exams = checks.finite(exams, "exams", 3)
    tau = {
        name: np.array([budget_curve(scores, sizes, rng, shuffles, truth=against).tau for scores in exams])
        for name, against in (("whole", None), ("truth", truth))
    }
    rows = []
    for column, size in enumerate(np.asarray(sizes).tolist()):
        row: dict[str, float] = dict(items=size)
        for name, values in tau.items():
            if np.ptp(values[:, column]) < 1e-12:  # the whole exam against itself
                found = Interval(values[0, column], values[0, column], values[0, column], 0.95, "by construction")
            else:
                found = student(values[:, column], bounds=(-1.0, 1.0))
            row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
        rows.append(row)
    return pd.DataFrame(rows), tau["truth"][:, -1]


def design_effects(
    accuracy: ArrayLike, cluster_sds: Iterable[float], exams: int, seed: int, **settings: float
) -> tuple[pd.DataFrame, dict[float, np.ndarray]]:
    """What it costs that items of one discipline are alike, one row for each spread between disciplines (logits).

    A design effect is the variance when whole disciplines are drawn, over that when items are. accuracy, lead: of the
    median model's accuracy, and of the first model's lead over the second; means over exams with their intervals.
    Also returns the lead's, {spread: one an exam}.
    """
    rows, leads = [], {}
    for cluster_sd in cluster_sds:
        dealt = deal_exams(accuracy, exams, np.random.default_rng(seed), **settings | dict(cluster_sd=cluster_sd))
        effect = np.array([design_effect(np.vstack([one, one[0] - one[1]]), disciplines()) for one in dealt])
        row, leads[cluster_sd] = dict(cluster_sd=cluster_sd), effect[:, -1]
        for name, values in (("accuracy", np.median(effect[:, :-1], axis=1)), ("lead", effect[:, -1])):
            found = student(values, bounds=(0.0, np.inf))
            row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
        rows.append(row)
    return pd.DataFrame(rows), leads
