"""Memory of a long run: a validator on 100,000 answers, five to each of 20,000 questions, whose replies are simulated.

    PYTHONPATH=lib python benchmarks/memory.py [--pairs 100000] [--validator "(FLC u3|U) => (C u3|U)"]

Replies come from a provider in this process, which accepts with p = 0.5; everything else is as in a real run:
questions and answers, keys, the cache on disk, votes, traces, the file of verdicts. Prints the process's memory before
the run (with all questions and answers loaded) and at its peak, for a tenth of the pairs and for all; target: a peak
under 300 MB. Simulated evidence; the memory is measured.
"""

import argparse
import asyncio
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from proctor.data.schemas import Answer, Question
from proctor.models import providers, registry
from proctor.models.messages import Reply
from proctor.models.session import Session
from proctor.uq.run_validator import Run, validate


class Simulated:
    """A provider that accepts with p = 0.5, by the request's key."""

    def __init__(self, *_):
        pass

    async def send(self, request):
        await asyncio.sleep(0)
        word = "Y" if random.Random(request.key).random() < 0.5 else "N"
        return Reply(text=f"I looked at it. Accepted: [[{word}]]", prompt_tokens=400, completion_tokens=12)

    async def close(self):
        pass


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(pairs: int, validator: str) -> None:
    registry._table = {
        "models.yaml": {"m": {"kind": "openai", "base_url": "http://127.0.0.1"}},
        "prices.yaml": {"m": {"input": 1, "output": 2}},
    }.__getitem__
    providers.KINDS["openai"] = Simulated
    questions = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(pairs // 5)]
    answers = [Answer(id=f"a{i}", question_id=questions[i // 5].id, text=f"The sum is {2 * i}.") for i in range(pairs)]
    before = megabytes()
    with tempfile.TemporaryDirectory() as folder:

        async def go():
            async with Session(
                "auto", cache=Path(folder) / "c.sqlite", recorded=None, concurrency=32, progress=False, budget="none"
            ) as session:
                return await validate(
                    session, Run(validator, ["m"]), questions, answers, out=Path(folder) / "verdicts.jsonl"
                )

        found = asyncio.run(go())
        lines = sum(1 for _ in open(Path(folder) / "verdicts.jsonl"))
    assert lines == len(found) == pairs
    print(
        f"{pairs:,} pairs, {found['calls'].sum():,} calls: {before:.0f} MB with the pairs loaded, "
        f"{megabytes():.0f} MB at the peak",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--validator", default="(FLC u3|U) => (C u3|U)")
    parser.add_argument("--one", action="store_true", help="this size alone")
    options = parser.parse_args()
    for size in [options.pairs] if options.one else [options.pairs // 10, options.pairs]:
        if options.one:
            run(size, options.validator)
        else:  # each in a process of its own, so that the peaks are their own
            subprocess.run(
                [sys.executable, __file__, "--one", "--pairs", str(size), "--validator", options.validator], check=True
            )
