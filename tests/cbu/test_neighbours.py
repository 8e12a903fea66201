import asyncio
import sys
import types

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.candidates import load_candidates
from proctor.cbu.neighbours import (
    agreed,
    filter_by_agreement,
    from_reasoning_gym,
    generated,
    information_per_rollout,
    neighbourhoods,
    related,
    shift_log_odds,
    solve_drafts,
)
from proctor.data.schemas import Question
from proctor.models.messages import Reply
from proctor.models.prompts import load
from proctor.models.settings import Settings

QUESTIONS = load_candidates(levels=(1, 2, 3))[0]
SUM = Question(id="sum", question="What is 2 + 3?", answer="5", cluster="sums", level=1)
MODEL = "smollm2-135m"


class Model:
    """Writes `variants` in turn, answers `answers` by model."""

    settings, stand_ins = Settings(), 0

    def __init__(self, variant="{} Again?", answers=None):
        self.variant, self.answers, self.asked = variant, answers or {}, []

    async def ask_many(self, requests, what=""):
        requests = list(requests)
        self.asked += requests
        return [
            Reply(self.variant.format(r.messages[-1]["content"]))
            if r.prompt.startswith("cbu/variant")
            else Reply(f"Explanation: so.\nExact Answer: {self.answers.get(r.model, '7')}")
            for r in requests
        ]


# related


def test_related_items_are_others_of_the_cluster_the_nearest_level_first():
    near = related(QUESTIONS, QUESTIONS, 2)
    by_id = {question.id: question for question in QUESTIONS}
    for name, others in near.items():
        assert {other.cluster for other in others} == {by_id[name].cluster} and name not in {o.id for o in others}
    assert [other.level for other in near["sums-2-01"]] == [1, 3]


def test_related_items_that_are_too_few_are_refused_by_name():
    with pytest.raises(ValueError, match="question 'sum' has 0 related items with a key in cluster 'sums', not 1"):
        related([SUM], [SUM, SUM.model_copy(update={"id": "open", "answer": None, "question": "What is 9 + 9?"})])


def test_items_of_reasoning_gym_are_a_pool_of_related_items(monkeypatch):
    def create_dataset(name, size, seed, top):
        return [dict(question=f"{name} {seed + i} of {top}?", answer=str(i), metadata={}) for i in range(size)]

    monkeypatch.setitem(sys.modules, "reasoning_gym", types.SimpleNamespace(create_dataset=create_dataset))
    pool = from_reasoning_gym("gcd", 3, 7, top=9)
    assert [(q.id, q.question, q.answer) for q in pool[:1]] == [("gcd-7-0", "gcd 7 of 9?", "0")]
    assert [q.id for q in related(pool[:1], pool, 2)["gcd-7-0"]] == ["gcd-7-1", "gcd-7-2"]


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "reasoning_gym", None)
    with pytest.raises(ModuleNotFoundError, match="install it beside proctor"):
        from_reasoning_gym("gcd", 3, 7)


# generated


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


# information of a rollout


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_information_is_the_mutual_information_by_brute_force(right, wrong, prior):
    joint = np.array([[prior * right, prior * (1 - right)], [(1 - prior) * wrong, (1 - prior) * (1 - wrong)]])
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    inside = joint > 1e-290  # below, the term is nil and its logarithm underflows
    brute = (joint[inside] * np.log2(joint[inside] / apart[inside])).sum()
    assert information_per_rollout(right, wrong, prior) == pytest.approx(brute, abs=1e-9)


def test_information_of_small_shifts_is_fishers_and_greatest_at_one_half():
    base, shift, prior = np.linspace(0, 1, 101), 0.02, 0.3
    found = information_per_rollout(
        shift_log_odds(base, (1 - prior) * shift), shift_log_odds(base, -prior * shift), prior
    )
    fisher = prior * (1 - prior) * shift**2 * base * (1 - base) / (2 * np.log(2))
    assert found == pytest.approx(fisher, rel=0.01, abs=1e-10)
    assert base[found.argmax()] == pytest.approx(0.5, abs=0.02) and found[[0, -1]] == pytest.approx([0, 0], abs=1e-12)


def test_shift_moves_the_log_odds():
    assert shift_log_odds(0.5, np.log(3)) == pytest.approx(0.75) and shift_log_odds([0.0, 1.0], 5) == pytest.approx(
        [0, 1]
    )


# the study


def test_study_asks_at_most_what_was_planned_and_each_source_the_same_candidates():
    model = Model()
    table = asyncio.run(neighbourhoods(model, ["qwen2.5-coder-1.5b"]))
    assert len({r.key for r in model.asked if r.model == "qwen2.5-coder-1.5b"}) == 198
    assert table.groupby("source").size().to_dict() == {"generated": 54, "related": 54, "written": 54}
    assert set(table["kind"]) == {"none", "right", "wrong"}


def test_study_goes_on_where_no_variant_is_kept():
    table = asyncio.run(neighbourhoods(Model(variant="{}"), [MODEL]))
    assert set(table["source"]) == {"related", "written"}
