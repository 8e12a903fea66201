"""Kernels for notebooks, forked from one process that has imported the big packages: 0.3 CPU seconds each instead of 3.

    with KernelServer() as server:
        kernel = server.start(argv, environment, cwd, stderr)

The server is this file, run as a script: `python kernels.py FOLDER`; it listens on FOLDER/fork. Each connection to it
is a kernel and gets a process that watches over it (`watch`). The kernel and all that it started are killed when it
ends, when its client goes and when the server ends, which it does when its standard input closes. So nothing that a
notebook started outlives the run, even one that was killed.

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
import threading
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
            kernel.send_signal(signal.SIGKILL)
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
            kernel.send_signal(signal.SIGKILL)
        return kernel


class Kernel:
    """A forked kernel, with what jupyter_client uses of `subprocess.Popen`. Signals go to its process group."""

    stdin = stdout = stderr = None
    pid = 0

    def __init__(self, connection: socket.socket):
        self._connection = connection
        with contextlib.suppress(OSError), connection.makefile() as lines:
            self.pid = int(lines.readline() or 0)
        if not self.pid:
            raise OSError(f"the process that forks kernels ended before it did so ({SCRIPT.name})")

    def poll(self) -> int | None:
        """None while it runs, 0 after that."""
        try:
            return 0 if _ready(self._connection, seconds=0) else None
        except (OSError, ValueError):  # it was closed here
            return 0

    def wait(self) -> int:
        if self.poll() is None:
            _ready(self._connection)
        return 0

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            _signal_group(self.pid, number)

    def close(self) -> None:
        """Kill what still runs of the kernel and of all that it started."""
        self._connection.close()


def _ready(*sources: socket.socket | int, seconds: float | None = None) -> list:
    """Those from which something can be read, or that have ended; waits until there is one, or some seconds."""
    return select.select(sources, [], [], seconds)[0]


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the client has gone
        connection.sendall(f"{number}\n".encode())


def _signal_group(group: int, number: int) -> None:
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
    environment, cwd, stderr) and reads the kernel's pid, then its exit code. The kernel is killed if it goes before.
    """
    with connection.makefile() as lines:
        request = lines.readline()
    if not request.endswith("\n"):  # the client has gone
        return None
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if (pid := os.fork()) == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        connection.close()
        os.close(alive)
        return json.loads(request)
    with contextlib.suppress(PermissionError):
        os.setpgid(pid, pid)  # the kernel does it too: whoever comes first
    _tell(connection, pid)

    def end_with_client_or_server() -> None:
        _ready(connection, alive)
        _signal_group(pid, signal.SIGKILL)

    threading.Thread(target=end_with_client_or_server, daemon=True).start()
    _, status = os.waitpid(pid, 0)
    _signal_group(pid, signal.SIGKILL)  # what it started and left behind
    _tell(connection, os.waitstatus_to_exitcode(status))
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
