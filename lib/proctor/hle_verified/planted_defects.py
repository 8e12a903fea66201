"""Known defects of all nineteen kinds, put into questions of ours: an exam, and items next to their sound twins.

    items, truths = damaged_exam()     # two items a kind, and sound ones
    versions = all_versions()          # each item sound, damaged, and repaired rightly and wrongly

The items are plain questions with key and rationale, and nothing in them tells what was done; the truths are kept
apart. Each item has one defect at most, in one component (HLE-Verified, section 3.5; the kinds are described in our
words in data/published/hle_verified/taxonomy.csv). Every kind can be planted in each of the nine families of
families-v2 (`PLANTS`). The defects and their wording are ours.

A `Version` is an item as an auditor sees it. `sound`: as it was written. `damaged`: with one defect in one component.
Two more are repairs of an item whose key is the first slip's answer: `repaired right` has the right key, `repaired
wrong` the answer and the steps of another slip. Both repairs are worded alike, and in other words than the item.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from proctor.data.questions import load_families, place_in_cell
from proctor.data.schemas import Question
from proctor.exam.screening import VERSION
from proctor.generated.generate import draw_question
from proctor.generated.worked import EQUATION
from proctor.generated.worked_families import WORKED_FAMILIES

SEED = 20261122
PER_KIND, CONTROLS = 2, 12
LEVELS = 2  # easy and middle questions
MOST = 50  # items of a kind
COMPONENTS = ("problem", "answer", "rationale")


def component_of(kind: str) -> str:
    """The component that a kind of defect breaks, by the letter of its code."""
    return {"Q": "problem", "S": "rationale", "A": "answer"}[kind[0]]


def sound_parts(defect: str | None) -> dict[str, bool | None]:
    """For each component whether it is sound; None where that is not defined: the key and the rationale of a problem
    that is broken, and a rationale whose key is."""
    broken = component_of(defect) if defect else None
    undefined = {"problem": ("answer", "rationale"), "answer": ("rationale",)}.get(broken, ())
    return {part: False if part == broken else None if part in undefined else True for part in COMPONENTS}


@dataclass(frozen=True)
class Truth:
    """What was done to an item. `sound` is the item before; `holds`: which of its components are sound."""

    id: str
    defect: str | None
    sound: Question

    @property
    def holds(self) -> dict[str, bool | None]:
        return sound_parts(self.defect)


def damaged_exam(
    per_kind: int = PER_KIND, controls: int = CONTROLS, seed: int = SEED
) -> tuple[list[Question], dict[str, Truth]]:
    """The items, ordered by an id that tells nothing, and the truth of each by id.

    The items of a kind go through families and levels in turn. Each item has a draw of its own, so a larger exam of the
    same seed contains the smaller one, and one of some hundred items may ask a question twice. Raises ValueError for
    negative counts and more than MOST.
    """
    if not (0 <= per_kind <= MOST and 0 <= controls <= MOST):
        raise ValueError(f"per_kind {per_kind}, controls {controls}: give counts of 0 to {MOST}")
    counts = dict.fromkeys(PLANTS, per_kind) | {None: controls}
    pairs = [_pair(number, kind, turn, seed) for number, kind in enumerate(counts) for turn in range(counts[kind])]
    return ([item for item, _ in sorted(pairs, key=lambda pair: pair[0].id)], {item.id: truth for item, truth in pairs})


def _pair(number: int, kind: str | None, turn: int, seed: int) -> tuple[Question, Truth]:
    families = list(WORKED_FAMILIES)
    family, level = families[(number + turn) % len(families)], 1 + turn % LEVELS
    first, second = (draw_question(family, level, 2 * (number * MOST + turn) + i, seed) for i in (0, 1))
    sound = (both(first, second) if kind == "A2" else first).model_copy(
        update={
            "id": f"v{zlib.crc32(f'{seed} {kind} {turn}'.encode()):08x}",
            "source": "proctor.hle_verified.planted_defects, version 2",
        }
    )
    flawed = sound.model_copy(update=PLANTS[kind](sound)) if kind else sound
    sound, flawed = (one.model_copy(update={"extra": {}}) for one in (sound, flawed))  # extra holds the wrong answer
    return flawed, Truth(flawed.id, kind, sound)


def both(first: Question, second: Question) -> Question:
    """One item that asks both questions."""
    answers = f"{first.answer} and {second.answer}"
    return first.model_copy(
        update=dict(
            id=f"{first.id}+{second.id}",
            question=f"Answer two questions. First: {first.question} Second: {second.question}",
            answer=answers,
            rationale=f"First: {steps_of(first)} Second: {steps_of(second)} The answers are {answers}.",
        )
    )


# Items next to their sound twins, from the last two questions of each cell of families-v2

PLACES = (11, 12)  # of the twelve questions of a cell
SOUND, DAMAGED, RIGHT, WRONG = "sound", "damaged", "repaired right", "repaired wrong"


@dataclass(frozen=True)
class Version:
    """An item in one state. `base` is the id of its sound twin; a component that `holds` None of is not audited."""

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


def all_versions(per_kind: int = 10) -> list[Version]:
    """Each base question sound and in both repairs, then the damaged items by kind, each once.

    Every kind is planted once in each of the nine families and a second time in one of them, at all three levels, so
    that families can be the units. Raises ValueError for a number a kind that the questions do not have.
    """
    families = pool()
    if not 0 <= per_kind <= 2 * len(families):
        raise ValueError(f"per_kind {per_kind}: give 0 to {2 * len(families)}, two in each family at most")
    bases = [question for own in families.values() for question in own]
    sound, damaged = {question.id: question for question in bases}, []
    for number, kind in enumerate(PLANTS):
        for base in _drawn(number, kind, families, per_kind):
            sound[base.id] = base
            item = base.model_copy(update=PLANTS[kind](base))
            damaged.append(Version(base.id, DAMAGED, item, sound_parts(kind), kind))
    whole = [Version(name, SOUND, question, sound_parts(None)) for name, question in sound.items()]
    return whole + damaged + [version for question in bases for version in (_mended(question), _spoiled(question))]


def _drawn(number: int, kind: str, families: dict[str, list[Question]], per_kind: int) -> list[Question]:
    """The sound questions into which a kind of defect is put."""
    names, found = list(families), []
    for turn in range(per_kind):
        again, family = divmod(turn, len(names))
        place = (number + family) % len(names) if again else family
        own = families[names[place]]
        index = (number + place + 3 * again) % len(own)  # another level the second time
        found.append(both(own[index], own[index ^ 1]) if kind == "A2" else own[index])
    return found


def _mended(question: Question) -> Version:
    text = f"{question.extra['right_again']} The answer is {question.answer}."
    item = question.model_copy(update={"rationale": text})
    return Version(question.id, RIGHT, item, sound_parts(None))


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


# How each defect is put in: from the sound question to the fields that change

Change = Callable[[Question], dict[str, str]]


def _some_number(q: Question) -> dict[str, str]:
    digits = len(q.answer)
    return {"answer": f"a number with {digits} digit{'s' if digits > 1 else ''}"}


def steps_of(q: Question) -> str:
    """The right solution without its closing sentence."""
    return q.extra["right"].rpartition(" The answer is ")[0]


def _reasons(rewrite: Callable[[Question, str], str]) -> Change:
    """A change of the steps; the closing sentence with the right answer stays."""
    return lambda q: {"rationale": f"{rewrite(q, steps_of(q))} The answer is {q.answer}."}


def _twice(q: Question, steps: str) -> str:
    return (
        f"{steps} Once more: {steps} Times one it is {q.answer} x 1 = {q.answer}, and less "
        f"nothing it is {q.answer} - 0 = {q.answer}."
    )


def _circle(q: Question, steps: str) -> str:
    return (
        f"It must be {q.answer}, since nothing but {q.answer} can be right. As it is "
        f"{q.answer}, it follows that it is {q.answer}."
    )


def _unreadable(q: Question, steps: str) -> str:
    return steps.replace(" x ", r" \tmies{").replace(" = ", r" \eq_{ kg ").replace(" + ", r" \pls ")


def _changed(rules: dict[str, tuple[tuple[str, str], ...]]) -> Change:
    """Of the question's family, the first match of each pattern put otherwise."""

    def plant(q: Question) -> dict[str, str]:
        text = q.question
        for pattern, new in rules[q.category]:
            text = re.sub(pattern, new, text, count=1)
        return {"question": text}

    return plant


