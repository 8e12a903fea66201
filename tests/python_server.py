"""A process that has imported big packages once and forks Pythons, which need seconds less of CPU: tests start many.

    python python_server.py FOLDER

FOLDER/python then stands for the interpreter: what it is given runs in a fork, with the caller's environment, folder and
streams, gets its SIGTERM and ends with it. Nothing of proctor is imported before the fork. The server ends when its
standard input closes.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
from pathlib import Path

STACK = (
    "aiohttp",
    "ipykernel.kernelapp",
    "openai",
    "pandas",
    "papermill",
    "pydantic",
    "scipy.stats",
    "snakemake.cli",
    "snakemake.workflow",
    "tqdm.asyncio",
    "typer",
)
CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"x"], [0, 1, 2])
    server.sendall(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode() + b"\\n")
    signal.signal(signal.SIGTERM, lambda *_: server.sendall(b"x"))
    code = int(server.makefile().readline() or 1)
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


def serve(folder: Path) -> list | None:
    """None at the end; in each fork its [arguments, environment, folder]."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        client = folder / "starting"
        client.write_text(CLIENT.format(python=sys.executable, address=str(folder / "socket")))
        client.chmod(0o755)
        client.rename(folder / "python")
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not os.fork():
                listener.close()
                return forked(connection)
            connection.close()
    return None


def forked(connection: socket.socket) -> list:
    """Wait for a fork of this process, in which this returns, and tell its exit code; kill it when its caller goes."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile() as lines:
        request = json.loads(lines.readline())
    if not (pid := os.fork()):
        os.setpgid(0, 0)
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        return request
    with contextlib.suppress(PermissionError):
        os.setpgid(pid, pid)
    for stream in streams:
        os.close(stream)
    ended = os.pidfd_open(pid)
    while connection in select.select([connection, ended], [], [])[0]:
        if not connection.recv(1):  # the caller has gone
            os.killpg(pid, signal.SIGKILL)
            break
        os.kill(pid, signal.SIGTERM)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(f"{code}\n".encode())
    os._exit(0)


def run(folder: Path, words: list[str], environment: dict[str, str], cwd: str) -> None:
    """What `python WORDS` does, in this process."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    importlib.invalidate_caches()
    what, *rest = words
    if what.endswith(".py"):
        sys.path.insert(0, os.path.dirname(what))
        sys.argv = words
        runpy.run_path(what, run_name="__main__")
        return
    sys.executable = str(folder / "python")
    sys.path.insert(0, cwd)
    sys.argv = rest if what == "-m" else ["-c", *rest[1:]]
    if what == "-m":
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        exec(compile(rest[0], "<string>", "exec"), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    FOLDER = Path(sys.argv[1])
    del sys.path[0]  # the folder of this file
    sys.modules["rfc3987_syntax"] = None  # takes a second to import, and is used by nobody
    os.environ |= {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OPENBLAS_NUM_THREADS": "1"}
    for NAME in STACK:
        importlib.import_module(NAME)
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()
    if REQUEST := serve(FOLDER):
        run(FOLDER, *REQUEST)
