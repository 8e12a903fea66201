"""Run one notebook by nbclient, in a kernel of its own. Several may run at once, each in a thread."""

import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# An optional part of jsonschema, which nbformat imports, compiles a grammar of web addresses for more than a
# second at every start; no notebook is checked for those. A None here makes Python say "not installed".
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from proctor.files import write_atomic
from proctor.paths import BUILD, ROOT
from proctor.workflow.kernels import Kernel, KernelServer
from proctor.workflow.notebook import Notebook, shown

PLAN_LINE = "plan: "  # how each line of a plan begins (models/studies.py)
INJECTED = "injected-parameters"  # the tag of the cell with the given values, as papermill has it


class NotebookFailed(Exception):
    """A notebook stopped before its end; the message names the cell, the error and the partly executed copy."""


class _Client(NotebookClient):
    """Hands the lines of a plan on as cells print them. `at`: the cell that runs, counted from 0."""

    def __init__(self, copy: Any, say: Callable[[str], object], **how: Any):
        super().__init__(copy, **how)
        self.at, self.say, self.rest = 0, say, ""

    async def async_execute_cell(self, cell: Any, cell_index: int, *how: Any, **more: Any) -> Any:
        self.at = cell_index
        return await super().async_execute_cell(cell, cell_index, *how, **more)

    def process_message(self, *message: Any) -> Any:
        output = super().process_message(*message)
        if output and output.output_type == "stream" and output.name == "stdout":
            *lines, self.rest = (self.rest + output.text).split("\n")
            for line in lines:
                if line.startswith(PLAN_LINE):
                    self.say(line)
        return output


def execute(
    notebook: Notebook,
    output: Path,
    values: dict[str, Any],
    server: KernelServer,
    environment: Mapping[str, str] | None = None,
    cancel: threading.Event | None = None,
    cell_timeout: float | None = None,
    say: Callable[[str], object] = print,
) -> None:
    """Run `notebook` with the parameters `values`; leave the executed copy at `output`.

    The copy is written at the end: `output` is whole or not there. In its metadata are values and times, as papermill
    leaves them. When a cell fails, the copy so far is kept as NAME.failed.ipynb and NotebookFailed is raised.
    The kernel comes from `server`; `environment` is laid over this process's. Setting `cancel` (from another thread)
    kills the kernel; a cell that takes longer than `cell_timeout` seconds fails. Code runs in the repository's root
    folder. Processes that it started in the kernel's group and its temporary
    files go with the kernel. `say` gets each line of a plan as soon as a cell prints it.
    """
    BUILD.mkdir(parents=True, exist_ok=True)  # or IPython complains that it has no place for its profile
    output = Path(output).resolve()
    failed, begun = output.with_suffix(".failed.ipynb"), datetime.now(UTC)
    done = threading.Event()
    kernels: list[Kernel] = []
    if cancel:
        threading.Thread(target=_kill_when, args=(cancel, done, kernels), daemon=True).start()
    folder = Path(tempfile.mkdtemp(dir=server.folder))
    copy = _with_values(notebook, values)
    ours = {"PROCTOR_NOTEBOOK": notebook.name, **(environment or {})}
    forked = _kernel_class(server, folder, ours, kernels)
    client, why = _Client(copy, say, timeout=cell_timeout, kernel_manager_class=forked), ""
    try:
        client.execute()
    except CellTimeoutError:
        how = f"it took longer than {cell_timeout:g} seconds, the limit that --cell-timeout sets"
        why = _failed(client, how)
    except CellExecutionError as error:
        why = _failed(client, f"{error.ename}: {error.evalue}".rstrip(": "), error.traceback)
    except (RuntimeError, OSError) as error:  # the kernel died or did not start
        why = str(error)
        if isinstance(error, DeadKernelError):
            why = "its Python process died, perhaps for want of memory" + _first_lines(_said(folder))
        if cancel and cancel.is_set():
            why = "it was stopped"
        why = f"was not finished: {why}\n  executed so far"
    finally:
        done.set()
        for kernel in kernels:
            kernel.close()
        shutil.rmtree(folder, ignore_errors=True)
    ended = datetime.now(UTC)
    times = {"start_time": begun.isoformat(), "end_time": ended.isoformat()}
    copy.metadata["papermill"] = {"parameters": values, "duration": (ended - begun).total_seconds(), **times}
    try:
        write_atomic(failed if why else output, nbformat.writes(copy) + "\n")
    except OSError as error:
        raise NotebookFailed(f"{shown(notebook.path)} was not finished: {error}") from None
    if why:
        raise NotebookFailed(f"{shown(notebook.path)} {why}: {shown(failed)}")
    failed.unlink(missing_ok=True)


