"""A hostile week in minutes: a validator's run that is killed, doubled and lied to, against a server that counts.

    PYTHONPATH=lib nice python benchmarks/faults.py [--answers 200] [--kills 200] [--calls 2000] [--seed 1]

1. Kills. UQ's pipeline on `answers` answers under 20 % of 429, 2 % of 500, time-outs and cut-off bodies is killed
   (SIGKILL) at random moments and started again until its file is there, then the next study, until so many kills.
   Lost: a reply that came in and is not in the cache, or a file unlike that of an undisturbed run. Repeated: a call sent
   again although its reply had come in, GRACE before the kill or earlier (a commit takes a fraction of that).
2. Two processes on one cache, at once: calls paid twice.
3. Everything: `calls` calls from two processes, each with a budget of calls and of dollars, with every fault that the
   server knows, one process killed on the way; runs go on until both files are there. In each round the server's own
   count must be within the budgets; every reply that arrived whole is kept; both files are those of a replay.

The server is tests/models/faulty_server.py in a process of its own. Simulated evidence; no money is spent.
"""

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from proctor.data.schemas import Answer, Question
from proctor.models import providers, registry, session
from proctor.models.images import openai_message
from proctor.models.session import Budget, BudgetError, CallsFailed, Session
from proctor.uq.run_validator import validate
from tqdm import tqdm

SERVER = Path(__file__).resolve().parents[1] / "tests" / "models" / "faulty_server.py"
PIPELINE = "(CC u3|U) => (FLC u3|U) => (C u3|U)"
GRACE = 0.002  # seconds before a kill in which a reply that came in may not be on the disk yet
WEEK = {"429:0": 0.2, "500": 0.02, "hang": 0.003, "cut": 0.01, "short": 0.01}
EVERYTHING = WEEK | {
    **{"503": 0.01, "reset": 0.01, "html": 0.005, "empty": 0.005, "drip": 0.002, "400": 0.002, "echo": 0.001},
    **{"429:soon": 0.01, "429:99999999999999999999": 0.002, "odd": 0.05, "logprobs": 0.05, "deep": 0.01},
}
MANY = multiprocessing.get_context("forkserver")  # a fork of a process that has imported all this: no second to start
MANY.set_forkserver_preload(["proctor.uq.run_validator", "openai", "aiohttp", "numpy"])


