"""Worked solutions with one operation a step, which a program writes, checks and spoils.

A `Problem` is a question and the steps that solve it. Each step applies one operation to two numbers: numbers of the
question, constants, or results of earlier steps. From this come the right solution in two wordings, wrong solutions
with one planted slip each (`spoil`). A family is a function that draws a problem of a level, or None where the drawn
numbers will not do.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import chain, zip_longest

from numpy.random import Generator

OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "x": lambda a, b: a * b, "/": lambda a, b: a // b}
EQUATION = re.compile(r"(\d+) ([-+x/]) (\d+) = (\d+)")
_STEP = re.compile(r"(\w[\w ]*) = (\w[\w ]*?) ([-+x/]) (\w[\w ]*): ([^;]+)(?:; (.+))?")
WRONG_SOLUTIONS = 3  # of each question
SLIPS = ("wrong result", "wrong operation", "number misread", "wrong number taken", "step left out")
# The size of these slips is drawn even where no slip of the kind is needed, so that the random numbers after it stay.
DRAWN = ("wrong result", "number misread")


@dataclass(frozen=True)
class Step:
    """One operation. `left` and `right`: a number, or the name of a number of the question or of an earlier step.

    `says` tells what is computed, and `again` in other words; without these the second wording is "Next, ...". wrong: a
    result that is put in place of the right one.
    """

    name: str
    left: str | int
    operator: str
    right: str | int
    says: str
    again: str = ""
    wrong: int | None = None


@dataclass(frozen=True)
class Line:
    """A step carried out: whole numbers only."""

    step: Step
    left: int
    right: int
    value: int

    def text(self, again: bool = False) -> str:
        says = self.step.says
        words = self.step.again or f"Next, {says[0].lower()}{says[1:]}" if again else says
        return f"{words}: {self.left} {self.step.operator} {self.right} = {self.value}."

    @property
    def equation(self) -> tuple[str, list[int], int]:
        """Operator, numbers and result; two factors or summands may stand in either order."""
        numbers = [self.left, self.right]
        return self.step.operator, sorted(numbers) if self.step.operator in "+x" else numbers, self.value


@dataclass(frozen=True)
class Problem:
    """A question, the numbers that it gives by name, and the steps that solve it; the last one is the answer."""

    question: str
    given: Mapping[str, int]
    steps: tuple[Step, ...]

    @cached_property
    def lines(self) -> list[Line]:
        """The steps carried out."""
        return carry_out(self.steps, self.given)

    @property
    def answer(self) -> int:
        return self.lines[-1].value


Family = Callable[[int, Generator], Problem | None]


def asks(*texts: str) -> Callable[[Callable[[int, Generator], dict | None]], Family]:
    """Makes a family of a function that draws the numbers of its problems, by the text of each level.

    A text holds its question, then one line per step: `name = left operator right: says`, or `...: says; again`. A line
    of three points stands for all steps of the text before, `... 2` for the first two of them. What is in braces is
    filled in from what was drawn, which may be steps too; the numbers among that are those that the question gives. One
    text is that of every level.

    >>> @asks('''What do {n} pens at {price} cents cost, and {n} pads at twice as much?
    ...     pens = n x price: The pens cost; For the pens
    ...     all = pens x 3: With the pads''')
    ... def pens(level, rng):
    ...     return {"n": 3, "price": 40}
    >>> pens(1, None).question
    'What do 3 pens at 40 cents cost, and 3 pads at twice as much?'
    >>> written(pens(1, None).lines, again=True)
    'For the pens: 3 x 40 = 120. Next, with the pads: 120 x 3 = 360.'
    """
    levels: list[list[str]] = [[]]
    for text in texts:
        before, levels = [line for line in levels[-1] if _STEP.fullmatch(line)], [*levels, []]
        for line in map(str.strip, text.splitlines()):
            first = int(line[3:] or len(before)) if line.startswith("...") else 0
            levels[-1] += before[:first] or [line]

    def family(draw: Callable[[int, Generator], dict | None]) -> Family:
        @wraps(draw)
        def build(level: int, rng: Generator) -> Problem | None:
            numbers = draw(level, rng)
            return None if numbers is None else _filled(levels[level if len(texts) > 1 else 1], numbers)

        return build

    return family


def _filled(lines: list[str], drawn: Mapping[str, int | str]) -> Problem:
    question, steps = [], []
    for line in "\n".join(lines).format(**drawn).splitlines():
        if found := _STEP.fullmatch(line):
            name, left, operator, right, says, again = found.groups("")
            left, right = (int(operand) if operand.isdecimal() else operand for operand in (left, right))
            steps.append(Step(name, left, operator, right, says, again))
        else:
            question.append(line)
    given = {name: value for name, value in drawn.items() if isinstance(value, int)}
    return Problem(" ".join(question), given, tuple(steps))


@dataclass(frozen=True)
class Slip:
    """A wrong solution: its lines, the kind of slip (one of SLIPS) and `at`, the number of its first wrong line."""

    lines: tuple[Line, ...]
    kind: str
    at: int

    @property
    def answer(self) -> int:
        return self.lines[-1].value


def carry_out(steps: Sequence[Step], given: Mapping[str, int]) -> list[Line]:
    """The steps with their numbers. Raises ValueError where a step gives no whole number of at least 0."""
    known, lines = dict(given), []
    for step in steps:
        left, right = (number if isinstance(number, int) else known[number] for number in (step.left, step.right))
        whole = step.operator != "/" or (right > 0 and left % right == 0)
        value = step.wrong if step.wrong is not None else OPERATIONS[step.operator](left, right) if whole else -1
        if value < 0:
            raise ValueError(f"step {step.name!r}: {left} {step.operator} {right} is no whole number of at least 0")
        known[step.name] = value
        lines.append(Line(step, left, right, value))
    return lines


def written(lines: list[Line] | tuple[Line, ...], again: bool = False) -> str:
    """The lines as text, a sentence each, in the first wording or in the other one."""
    return " ".join(line.text(again) for line in lines)


def spoil(problem: Problem, rng: Generator, count: int = 3) -> list[Slip]:
    """Up to `count` wrong solutions with one slip each: of different kinds as far as there are, no answer twice.

    Every later step is carried out rightly on the wrong number, so that a reader who follows the steps arrives at
    the wrong answer. The order of kinds is drawn, so that no kind is always the first.
    """
    found: list[Slip] = []
    taken = {problem.answer}
    for again in range(2):  # the second time round a kind may come back, if there were too few
        for kind in some(rng, SLIPS, len(SLIPS)):
            needed = len(found) < count and (again or kind not in {slip.kind for slip in found})
            if needed or kind in DRAWN:
                changed = [_changed(problem, kind, place, rng) for place in range(len(problem.lines))]
            if needed:
                if slips := [slip for slip in _slips(problem, kind, chain(*changed)) if slip.answer not in taken]:
                    found.append(slips[int(rng.integers(len(slips)))])
                    taken.add(found[-1].answer)
    return found


def _slips(problem: Problem, kind: str, changed: Iterable[Sequence[Step]]) -> Iterator[Slip]:
    """The slips among these changed steps: they can be carried out, and one is not that of the solution."""
    for steps in changed:
        try:
            lines = carry_out(steps, problem.given)
        except ValueError:
            continue  # what comes after would be negative or no whole number
        for at, (right, line) in enumerate(zip_longest(problem.lines, lines), 1):
            if line is None or line.equation != right.equation:
                yield Slip(tuple(lines), kind, at)
                break


def _changed(problem: Problem, kind: str, place: int, rng: Generator) -> list[Sequence[Step]]:
    """The steps with each way in which this one can go wrong; for a wrong result or number one drawn size."""
    before, line, after = problem.steps[:place], problem.lines[place], problem.steps[place + 1 :]
    step, changes = line.step, list[dict]()
    if kind == "wrong result":
        gap = 10 ** int(rng.integers(0, max(1, len(str(line.value)) - 1))) * (1 if rng.random() < 0.5 else -1)
        changes = [dict(wrong=max(0, line.value + gap))]
    elif kind == "wrong operation":
        changes = [dict(operator=other) for other in {"+": "-", "-": "+", "x": "+", "/": "-"}[step.operator]]
    elif kind == "number misread":
        sides = [side for side in ("left", "right") if getattr(step, side) in problem.given]
        changes = [{side: _misread(getattr(line, side), rng)} for side in sides]
    elif kind == "wrong number taken":
        earlier = [*problem.given, *(other.name for other in before)]
        sides = [side for side in ("left", "right") if isinstance(getattr(step, side), str)]
        changes = [{side: other} for side in sides for other in earlier if other not in (step.left, step.right)]
    elif after:  # left out: later steps read a number of this one for its result; the last one only ends too early
        swaps = [{step.name: number} for number in (step.left, step.right)]
        return [(*before, *(_with(s, swap) for s in after)) for swap in swaps]
    return [(*before, replace(step, **change), *after) for change in changes]


def _with(step: Step, swap: Mapping[int | str, int | str]) -> Step:
    """The step with other operands; itself where it has none of those."""
    left, right = swap.get(step.left, step.left), swap.get(step.right, step.right)
    return step if (left, right) == (step.left, step.right) else replace(step, left=left, right=right)


def _misread(number: int, rng: Generator) -> int:
    """Two digits swapped where that changes the number, else one more or one less."""
    digits = str(number)
    swapped = int(digits[1] + digits[0] + digits[2:]) if len(digits) > 1 and digits[1] != "0" else number
    return swapped if swapped != number else number + (1 if number < 3 or rng.random() < 0.5 else -1)


# Families, and the helpers that all builders share


def draw_integer(rng: Generator, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(rng.integers(low, high, endpoint=True))


def some(rng: Generator, pool, n: int) -> list:
    """n different members of the pool, in random order; the pool is sorted first so that sets are safe."""
    pool = sorted(pool)
    return [pool[i] for i in rng.permutation(len(pool))[:n]]


def number_options(answer: int, wrong: int, rng: Generator) -> tuple[str, ...]:
    """Ten whole numbers: the answer, the wrong method's and slips in one digit place of either.

    How many of them are smaller than the answer is drawn evenly, so that its rank gives nothing away.
    """
    gaps = [digit * 10**place for place in range(max(1, len(str(answer)) - 1)) for digit in range(1, 10)]
    slips = {base + sign * gap for base in (answer, wrong) for gap in gaps for sign in (-1, 1)} - {answer, wrong}
    smaller = some(rng, {n for n in slips if 0 <= n < answer}, draw_integer(rng, 0, 8))
    larger = some(rng, {n for n in slips if n > answer}, 8 - len(smaller))
    return tuple(str(n) for n in (answer, wrong, *smaller, *larger))


def named(*builders: Family) -> dict[str, Family]:
    """The families by name."""
    return {build.__name__: build for build in builders}


def running(names: list[str], first: str, then: str) -> str:
    """The steps that add up the numbers of these names one by one."""
    lines = [f"sum 1 = {names[0]} + {names[1]}: {first}"]
    lines += [f"sum {i} = sum {i - 1} + {name}: {then}" for i, name in enumerate(names[2:], 2)]
    return "\n".join(lines)


# No letter twice, seven to ten letters: every place has one letter and every letter one place.
DISTINCT = (
    "article background balcony birthday blacksmith blanket boundaries capture chemistry clipboard complex "
    "computer country cupboard dangerous daughter document dolphins drawing duplicate education elastic "
    "factory farmhouse flamingo formula glimpse harvest history hospital industry journey justice "
    "keyboard kingdom machine machinery mailbox monkeys neighbours network outbreak outside pathfinder "
    "picture platform question quickly rainbow republic sandwich scramble shoulder spectrum sunlight "
    "thunder triangle uniform universal vineyard walking wonderful workplace"
).split()

# At least one double letter.
DOUBLED = (
    "address arrow assess baboon balloon bamboo banner beginning between blossom bubble business butter "
    "cabbage cheese cinnamon classes coffee committee cotton dinner dresses eighteen employee engineer "
    "football freeze glasses grass hammer kitten lessons letter lettuce mirror needle pepper pioneer "
    "pillow possess pretty puppet rabbit referee referred sessions spoon success summer sweets tattoo "
    "teenager tennis tomorrow tunnel volunteer yellow"
).split()
