"""A small model served on loopback by llama.cpp.

The server is a child process of who asks it. It ends when its standard input closes, so with that process, however it
ends. Of all processes of a checkout one computes at a time: who asks holds the turn meanwhile.

Replies do not depend on the order of the calls: one call at a time, fixed threads and batch
sizes, and each call starts from a prefix of messages that was evaluated from zero (see providers.Served).
"""

import fcntl
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from proctor.paths import CACHE

PATIENCE = 600.0  # seconds until a server must have come up
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

    url: str
    key: str = field(repr=False)


class Embedded:
    """One model file, served on demand to this process: `start()` gives the endpoint, `stop()` ends the server.

    `slots` calls can be computed at once, each with its own `CONTEXT` tokens, where replies need not be the same when
    asked again; `spin` lets waiting threads spin, which is faster on an idle machine and far slower on a busy one.
    """

    def __init__(self, weights: str | os.PathLike, slots: int = 1, spin: bool = False):
        self.weights, self.slots, self.spin = Path(weights).resolve(), slots, spin
        self._child: subprocess.Popen | None = None
        self._endpoint: Endpoint | None = None

    def start(self) -> Endpoint:
        """The endpoint of the server, which is started unless it runs. Blocks for about a second.

        Raises EmbeddedError if the weights are missing or the server does not come up.
        """
        if not self.weights.is_file():
            raise EmbeddedError(f"no model file at {self.weights}: run `make setup`, or pass the path of a GGUF file")
        if self._endpoint is None or self._child is None or self._child.poll() is not None:
            self._endpoint = self._spawn()
        return self._endpoint

    def stop(self) -> None:
        """End the server, whatever it does."""
        if self._child:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _spawn(self) -> Endpoint:
        with tempfile.TemporaryFile() as log:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "proctor.models.embedded", str(self.weights), str(self.slots)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is not for it: calls in flight come home first
                env=os.environ | WAITING[self.spin],
            )
            late = threading.Timer(PATIENCE, self._child.kill)
            late.start()
            address = self._child.stdout.readline()  # type: ignore[union-attr]
            late.cancel()
            if address:
                return Endpoint(**json.loads(address))
            self.stop()
            log.seek(0)
            said = " / ".join(log.read().decode(errors="replace").strip().splitlines()[-3:])
            raise EmbeddedError(f"the embedded server of {self.weights} ended before it answered: {said}")


def try_turn() -> TextIO | None:
    """The right to compute, which who gets it gives back by closing it; None while another call has it: then try again.

    No clock or process number is trusted: the kernel releases the lock when its holder ends."""
    CACHE.mkdir(parents=True, exist_ok=True)
    turn = open(CACHE / "embedded.lock", "a")
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return turn
    except BlockingIOError:
        turn.close()
        return None


def serve(weights: str, slots: int) -> None:
    """Serve until standard input closes. Runs in the child process only."""
    asker = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever llama.cpp prints is for the log
    import xllamacpp

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
    server = xllamacpp.Server(params)  # returns when the model is loaded
    try:
        url = f"http://127.0.0.1:{server.listening_address.rpartition(':')[2]}/v1"
        print(json.dumps(dict(url=url, key=key)), file=asker, flush=True)
        sys.stdin.read()
    finally:
        os._exit(0)  # deleting the server during a request hangs


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
