"""The recorded studies that every paper reads: what the models answered. Sizes here are the recorded ones."""

import pandas as pd

from proctor.data.questions import load_exam
from proctor.data.questions import load_families as families
from proctor.data.schemas import Answer, Question
from proctor.exam import run_exam
from proctor.models.session import Session

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
SEED = 20261121
ANSWERED = 2  # generated questions of each family and level that the models answer
JUDGED, SAMPLED = 1, 1  # of these: whose answers are judged, asked again
SAMPLES, TEMPERATURE = 2, 0.7
NOTHING = "(The reply is empty.)"
EXAM, LONGEST = 40, 300  # questions of the real exam, and the characters of the longest


def exam_questions(n: int = EXAM):
    return load_exam(n, seed=SEED, max_chars=LONGEST)


async def answers(session: Session, models=MODELS, per_level: int = ANSWERED) -> pd.DataFrame:
    """Each model on the generated questions (HLE, section 4.1)."""
    return await run_exam.run_exam(session, models, families(per_level))


async def exam_answers(session: Session, models=MODELS, n: int = EXAM) -> pd.DataFrame:
    """Each model on the real exam (MMLU-tiny)."""
    return await run_exam.run_exam(session, models, exam_questions(n))


async def samples(session: Session, models=MODELS, per_level: int = SAMPLED) -> pd.DataFrame:
    """Further answers at temperature, for the agreement of samples."""
    return await run_exam.run_exam(
        session, models, families(per_level), samples=SAMPLES, temperature=TEMPERATURE, first_sample=1
    )


async def model_answers(
    session: Session, models=MODELS, per_level: int = JUDGED
) -> tuple[list[Question], list[Answer]]:
    """The generated questions, and what each model answered to them, without its stated confidence, as candidates.

    An empty reply is the answer NOTHING, so that every model has an answer to every question."""
    table = await answers(session, models, per_level)
    return families(per_level), [
        Answer(
            id=f"{row.model}-{row.question_id}",
            question_id=row.question_id,
            text=text if (text := run_exam.without_confidence(row.reply)).strip() else NOTHING,
            author=row.model,
            correct=bool(row.correct),
        )
        for row in table.itertuples()
    ]


STUDIES = {"answers": answers, "exam_answers": exam_answers, "samples": samples}
