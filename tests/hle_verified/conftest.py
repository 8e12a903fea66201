"""A small damaged exam, a session that replies by rule, and helpers for evidence."""

import asyncio
from types import SimpleNamespace

import pytest
from proctor.hle_verified import stages
from proctor.hle_verified.decision_rules import replicated
from proctor.hle_verified.planted_defects import COMPONENTS, damaged_exam
from proctor.models.messages import Reply
from proctor.models.settings import Settings

A, B, C = MODELS = ("smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")


class Scripted:
    """Votes by model: a accepts all, b rejects keys, c can't be read. All propose 0 but c, who has nothing."""

    settings, stand_ins = Settings(), 0

    def __init__(self):
        self.asked = []

    async def ask_many(self, requests, what):
        self.asked += [(what, request) for request in requests]
        return [Reply(self.reply(request)) for request in requests]

    def reply(self, request):
        kind = request.prompt.split("@")[0].split("/")[1]
        if kind == "answer_exact":
            return f"Explanation: x\nExact Answer: {request.sample}\nConfidence: 9%"
        if kind == "repair":
            return f"Problem: SAME\nSolution: so\nAnswer: {'EMPTY' if request.model == C else '0'}"
        if kind == "adjudicate":
            return "[[A]]"
        verdict = {B: "N" if kind == "answer" else "Y", C: "?"}.get(request.model, "Y")
        return f"Sound: [[{verdict}]]"


@pytest.fixture(scope="session")
def exam():
    """items, truths: one item a kind and two sound ones; yes: votes for all parts; solvers(n, ...): n of 8 attempts."""
    items, truths = damaged_exam(per_kind=1, controls=2)

    def solvers(*agree):
        return tuple(replicated(str(i), ["5"] * n + ["6"] * (8 - n), "5") for i, n in enumerate(agree))

    return SimpleNamespace(
        items=items, truths=truths, yes=dict.fromkeys(COMPONENTS, (True, True, True)), solvers=solvers
    )


@pytest.fixture(scope="session")
def steps(exam):
    """(tables by step, requests asked) of the scripted session on the small exam."""

    async def ask():
        session = Scripted()
        tables = {
            step.__name__: await step(session, list(MODELS), items=exam.items)
            for step in (stages.votes, stages.attempts, stages.repairs, stages.adjudications, stages.audits)
        }
        return tables, session.asked

    return asyncio.run(ask())