AMBIGUOUS = {
    "invented_sign": ((r"(\d+a) \+ (\d+b)\.", r"\1 + \2, or \1 - \2."),),
    "rectangle": ((r"What is its \w+ in .*\?", "How large is it?"),),
    "mean": ((r"(the|a) mean of", r"\1 typical value of"), (r"the mean score", "the typical score")),
    "sequence": ((r"What is its term.*\?|Which number.*\?", "Which number comes later?"),),
    "change": ((r"How many cents.*\?", "How much is it?"),),
    "tank": ((r"do both( pipes)? together take", "does one of them take"), ("The first pipe runs", "One of them runs")),
    "ages": ((r"How old is Anna.*\?", "How old is the child?"),),
    "long_sum": ((r" \+ ", " or "),),
    "letter_count": ((r"the letter '.'", "a letter"),),
}
INCOMPLETE = {
    "invented_sign": ((r"\d+b", "some multiple of b"),),
    "rectangle": ((r"a perimeter of \d+ m", "some perimeter"),),
    "mean": ((r", \d+\?", " and one more number?"), (r"a mean( score)? of \d+", r"some mean\1")),
    "sequence": ((r": (\d+), [\d, ]+\.+", r", from \1 on."),),
    "change": ((r"costs \d+ cents", "costs something"),),
    "tank": ((r"a tank of \d+ litres", "a tank"),),
    "ages": ((r"Together they are \d+ years old\. |Ben is \d+ years old\. ", ""),),
    "long_sum": ((r"\d+\?", "one more number?"),),
    "letter_count": ((r"occur in '.*'", "occur in the text"),),
}
IRRELEVANT = "By the theorem of Pythagoras, the numbers can be put together as follows."
FALSE = {
    "invented_sign": "To multiply two numbers means to add them.",
    "rectangle": "A rectangle has three sides, of which two are equal.",
    "mean": "The mean of some numbers is the largest of them.",
    "sequence": "A term of a sequence can never be larger than the one before.",
    "change": "A hundred cents are a thousand dollars.",
    "tank": "A litre is a length.",
    "ages": "A person grows younger every year.",
    "long_sum": "The last digit of a number counts its hundreds.",
    "letter_count": "The alphabet has ten letters.",
}


