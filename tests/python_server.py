"""A process that has imported big packages once and forks Pythons, which need seconds less of CPU: tests start many.

    python python_server.py FOLDER

FOLDER/python then stands for the interpreter: what it is given runs in a fork, with the caller's environment, folder and
streams, gets its SIGTERM and ends with it. The server is that of the kernels (proctor/workflow/kernels.py), with other
packages and another program to run; nothing else of proctor is imported before the fork. It ends when its standard
input closes.
"""

import contextlib
import importlib
import os
import runpy
import socket
import sys
import threading
from pathlib import Path

CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as streams:
    server.connect("{folder}/fork")
    streams.bind(f"{folder}/{{os.getpid()}}")
    streams.listen()
    request = dict(words=sys.argv[1:], environment=dict(os.environ), cwd=os.getcwd(), streams=streams.getsockname())
    server.sendall(json.dumps(request).encode() + b"\\n")
    lines = server.makefile()
    pid = int(next(lines))
    signal.signal(signal.SIGTERM, lambda number, _: os.killpg(pid, number))
    socket.send_fds(streams.accept()[0], [b"x"], [0, 1, 2])
    code = next(lines, "1")
os.unlink(request["streams"])
if int(code) < 0:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), -int(code))
sys.exit(int(code))
"""


def prepare(folder: Path, import_stack) -> None:
    """Import the packages, and then make the program that clients start."""
    sys.modules["rfc3987_syntax"] = None  # takes a second to import, and is used by nobody
    import_stack()
    assert threading.active_count() == 1
    client = folder / "starting"
    client.write_text(CLIENT.format(python=sys.executable, folder=folder))
    client.chmod(0o755)
    client.rename(folder / "python")


def run(folder: Path, words: list[str], environment: dict[str, str], cwd: str, streams: str) -> None:
    """What `python WORDS` does, in this process."""
    with contextlib.suppress(PermissionError):
        os.setpgid(0, 0)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(streams)
        for number, stream in enumerate(socket.recv_fds(caller, 1, 3)[1]):
            os.dup2(stream, number)
            os.close(stream)
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
    sys.path[0] = str(Path(__file__).parents[1] / "lib/proctor/workflow")
    import kernels

    del sys.path[0]
    kernels.STACK = (
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
    kernels.import_stack = lambda imported=kernels.import_stack: prepare(FOLDER, imported)
    kernels.run_kernel = run
    kernels.serve(FOLDER)
