"""The recorded studies that every paper reads: what the models answered. Sizes here are the recorded ones."""

import pandas as pd

from proctor.data.questions import load_exam, load_families, load_questions
from proctor.data.schemas import Answer, Question
from proctor.exam import run_exam, screening
from proctor.models.session import Session
from proctor.paths import ROOT

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
SEED = 20261121
ANSWERED = 2  # levels whose questions the models answer
JUDGED, SAMPLED = 1, 1  # levels whose questions are answered for a judge, answered again
SAMPLES, TEMPERATURE = 2, 0.7
NOTHING = "(The reply is empty.)"
EXAMPLES = ROOT / "data/examples"
JUDGE = "qwen2.5-coder-1.5b"
EXAM, LONGEST = 40, 300  # questions of the real exam, and the characters of the longest


def families(levels: int) -> list[Question]:
    """One question of each of the 27 families at each of the first `levels` levels (1 easy, 2 middle, 3 hard)."""
    return [q for version in screening.NINES for q in load_families(1, version) if q.level <= levels]


def exam_questions(n: int = EXAM):
    return load_exam(n, seed=SEED, max_chars=LONGEST)


async def answers(session: Session, models=MODELS, levels: int = ANSWERED) -> pd.DataFrame:
    """Each model on the generated questions (HLE, section 4.1)."""
    return await run_exam.run_exam(session, models, families(levels))


async def exam_answers(session: Session, models=MODELS, n: int = EXAM) -> pd.DataFrame:
    """Each model on the real exam (MMLU-tiny)."""
    return await run_exam.run_exam(session, models, exam_questions(n))


async def samples(session: Session, models=MODELS, levels: int = SAMPLED) -> pd.DataFrame:
    """Further answers at temperature, for the agreement of samples."""
    return await run_exam.run_exam(
        session, models, families(levels), samples=SAMPLES, temperature=TEMPERATURE, first_sample=1
    )


async def worked_answers(session: Session, models=MODELS, levels: int = JUDGED) -> pd.DataFrame:
    """Each model on the generated questions, one operation a step, without a stated confidence."""
    return await run_exam.run_exam(session, models, families(levels), prompt=screening.PROMPT)


async def model_answers(session: Session, models=MODELS, levels: int = JUDGED) -> tuple[list[Question], list[Answer]]:
    """The generated questions, and each model's `worked_answers` to them as candidates.

    An empty reply is the answer NOTHING, so that every model has an answer to every question."""
    table = await worked_answers(session, models, levels)
    return families(levels), [
        Answer(
            id=f"{row.model}-{row.question_id}",
            question_id=row.question_id,
            text=row.reply if row.reply.strip() else NOTHING,
            author=row.model,
            correct=bool(row.correct),
        )
        for row in table.itertuples()
    ]


async def own_exam(session: Session, models=MODELS, answering=MODELS) -> pd.DataFrame:
    """The example of hle/your_exam. JUDGE, if among `models`, weighs what comparison can't decide of `answering`."""
    questions = load_questions(EXAMPLES / "exam_questions.jsonl")
    asked = (answering, JUDGE) if JUDGE in models else (models,)
    return await run_exam.sit(session, run_exam.Setup(questions, *asked))


STUDIES = {f.__name__: f for f in (answers, exam_answers, samples, worked_answers, own_exam)}
