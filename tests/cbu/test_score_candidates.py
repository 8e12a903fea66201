import asyncio
import json

import numpy as np
import pytest
from proctor.cbu.candidates import load_candidates, written
from proctor.cbu.judges import JUDGES
from proctor.cbu.score_candidates import (
    final_answer,
    majority_score,
    score_all,
)
from proctor.data.answers import load_pairs
from proctor.data.schemas import Answer
from proctor.models.messages import Reply
from proctor.paths import ROOT

from .answering import Answering

MODEL = "smollm2-135m"
SHARED = ROOT.parent / "shared/data/judgebench"
QUESTIONS, ANSWERS = (rows[:n] for rows, n in zip(load_candidates(), (2, 14)))


class Model(Answering):
    """Solves what follows a right candidate, scores 3 of all scales."""

    def reply(self, asked):
        if not asked.prompt.startswith(("cbu/rollout", "cbu/solve")):
            mark = "Y" if asked.prompt.startswith("uq") else "3"
            one = asked.max_tokens == 1
            return Reply(f"[[{mark}]]", tokens=((mark, 0.0),) if one else (), first={mark: 0.0} if one else {})
        keys = {near.question: near.answer for list_ in written(QUESTIONS, 2).values() for near in list_}
        shown = asked.messages[-2]["content"]
        right = any(shown == a.text for a in ANSWERS if a.label == "right")
        return Reply(f"Exact Answer: {keys[asked.messages[-1]['content']] if right else 'none'}")


def run(model=None, questions=QUESTIONS, answers=ANSWERS, **how):
    return asyncio.run(score_all(model or Model(), [MODEL], questions, answers, **how))


def test_every_method_scores_the_same_candidates_and_says_its_calls():
    async def later(question, answer):
        return len(question.question)

    table = run(near=written(QUESTIONS, 2), rewards={"reward": lambda q, a: 1.5, "later": later})
    assert table.loc[table["method"] == "later", "score"].iloc[0] == len(QUESTIONS[0].question)
    assert set(table["method"]) == {"length", "reward", "later", "majority of candidates", "utility", *JUDGES}
    for _, part in table.groupby(["method", "model"]):
        assert part["answer_id"].tolist() == [a.id for a in ANSWERS] and part["score"].notna().all()
    assert table.groupby("method")["calls"].unique().map(list).to_dict() == {
        "length": [0],
        "reward": [1],
        "later": [1],
        "majority of candidates": [0],
        "utility": [2],
    } | dict.fromkeys(JUDGES, [1])
    utility = table[table["method"] == "utility"]
    assert (utility["score"] == (utility["kind"] == "right")).all()


@pytest.mark.parametrize("calls", [1, 3])
def test_utility_spends_the_budget_on_each_candidate_and_no_more(calls):
    model = Model()
    table = run(model, near=written(QUESTIONS, 2), calls=calls, judges=())
    assert table.loc[table["method"] == "utility", "calls"].eq(calls).all()
    assert sum(r.prompt.startswith("cbu/rollout") for r in model.asked) == calls * len(ANSWERS)


def test_given_votes_count_by_their_final_answers_and_else_the_other_candidates_vote():
    votes = {q.id: [q.answer, q.answer, q.extra["wrong_answer"], None] for q in QUESTIONS}
    found, among = majority_score(ANSWERS, votes), majority_score(ANSWERS)
    name = QUESTIONS[0].id
    assert [found[f"{name}-{kind}"] for kind in ("right", "lucky", "wrong")] == [0.5, 0.5, 0.25]
    assert [among[f"{name}-{kind}"] for kind in ("right", "compressed")] == pytest.approx([2 / 6, 3 / 6])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Explanation: so.\nExact Answer: 12", "12"),
        ("so \\boxed{3}.\nSo \\boxed{ab}", "ab"),
        ("so \\boxed{3} and \\boxed{ab}", "\\boxed{3} and \\boxed{ab}"),
        ("It is\nHHHHH", "H"),
        ("no end", None),
        ("ABCDE", None),
    ],
)
def test_final_answers_are_read_in_the_three_forms(text, answer):
    assert final_answer(text) == answer


def test_candidate_without_final_answer_has_no_vote():
    texts = {"a": "no end", "b": "AAAAA", "c": "AAAAA"}
    found = majority_score([Answer(id=i, question_id="q", text=text) for i, text in texts.items()])
    assert np.isnan(found["a"]) and found["b"] == 0.5


def test_pairs_of_a_file_are_scored_like_our_own_candidates(tmp_path):
    row = dict(pair_id="p", question="Which?", response_A="AAAAA", response_B="It is BBBBB", label="B>A")
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row) + "\n")
    questions, answers = load_pairs(tmp_path / "pairs.jsonl")
    table = asyncio.run(score_all(Model(), [MODEL], questions, answers, judges=["judge 1-10"]))
    longer = table[table["method"] == "length"]
    assert longer["score"].is_monotonic_increasing and longer["correct"].tolist() == [False, True]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real pairs are not at hand")
def test_all_real_pairs_are_scored_without_a_call():
    questions, answers = load_pairs(SHARED)
    table = run(judges=(), questions=questions, answers=answers)
    assert len(questions) >= 600 and table.groupby("method").size().eq(2 * len(questions)).all()
    longer = table[table["method"] == "length"].pivot(index="question_id", columns="correct", values="score")
    assert longer.notna().all(axis=None) and 0.3 < (longer[True] > longer[False]).mean() < 0.7


# reward models


def test_a_reward_that_fails_stops_before_any_call_to_a_model():
    model = Model()
    with pytest.raises(KeyError, match="right"):
        run(model, near=written(QUESTIONS, 2), rewards={"own": lambda question, answer: {}[answer.label]})
    assert not model.asked
