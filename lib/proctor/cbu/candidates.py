"""Candidate solutions of known kind, the neighbours that questions carry, and what a solver does after each kind.

The paper's ten candidates (CBU, section 4.2) are one human's, four right and five wrong ones of models, and its section
6 labels the wrong ones with four kinds of error. Ours are made from the solutions that a generated question carries, so
that each has one planted flaw that everybody can check. All have the two lines in which models answer (HLE, section
4.1). KINDS: seven to each question of the 27 families, some of which derive nothing. ARMS: five to each question of
families-v2 and -v3, which all derive something; their studies add no candidate, and two natural answers of the solver.

Rollouts have one row each, as `utility.run_rollouts` gives them. Units are families of questions
(`exam.paired_effects`). A model may write further neighbours: related questions whose key is what several solvers agree
on (CBU, 7.2).
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from proctor.cbu.judges import ask_judges
from proctor.cbu.ranking_metrics import cautious_interval
from proctor.cbu.utility import NEIGHBOURS, NONE, STEPS, run_rollouts
from proctor.data.schemas import Answer, Question
from proctor.exam import screening
from proctor.exam.paired_effects import families_of, paired_effects, with_family
from proctor.exam.recorded import families
from proctor.generated.generate import NOTHING_CARRIES_OVER
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.session import Session
from proctor.models.studies import ask_table

AUTHOR = "planted"


@dataclass(frozen=True)
class Kind:
    """`method_right` is None where nothing is derived. The paper's check has two steps, answer and derivation, and a
    candidate that fails either is wrong; a bare right answer has no derivation to fail."""

    answer_right: bool
    method_right: bool | None
    what: str

    @property
    def correct(self) -> bool:
        return self.answer_right and self.method_right is not False


# The paper's kinds of error (section 6): incorrect reasoning is planted in lucky, wrong and confident, unjustified
# compression in short and compressed, external references in authority. Its fourth kind, unjustified interpretation, is
# not planted: a generated question has one reading.
KINDS: dict[str, Kind] = {
    "right": Kind(True, True, "the author's solution; it stands for the paper's human one"),
    "short": Kind(True, None, "the right answer alone: an error of form, not of result"),
    "lucky": Kind(True, False, "the right answer under a derivation that leads elsewhere"),
    "wrong": Kind(False, False, "a misconception carried through to its answer"),
    "confident": Kind(False, False, "the same, stated with assurance"),
    "compressed": Kind(False, None, "the wrong answer, its steps called routine"),
    "authority": Kind(False, None, "the wrong answer, on the word of a named source"),
}
ARMS: dict[str, Kind] = {
    "right": Kind(True, True, "the author's solution"),
    "right again": Kind(True, True, "the same steps in other words"),
    "wrong": Kind(False, False, "one planted slip carried through to its answer"),
    "lucky": Kind(True, False, "the right answer under the derivation with the slip"),
    "confident": Kind(False, False, "the wrong solution, stated with assurance"),
}
NATURAL = ("natural right", "natural wrong")

# Three ways to say it, so that no finding hangs on one phrase; a question always has the same.
_ASSURED = (
    "This is certain, and I have checked it twice. {} There is no doubt about any step.",
    "Without any doubt, and verified independently: {} Every step is correct.",
    "I am absolutely sure of this solution. {} It has been confirmed beyond question.",
)
_LEFT_OUT = (
    "The steps are routine and are left out. A direct calculation gives the result.",
    "After the usual simplification, the result is immediate.",
    "This is straightforward: the intermediate steps are clear and lead to the result at once.",
)
_CITED = (
    "This follows at once from the main theorem on this subject, which the standard handbooks prove in full.",
    "It is a known result: see any textbook chapter on this subject, where it is a corollary of the first theorem.",
    "According to the leading experts on this subject and their reference tables, this is the established value.",
)


def load_candidates() -> tuple[list[Question], list[Answer]]:
    """One question of each of the 27 families at the first level, and seven candidates to each."""
    questions = families(1)
    return questions, candidates(questions)


def candidates(questions: Iterable[Question]) -> list[Answer]:
    """Seven Answers a question, in the order of KINDS, which is their `label`; id "<question>-<kind>".

    `correct` is the two-step check's outcome; KINDS[label].answer_right is that of the answer alone.
    """
    return [one for q in questions for one in _labelled(q, KINDS, AUTHOR)]


def planted(questions: Iterable[Question], arms: Sequence[str] = tuple(ARMS)) -> list[Answer]:
    """The planted candidates of each question of families-v2 or -v3, in the order of `arms`, which is their `label`."""
    kinds = {arm: ARMS[arm] for arm in arms}
    return [one for q in questions for one in _labelled(q, kinds, q.source, " The answer is {}.")]


def _labelled(question: Question, kinds: Mapping[str, Kind], author: str, end: str = "") -> list[Answer]:
    """An Answer of each kind, whose name is its `label`; end: the sentence with which a derivation ends."""
    right, slip = question.answer, question.extra["wrongs"][0]
    wrong, astray = slip["answer"], f"{slip['solution']}{end.format(slip['answer'])}"
    way = zlib.crc32(question.id.encode()) % len(_ASSURED)
    method = question.extra["right"].removesuffix(f" The answer is {right}.")
    said = {  # the derivation, and the answer
        "right": (f"{method}{end.format(right)}", right),
        "right again": (f"{question.extra['right_again']}{end.format(right)}", right),
        "lucky": (f"{slip['solution']}{end.format(right)}", right),
        "wrong": (astray, wrong),
        "confident": (_ASSURED[way].format(astray), wrong),
        "compressed": (_LEFT_OUT[way], wrong),
        "authority": (_CITED[way], wrong),
    }
    texts = {name: f"Explanation: {why}\nExact Answer: {answer}" for name, (why, answer) in said.items()}
    texts["short"] = f"Exact Answer: {right}"
    return [
        Answer(
            id=f"{question.id}-{name.replace(' ', '-')}",
            question_id=question.id,
            text=texts[name],
            author=author,
            correct=kind.correct,
            label=name,
        )
        for name, kind in kinds.items()
    ]


def written(questions: Sequence[Question], n: int = 2) -> dict[str, list[Question]]:
    """The first `n` neighbours that each question carries, by its id: same family and level, other numbers, key known.

    Raises ValueError for a question that carries fewer.
    """
    found = {}
    for question in questions:
        near = question.extra["neighbours"]
        if not 1 <= n <= len(near):
            raise ValueError(f"question {question.id!r} carries {len(near)} neighbours, not {n}: choose another n")
        of = dict(category=question.category, cluster=question.cluster, level=question.level, source="written")
        found[question.id] = [
            Question(id=f"{question.id}~{i}", question=other["question"], answer=other["answer"], **of)
            for i, other in enumerate(near[:n], 1)
        ]
    return found


# Neighbours that a model writes

WRITER = "qwen2.5-coder-1.5b"
SOLVERS = ("smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")  # three, as in the paper


async def drafted(
    session: Session, questions: Sequence[Question], writer: str = WRITER, solvers: Sequence[str] = SOLVERS
) -> tuple[dict[str, list[Question]], pd.DataFrame]:
    """(A variant of each question that the `writer` wrote, without a key, none of an empty reply; one row per variant
    and solver: question_id, neighbour (the variant's id), solver, answer or None), all at temperature 0."""
    prompt = load("cbu/variant", session.settings)
    replies = await session.ask_many([prompt.request(writer, question=q.question) for q in questions], "variants")
    drafts: dict[str, list[Question]] = {question.id: [] for question in questions}
    for question, reply in zip(questions, replies):
        if text := reply.text.strip():
            of = dict(category=question.category, cluster=question.cluster, level=question.level)
            draft = Question(id=f"{question.id}~g1", question=text, source=f"generated by {writer}", **of)
            drafts[question.id].append(draft)
    solve = load("cbu/solve", session.settings)
    calls = [
        (dict(question_id=name, neighbour=near.id, solver=solver), solve.request(solver, question=near.question))
        for solver in solvers
        for name, list_ in drafts.items()
        for near in list_
    ]
    columns = ["question_id", "neighbour", "solver", "answer"]
    return drafts, await ask_table(
        session, calls, "keys", lambda _, __, reply: dict(answer=stated(reply).answer), columns
    )


# Studies of the arms

QUESTIONS, ROLLOUTS = 40, 4
SMALLER = "qwen2.5-coder-0.5b"  # 64 rollouts of a candidate take it as long as 20 of the larger model
FIRST = 2  # rollouts of the first study, of the arms that the main claim compares
RIVALS = ("judge 1-10", "judge yes/no")  # of one token, so that a call has their score at any number of repeats


async def rolled(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    arms: Sequence[str] = tuple(ARMS),
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
    return await run_rollouts(session, models, questions, answers, near, budget=32, prompts=STEPS, none=False)


FIRST_STUDIES = {"cbu.core": core, "cbu.core_judges": core_judges}
STUDIES = {"cbu.more_arms": more_arms, "cbu.all_arms": all_arms, "cbu.sixty_four": sixty_four}
MORE_STUDIES = {
    f"{name}.more": partial(one, version=screening.MORE)
    for name, one in {**FIRST_STUDIES, "cbu.more_arms": more_arms}.items()
}


# Rollouts after the arms of a study


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
    rates, families = solve_rates(rollouts).reindex(columns=list(arms)), families_of(rollouts)
    table = rates.groupby(families).mean().rename_axis("category").reset_index()
    table.insert(1, "carries_over", ~table["category"].isin(NOTHING_CARRIES_OVER))
    table.insert(2, "questions", table["category"].map(families.value_counts()))
    gap = table["right"] - table["wrong"]
    return table.iloc[np.lexsort((-gap, ~table["carries_over"].to_numpy(bool)))].reset_index(drop=True)
