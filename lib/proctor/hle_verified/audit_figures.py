"""The figure of audit probabilities. It receives estimates, computes none."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from proctor.hle_verified.audit_effects import REPAIRS
from proctor.hle_verified.planted_defects import COMPONENTS
from proctor.report.figures import FULL, axes, dumbbell, forest, short

REPAIRED = {REPAIRS[0]: "repairs: answer", REPAIRS[1]: "repairs: rationale"}


def with_repairs(rankings: pd.DataFrame, repairs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `audit_effects.rankings` and those of `repair_effects` that rank pairs, with their labels."""
    ranked = repairs[repairs["effect"].isin(REPAIRED)]
    return pd.concat([rankings, ranked.assign(effect=ranked["effect"].map(REPAIRED))], ignore_index=True)


def pairs_and_kinds(effects: Mapping[str, pd.DataFrame], kinds: pd.DataFrame) -> Figure:
    """Left: share of pairs that each auditor ranks rightly, by component and for repairs ({auditor: rows of
    `with_repairs`}, differences from one half). Right: damaged items of each kind that one auditor rejects, and their
    sound twins (`audit_effects.by_kind`)."""
    fig, (left, right) = axes(1, 2, width=FULL, height=4.4)
    labels = [*COMPONENTS, *REPAIRED.values()]
    for place, (auditor, table) in enumerate(effects.items()):
        rows = table.set_index("effect").loc[labels]
        limits = (100 * (0.5 + rows[column]) for column in ("difference", "low", "high"))
        offset = 0.3 * (place + 0.5) / len(effects) - 0.15
        forest(left, labels, *limits, role=auditor, label=short(auditor), offset=offset, reference=50)
    left.set(xlabel="pairs with the sound one above (%)", xlim=(-3, 103), title="ranked by one probability")
    shares = (100 * kinds[column] for column in ("rejected_share", "twin_rejected_share"))
    names = [f"{row.kind} {row.title.removesuffix(f' ({row.component.capitalize()})')}" for row in kinds.itertuples()]
    dumbbell(right, names, *shares, names=("damaged", "sound twin"), role=("wrong", "right"),
             evidence=("measured", "measured"))  # fmt: skip
    right.set(xlabel="rejected at the fitted threshold (%)", xlim=(-3, 103))
    right.set_title(f"{short(next(iter(effects)))}, {kinds['rejected_n'].iloc[0]} items a kind")
    found = {label: handle for ax in (left, right) for handle, label in zip(*ax.get_legend_handles_labels())}
    fig.legend(list(found.values()), list(found), loc="outside lower center", ncols=4)
    return fig
