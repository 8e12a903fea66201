import asyncio

import pandas as pd
import pytest
from proctor.cbu.neighbours import (
    agreed,
    filter_by_agreement,
    generated,
    solve_drafts,
)
from proctor.data.schemas import Question
from proctor.models.messages import Reply
from proctor.models.prompts import load

from .answering import Answering

SUM = Question(id="sum", question="What is 2 + 3?", answer="5", cluster="sums", level=1)
MODEL = "smollm2-135m"


class Model(Answering):
    """Writes `variants` in turn, answers `answers` by model."""

    def __init__(self, variant="{} Again?", answers=None):
        super().__init__()
        self.variant, self.answers = variant, answers or {}

    def reply(self, asked):
        if asked.prompt.startswith("cbu/variant"):
            return Reply(self.variant.format(asked.messages[-1]["content"]))
        return Reply(f"Explanation: so.\nExact Answer: {self.answers.get(asked.model, '7')}")


def test_variants_have_no_key_until_solvers_agree():
    drafts = asyncio.run(generated(Model(), MODEL, [SUM], n=2))
    assert [(d.id, d.question, d.answer) for d in drafts["sum"]] == [
        ("sum~g1", "What is 2 + 3? Again?", None),
        ("sum~g2", "What is 2 + 3? Again?", None),
    ]
    names = [MODEL, "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
    solved = asyncio.run(solve_drafts(Model(answers=dict(zip(names, ("7", "7.0", "8")))), names, drafts))
    kept, table = filter_by_agreement(drafts, solved, [SUM], quorum=2)
    assert [q.answer for q in kept["sum"]] == ["7"] and table["why"].tolist() == ["", "repeated"]
    assert filter_by_agreement(drafts, solved, [SUM], quorum=3)[0] == {}


@pytest.mark.parametrize(("text", "why"), [("what is  2 + 3?", "copy"), ("What is 1 + 1?", "repeated"), ("New?", "")])
def test_copies_and_repetitions_are_dropped(text, why):
    drafts = {"sum": [Question(id="sum~g1", question=text)]}
    solved = pd.DataFrame([dict(question_id="sum", neighbour="sum~g1", solver=s, answer="2") for s in "ab"])
    known = {"sum": [Question(id="sum~1", question="What is 1 + 1?", answer="2")]}
    assert filter_by_agreement(drafts, solved, [SUM], 2, known)[1]["why"].tolist() == [why]


@pytest.mark.parametrize(
    ("answers", "quorum", "key"),
    [
        (["7", "7.0", "8"], 2, "7"),
        (["7", "8", "9"], 1, None),
        (["7", None, None], 2, None),
        ([None] * 3, 1, None),
        (["7", "7", "8", "8"], 2, None),
        (["a cat", "A cat.", "dog"], 2, "a cat"),
        (["7", "7", "7"], 3, "7"),
        ([], 1, None),
    ],
)
def test_key_is_what_enough_solvers_agree_on_and_no_tie_is(answers, quorum, key):
    assert agreed(answers, quorum) == key


def test_worked_variants_of_the_prompt_differ_from_their_questions():
    messages = load("cbu/variant").messages
    pairs = [(messages[i][1], messages[i + 1][1]) for i in range(1, len(messages) - 1, 2)]
    assert len(pairs) == 2 and all(question != variant and variant.endswith("?") for question, variant in pairs)
