"""An exam of ours into which known defects of all nineteen kinds are put, two items a kind, beside sound ones.

    items, truths = damaged_exam()

The items are plain questions with key and rationale, and nothing in them tells what was done; the truths are kept
apart. Each item has one defect at most, in one component (HLE-Verified, section 3.5; the kinds are described in our
words in data/published/hle_verified/taxonomy.csv). The defects and their wording are ours.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from proctor.data.published import load_published
from proctor.data.schemas import Question
from proctor.generated.generate import generate

SEED = 20261122
PER_KIND, CONTROLS = 2, 12
COMPONENTS = ("problem", "answer", "rationale")


class Defect(StrEnum):
    """The nineteen kinds. `title` and `definition` are those of our table of the taxonomy (S3 by its own name)."""

    Q1 = "Q1"
    Q2 = "Q2"
    Q3 = "Q3"
    Q4 = "Q4"
    Q5 = "Q5"
    S1 = "S1"
    S2 = "S2"
    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S6 = "S6"
    S7 = "S7"
    S8 = "S8"
    S9 = "S9"
    S10 = "S10"
    A1 = "A1"
    A2 = "A2"
    A3 = "A3"
    A4 = "A4"

    @property
    def component(self) -> str:
        return {"Q": "problem", "S": "rationale", "A": "answer"}[self[0]]

    @property
    def title(self) -> str:
        return _taxonomy()[self]["name"]


@cache
def _taxonomy() -> dict[str, dict]:
    rows = load_published("hle_verified/taxonomy").to_dict("records")
    return {row["code"]: row for row in rows}


@dataclass(frozen=True)
class Truth:
    """What was done to an item. `sound` is the item before.

    `holds` says for each component whether it is sound; None where that is not defined: the key and the rationale of a
    problem that is broken, and a rationale whose key is.
    """

    id: str
    defect: Defect | None
    sound: Question

    @property
    def holds(self) -> dict[str, bool | None]:
        broken = self.defect.component if self.defect else None
        undefined = {"problem": ("answer", "rationale"), "answer": ("rationale",)}.get(broken, ())
        return {part: False if part == broken else None if part in undefined else True for part in COMPONENTS}


def damaged_exam(
    per_kind: int = PER_KIND, controls: int = CONTROLS, seed: int = SEED
) -> tuple[list[Question], dict[str, Truth]]:
    """The items, ordered by an id that tells nothing, and the truth of each by id.

    No two items share a base question. A larger exam of the same seed contains the smaller one. Raises ValueError for
    negative counts.
    """
    if per_kind < 0 or controls < 0:
        raise ValueError(f"per_kind {per_kind}, controls {controls}: give counts of 0 or more")
    pairs = [_pair(kind, turn, seed) for kind in RECIPES for turn in range(per_kind if kind else controls)]
    return ([item for item, _ in sorted(pairs, key=lambda pair: pair[0].id)], {item.id: truth for item, truth in pairs})


def _pair(kind: Defect | None, turn: int, seed: int) -> tuple[Question, Truth]:
    recipes = RECIPES[kind]
    recipe, again = recipes[turn % len(recipes)], turn // len(recipes)
    sharing = _sharing(recipe.family, recipe.level)  # recipes that draw from the same family and level take turns
    index = again * len(sharing) + sharing.index((kind, turn % len(recipes)))
    base = generate(seed, index + 1, [recipe.family], [recipe.level])[index]
    sound = base.model_copy(
        update={
            "id": f"v{zlib.crc32(f'{seed} {kind} {turn}'.encode()):08x}",
            "source": "proctor.hle_verified.planted_defects, version 1",
        }
    )
    if recipe.prepare:
        sound = sound.model_copy(update=recipe.prepare(sound))
    flawed = sound.model_copy(update=recipe.plant(sound)) if recipe.plant else sound
    if kind and flawed == sound:
        raise RuntimeError(f"{kind} left {base.id} as it was: fix its recipe")
    sound, flawed = (one.model_copy(update={"extra": {}}) for one in (sound, flawed))  # extra holds the wrong answer
    return flawed, Truth(flawed.id, kind, sound)


@cache
def _sharing(family: str, level: int) -> list[tuple[Defect | None, int]]:
    return [
        (kind, place)
        for kind, recipes in RECIPES.items()
        for place, recipe in enumerate(recipes)
        if (recipe.family, recipe.level) == (family, level)
    ]


# How each defect is put in: from the sound question to the fields that change

Change = Callable[[Question], dict[str, str]]


@dataclass(frozen=True)
class Recipe:
    family: str
    level: int
    plant: Change | None = None
    prepare: Change | None = None  # makes another sound question of the base first


_EQUATION = re.compile(r"(\d+(?: [x+] \d+)+) = (\d+)")


def _problem(pattern: str, new: str) -> Change:
    return lambda q: {"question": re.sub(pattern, lambda match: match.expand(new), q.question)}


def _answer(text: str) -> Change:
    return lambda q: {"answer": text.format(answer=q.answer, digits=len(q.answer))}


def _steps(q: Question, kind: str = "right") -> str:
    return q.extra[kind].rpartition(" The answer is ")[0]


def _reasons(rewrite: Callable[[Question, str], str]) -> Change:
    """A change of the steps; the closing sentence with the right answer stays."""
    return lambda q: {"rationale": f"{rewrite(q, _steps(q))} The answer is {q.answer}."}


def _before(sentence: str) -> Change:
    return _reasons(lambda q, steps: f"{sentence} {steps}")


def _doubtless(q: Question, steps: str) -> str:
    """The first equation with a result that is ten off, stated as certain."""
    return _EQUATION.sub(lambda match: f"{match[1]} = {int(match[2]) + 10} beyond any doubt", steps, count=1)


def _contradict(q: Question, steps: str) -> str:
    left, result = _EQUATION.search(steps).groups()
    at = steps.index(". ", steps.index(f"{left} = {result}"))
    return f"{steps[:at]}. So {left} = {int(result) + 10}.{steps[at + 1 :]}"


def _compensate(q: Question, steps: str) -> str:
    """Ten moved from one partial product to the other: both are wrong, and the sum is right."""

    def moved(match: re.Match) -> str:
        one, two = int(match[1]) - 10, int(match[3]) + 10
        return f"= {one} and {match[2]} = {two}. {one} + {two}"

    return re.sub(r"= (\d+) and (\d+ x \d+) = (\d+)\. \1 \+ \3", moved, steps)


def _garble(q: Question, steps: str) -> str:
    return steps.replace(" x ", r" \tmies{").replace(" = ", r" \eq_{ kg ").replace(" + ", r" \pls ")


def _both_ways(q: Question) -> dict[str, str]:
    """Ask for x # y and y # x: what the family's wrong method finds is the second."""
    x, y = re.search(r"What is (\d+) # (\d+)", q.question).groups()
    both = f"{q.answer} and {q.extra['wrong_answer']}"
    return {
        "question": q.question.replace(f"What is {x} # {y}?", f"What are {x} # {y} and {y} # {x}?"),
        "answer": both,
        "rationale": f"{_steps(q)} {_steps(q, 'wrong')} The answer is {both}.",
    }


