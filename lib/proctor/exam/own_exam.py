"""An exam of one's own: ask the models, let a judge weigh what comparison can't decide, say before what it costs.

setup = Setup(load_questions("mine.jsonl"), ["openai/o3"], judge="openai/gpt-4o")
print(bill(session, setup))
answers = await sit(session, setup)              # columns of `run_exam`, with right and decided_by
write_predictions("predictions", answers, setup.questions)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam.formats import write_hle
from proctor.exam.run_exam import exam_request, judge_request, judge_undecided, run_exam
from proctor.models.messages import Request
from proctor.models.registry import price, spec
from proctor.models.session import Session

BYTES = 4  # of a reply's token, where a judge is sent it: as many tokens at most, whoever counts them


@dataclass(frozen=True)
class Setup:
    """Questions, the models that answer them `samples` times each, and the judge ("": comparison alone decides).

    judge_all: everything is put to the judge, as in HLE's protocol, and its word counts."""

    questions: Sequence[Question]
    models: Sequence[str]
    judge: str = ""
    judge_all: bool = False
    samples: int = 1
    temperature: float = 0.0
    prompts_dir: str | None = None

    def checked(self) -> "Setup":
        """Itself. Raises ValueError or ModelError for what can't be asked, before any call."""
        if not self.models:
            raise ValueError("no model: name one or more")
        if twice := next((model for model in self.models if list(self.models).count(model) > 1), None):
            raise ValueError(f"model {twice} is named twice")
        if self.samples > 1 and self.temperature == 0:
            raise ValueError(f"{self.samples} samples at temperature 0 are all the same: set a temperature")
        if self.judge_all and not self.judge:
            raise ValueError("judge_all needs a judge")
        for name in (*self.models, *filter(None, [self.judge])):
            spec(name)
        if without := [question.id for question in self.questions if question.answer is None]:
            raise ValueError(f"question {without[0]} has no key (and {len(without) - 1} more): an exam needs one each")
        self.requests()
        return self

    def requests(self) -> list[tuple[Request, Question]]:
        """Every call for an answer. Pictures are not put to models that can't see them."""
        return [
            (exam_request(model, question, sample=sample, temperature=self.temperature, prompts_dir=self.prompts_dir),
             question)
            for model in self.models
            for question in self.questions
            if not question.image or spec(model).images
            for sample in range(self.samples)
        ]  # fmt: skip


@dataclass(frozen=True)
class Bill:
    """What is kept and what is still to ask, at most. dollars: an upper bound; None where a model has no price."""

    calls: int
    kept: int
    judgements: int
    dollars: float | None

    @property
    def to_ask(self) -> int:
        return self.calls - self.kept

    def __str__(self) -> str:
        cost = "no price known" if self.dollars is None else f"at most ${self.dollars:,.2f}"
        judged = f", at most {self.judgements:,} calls to the judge" if self.judgements else ""
        return f"{self.calls:,} calls for answers: {self.kept:,} kept, {self.to_ask:,} to ask{judged}; {cost}"


def bill(session: Session, setup: Setup) -> Bill:
    """The plan of all calls. An upper bound: each byte that is sent is a token, each reply as long as it may be, and
    the judge is put every answer that is still to come."""
    asked = setup.requests()
    plan = session.plan([request for request, _ in asked])
    dollars = plan.dollars
    open_ones = [each for each in asked if setup.judge and session.plan([each[0]]).to_ask]
    cost = price(setup.judge) if open_ones else (0.0, 0.0)
    for answer, question in open_ones:
        if dollars is None or cost is None:
            dollars = None
            break
        judged = judge_request(setup.judge, question, "", setup.prompts_dir)
        dollars += (judged.most_tokens + BYTES * answer.max_tokens) * cost[0] + judged.max_tokens * cost[1]
    return Bill(plan.calls, plan.calls - plan.to_ask, len(open_ones), dollars)


async def sit(session: Session, setup: Setup) -> pd.DataFrame:
    """One row a model, question and sample: the columns of `run_exam`, right (1, 0; NaN: the judge is unreadable) and
    decided_by. Without a judge what comparison can't decide is wrong, and decided_by is "nobody"."""
    how = dict(samples=setup.samples, temperature=setup.temperature, prompts_dir=setup.prompts_dir, skip_unseen=True)
    answers = await run_exam(session, list(setup.models), list(setup.questions), **how)
    if not setup.judge:
        nobody = answers["undecided"].map({True: "nobody", False: "comparison"})
        return answers.assign(right=answers["correct"].astype(float), decided_by=nobody)
    rest = (setup.judge, answers, list(setup.questions), setup.prompts_dir, setup.judge_all)
    return await judge_undecided(session, *rest)


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
