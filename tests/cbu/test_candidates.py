"""Candidates of known kind, and neighbours: those that a question carries, and those that a model writes."""

import asyncio
import re
from functools import cache

import pytest
from proctor.cbu.candidates import (
    AUTHOR,
    KINDS,
    drafted,
    load_candidates,
    written,
)
from proctor.data.schemas import Question
from proctor.exam.answer_match import classes, plain_text
from proctor.exam.words import same_answer
from proctor.models.messages import Reply
from proctor.models.prompts import load

from .answering import Answering

QUESTIONS, ANSWERS = load_candidates()


def last_line(answer):
    return answer.text.splitlines()[-1].removeprefix("Exact Answer: ")


def test_every_question_has_one_candidate_of_each_kind_in_order():
    assert len(QUESTIONS) == 27 and len({answer.id for answer in ANSWERS}) == 27 * len(KINDS)
    for question in QUESTIONS:
        assert [a.label for a in ANSWERS if a.question_id == question.id] == list(KINDS)


def test_stated_answers_are_right_and_wrong_as_their_kind_says():
    keys = {question.id: question.answer for question in QUESTIONS}
    for answer in ANSWERS:
        assert (last_line(answer) == keys[answer.question_id]) == KINDS[answer.label].answer_right
        assert answer.correct == KINDS[answer.label].correct and answer.author == AUTHOR


def test_kinds_without_derivation_repeat_no_step_of_the_worked_solutions():
    for question in QUESTIONS:
        numbers = set(re.findall(r"\d+", question.extra["right"] + question.extra["wrong"]))
        for kind in ("short", "compressed", "authority"):
            said = next(a.text for a in ANSWERS if a.id == f"{question.id}-{kind}").splitlines()[:-1]
            assert not numbers & set(re.findall(r"\d+", " ".join(said)))


def test_lucky_holds_the_derivation_of_wrong_under_the_answer_of_right():
    texts = {answer.id: answer.text for answer in ANSWERS}
    for question in QUESTIONS:
        parts = {kind: texts[f"{question.id}-{kind}"].rsplit("\n", 1) for kind in KINDS}
        assert parts["lucky"] == [parts["wrong"][0], parts["right"][1]] != parts["wrong"]
        assert parts["wrong"][0].removeprefix("Explanation: ") in parts["confident"][0]


def test_phrases_vary_over_questions():
    assert len({a.text.splitlines()[0] for a in ANSWERS if a.label == "compressed"}) == 3


def test_written_neighbours_are_other_questions_with_keys_that_copying_does_not_give():
    found = written(QUESTIONS, 2)
    for question in QUESTIONS:
        near = found[question.id]
        assert len({question.question, *(other.question for other in near)}) == 3
        assert all(other.answer not in (question.answer, question.extra["wrong_answer"]) for other in near)
        assert found[question.id][:1] == written([question], 1)[question.id]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: written(QUESTIONS[:1], 0), "carries 3 neighbours, not 0"),
        (lambda: written(QUESTIONS[:1], 4), "carries 3 neighbours, not 4"),
    ],
)
def test_what_a_question_does_not_carry_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# neighbours that a model writes

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


def test_variants_have_no_key_and_are_solved_by_all():
    names = [MODEL, "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
    solving = Model(answers=dict(zip(names, ("7", "7.0", "8"))))
    drafts, solved = asyncio.run(drafted(solving, [SUM], MODEL, names))
    assert [(d.id, d.question, d.answer) for d in drafts["sum"]] == [("sum~g1", "What is 2 + 3? Again?", None)]
    assert asyncio.run(drafted(Model(" "), [SUM], MODEL, names))[0] == {"sum": []}
    assert solved["answer"].tolist() == ["7", "7.0", "8"] and set(solved["neighbour"]) == {"sum~g1"}


@pytest.mark.parametrize(
    "text, answers, fate",
    [
        ("what is  2 + 3?", ["7", "7"], "copy"),
        ("What is 1 + 1?", ["7", "7"], "repeated"),
        ("New?", ["7", "7.0", "8"], "kept"),
        ("New?", ["a cat", "A cat.", "dog"], "kept"),
        ("New?", ["7", "8", "9"], "no agreement"),
        ("New?", ["7", "7", "8", "8"], "no agreement"),
        ("New?", ["7", None, None], "no agreement"),
    ],
)
def test_a_draft_is_kept_that_is_new_and_whose_answer_most_solvers_give(text, answers, fate, defined):
    becomes = defined(
        "cbu/3_budget", cache=cache, classes=classes, plain_text=plain_text, same_answer=same_answer
    ).becomes
    assert becomes(text, SUM.question, ["What is 1 + 1?"], answers) == fate


def test_worked_variants_of_the_prompt_differ_from_their_questions():
    messages = load("cbu/variant").messages
    pairs = [(messages[i][1], messages[i + 1][1]) for i in range(1, len(messages) - 1, 2)]
    assert len(pairs) == 2 and all(question != variant and variant.endswith("?") for question, variant in pairs)
