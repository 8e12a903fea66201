"""The recorded studies of UQ: checks on answers whose truth is known. Sizes here are the recorded ones."""

from collections.abc import Sequence

import pandas as pd

from proctor.data.answers import load_asked
from proctor.data.questions import load_open
from proctor.data.schemas import Answer, Question
from proctor.exam.recorded import EXAMPLES, JUDGED, MODELS, SEED, families, model_answers
from proctor.models.session import Session
from proctor.uq import checks as uq_checks
from proctor.uq.run_validator import Run, validate

CHECKED = 1  # levels of generated questions whose worked solutions are checked
OPEN = 12  # open questions with human labels
OWN = "[C, B, V] |M", "qwen2.5-coder-0.5b"  # validator and judge of the example of uq/your_answers
CHECKS = ("V", "C", "B")  # asked of worked solutions and of what the models answered


async def solution_checks(session: Session, models=MODELS, names=CHECKS, levels: int = CHECKED) -> pd.DataFrame:
    """Each check by each judge on right and wrong worked solutions (UQ, appendix B.2)."""
    questions = families(levels)
    return pd.concat(
        [
            await uq_checks.run_check(session, name, judge, questions, uq_checks.worked_solutions(questions))
            for judge in models
            for name in names
        ],
        ignore_index=True,
    )


async def open_checks(session: Session, models=MODELS, names=uq_checks.CHECKS, n: int = OPEN) -> pd.DataFrame:
    """Each check by each judge on answers to open questions that people labelled (NQ-open)."""
    questions, candidates = load_open(n, seed=SEED)
    return pd.concat(
        [await uq_checks.run_check(session, name, judge, questions, candidates) for judge in models for name in names],
        ignore_index=True,
    )


async def model_checks(
    session: Session, models=MODELS, names=CHECKS, levels: int = JUDGED, answering=MODELS
) -> pd.DataFrame:
    """Each check by each judge on the answers of the `answering` models; column `author` (UQ, appendix B.1, F.2)."""
    questions, candidates = await model_answers(session, answering, levels)
    authors = {answer.id: answer.author for answer in candidates}
    found = pd.concat(
        [await uq_checks.run_check(session, name, judge, questions, candidates) for judge in models for name in names],
        ignore_index=True,
    )
    return found.assign(author=found["answer_id"].map(authors))


async def validated(
    session: Session, runs: Sequence[tuple[str, Sequence[str]]], levels: int = JUDGED, answering=MODELS
) -> tuple[list[Question], list[Answer], pd.DataFrame]:
    """(Questions, the answers of the `answering` models, verdicts on them of each run: a validator and its judges)."""
    questions, candidates = await model_answers(session, answering, levels)
    found = [await validate(session, Run(*run), questions, candidates) for run in runs]
    return questions, candidates, pd.concat(found, ignore_index=True)


async def own_answers(session: Session, models=MODELS) -> pd.DataFrame | None:
    """The example of uq/your_answers: the verdicts of one judge, if it is among `models`."""
    validator, judge = OWN
    questions, candidates = load_asked(EXAMPLES / "answers.jsonl", EXAMPLES / "exam_questions.jsonl")
    return await validate(session, Run(validator, [judge]), questions, candidates) if judge in models else None


STUDIES = {f.__name__: f for f in (solution_checks, open_checks, model_checks, own_answers)}
