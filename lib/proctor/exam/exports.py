"""Results of an exam written in HLE's format, predictions or judged, which HLE's own scorer reads.

    write_hle("o3.json", judged, questions)

It takes rows of `run_exam`, and what is written reads back equal (`formats.py`, which names the source).
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.exam.formats import finite, whole
from proctor.files import write_atomic


def write_hle(path: str | Path, answers: pd.DataFrame, questions: Sequence[Question] = ()) -> None:
    """Rows of one model and one sample as HLE's predictions; with columns `right` and `judge_answer`, as judged.

    answers: model, question_id, reply, prompt_tokens, completion_tokens; judged ones also right (NaN: unreadable, then
    without a judgement, as there), judge_answer, judge_reasoning, judge_confidence (in [0, 1]). `questions` give the
    keys that a judged file repeats."""
    path, keys = Path(path), {question.id: question.answer for question in questions}
    if answers["model"].nunique() > 1 or answers["question_id"].duplicated().any():
        raise DataError(
            f"{path}: HLE's files hold one reply of one model a question. Write one file a model and sample."
        )
    found = {}
    for row in answers.to_dict("records"):
        tokens = [whole(row.get(name)) for name in ("prompt_tokens", "completion_tokens")]
        entry: dict[str, Any] = {
            "model": row["model"],
            "response": row["reply"],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
        }
        if not pd.isna(row.get("right")):
            percent = 100 * finite(row.get("judge_confidence"), 1.0)
            entry["judge_response"] = {
                "correct_answer": keys.get(row["question_id"]) or "",
                "model_answer": row.get("judge_answer") or "",
                "reasoning": row.get("judge_reasoning") or "",
                "correct": "yes" if row["right"] else "no",
                "confidence": round(percent) if math.isclose(percent, round(percent), abs_tol=1e-9) else percent,
            }
        found[row["question_id"]] = entry
    write_atomic(path, json.dumps(found, ensure_ascii=False, indent=1))
