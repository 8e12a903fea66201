"""Ten-option items of our own, by seed: plain ones with systematic errors as distractors, and sets of statements.

They have KINA's form, so everything that reads its items can be tried on them; their texts, and the slips behind the
wrong options, are ours. A plain item asks a question of `generated.generate`. A pseudo-multiple-choice item lists six
statements, some with the right answer of a question and some with its misconception's, and its options are sets of
them.
"""

import re
import zlib
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import numpy as np
from numpy.random import Generator

from proctor.data.schemas import LETTERS, Question
from proctor.generated.generate import FAMILIES, SEED, generate
from proctor.generated.worked import draw_integer, some
from proctor.kina.items import Item, Option, as_text, join_stem

SOURCE = "computed by proctor.generated.generate"
SPARES = 3  # wrong options or statements kept with an item, for a mechanical refiner
SET_DRAWS = 60  # sets of options drawn, of which the most even is taken

# What may go wrong after a right or a wrong method, each the same slip for any number.
SLIPS = {
    "counted one too far": lambda n: n + 1,
    "counted one too few": lambda n: n - 1,
    "counted two too far": lambda n: n + 2,
    "counted two too few": lambda n: n - 2,
    "counted three too far": lambda n: n + 3,
    "counted three too few": lambda n: n - 3,
    "carried a ten twice": lambda n: n + 10,
    "forgot to carry a ten": lambda n: n - 10,
    "carried a hundred twice": lambda n: n + 100 if n >= 100 else None,
    "forgot to carry a hundred": lambda n: n - 100 if n >= 100 else None,
    "swapped the last two digits": lambda n: n - n % 100 + n % 10 * 10 + n % 100 // 10 if n >= 10 else None,
    "wrote a zero too many": lambda n: 10 * n if 0 < n < 10 else None,
    "doubled the result": lambda n: 2 * n,
    "halved the result": lambda n: n // 2 if n % 2 == 0 else None,
}
STEPS = list(SLIPS)[:8]  # those that another one undoes


def plain_items(seed: int = SEED, per_level: int = 2, families: Iterable[str] | None = None) -> list[Item]:
    """One item for each generated question: the right answer, the misconception's, and eight slips from either.

    How many wrong options are smaller than the right one is drawn evenly as far as there are enough, so that its rank
    says little; each letter is right equally often, up to one block of ten items. Raises what `generate` raises.
    """
    questions = generate(seed, per_level, families)
    return [
        _plain(question, letter, _rng(seed, question.id))
        for question, letter in zip(questions, _letters(len(questions), _rng(seed, "plain letters")))
    ]


def pseudo_items(
    n: int = 10, seed: int = SEED, families: Iterable[str] | None = None, antichain: bool = True
) -> list[Item]:
    """n items of six statements, the families in turn; two to four of the statements are true, three most often.

    antichain: no option contains another. Without it the options keep only KINA's rule, that none is a proper subset of
    the right one, and a reader of the rule can strike every option that contains another. Raises
    what `generate` raises when a family has too few questions (nine an item).
    """
    names = list(FAMILIES if families is None else families)
    rounds = -(-n // len(names))
    by_family = {name: _questions(seed, 3 * rounds, name) for name in names[:n]}
    letters, items = _letters(n, _rng(seed, "pseudo letters")), []
    for i, letter in enumerate(letters):
        name, turn = names[i % len(names)], i // len(names)
        index = f"{name}-set-{turn + 1:02d}"
        mine = [q for q in by_family[name] if (int(q.id.rsplit("-", 1)[1]) - 1) // 3 == turn]
        items.append(_pseudo(index, mine, letter, _rng(seed, index), antichain))
    return items


@cache
def _questions(seed: int, per_level: int, name: str) -> list[Question]:
    return generate(seed, per_level, [name])


def _rng(seed: int, name: str) -> Generator:
    # A checksum of the name, as in generate: an item keeps its numbers when others are asked for.
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),)))


