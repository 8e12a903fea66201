"""The recorded studies of UQ: checks on answers whose truth is known. Sizes here are the recorded ones.

Checks on natural answers ask for a bare verdict, with its probability, and for one after a line of reasons. A verdict
bound to one token accepts all or nothing at one half, while its probability may rank well. So each check is asked both
ways of the same answers: differences of the two are paired by answer.

Formal answers are a model's, to questions that a program can test (UQ, appendix I.1).
"""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from proctor.data.answers import load_asked
from proctor.data.questions import load_open
from proctor.data.schemas import Answer, Question
from proctor.exam import screening
from proctor.exam.recorded import EXAMPLES, JUDGED, MODELS, SEED, families, model_answers
from proctor.exam.screening import MODEL
from proctor.generated.formal import Formal, formal_questions
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.uq.checks import CHECKS as ALL_CHECKS
from proctor.uq.checks import REASONED, run_check, worked_solutions
from proctor.uq.run_validator import Run, validate

CHECKED = 1  # levels of generated questions whose worked solutions are checked
OPEN = 12  # open questions with human labels
OWN = "[C, B, V] |M", "qwen2.5-coder-0.5b"  # validator and judge of the example of uq/your_answers
CHECKS = ("V", "C", "B")  # asked of worked solutions and of what the models answered


async def _checks(session: Session, judges: Sequence[str], names: Sequence[str], questions, answers) -> pd.DataFrame:
    found = [await run_check(session, name, judge, questions, answers) for judge in judges for name in names]
    return pd.concat(found, ignore_index=True)


async def solution_checks(session: Session, models=MODELS, names=CHECKS, levels: int = CHECKED) -> pd.DataFrame:
    """Each check by each judge on right and wrong worked solutions (UQ, appendix B.2)."""
    questions = families(levels)
    return await _checks(session, models, names, questions, worked_solutions(questions))


async def open_checks(session: Session, models=MODELS, names=ALL_CHECKS, n: int = OPEN) -> pd.DataFrame:
    """Each check by each judge on answers to open questions that people labelled (NQ-open)."""
    return await _checks(session, models, names, *load_open(n, seed=SEED))


async def model_checks(
    session: Session, models=MODELS, names=CHECKS, levels: int = JUDGED, answering=MODELS
) -> pd.DataFrame:
    """Each check by each judge on the answers of the `answering` models; column `author` (UQ, appendix B.1, F.2)."""
    questions, candidates = await model_answers(session, answering, levels)
    return _authored(await _checks(session, models, names, questions, candidates), candidates)


def _authored(found: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    return found.assign(author=found["answer_id"].map({answer.id: answer.author for answer in answers}))


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


ANSWERS = 100  # half of them right; of 180 that there are, for the time that they take
NATURAL_CHECKS = ("C", "B")  # recorded first
CYCLES = ("FLC", "CC")  # planned with them, recorded in a study of their own
PROMPTS = dict(answer_prompt=screening.PROMPT, infer_prompt="uq/cycle_infer_long")  # room for questions and steps
STYLES = {"bare": "", "reasoned": REASONED}


async def natural_checks(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = ANSWERS,
    checks: Sequence[str] = NATURAL_CHECKS,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """Rows of `checks.run_check` with columns style (bare, reasoned) and author: each check in both styles on the same
    `n` natural answers for each nine families."""
    with session.as_recorded():
        questions, answers = await screening.candidates(session, n=n, version=version)
    found = [
        (await run_check(session, name, judge, questions, answers, form=form, **PROMPTS)).assign(style=word)
        for judge in models
        for name in checks
        for word, form in STYLES.items()
    ]
    return _authored(pd.concat(found, ignore_index=True), answers)


natural_cycles = partial(natural_checks, checks=CYCLES)  # the other two checks of the paper on the same answers


NATURAL = {"uq.natural_checks": natural_checks, "uq.natural_cycles": natural_cycles}
MORE_STUDIES = {
    "uq.natural_checks.more": partial(natural_checks, version=screening.MORE),
    "uq.natural_cycles.more": partial(natural_cycles, version=screening.MORE),
}


PER_TEMPLATE = 5  # questions of each of the 24 templates, one answer each
CHECK = "C"


async def formal_answers(
    session: Session, models: Sequence[str] = (MODEL,), per_template: int = PER_TEMPLATE
) -> tuple[list[Formal], list[Answer]]:
    """The questions of `generated.formal`, and one answer of each model to each at temperature 0; whether an answer is
    right is not in it."""
    asked, prompt = formal_questions(per_template=per_template), load("uq/formal_answer", session.settings)
    pairs = [(model, formal.question) for model in models for formal in asked]
    requests = [prompt.request(model, question=question.question) for model, question in pairs]
    replies = await session.ask_many(requests, "formal answers")
    found = [
        Answer(id=f"{model}-{question.id}", question_id=question.id, text=reply.text, author=model)
        for (model, question), reply in zip(pairs, replies)
    ]
    return asked, found


async def formal_checks(
    session: Session, models: Sequence[str] = (MODEL,), author: str = MODEL, per_template: int = PER_TEMPLATE
) -> pd.DataFrame:
    """Rows of `checks.run_check`: each model's verdict CHECK on the answers of `author`."""
    with session.as_recorded():
        asked, answers = await formal_answers(session, [author], per_template)
    return await _checks(session, models, [CHECK], [formal.question for formal in asked], answers)


FORMAL = {"uq.formal_answers": formal_answers, "uq.formal_checks": formal_checks}
