"""Consequence-Based Utility on families-v2 and -v3: what a solver does after each kind of candidate.

Arms: no candidate; the right solution, and the same in other words; a solution with one planted slip (wrong), the same
derivation under the right answer (lucky), and the wrong one stated with assurance (confident); two natural answers of
the solver itself. All planted ones derive something. Candidates that derive nothing are in `candidates`.

Rollouts after the arms of a study, by question and by family, and the AUC of right against wrong of a question.

Rollouts have one row each, as `utility.run_rollouts` gives them. Units are families of questions
(`exam.paired_effects`).
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from proctor.cbu.candidates import _ASSURED, Kind, _two_lines, labelled, written
from proctor.cbu.judges import ask_judges
from proctor.cbu.ranking_metrics import cautious_interval
from proctor.cbu.utility import NEIGHBOURS, NONE, STEPS, run_rollouts
from proctor.data.schemas import Answer, Question
from proctor.exam import screening
from proctor.exam.paired_effects import families_of, paired_effects, with_family
from proctor.generated.generate import NOTHING_CARRIES_OVER
from proctor.models.session import Session

QUESTIONS, ROLLOUTS = 40, 4
SMALLER = "qwen2.5-coder-0.5b"  # 64 rollouts of a candidate take it as long as 20 of the larger model
FIRST = 2  # rollouts of the first study, of the arms that the main claim compares
ARMS: dict[str, Kind] = {
    "right": Kind(True, True, "", "the author's solution"),
    "right again": Kind(True, True, "", "the same steps in other words"),
    "wrong": Kind(False, False, "incorrect reasoning", "one planted slip carried through to its answer"),
    "lucky": Kind(True, False, "incorrect reasoning", "the right answer under the derivation with the slip"),
    "confident": Kind(False, False, "incorrect reasoning", "the wrong solution, stated with assurance"),
}
RIVALS = ("judge 1-10", "judge yes/no")  # of one token, so that a call has their score at any number of repeats
NATURAL = ("natural right", "natural wrong")


def planted(questions: Sequence[Question], arms: Collection[str] = tuple(ARMS)) -> list[Answer]:
    """The planted candidates of each question of families-v2 or -v3, in the order of ARMS, which is their `label`."""
    kinds = {arm: kind for arm, kind in ARMS.items() if arm in arms}
    return [one for q in questions for one in labelled(q, _texts(q), kinds, q.source)]


def _texts(question: Question) -> dict[str, str]:
    right, slip = str(question.answer), question.extra["wrongs"][0]
    wrong = f"{slip['solution']} The answer is {slip['answer']}."
    way = zlib.crc32(question.id.encode()) % len(_ASSURED)
    return {
        "right": _two_lines(question.extra["right"], right),
        "right again": _two_lines(f"{question.extra['right_again']} The answer is {right}.", right),
        "wrong": _two_lines(wrong, slip["answer"]),
        "lucky": _two_lines(f"{slip['solution']} The answer is {right}.", right),
        "confident": _two_lines(_ASSURED[way].format(wrong), slip["answer"]),
    }


async def rolled(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    arms: Collection[str] = tuple(ARMS),
    rollouts: int = FIRST,
    own: bool = True,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """Rollouts, of which none has seen a candidate as well, on QUESTIONS fresh questions for each nine families; rows
    of `utility.run_rollouts`.

    own: two natural answers to each question too, labelled by whether their answer is right.
    """
    questions = await screening.asked(session, QUESTIONS, version)
    answers = planted(questions, arms)
    if own:
        with session.as_recorded():
            natural_answers = await screening.attempts(session, n=QUESTIONS, version=version)
        answers += [
            screening.as_answer(row, f"{row.question_id}-{row.model}-{row.sample}", NATURAL[not row.correct])
            for row in natural_answers.itertuples()
            if row.reply.strip()
        ]
    near = written(questions, NEIGHBOURS)
    return await run_rollouts(session, models, questions, answers, near, budget=rollouts, prompts=STEPS)


# The rollouts of the first, what the main claim needs and what was asked first, are among those of the others.
core = partial(rolled, arms=("right", "wrong"), own=False)
more_arms = rolled
all_arms = partial(rolled, rollouts=ROLLOUTS)


async def core_judges(
    session: Session, models: Sequence[str] = (screening.MODEL,), version: str = screening.VERSION
) -> pd.DataFrame:
    """Judges' scores of the right and wrong candidates of `core`; rows of `judges.ask_judges`."""
    questions = await screening.asked(session, QUESTIONS, version)
    return await ask_judges(session, models, questions, planted(questions, ("right", "wrong")), judges=RIVALS)


