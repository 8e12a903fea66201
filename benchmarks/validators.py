"""What the engine costs beside the ideal: a three-stage, three-turn unanimous pipeline on 200 pairs, 32 calls at once,
50 ms each.

    PYTHONPATH=lib python benchmarks/validators.py [--pairs 200] [--rounds 3]

The server is tests/models/faulty_server.py in a process of its own; its verdicts accept with p = 0.8. Ideal: calls x
latency / concurrency. Peer: the public validator's way of working, written here as a loop (all turns of a stage are
finished before its vote is read), on the same server and session. Then the same with every fifth attempt a 429: no
verdict may be lost. Last, calls by pass rate, with early exit and without, against their mean by
`notation.expected_calls`. Measured evidence: times are this machine's, the ratios travel better.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from proctor.data.schemas import Answer, Question
from proctor.models import registry
from proctor.models.prompts import follow_up, load
from proctor.models.session import Session
from proctor.uq import notation
from proctor.uq.checks import check_request
from proctor.uq.run_validator import Run, validate

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "tests" / "models" / "faulty_server.py"
CONCURRENCY, LATENCY = 32, 0.05
PIPELINE, STAGES = "(FLC u3|U) => (C u3|U) => (V u3|U)", ("FLC", "C", "V")


def items(pairs: int, name: str) -> tuple[list[Question], list[Answer]]:
    questions = [Question(id=f"{name}{i}", question=f"What is {i} + {i}? ({name})") for i in range(pairs)]
    return questions, [
        Answer(id=f"a{i}", question_id=q.id, text=f"The sum is {2 * i}.") for i, q in enumerate(questions)
    ]


async def whole_stages(session: Session, questions, answers) -> int:
    """The number of calls of a validator that finishes every turn of a stage before it looks at the votes."""

    async def one(question, answer) -> int:
        calls = 0
        for name in STAGES:
            request, said = check_request(name, "m", question, answer, sample=0, temperature=0.0), []
            for turn in range(3):
                reply = await session.ask(request)
                said.append("[[Y]]" in reply.text)
                calls += 1
                if turn < 2:
                    request = follow_up(request, reply, load("uq/reflect"))
            if not all(said):
                break
        return calls

    return sum(await asyncio.gather(*(one(q, a) for q, a in zip(questions, answers))))


async def timed(work) -> tuple[float, object]:
    began = time.perf_counter()
    found = await work
    return time.perf_counter() - began, found


async def one_round(pairs: int, name: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:

        def session(part: str) -> Session:
            return Session(
                "auto",
                cache=Path(folder) / f"{part}.sqlite",
                recorded=None,
                concurrency=CONCURRENCY,
                progress=False,
                budget="none",
            )

        async with session("warm") as warm:
            await validate(warm, Run("V", ["m"]), *items(CONCURRENCY, f"{name}w"))
        questions, answers = items(pairs, name)
        async with session("ours") as ours:
            took, found = await timed(validate(ours, Run(PIPELINE, ["m"]), questions, answers))
        async with session("peer") as peer:
            peer_took, peer_calls = await timed(whole_stages(peer, questions, answers))
    calls = int(found["calls"].sum())
    assert len(found) == pairs and found["outcome"].notna().all()
    return dict(
        calls=calls,
        seconds=took,
        ideal=took / (calls * LATENCY / CONCURRENCY),
        peer_calls=peer_calls,
        peer_ideal=peer_took / (calls * LATENCY / CONCURRENCY),
        accepted=int((found["outcome"] == "accept").sum()),
    )


def server(rate: float, every: int = 0, latency: float = LATENCY):
    process = subprocess.Popen(
        [sys.executable, SERVER, "--latency", str(latency), "--verdicts", str(rate), "--every", str(every)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    url = process.stdout.readline().strip()
    registry._table = {
        "models.yaml": {"m": {"kind": "openai", "base_url": f"{url}/v1"}},
        "prices.yaml": {"m": {"input": 1, "output": 2}},
    }.__getitem__
    return process


def main(pairs: int, rounds: int) -> None:
    process = server(0.8)
    found = [asyncio.run(one_round(pairs, f"r{i}-")) for i in range(rounds)]
    process.stdin.close()
    mean, _ = notation.expected_calls(notation.parse(PIPELINE), dict.fromkeys(notation.CHECKS, 0.8))
    print(
        f"{pairs} pairs, {CONCURRENCY} at once, {LATENCY * 1000:.0f} ms, {rounds} rounds; "
        f"expected calls {mean * pairs:.0f}"
    )
    for row in found:
        print(
            "  {calls} calls in {seconds:.2f} s, {ideal:.2f} x ideal, {accepted} accepted; "
            "whole stages: {peer_calls} calls, "
            "{peer_ideal:.2f} x".format(**row)
        )
    print(
        f"time / ideal (median): {median(r['ideal'] for r in found):.2f} (target 1.15; whole stages "
        f"{median(r['peer_ideal'] for r in found):.2f}); calls / needed of whole stages: "
        f"{median(r['peer_calls'] / r['calls'] for r in found):.2f}"
    )
    process = server(0.8, every=5)
    row = asyncio.run(one_round(pairs, "f-"))
    process.stdin.close()
    print(f"every fifth attempt 429: {pairs} of {pairs} verdicts, {row['calls']} calls, {row['seconds']:.2f} s")
    print("pass rate: calls an answer with early exit (expected), all votes")
    for rate in (0.2, 0.5, 0.8, 0.95):
        process = server(rate, latency=0.0)
        row = asyncio.run(one_round(100, f"p{rate}-"))
        process.stdin.close()
        mean, _ = notation.expected_calls(notation.parse(PIPELINE), dict.fromkeys(notation.CHECKS, rate))
        print(f"  {rate:.2f}: {row['calls'] / 100:.2f} ({mean:.2f}), {notation.cost(notation.parse(PIPELINE)).most}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    main(**vars(parser.parse_args()))
