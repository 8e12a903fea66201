"""Pairs of model answers of which one is right: files in JudgeBench's format, as labelled answers.

JSONL, one pair a line: pair_id, source, question, response_model, response_A, response_B, label ("A>B" or "B>A", the
better one being right).
"""

from pathlib import Path

from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError, problem, read_rows, summary

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
    questions, answers, problems, seen = [], [], [], {}
    for file in files:
        rows, found = read_rows(file, "jsonl")
        problems += found
        for number, row in rows:
            wrong = [
                problem(file, number, column, "missing or empty", "Give every pair a text there")
                for column in COLUMNS
                if not str(row.get(column) or "").strip()
            ] or [
                problem(file, number, column, "not a text", "Write it as text, between quotes")
                for column in (*COLUMNS, "source", "response_model")
                if not isinstance(row.get(column, ""), str)
            ]
            if not wrong and row["label"] not in RIGHT:
                wrong = [problem(file, number, "label", f"{row['label']!r}", f"Use one of {', '.join(RIGHT)}")]
            if not wrong and row["pair_id"] in seen:
                wrong = [
                    problem(
                        file, number, "pair_id", f"{row['pair_id']} stands in {seen[row['pair_id']]} too", "Keep one"
                    )
                ]
            problems += wrong
            if wrong:
                continue
            seen[row["pair_id"]] = f"{file.name}, row {number}"
            questions.append(Question(id=row["pair_id"], question=row["question"], source=row.get("source", "")))
            answers += [
                Answer(
                    id=f"{row['pair_id']}-{side}",
                    question_id=row["pair_id"],
                    text=row[f"response_{side}"],
                    author=row.get("response_model", ""),
                    correct=RIGHT[row["label"]] == side,
                )
                for side in "AB"
            ]
    if problems:
        raise DataError(summary(problems))
    return questions, answers
