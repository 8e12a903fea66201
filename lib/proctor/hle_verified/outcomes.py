"""Where the items of the damaged exam end, by who judges.

Takes the tables of the steps (hle_verified.stages) and the truths of the damaged exam, which no step sees.
"""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam.answer_match import plain_text, same
from proctor.hle_verified.decision_rules import Audit, Evidence, Repair, Verified, replicated, verify
from proctor.hle_verified.planted_defects import COMPONENTS, Truth
from proctor.stats.proportions import clopper_pearson

PANELS = {"panel, all must accept": "all", "panel, most must accept": "most"}


def evidence(items: Sequence[Question], votes: pd.DataFrame, attempts: pd.DataFrame) -> dict[str, Evidence]:
    """By item, what Stage I knows, from the steps `votes` and `attempts`; of the models in either table."""
    said = votes.groupby(["item", "component"])["sound"].agg(tuple).to_dict()
    tried = attempts.groupby(["question_id", "model"], sort=False)["answer"].agg(list)
    return {
        item.id: Evidence(
            {part: said[item.id, part] for part in COMPONENTS if (item.id, part) in said},
            tuple(replicated(solver, answers, item.answer) for solver, answers in tried[item.id].items()),
        )
        for item in items
    }


def audit_counts(audits: pd.DataFrame) -> dict[str, list[Audit]]:
    """By item, the judgements of the step `audits` counted by auditor and component."""
    found: dict[str, list[Audit]] = {}
    for (item, model, part), said in audits.groupby(["item", "model", "component"], sort=False)["sound"]:
        said = said.tolist()
        found.setdefault(item, []).append(Audit(model, part, said.count(True), said.count(False), said.count(None)))
    return found


def verify_all(
    items: Sequence[Question],
    known: Mapping[str, Evidence],
    adjudications: pd.DataFrame,
    audits: Mapping[str, Sequence[Audit]],
    *,
    quorum: str = "all",
    scope: Collection[str] | None = None,
) -> dict[str, Verified]:
    """`decision_rules.verify` for each item; adjudications: of one adjudicator."""
    if adjudications["model"].nunique() > 1:
        raise ValueError("the choices of several adjudicators: keep the rows of one")
    choices = adjudications.sort_values("order").groupby("item")["repair"].agg(list)
    return {
        item.id: verify(item, known[item.id], choices[item.id], audits.get(item.id, ()), quorum=quorum, scope=scope)
        for item in items
    }


def by_experts(
    items: Sequence[Question],
    votes: pd.DataFrame,
    attempts: pd.DataFrame,
    adjudications: pd.DataFrame,
    audits: pd.DataFrame,
) -> dict[str, dict[str, Verified]]:
    """`verify_all` with each model as the only expert, solver and auditor, and with all of them, by their quorum.

    The repairs are those that the one adjudicator chose among the proposals of all.
    """
    models = list(dict.fromkeys(votes["model"]))
    sides = {model: ([model], "all") for model in models}
    sides |= {name: (models, quorum) for name, quorum in PANELS.items()}
    return {
        name: verify_all(
            items,
            evidence(items, *(table[table["model"].isin(who)] for table in (votes, attempts))),
            adjudications,
            audit_counts(audits[audits["model"].isin(who)]),
            quorum=quorum,
        )
        for name, (who, quorum) in sides.items()
    }


def outcome_by_item(verified: Mapping[str, Verified], truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row an item: kind and component of its defect ("none"), status, uncertainty, and what became of it.

    outcome: of a sound item kept, left open, reworded (same answer) or wrongly changed; of a damaged one taken for
    gold, left open, restored, rationale rewritten (whether well is not judged) or wrongly changed. Restored: the answer
    is that of the sound version, and so is the problem, word by word, where that was damaged.
    """
    rows = []
    for name, one in verified.items():
        truth, status = truths[name], one.decision.status
        rows.append(
            dict(
                item=name,
                kind=truth.defect.value if truth.defect else "none",
                component=truth.defect.component if truth.defect else "none",
                status=status,
                uncertainty=one.decision.uncertainty,
                outcome=_outcome(truth, one),
            )
        )
    return pd.DataFrame(rows)


def _outcome(truth: Truth, verified: Verified) -> str:
    status, part = verified.decision.status, truth.defect.component if truth.defect else "none"
    which = "damaged" if truth.defect else "sound"
    if status == "gold":
        return "sound, kept" if which == "sound" else "damaged, taken for gold"
    if status == "uncertain":
        return f"{which}, left open"
    if not is_right(Repair(verified.revised.question, "", verified.revised.answer), truth):
        return f"{which}, wrongly changed"
    return f"{which}, {dict(none='reworded', rationale='rationale rewritten').get(part, 'restored')}"


def is_right(repair: Repair, truth: Truth) -> bool:
    """The sound version's answer and, where the problem was damaged, its very words."""
    problem = plain_text(repair.problem) == plain_text(truth.sound.question)
    return same(repair.answer, truth.sound.answer) is True and (problem or truth.holds["problem"] is True)


def counted(name: str, k: int, n: int) -> dict:
    """k of n as columns: the count, n, the share and its exact 95 % interval; NaN where n is 0."""
    low, high = clopper_pearson(k, n) if n else (float("nan"), float("nan"))
    share = k / n if n else float("nan")
    return {name: k, f"{name}_n": n, f"{name}_share": share, f"{name}_low": low, f"{name}_high": high}
