"""Seven candidate solutions of known kind to each generated question, and the neighbours it carries (CBU, section 4.2).

The paper's ten (CBU, section 4.2) are one human's, four right and five wrong ones of models, and its section 6 labels
the wrong ones with four kinds of error. Ours are made from the solutions that a generated question carries, so that
each has one planted flaw that everybody can check. All have the two lines in which models answer (HLE, section 4.1).

A model may write further neighbours: related questions whose key is what several solvers agree on (CBU, 7.2).
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from proctor.data.schemas import Answer, Question
from proctor.exam.recorded import families
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.session import Session
from proctor.models.studies import ask_table

AUTHOR = "planted"


@dataclass(frozen=True)
class Kind:
    """`error` is the paper's kind of error that is planted (CBU, section 6), "" for none.

    `method_right` is None where nothing is derived. The paper's check has two steps, answer and derivation, and a
    candidate that fails either is wrong; a bare right answer has no derivation to fail.
    """

    answer_right: bool
    method_right: bool | None
    error: str
    what: str

    @property
    def correct(self) -> bool:
        return self.answer_right and self.method_right is not False


# The paper's fourth kind, unjustified interpretation, is not planted: a generated question has one reading.
KINDS: dict[str, Kind] = {
    "right": Kind(True, True, "", "the author's solution; it stands for the paper's human one"),
    "short": Kind(True, None, "unjustified compression", "the right answer alone: an error of form, not of result"),
    "lucky": Kind(True, False, "incorrect reasoning", "the right answer under a derivation that leads elsewhere"),
    "wrong": Kind(False, False, "incorrect reasoning", "a misconception carried through to its answer"),
    "confident": Kind(False, False, "incorrect reasoning", "the same, stated with assurance"),
    "compressed": Kind(False, None, "unjustified compression", "the wrong answer, its steps called routine"),
    "authority": Kind(False, None, "external references", "the wrong answer, on the word of a named source"),
}

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


def load_candidates(levels: int = 1) -> tuple[list[Question], list[Answer]]:
    """One question of each of the 27 families at each of the first `levels` levels, and seven candidates to each."""
    questions = families(levels)
    return questions, candidates(questions)


def candidates(questions: Iterable[Question]) -> list[Answer]:
    """Seven Answers a question, in the order of KINDS, which is their `label`; id "<question>-<kind>".

    `correct` is the two-step check's outcome; KINDS[label].answer_right is that of the answer alone.
    """
    found = []
    for question in questions:
        found += labelled(question, _texts(question), KINDS, AUTHOR)
    return found


def labelled(question: Question, texts: Mapping[str, str], kinds: Mapping[str, Kind], author: str) -> list[Answer]:
    """An Answer of each kind, whose name is its `label`; texts: by kind."""
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


def _texts(question: Question) -> dict[str, str]:
    right, wrong = question.answer, question.extra["wrong_answer"]
    method = question.extra["right"].removesuffix(f" The answer is {right}.")
    astray = question.extra["wrong"].removesuffix(f" The answer is {wrong}.")
    way = zlib.crc32(question.id.encode()) % 3
    return {
        "right": _two_lines(method, right),
        "short": f"Exact Answer: {right}",
        "lucky": _two_lines(astray, right),
        "wrong": _two_lines(astray, wrong),
        "confident": _two_lines(_ASSURED[way].format(astray), wrong),
        "compressed": _two_lines(_LEFT_OUT[way], wrong),
        "authority": _two_lines(_CITED[way], wrong),
    }


def _two_lines(explanation: str, answer: str) -> str:
    return f"Explanation: {explanation}\nExact Answer: {answer}"


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
