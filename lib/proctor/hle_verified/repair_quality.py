"""What each source of repairs spoils and mends, and whether the cross-audit tells right repairs from wrong ones.

    sources = proposals_by_source(repairs, choices, audits, quorum="most")
    false_corrections(items, truths, sources)

Takes the tables of the steps (hle_verified.stages) and the truths of the damaged exam, which no step sees.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.data.schemas import Question
from proctor.exam.answer_match import plain_text, same
from proctor.hle_verified.decision_rules import Audit, Repair, adjudicated, changed, failed_audits
from proctor.hle_verified.detection import PANELS, counted
from proctor.hle_verified.planted_defects import Truth
from proctor.hle_verified.stages import AUDITS
from proctor.stats.calibration import auc_interval


def _same_as_sound(repair: Repair, truth: Truth) -> tuple[bool, bool]:
    """Whether answer and problem (word by word) are those of the sound version."""
    return same(repair.answer, truth.sound.answer) is True, plain_text(repair.problem) == plain_text(
        truth.sound.question
    )


def is_right(repair: Repair, truth: Truth) -> bool:
    """The sound version's answer and, where the problem was damaged, its very words."""
    answer, problem = _same_as_sound(repair, truth)
    return answer and (problem or truth.holds["problem"] is True)


def settled_repairs(choices: pd.DataFrame) -> dict[str, Repair | None]:
    """By item, the repair on which one adjudicator settles over the orders that it was shown; None: on none."""
    return {item: adjudicated(list(group["repair"])) for item, group in choices.groupby("item")}


def proposals_by_source(
    repairs: pd.DataFrame, choices: pd.DataFrame, audits: Mapping[str, Sequence[Audit]], quorum: str = "most"
) -> dict[str, dict[str, Repair | None]]:
    """{source: {item: repair}}: each model alone, two of three agreeing, the adjudicator, what then passed the audit.

    audits: as of `outcomes.audit_counts`; without any the last source is left out.
    """
    alone = {model: dict(zip(own["item"], own["repair"])) for model, own in repairs.groupby("model", sort=False)}
    items, settled = list(dict.fromkeys(repairs["item"])), settled_repairs(choices)
    offers = {item: [one.get(item) for one in alone.values()] for item in items}
    agreed = {
        item: adjudicated([one if one and not one.empty else None for one in each]) for item, each in offers.items()
    }
    sources = alone | {"two of three agree": agreed, "adjudicated": settled}
    if audits:
        passed = {item: one for item, one in settled.items() if one and not failed_audits(audits[item], quorum)}
        sources["adjudicated and audited"] = passed
    return sources


def false_corrections(
    items: Sequence[Question], truths: Mapping[str, Truth], proposals: Mapping[str, Mapping[str, Repair | None]]
) -> pd.DataFrame:
    """One row a source of repairs ({source: {item: repair}}): how often it spoils what is right and mends what is not.

    spoiled: of the items whose problem and key are sound, those that get another answer; reworded: the same answer and
    other words in the problem. mended: of the items with a damaged problem or key, those that get the sound version's
    answer and, where the problem was damaged, its very words (a lower bound: other words may mend it too).
    """
    rows = []
    for source, repairs in proposals.items():
        count = dict.fromkeys(("sound", "spoiled", "reworded", "broken", "mended"), 0)
        for item in items:
            truth, repair = truths[item.id], repairs.get(item.id)
            intact = truth.holds["problem"] and truth.holds["answer"]
            count["sound" if intact else "broken"] += 1
            if repair is None or repair.empty:
                continue
            if intact:
                answer, problem = _same_as_sound(repair, truth)
                count["spoiled"] += not answer
                count["reworded"] += answer and not problem
            else:
                count["mended"] += is_right(repair, truth)
        rows.append(
            dict(source=source, reworded=count["reworded"])
            | counted("spoiled", count["spoiled"], count["sound"])
            | counted("mended", count["mended"], count["broken"])
        )
    return pd.DataFrame(rows)


def spoiled_by_item(
    items: Sequence[Question], truths: Mapping[str, Truth], repairs: Mapping[str, Repair | None]
) -> pd.Series:
    """1 where a repair gives another answer to an item with sound problem and key, else 0; indexed by those items."""
    intact = [item.id for item in items if truths[item.id].holds["problem"] and truths[item.id].holds["answer"]]
    found = {}
    for item in intact:
        repair = repairs.get(item)
        found[item] = float(bool(repair) and not repair.empty and not _same_as_sound(repair, truths[item])[0])
    return pd.Series(found)


