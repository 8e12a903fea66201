"""The measured runs: what the notebooks show and `make record` asks again. Sizes here are the recorded ones."""

import pandas as pd

from proctor.data.questions import load_exam, load_families as families, load_open
from proctor.data.schemas import Answer, Question
from proctor.data.ten_options import plain_items, pseudo_items
from proctor.models.session import Session
from proctor.protocols import engine, exam, neighbours, refinement, scorers, utility, validators, verification_run

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
SEED = 20261121
ANSWERED = 2  # generated questions of each family and level that the models answer
CHECKED, JUDGED, SAMPLED = 1, 1, 1  # of these: whose solutions are checked, whose answers are judged, asked again
SAMPLES, TEMPERATURE = 2, 0.7
EXAM, LONGEST = 40, 300  # questions of the real exam, and the characters of the longest
OPEN = 12  # open questions with human labels
CHECKS = ("V", "C", "FLC", "CC", "B")  # asked of what the models answered
AUDITED = 6  # ten-option items that are audited and mended
STAGES = ("CC u3 |U", "FLC u3 |U", "C u3 |U")  # of UQ's default pipeline, one after the other


def exam_questions(n: int = EXAM):
    return load_exam(n, seed=SEED, max_chars=LONGEST)


async def answers(session: Session, models=MODELS, per_level: int = ANSWERED) -> pd.DataFrame:
    """Each model on the generated questions (HLE, section 4.1)."""
    return await exam.sit(session, models, families(per_level))


async def exam_answers(session: Session, models=MODELS, n: int = EXAM) -> pd.DataFrame:
    """Each model on the real exam (MMLU-tiny)."""
    return await exam.sit(session, models, exam_questions(n))


async def samples(session: Session, models=MODELS, per_level: int = SAMPLED) -> pd.DataFrame:
    """Further answers at temperature, for the agreement of samples."""
    return await exam.sit(session, models, families(per_level), samples=SAMPLES, temperature=TEMPERATURE,
                          first_sample=1)


async def judgements(session: Session, models=MODELS, per_level: int = JUDGED, answering=MODELS) -> pd.DataFrame:
    """Each of `models` as the judge of the answers that the `answering` models gave to generated questions."""
    return await exam.judge(session, models, await answers(session, answering, per_level), families(per_level))


async def checks(session: Session, models=MODELS, names=validators.CHECKS, per_level: int = CHECKED) -> pd.DataFrame:
    """Each check by each judge on right and wrong worked solutions (UQ, appendix B.2)."""
    questions = families(per_level)
    return pd.concat([await validators.check(session, name, judge, questions, validators.worked(questions))
                      for judge in models for name in names], ignore_index=True)


async def open_checks(session: Session, models=MODELS, names=validators.CHECKS, n: int = OPEN) -> pd.DataFrame:
    """Each check by each judge on answers to open questions that people labelled (NQ-open)."""
    questions, candidates = load_open(n, seed=SEED)
    return pd.concat([await validators.check(session, name, judge, questions, candidates)
                      for judge in models for name in names], ignore_index=True)


async def model_answers(session: Session, models=MODELS, per_level: int = JUDGED) -> tuple[list[Question], list[Answer]]:
    """The generated questions, and what each model answered to them, without its stated confidence, as candidates."""
    table = await answers(session, models, per_level)
    return families(per_level), [
        Answer(id=f"{row.model}-{row.question_id}", question_id=row.question_id, text=exam.without_confidence(row.reply),
               author=row.model, correct=bool(row.correct)) for row in table.itertuples()]


async def model_checks(session: Session, models=MODELS, names=CHECKS, per_level: int = JUDGED,
                       answering=MODELS) -> pd.DataFrame:
    """Each check by each judge on the answers of the `answering` models; column `author` (UQ, appendix B.1, F.2)."""
    questions, candidates = await model_answers(session, answering, per_level)
    authors = {answer.id: answer.author for answer in candidates}
    found = pd.concat([await validators.check(session, name, judge, questions, candidates)
                       for judge in models for name in names], ignore_index=True)
    return found.assign(author=found["answer_id"].map(authors))


async def stages(session: Session, models=MODELS, per_level: int = JUDGED, answering=MODELS) -> pd.DataFrame:
    """Every vote of the three stages, each with two reconsiderations, on the models' answers (UQ, Table S1 and I.5)."""
    questions, candidates = await model_answers(session, answering, per_level)
    return pd.concat([await engine.validate(session, stage, [judge], questions, candidates, exhaustive=True)
                      for judge in models for stage in STAGES], ignore_index=True)


async def refinements(session: Session, models=MODELS, n: int = AUDITED, rounds: int = 2) -> pd.DataFrame:
    """Each model as auditor and refiner of `n` ten-option items of ours, half of sets, and of the same with a stem that
    leans on a figure which is not there; columns model and defect (KINA, Figure 1)."""
    whole = [*plain_items(per_level=1)[:n - n // 2], *pseudo_items(n // 2)]
    leaning = [refinement.planted(item)["leaning stem"][1] for item in whole]
    return pd.concat([
        (await refinement.refine_all(items, refinement.audit_with(session, model), refinement.refine_with(session, model),
                                     rounds)).assign(model=model, defect=defect)
        for model in models for defect, items in (("none", whole), ("leaning stem", leaning))], ignore_index=True)


async def adjudications(session: Session, models=MODELS, answering=MODELS) -> pd.DataFrame:
    """What the largest of the `answering` models chooses among all repairs of the damaged exam (HLE-Verified, 3.3)."""
    return await verification_run.adjudications(session, [m for m in models if m == answering[-1]], answering)


# The order matters: what reads the answers of other models comes after the study that asks for them.
STUDIES = {f.__name__: f for f in (answers, exam_answers, checks, open_checks, judgements, samples, model_checks, stages,
                                   refinements)}
STUDIES |= {f"verification.{f.__name__}": f for f in (
    verification_run.votes, verification_run.attempts, verification_run.sound_attempts, verification_run.repairs,
    adjudications, verification_run.audits)}
STUDIES |= {f"utility.{f.__name__}": f for f in (
    utility.attempts, utility.rollouts, scorers.scores, neighbours.neighbourhoods)}
OF_ANSWERS = ("judgements", "model_checks", "stages", "verification.adjudications", "verification.audits")
