"""Results of an exam written in the files of the field: HLE (predictions, judged), inspect_ai, lm-eval (samples).

    write_hle("o3.json", judged, questions)         # HLE's own scorer reads it
    write_inspect("o3.log.json", answers, questions)
    write_lm_eval("samples_exam.jsonl", answers, questions)

Each writer takes rows of `run_exam`, and what is written reads back equal (`formats.py`, which names the sources).
Errors are DataError.
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


def write_inspect(path: str | Path, answers: pd.DataFrame, questions: Sequence[Question], task: str = "exam") -> None:
    """Rows of one model as an inspect_ai log (.json, version 2): input, target, output, and one score, `match`.

    An undecided or unreadable answer has the value "N" (no answer) there."""
    path, by_id = Path(path), {question.id: question for question in questions}
    if answers["model"].nunique() != 1:
        raise DataError(f"{path}: a log of inspect_ai holds one model. Write one file a model.")
    model, samples = str(answers["model"].iloc[0]), []
    for row in answers.to_dict("records"):
        question = by_id[row["question_id"]]
        tokens = dict(input_tokens=whole(row.get("prompt_tokens")), output_tokens=whole(row.get("completion_tokens")))
        value = "N" if row.get("undecided") or row.get("unreadable") else "C" if row["correct"] else "I"
        usage = tokens | {"total_tokens": sum(tokens.values())}
        message = {"role": "assistant", "content": row["reply"]}
        samples.append(
            {
                "id": row["question_id"],
                "epoch": int(row.get("sample", 0)) + 1,
                "input": question.question,
                "target": question.answer or "",
                "messages": [{"role": "user", "content": question.question}, message],
                "output": {
                    "model": model,
                    "choices": [{"message": message, "stop_reason": "max_tokens" if row.get("cut_off") else "stop"}],
                    "usage": usage,
                },
                "scores": {
                    "match": {
                        "value": value,
                        "answer": row["answer"] if isinstance(row.get("answer"), str) else None,
                        "metadata": {"confidence": finite(row.get("confidence"), None)},
                    }
                },
                "metadata": {"category": question.category},
            }
        )
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "1970-01-01T00:00:00+00:00",  # no clock: the same rows are the same file
            "task": task,
            "dataset": {"name": task, "samples": answers["question_id"].nunique()},
            "model": model,
            "config": {"epochs": int(answers.get("sample", pd.Series([0])).max()) + 1},
        },
        "samples": samples,
    }
    write_atomic(path, json.dumps(log, ensure_ascii=False, indent=1))


def write_lm_eval(path: str | Path, answers: pd.DataFrame, questions: Sequence[Question]) -> None:
    """Rows of one model as lm-eval's samples: a line a question with all its samples, metric `exact_match`."""
    path, by_id = Path(path), {question.id: question for question in questions}
    if answers["model"].nunique() != 1:
        raise DataError(f"{path}: a file of lm-eval's samples holds one model. Write one file a model.")
    lines = []
    for number, (name, rows) in enumerate(answers.groupby("question_id", sort=False)):
        question, replies = by_id[str(name)], rows["reply"].tolist()
        lines.append(
            {
                "doc_id": number,
                "doc": {"id": name, "question": question.question, "category": question.category},
                "target": question.answer or "",
                "arguments": {"gen_args_0": {"arg_0": question.question}},
                "resps": [replies],
                "filtered_resps": [answer if isinstance(answer, str) else "" for answer in rows["answer"]],
                "filter": "none",
                "metrics": ["exact_match"],
                "exact_match": [float(value) for value in rows["correct"]]
                if len(rows) > 1
                else float(rows["correct"].iloc[0]),
            }
        )
    write_atomic(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
