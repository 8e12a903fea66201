"""Model judges and a generative reward model as scorers of candidates (CBU, sections 2.2 and 4.3, appendix A.2).

A judge's score is one token here, so that the mean of infinitely many repeats at temperature 1 can be read from the
probabilities of one call: its expectation. A judge that writes a critique first is repeated instead.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from proctor.cbu.utility import TEMPERATURE
from proctor.data.schemas import Answer, Question
from proctor.models.final_line import final_mark
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import ask_table


@dataclass(frozen=True)
class Scale:
    """A judge: its prompt, and its marks, one character each, from the lowest score upwards.

    `thinks` says that words come before the score, so that its probabilities depend on them and repeats are needed.
    """

    prompt: str
    marks: str
    low: int = 0
    thinks: bool = False

    @property
    def scores(self) -> dict[str, int]:
        return {mark: self.low + i for i, mark in enumerate(self.marks)}


JUDGES = {
    "judge 1-10": Scale("cbu/judge_1_10", "123456789X", low=1),
    "judge 0-7": Scale("cbu/judge_0_7", "01234567"),
    "judge yes/no": Scale("uq/correctness", "NY"),  # UQ's correctness check: the expectation is P(accept)
    "generative reward": Scale("cbu/genrm", "01234", thinks=True),
}


def score_probabilities(reply: Reply, scale: Scale) -> np.ndarray | None:
    """Chance of each score at temperature 1, from the alternatives to the first token; sums to 1.

    None where the reply has no token probabilities or does not begin with a score. What the model would rather have
    said than a score is left out, as the grammar leaves it out.
    """
    said = "".join(token for token, _ in reply.tokens).lstrip()
    if said[:1] not in scale.scores or said[1:].lstrip()[:1] not in ("", "]"):  # a score, and not a sentence
        return None
    found = dict.fromkeys(scale.marks, 0.0)
    for token, logprob in reply.first.items():
        if token.strip() in found:
            found[token.strip()] += math.exp(logprob)
    mass = np.array(list(found.values()))
    return mass / mass.sum() if mass.sum() else None


def expected(reply: Reply, scale: Scale) -> float | None:
    """Mean score of infinitely many repeats at temperature 1; None without probabilities."""
    chances = score_probabilities(reply, scale)
    return None if chances is None else float(chances @ list(scale.scores.values()))


def stated_score(reply: Reply | str, scale: Scale, quoted: str = "", opening: str = "") -> int | None:
    """The [[score]] on the reply's last line, read as `models.final_line.final_mark` says; None if there is none.

    A number may stand for a mark ([[10]] for [[X]]). quoted and opening are the request's.
    """
    known = {mark.upper(): score for mark, score in scale.scores.items()} | {
        str(score): score for score in scale.scores.values() if scale.marks != "NY"
    }
    found = final_mark(reply, known, quoted, opening)
    return None if found is None else known[found.mark]


def score_request(
    judge: str,
    question: Question,
    answer: Answer,
    model: str,
    *,
    sample: int = 0,
    temperature: float = 0.0,
    settings: Settings | None = None,
) -> Request:
    """The call that has `model` score an answer."""
    return load(JUDGES[judge].prompt, settings).request(
        model, question=question.question, answer=answer.text, sample=sample, temperature=temperature
    )


async def ask_judges(
    session: Session,
    models: Sequence[str],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    judges: Sequence[str] = tuple(JUDGES),
    repeats: int | Mapping[str, int] = 0,
) -> pd.DataFrame:
    """One row a call: model, method, question_id, answer_id, sample, score (NaN: unreadable), expectation, chances (of
    each score, or None), reply, prompt_tokens, completion_tokens.

    repeats 0: one call at temperature 0, whose `expectation` is that of infinitely many repeats. Else so many calls (of
    each answer, or by question id) at TEMPERATURE, numbered from 1, to be averaged as the paper does with 64. A judge
    that thinks is always asked so, once if repeats is 0.
    """
    asked, calls = {question.id: question for question in questions}, []
    for model, judge, answer in product(models, judges, answers):
        question = asked[answer.question_id]
        times = (repeats if isinstance(repeats, int) else repeats[question.id]) or int(JUDGES[judge].thinks)
        for sample in range(1, times + 1) if times else (0,):
            row = dict(model=model, method=judge, question_id=answer.question_id, answer_id=answer.id, sample=sample)
            how = dict(temperature=TEMPERATURE if sample else 0.0, settings=session.settings)
            calls.append((row, score_request(judge, question, answer, model, sample=sample, **how)))

    def read(row: Mapping, request: Request, reply: Reply) -> dict:
        scale = JUDGES[row["method"]]
        return dict(
            score=stated_score(reply, scale, **request.shown),
            expectation=None if scale.thinks else expected(reply, scale),
            chances=None if scale.thinks else score_probabilities(reply, scale),
            reply=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )

    return (await ask_table(session, calls, "scores", read)).astype({"score": float, "expectation": float})
