"""Write questions as the papers' public files have them, so that what is written reads back equal."""

import json
from collections.abc import Sequence
from pathlib import Path

from proctor.data.questions import FORMATS, load_questions
from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.files import write_atomic


def write_questions(path: str | Path, questions: Sequence[Question], format: str = "jsonl") -> None:
    """Questions as .jsonl: `hle`, `uq`, `hle_verified` for the papers' columns, `jsonl` for the fields of Question.

    What is written is read back before the file is there. Raises DataError naming a question that the format has no
    columns for (UQ has no options, HLE-Verified wants Verified_Classes), and for a path that is no .jsonl.
    """
    path, rows = Path(path), _ROWS.get(format)
    if rows is None or path.suffix != ".jsonl":
        raise DataError(f"{path}, format {format!r}: write a .jsonl, in one of {', '.join(_ROWS)}.")
    lines = []
    for question in questions:
        try:
            lines.append(json.dumps(rows(question), ensure_ascii=False))
        except KeyError as error:
            raise DataError(
                f"question {question.id}: no {error} in its extra, which {format} files need. Add it, or write jsonl."
            ) from None
    draft = path.with_name(f".{path.name}.part.jsonl")
    write_atomic(draft, ("\n".join(lines) + "\n").encode())
    try:
        back = load_questions(draft, format)
        for question, read in zip(questions, back):
            if question != read:
                fields = [name for name in Question.model_fields if getattr(question, name) != getattr(read, name)]
                raise DataError(f"question {question.id}: {format} files can't hold its {fields[0]}. Write jsonl.")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _own(question: Question) -> dict:
    return question.model_dump(exclude_defaults=True, mode="json")


def _hle(question: Question) -> dict:
    columns = ("id", "question", "answer", "answer_type", "category", "rationale", "image", "canary")
    return {column: getattr(question, column) for column in columns} | question.extra


def _uq(question: Question) -> dict:
    title = question.extra["title"]
    body = question.question.removeprefix(f"{title}\n\n")
    return {"question_id": question.id, "body": body, "category": question.category} | question.extra


def _hle_verified(question: Question) -> dict:
    columns = ("id", "question", "answer", "category")
    return {column: getattr(question, column) for column in columns} | {
        "Verified_Classes": question.extra["Verified_Classes"],
        **question.extra,
    }


_ROWS = {"jsonl": _own, "hle": _hle, "uq": _uq, "hle_verified": _hle_verified}
assert set(_ROWS) <= set(FORMATS)