def _letters(n: int, rng: Generator) -> list[str]:
    """Right letters: in every ten items each letter once."""
    return [LETTERS[place] for _ in range(-(-n // len(LETTERS))) for place in rng.permutation(len(LETTERS))][:n]


def option(answer: str, explanation: str, source: str = "") -> Option:
    """An option whose letter is not given yet."""
    return Option(key="?", answer=answer, explanation=explanation, source=source)


def with_key(right: Option, wrong: list[Option], place: int) -> tuple[Option, ...]:
    """Options in letter order, the right one at `place`, the wrong ones as they come."""
    placed = [*wrong[:place], right, *wrong[place:]]
    return tuple(one.model_copy(update={"key": key}) for key, one in zip(LETTERS, placed, strict=True))


# Plain items


def _plain(question: Question, letter: str, rng: Generator) -> Item:
    extra = question.extra
    texts = extra["options"]
    right = texts[LETTERS.index(extra["letter"])]
    misled = texts[LETTERS.index(extra["wrong_letter"])]
    why = f"{extra['wrong_method']}."
    others, spare = _slipped(int(right), int(misled), extra["wrong_method"], rng)
    wrong = some(rng, [(misled, why), *others], 9)
    return Item(
        index=f"{question.id}-ten",
        discipline=question.category,
        question=extra["options_question"],
        options=with_key(
            option(right, question.rationale, SOURCE), [option(*pair) for pair in wrong], LETTERS.index(letter)
        ),
        correct_answer=letter,
        question_source=SOURCE,
        extra={
            "exact_id": question.id,
            "level": question.level,
            "misled": misled,
            "spare_options": [list(pair) for pair in spare],
        },
    )


def _slipped(right: int, misled: int, method: str, rng: Generator) -> tuple[list, list]:
    """Eight wrong numbers with what went wrong, and a few more of them: slips after the right and the wrong method."""
    pool: dict[int, str] = {}
    for start, before in ((right, ""), (misled, f"{method}, and then ")):
        # If all slips started from the right number, it would be the middle of the options.
        steps = [slip for slip in STEPS if SLIPS[slip](start) >= 0]
        first = [*steps, ""][draw_integer(rng, 0, len(steps))]
        if first:
            start, before = SLIPS[first](start), f"{before}{first}, and then "
            pool[start] = f"{before.removesuffix(', and then ')}."
        pool |= _slips(start, before)
    if len(pool.keys() - {right, misled}) < 8:  # small numbers have few others near them
        pool |= _slips(right, "") | _slips(misled, f"{method}, and then ")
    if len(pool.keys() - {right, misled}) < 8:  # and 0, 1 and 2 fewer yet: a slip after each slip
        after = [_slips(value, f"{why.removesuffix('.')}, and then ") for value, why in pool.items()]
        pool = {value: why for made in after for value, why in made.items()} | pool
    pool = {value: why for value, why in pool.items() if value not in (right, misled)}
    smaller, larger = (some(rng, [n for n in pool if below == (n < right)], len(pool)) for below in (True, False))
    few = draw_integer(rng, max(0, 8 - len(larger)), min(8, len(smaller)))
    taken, rest = smaller[:few] + larger[: 8 - few], smaller[few:] + larger[8 - few :]
    return tuple([(str(n), pool[n]) for n in numbers] for numbers in (taken, rest[:SPARES]))


def _slips(start: int, before: str) -> dict[int, str]:
    """What each slip makes of a number, where it can be made, with what has happened."""
    made = {slip: apply(start) for slip, apply in SLIPS.items()}
    return {value: f"{before}{slip}." for slip, value in made.items() if value is not None and value >= 0}


# Sets of statements


def _pseudo(index: str, questions: list[Question], letter: str, rng: Generator, antichain: bool) -> Item:
    """Six of the nine questions become statements, the other three are spare, all false."""
    questions = [questions[i] for i in rng.permutation(len(questions))]
    six, spare = questions[:6], questions[6 : 6 + SPARES]
    true = (2, 2, 3, 3, 3, 3, 4, 4)[draw_integer(rng, 0, 7)]
    right = frozenset(some(rng, range(1, 7), true))
    listed = [
        _statement(q, q.answer if number in right else q.extra["wrong_answer"]) for number, q in enumerate(six, 1)
    ]
    false = [
        f"{number} is false ({q.extra['wrong_method']}; it is {q.answer})"
        for number, q in enumerate(six, 1)
        if number not in right
    ]
    ten = set_options(right, 6, rng, antichain=antichain)
    return Item(
        index=index,
        discipline=questions[0].category,
        question=join_stem("Which of these statements are true?", listed),
        options=with_key(
            option(as_text(right), f"True are {as_text(right)}; {'; '.join(false)}.", SOURCE),
            [option(as_text(chosen), off(chosen, right)) for chosen in ten[1:]],
            LETTERS.index(letter),
        ),
        correct_answer=letter,
        question_source=SOURCE,
        extra={
            "exact_ids": [q.id for q in six],
            "antichain": antichain,
            "spare_statements": [_statement(q, q.extra["wrong_answer"]) for q in spare],
        },
    )


def _statement(question: Question, value: str) -> str:
    asked = re.sub(r"\s+Answer with [^.]*\.$", "", question.question)
    return f'"{asked}" has the answer {value}.'


def off(chosen: frozenset[int], right: frozenset[int]) -> str:
    """What is wrong with a set of statements."""
    parts = [
        f"takes {as_text(chosen - right)} for true" if chosen - right else "",
        f"leaves out {as_text(right - chosen)}" if right - chosen else "",
    ]
    return f"{' and '.join(filter(None, parts))}."


def set_options(right: frozenset[int], n: int, rng: Generator, *, antichain: bool = True) -> list[frozenset[int]]:
    """Ten sets of statements 1 to n, the right one first: none a proper subset of it, two to five of its size.

    At most five have one size, and sizes lie within two of each other. Of SET_DRAWS such draws the one is taken in
    which the statements occur most evenly. antichain: no option contains another. Raises ValueError when n statements
    have no ten such sets.
    """
    middle = min(max(n // 2, len(right) - 1, 2), len(right) + 1, n - 2)
    pool = [
        frozenset(chosen)
        for size in (middle - 1, middle, middle + 1)
        for chosen in combinations(range(1, n + 1), size)
        if not frozenset(chosen) <= right and not (antichain and frozenset(chosen) > right)
    ]
    best, least = None, None
    for _ in range(SET_DRAWS):
        ten = [right]
        for place in rng.permutation(len(pool)):
            new = pool[place]
            room = sum(len(old) == len(new) for old in ten) < 5
            if room and not (antichain and any(old < new or new < old for old in ten)):
                ten.append(new)
            if len(ten) == 10 and sum(len(chosen) == len(right) for chosen in ten) > 1:
                uneven = np.ptp([sum(number in chosen for chosen in ten) for number in range(1, n + 1)])
                if least is None or uneven < least:
                    best, least = ten, uneven
                break
    if best is None:
        raise ValueError(f"right set {sorted(right)} of {n} statements: no ten sets fit; give more statements")
    return best
