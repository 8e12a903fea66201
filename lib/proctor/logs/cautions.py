"""What must be known of logs before they count as evidence: systems that are twins."""

from itertools import combinations

import numpy as np
import pandas as pd


def twins(table: pd.DataFrame, least: float = 1.0) -> list[tuple[str, str, float]]:
    """Pairs of systems that gave the same on at least the share `least` of the items that both have, with that share.

    table: item x system, outcomes or answers; NaN or "" where a system has none. Systems that gave one thing throughout
    are left out: any two of them are alike.

    >>> twins(pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 1], "c": [0, 0, 1]}))
    [('a', 'b', 1.0)]
    """
    vary = [name for name in table if table[name][table[name] != ""].nunique() > 1]
    flat, known = pd.factorize(table[vary].to_numpy().ravel())
    codes = flat.reshape(len(table), len(vary)).T
    codes = np.where(np.isin(codes, [i for i, value in enumerate(known) if value == ""]), -1, codes)
    found = []
    for i, j in combinations(range(len(vary)), 2):
        both = (codes[i] >= 0) & (codes[j] >= 0)
        share = float((codes[i] == codes[j])[both].mean()) if both.any() else 0.0
        if share >= least:
            found.append((vary[i], vary[j], share))
    return found
