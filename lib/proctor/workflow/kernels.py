"""Kernels for notebooks, forked from one process that has imported the big packages (`kernel_server`).

    with KernelServer() as server:
        kernel = server.start(argv, environment, cwd, stderr)

Light imports only: the server starts to import its own while the caller imports papermill.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGKILL, SIGTERM

from proctor.paths import ROOT

SCRIPT = Path(__file__).with_name("kernel_server.py")


class KernelServer:
    """Use as a context manager: leaving it kills what still runs, and what that started, and deletes `folder`.

    folder: for sockets and temporary files. It is deleted too when this process is killed. If PROCTOR_KERNELS names the
    folder of a server that runs, its kernels are used, and nothing is started or deleted here.
    """

    process: subprocess.Popen | None = None

    def __init__(self) -> None:
        if running := os.environ.get("PROCTOR_KERNELS"):
            self.folder = Path(running)
            return
        # not in build/, because a socket's path may have about 100 characters
        self.folder = Path(tempfile.mkdtemp(prefix="proctor-kernels-"))
        settings = self.folder / "matplotlibrc"  # empty: the user's own must not change what a notebook draws
        settings.touch()
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.folder)],
            stdin=subprocess.PIPE,  # closes with this process, however it ends
            cwd=ROOT,
            env=os.environ | {"MATPLOTLIBRC": str(settings)},
            start_new_session=True,  # Ctrl-C is for this process alone
        )

    def __enter__(self) -> "KernelServer":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is None:
            return
        self.process.send_signal(SIGTERM)
        self.process.wait()
        assert self.process.stdin
        self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, stderr: Path) -> "Kernel":
        """A kernel in a process group of its own, with these arguments of ipykernel. Raises OSError."""
        connection = socket.socket(socket.AF_UNIX)
        address, deadline = str(self.folder / "fork"), time.monotonic() + 60
        while True:
            try:
                connection.connect(address)
                break
            except (FileNotFoundError, ConnectionRefusedError):  # it is only just starting
                ended = self.process is not None and self.process.poll() is not None
                if ended or time.monotonic() > deadline:
                    connection.close()
                    raise OSError(f"the process that forks kernels has ended or hangs ({SCRIPT.name})") from None
                time.sleep(0.02)
        request = dict(argv=list(argv), environment=dict(environment), cwd=str(cwd), stderr=str(stderr))
        connection.sendall(json.dumps(request).encode() + b"\n")
        return Kernel(connection)


class Kernel:
    """A forked kernel, with what jupyter_client uses of `subprocess.Popen`. Signals go to its process group."""

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket):
        self.returncode: int | None = None
        self._connection = connection
        pid = self._number()
        if pid is None:
            raise OSError(f"the process that forks kernels ended before it did so ({SCRIPT.name})")
        self.pid = pid

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        if self.returncode is not None:
            return self.returncode
        try:
            self._connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except BlockingIOError:
            return None
        except OSError:
            pass
        return self.wait()

    def wait(self) -> int:
        if self.returncode is None:
            code = self._number()
            self.returncode = -SIGKILL if code is None else code  # the server was killed, and its kernels end too
        return self.returncode

    def send_signal(self, number: int) -> None:
        try:
            self._connection.sendall(f"{int(number)}\n".encode())
        except OSError:
            pass  # it has ended

    def terminate(self) -> None:
        self.send_signal(SIGTERM)

    def kill(self) -> None:
        self.send_signal(SIGKILL)

    def close(self) -> None:
        """Kill what still runs of the kernel and of all that it started."""
        self._connection.close()

    def _number(self) -> int | None:
        """The next that the server says; None if it ends before."""
        digits = b""
        try:
            while (byte := self._connection.recv(1)) not in (b"", b"\n"):
                digits += byte
        except OSError:
            pass
        return int(digits) if digits else None
