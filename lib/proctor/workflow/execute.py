"""Run one notebook by papermill, in a kernel of its own. Several may run at once, each in a thread."""

import logging
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, shown

# An optional part of jsonschema, which papermill imports, compiles a grammar of web addresses for more than a
# second at every start; no notebook is checked for those. A None here makes Python say "not installed".
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError

from proctor.paths import BUILD, ROOT
from proctor.workflow.kernels import Kernel

logging.getLogger("papermill").setLevel(logging.CRITICAL)  # a kernel's death is told once, by NotebookFailed


ENGINE = "proctor"
PUT_IN = {"injected-parameters", "papermill-error-cell-tag"}  # tags of cells that papermill puts into the copy
PLAN_LINE = "plan: "  # how each line of a plan begins (models/studies.py)


class _WritesAtTheEnd(NBClientEngine):
    """Papermill's engine, which would write the copy anew before and after each cell, with all figures so far."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **how: Any) -> None:
        output, nb_man.output_path = nb_man.output_path, None
        try:
            super().execute_managed_notebook(nb_man, kernel_name, **how)
        except BaseException:  # what ran so far is kept; all that ran well is written once, by papermill
            nb_man.output_path = output
            raise


class _Plans:
    """A file for what cells print, which hands on the lines of a plan."""

    def __init__(self, say: Callable[[str], object]):
        self.say, self.rest = say, ""

    def write(self, text: str) -> None:
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if line.startswith(PLAN_LINE):
                self.say(line)

    def flush(self) -> None:
        """Nothing: a line is handed on when it ends."""


papermill_engines.register(ENGINE, _WritesAtTheEnd)


class NotebookFailed(Exception):
    """A notebook stopped before its end; the message names the cell, the error and the partly executed copy."""


def execute(
    notebook: Notebook,
    output: Path,
    values: dict[str, Any],
    server: KernelServer,
    environment: Mapping[str, str] | None = None,
    say: Callable[[str], object] = print,
    cell_timeout: float | None = None,
) -> None:
    """Run `notebook` with the parameters `values`; leave the executed copy at `output`.

    The copy is written beside `output` and renamed at the end: `output` is whole or not there.
    When a cell fails, the copy so far is kept as NAME.failed.ipynb and NotebookFailed is raised.
    The kernel comes from `server`, whose end (in another thread) kills it; `environment` is laid over this process's.
    A cell that takes longer than `cell_timeout` seconds fails. Code runs in the repository's root folder. Processes
    that it started in the kernel's group and its temporary files go with the kernel. `say` gets each line of a plan as
    soon as a cell prints it.
    """
    BUILD.mkdir(parents=True, exist_ok=True)  # or IPython complains that it has no place for its profile
    output = Path(output).resolve()
    running, failed = output.with_suffix(".running.ipynb"), output.with_suffix(".failed.ipynb")
    output.parent.mkdir(parents=True, exist_ok=True)
    kernels: list[Kernel] = []
    folder = Path(tempfile.mkdtemp(dir=server.folder))
    try:
        papermill.execute_notebook(
            _literal(notebook.path),
            _literal(running),
            parameters=values,
            kernel_name="python3",
            language="python",
            kernel_manager_class=_kernel_class(
                server, folder, {"PROCTOR_NOTEBOOK": notebook.name, **(environment or {})}, kernels
            ),
            engine_name=ENGINE,
            progress_bar=False,
            execution_timeout=cell_timeout,
            stdout_file=_Plans(say),
        )
        os.replace(running, output)
        failed.unlink(missing_ok=True)
    except (PapermillExecutionError, RuntimeError, OSError) as error:
        if running.exists():
            os.replace(running, failed)
        if isinstance(error, CellTimeoutError):
            said = _explain(notebook, failed, f"it took longer than {cell_timeout:g} seconds, the limit")
        elif isinstance(error, PapermillExecutionError):
            how = f"{error.ename}: {error.evalue}".rstrip(": ")
            said = _explain(notebook, failed, how, "\n".join(error.traceback))
        else:  # the kernel died or did not start; the disk is full
            why = str(error)
            if isinstance(error, DeadKernelError):
                why = "its Python process died, perhaps for want of memory" + _first_lines(_said(folder))
            said = f"{shown(notebook.path)} was not finished: {why}\n  executed so far: {shown(failed)}"
        raise NotebookFailed(said) from None
    finally:
        for kernel in kernels:
            kernel.close()
        shutil.rmtree(folder, ignore_errors=True)


def _literal(path: Path) -> str:
    """The path for papermill, which fills parameters into a path's braces."""
    return str(path).replace("{", "{{").replace("}", "}}")


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


def _explain(notebook: Notebook, copy: Path, how: str, traceback: str = "") -> str:
    """The cell that ran last, by its number in the notebook and first line; the line that failed, if another; how."""
    cells = [cell for cell in Notebook(copy).content["cells"] if not PUT_IN & set(cell["metadata"].get("tags", ()))]
    started = [n for n, cell in enumerate(cells) if cell["metadata"].get("papermill", {}).get("start_time")]
    source = "".join(cells[started[-1]]["source"])
    first = next((line for line in source.splitlines() if line.strip()), "")
    arrow = re.search(r"^-+>\s*\d+ (.*)$", re.sub(r"\x1b\[[0-9;]*m", "", traceback), re.MULTILINE)
    at = f"\n  at: {arrow[1].strip()}" if arrow and arrow[1].strip() != first.strip() else ""
    where = f"{shown(notebook.path)} failed in cell {started[-1] + 1}: {first}{at}"
    return f"{where}\n  {how}\n  partly executed copy: {shown(copy)}"
