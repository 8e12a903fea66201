"""A process that has imported the big packages once and forks kernels: each needs 0.3 CPU seconds instead of 3.

Started by `kernels.KernelServer`, never by hand: `python kernel_server.py FOLDER`. It listens on FOLDER/fork.
A connection is a kernel. Its client sends one line of JSON (argv, environment, cwd, stderr) and reads the kernel's
pid, then, when the kernel has ended, its exit code. What the client sends meanwhile are numbers of signals for
the kernel's process group. The group is killed when the kernel ends and when the client goes. The server ends, and
all its kernels with it, when its standard input closes. So nothing that a notebook started outlives the run, even
one that was killed.

Nothing of proctor is imported here: each kernel reads the library as it is when the notebook starts. There must be
no thread and no zmq context before a fork; OpenBLAS ends its pools at a fork and begins again where they are needed.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
from pathlib import Path

STACK = (
    "numpy",
    "pandas",
    "matplotlib.pyplot",
    "seaborn",
    "scipy.optimize",
    "scipy.stats",
    "statsmodels.api",
    "statsmodels.stats.proportion",
    "bs4",
    "psutil",
    "pydantic.main",  # `import pydantic` alone puts the work off
    "tqdm",
    "yaml",
    "ipykernel.kernelapp",
)


WHILE_IMPORTED = {  # environment variables that the packages read then, unless they are set
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # else pyarrow, which pandas imports, starts a thread
    # As many notebooks run at once as there are cores: threads that wait for each other would use what they save.
    "OPENBLAS_NUM_THREADS": "1",
}


def import_stack() -> None:
    before = dict(os.environ)
    os.environ.update(WHILE_IMPORTED | before)
    for name in STACK:
        with contextlib.suppress(ImportError):  # told by the notebook that needs it
            importlib.import_module(name)
    os.environ.clear()
    os.environ.update(before)
    gc.collect()
    gc.freeze()  # else the first collection in each kernel copies all pages


class Server:
    def __init__(self, listener: socket.socket):
        self.listener = listener
        self.ended = False
        self.kernels: dict[socket.socket, int] = {}  # the pids of those that run
        self.woken, self.wakes = socket.socketpair()  # a byte comes for each signal
        self.woken.setblocking(False)
        self.wakes.setblocking(False)
        signal.set_wakeup_fd(self.wakes.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ, self._fork)
        self.selector.register(self.woken, selectors.EVENT_READ, self._reap)
        self.selector.register(sys.stdin, selectors.EVENT_READ, self._end)

    def serve(self) -> dict | None:
        """Returns None at the end, and in the process of each new kernel what that was asked with."""
        while not self.ended:
            for key, _ in self.selector.select():
                if request := key.data():
                    return request
        for pid in self.kernels.values():
            _kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return None

    def _fork(self) -> dict | None:
        connection, _ = self.listener.accept()
        with connection.makefile() as lines:
            request = lines.readline()
        if not request.endswith("\n"):  # the client has gone
            connection.close()
            return None
        if pid := os.fork():
            with contextlib.suppress(PermissionError):
                os.setpgid(pid, pid)  # the kernel does it too: whoever comes first
            self.kernels[connection] = pid
            self.selector.register(connection, selectors.EVENT_READ, lambda: self._hear(connection))
            _tell(connection, pid)
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.selector.close()
        for held in (connection, self.listener, self.woken, self.wakes, *self.kernels):
            held.close()
        return json.loads(request)

    def _hear(self, connection: socket.socket) -> None:
        if connection not in self.kernels:
            return  # it ended in this very round
        try:
            numbers = [int(number) for number in connection.recv(1000).split()]
        except OSError:
            numbers = []
        if not numbers:  # the client has gone
            self.selector.unregister(connection)
        for number in numbers or [signal.SIGKILL]:
            _kill(self.kernels[connection], number)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self.ended |= signal.SIGTERM in self.woken.recv(1000)
        for connection, pid in list(self.kernels.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                _kill(pid, signal.SIGKILL)  # what it started and left behind
                _tell(connection, os.waitstatus_to_exitcode(status))
                del self.kernels[connection]
                with contextlib.suppress(KeyError):
                    self.selector.unregister(connection)
                connection.close()

    def _end(self) -> None:
        self.ended = True


def _kill(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the client has gone
        connection.sendall(f"{number}\n".encode())


def run_kernel(folder: Path, argv: list[str], environment: dict[str, str], cwd: str, stderr: str) -> None:
    """In the forked process: be what `python -m ipykernel_launcher ARGV` would be, in this environment.

    Bytecode of what is imported from here on lies in `folder`: Python takes an older file of the checkout's for that of
    a module of the same size and second, and would run what the module was.
    """
    sys.pycache_prefix = str(folder / "bytecode")
    with contextlib.suppress(PermissionError):
        os.setpgid(0, 0)
    with open(os.devnull) as nothing, open(stderr, "wb") as said:
        os.dup2(nothing.fileno(), 0)
        os.dup2(said.fileno(), 2)
    before, after = (each.get("PYTHONPATH", "").split(os.pathsep) for each in (os.environ, environment))
    sys.path = [*filter(None, after), *(place for place in sys.path if place not in before)]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["ipykernel_launcher", *argv]
    importlib.invalidate_caches()
    if matplotlib := sys.modules.get("matplotlib"):  # it looks for the variable only when it is imported
        matplotlib.rcParams["backend"] = environment.get("MPLBACKEND") or "module://matplotlib_inline.backend_inline"
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # else all kernels go on with one sequence
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # nobody debugs here, and its import is half of a kernel's start

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance([*argv, f"--IPKernelApp.parent_handle={os.getppid()}"])


def main(folder: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "fork"))
    listener.listen()
    import_stack()
    if request := Server(listener).serve():
        run_kernel(folder, **request)
    else:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file
    main(Path(sys.argv[1]))
