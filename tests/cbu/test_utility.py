import asyncio
import math

import numpy as np
import pandas as pd
import pytest
from proctor.cbu import utility
from proctor.cbu.utility import NONE, rollout_request, run_rollouts, utilities
from proctor.data.schemas import Answer, Question
from proctor.models.messages import Reply
from proctor.models.prompts import load

from .answering import Answering

QUESTION = Question(id="q", question="What is 2 + 3?", answer="5", category="sums", level=1)
NEAR = {"q": [Question(id=f"q~{i}", question=f"What is {i} + 9?", answer=str(i + 9)) for i in (1, 2, 3)]}
GOOD = Answer(id="good", question_id="q", text="Explanation: add.\nExact Answer: 5", correct=True, label="right")
BAD = Answer(id="bad", question_id="q", text="Explanation: multiply.\nExact Answer: 6", correct=False, label="wrong")


class Solver(Answering):
    """Solves a neighbour with the chance of what it was shown: `chances` by candidate text, "" for none."""

    def __init__(self, chances, seed=0):
        super().__init__()
        self.chances, self.rng = chances, np.random.default_rng(seed)

    def reply(self, asked):
        *before, last = [m["content"] for m in asked.messages]
        shown = before[-1] if asked.prompt.startswith("cbu/rollout") else ""
        chance = self.chances[shown]
        chance = chance[last] if isinstance(chance, dict) else chance
        near = next((other for other in NEAR["q"] if other.question == last), QUESTION)
        solved = self.rng.random() < chance
        return Reply(f"Explanation: so.\nExact Answer: {near.answer if solved else 'no'}", prompt_tokens=3)


def run(solver, answers=(GOOD, BAD), near=NEAR, **how):
    return asyncio.run(run_rollouts(solver, ["smollm2-135m"], [QUESTION], list(answers), near, **how))


# budgets


def test_table_has_one_row_a_rollout_and_a_larger_budget_only_adds():
    solver = Solver({"": 0.5, GOOD.text: 0.5, BAD.text: 0.5})
    small, large = run(solver, budget=2), run(solver, budget=3)
    assert small.groupby("kind").size().to_dict() == {NONE: 6, "right": 6, "wrong": 6}
    keys = [r.key for r in solver.asked]
    assert set(keys[:18]) < set(keys[18:]) and len(set(keys)) == 27
    assert len(large) == 27 and large["prompt_tokens"].eq(3).all()
    for call, words in ((dict(budget=0), "budget is 0"), (dict(answers=[GOOD, BAD, GOOD]), "'good' is there twice")):
        with pytest.raises(ValueError, match=words):
            run(solver, **call)
    # all before the neighbour is shared, and a candidate's calls are asked together
    shown = [r.messages[: r.prefix] for r in solver.asked[:18] if r.prompt.startswith("cbu/rollout")]
    assert all(len(r.messages) == r.prefix + 1 for r in solver.asked)
    assert [p[-1]["content"] for p in shown] == [GOOD.text] * 6 + [BAD.text] * 6


# the call


def test_prompts_with_and_without_candidate_differ_in_the_exemplar_alone():
    bare, shown = load("cbu/solve"), load("cbu/rollout")
    assert shown.messages[: bare.prefix] == bare.messages[: bare.prefix]
    assert [role for role, _ in shown.messages[bare.prefix :]] == ["user", "assistant", "user"]
    assert (bare.grammar, bare.max_tokens, bare.prefix) == (shown.grammar, shown.max_tokens, shown.prefix)


def test_candidate_with_braces_and_role_markers_stays_text():
    asked = rollout_request("smollm2-135m", QUESTION, "{{neighbour}} <|im_end|>", NEAR["q"][0], 1)
    assert asked.messages[-2]["content"] == "{{neighbour}} (|im_end|>"
    assert asked.messages[-1]["content"] == NEAR["q"][0].question


# the estimator


def test_utility_is_the_mean_over_neighbours_and_the_gain_that_above_the_bare_solver():
    texts = [near.question for near in NEAR["q"]]
    solver = Solver({"": dict(zip(texts, (1, 0, 0))), GOOD.text: dict(zip(texts, (1, 1, 0))), BAD.text: 0})
    table = utilities(run(solver, budget=2)).set_index("kind")
    assert table.loc["right", ["utility", "base", "gain"]].tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert table.loc["wrong", "utility"] == 0 and table["rollouts"].eq(6).all()
    assert table.loc["wrong", "high"] > 0.3 and (table["low"] <= table["utility"] + 1e-12).all()


def test_neighbours_weigh_the_same_whatever_their_rollouts():
    texts = [near.question for near in NEAR["q"]]
    solver = Solver({"": 0, GOOD.text: dict(zip(texts, (1, 0, 0)))})
    rows = run(solver, [GOOD], budget=2)
    fewer = rows[(rows["neighbour"] == 1) | (rows["sample"] == 1)]
    assert utilities(fewer)["utility"].tolist() == pytest.approx([1 / 3])


def test_estimate_is_unbiased_and_its_interval_covers_for_a_solver_of_known_transfer():
    chances = np.array([[0.2, 0.5], [0.6, 0.9], [0.05, 0.1]])  # by candidate and neighbour
    trials, times, rng = 1000, 8, np.random.default_rng(1)
    solved = rng.random((trials, 3, 2, times)) < chances[:, :, None]
    trial, candidate, near, _ = np.indices(solved.shape).reshape(4, -1)
    rows = pd.DataFrame(
        dict(question_id=trial, candidate=candidate.astype(str), neighbour=near, correct=solved.ravel())
    )
    table = utilities(rows.assign(model="m", category="c", level=1, kind="right"))
    truth = chances.mean(axis=1)[table["candidate"].astype(int)]
    errors = (table["utility"] - truth).groupby(table["candidate"]).mean()
    assert errors.abs().max() < 4 * math.sqrt(0.25 / (2 * times) / trials)
    covered = (table["low"].le(truth) & table["high"].ge(truth)).groupby(table["candidate"]).mean()
    assert covered.min() > 0.93


# the verifier


@pytest.mark.parametrize(("given", "key"), [("7", "8"), ("54m", "53"), ("Friday", "Monday")])
def test_another_number_or_day_is_no_solution(given, key):  # notations: `same`, and the doctest
    assert utility.solved(given, key) is False


def test_rollouts_without_a_verdict_are_counted_apart_and_widen_the_interval_upwards():
    class Odd(Solver):
        def reply(self, asked):
            shown = [m["content"] for m in asked.messages][-2] if asked.prompt.startswith("cbu/rollout") else ""
            said = {GOOD.text: "Exact Answer: the harmonic series", BAD.text: "Let me see"}.get(
                shown, "Exact Answer: 0"
            )
            return Reply(said, "length" if shown == BAD.text and asked.sample == 1 else "stop")

    rows = run(Odd({}), budget=2)
    assert rows.groupby("kind")["outcome"].unique().map(sorted).to_dict() == {
        "none": ["wrong"], "right": ["undecided"], "wrong": ["cut off", "unreadable"]}  # fmt: skip
    table = utilities(rows).set_index("kind")
    assert table["utility"].eq(0).all() and table["undecided"].tolist() == [6, 0]
    assert table["high"].tolist() == [1, pytest.approx(utilities(rows)["high"].min())]
    assert table[["unreadable", "cut off"]].to_numpy().tolist() == [[0, 0], [3, 3]]
