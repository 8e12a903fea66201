"""KINA's items in their official form: a JSON array of ten-option items with explanations and sources.

`questions.load_questions` reads the same file as questions to be asked. Here an item keeps what its writers must
deliver with the question, so that `kina.item_rules` can say which rules it breaks. The loader refuses only what is
not an item. A wrong number of options, for example, is left to the rules.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, model_validator

from proctor.data.schemas import Record
from proctor.data.tabular import FIXES, needs, read, record

REQUIRED = ("index", "discipline", "question", "options", "correct_answer")
OPTIONAL = ("question_source", "question_material")


class Option(Record):
    """One option. `explanation` says why it is right or wrong, `source` where that can be read."""

    key: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    explanation: str = ""
    source: str = ""


class Item(Record):
    """One item of the benchmark. `question_material` is what the stem may refer to; `extra` holds all other columns."""

    index: str = Field(min_length=1)
    discipline: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: tuple[Option, ...]
    correct_answer: str
    question_source: str = ""
    question_material: str = ""
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
    return read(path, _item, once=once, empty="no items in it. Give it at least one row.")


def _item(row: dict) -> Item:
    needs(row, *REQUIRED)
    known = {name: row[name] for name in REQUIRED + OPTIONAL if row.get(name) is not None}
    if type(known["index"]) is int:
        known["index"] = str(known["index"])
    if isinstance(known["options"], list):
        known["options"] = [
            {name: value for name, value in option.items() if value is not None} if isinstance(option, dict) else option
            for option in known["options"]
        ]
    extra = {name: value for name, value in row.items() if name not in REQUIRED + OPTIONAL}
    return record(Item, known | {"extra": extra}, _FIXES, lambda field: field or "options and correct_answer")
