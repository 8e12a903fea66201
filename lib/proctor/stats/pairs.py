"""All pairs of models on the same items: difference, interval, p by Holm, and what other numbers of items see."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.stats.compare import mcnemar_power
from proctor.stats.power import mcnemar_needed, t_power, units_needed
from proctor.stats.rank_sets import all_pairs, holm_pairwise, items_needed, pair_p

GAPS = (1.0, 2.0, 3.0, 5.0, 10.0)  # points of accuracy


def pair_table(
    scores: ArrayLike, models: Sequence[str], clusters: ArrayLike | None = None, level: float = 0.95
) -> pd.DataFrame:
    """One row a pair: a (the better), b, difference in points with low and high, p (of this pair alone), holm, n.

    Scores (models, items) in [0, 1], NaN where a model lacks an item: each pair is compared on the n items of both.
    Without clusters and with scores of 0 and 1, p is McNemar's, exact; else Student's of the differences, with clusters
    of their sums by cluster. holm: p corrected for all pairs; low, high: for all pairs at once, in accord with it
    (`rank_sets.holm_pairwise`). items_needed: items that show the observed gap with chance 80 % by the same test.
    """
    pairs = all_pairs(scores, clusters)
    mean = np.round(np.nanmean(np.asarray(scores, float), axis=1), 12)
    order = np.argsort(-mean, kind="stable")
    i, j = (order[place] for place in np.triu_indices(len(order), 1))
    turned = pairs.gap[i, j] < 0  # of what both have the other may be the better
    i, j = np.where(turned, j, i), np.where(turned, i, j)
    p, low, high = holm_pairwise(scores, clusters, level)
    names = np.asarray(models, object)
    return pd.DataFrame(
        dict(
            a=names[i],
            b=names[j],
            difference=100 * pairs.gap[i, j],
            low=100 * low[i, j],
            high=100 * high[i, j],
            p=pair_p(pairs)[i, j],
            holm=p[i, j],
            n=pairs.n[i, j].astype(int),
            items_needed=items_needed(pairs, i, j, p[i, j] < 1 - level, level),
        )
    )


def pair_power(
    scores: ArrayLike, models: Sequence[str], pair: Sequence[str], clusters: ArrayLike | None = None
) -> pd.DataFrame:
    """What the items show of one pair, chosen before looking: for each true gap (GAPS, points) the chance that this
    number of items shows it (two-sided, 5 %, by the test of `pair_table`), and the items that show it with chance 80 %.
    Raises ValueError for a name that is no model, or for one twice."""
    models = list(models)
    if len(pair) != 2 or any(name not in models for name in pair):
        raise ValueError(f"the pair {list(pair)} must be two of the models: {', '.join(models[:8])} ...")
    if pair[0] == pair[1]:
        raise ValueError(f"the pair {list(pair)} names {pair[0]} twice: give two models")
    found = all_pairs(np.asarray(scores, float)[[models.index(name) for name in pair]], clusters)
    gaps, n, units = np.array(GAPS) / 100, int(found.n[0, 1]), int(found.units[0, 1])
    if found.only is not None:
        differ = (found.only[0, 1] + found.only[1, 0]) / n
        cells = [((max(differ, gap) + gap) / 2, (max(differ, gap) - gap) / 2) for gap in gaps]
        power = [mcnemar_power(*cell, n, exact=True) for cell in cells]
        needed = [float(mcnemar_needed(*cell)) for cell in cells]
    else:
        sd = max(float(found.error[0, 1] * units**0.5), 1e-9)
        power = [t_power(gap, sd, units) for gap in gaps]
        needed = np.ceil(units_needed(gaps, sd) * n / units)
    return pd.DataFrame(dict(true_gap=GAPS, power=power, items_for_80_percent=needed))
