"""Questions of families-v2 with one planted defect each, ten for each of the nineteen kinds, beside their sound twins.

    versions = all_versions()

A version is an item as an auditor sees it. `sound`: as it was written. `damaged`: with one defect in one component.
Two more are repairs of an item whose key is the first slip's answer: `repaired right` has the right key, `repaired
wrong` the answer and the steps of another slip. Both repairs are worded alike, and in other words than the item.

Every kind is planted once in each of the nine families and a second time in one of them, at all three levels, so that
families can be the units. The questions are the last two of each cell.

The audit of HLE-Verified (appendix A.1.2) on damaged items beside their sound twins: one probability an audit.

An audit is one token, bound to Y or N. Its probability is recorded, and no samples are drawn: given the probability p,
n samples are n throws of a coin with that chance, whatever the item is. So they hold nothing of the item that p does
not hold (p is sufficient), and their mean is p with a variance of p (1 - p) / n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from proctor.data.questions import load_families, place_in_cell
from proctor.data.schemas import Question
from proctor.exam import screening
from proctor.exam.screening import VERSION
from proctor.hle_verified.planted_defects import COMPONENTS, PLANTS, Truth, both, steps_of
from proctor.hle_verified.stages import read_soundness
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.models.studies import ask_table

PER_KIND = 10
PLACES = (11, 12)  # of the twelve questions of a cell
SOUND, DAMAGED, RIGHT, WRONG = "sound", "damaged", "repaired right", "repaired wrong"


@dataclass(frozen=True)
class Version:
    """An item in one state. `base` is the id of its sound twin; `holds` as `planted_defects.Truth.holds`: None where
    the truth of a component is not defined, and these are not audited."""

    base: str
    state: str
    item: Question
    holds: dict[str, bool | None]
    kind: str | None = None


def pool() -> dict[str, list[Question]]:
    """By family its six questions, two of each level in turn."""
    found: dict[str, list[Question]] = {}
    for question in load_families(version=VERSION):
        if place_in_cell(question) in PLACES:
            found.setdefault(question.category, []).append(question)
    return found


def all_versions(per_kind: int = PER_KIND) -> list[Version]:
    """Each base question sound and in both repairs, then the damaged items by kind, each once.

    Raises ValueError for a number a kind that the questions do not have.
    """
    families = pool()
    if not 0 <= per_kind <= 2 * len(families):
        raise ValueError(f"per_kind {per_kind}: give 0 to {2 * len(families)}, two in each family at most")
    bases = [question for own in families.values() for question in own]
    sound = [Version(q.id, SOUND, q, dict.fromkeys(COMPONENTS, True)) for q in bases]
    repaired = [version for question in bases for version in (_mended(question), _spoiled(question))]
    damaged = [version for kind in PLANTS for version in _of_kind(kind, families, per_kind)]
    twins = [Version(q.id, SOUND, q, dict.fromkeys(COMPONENTS, True)) for q in _pairs(damaged)]
    return sound + twins + damaged + repaired


def _of_kind(kind: str, families: dict[str, list[Question]], per_kind: int) -> list[Version]:
    number, names, found = list(PLANTS).index(kind), list(families), []
    for turn in range(per_kind):
        again, family = divmod(turn, len(names))
        place = (number + family) % len(names) if again else family
        own = families[names[place]]
        index = (number + place + 3 * again) % len(own)  # another level the second time
        base = both(own[index], own[index ^ 1]) if kind == "A2" else own[index]
        item = base.model_copy(update=PLANTS[kind](base))
        found.append(Version(base.id, DAMAGED, item, Truth(base.id, kind, base).holds, kind))
    return found


def _pairs(damaged: list[Version]) -> list[Question]:
    families = pool()
    by_id = {question.id: question for own in families.values() for question in own}
    return [both(*(by_id[name] for name in version.base.split("+"))) for version in damaged if "+" in version.base]


def _mended(question: Question) -> Version:
    text = f"{question.extra['right_again']} The answer is {question.answer}."
    item = question.model_copy(update={"rationale": text})
    return Version(question.id, RIGHT, item, dict.fromkeys(COMPONENTS, True))


def _spoiled(question: Question) -> Version:
    slip = question.extra["wrongs"][1]
    text = f"{reworded(question, slip['solution'])} The answer is {slip['answer']}."
    item = question.model_copy(update={"rationale": text, "answer": slip["answer"]})
    return Version(question.id, WRONG, item, {"problem": True, "answer": False, "rationale": False})


def reworded(question: Question, steps: str) -> str:
    """The steps of a solution in the question's other wording, their numbers as they are.

    Raises ValueError for a step that the right solution does not have."""
    first, again = (_sentences(text) for text in (steps_of(question), question.extra["right_again"]))
    words = {one: other for (one, _), (other, _) in zip(first, again, strict=True)}
    found = _sentences(steps)
    if unknown := [said for said, _ in found if said not in words]:
        raise ValueError(f"question {question.id}: no other words for {unknown[0]!r}")
    return " ".join(f"{words[said]}: {equation}." for said, equation in found)


def _sentences(steps: str) -> list[tuple[str, str]]:
    """The words and the equation of each step."""
    parts = [sentence.rpartition(": ") for sentence in steps.removesuffix(".").split(". ")]
    return [(words, equation) for words, _, equation in parts]


PROMPT = "hle_verified/audit_parts"


async def paired_audits(
    session: Session, models: Sequence[str] = (screening.MODEL,), per_kind: int = PER_KIND
) -> pd.DataFrame:
    """One row an auditor (model), version and component whose truth is defined: base, category, level, state, kind
    ("" for none), component, holds, sound (None: unreadable), p_sound."""
    prompt, calls = load(PROMPT, session.settings), []
    for model, version in product(models, all_versions(per_kind)):
        item, parts = version.item, dict(base=version.base, category=version.item.category, level=version.item.level)
        shown = dict(problem=item.question, rationale=item.rationale, answer=str(item.answer))
        for part, held in version.holds.items():
            if held is not None:
                row = dict(model=model, **parts, state=version.state, kind=version.kind or "", component=part)
                calls.append((row | dict(holds=held), prompt.request(model, component=part, **shown)))
    return await ask_table(session, calls, "audits of pairs", read_soundness)


STUDIES = {"verification.paired_audits": paired_audits}
