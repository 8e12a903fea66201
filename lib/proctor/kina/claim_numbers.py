"""The numbers of a claim, as `out.claim` takes them: an interval with its level, family, unit and what was resampled.

    out.claim("kina/1_greedy_performance.proven", "...", **mean_of(shares, rng, "simulated fields"), says="> 63")

The level is 1 - 0.05 / family throughout.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from proctor.stats.bootstrap import interval


def mean_of(
    values: ArrayLike,
    rng: np.random.Generator,
    of: str,
    *,
    unit: str = "%",
    family: int = 1,
    bounds: tuple[float, float] = (0.0, 100.0),
    clusters: ArrayLike | None = None,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """A mean with its bootstrap interval. values: shape (units,), in `unit`; bounds: what a value may be.

    clusters (units,): labels, where whole clusters are resampled and counted.
    """
    level = 1 - 0.05 / family
    found = interval(values, rng, resamples, level, bounds=bounds, clusters=clusters)
    n = len(np.asarray(values)) if clusters is None else len(set(np.asarray(clusters).tolist()))
    return dict(interval=found, n=n, of=of, unit=unit, level=level, family=family)
