"""KINA's ten-option items: the rules of their form. `problems(item)` says in plain words what breaks one.

The review gives the manual in pieces. What it names is a rule here; the numbers that it leaves open (what stands out,
how even is balanced) are ours, and named below. `item_refinement` fixes what the rules find.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from proctor.data.schemas import LETTERS
from proctor.exam import answer_match
from proctor.kina.generated_items import as_text
from proctor.kina.items import Item, statements

STATEMENTS = 6  # KINA, E.3: at least, in a pseudo-multiple-choice item
STANDS_OUT, LONGER = 1.5, 5  # ours: the right option is so many times, and characters, longer or shorter than others
SPREAD = 2  # ours: sizes of sets within an item differ by at most this

_THING = r"(?:figure|diagram|graph|chart|table|image|picture|passage|text|excerpt|section|chapter|example|equation)s?"
_LEANS = re.compile(
    "|".join(
        [
            rf"\b{_THING}\s+(?:above|below|shown|given|provided|overleaf)\b",
            rf"\b(?:above|preceding|previous|accompanying|attached)\s+{_THING}\b",
            r"\bfollowing\s+(?:figure|diagram|graph|chart|image|picture)s?\b",
            r"\b(?:Figure|Fig\.|Table|Chapter|Section|Equation|Eq\.|Appendix|Lecture)\s+\(?\d+",
            r"\bas\s+(?:discussed|mentioned|shown|stated|described|seen|noted)\s+(?:above|earlier|before|in\s+class)\b",
            r"\baccording\s+to\s+(?:the|this)\s+(?:passage|text|author|paper|article|book|lecture|textbook|material)\b",
            r"\b(?:the|this)\s+(?:paper|article|passage|lecture|textbook|chapter)(?:['’]s)?\b",
        ]
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Problem:
    """What is wrong, by the name of a rule or of what only a reader sees, and why."""

    rule: str
    text: str


def problems(item: Item) -> list[Problem]:
    """The rules that an item breaks, in the order in which they are fixed; [] if none."""
    return [Problem(rule, text) for rule, check in RULES.items() for text in check(item)]


# The rules: each takes an item and says what is wrong with it


def _options(item: Item) -> list[str]:
    keys = "".join(option.key for option in item.options)
    if len(item.options) != len(LETTERS):
        return [f"{len(item.options)} options: give ten"]
    return [] if keys == LETTERS else [f"options are keyed {keys}: key them A to J in order"]


def _distinct(item: Item) -> list[str]:
    texts = item.sets or [plain_value(option.answer) for option in item.options]
    first: dict = {}
    return [
        f"{option.key} says the same as {first[text]}: replace one"
        for option, text in zip(item.options, texts)
        if first.setdefault(text, option.key) != option.key
    ]


def plain_value(text: str) -> str:
    text = answer_match.plain_text(text)
    return f"{float(text):g}" if re.fullmatch(r"-?\d{1,15}(\.\d{1,6})?", text) else text


def _statements(item: Item) -> list[str]:
    if not item.sets:
        return []
    n = len(statements(item.question))
    unknown = sorted(frozenset().union(*item.sets) - set(range(1, n + 1)))
    few = [f"{n} statements: a pseudo-multiple-choice item rests on at least {STATEMENTS}"] if n < STATEMENTS else []
    return few + ([f"options name statements {as_text(unknown)}, and there are {n}"] if unknown else [])


def _subset(item: Item) -> list[str]:
    by_key = dict(zip((option.key for option in item.options), item.sets))
    return [
        f"{key} ({as_text(chosen)}) is a proper subset of the right option: whoever marks it says nothing wrong"
        for key, chosen in by_key.items()
        if chosen < by_key[item.correct_answer]
    ]


def _balance(item: Item) -> list[str]:
    if not item.sets:
        long, others = len(item.right.answer), [len(option.answer) for option in item.wrong]
        if long >= max(STANDS_OUT * max(others), max(others) + LONGER):
            return [f"the right option has {long} characters, no other more than {max(others)}: it stands out"]
        if long <= min(min(others) / STANDS_OUT, min(others) - LONGER):
            return [f"the right option has {long} characters, no other fewer than {min(others)}: it stands out"]
        return []
    sizes = [len(chosen) for chosen in item.sets]
    own = sizes[[option.key for option in item.options].index(item.correct_answer)]
    said = [] if sizes.count(own) > 1 else [f"the right option alone selects {own} statements: it stands out"]
    if max(sizes) - min(sizes) > SPREAD:
        said.append(f"options select {min(sizes)} to {max(sizes)} statements: keep sizes within {SPREAD} of each other")
    return said


def _stem(item: Item) -> list[str]:
    found = None if item.question_material else _LEANS.search(item.question)
    return [f'the stem leans on what is not there ("{found.group()}"): put it into the stem'] if found else []


def _explanation(item: Item) -> list[str]:
    return [] if item.right.explanation.strip() else ["the right option has no explanation"]


def _source(item: Item) -> list[str]:
    sources = [item.question_source, *(option.source for option in item.options)]
    return [] if any(map(str.strip, sources)) else ["no source is named, neither of the question nor of an option"]


RULES: dict[str, Callable[[Item], list[str]]] = {
    "statements": _statements,
    "options": _options,
    "distinct": _distinct,
    "subset": _subset,
    "balance": _balance,
    "stem": _stem,
    "explanation": _explanation,
    "source": _source,
}
