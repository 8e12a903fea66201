"""Run code of a stranger against tests: `run_tests(code, tests)`. Two processes, and only plain data between them.

The code runs in one process. The tests run in another, where each name that the code defines stands for what is there:
a call sends its arguments as plain data (None, truth values, numbers, text, bytes, lists, tuples, sets, dictionaries,
ranges, fractions) and gets plain data back. So `==`, `isinstance`, `sorted`, `math` in a test are Python's, whatever
the code did to them, to frames or to the garbage collector; the tests' text never reaches it. What is no plain data, an
instance of the code's class, stays where it is: its methods, items and operators can be used, and their plain results
compared. Lists, sets and dictionaries that a call changes in place are changed for the tests too. Undecided, for
nobody can judge them: tests that compare such an instance itself, that pass functions, or that call a builtin which
the code replaced.

Each process has limits of time, memory and file size, a folder of its own, no environment, and a watch that refuses
sockets, other processes, and making, listing, reading or writing files elsewhere. What this does not stop: a watch
within a process is no wall. Code that is written to break out (through a fault of the interpreter, or by `os.mknod` and
`os.mkfifo`, of which Python tells no watch) has the rights of the user who runs it, and root is not held to the limit
on processes. For answers from strangers run all of this in a container, as a user without rights.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

from proctor.uq import sandboxed
from proctor.uq.sandboxed import PASSED, UNDECIDED

SECONDS, MEGABYTES = 10, 512  # of one answer's tests


def run_tests(code: str, tests: str, seconds: int = SECONDS, megabytes: int = MEGABYTES) -> tuple[bool | None, str]:
    """(True: passes, False: does not, None: nobody can say; why)."""
    limits = dict(RLIMIT_CPU=seconds, RLIMIT_AS=megabytes << 20, RLIMIT_FSIZE=1 << 20, RLIMIT_NOFILE=32)
    limits |= dict(RLIMIT_CORE=0, RLIMIT_NPROC=0)
    answers, asks = os.pipe(), os.pipe()  # each (read, write)
    children: list[subprocess.Popen] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        try:
            children.append(_start("code", folder, stdin=asks[0], stdout=answers[1]))
            children.append(_start("tests", folder, stdin=subprocess.PIPE, stdout=out, pass_fds=(answers[0], asks[1])))
            for end in (*answers, *asks):
                os.close(end)
            told = dict(code=code, tests=tests, limits=limits, ends=(answers[0], asks[1]))
            children[1].communicate(json.dumps(told).encode(), timeout=2 * seconds)
            children[0].wait(timeout=1)
            late = any(child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) for child in children)
        except subprocess.TimeoutExpired:
            late = children[1].poll() is None
        finally:
            for child in children:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        out.seek(0)
        kind, _, why = out.read(1000).decode(errors="replace").partition("\n")
    if kind in (PASSED, UNDECIDED):
        return (True, "passes the tests") if kind == PASSED else (None, why)
    return False, f"no end within {seconds} s" if late else why or "the process ended early"


def _start(part: str, folder: str, **how) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", sandboxed.__file__, part],
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={},
        start_new_session=True,
        **how,
    )
