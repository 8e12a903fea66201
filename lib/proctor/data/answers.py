"""Load candidate answers of one's own, one a row: .csv, .jsonl, .json or .parquet.

Pairs of model answers of which one is right: files in JudgeBench's format, as labelled answers.
"""

import difflib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from proctor.data.questions import load_questions, number_as_text, short_digest
from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError, Row, Wrong, made, needs, problem, read, read_rows, record, renamed

TRUTH = {"true": True, "1": True, "yes": True, "right": True, "correct": True}
TRUTH |= {"false": False, "0": False, "no": False, "wrong": False, "incorrect": False}
OUTCOMES = TRUTH | {"pass": True, "passed": True, "resolved": True, "solved": True}  # words for the score of an item
OUTCOMES |= {"fail": False, "failed": False, "unresolved": False, "unsolved": False}


def load_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> list[Answer]:
    """Answers of one file, in file order, with unique ids.

    Rows hold the fields of Answer: question_id and text are required; `correct` may be true or false, yes or no, 1 or
    0, or empty where nobody knows. `columns` says which column holds a field that has another name there: {"text":
    "response"}. Where a row has no id, one is made of its question, author, sample and text. Raises DataError with the
    first few problems and their count; a column that is no field is one, unless `columns` names it.
    """
    path = Path(path)
    return _answers(path, *read_rows(path), dict(columns or {}))


def load_asked(
    path: str | Path, questions: str | Path = "", columns: Mapping[str, str] | None = None
) -> tuple[list[Question], list[Answer]]:
    """Answers and the questions that they answer: those of the file `questions`, or of a column `question` beside each
    answer (and, if wanted, `key` and `category`). question_id is then made of the text where there is none.

    Raises DataError as `load_answers` does, and for an answer to a question that is not there.
    """
    path, columns = Path(path), dict(columns or {})
    if questions:
        asked, answers = load_questions(questions), load_answers(path, columns)
        known = {question.id for question in asked}
        if lost := next((answer for answer in answers if answer.question_id not in known), None):
            raise DataError(
                f"{path}: answer {lost.id} is to question {lost.question_id!r}, which {questions} does not have. "
                "Add the question, or leave the answer out."
            )
        return asked, answers
    rows, problems = read_rows(path)
    column = columns.pop("question", "question")
    if rows and not any(column in row for _, row in rows):
        raise DataError(
            f"{path}: no column {column}; there are {', '.join(rows[0][1])}. Write the question next to each answer "
            "(--column question=COLUMN if the column has another name), or name the file of questions."
        )
    found: dict[str, Question] = {}
    for number, row in rows:
        text, key, category = (str(row.pop(name, None) or "") for name in (column, "key", "category"))
        if not text.strip():
            problems.append(problem(path, number, column, "empty", "Write the question that the row answers"))
            continue
        name = columns.get("question_id", "question_id")
        row[name] = str(row.get(name) or f"q-{short_digest(text)}")
        question = Question(id=row[name], question=text, answer=key or None, category=category)
        if found.setdefault(row[name], question).question != text:
            problems.append(problem(path, number, name, f"{row[name]!r} has another question above", "Give it its own"))
    return list(found.values()), _answers(path, rows, problems, columns)


def _answers(path: Path, rows: list[Row], problems: list[str], columns: dict[str, str]) -> list[Answer]:
    fields = list(Answer.model_fields)
    unknown = {column for _, row in rows for column in row} - {*fields, *columns.values()}
    rows = renamed(path, rows, columns, fields)
    for column in sorted(unknown):
        near = difflib.get_close_matches(column, fields, n=1)
        mend = (
            f"Did you mean {near[0]}?"
            if near
            else f"Remove it, or name its field: --column FIELD={column}; fields are {', '.join(fields)}"
        )
        problems.append(problem(path, None, column, "unknown column", mend))
    once = ("id", lambda answer: answer.id, "id", "Give each answer its own")
    empty = "no answers in it. Give it at least one row."
    return made(path, rows if not problems else (), problems, lambda _, row: _answer(row), once, empty, columns)


def _answer(row: dict) -> Answer:
    fields = {field: row[field] for field in Answer.model_fields if row.get(field) not in (None, "")}
    needs(fields, "question_id", "text")
    fields |= {field: number_as_text(value) for field, value in fields.items() if field not in ("sample", "correct")}
    if isinstance(said := fields.get("correct"), str | int | float):
        word = str(number_as_text(said)).strip().casefold()
        if word not in TRUTH:
            raise Wrong(
                "correct", f"{said!r} is neither true nor false", f"Write one of {', '.join(TRUTH)}, or nothing"
            )
        fields["correct"] = TRUTH[word]
    if "id" not in fields:
        whole = [str(fields.get(field, "")) for field in ("question_id", "author", "sample", "text")]
        fields["id"] = f"{whole[0]}-{short_digest(chr(31).join(whole))}"
    return record(Answer, fields)


class Pair(BaseModel):
    """A row in JudgeBench's format. The better answer is the right one."""

    pair_id: str
    question: str
    response_A: str
    response_B: str
    label: Literal["A>B", "B>A"]
    source: str = ""
    response_model: str = ""


def load_pairs(path: str | Path) -> tuple[list[Question], list[Answer]]:
    """The questions, one a pair, and their two answers, `correct` known: of one .jsonl, or of every one in a folder.

    Answer ids are the pair's with -A or -B; which is right says nothing of its place. Raises DataError naming file,
    row, column and mend.
    """
    path = Path(path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no .jsonl file in it. Name a file, or the folder that holds them.")
    seen: dict[str, str] = {}

    def pair_of(file: Path, row: dict) -> Pair:
        needs(row, "pair_id", "question", "response_A", "response_B", "label", fix="Give every pair a text there")
        pair = record(Pair, row)
        if seen.setdefault(pair.pair_id, file.name) != file.name:
            raise Wrong("pair_id", f"{pair.pair_id} stands in {seen[pair.pair_id]} too", "Keep one")
        return pair

    once = ("pair_id", lambda pair: pair.pair_id, "pair_id", "Keep one")
    pairs = [pair for file in files for pair in read(file, partial(pair_of, file), "jsonl", once=once)]
    questions = [Question(id=pair.pair_id, question=pair.question, source=pair.source) for pair in pairs]
    answers = [
        Answer(
            id=f"{pair.pair_id}-{side}",
            question_id=pair.pair_id,
            text=getattr(pair, f"response_{side}"),
            author=pair.response_model,
            correct=pair.label.startswith(side),
        )
        for pair in pairs
        for side in "AB"
    ]
    return questions, answers
