"""Two checks of your own: a program, and a prompt. Both are then written like any other in a validator.

python examples/own_check.py
"""

import asyncio
import tempfile
from pathlib import Path

from proctor import paths
from proctor.data.answers import load_asked
from proctor.data.schemas import Answer, Question
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import shown_plan, study
from proctor.uq import checks, programs
from proctor.uq.run_validator import Run, validate

EXAMPLES = paths.ROOT / "data/examples"

PROMPT = """---
version: 1
paper: none, an example
asks: whether a candidate answer is polite
output: verdict
max_tokens: 16
---
# user
Is this answer polite? {{answer}}
(It was given to: {{question}})
"""


@programs.program("commits")
def commits(question: Question, answer: Answer) -> tuple[bool | None, str]:
    """Accepts an answer that states one, rejects one that does not, and says why."""
    stated = "Answer:" in answer.text and answer.text.partition("Answer:")[2].strip() != ""
    return stated, "states an answer" if stated else "states none"


async def main() -> None:
    questions, answers = load_asked(EXAMPLES / "answers.jsonl", EXAMPLES / "exam_questions.jsonl")
    async with Session("replay") as session:
        verdicts = await validate(session, Run("commits => C", ["qwen2.5-coder-0.5b"]), questions, answers)
    print(verdicts["outcome"].value_counts().to_string())

    checks.register("Polite", "own/polite")  # one call, by the prompt <prompts_dir>/own/polite.md
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "own").mkdir()
        (Path(folder) / "own/polite.md").write_text(PROMPT)
        run = Run("commits => Polite", ["openai/gpt-4o"], settings=Settings(prompts_dir=folder))
        async with Session("auto") as session:
            await shown_plan(session, study(validate, run, questions, answers))  # asks nothing


if __name__ == "__main__":
    asyncio.run(main())