def _area_too(q: Question) -> dict[str, str]:
    both = f"{q.answer} and {q.extra['wrong_answer']}"
    return {
        "question": q.question.replace(
            "is its perimeter in metres", "are its perimeter in metres and its area in square metres"
        ),
        "answer": both,
        "rationale": f"{_steps(q)} {_steps(q, 'wrong').replace('perimeter', 'area')} The answer is {both}.",
    }


def _first_part(q: Question) -> dict[str, str]:
    return {"answer": q.answer.split(" and ")[0]}


def _wrong(q: Question) -> dict[str, str]:
    return {"answer": q.extra["wrong_answer"]}


_TWICE = _reasons(
    lambda q, steps: (
        f"{steps} Once more: {steps} Times one it is {q.answer} x 1 = {q.answer}, and less "
        f"nothing it is {q.answer} - 0 = {q.answer}."
    )
)
_CIRCLE = _reasons(
    lambda q, steps: (
        f"It must be {q.answer}, since nothing but {q.answer} can be right. As it is "
        f"{q.answer}, it follows that it is {q.answer}."
    )
)
_SURE = _reasons(_doubtless)
_LAST = _reasons(lambda q, steps: steps.split(". ")[-1])
_OTHER_WAY = _reasons(lambda q, steps: f"{steps} It can also be done so: {q.extra['wrong']} Both ways are allowed.")

