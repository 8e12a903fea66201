"""An exam of one's own: ask the models, let a judge weigh what comparison can't decide.

setup = Setup(load_questions("mine.jsonl"), ["openai/o3"], judge="openai/gpt-4o")
async with Session("auto", budget=5, settings=Settings(effort="high")) as session:
    await shown_plan(session, partial(sit, setup=setup))             # models/studies.py; sends nothing
    answers = await sit(session, setup)          # columns of `run_exam`, with right and decided_by
write_predictions("predictions", answers, setup.questions)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam.formats import write_hle
from proctor.exam.run_exam import exam_request, judge_undecided, run_exam
from proctor.models.messages import Request
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.settings import Settings


@dataclass(frozen=True)
class Setup:
    """Questions, the models that answer them `samples` times each, and the judge ("": comparison alone decides).

    judge_all: everything is put to the judge, as in HLE's protocol, and its word counts."""

    questions: Sequence[Question]
    models: Sequence[str]
    judge: str = ""
    judge_all: bool = False
    samples: int = 1

    def checked(self, settings: Settings | None = None) -> "Setup":
        """Itself. Raises ValueError or ModelError for what can't be asked so, before any call."""
        settings = settings or Settings()
        if not self.models:
            raise ValueError("no model: name one or more")
        if twice := next((model for model in self.models if list(self.models).count(model) > 1), None):
            raise ValueError(f"model {twice} is named twice")
        if self.samples > 1 and not settings.temperature:
            raise ValueError(f"{self.samples} samples at temperature 0 are all the same: set a temperature")
        if self.judge_all and not self.judge:
            raise ValueError("judge_all needs a judge")
        for name in (*self.models, *filter(None, [self.judge])):
            spec(name)
        if without := [question for question in self.questions if question.answer is None]:
            others = f". If a column of another name holds them ({', '.join(without[0].extra)}): --column answer=COLUMN"
            raise ValueError(
                f"question {without[0].id} has no key (and {len(without) - 1} more): an exam needs one each"
                + (others if without[0].extra else "")
            )
        self.requests(settings)
        return self

    def requests(self, settings: Settings | None = None) -> list[Request]:
        """Every call for an answer. Pictures are not put to models that can't see them."""
        return [
            exam_request(model, question, sample=sample, settings=settings)
            for model in self.models
            for question in self.questions
            if not question.image or spec(model).images
            for sample in range(self.samples)
        ]  # fmt: skip


async def sit(session: Session, setup: Setup) -> pd.DataFrame:
    """One row a model, question and sample: the columns of `run_exam`, right (1, 0; NaN: the judge is unreadable) and
    decided_by. Without a judge what comparison can't decide is wrong, and decided_by is "nobody"."""
    setup.checked(session.settings)
    how = dict(samples=setup.samples, skip_unseen=True)
    answers = await run_exam(session, list(setup.models), list(setup.questions), **how)
    if not setup.judge:
        nobody = answers["undecided"].map({True: "nobody", False: "comparison"})
        return answers.assign(right=answers["correct"].astype(float), decided_by=nobody)
    return await judge_undecided(session, setup.judge, answers, list(setup.questions), everything=setup.judge_all)


def decisions(answers: pd.DataFrame) -> pd.DataFrame:
    """How answers were decided, one row a model: counts of answers, right, and of each `decided_by`."""
    counted = answers.groupby("model", sort=False).agg(
        answers=("right", "size"), right=("right", "sum"), unreadable=("right", lambda values: int(values.isna().sum()))
    )
    ways = pd.crosstab(answers["model"], answers["decided_by"]).add_prefix("by ").rename_axis(columns=None)
    return counted.astype(int).join(ways)


def write_predictions(folder: str | Path, answers: pd.DataFrame, questions: Sequence[Question]) -> list[Path]:
    """HLE's judged files, one a model and sample (`exam.formats`). Returns their paths.

    Where no judge was asked the reasoning says how the answer was decided, and nothing is invented beside it."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    rows = answers.assign(
        judge_answer=answers["answer"].where(answers["answer"].notna(), ""),
        judge_reasoning="decided by " + answers["decided_by"],
        judge_confidence=answers["confidence"],
    )
    written = []
    for (model, sample), part in rows.groupby(["model", "sample"], sort=False):
        name = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in str(model))
        written.append(Path(folder) / f"{name}{f'.{sample + 1}' if rows['sample'].max() else ''}.json")
        write_hle(written[-1], part, questions)
    return written
