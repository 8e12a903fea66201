"""Sit models before an exam, with a judge for what comparison can't decide.

python examples/exam.py
"""

import asyncio

import pandas as pd
from proctor import paths
from proctor.data.questions import load_questions
from proctor.exam import run_exam
from proctor.models.session import Session
from proctor.models.studies import shown_plan, study

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]


async def main() -> None:
    questions = load_questions(paths.ROOT / "data/examples/exam_questions.jsonl")
    setup = run_exam.Setup(questions, MODELS, judge="qwen2.5-coder-1.5b").checked()
    async with Session("replay") as session:  # "auto" asks what is not recorded, as `settings=Settings(...)` says
        await shown_plan(session, study(run_exam.sit, setup))  # sends nothing
        answers = await run_exam.sit(session, setup)
    print(answers.groupby("model")["right"].agg(["size", "sum", "mean"]))
    print(pd.crosstab(answers["model"], answers["decided_by"]))


if __name__ == "__main__":
    asyncio.run(main())
