"""What a call through Session costs beside a bare loop over the SDK: 2,000 calls, 64 at once, 50 ms each at the server.

    PYTHONPATH=lib python benchmarks/calls.py [--rounds 3] [--calls 2000]

The server is tests/models/faulty_server.py in a process of its own; each way runs in a fresh process, the ways in turn,
and ratios are taken within a round, so that another job on the machine hits all alike. Imports and 64 calls that warm
up are outside the count. CPU is user and system time of the asking process (resource.getrusage), a call.
Beside it: replies a second time from a recording, and a run in which every fifth attempt gets 429 (none may be lost).
Measured evidence: the times are this machine's, the ratios travel better.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "tests" / "models" / "faulty_server.py"
CONCURRENCY, LATENCY = 64, 0.05
TEXT = "Is this the answer? " * 20
WAYS = ("session", "bare openai, aiohttp", "bare openai, default", "aiohttp alone")
TARGETS = {"time / ideal": 1.25, "CPU above bare, ms": 0.2, "replay, ms": 0.2}


def texts(calls: int, name: str) -> list[str]:
    return [f"{TEXT}{name} {number}" for number in range(calls)]


async def loop(send, calls: int) -> None:
    """The loop that one would write first: gather under a semaphore."""
    slots = asyncio.Semaphore(CONCURRENCY)

    async def one(text: str):
        async with slots:
            assert await send(text)

    await asyncio.gather(*(one(text) for text in texts(CONCURRENCY, "warm")))
    start()
    await asyncio.gather(*(one(text) for text in texts(calls, "call")))
    stop(calls)


async def bare_openai(url: str, calls: int, client) -> None:
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, http_client=client) as api:

        async def send(text: str):
            reply = await api.chat.completions.create(
                model="m", messages=[{"role": "user", "content": text}], temperature=0.0, max_tokens=512
            )
            return reply.choices[0].message.content

        await loop(send, calls)


async def aiohttp_alone(url: str, calls: int) -> None:
    import aiohttp

    async with aiohttp.ClientSession() as api:

        async def send(text: str):
            body = {
                "model": "m",
                "messages": [{"role": "user", "content": text}],
                "temperature": 0.0,
                "max_tokens": 512,
            }
            async with api.post(f"{url}/v1/chat/completions", json=body) as answer:
                return (await answer.json())["choices"][0]["message"]["content"]

        await loop(send, calls)


def session_with(url: str, folder: str, mode: str = "auto"):
    from proctor.models import registry
    from proctor.models.session import Session

    models = {"m": {"kind": "openai", "base_url": f"{url}/v1"}}
    registry._table = {"models.yaml": models, "prices.yaml": {"m": {"input": 1, "output": 2}}}.__getitem__
    return Session(
        mode,
        cache=Path(folder) / "replies.sqlite",
        recorded=Path(folder),
        concurrency=CONCURRENCY,
        progress=False,
        budget="none",
    )


def requests(calls: int, name: str) -> list:
    from proctor.models.messages import Request

    return [Request(model="m", messages=({"role": "user", "content": text},)) for text in texts(calls, name)]


async def session(url: str, calls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with session_with(url, folder) as asking:
            await asking.ask_many(requests(CONCURRENCY, "warm"))
            start()
            replies = await asking.ask_many(requests(calls, "call"))
            stop(calls, lost=calls - len(replies), kept=len(asking.cache) - CONCURRENCY)


async def replay(url: str, calls: int) -> None:
    from proctor.models.cache import recording_path, write_recording
    from proctor.models.messages import Reply

    with tempfile.TemporaryDirectory() as folder:
        line = Reply("Accepted: [[Y", tokens=(("Y", -0.1),), first={f"t{n}": -1.0 for n in range(10)}).to_json()
        write_recording(
            recording_path(Path(folder), "m"), {}, {request.key: line for request in requests(calls, "call")}
        )
        asking = session_with(url, folder, "replay")
        start()
        replies = await asking.ask_many(requests(calls, "call"))  # reads the recording, too
        stop(calls, lost=calls - len(replies))


def start() -> None:
    global begun
    begun = time.perf_counter(), cpu()


def stop(calls: int, **more) -> None:
    wall, used = time.perf_counter() - begun[0], cpu() - begun[1]
    print(json.dumps({"wall": wall, "cpu": used / calls, **more}))


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def child(way: str, url: str, calls: int) -> None:
    import openai

    ways = {
        "session": session,
        "replay": replay,
        "aiohttp alone": aiohttp_alone,
        "bare openai, aiohttp": lambda url, calls: bare_openai(url, calls, openai.DefaultAioHttpClient()),
        "bare openai, default": lambda url, calls: bare_openai(url, calls, None),
    }
    asyncio.run(ways[way](url, calls))


def measure(way: str, calls: int, every: int = 0) -> dict:
    """Run one way in a fresh process against a fresh server."""
    server = subprocess.Popen(
        [sys.executable, SERVER, "--latency", str(LATENCY), "--every", str(every)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--child", way, server.stdout.readline().strip(), "--calls", str(calls)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "lib")},
        )
        if done.returncode:
            sys.exit(f"{way} failed:\n{done.stderr}")
        return json.loads(done.stdout)
    finally:
        server.stdin.close()
        server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child, options.calls)
    ideal = options.calls / CONCURRENCY * LATENCY
    found: dict[str, list[dict]] = {way: [] for way in (*WAYS, "replay")}
    for turn in range(options.rounds):
        for way in found if turn % 2 == 0 else reversed(found):
            found[way].append(measure(way, options.calls))
    print(
        f"{options.calls} calls, {CONCURRENCY} at once, {LATENCY * 1000:.0f} ms each: ideal {ideal:.2f} s; "
        f"{options.rounds} rounds in turn, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'':24}{'wall s':>8}{'/ ideal':>9}{'CPU ms a call':>15}")
    for way in WAYS:
        wall, used = (median(run[name] for run in found[way]) for name in ("wall", "cpu"))
        print(f"{way:24}{wall:8.2f}{wall / ideal:9.2f}{used * 1000:15.3f}")
    above = median(a["cpu"] - b["cpu"] for a, b in zip(found["session"], found["bare openai, aiohttp"])) * 1000
    to_bare = median(a["wall"] / b["wall"] for a, b in zip(found["session"], found["bare openai, aiohttp"]))
    values = {
        "time / ideal": median(run["wall"] for run in found["session"]) / ideal,
        "CPU above bare, ms": above,
        "replay, ms": median(run["wall"] for run in found["replay"]) / options.calls * 1000,
    }
    print(f"session / bare openai on aiohttp, wall: {to_bare:.2f}")
    for name, target in TARGETS.items():
        print(
            f"{name:24}{values[name]:8.3f}   target at most {target:g}: {'met' if values[name] <= target else 'MISSED'}"
        )
    faulty = measure("session", options.calls, every=5)
    print(
        f"every fifth attempt 429: {faulty['lost']} of {options.calls} lost, {faulty['kept']} kept, "
        f"{faulty['wall']:.1f} s"
    )


if __name__ == "__main__":
    main()
