"""Kernels for notebooks, forked from one process that has imported the big packages: 0.3 CPU seconds each instead of 3.

    with KernelServer() as server:
        kernel = server.start(argv, environment, cwd, stderr)

The server is this file, run as a script: `python kernels.py FOLDER`; it listens on FOLDER/fork. Each connection to it
is a kernel and gets a process that watches over it (`watch`): it hands on the client's signals and tells the kernel's
exit code. The kernel and all that it started are killed when it ends, when its client goes and when the server ends,
which it does when its standard input closes. So nothing that a notebook started outlives the run, even one that was
killed.

Nothing of proctor is imported in the server: each kernel reads the library as it is when the notebook starts. There
must be no thread and no zmq context before a fork; OpenBLAS ends its pools at a fork and begins again where they are
needed. In the client the imports are light, for the server starts to import its own while papermill is imported there.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SCRIPT = Path(__file__)
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


class KernelServer:
    """Use as a context manager: leaving it kills what still runs, and what that started, and deletes `folder`.

    folder: for sockets and temporary files. It is deleted too when this process is killed. If PROCTOR_KERNELS names the
    folder of a server that runs, its kernels are used, and nothing is started or deleted here.
    """

    process: subprocess.Popen | None = None

    def __init__(self) -> None:
        from proctor.paths import ROOT

        self.started, self.ended = list[Kernel](), False
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
        self.ended = True
        for kernel in self.started:  # those of another thread, which waits for them
            kernel.kill()
        if self.process:
            self.process.terminate()  # while it still imports
            with contextlib.suppress(BrokenPipeError):
                self.process.communicate(b"\n")  # something to read, in case a fork of this process holds the pipe too
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
        kernel = Kernel(connection)
        self.started.append(kernel)
        if self.ended:
            kernel.kill()
        return kernel


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
        if self.returncode is None:
            try:
                self._connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
            except BlockingIOError:
                return None
            except OSError:  # it was closed here
                pass
        return self.wait()

    def wait(self) -> int:
        if self.returncode is None:
            code = self._number()
            self.returncode = -signal.SIGKILL if code is None else code  # who watched was killed, so it ends too
        return self.returncode

    def send_signal(self, number: int) -> None:
        _tell(self._connection, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Kill what still runs of the kernel and of all that it started."""
        self._connection.close()

    def _number(self) -> int | None:
        """The next that is told of it; None where nobody is left to tell."""
        digits = b""
        with contextlib.suppress(OSError):
            while (byte := self._connection.recv(1)) not in (b"", b"\n"):
                digits += byte
        return int(digits) if digits else None


def _ready(*sources: socket.socket | int) -> list:
    """Those from which something can be read, or that have ended; waits until there is one."""
    return select.select(sources, [], [])[0]


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the other has gone
        connection.sendall(f"{int(number)}\n".encode())


def _kill(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


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
    gc.set_threshold(50_000, 20, 20)  # a run is short and its tables are large: collections would take 3 % of it


def serve(folder: Path) -> None:
    """Fork a process for each connection until standard input closes. Returns there, and at the end of each kernel."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "fork"))
    listener.listen()
    import_stack()
    alive, held = os.pipe()  # it closes for those that watch when this process ends, however it does
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # from here on it ends with its standard input alone
    signal.signal(signal.SIGCHLD, _forget_ended)
    while _ready(listener, 0) == [listener]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            os.close(held)
            if request := watch(connection, alive):
                return run_kernel(folder, **request)
            os._exit(0)
        connection.close()
    os.close(held)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _forget_ended(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def watch(connection: socket.socket, alive: int) -> dict | None:
    """Fork the kernel that the connection asks for, and watch over it until it ends.

    Returns in the kernel what was asked for, and None in this process. The client sends one line of JSON (argv,
    environment, cwd, stderr) and reads the kernel's pid, then its exit code. What it sends meanwhile are numbers of
    signals for the kernel's process group.
    """
    with connection.makefile() as lines:
        request = lines.readline()
    if not request.endswith("\n"):  # the client has gone
        return None
    woken, wakes = socket.socketpair()  # a byte comes for each signal
    woken.setblocking(False)
    wakes.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    if (pid := os.fork()) == 0:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for held in (connection, woken, wakes):
            held.close()
        os.close(alive)
        return json.loads(request)
    with contextlib.suppress(PermissionError):
        os.setpgid(pid, pid)  # the kernel does it too: whoever comes first
    _tell(connection, pid)
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        ready, sent = _ready(woken, connection, alive), b""
        if woken in ready:
            woken.recv(1000)
        if connection in ready:
            with contextlib.suppress(OSError):
                sent = connection.recv(1000)
        gone = not sent and ready != [woken]  # the client or the server
        for number in [signal.SIGKILL] if gone else map(int, sent.split()):
            _kill(pid, number)
    _kill(pid, signal.SIGKILL)  # what it started and left behind
    _tell(connection, os.waitstatus_to_exitcode(ended[1]))
    return None


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


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file
    serve(Path(sys.argv[1]))
