"""The place where the jobs of one `make reproduce` run: papermill is imported once, each job gets its own kernel.

A job comes over a Unix socket from `proctor.workflow.run` (a line of JSON) and is answered by what went
wrong (a line of JSON, null for nothing). How many run at once is for Snakemake to decide. A job whose
sender has gone is stopped, so whoever stops a job stops its kernel. Of the sender's environment the kernel
gets what belongs to Proctor (PROCTOR_FIGURES, ...); the rest is this process's.
"""

import json
import socketserver
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from proctor.workflow.execute import NotebookFailed, execute
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook


class Workers(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Use as a context manager: leaving it stops what still runs and waits for it.

    address:  the socket, for PROCTOR_WORKERS
    finished: {notebook name: what went wrong or None}, in the order of finishing
    """

    daemon_threads = True

    def __init__(self, say: Callable[[str], None], cell_timeout: float | None = None):
        self.cell_timeout = cell_timeout
        self.kernels = KernelServer()
        self.address = str(self.kernels.folder / "jobs")
        self.say = say
        self.finished: dict[str, str | None] = {}
        self.running: dict[threading.Thread, threading.Event] = {}
        super().__init__(self.address, _Job)

    def __enter__(self) -> "Workers":
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_jobs()
        self.shutdown()
        self.server_close()
        self.kernels.__exit__()

    def stop_jobs(self) -> None:
        """Kill the kernels of all running jobs and wait until the jobs have noticed."""
        running = dict(self.running)
        for cancel in running.values():
            cancel.set()
        for thread in running:
            thread.join(timeout=10)


class _Job(socketserver.StreamRequestHandler):
    server: Workers

    def handle(self) -> None:
        job = json.loads(self.rfile.readline())
        notebook, cancel = Notebook(job["notebook"]), threading.Event()
        self.server.running[threading.current_thread()] = cancel
        threading.Thread(target=self._cancel_when_sender_goes, args=(cancel,), daemon=True).start()
        self.server.say(f"  started   {notebook.name}")
        start = time.monotonic()
        try:
            timeout = self.server.cell_timeout or job["cell_timeout"]
            output, kernels = Path(job["output"]), self.server.kernels
            say = lambda line: self.server.say(f"  {notebook.name}  {line}")  # noqa: E731
            execute(notebook, output, job["values"], kernels, job["environment"], cancel, timeout, say)
            problem = None
        except NotebookFailed as error:
            problem = str(error)
        except Exception:  # a fault of ours or of papermill's: tell it like any other, the other jobs go on
            problem = f"{notebook.name} could not be run:\n{traceback.format_exc()}"
        self.server.finished[notebook.name] = problem
        self.server.say(f"  {'FAILED' if problem else 'finished':9} {notebook.name}  {time.monotonic() - start:.1f} s")
        del self.server.running[threading.current_thread()]
        if not cancel.is_set():
            self.wfile.write(json.dumps(problem).encode() + b"\n")

    def _cancel_when_sender_goes(self, cancel: threading.Event) -> None:
        try:
            self.connection.recv(1)  # returns when the other side closes; nothing more is ever sent
        except OSError:
            pass
        cancel.set()
