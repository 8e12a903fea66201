"""KINA's ten-option items, with explanations and sources, and the rules of their form: `problems(item)`.

`questions.load_questions` reads the same file, a JSON array, as questions to be asked. Here an item keeps what its
writers must deliver with the question. The loader refuses only what is not an item. A wrong number of options, for
example, is left to the rules.

The review gives the manual in pieces. What it names is a rule here; the numbers that it leaves open (what stands out,
how even is balanced) are ours, and named below. `item_refinement` fixes what the rules find.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from proctor.data.schemas import LETTERS, Record
from proctor.data.tabular import FIXES, needs, read, record
from proctor.exam import answer_match

REQUIRED = ("index", "discipline", "question", "options", "correct_answer")
Text = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]  # it may be missing, null or empty


class Option(Record):
    """One option. `explanation` says why it is right or wrong, `source` where that can be read."""

    key: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    explanation: Text = ""
    source: Text = ""


class Item(Record):
    """One item of the benchmark. `question_material` is what the stem may refer to; `extra` holds all other columns."""

    index: str = Field(min_length=1)
    discipline: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: tuple[Option, ...]
    correct_answer: str
    question_source: Text = ""
    question_material: Text = ""
    extra: dict = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_right_option(self):
        keys = [option.key for option in self.options]
        if len(keys) < 2:
            raise ValueError(f"{len(keys)} options: nothing to choose from")
        if len(set(keys)) < len(keys):
            raise ValueError(f"the keys are {', '.join(keys)}: give each option one of its own")
        if self.correct_answer not in keys:
            raise ValueError(f"correct_answer {self.correct_answer!r} is none of the keys {', '.join(keys)}")
        return self

    def but(self, **fields) -> "Item":
        """The same item with other values of some fields."""
        return self.model_copy(update=fields)

    @property
    def sets(self) -> list[frozenset[int]]:
        """The statements that each option selects, in the options' order; [] for an item that is not of sets."""
        found = [selected(option.answer) for option in self.options]
        asks = len(statements(self.question)) > 1 or "statement" in self.question.lower()
        return found if asks and None not in found else []

    @property
    def right(self) -> Option:
        return next(option for option in self.options if option.key == self.correct_answer)

    @property
    def wrong(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if option.key != self.correct_answer)


# Pseudo-multiple choice: numbered statements in the stem, and options that are sets of their numbers

_MARKS = (re.compile(r"^[ \t]*\(?(\d{1,2})[.)]\s+", re.MULTILINE), re.compile(r"(?:^|\s)\((\d{1,2})\)\s+"))
_NUMBER = r"\(?\d{1,2}\)?"
_SET = re.compile(
    rf"(?:(?:only|statements?)\s+)*{_NUMBER}(?:(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_NUMBER})*", re.IGNORECASE
)


def split_stem(question: str) -> tuple[str, list[str]]:
    """What stands before the numbered statements, and these: lines that begin 1., 2. ..., or (1), (2) ... in a line."""
    for mark in _MARKS:
        found = []
        for match in mark.finditer(question):
            if int(match.group(1)) == len(found) + 1:  # a number out of turn belongs to a statement's text
                found.append(match)
        if len(found) > 1:
            ends = [match.start() for match in found[1:]] + [len(question)]
            return (
                question[: found[0].start()].strip(),
                [question[match.end() : end].strip() for match, end in zip(found, ends)],
            )
    return question.strip(), []


def join_stem(lead: str, listed: Sequence[str]) -> str:
    """The stem that `split_stem` takes apart, a statement a line."""
    return "\n".join([lead, *(f"{number}. {text}" for number, text in enumerate(listed, 1))])


def statements(question: str) -> list[str]:
    return split_stem(question)[1]


def selected(answer: str) -> frozenset[int] | None:
    """The numbers of an option such as "1, 3 and 6"; None for any other text."""
    text = answer.strip().rstrip(".")
    return frozenset(map(int, re.findall(r"\d+", text))) if _SET.fullmatch(text) else None


def as_text(chosen: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(chosen)))


