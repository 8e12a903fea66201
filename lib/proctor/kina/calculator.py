"""The gain by a tool, paired: the same questions with a calculator that the model may call, and without one.

With it the model names one operation per turn and gets the result, until it gives an answer or has had all its turns.
Alone it writes what each step finds. A turn that is bound to the operation lacks these words: the first study
(`tool_gain`) showed that the model then loses its way. So a second one (`tool_steps`), added after that result, has the
model write what the step finds before it names the operation.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam import screening
from proctor.exam.run_exam import exam_request, grade
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.session import Session

QUESTIONS, TURNS = 80, 9
CALL = re.compile(r"[A-Z][^\n:=]{4,60}: (\d{1,6}) ([-+x/]) (\d{1,6})(?: =)?")  # what it finds, or "Calculate"
PROMPT, STEPS = "kina/answer_calculator", "kina/answer_calculator_steps"


def result(text: str) -> str | None:
    """What the calculator says to a turn; None where the turn is no call.

    >>> [result(f"Calculate: {sum}") for sum in ("4 x 6", "7 / 2", "3 - 8", "5 / 0")]
    ['24', '3.5', '-5', 'not defined']
    >>> result("The eggs in all boxes: 4 x 6 ="), result("Exact Answer: 24"), result("Calculate: 2 ** 9")
    ('24', None, None)
    """
    if not (call := CALL.fullmatch(text.strip())):
        return None
    left, operator, right = int(call[1]), call[2], int(call[3])
    if operator == "/":
        return f"{left / right:.10g}" if right else "not defined"
    return str({"+": left + right, "-": left - right, "x": left * right}[operator])


async def with_calculator(
    session: Session, model: str, questions: Sequence[Question], prompt: str = PROMPT
) -> list[list[Reply]]:
    """The replies of each question's conversation; all questions take their next turn together."""
    asked = load(prompt)
    requests: dict[int, Request] = {i: asked.request(model, question=q.question) for i, q in enumerate(questions)}
    said: list[list[Reply]] = [[] for _ in questions]
    for turn in range(1, TURNS + 1):
        replies = await session.ask_many(requests.values(), f"turn {turn}")
        for (i, request), reply in zip(list(requests.items()), replies):
            said[i].append(reply)
            if (found := result(reply.text)) is None:
                del requests[i]
            else:
                more = ({"role": "assistant", "content": reply.text}, {"role": "user", "content": f"Result: {found}"})
                requests[i] = replace(request, messages=(*request.messages, *more))
        if not requests:
            break
    return said


def copies_last_result(turns: Sequence[Reply]) -> bool:
    """Whether a conversation's answer is what the calculator said last."""
    return len(turns) > 1 and stated(turns[-1]).answer == result(turns[-2].text)


async def tool_gain(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = QUESTIONS,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """One row a model and fresh question: category, level, without and with (whether the answer is right), calls,
    copies (`copies_last_result`), and completion tokens of both. A conversation without an answer is wrong."""
    questions = await screening.asked(session, n, version)
    table = []
    for model in models:
        alone = await session.ask_many(
            [exam_request(model, question, prompt=screening.PROMPT) for question in questions], "without calculator"
        )
        helped = await with_calculator(session, model, questions)
        for question, reply, turns in zip(questions, alone, helped):
            row = dict(model=model, question_id=question.id, category=question.category, level=question.level)
            row |= {"without": grade(question, stated(reply).answer), "tokens without": reply.completion_tokens}
            table.append(row | _told(question, turns, "with"))
    return pd.DataFrame(table)


async def tool_steps(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = QUESTIONS,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """The same questions with steps in words before each call: model, question_id, with steps, calls with steps,
    copies with steps and tokens with steps."""
    questions = await screening.asked(session, n, version)
    rows = [
        {"model": model, "question_id": question.id} | _told(question, turns, "with steps")
        for model in models
        for question, turns in zip(questions, await with_calculator(session, model, questions, prompt=STEPS))
    ]
    return pd.DataFrame(rows)


def _told(question: Question, turns: Sequence[Reply], arm: str) -> dict[str, float]:
    """What a conversation comes to, as the columns of its arm."""
    end = "" if arm == "with" else f" {arm}"  # the columns calls and copies of the first study have none
    return {
        arm: grade(question, stated(turns[-1]).answer),
        f"calls{end}": sum(result(turn.text) is not None for turn in turns),
        f"copies{end}": copies_last_result(turns),
        f"tokens {arm}": sum(turn.completion_tokens for turn in turns),
    }


STUDIES = {"kina.tool_gain": tool_gain, "kina.tool_steps": tool_steps}
MORE_STUDIES = {f"{name}.more": partial(one, version=screening.MORE) for name, one in STUDIES.items()}
