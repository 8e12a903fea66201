"""Where the items of the damaged exam end, by who judges, and how many are left at each step of the two stages.

Takes the tables of the steps (hle_verified.stages) and the truths of the damaged exam, which no step sees.

Tables that describe the protocol: what is sound, what was planted, which prompt stands for which (3.2, A.1).
"""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam.answer_match import plain_text, same
from proctor.hle_verified.decision_rules import Audit, Evidence, Repair, Verified, replicated, verify
from proctor.hle_verified.planted_defects import COMPONENTS, Defect, Truth
from proctor.models.prompts import load
from proctor.stats.proportions import clopper_pearson

PANELS = {"panel, all must accept": "all", "panel, most must accept": "most"}
OUTCOMES = [
    "sound, kept",
    "sound, left open",
    "damaged, taken for gold",
    "damaged, left open",
    "damaged, restored",
    "damaged, rationale rewritten",
    "damaged, wrongly changed",
]


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


def outcome_counts(outcomes: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row a panel and component of the defect: items by outcome.

    outcomes: {experts: table of `outcome_by_item`}. Each of OUTCOMES has a column, with items or without.
    """
    tables = [pd.crosstab(one["component"], one["outcome"]).assign(experts=name) for name, one in outcomes.items()]
    table = pd.concat(tables).fillna(0).reset_index().set_index(["experts", "component"])
    table = table.reindex(columns=table.columns.union(OUTCOMES), fill_value=0)
    return table.astype(int).sort_index(axis=1).reset_index()


def gold_damage(outcomes: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row a panel: items by status, and of its gold items those with a damaged problem or key, exact intervals."""
    rows = []
    for name, one in outcomes.items():
        gold = one[one["status"] == "gold"]
        status = one["status"].value_counts()
        rows.append(
            dict(experts=name, **{key: int(status.get(key, 0)) for key in ("gold", "revised", "uncertain")})
            | counted("damaged", int(gold["component"].isin(["problem", "answer"]).sum()), len(gold))
        )
    return pd.DataFrame(rows)


def items_at_steps(verified: Mapping[str, Verified]) -> pd.DataFrame:
    """Items at each step, in order: stage, step, items. An item may be doubted in several parts."""
    decisions = [one.decision for one in verified.values()]
    screened = [next(record for record in one.trail if record["step"] == "screening") for one in verified.values()]
    sent = [one for one in decisions if one.stage == "II"]
    open_ = [one.uncertainty for one in sent]
    steps = [
        ("I", "all items", len(decisions)),
        *(("I", f"{part} doubted", sum(part in one["flagged"] for one in screened)) for part in COMPONENTS),
        ("I", "no solver finds the key", sum(one["reaudit"] for one in screened)),
        ("I", "soundness not shown", sum(one.uncertainty == "soundness not shown" for one in decisions)),
        ("I", "gold", sum(one.status == "gold" for one in decisions)),
        ("II", "sent to repair", len(sent)),
        ("II", "a repair settled", len(sent) - open_.count("no repair settled")),
        (
            "II",
            "doubted part changed",
            sum(one.uncertainty not in ("no repair settled", "doubt unresolved") for one in sent),
        ),
        ("II", "revised: audit passed", sum(one.status == "revised" for one in sent)),
    ]
    return pd.DataFrame(steps, columns=["stage", "step", "items"])


FIELDS = {"problem": "question", "answer": "answer", "rationale": "rationale"}
_STANDS_FOR = (
    ("Stage I solver", "hle/answer_exact", "three lines in place of a box"),
    ("Stage I extraction", "", "read from the line Exact Answer"),
    ("Stage I equivalence", "", "exam.answer_match.same: numbers, notation, formulas; yes, no or undecided"),
    *((f"expert on the {part}", f"hle_verified/{part}", "people in the paper") for part in COMPONENTS),
    ("Stage II extraction", "", "answers of the model's own attempts, counted"),
    ("Stage II repair", "hle_verified/repair", "may change the problem too; EMPTY when unsure; no confidence"),
    ("Stage II adjudication", "hle_verified/adjudicate", "a letter, no reason; three orders of the proposals"),
    ("cross-audit", "hle_verified/audit", "a component a call, eight judgements"),
)


def validity_definitions() -> pd.DataFrame:
    """When each component is sound (section 3.2), in our words."""
    rows = [
        (
            "problem",
            "It has one reading, does not contradict itself, and says all that a single answer needs, or what is left "
            "out is usual in its field.",
            "must be shown to be sound",
        ),
        (
            "answer",
            "It is right for the problem as stated, in its unit and form, whichever of its equal notations is used.",
            "must be shown to be sound",
        ),
        (
            "rationale",
            "Its steps hold, fit one another and lead to the answer, where it is meant as the reference.",
            "a defect alone does not disqualify; it sends the item on",
        ),
    ]
    return pd.DataFrame(rows, columns=["component", "sound when", "role"])


def planted_examples(items: Sequence[Question], truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row a kind of defect: the component of its first item before (sound) and after (damaged)."""
    first = {truths[item.id].defect: item for item in reversed(items)}
    return pd.DataFrame(
        [
            dict(
                kind=kind.value,
                name=kind.title,
                component=kind.component,
                sound=getattr(truths[first[kind].id].sound, FIELDS[kind.component]),
                damaged=getattr(first[kind], FIELDS[kind.component]),
            )
            for kind in Defect
        ]
    )


def prompts() -> pd.DataFrame:
    """Each prompt of A.1: what stands for it here (name and version of the prompt, or no call), and what differs."""
    return pd.DataFrame(
        [
            dict(
                prompt=what,
                ours=load(name).version if name else "no call",
                output=load(name).output if name else "",
                differs=how,
            )
            for what, name, how in _STANDS_FOR
        ]
    )
