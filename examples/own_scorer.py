"""Score answers by a rule of your own: here numbers that are off by at most two per cent count as right.

python examples/own_scorer.py
"""

import asyncio

from proctor import paths
from proctor.data.questions import load_questions
from proctor.exam.run_exam import run_exam
from proctor.models.session import Session
from proctor.stats.proportions import wilson


def nearly(answer: str | None, key: str) -> bool:
    """Equal as text, or as numbers within two per cent."""
    try:
        return abs(float(answer or "nan") - float(key)) <= 0.02 * abs(float(key))
    except ValueError:
        return (answer or "").strip().casefold() == key.strip().casefold()


async def main() -> None:
    questions = load_questions(paths.ROOT / "data/examples/exam_questions.jsonl")
    keys = {question.id: question.answer for question in questions}
    async with Session("replay") as session:
        answers = await run_exam(session, ["smollm2-135m", "qwen2.5-coder-1.5b"], questions)
    answers["nearly"] = [nearly(row.answer, keys[row.question_id]) for row in answers.itertuples()]
    for model, part in answers.groupby("model", sort=False):
        low, high = wilson(int(part["nearly"].sum()), len(part))
        ours = f"Proctor's comparison {part['correct'].mean():.0%}"
        print(f"{model}: {part['nearly'].mean():.0%} [{low:.0%}, {high:.0%}], {ours}")


if __name__ == "__main__":
    asyncio.run(main())
