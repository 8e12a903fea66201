"""The examples of `data/examples` that are made: of the 27 families and of recorded replies, and an exam's answers.

python -m proctor.recordings.examples
"""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from proctor.cbu.candidates import candidates, written
from proctor.exam.recorded import EXAMPLES, SEED, model_answers
from proctor.files import write_atomic
from proctor.models.session import Session
from proctor.uq.recorded import model_checks

CHECK = "C"  # of the verdicts
LABELLED = 18  # questions whose answers are labelled
SOLVED = (  # questions with candidates; in the last family nothing carries over
    "invented_sign-1-01",
    "two_kinds-1-01",
    "handshakes-1-01",
    "letter_values-1-01",
)
ITEMS, SYSTEMS, WRONG, EXCLUDED = 300, 10, 9, 1  # of the simulated exam
ASKED = ("id", "question", "answer", "answer_type", "category", "level")


async def made() -> dict[str, str]:
    """The text of each file, by its name."""
    async with Session("replay", progress=False) as session:
        questions, answers = await model_answers(session)
        verdicts = await model_checks(session, names=[CHECK])
    by_id = {question.id: question for question in questions}
    chosen = [by_id[name] for name in SOLVED]
    near = [(name, n, other) for name, others in written(chosen).items() for n, other in enumerate(others, 1)]
    verdicts = verdicts.rename(columns={"outcome": "verdict"})
    drawn = np.random.default_rng(SEED).choice(list(by_id), LABELLED, replace=False)
    labels = [(one.id, "yes" if one.correct else "no") for one in answers if one.question_id in drawn]
    exam_answers, exam_decisions = simulated_exam()
    return {
        "exam_answers.csv": exam_answers.to_csv(index=False),
        "exam_decisions.csv": exam_decisions.to_csv(index=False),
        "exam_questions.jsonl": _lines({name: getattr(one, name) for name in ASKED} for one in questions),
        "answers.jsonl": _lines(
            dict(id=one.id, question_id=one.question_id, text=one.text, author=one.author, correct=one.correct)
            for one in answers
        ),
        "candidates.jsonl": _lines(
            dict(id=one.id, question_id=one.question_id, question=by_id[one.question_id].question, text=one.text,
                 author=one.author, label=one.label, correct=one.correct)
            for one in candidates(chosen)
        ),
        "neighbours.jsonl": _lines(
            dict(id=f"{name}-near-{n}", neighbour_of=name, question=other.question, answer=other.answer)
            for name, n, other in near
        ),
        "judge_verdicts.csv": verdicts[["answer_id", "question_id", "author", "judge", "verdict"]].to_csv(index=False),
        "judge_labels.csv": pd.DataFrame(labels, columns=["answer_id", "correct"]).to_csv(index=False),
    }  # fmt: skip


def simulated_exam() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers (item, key, one column per system) and a reviewer's decisions (id, decision, answer) on the wrong keys
    and as many others. Half of the errors on an item go to one tempting letter; a wrong key is one of the four other
    letters at random, or (EXCLUDED of them) no letter is right."""
    rng = np.random.default_rng(20260101)
    letters, names = np.array(list("ABCDE")), [f"system-{n:02d}" for n in range(1, SYSTEMS + 1)]
    truth = rng.integers(5, size=ITEMS)
    tempting = (truth + rng.integers(1, 5, ITEMS)) % 5
    chance = 1 / (1 + np.exp(-(np.linspace(-0.3, 1.8, SYSTEMS)[:, None] + rng.normal(0, 1.5, ITEMS))))
    error = np.where(rng.random(chance.shape) < 0.5, tempting, (truth + rng.integers(1, 5, chance.shape)) % 5)
    given = np.where(rng.random(chance.shape) < chance, truth, error)
    key, wrong = truth.copy(), rng.choice(ITEMS, WRONG, replace=False)
    key[wrong] = (truth[wrong] + rng.integers(1, 5, WRONG)) % 5
    items = [f"q{n:03d}" for n in range(1, ITEMS + 1)]
    answers = pd.DataFrame(letters[given.T], columns=names)
    answers.insert(0, "item", items)
    answers.insert(1, "key", letters[key])
    others = rng.choice(np.setdiff1d(np.arange(ITEMS), wrong), WRONG, replace=False)
    rows = [(items[n], "excluded", "") for n in wrong[:EXCLUDED]]
    rows += [(items[n], "repaired", letters[truth[n]]) for n in wrong[EXCLUDED:]]
    rows += [(items[n], "sound", letters[key[n]]) for n in others]
    return answers, pd.DataFrame(sorted(rows), columns=["id", "decision", "answer"])


def write(folder: Path = EXAMPLES) -> None:
    for name, text in asyncio.run(made()).items():
        write_atomic(folder / name, text)


def _lines(rows: Iterable[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    write()
