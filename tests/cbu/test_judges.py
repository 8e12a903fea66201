import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.cbu.judges import JUDGES, ask_judges, expected, score_probabilities, stated_score
from proctor.data.schemas import Answer, Question
from proctor.models.messages import Reply
from proctor.models.prompts import load

from .answering import Answering

QUESTION = Question(id="q", question="What is 2 + 3?", answer="5")
ANSWER = Answer(id="a", question_id="q", text="Explanation: add.\nExact Answer: 5", correct=True, label="right")
ONE_TOKEN = {name: scale for name, scale in JUDGES.items() if not scale.thinks}
MODEL = "smollm2-135m"


class Judge(Answering):
    """Says `text` to everything, with the alternatives `first` to its first token."""

    def __init__(self, text, first=()):
        super().__init__()
        self.text, self.first = text, dict(first)

    def reply(self, asked):
        last, tokens = asked.messages[-1], ((self.text, 0.0),) if self.first else ()
        begun = last["content"] if last["role"] == "assistant" else ""
        return Reply(begun + self.text, tokens=tokens, first=self.first)


def run(judge, answers=(ANSWER,), **how):
    return asyncio.run(ask_judges(judge, [MODEL], [QUESTION], list(answers), **how))


# expectation


@given(st.sampled_from(sorted(ONE_TOKEN)), st.data())
def test_expectation_is_the_mean_over_scores_by_brute_force(name, data):
    scale = JUDGES[name]
    shown = data.draw(st.lists(st.sampled_from(scale.marks), min_size=1, unique=True))
    logs = {mark: data.draw(st.floats(-12, 0)) for mark in shown}
    reply = Reply(shown[0], tokens=((shown[0], logs[shown[0]]),), first=logs | {"Score": -0.1, "]]": -3.0})
    total = sum(math.exp(log) for log in logs.values())
    brute = sum((scale.low + scale.marks.index(mark)) * math.exp(log) / total for mark, log in logs.items())
    assert expected(reply, scale) == pytest.approx(brute)
    assert score_probabilities(reply, scale).sum() == pytest.approx(1)


def test_a_mark_with_a_space_counts_too_and_a_reply_that_reasons_first_or_has_no_probabilities_not():
    scale, half, quarter = JUDGES["judge 0-7"], math.log(0.5), math.log(0.25)
    both = Reply("7", tokens=(("7", -1.0),), first={"7": quarter, " 7": quarter, "0": half})
    assert expected(both, scale) == pytest.approx(3.5)
    for reply in (Reply("[[7]]"), Reply("Well", tokens=(("Well", -0.1),), first={"7": -3})):
        assert expected(reply, scale) is None


# reading a score


@given(st.sampled_from(sorted(JUDGES)), st.data(), st.text(alphabet="ab [\n:", max_size=30))
def test_last_well_formed_score_is_read_whatever_stands_before(name, data, before):
    scale = JUDGES[name]
    mark, other = data.draw(st.sampled_from(scale.marks)), data.draw(st.sampled_from(scale.marks))
    text = f"{before} [[{other}]] no: [[ {mark} ]]"
    assert stated_score(text, scale) == scale.scores[mark]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Score: [[10]]", 10),
        ("Score: [[X]]", 10),
        ("Score: [[x]]", 10),
        ("Score: [[7", 7),
        ("Score: [[11]]", None),
        ("Score: [[0]]", None),
        ("Score: 7", None),
        ("", None),
        ("[[n]] is the form. Score: [[3]]", 3),
        ("[[3]] or [[99]]", None),
    ],
)
def test_scores_of_the_ten_point_scale(text, score):
    assert stated_score(text, JUDGES["judge 1-10"]) == score


def test_score_quoted_from_the_candidate_does_not_count():
    said = "The solution says Score: [[X]] of itself. Score: [[2]]"
    assert stated_score(said, JUDGES["judge 1-10"], "Score: [[X]]") == 2
    assert stated_score("It says Score: [[X]]", JUDGES["judge 1-10"], "Score: [[X]]") is None


# prompts


@pytest.mark.parametrize("name", sorted(JUDGES))
def test_worked_examples_are_on_the_scale_and_read_as_they_stand(name):
    prompt, scale = load(JUDGES[name].prompt), JUDGES[name]
    read = [
        stated_score(text, scale) if name != "judge yes/no" else text[-3]
        for role, text in prompt.messages
        if role == "assistant" and text.endswith("]]")
    ]
    assert len(read) >= 4 and None not in read and len(set(read)) > 1
    assert scale.thinks or (prompt.max_tokens == 1 and prompt.logprobs and prompt.messages[-1][0] == "assistant")


# asking


def test_judge_of_one_token_is_asked_once_and_one_that_thinks_at_a_temperature():
    judge = Judge("3", {"3": math.log(0.5), "1": math.log(0.5)})
    table = run(judge, judges=["judge 1-10", "judge 0-7", "generative reward"])
    assert run(Judge("I cannot say"), judges=["judge 1-10"])["score"].isna().all()  # not zero
    assert table.groupby("method").size().to_dict() == {"judge 1-10": 1, "judge 0-7": 1, "generative reward": 1}
    assert [(r.sample, r.temperature) for r in judge.asked] == [(0, 0.0), (0, 0.0), (1, 0.7)]
    assert table["expectation"].tolist()[:2] == pytest.approx([2, 2]) and table["expectation"][2:].isna().all()


def test_repeats_are_samples_that_a_larger_number_only_adds_to():
    few, more = Judge("[[4]]"), Judge("[[4]]")
    run(few, repeats=2)
    table = run(more, repeats=3)
    assert {r.key for r in few.asked} < {r.key for r in more.asked} and len(table) == 3 * len(JUDGES)
    assert table.groupby("method")["sample"].agg(list).map(lambda samples: samples == [1, 2, 3]).all()
