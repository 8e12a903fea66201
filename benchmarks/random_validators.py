"""Random validators on random judges: is the verdict the same early and exhaustively, and do the calls keep the plan?

    PYTHONPATH=lib nice python benchmarks/random_validators.py [--cases 10000] [--seed 1]

Trees to depth 4 of all that the notation has: checks with and without thresholds, of one call and two, named judges,
repeats, reconsiderations, panels, votes over different checks, stages, debates, programs; one to three judges. Each
judge's reply hangs on the request alone: it accepts, rejects, says nothing readable, is empty, cut off or as long as it
may be. For each case `validate` is planned and runs, with early exit and without. Simulated evidence; no model is
asked.
"""

import argparse
import asyncio
import hashlib
import math
import random
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from proctor.data.schemas import Answer, Question
from proctor.models import registry
from proctor.models.messages import Reply, Request
from proctor.models.registry import price
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.spending import Spent
from proctor.models.studies import rehearsed, study
from proctor.uq.notation import (
    CHECKS,
    By,
    Check,
    Node,
    NotationError,
    Poll,
    asks_a_model,
    cost,
    parse,
)
from proctor.uq.run_validator import Run, validate

JUDGES, NAMED, MOST = ("j1", "j2", "j3"), ("n1", "n2"), 60  # calls of a tree: larger ones say no more and take long
QUESTION = Question(id="q", question="What is 2 + 2, in metres?", extra=dict(unit="m"))
ANSWERS = [Answer(id="a", question_id="q", text="It is 4 m."), Answer(id="b", question_id="q", text="It is 4 s.")]
MODELS = {
    "models.yaml": {name: {"kind": "openai", "base_url": "http://none"} for name in (*JUDGES, *NAMED)},
    "prices.yaml": {name: {"input": i, "output": 2 * i} for i, name in enumerate((*JUDGES, *NAMED), 1)},
}


class Oracle:
    """A session whose replies hang on the request alone. asked: the requests, by key."""

    concurrency, progress, settings, rehearsing, stand_ins = 8, False, Settings(), False, 0

    def __init__(self):
        self.spent, self.asked = Spent(), {}

    async def ask(self, request: Request) -> Reply:
        self.asked[request.key] = request
        digest = hashlib.sha256(request.key.encode()).digest()
        kind, p = digest[0] / 256, (digest[1] + 0.5) / 256
        if kind < 0.05:
            return Reply("")
        if kind < 0.1:
            return Reply("I was going to", finish="length")
        if kind < 0.15:
            return Reply("I cannot say.")
        said = "long " * (4 * request.max_tokens // 5 - 9) if kind > 0.9 else "So it is.\n"
        tokens = ((f"{said}\nAnswer: {p}\nAccepted: [[", -0.1), ("NY"[p > 0.4], math.log(max(p, 1 - p))), ("]]", -0.1))
        return Reply("".join(text for text, _ in tokens), tokens=tokens)


def tree(draws: random.Random, judges: int, depth: int = 4, alone: bool = True) -> Node:
    """A random validator. alone: where it stands a check must name its judge, unless there is only one."""
    kind = draws.choice(("leaf", "x", "u", "panel", "mixed", "stages", "by")) if depth > 1 else "leaf"

    def inner(alone: bool = alone) -> Node:
        return tree(draws, judges, depth - 1, alone)

    def check() -> Node:
        one = Check(draws.choice(list(CHECKS)), draws.choice((None, None, 0.25, 0.5, 0.8)))
        return one if (judges == 1 or not alone) and draws.random() < 0.8 else By(one, draws.choice(NAMED))

    vote = draws.choice("MU")
    if kind == "leaf":
        odd = draws.random()
        return Check("units") if odd < 0.1 else Poll("Debate") if odd < 0.2 and judges > 1 else check()
    if kind == "u":
        return Poll("u", (check(),), vote, draws.randint(1, 3))
    if kind == "x":
        return Poll("x", (inner(),), vote, draws.randint(1, 3))
    if kind == "panel":
        return Poll("|", (inner(False),), vote)
    if kind == "by":
        return By(inner(False), draws.choice(NAMED))
    several = tuple(inner() for _ in range(draws.randint(2, 3)))
    return Poll("[]", several, vote) if kind == "mixed" else Poll("=>", several, "U")


def written(draws: random.Random, judges: int) -> Node:
    """A random validator that the notation can write and that takes MOST calls or fewer."""
    while True:
        node = tree(draws, judges)
        try:
            again = parse(str(node))
        except NotationError:
            continue
        if asks_a_model(node) and cost(node, judges).most <= MOST:
            assert again == node, f"{node} is read as {again}"
            return node


def price_of(oracle: Oracle) -> float:
    """What the calls can have cost: every reply as long as it may be."""
    return sum(r.most_tokens * price(r.model)[0] + r.max_tokens * price(r.model)[1] for r in oracle.asked.values())


async def case(draws: random.Random, unasked: Session) -> Counter:
    judges = list(JUDGES[: draws.randint(1, 3)])
    node, early, every = written(draws, len(judges)), Oracle(), Oracle()
    run = Run(node, judges, temperature=0.5)
    (first, early_plan), (all_votes, whole_plan) = [
        (
            await validate(oracle, each, [QUESTION], ANSWERS),
            (await rehearsed(unasked, study(validate, each, [QUESTION], ANSWERS))).plan_so_far,
        )
        for oracle, each in ((early, run), (every, replace(run, exhaustive=True)))
    ]
    kept = (early, early_plan), (every, whole_plan)
    return Counter(
        {
            "answers": len(ANSWERS),
            "verdicts that differ": int((first["outcome"] != all_votes["outcome"]).sum()),
            "calls that early exit alone asks": len(early.asked.keys() - every.asked.keys()),
            "above the plan's calls": any(len(oracle.asked) > plan.to_ask for oracle, plan in kept),
            "above the plan's dollars": any(price_of(oracle) > plan.dollars + 1e-12 for oracle, plan in kept),
            "above the cost's calls": first["calls"].sum() > cost(node, len(judges)).most * len(ANSWERS),
            "accepted": int((first["outcome"] == "accept").sum()),
            "calls early": len(early.asked),
            "calls exhaustively": len(every.asked),
            "calls of the plan": whole_plan.to_ask,
        }
    )


def cases(n: int, seed: int) -> Counter:
    """Sums over n random cases."""

    async def all_of_them() -> Counter:
        draws, found = random.Random(seed), Counter()
        with tempfile.TemporaryDirectory() as folder:
            unasked = Session("auto", cache=Path(folder) / "none.sqlite", recorded=None, progress=False)
            for _ in range(n):
                found.update(await case(draws, unasked))
            await unasked.close()
        return found

    before, registry._table = registry._table, MODELS.__getitem__
    try:
        return asyncio.run(all_of_them())
    finally:
        registry._table = before


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name, value in cases(chosen.cases, chosen.seed).items():
        print(f"{value:>10,} {name}")
