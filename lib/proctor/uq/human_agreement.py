"""Do validator and people agree, and could they have disagreed? (UQ, appendices B.3 and I.3, Tables S2 and S9.)"""

import pandas as pd

from proctor.data.published import load_published
from proctor.stats.proportions import clopper_pearson
from proctor.stats.reconstruct import accuracy_counts, agreement_counts

CELLS = ["both_passed", "only_validator", "only_people", "neither"]


def rated_answers(n: int = 25) -> pd.DataFrame:
    """Table S9 (and S2) as counts: one row an answer model, the 2x2 table that its three printed rates leave.

    low, high: exact 95 % limits of the agreement. always_reject: how often rejecting everything agrees with people.
    kappa: the exact fraction as text, "" where it does not exist. Raises ValueError unless exactly one table fits.
    """
    rows = []
    for row in load_published("uq/table_S9").itertuples():
        (found,) = agreement_counts(row.passed_validator, row.passed_human, row.agreement, n)
        (reasoning,) = accuracy_counts(row.reasoning_accuracy, n)
        agreed = found.both + found.neither
        low, high = clopper_pearson(agreed, n)
        counts = dict(zip(CELLS, (found.both, found.only_a, found.only_b, found.neither)))
        shares = dict(agreement=agreed / n, low=low, high=high, always_reject=1 - (found.both + found.only_b) / n)
        kappa = "" if found.kappa is None else str(found.kappa)
        known = dict(reasoning_right=reasoning.k, kappa_printed=row.cohens_kappa, kappa=kappa)
        rows.append(dict(answer_model=row.answer_model) | counts | shares | known)
    return pd.DataFrame(rows)
