"""A way of your own to a model: register a kind, and `kind/<model>` works wherever a model is named.

python examples/own_provider.py
"""

import asyncio
import tempfile
from pathlib import Path

from proctor.data.schemas import Question
from proctor.exam import run_exam
from proctor.models import providers
from proctor.models.messages import Reply, Request
from proctor.models.registry import Spec
from proctor.models.session import Session


class Calculator:
    """Answers sums. A provider makes one attempt a `send`; it raises `endings.CallError` where that fails."""

    def __init__(self, model: Spec, timeout: float):
        self.model, self.timeout = model, timeout

    async def send(self, request: Request) -> Reply:
        asked = request.messages[-1]["content"].removeprefix("What is ").rstrip("?")
        total = sum(int(number) for number in asked.split("+"))
        return Reply(f"Explanation: added.\nExact Answer: {total}\nConfidence: 99%", completion_tokens=12)

    async def close(self) -> None:
        pass


async def main() -> None:
    providers.register("calculator", Calculator)  # with key_env="MY_KEY" where it needs a key
    questions = [Question(id=f"q{n}", question=f"What is {n} + {n}?", answer=str(2 * n)) for n in range(5)]
    setup = run_exam.Setup(questions, ["calculator/sums"]).checked()
    with tempfile.TemporaryDirectory() as folder:
        # "none": it has no price in params/prices.yaml, and costs nothing
        async with Session("auto", cache=Path(folder) / "replies.sqlite", budget="none") as session:
            answers = await run_exam.sit(session, setup)
    print(answers[["model", "question_id", "answer", "right", "decided_by"]])


if __name__ == "__main__":
    asyncio.run(main())
