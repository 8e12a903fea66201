"""The served model itself: few tests, each with a server of its own in a scratch folder."""

import asyncio
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest
from proctor.models import embedded, providers, registry
from proctor.models.embedded import GRACE, Embedded, EmbeddedError, Endpoint
from proctor.models.messages import Request
from proctor.models.registry import Spec
from proctor.paths import CACHE

WEIGHTS = CACHE / "fetched" / "SmolLM2-135M-Instruct.Q4_1.gguf"
LIB = Path(__file__).resolve().parents[2] / "lib"
fetched = pytest.mark.skipif(not WEIGHTS.is_file(), reason=f"{WEIGHTS.name} is not fetched: run `make setup`")

CLIENT = """
import sys
from proctor.models.embedded import Embedded
embedded = Embedded(sys.argv[1], folder=sys.argv[2])
here = embedded.start()
print(here.pid, here.port, flush=True)
sys.stdin.read()
"""


def client(folder):
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(WEIGHTS), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(LIB)},
    )


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


@fetched
def test_two_that_start_at_once_share_a_server_which_ends_after_the_last_even_if_killed(tmp_path):
    clients = [client(tmp_path), client(tmp_path)]
    try:
        (pid, _), other = (process.stdout.readline().split() for process in clients)
        assert pid == other[0]
        clients[0].stdin.close()
        clients[0].wait()
        time.sleep(GRACE + 1)
        assert alive(int(pid)), "the second client still holds its lease"
        clients[1].send_signal(signal.SIGKILL)
        assert gone_within(int(pid), 60)
    finally:
        for process in clients:
            process.kill()
            process.wait()


@fetched
def test_other_weights_wait_for_their_turn_and_do_not_hold_up_who_is_served(tmp_path):
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(WEIGHTS.read_bytes())
    first = Embedded(WEIGHTS, folder=tmp_path / "run")
    served = first.start()

    async def both():
        waiting = asyncio.create_task(asyncio.to_thread(Embedded(copy, folder=tmp_path / "run").start))
        await asyncio.sleep(1.5)
        again = await asyncio.wait_for(asyncio.to_thread(first.start), 60)  # while the other holds start.lock
        assert again == served and not waiting.done()
        first.stop()
        return await asyncio.wait_for(waiting, 240)

    second = asyncio.run(both())
    assert second.pid != served.pid and not alive(served.pid)


@fetched
def test_a_reply_is_the_same_whatever_was_asked_before(tmp_path, monkeypatch):
    monkeypatch.setattr(providers, "weights_file", lambda model: WEIGHTS)
    monkeypatch.setattr(providers, "Embedded", lambda path: Embedded(path, folder=tmp_path))
    prefixes = [
        (
            {"role": "system", "content": "Add the numbers."},
            {"role": "user", "content": "1 + 1"},
            {"role": "assistant", "content": "2"},
        ),
        ({"role": "system", "content": "Name the colour of the thing, in one word."},),
    ]
    requests = [
        Request(
            "here",
            (*prefix, {"role": "user", "content": text}),
            prefix=len(prefix),
            max_tokens=6,
            logprobs=3,
            sample=sample,
            temperature=0.8 * sample,
        )
        for prefix in prefixes
        for text, sample in (("2 + 5", 0), ("2 + 5", 1), ("snow and coal", 0))
    ]
    order = [5, 0, 3, 1, 2, 4]

    async def main():
        served = providers.Served(Spec("here", "gguf", file=str(WEIGHTS)), 120)
        try:
            plain = [await served.send(request) for request in requests]
            shuffled = {n: await served.send(requests[n]) for n in order}
        finally:
            await served.close()
        return plain, [shuffled[n] for n in range(len(requests))]

    plain, shuffled = asyncio.run(main())
    assert plain == shuffled
    assert all(reply.tokens and len(reply.first) >= 3 for reply in plain) and len({reply.text for reply in plain}) > 2


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(EmbeddedError, match="no.gguf.*make setup"):
        Embedded(tmp_path / "no.gguf", folder=tmp_path).start()
    with pytest.raises(registry.ModelError, match="not here"):
        registry.weights_file(Spec("m", "gguf", file=str(tmp_path / "no.gguf")))


def test_a_file_that_is_no_model_is_told_with_the_log(tmp_path):
    (tmp_path / "w.gguf").write_bytes(b"no model")
    with pytest.raises(EmbeddedError, match="server.log"):
        Embedded(tmp_path / "w.gguf", folder=tmp_path / "run").start()


def stop(pid):
    """Stop a process and wait until the kernel says that it is stopped: the signal may come later than the call."""
    os.kill(pid, signal.SIGSTOP)
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)


@fetched
def test_a_stopped_server_is_replaced(tmp_path):
    first = Embedded(WEIGHTS, folder=tmp_path)
    served = first.start()
    stop(served.pid)
    again = Embedded(WEIGHTS, folder=tmp_path).start()
    assert again.pid != served.pid and alive(again.pid) and gone_within(served.pid, 60)
    assert first.start() == again, "who held the stopped one gets the new one"


@fetched
def test_a_server_that_hangs_or_was_stopped_while_it_came_up_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "HUNG", 0.5)
    with socket.socket() as silent:  # an open port where nobody answers, in the name of a process that holds the lock
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        code = (
            "import fcntl, os, sys, time; lock = open(sys.argv[1], 'a'); fcntl.flock(lock, fcntl.LOCK_EX); "
            "lock.write(str(os.getpid())); lock.flush(); print(flush=True); time.sleep(300)"
        )
        hangs = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "serve.lock"), embedded.MODULE], stdout=subprocess.PIPE
        )
        hangs.stdout.readline()
        told = Endpoint(str(WEIGHTS.resolve()), hangs.pid, silent.getsockname()[1], "key")
        (tmp_path / "server.json").write_text(json.dumps(asdict(told)))
        served = Embedded(WEIGHTS, folder=tmp_path).start()
    assert hangs.wait(60) == -signal.SIGKILL and served.pid != hangs.pid


@fetched
def test_garbage_in_the_files_of_the_server_is_thrown_away(tmp_path):
    for name in ("serve.lock", "start.lock", "turn.lock", "server.json"):
        (tmp_path / name).write_bytes(b"\xff\x00[[[ 12")
    first = Embedded(WEIGHTS, folder=tmp_path)
    served = first.start()
    with first.try_turn(served) as slot:
        assert slot == {"prefix": ""}
    for garbage in ('{"weights": 1}', "[" * 10_000, "null", '{"weights": "w", "pid": "x", "port": "y z", "key": null}'):
        (tmp_path / "server.json").write_text(garbage)
        assert first._running() is None


def test_a_process_that_is_no_server_is_never_killed(tmp_path):
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        with open(tmp_path / "serve.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(str(innocent.pid))
            lock.flush()
            stop(innocent.pid)
            Embedded(WEIGHTS, folder=tmp_path)._kill_if_stuck()
        assert alive(innocent.pid)
    finally:
        innocent.kill()
        innocent.wait()