RECIPES: dict[Defect | None, tuple[Recipe, ...]] = {
    Defect.Q1: (
        Recipe("operation", 2, _problem(r"[()]", "")),
        Recipe("average", 1, _problem("the mean of", "the typical value of")),
    ),
    Defect.Q2: (
        Recipe("products", 1, _problem("^", "To multiply two numbers means to add them. ")),
        Recipe("comparing", 1, _problem("^", "A decimal with more digits after the point is larger. ")),
    ),
    Defect.Q3: (
        Recipe("perimeter", 1, _problem(r" and \d+ m wide", "")),
        Recipe("operation", 1, _problem(r"\+ \d+b", "plus some multiple of b")),
    ),
    Defect.Q4: (
        Recipe("perimeter", 1, _problem(r"and (\d+) m wide", r"and -\1 m wide")),
        Recipe("products", 1, _problem(r"\?", " divided by 0?")),
    ),
    Defect.Q5: (Recipe("sums", 1, _problem(r" \+ ", r" \\frc{")), Recipe("comparing", 1, _problem(", ", ""))),
    Defect.S1: (Recipe("products", 1, _TWICE), Recipe("sums", 1, _TWICE)),
    Defect.S2: (Recipe("comparing", 1, _CIRCLE), Recipe("operation", 1, _CIRCLE)),
    Defect.S3: (
        Recipe("products", 1, _before("The last digit of a number counts its hundreds.")),
        Recipe("perimeter", 1, _before("A rectangle has three sides, of which two are equal.")),
    ),
    Defect.S4: (Recipe("products", 2, _reasons(_contradict)), Recipe("operation", 2, _reasons(_contradict))),
    Defect.S5: (
        Recipe("sequences", 1, _before("This is a geometric sequence, so its rule gives the next term.")),
        Recipe("perimeter", 1, _before("By the theorem of Pythagoras, length and width can be added.")),
    ),
    Defect.S6: (Recipe("products", 1, _SURE), Recipe("operation", 1, _SURE)),
    Defect.S7: (Recipe("sequences", 1, _LAST), Recipe("average", 1, _LAST)),
    Defect.S8: (Recipe("products", 1, _reasons(_compensate)), Recipe("products", 2, _reasons(_compensate))),
    Defect.S9: (Recipe("sums", 1, _OTHER_WAY), Recipe("operation", 2, _OTHER_WAY)),
    Defect.S10: (Recipe("perimeter", 1, _reasons(_garble)), Recipe("products", 1, _reasons(_garble))),
    Defect.A1: (Recipe("sums", 2, _wrong), Recipe("products", 1, _wrong)),
    Defect.A2: (Recipe("operation", 1, _first_part, _both_ways), Recipe("perimeter", 1, _first_part, _area_too)),
    Defect.A3: (
        Recipe("sums", 2, _answer("a number with {digits} digits")),
        Recipe("products", 1, _answer("quite a large number")),
    ),
    Defect.A4: (Recipe("sums", 1, _answer(r"$\frc{{{answer}}}{{$")), Recipe("perimeter", 1, _answer("{answer} m^2"))),
    None: tuple(
        Recipe(family, level)
        for level in (1, 2)
        for family in (
            "sums",
            "products",
            "comparing",
            "sequences",
            "operation",
            "average" if level == 1 else "perimeter",
        )
    ),
}
