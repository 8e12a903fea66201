"""Tables that describe the protocol: what is sound, what was planted, which prompt stands for which (3.2, A.1)."""

from collections.abc import Mapping, Sequence

import pandas as pd

from proctor.data.schemas import Question
from proctor.hle_verified.planted_defects import COMPONENTS, Defect, Truth
from proctor.models.prompts import load

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
