"""A process that has imported big packages once and forks Pythons, which need seconds less of CPU: tests start many.

    python python_server.py FOLDER

FOLDER/python then stands for the interpreter. What it is given with -c or -m runs in a fork, with the caller's
environment, folder and streams, and ends with its caller; all else runs in a new Python. Nothing of proctor is imported
before the fork. The server ends when its standard input closes.
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

STACK = ("papermill", "snakemake.cli", "snakemake.workflow", "pandas", "pydantic", "scipy.stats", "typer", "yaml")
CLIENT = """#!{python} -IS
import json, os, socket, sys
if sys.argv[1] not in ("-c", "-m"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"x"], [0, 1, 2])
    server.sendall(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode() + b"\\n")
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
    if connection in select.select([connection, ended], [], [])[0]:  # the caller has gone
        os.killpg(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(f"{code}\n".encode())
    os._exit(0)


def run(folder: Path, words: list[str], environment: dict[str, str], cwd: str) -> None:
    """What `python WORDS` does, in this process."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.executable = str(folder / "python")
    sys.path[:0] = [cwd, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    importlib.invalidate_caches()
    flag, what, *rest = words
    if flag == "-m":
        sys.argv = [what, *rest]
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [flag, *rest]
        exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)


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
