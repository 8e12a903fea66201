"""A small model served on loopback by llama.cpp, shared by every process of a checkout.

The server is a child process that lives as long as somebody holds its lease: a shared lock on
a file, which the kernel releases when the holder ends, however it ends. So the server outlives
no notebook for more than `GRACE` seconds, not even one that was killed. Who wants the server
asks under a lock, so two notebooks that ask at once start one server. A server that was stopped
or hangs is killed and replaced by whoever asks next.

Replies do not depend on the order of the calls: one call at a time, fixed threads and batch
sizes, and each call starts from a prefix of messages that was evaluated from zero (see providers.Served).
"""

import argparse
import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

import psutil
from pydantic import TypeAdapter

from proctor.files import write_atomic
from proctor.paths import CACHE

PATIENCE = 600.0  # seconds until a server must have come up, or another one ended
GRACE = 2.0  # seconds without a lease after which the server ends
HUNG = 20.0  # seconds without a word of its health after which a server is replaced; it answers while it computes
MODULE = "proctor.models.embedded"
CONTEXT = 4096  # tokens
THREADS = 2
SETTINGS = {
    "n_ctx": CONTEXT,
    "n_threads": THREADS,
    "n_batch": 2048,
    "n_ubatch": 512,
    "n_parallel": 1,
    "cache_ram_mib": 0,
    "n_ctx_checkpoints": 0,
}  # what the replies depend on, beside the weights
# How a thread waits for the other at each step of the computation. A short spin before it sleeps takes a third off the
# time of a small model on an idle machine (12 questions: 12.5 s for 18 to 20) and adds a fifth on a busy one; replies
# are the same.
WAITING = {
    False: {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "300"},
    True: {"OMP_WAIT_POLICY": "active"},
}


class EmbeddedError(RuntimeError):
    """The embedded server can't be had; the message says why and what to do."""


