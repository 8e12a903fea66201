"""What a family draws, the helpers that all builders share, and common English words for questions about letters."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from numpy.random import Generator


@dataclass(frozen=True)
class Draft:
    """One drawn question. `options` are ten texts, the right one first and the wrong method's second.

    `right` and `wrong` are steps only; `generate` adds the closing sentence with the answer. `options_question`
    is asked instead of `question` where ten options need other words; empty where they do not. `extra` goes into
    the question's own extra fields.
    """

    question: str
    answer: str
    right: str
    wrong: str
    wrong_answer: str
    wrong_method: str
    options: tuple[str, ...]
    options_question: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


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


@dataclass(frozen=True)
class Family:
    """How to draw a question; `build` returns None where the drawn numbers will not do."""

    build: Callable[[int, Generator], Draft | None]
    transfers: bool
    why: str

    def make(self, level: int, rng: Generator) -> Draft:
        """Draw until the numbers will do and the wrong method misses the right answer."""
        if level not in (1, 2, 3):
            raise ValueError(f"level {level!r} does not exist: choose 1, 2 or 3")
        for _ in range(10_000):
            draft = self.build(level, rng)
            if draft is not None and draft.answer != draft.wrong_answer:
                return draft
        raise RuntimeError(f"{self.build.__name__}, level {level}: no usable numbers in 10000 draws; widen its ranges")


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