_FIXES = FIXES | dict.fromkeys(("tuple_type", "model_type"), "Write options as a list of {key, answer}")
_FIXES |= {
    "value_error": "Correct the options or the letter",
    "extra_forbidden": "Remove it: an option has key, answer, explanation, source",
}


def load_items(path: str | Path) -> list[Item]:
    """Items of a .json array (or a .jsonl), in file order, with unique indices.

    An optional text may be missing, null or empty; a column that the format does not know goes to `extra`. The whole
    file is checked before anything is returned. Raises DataError naming file, row, column and fix.
    """
    once = ("index", lambda item: item.index, "index", "Give each item its own")
    names = {"": "options and correct_answer"}  # what no single field has wrong
    return read(path, _item, once=once, empty="no items in it. Give it at least one row.", names=names)


def _item(row: dict) -> Item:
    needs(row, *REQUIRED)
    fields = Item.model_fields.keys() - {"extra"}
    known = {name: value for name, value in row.items() if name in fields}
    if type(known["index"]) is int:
        known["index"] = str(known["index"])
    extra = {name: value for name, value in row.items() if name not in fields}
    return record(Item, known | {"extra": extra}, _FIXES)


# The rules of form

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
    return [Problem(rule, text) for broken in (_form, _balance, _texts) for rule, text in broken(item)]


def _form(item: Item) -> Iterator[tuple[str, str]]:
    """Statements there, ten options keyed A to J, each different, none a proper subset of the right one."""
    sets, keys, n = item.sets, [option.key for option in item.options], len(statements(item.question))
    if sets and n < STATEMENTS:
        yield "statements", f"{n} statements: a pseudo-multiple-choice item rests on at least {STATEMENTS}"
    if unknown := sorted(frozenset().union(*sets) - set(range(1, n + 1))):
        yield "statements", f"options name statements {as_text(unknown)}, and there are {n}"
    if len(keys) != len(LETTERS):
        yield "options", f"{len(keys)} options: give ten"
    elif "".join(keys) != LETTERS:
        yield "options", f"options are keyed {''.join(keys)}: key them A to J in order"
    first: dict = {}
    for key, said in zip(keys, sets or [plain_value(option.answer) for option in item.options]):
        if first.setdefault(said, key) != key:
            yield "distinct", f"{key} says the same as {first[said]}: replace one"
    for key, chosen in zip(keys, sets):
        if chosen < sets[keys.index(item.correct_answer)]:
            why = "is a proper subset of the right option: whoever marks it says nothing wrong"
            yield "subset", f"{key} ({as_text(chosen)}) {why}"


def _balance(item: Item) -> Iterator[tuple[str, str]]:
    """Nothing stands out by its length, or by how many statements it selects."""
    if not item.sets:
        long, others = len(item.right.answer), [len(option.answer) for option in item.wrong]
        said = f"the right option has {long} characters, no other"
        if long >= max(STANDS_OUT * max(others), max(others) + LONGER):
            yield "balance", f"{said} more than {max(others)}: it stands out"
        elif long <= min(min(others) / STANDS_OUT, min(others) - LONGER):
            yield "balance", f"{said} fewer than {min(others)}: it stands out"
        return
    sizes = [len(chosen) for chosen in item.sets]
    own, least, most = sizes[item.options.index(item.right)], min(sizes), max(sizes)
    if sizes.count(own) == 1:
        yield "balance", f"the right option alone selects {own} statements: it stands out"
    if most - least > SPREAD:
        yield "balance", f"options select {least} to {most} statements: keep sizes within {SPREAD} of each other"


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    """A stem that stands alone, an explanation of the right option, a source."""
    if not item.question_material and (found := _LEANS.search(item.question)):
        yield "stem", f'the stem leans on what is not there ("{found.group()}"): put it into the stem'
    if not item.right.explanation.strip():
        yield "explanation", "the right option has no explanation"
    if not any(source.strip() for source in (item.question_source, *(option.source for option in item.options))):
        yield "source", "no source is named, neither of the question nor of an option"


def plain_value(text: str) -> str:
    text = answer_match.plain_text(text)
    return f"{float(text):g}" if re.fullmatch(r"-?\d{1,15}(\.\d{1,6})?", text) else text