def mended_by_item(
    items: Sequence[Question], truths: Mapping[str, Truth], repairs: Mapping[str, Repair | None]
) -> pd.Series:
    """1 where a repair restores an item with a damaged problem or key (see `is_right`), else 0; indexed by those."""
    broken = [item.id for item in items if False in (truths[item.id].holds["problem"], truths[item.id].holds["answer"])]
    return pd.Series(
        {
            item: float(bool(one := repairs.get(item)) and not one.empty and is_right(one, truths[item]))
            for item in broken
        }
    )


def audit_pass_rates(
    truths: Mapping[str, Truth], repairs: Mapping[str, Repair | None], counts: Mapping[str, Sequence[Audit]]
) -> pd.DataFrame:
    """One row an auditor, then each reading of the panel: right and wrong repairs that pass, exact intervals.

    A right repair has the sound version's answer and, where the problem was damaged, its very words. All three
    components must pass (`failed_audits`). counts: as of `audit_counts`.
    """
    right = {
        item: is_right(repair, truths[item])
        for item, repair in repairs.items()
        if repair is not None and item in counts
    }
    sides = {auditor: ({auditor}, "all") for each in counts.values() for auditor in (one.auditor for one in each)}
    rows = []
    for name, (who, quorum) in (sides | {panel: (set(sides), quorum) for panel, quorum in PANELS.items()}).items():
        row = dict(auditor=name)
        for what, wanted in (("right", True), ("wrong", False)):
            own = [item for item, is_right in right.items() if is_right is wanted]
            passed = [not failed_audits([one for one in counts[item] if one.auditor in who], quorum) for item in own]
            row |= counted(what, sum(passed), len(own))
        rows.append(row)
    return pd.DataFrame(rows)


def repairs_by_change(
    items: Sequence[Question], truths: Mapping[str, Truth], repairs: Mapping[str, Repair | None]
) -> pd.DataFrame:
    """One row a settled repair: item, changed (problem or answer, not the rationale alone), right (see `is_right`)."""
    rows = []
    for item in items:
        if repair := repairs.get(item.id):
            parts = changed(item, repair)
            rows.append(
                dict(
                    item=item.id,
                    defect=str(truths[item.id].defect or "none"),
                    changed=bool(parts["problem"] or parts["answer"]),
                    right=is_right(repair, truths[item.id]),
                )
            )
    return pd.DataFrame(rows, columns=["item", "defect", "changed", "right"])


def audit_auc(
    audits: pd.DataFrame,
    repaired: pd.DataFrame,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    component: str = "answer",
) -> pd.DataFrame:
    """One row an auditor and set of repairs: AUC of its probability of `sound` for right against wrong repairs.

    repaired: as of `repairs_by_change`. The sets: all repairs, and those that leave problem and answer as they were,
    where right means that the item was sound. The changed ones are too few for a ranking unless both of their classes
    have ten. alone_low, alone_high: the 95 % interval of one AUC taken alone. One probability
    an item: the judgements of one auditor on one component share it. An auditor without probabilities has no AUC.
    """
    right = repaired.set_index("item")
    known = audits[audits["component"] == component].dropna(subset=["p_sound"])
    p = {model: own.groupby("item", sort=False)["p_sound"].mean() for model, own in known.groupby("model")}
    rows = []
    for name, which in (("all repairs", right), ("problem and answer untouched", right[~right["changed"]])):
        for model in dict.fromkeys(audits["model"]):
            own = p.get(model, pd.Series(dtype=float)).reindex(which.index).dropna().astype(float)
            truth = which.loc[own.index, "right"].astype(int)
            row = dict(auditor=model, repairs=name, right=int(truth.sum()), wrong=int((1 - truth).sum()))
            if truth.nunique() == 2:
                found = auc_interval(own, truth, rng, resamples, level)
                alone = auc_interval(own, truth, rng, resamples)
                row |= dict(auc=found.estimate, low=found.low, high=found.high)
                row |= dict(alone_low=alone.low, alone_high=alone.high)
            rows.append(row)
    columns = ["auditor", "repairs", "right", "wrong", "auc", "low", "high", "alone_low", "alone_high"]
    return pd.DataFrame(rows, columns=columns)


def judgements_by_sample(audits: pd.DataFrame) -> pd.DataFrame:
    """One row an auditor: share of `sound` in each judgement, and how many probabilities an item and component has.

    Sample k uses the same seed for every item, so judgements are not independent across items: the columns differ
    although `probabilities` is 1, the same number behind all judgements of one component.
    """
    shares = audits.groupby(["model", "sample"], sort=False)["sound"].agg(lambda said: said.eq(True).mean()).unstack()
    shares = shares.reindex(
        columns=range(1, AUDITS + 1)
    )  # all of them, where nothing was settled and so nothing audited
    shares.columns = [f"judgement_{sample}" for sample in shares.columns]
    distinct = audits.groupby(["model", "item", "component"], sort=False)["p_sound"].nunique().groupby("model").max()
    return shares.assign(probabilities=distinct).rename_axis("auditor").reset_index()
