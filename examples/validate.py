"""Put answers before a validator: a vote of three checks by one judge, then what is right among the accepted.

python examples/validate.py
"""

import asyncio

from proctor import paths
from proctor.data.answers import load_asked
from proctor.models.session import Session
from proctor.models.studies import shown_plan, study
from proctor.uq.run_validator import Run, validate

EXAMPLES = paths.ROOT / "data/examples"


async def main() -> None:
    questions, answers = load_asked(EXAMPLES / "answers.jsonl", EXAMPLES / "exam_questions.jsonl")
    asked = Run("[C, B, V] |M", ["qwen2.5-coder-0.5b"]), questions, answers
    async with Session("replay") as session:
        await shown_plan(session, study(validate, *asked))  # what it may cost; asks nothing
        verdicts = await validate(session, *asked)
    accepted = verdicts[verdicts["outcome"] == "accept"]
    print(f"{len(accepted)} of {len(verdicts)} accepted; right among them: {accepted['correct'].mean():.0%}")
    print(f"right among all: {verdicts['correct'].mean():.0%}")


if __name__ == "__main__":
    asyncio.run(main())
