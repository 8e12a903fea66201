"""Pairs of model answers of which one is right: files in JudgeBench's format, as labelled answers.

JSONL, one pair a line: pair_id, source, question, response_model, response_A, response_B, label ("A>B" or "B>A", the
better one being right).
"""

from functools import partial
from pathlib import Path

from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError, Wrong, collect, read_rows, summary

COLUMNS = ("pair_id", "question", "response_A", "response_B", "label")
RIGHT = {"A>B": "A", "B>A": "B"}


def load_pairs(path: str | Path) -> tuple[list[Question], list[Answer]]:
    """The questions, one a pair, and their two answers, `correct` known: of one file, or of every .jsonl in a folder.

    Answer ids are the pair's with -A or -B; which is right says nothing of its place. Raises DataError naming file,
    row, column and mend.
    """
    path = Path(path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path}: no .jsonl file in it. Name a file, or the folder that holds them.")
    problems, seen = list[str](), dict[str, str]()

    def pair(file: Path, number: int, row: dict) -> dict:
        for column in COLUMNS:
            if not str(row.get(column) or "").strip():
                raise Wrong(column, "missing or empty", "Give every pair a text there")
        for column in (*COLUMNS, "source", "response_model"):
            if not isinstance(row.get(column, ""), str):
                raise Wrong(column, "not a text", "Write it as text, between quotes")
        if row["label"] not in RIGHT:
            raise Wrong("label", f"{row['label']!r}", f"Use one of {', '.join(RIGHT)}")
        if row["pair_id"] in seen:
            raise Wrong("pair_id", f"{row['pair_id']} stands in {seen[row['pair_id']]} too", "Keep one")
        seen[row["pair_id"]] = f"{file.name}, row {number}"
        return row

    rows = []
    for file in files:
        there, found = read_rows(file, "jsonl")
        problems += found
        rows += collect(file, there, problems, partial(pair, file))
    if problems:
        raise DataError(summary(problems))
    questions = [Question(id=row["pair_id"], question=row["question"], source=row.get("source", "")) for row in rows]
    answers = [
        Answer(
            id=f"{row['pair_id']}-{side}",
            question_id=row["pair_id"],
            text=row[f"response_{side}"],
            author=row.get("response_model", ""),
            correct=RIGHT[row["label"]] == side,
        )
        for row in rows
        for side in "AB"
    ]
    return questions, answers
