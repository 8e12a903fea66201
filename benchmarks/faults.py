"""A hostile week in minutes: a validator's run that is killed, doubled and lied to, against a server that counts.

    PYTHONPATH=lib nice python benchmarks/faults.py [--answers 200] [--kills 200] [--calls 2000] [--only kills]

1. Kills. UQ's pipeline on `answers` answers under 20 % of 429, 2 % of 500, time-outs and cut-off bodies is killed
   (SIGKILL) at random moments and started again until its file is there, then the next study, until so many kills.
   Lost: a reply that was kept and is not in the cache, or a file unlike that of a run that nobody killed. Repeated: a
   call sent again although its reply was kept, or had come in and the process had GRACE of the CPU to keep it.
2. Two processes on one cache, at once: calls paid twice.
3. Everything: `calls` calls from two processes, each with a budget of calls and of dollars, with every fault that the
   server knows, one process killed on the way; runs go on until both files are there. In each round the server's own
   count must be within the budgets; every reply that arrived whole is kept; both files are those of a replay.

The server is tests/models/faulty_server.py in a process of its own. Simulated evidence; no money is spent.
"""

import argparse
import asyncio
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
from proctor.models import cache, providers, registry, session
from proctor.models.endings import CallsFailed
from proctor.models.session import Session
from proctor.models.spending import Budget, BudgetError
from proctor.uq.run_validator import Run, validate
from tqdm import tqdm

SERVER = Path(__file__).resolve().parents[1] / "tests" / "models" / "faulty_server.py"
PIPELINE = "(CC u3|U) => (FLC u3|U) => (C u3|U)"
GRACE = 0.002  # seconds of its own CPU time that a process may take from a reply's arrival to its commit
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
    send, put = providers.OpenAI.send, cache.Cache.put

    def note(what: str, key: str) -> None:
        os.write(notes, f"{what} {key} {os.getpid()} {time.process_time()}\n".encode())

    async def noted(self, request):
        note("sent", request.key)
        reply = await send(self, request)
        note("came", request.key)
        return reply

    def kept(self, request, *more):
        put(self, request, *more)
        note("kept", request.key)

    providers.OpenAI.send, cache.Cache.put = noted, kept
    try:
        asyncio.run(judged(folder, name, answers, "auto", timeout=timeout, budget=Budget(calls, dollars)))
    except (BudgetError, CallsFailed):
        sys.exit(3)


async def judged(folder: Path, name: str, answers: int, mode: str, **how):
    questions = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(answers)]
    said = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.") for i in range(answers)]
    asking = Session(mode, cache=folder / "replies.sqlite", recorded=None, concurrency=64, progress=False, **how)
    async with asking:
        return await validate(asking, Run(PIPELINE, ["m"]), questions, said, out=folder / f"{name}.jsonl")


def started(*what):
    process = MANY.Process(target=study, args=what)
    process.start()
    return process


def events(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "notes").read_text().splitlines()]


def lost(folder: Path) -> int:
    """Replies that were kept and are not in the cache: none may be."""
    there = Session("replay", cache=folder / "replies.sqlite", recorded=None).cache
    return sum(there.get(key) is None for key in {key for what, key, *_ in events(folder) if what == "kept"})


def kill(process, killed: dict[int, float]) -> None:
    """Kill, and note how much CPU time the process had had."""
    killed[process.pid] = time.clock_gettime((~process.pid << 3) | 2)  # its CPU clock, as clock_getcpuclockid gives it
    process.kill()
    process.join()


def repeated(folder: Path, killed: dict[int, float]) -> tuple[int, int]:
    """Calls sent again: (after their reply was kept, or came GRACE before the kill; after it came later than that)."""
    done: dict[str, bool] = {}  # by key, whether it is too late to ask again
    wrong = late = 0
    for what, key, pid, at in events(folder):
        if what == "sent" and key in done:
            wrong, late = wrong + done[key], late + (not done[key])
        elif what == "came":
            done[key] = float(at) < killed.get(int(pid), float("inf")) - GRACE
        elif what == "kept":
            done[key] = True
    return wrong, late


def kills(answers: int, wanted: int, seed: int, timeout: float = 1.0) -> Counter:
    draws, found, bar = random.Random(seed), Counter(), tqdm(total=wanted, unit="kill")
    with bar, tempfile.TemporaryDirectory() as place, server(WEEK, seed) as url:
        whole = Path(place) / "whole"  # a run that nobody kills: what the file must be, and how long it takes
        whole.mkdir()
        began = time.monotonic()
        while not (whole / "v.jsonl").exists():
            started(url, whole, "v", answers, timeout, None, None).join()
        length, right = time.monotonic() - began, (whole / "v.jsonl").read_bytes()
        while found["kills"] < wanted:
            folder = Path(place) / f"study{found['studies']}"
            folder.mkdir()
            killed: dict[int, float] = {}
            while not (folder / "v.jsonl").exists():
                process = started(url, folder, "v", answers, timeout, None, None)
                process.join(draws.uniform(0, length) if found["kills"] < wanted else None)
                if process.is_alive():
                    kill(process, killed)
                    found["kills"] += 1
                    bar.update()
            wrong, late = repeated(folder, killed)
            found += Counter(
                studies=1,
                calls=sum(what == "sent" for what, *_ in events(folder)),
                lost=lost(folder) + ((folder / "v.jsonl").read_bytes() != right),
                repeated=wrong,
                **{"repeated that came within 2 ms of the kill": late},
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
                if running[0].is_alive():
                    kill(running[0], killed)
            for process in running:
                process.join()
            after = counts(url)
            most = len(running) * budget, len(running) * dollars
            over = after["charged"] - before["charged"] > most[0] or after["dollars"] - before["dollars"] > most[1]
            found += Counter({"rounds": 1, "rounds over budget": over})
            before = after
        wrong, late = repeated(folder, killed)
        files = [(folder / f"{name}.jsonl").read_bytes() for name in names]
        models_at(url)
        asyncio.run(judged(folder, "again", answers, "replay"))
        files.append((folder / "again.jsonl").read_bytes())
        found += Counter(
            attempts=after["arrived"],
            charged=after["charged"],
            replies=len(after["whole"]),
            lost=lost(folder),
            repeated=wrong,
            **{"repeated that came within 2 ms of the kill": late, "files not right": len(set(files)) - 1},
        )
        return found


def told(found: Counter, *always: str) -> str:
    return ", ".join(f"{found[name]:,} {name}" for name in dict.fromkeys([*found, *always]))


def main(answers: int, kills_wanted: int, calls: int, seed: int, only: str) -> None:
    parts = {
        "doubled": lambda: told(two_processes(answers, seed), "paid twice"),
        "faults": lambda: told(everything(calls, seed), "rounds over budget", "lost", "repeated", "files not right"),
        "kills": lambda: told(kills(answers, kills_wanted, seed), "lost", "repeated"),
    }
    for name in [only] if only else parts:
        print(f"{name}: {parts[name]()}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--kills", type=int, default=200, dest="kills_wanted")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("doubled", "faults", "kills"))
    main(**vars(parser.parse_args()))