async def sixty_four(session: Session, models: Sequence[str] = (SMALLER,)) -> pd.DataFrame:
    """64 rollouts of one candidate to each of ten questions, one of each kept cell; right and wrong in turn (CBU,
    section 7.1, Figure 6)."""
    first: dict[tuple, Question] = {}
    for question in await screening.asked(session, QUESTIONS):
        first.setdefault((question.category, question.level), question)
    questions = list(first.values())
    answers = [planted([question], [("right", "wrong")[n % 2]])[0] for n, question in enumerate(questions)]
    near = written(questions, NEIGHBOURS)
    return await run_rollouts(
        session, models, questions, answers, near, budget=64, allocation="total", prompts=STEPS, none=False
    )


FIRST_STUDIES = {"cbu.core": core, "cbu.core_judges": core_judges}
STUDIES = {"cbu.more_arms": more_arms, "cbu.all_arms": all_arms, "cbu.sixty_four": sixty_four}
MORE_STUDIES = {
    f"{name}.more": partial(one, version=screening.MORE)
    for name, one in {**FIRST_STUDIES, "cbu.more_arms": more_arms}.items()
}


def solve_rates(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Share of rollouts that solve the neighbour: one row per question, one column per arm."""
    return rollouts.pivot_table(index="question_id", columns="kind", values="correct", aggfunc="mean")


def ranks_right(right: pd.Series, wrong: pd.Series) -> pd.Series:
    """AUC of each question with one right and one wrong candidate: 1, 1/2 for a tie, 0; NaN where one has no score."""
    order = (np.sign(right - wrong) + 1) / 2
    return order.where(right.notna() & wrong.notna())


def over_both_units(pairs: Mapping[str, tuple[pd.Series, pd.Series]], families: pd.Series) -> pd.DataFrame:
    """`paired_effects`, and for further questions of these families alone: here_low, here_high (exact over questions,
    `sign_flip`, all effects together) and ties, the share of the questions whose two values are alike."""
    gaps = [with_family(first - second, families) for first, second in pairs.values()]
    here = [cautious_interval(gap, 1 - 0.05 / len(pairs)) for gap in gaps]
    return paired_effects(pairs, families).assign(
        here_low=[one.low for one in here],
        here_high=[one.high for one in here],
        ties=[float((gap == 0).mean()) for gap in gaps],
    )


def by_family(rollouts: pd.DataFrame, arms: tuple[str, ...] = (NONE, "right", "wrong")) -> pd.DataFrame:
    """One row per family: category, carries_over, questions, and the share solved after each arm, largest effect
    first."""
    rates = solve_rates(rollouts)
    table = (
        rates.reindex(columns=list(arms)).groupby(families_of(rollouts)).mean().rename_axis("category").reset_index()
    )
    table.insert(1, "carries_over", ~table["category"].isin(NOTHING_CARRIES_OVER))
    table.insert(2, "questions", table["category"].map(families_of(rollouts).value_counts()))
    gap = table["right"] - table["wrong"]
    return table.iloc[np.lexsort((-gap, ~table["carries_over"].to_numpy(bool)))].reset_index(drop=True)