@contextmanager
def server(rates: dict, seed: int, latency: float = 0.005):
    """The address of a server of its own; its counts are under /counts."""
    told = ["--rates", json.dumps(rates), "--seed", str(seed), "--latency", str(latency), "--verdicts", "0.8"]
    process = subprocess.Popen(
        [sys.executable, SERVER, "--steady", *told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def counts(url: str) -> dict:
    with urllib.request.urlopen(f"{url}/counts") as answer:
        return json.load(answer)


def models_at(url: str) -> None:
    models = {"m": {"kind": "openai", "base_url": f"{url}/v1"}}
    registry._table = {"models.yaml": models, "prices.yaml": {"m": {"input": 1, "output": 2}}}.__getitem__


def study(url: str, folder: Path, name: str, answers: int, timeout: float, calls: int | None, dollars: float | None):
    """One run, in a process of its own. It notes each call that it sends and each reply that came in. Exit 3: stopped
    at its budget, or some calls failed; to be run again."""
    models_at(url)
    tqdm.set_lock(threading.RLock())  # its own is shared between processes, and left over by each that is killed
    session.random.random = lambda: -0.49  # pauses a hundredth as long
    notes = os.open(folder / "notes", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    send = providers.OpenAI.send

    async def noted(self, request):
        messages = json.dumps([openai_message(message) for message in request.messages])
        digest = hashlib.sha256(messages.encode()).hexdigest()[:16]
        os.write(notes, f"sent {digest} {request.key} {os.getpid()} {time.monotonic()}\n".encode())
        reply = await send(self, request)
        os.write(notes, f"came {digest} {request.key} {os.getpid()} {time.monotonic()}\n".encode())
        return reply

    providers.OpenAI.send = noted
    try:
        asyncio.run(judged(folder, name, answers, "auto", timeout=timeout, budget=Budget(calls, dollars)))
    except (BudgetError, CallsFailed):
        sys.exit(3)


async def judged(folder: Path, name: str, answers: int, mode: str, **how):
    questions = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(answers)]
    said = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.") for i in range(answers)]
    asking = Session(mode, cache=folder / "replies.sqlite", recorded=None, concurrency=64, progress=False, **how)
    async with asking:
        return await validate(asking, PIPELINE, ["m"], questions, said, out=folder / f"{name}.jsonl")


def started(*what):
    process = MANY.Process(target=study, args=what)
    process.start()
    return process


def events(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "notes").read_text().splitlines()]


def lost(folder: Path) -> int:
    """Replies that came in before their process was killed or ended, and are not in the cache: none may be."""
    cache = Session("replay", cache=folder / "replies.sqlite", recorded=None).cache
    return sum(not cache.has(key) for key in {key for what, _, key, *_ in events(folder) if what == "came"})


def repeated(folder: Path, killed: dict[int, float]) -> tuple[int, int]:
    """Calls sent again after their reply had come in: (earlier than GRACE before the kill, within it)."""
    came: dict[str, bool] = {}
    early = late = 0
    for what, digest, _, pid, at in events(folder):
        if what == "came":
            came[digest] = float(at) > killed.get(int(pid), float("inf")) - GRACE
        elif digest in came:
            early, late = early + (not came[digest]), late + came[digest]
    return early, late


def kills(answers: int, wanted: int, seed: int, timeout: float = 3.0) -> Counter:
    draws, found = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "whole"
        whole.mkdir()
        with server({}, seed) as url:  # undisturbed: what the file must be
            process = started(url, whole, "v", answers, timeout, None, None)
            process.join()
            right = (whole / "v.jsonl").read_bytes()
        with server(WEEK, seed) as url:
            trial = Path(place) / "trial"
            trial.mkdir()
            began = time.monotonic()
            while not (trial / "v.jsonl").exists():
                started(url, trial, "v", answers, timeout, None, None).join()
            length = time.monotonic() - began
            while found["kills"] < wanted:
                folder = Path(place) / f"study{found['studies']}"
                folder.mkdir()
                killed: dict[int, float] = {}
                while not (folder / "v.jsonl").exists():
                    process = started(url, folder, "v", answers, timeout, None, None)
                    process.join(draws.uniform(0, length) if found["kills"] < wanted else None)
                    if process.is_alive():
                        killed[process.pid] = time.monotonic()
                        process.kill()
                        process.join()
                        found["kills"] += 1
                again, within = repeated(folder, killed)
                found += Counter(
                    studies=1,
                    calls=sum(what == "sent" for what, *_ in events(folder)),
                    lost=lost(folder) + ((folder / "v.jsonl").read_bytes() != right),
                    repeated=again,
                    **{"repeated within 2 ms of the kill": within},
                )
    return found


def two_processes(answers: int, seed: int, timeout: float = 3.0) -> Counter:
    with tempfile.TemporaryDirectory() as place, server({}, seed) as url:
        folder = Path(place)
        for process in [started(url, folder, name, answers, timeout, None, None) for name in ("one", "two")]:
            process.join()
        whole = counts(url)["whole"]
        same = (folder / "one.jsonl").read_bytes() == (folder / "two.jsonl").read_bytes()
        return Counter(calls=len(whole), **{"paid twice": sum(whole.values()) - len(whole), "files alike": same})


def everything(calls: int, seed: int, timeout: float = 3.0) -> Counter:
    draws, found, answers = random.Random(seed), Counter(), calls // 5
    budget, dollars = calls // 3, calls * 4e-3  # of each process, each round
    with tempfile.TemporaryDirectory() as place, server(EVERYTHING, seed) as url:
        folder, killed, names = Path(place), {}, ("one", "two")
        before = counts(url)
        while missing := [name for name in names if not (folder / f"{name}.jsonl").exists()]:
            running = [started(url, folder, name, answers, timeout, budget, dollars) for name in missing]
            if found["rounds"] == 1:
                running[0].join(draws.uniform(0.2, 1))
                killed[running[0].pid] = time.monotonic()
                running[0].kill()
            for process in running:
                process.join()
            after = counts(url)
            most = len(running) * budget, len(running) * dollars
            over = after["charged"] - before["charged"] > most[0] or after["dollars"] - before["dollars"] > most[1]
            found += Counter({"rounds": 1, "rounds over budget": over})
            before = after
        early, late = repeated(folder, killed)
        files = [(folder / f"{name}.jsonl").read_bytes() for name in names]
        models_at(url)
        asyncio.run(judged(folder, "again", answers, "replay"))
        files.append((folder / "again.jsonl").read_bytes())
        found += Counter(
            attempts=after["arrived"],
            charged=after["charged"],
            replies=len(after["whole"]),
            lost=lost(folder),
            repeated=early,
            **{"repeated within 2 ms of the kill": late, "files that are not right": len(set(files)) - 1},
        )
        return found


def told(found: Counter, *always: str) -> str:
    return ", ".join(f"{found[name]:,} {name}" for name in dict.fromkeys([*found, *always]))


def main(answers: int, kills_wanted: int, calls: int, seed: int) -> None:
    print("two processes, one cache:", told(two_processes(answers, seed), "paid twice"), flush=True)
    found = everything(calls, seed)
    print("every fault at once:", told(found, "rounds over budget", "lost", "repeated", "files that are not right"))
    print("kills:", told(kills(answers, kills_wanted, seed), "lost", "repeated"), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--kills", type=int, default=200, dest="kills_wanted")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    main(**vars(parser.parse_args()))