def _with_values(notebook: Notebook, values: Mapping[str, Any]) -> Any:
    """The notebook without outputs, and with a cell that sets the values after the one tagged `parameters`."""
    copy = nbformat.v4.upgrade(nbformat.read(notebook.path, as_version=4))
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    text = "\n".join(["# Parameters", *(f"{name} = {value!r}" for name, value in values.items())])
    if re.search(r"\b(inf|nan)\b", text):
        text = f"from math import inf, nan\n{text}"
    tagged = (n for n, cell in enumerate(copy.cells, 1) if "parameters" in cell.metadata.get("tags", ()))
    if values:
        given = nbformat.v4.new_code_cell(text, metadata={"tags": [INJECTED]})
        copy.cells.insert(next(tagged, 0), given)
    return copy


def _kernel_class(
    server: KernelServer, folder: Path, environment: Mapping[str, str], kernels: list[Kernel]
) -> type[AsyncKernelManager]:
    """A kernel manager whose kernels come from `server`, whatever kernels are registered on the machine.

    It speaks over files in `folder`: no port to be taken, nobody else on the machine to listen. Each kernel
    that was started is put into `kernels`.
    """
    argv = ["-f", "{connection_file}", "--HistoryManager.enabled=False", "--IPKernelApp.log_level=CRITICAL"]
    # A profile of the user's own, with start-up code, must not change what a notebook computes.
    ours = {**environment, "IPYTHONDIR": str(BUILD / "ipython"), "TMPDIR": str(folder)}

    class Forked(AsyncKernelManager):
        kernel_spec = KernelSpec(argv=argv, display_name="Python 3", language="python")

        def __init__(self, *args: Any, **kwargs: Any):
            super().__init__(*args, **kwargs, transport="ipc", connection_file=f"{folder}/kernel.json")

        async def _async_launch_kernel(self, kernel_cmd: list[str], **_: Any) -> None:
            kernel = server.start(kernel_cmd, {**os.environ, **ours}, ROOT, _said(folder))
            kernels.append(kernel)
            provisioner: Any = self.provisioner  # a LocalProvisioner; it sees the kernel as a process of its own
            provisioner.process, provisioner.pid = kernel, kernel.pid

    return Forked


def _said(folder: Path) -> Path:
    """Where the kernel's process writes its own errors, past what cells print: worth reading when it dies.

    A kernel that ends well may write there too: ipykernel 7.4 closes its sockets while one of its threads
    still sends on them (ipython/ipykernel, pull request 1518).
    """
    return folder / "stderr"


def _first_lines(path: Path, count: int = 3) -> str:
    lines = path.read_text(errors="replace").splitlines()[:count] if path.exists() else []
    return "".join(f"\n  {line}" for line in lines)


def _kill_when(cancel: threading.Event, done: threading.Event, kernels: list[Kernel]) -> None:
    cancel.wait()
    while not done.wait(0.1):  # the kernel may only just be starting
        for kernel in kernels:
            kernel.kill()


def _failed(client: _Client, how: str, traceback: str = "") -> str:
    """The cell that ran, by its number in the notebook and first line; the line that failed, if another; and how."""
    cells = client.nb.cells[: client.at + 1]
    number = sum(INJECTED not in cell.metadata.get("tags", ()) for cell in cells)
    first = next((line for line in cells[-1].source.splitlines() if line.strip()), "")
    arrow = re.search(r"^-+>\s*\d+ (.*)$", re.sub(r"\x1b\[[0-9;]*m", "", traceback), re.MULTILINE)
    at = f"\n  at: {arrow[1].strip()}" if arrow and arrow[1].strip() != first.strip() else ""
    return f"failed in cell {number}: {first}{at}\n  {how}\n  partly executed copy"
