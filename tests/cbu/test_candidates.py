"""Candidates of known kind, neighbours that are there or that a model writes, and what is rolled out after the arms."""

import asyncio
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from proctor.cbu import candidates as cbu
from proctor.cbu.candidates import AUTHOR, KINDS, drafted, load_candidates, planted, written
from proctor.cbu.utility import NONE
from proctor.data.questions import load_families
from proctor.data.schemas import Question
from proctor.exam.answer_match import classes, plain_text
from proctor.generated.worked import EQUATION
from proctor.models.messages import Reply
from proctor.models.prompts import load
from proctor.models.read_answer import stated

from .answering import Answering

QUESTIONS, ANSWERS = load_candidates()
FRESH = load_families(2, "families-v2")


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
    becomes = defined("cbu/3_budget", cache=cache, classes=classes, plain_text=plain_text).becomes
    assert becomes(text, SUM.question, ["What is 1 + 1?"], answers) == fate


def test_worked_variants_of_the_prompt_differ_from_their_questions():
    messages = load("cbu/variant").messages
    pairs = [(messages[i][1], messages[i + 1][1]) for i in range(1, len(messages) - 1, 2)]
    assert len(pairs) == 2 and all(question != variant and variant.endswith("?") for question, variant in pairs)


# the arms of families-v2, their studies, and effects on made-up rollouts


def test_arms_say_what_they_are():
    for question in FRESH[::5]:
        found = {answer.label: answer for answer in planted([question])}
        wrong = question.extra["wrongs"][0]["answer"]
        finals = dict.fromkeys(("right", "right again", "wrong", "lucky"), question.answer) | {"wrong": wrong}
        assert {arm: stated(answer.text).answer for arm, answer in found.items()} == finals | {"confident": wrong}
        steps = {arm: EQUATION.findall(answer.text) for arm, answer in found.items()}
        assert steps["right"] == steps["right again"] != steps["wrong"] == steps["lucky"] == steps["confident"]
        assert found["right"].text != found["right again"].text
        assert [answer.correct for answer in found.values()] == [True, True, False, False, False]


def test_the_first_study_is_part_of_the_larger_ones(fake_model):
    core = asyncio.run(cbu.core(fake_model))
    first = {request.key for request in fake_model.asked if request.prompt.startswith("cbu/")}
    n = core["question_id"].nunique()
    assert n == cbu.QUESTIONS and len(core) == n * 2 * cbu.FIRST * 3
    for study, rollouts in ((cbu.more_arms, cbu.FIRST), (cbu.all_arms, cbu.ROLLOUTS)):
        fake_model.asked.clear()
        found = asyncio.run(study(fake_model))
        assert first <= {request.key for request in fake_model.asked}
        assert set(found["kind"]) == {NONE, *cbu.ARMS, *cbu.NATURAL}
        assert len(found) == n * 2 * rollouts * (1 + len(cbu.ARMS) + 2)
    shown = next(request for request in fake_model.asked if request.prompt.startswith("cbu/rollout_steps"))
    assert shown.seeds == "request" and shown.max_tokens >= 320 and shown.prefix == len(shown.messages) - 1


def test_judges_score_the_candidates_of_the_first_study(fake_model, monkeypatch):
    asked = []

    async def noted(session, models, questions, answers, judges):
        asked.extend(answers)

    monkeypatch.setattr(cbu, "ask_judges", noted)
    asyncio.run(cbu.core_judges(fake_model))
    assert len(asked) == 2 * cbu.QUESTIONS and {answer.label for answer in asked} == {"right", "wrong"}


def test_auc_of_a_question_is_one_half_for_a_tie_and_missing_without_a_score():
    right, wrong = pd.Series([1.0, 0.5, 0.2, np.nan]), pd.Series([0.5, 0.5, 0.4, 0.1])
    assert cbu.ranks_right(right, wrong).tolist()[:3] == [1, 0.5, 0]
    assert np.isnan(cbu.ranks_right(right, wrong)[3])


def test_families_where_the_method_carries_over_come_first_by_their_effect():
    solved = {"ages": {NONE: 2, "right": 3, "wrong": 2}, "tank": {NONE: 2, "right": 4, "wrong": 2}}
    solved["long_sum"] = {NONE: 2, "right": 4, "wrong": 0}  # nothing carries over
    rolled = pd.DataFrame(
        [
            dict(question_id=f"{family}-1-0{q}", category=family, kind=arm, correct=i < many)
            for family, arms_of in solved.items()
            for arm, many in arms_of.items()
            for q in (1, 2)
            for i in range(4)
        ]
    )
    table = cbu.by_family(rolled)
    assert table["category"].tolist() == ["tank", "ages", "long_sum"] and (table["questions"] == 2).all()
    assert table["carries_over"].tolist() == [True, True, False] and table["right"].tolist() == [1, 0.75, 1]


def test_ties_and_unknown_scores_have_their_share_and_no_interval():
    index = list("abcd")
    right, half = pd.Series([1, 0.5, 0.0, 1], index), pd.Series(0.5, index)
    pairs = {"known": (right, half), "unknown": (right * np.nan, half)}
    table = cbu.over_both_units(pairs, pd.Series(list("uuvv"), index)).set_index("effect")
    assert table.loc["known", "ties"] == 0.25 and table.loc["known", "difference"] == 0.125
    assert table.loc["unknown", ["difference", "low", "here_low"]].isna().all()