@dataclass(frozen=True)
class Endpoint:
    """Where a running server listens. The key only keeps other pages of this machine out."""

    weights: str
    pid: int
    port: int
    key: str = field(repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


class Embedded:
    """One model file, served on demand. Use `start()` for the endpoint and `try_turn()` around each call.

    `slots` calls can be computed at once, each with its own `CONTEXT` tokens, where replies need not be the same when
    asked again; `spin` lets waiting threads spin, which is faster on an idle machine and far slower on a busy one. A
    server with other values than 1 and False needs a folder of its own.
    """

    def __init__(
        self,
        weights: str | os.PathLike,
        folder: Path | None = None,
        slots: int = 1,
        spin: bool = False,
    ):
        self.slots, self.spin = slots, spin
        self.weights = Path(weights).resolve()
        self.folder = Path(folder) if folder else CACHE / "embedded"
        self._lease: TextIO | None = None

    def start(self) -> Endpoint:
        """The endpoint of a server with these weights, started if there is none. Blocks for about a second.

        Raises EmbeddedError if the weights are missing or the server does not come up.
        """
        if not self.weights.is_file():
            raise EmbeddedError(f"no model file at {self.weights}: run `make setup`, or pass the path of a GGUF file")
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._lease is None:
            self._lease = open(self._lease_path(self.weights), "w")
            fcntl.flock(self._lease, fcntl.LOCK_SH)
        # Not under the lock, which one who waits for other weights may hold for long.
        if (running := self._running()) and not _is_stuck(running.pid, running):
            return running
        with _locked(self.folder / "start.lock"):
            self._kill_if_stuck()
            return self._running() or self._spawn()

    def stop(self) -> None:
        """Give the lease back. The server ends when nobody else holds one."""
        if self._lease:
            self._lease.close()
            self._lease = None

    def try_turn(self, endpoint: Endpoint):
        """A context manager that holds the only slot, or None while another process has it: then try again.

        It yields the slot's note: a dict whose `prefix` says what the slot was primed with.
        """
        file = open(self.folder / "turn.lock", "a+", errors="replace")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        return _noted(file, endpoint.pid)

    def _lease_path(self, weights: Path | str) -> Path:
        return self.folder / f"{hashlib.sha256(str(weights).encode()).hexdigest()[:12]}.lease"

    def _running(self) -> Endpoint | None:
        """The server that holds serve.lock, if it has come up and serves these weights."""
        endpoint = self._endpoint() if self._is_held() else None
        return endpoint if endpoint and endpoint.weights == str(self.weights) else None

    def _is_held(self) -> bool:
        """Whether a server has serve.lock."""
        with open(self.folder / "serve.lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two who look don't see each other
                return False
            except BlockingIOError:
                return True

    def _endpoint(self) -> Endpoint | None:
        """What server.json says; None if there is none or it is garbage."""
        try:
            return TypeAdapter(Endpoint).validate_json((self.folder / "server.json").read_bytes(), strict=True)
        except (OSError, ValueError):
            return None

    def _kill_if_stuck(self) -> None:
        """End the server that has serve.lock, whatever weights it serves, if it was stopped or hangs."""
        if not self._is_held():
            return
        endpoint = self._endpoint()
        with open(self.folder / "serve.lock", errors="replace") as lock:
            digits = lock.read(20).strip()
        for pid in {int(digits) if digits.isdecimal() else 0, endpoint.pid if endpoint else 0} - {0}:
            if _is_ours(pid) and _is_stuck(pid, endpoint if endpoint and endpoint.pid == pid else None):
                with contextlib.suppress(psutil.Error):
                    psutil.Process(pid).kill()
                (self.folder / "server.json").unlink(missing_ok=True)  # it holds its lock for a moment still

    def _spawn(self) -> Endpoint:
        log = self.folder / "server.log"
        with open(log, "wb") as out:
            child = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    MODULE,
                    str(self.weights),
                    str(self.folder),
                    "--lease",
                    str(self._lease_path(self.weights)),
                    "--slots",
                    str(self.slots),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                env=os.environ | WAITING[self.spin],
            )
        deadline = time.monotonic() + PATIENCE + 60
        while time.monotonic() < deadline:
            running = self._running()
            if running and _healthy(running):
                if running.pid != child.pid:  # begun by a process that was killed before it could tell
                    child.kill()
                return running
            if child.poll() is not None:
                tail = log.read_text(errors="replace").strip().splitlines()[-3:]
                raise EmbeddedError(f"the embedded server ended before it answered (log: {log}): " + " / ".join(tail))
            time.sleep(0.05)
        child.kill()
        raise EmbeddedError(f"the embedded server did not answer in time (log: {log})")


@contextlib.contextmanager
def _locked(path: Path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _noted(file, pid: int):
    """Keep the slot's note in the lock file itself, so that it is read and written under the lock."""
    with file:
        file.seek(0)
        owner, _, prefix = file.read().partition(" ")
        note = {"prefix": prefix if owner == str(pid) else ""}
        file.truncate(0)  # until the caller is through, nobody knows what the slot holds
        yield note
        file.write(f"{pid} {note['prefix']}")


def _healthy(endpoint: Endpoint, patience: float = 2) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{endpoint.port}/health", timeout=patience) as answer:
            return answer.status == 200
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _is_stuck(pid: int, endpoint: Endpoint | None) -> bool:
    """Whether the server's process was stopped (SIGSTOP), or nothing is heard of its health for `HUNG` seconds."""
    try:
        if psutil.Process(pid).status() == psutil.STATUS_STOPPED:
            return True
    except psutil.Error:
        pass
    return endpoint is not None and not _healthy(endpoint, HUNG)


def _is_ours(pid: int) -> bool:
    """Whether the process is an embedded server: numbers in a file may be old or garbage."""
    try:
        return MODULE in psutil.Process(pid).cmdline()
    except (psutil.Error, OverflowError):
        return False


def serve(weights: str, folder: str, lease: str, slots: int) -> None:
    """Serve until nobody holds the lease. Runs in the child process only."""
    import xllamacpp

    lock = open(Path(folder) / "serve.lock", "a")
    deadline = time.monotonic() + PATIENCE
    while True:  # never two servers at once: wait until the one with other weights has ended
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                sys.exit("another model is still being served from this checkout: stop what uses it, then try again")
            time.sleep(0.1)
    lock.truncate(0)
    lock.write(str(os.getpid()))  # who replaces a server that hangs before it has come up finds it so
    lock.flush()
    (Path(folder) / "server.json").unlink(missing_ok=True)  # of the server before
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {"embedded"}
    key = secrets.token_hex(16)
    params.api_keys = [key]
    params.port = 0  # any free one
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    for name, value in {**SETTINGS, "n_ctx": CONTEXT * slots, "n_parallel": slots}.items():
        if name != "n_threads":
            setattr(params, name, value)
    params.n_gpu_layers, params.warmup, params.fit_params, params.verbosity, params.ui = 0, False, False, 0, False
    server = xllamacpp.Server(params)
    address = server.listening_address
    write_atomic(
        Path(folder) / "server.json",
        json.dumps(asdict(Endpoint(weights, os.getpid(), int(address.rsplit(":", 1)[1]), key))),
    )
    os.chmod(Path(folder) / "server.json", 0o600)
    held = open(lease, "a")
    idle = 0.0
    while True:
        time.sleep(0.2)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            idle = 0.0
            continue
        idle += 0.2
        if idle >= GRACE:
            break  # with the lease locked: who asks for it now waits until this server has gone
        fcntl.flock(held, fcntl.LOCK_UN)
    os._exit(0)  # deleting the server during a request hangs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=serve.__doc__)
    parser.add_argument("weights")
    parser.add_argument("folder")
    parser.add_argument("--lease", required=True)
    parser.add_argument("--slots", type=int, required=True)
    serve(**vars(parser.parse_args()))
