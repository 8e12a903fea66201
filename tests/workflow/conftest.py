"""A scratch repository for each test: a copy of lib/, and notebooks made on the spot."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest
from proctor.workflow.kernels import KernelServer

ROOT = Path(__file__).resolve().parents[2]
SOURCES = """
judges:
  {repository: a/b, commit: c, paths: [], licence: MIT, citation: A, tidy: {judges: {file: a.csv, form: verdicts}}}
"""
PRETEND = """
import json, sys
from proctor.paths import ROOT
from proctor.workflow import jobs, params, receipts
from proctor.workflow.notebook import all_notebooks
place, given = sys.argv[1], json.loads(sys.argv[2])
notebooks = all_notebooks()
values = params.resolve(notebooks, overrides={"all": given})
alone = [jobs.job_in(ROOT / place / each.name, each, values[each.name]) for each in notebooks]
times = {"start_time": "2026-11-23T03:00:00+00:00", "end_time": "2026-11-23T03:00:09+00:00"}
for job in alone if place else jobs.jobs_of(notebooks, values):
    about = {"papermill": times | {"input_path": str(job.notebook.path)}}
    job.copy.parent.mkdir(parents=True, exist_ok=True)
    job.copy.write_text(json.dumps(job.notebook.content | {"metadata": job.notebook.content["metadata"] | about}))
    read = receipts.digests(receipts.inputs(job.notebook, job.values))
    receipts.write(job.values, read, job.left(), job.receipt)
"""
WITHOUT_KERNELS = """
import ast, asyncio, json, os, sys, threading, types
class NotebookFailed(Exception):
    pass
def execute(notebook, output, values, server, environment, *how):
    with alone:
        before, scope = dict(os.environ), {}
        os.environ.update(environment)
        try:
            for cell in notebook.code:
                code = compile(cell.source, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                if (later := eval(code, scope)) is not None:
                    asyncio.run(later)
                scope |= values if "parameters" in cell.tags else {}
        except Exception as error:
            first = cell.source.strip().splitlines()[0]
            raise NotebookFailed(f"notebooks/{notebook.name}.ipynb failed in cell {cell.number}: {first}\\n{error!r}")
        finally:
            os.environ.clear()
            os.environ.update(before)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(notebook.content))
alone = threading.Lock()
sys.modules["proctor.workflow.execute"] = types.SimpleNamespace(NotebookFailed=NotebookFailed, execute=execute)
"""
EACH = """
import contextlib, importlib, io, json, sys
main, told = importlib.import_module(sys.argv[1]).main, []
for words in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    told.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(told))
"""


class Project:
    """A repository in a scratch folder, with the real workflow code and no notebooks yet."""

    def __init__(self, root: Path, interpreter: str, kernels: KernelServer):
        self.root, self.interpreter, self.kernels = root.resolve(), interpreter, str(kernels.folder)
        shutil.copytree(ROOT / "lib", self.root / "lib", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "requirements.txt", self.root)
        self.write("data/catalog.csv", (ROOT / "data/catalog.csv").read_text().splitlines()[0] + "\n")
        self.write("params/default.yaml", "all: {}\n")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def notebook(
        self,
        name: str,
        *cells: str,
        data: tuple[str, ...] = (),
        logs: tuple[str, ...] = (),
        parameters: str = "n: int = 3",
    ) -> Path:
        """A notebook whose first cell is `parameters`, tagged so; then `cells`."""
        made = nbformat.v4.new_notebook(metadata={"proctor": {"data": list(data), "logs": list(logs)}})
        made.cells = [nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
        made.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
        return self.write(f"notebooks/{name}.ipynb", nbformat.writes(made))

    def judges_logs(self) -> Path:
        """Name public logs "judges", which are not here."""
        return self.write("data/logs/sources.yaml", SOURCES)

    def python(self, *arguments: str, **given: str) -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PROCTOR_")} | given
        environment |= {"PYTHONPATH": str(self.root / "lib"), "PROCTOR_KERNELS": self.kernels}
        return subprocess.run(
            [self.interpreter, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, timeout=120
        )

    def each(self, module: str, *commands: Sequence[str], kernels: bool = True) -> list[subprocess.CompletedProcess]:
        """What `python -m MODULE WORDS` does for each command, one after the other in one process.

        kernels: False where cells may run in that process, one notebook at a time."""
        told = self.python("-c", EACH if kernels else WITHOUT_KERNELS + EACH, module, json.dumps(commands))
        assert told.returncode == 0, told.stderr
        return [subprocess.CompletedProcess(words, *rest) for words, rest in zip(commands, json.loads(told.stdout))]

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.python("-m", "proctor", "run", *arguments)

    def reproduce(self, *arguments: str, kernels: bool = True) -> subprocess.CompletedProcess:
        return self.each("proctor.workflow.reproduce", arguments, kernels=kernels)[0]

    def pretend(self, place: str = "", **given: object) -> None:
        """Leave executed copies and receipts as if each notebook had run, without a kernel.

        place: none for `make reproduce`, "build/verify" for a run whose figures lie in build/verify/<name>/figures/.
        """
        made = self.python("-c", PRETEND, place, json.dumps(given))
        assert made.returncode == 0, made.stderr

    def executed(self, name: str, build: str = "build") -> Path:
        """build: "build/own" for a run whose figures are not those in git."""
        return self.root / build / "notebooks" / f"{name}.ipynb"


@pytest.fixture
def project(tmp_path: Path, python: str, kernels: KernelServer) -> Project:
    return Project(tmp_path, python, kernels)


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory, python: str, kernels: KernelServer) -> Project:
    return Project(tmp_path_factory.mktemp("project"), python, kernels)
