"""The served model itself: few tests, each with a server of its own in a scratch folder."""

import asyncio
import fcntl
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
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
fetched = pytest.mark.skipif(not WEIGHTS.is_file(), reason=f"{WEIGHTS.name} is not fetched: run `make setup`")
GARBAGE = b"\xff\x00[[[ 12"


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def stop(pid):
    """Stop a process and wait until the kernel says that it is stopped: the signal may come later than the call."""
    os.kill(pid, signal.SIGSTOP)
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


@fetched
def test_all_share_a_server_until_the_last_has_ended_even_if_killed_and_other_weights_wait_for_that(tmp_path, forked):
    copy, folder, told = tmp_path / "copy.gguf", tmp_path / "run", multiprocessing.get_context("fork").Queue()
    copy.write_bytes(WEIGHTS.read_bytes())

    def client():
        holder = Embedded(WEIGHTS, folder=folder)
        told.put(holder.start().pid)
        signal.pause()

    clients = [forked(client), forked(client)]
    [pid] = {told.get(timeout=240) for _ in clients}
    third, other = Embedded(WEIGHTS, folder=folder), Embedded(copy, folder=folder)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(other.start)
        clients[0].terminate()
        time.sleep(GRACE + 1)
        assert alive(pid) and not waiting.done(), "the second client still holds its lease"
        assert pool.submit(third.start).result(60).pid == pid  # while the other holds start.lock
        third.stop()
        clients[1].kill()
        assert waiting.result(240).pid != pid and not alive(pid)
    other.stop()


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
        for text, sample in (("2 + 5", 1), ("snow and coal", 0))
    ]
    order = [3, 0, 2, 1]

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


@fetched
def test_a_server_that_hangs_or_is_stopped_is_replaced_and_garbage_in_its_files_thrown_away(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "HUNG", 0.5)
    for name in ("start.lock", "turn.lock"):
        (tmp_path / name).write_bytes(GARBAGE)
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
        first = Embedded(WEIGHTS, folder=tmp_path)
        served = first.start()
    assert hangs.wait(60) == -signal.SIGKILL and served.pid != hangs.pid
    with first.try_turn(served) as slot:
        assert slot == {"prefix": ""}
    monkeypatch.undo()
    stop(served.pid)
    again = Embedded(WEIGHTS, folder=tmp_path).start()
    assert again.pid != served.pid and alive(again.pid) and gone_within(served.pid, 60)
    assert first.start() == again, "who held the stopped one gets the new one"
    for garbage in ('{"weights": 1}', "[" * 10_000, "null", '{"weights": "w", "pid": "x", "port": "y z", "key": null}'):
        (tmp_path / "server.json").write_text(garbage)
        assert first._running() is None


def test_a_process_that_is_no_server_is_never_killed(tmp_path):
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        with open(tmp_path / "serve.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stop(innocent.pid)
            (tmp_path / "server.json").write_bytes(GARBAGE)
            for written in (GARBAGE, str(innocent.pid).encode()):
                lock.truncate(0)
                lock.seek(0)
                lock.write(written)
                lock.flush()
                Embedded(WEIGHTS, folder=tmp_path)._kill_if_stuck()
        assert alive(innocent.pid)
    finally:
        innocent.kill()
        innocent.wait()