def _off(number: str) -> str:
    """One more in its first digit's place."""
    return str(int(number) + 10 ** (len(number) - 1))


def _contradicted(q: Question, steps: str) -> str:
    """A second result of the first equation, behind its sentence."""
    again = rf"\g<0>. So \1 \2 \3 = {_off(EQUATION.findall(steps)[0][3])}"
    return EQUATION.sub(again, steps, count=1)


def _doubtless(q: Question, steps: str) -> str:
    return EQUATION.sub(lambda m: f"{m[1]} {m[2]} {m[3]} = {_off(m[4])} beyond any doubt", steps, count=1)


def _compensated(q: Question, steps: str) -> str:
    """A wrong result that the next step to use it reads as it stands, and whose own result is right again. Not of a
    number that the question gives too, which a later step may read from there."""
    given = re.findall(r"\d+", q.question)
    for one in (found for found in EQUATION.finditer(steps) if found[4] not in given):
        wrong, rest = _off(one[4]), steps[one.end() :]
        for other in EQUATION.finditer(rest):
            for side in (1, 3):
                if other[side] == one[4]:
                    start, end = other.span(side)
                    return f"{steps[: one.start(4)]}{wrong}{rest[:start]}{wrong}{rest[end:]}"
    raise RuntimeError(f"{q.id}: no step uses another one's result")


def _garbled(q: Question) -> dict[str, str]:
    return {"question": re.sub(r"\d+|(?<=')\w+", lambda match: rf"\frc{{{match[0]}{{", q.question)}


PLANTS: dict[str, Change] = {  # the nineteen kinds, by their codes in our table of the taxonomy
    "Q1": _changed(AMBIGUOUS),
    "Q2": lambda q: {"question": f"{FALSE[q.category]} {q.question}"},
    "Q3": _changed(INCOMPLETE),
    "Q4": lambda q: {"question": f"{q.question} Give the result divided by 0."},
    "Q5": _garbled,
    "S1": _reasons(_twice),
    "S2": _reasons(_circle),
    "S3": _reasons(lambda q, steps: f"{FALSE[q.category]} {steps}"),
    "S4": _reasons(_contradicted),
    "S5": _reasons(lambda q, steps: f"{IRRELEVANT} {steps}"),
    "S6": _reasons(_doubtless),
    "S7": _reasons(lambda q, steps: steps.split(". ")[-1]),
    "S8": _reasons(_compensated),
    "S9": _reasons(lambda q, steps: f"{steps} It can also be done so: {q.extra['wrong']} Both ways are allowed."),
    "S10": _reasons(_unreadable),
    "A1": lambda q: {"answer": q.extra["wrong_answer"]},
    "A2": lambda q: {"answer": str(q.answer).split(" and ")[0]},
    "A3": _some_number,
    "A4": lambda q: {"answer": rf"$\frc{{{q.answer}}}{{$"},
}
