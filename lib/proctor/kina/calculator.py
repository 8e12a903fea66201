"""The gain by a tool, paired: the same questions with a calculator that the model may call, and without one.

With it the model names one operation a turn and is told the result, until it gives an answer or has had all its turns.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam import natural, screening
from proctor.exam.run_exam import exam_request, grade
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.session import Session

QUESTIONS, TURNS = 80, 9
EXPECTED = {"with less without": (0.65, 0.45, 0.3)}  # rates and correlation, guessed before the study
CALL = re.compile(r"Calculate: (\d{1,6}) ([-+x/]) (\d{1,6})")


def result(text: str) -> str | None:
    """What the calculator says to a turn; None where the turn is no call.

    >>> [result(f"Calculate: {sum}") for sum in ("4 x 6", "7 / 2", "3 - 8", "5 / 0")], result("Exact Answer: 24")
    (['24', '3.5', '-5', 'not defined'], None)
    """
    if not (call := CALL.fullmatch(text.strip())):
        return None
    left, operator, right = int(call[1]), call[2], int(call[3])
    if operator == "/":
        return f"{left / right:.10g}" if right else "not defined"
    return str({"+": left + right, "-": left - right, "x": left * right}[operator])


async def with_calculator(
    session: Session, model: str, questions: Sequence[Question], turns: int = TURNS
) -> list[list[Reply]]:
    """The replies of each question's conversation; all questions take their next turn together."""
    prompt = load("kina/answer_calculator")
    requests: dict[int, Request] = {i: prompt.request(model, question=q.question) for i, q in enumerate(questions)}
    said: list[list[Reply]] = [[] for _ in questions]
    for turn in range(1, turns + 1):
        replies = await session.ask_many(requests.values(), f"turn {turn}")
        for (i, request), reply in zip(list(requests.items()), replies):
            said[i].append(reply)
            if (told := result(reply.text)) is None:
                del requests[i]
            else:
                more = ({"role": "assistant", "content": reply.text}, {"role": "user", "content": f"Result: {told}"})
                requests[i] = replace(request, messages=(*request.messages, *more))
        if not requests:
            break
    return said


async def tool_gain(session: Session, models: Sequence[str] = (screening.MODEL,), n: int = QUESTIONS) -> pd.DataFrame:
    """One row a model and fresh question: category, level, without and with (whether the answer is right), calls, and
    completion tokens of both. A conversation that ends without an answer is wrong."""
    questions = screening.fresh(await natural.kept_cells(session), n)
    table = []
    for model in models:
        alone = await session.ask_many(
            [exam_request(model, question, prompt=screening.PROMPT) for question in questions], "without calculator"
        )
        helped = await with_calculator(session, model, questions)
        for question, reply, turns in zip(questions, alone, helped):
            table.append(
                {
                    "model": model,
                    "question_id": question.id,
                    "category": question.category,
                    "level": question.level,
                    "without": grade(question, stated(reply).answer),
                    "with": grade(question, stated(turns[-1]).answer),
                    "calls": sum(result(turn.text) is not None for turn in turns),
                    "tokens without": reply.completion_tokens,
                    "tokens with": sum(turn.completion_tokens for turn in turns),
                }
            )
    return pd.DataFrame(table)


STUDIES = {"kina.tool_gain": tool_gain}
