"""Ask a model one question of an exam, through recordings and cache.

python examples/ask.py                      a recorded model, no key, no network
python examples/ask.py openai/gpt-4o auto   asks; the key is read from OPENAI_API_KEY, the reply is kept
"""

import asyncio
import sys

from proctor import paths
from proctor.data.questions import load_questions
from proctor.exam.run_exam import exam_request, extract_answer
from proctor.models.read_answer import stated
from proctor.models.session import Session


async def main(model: str = "qwen2.5-coder-1.5b", mode: str = "replay") -> None:
    question = load_questions(paths.ROOT / "data/examples/exam_questions.jsonl")[0]
    async with Session(mode, budget=0.5) as session:  # dollars, at most
        request = exam_request(model, question)
        print(session.plan([request]))
        reply = await session.ask(request)
    print(f"{question.question}\n{reply.text}")
    print(f"answer: {extract_answer(question, reply)}, confidence: {stated(reply).confidence}, key: {question.answer}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
