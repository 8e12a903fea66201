"""Run a notebook as a job of `make reproduce` runs, with its figures in a folder of the test's own."""

import base64
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from proctor import paths
from proctor.report.claims import read_claims
from proctor.workflow.run import main

_spec = importlib.util.spec_from_file_location("many_shapes", Path(__file__).with_name("many_shapes.py"))
sys.modules["many_shapes"] = importlib.util.module_from_spec(_spec)  # tests are no package (importlib mode)
_spec.loader.exec_module(sys.modules["many_shapes"])


@pytest.fixture(scope="session")
def run_notebook(workers):
    """run(name, folder, *options): figures go to folder/figures, the executed copy to folder/out.ipynb.

    The command runs in this process, its notebook in a kernel of its own. `root`: another checkout, where both run; the
    command is then a process of its own."""

    def run(name, folder, *options, root=paths.ROOT) -> subprocess.CompletedProcess:
        given = [f"notebooks/{name}.ipynb", str(folder / "out.ipynb"), "--figures", str(folder / "figures"), *options]
        ours = {"PROCTOR_ROOT": str(root), "PROCTOR_WORKERS": workers.address, "PYTHONPATH": str(paths.ROOT / "lib")}
        command = [sys.executable, "-m", "proctor.workflow.run", *given]
        if root != paths.ROOT:
            return subprocess.run(command, cwd=root, env=os.environ | ours, capture_output=True, text=True)
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(root)
            patch.setenv("PROCTOR_FIGURES", "")  # is set by the command
            for variable, value in ours.items():
                patch.setenv(variable, value)
            code = main(given)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    return checked(run)


@pytest.fixture(scope="module")
def done(request, run_notebook, tmp_path_factory):
    """Where one run with the quick parameters left figures/ and out.ipynb: of the notebook that the test module
    NAMEs."""
    folder = tmp_path_factory.mktemp("notebook")
    result = run_notebook(request.module.NAME, folder, "--params", "params/quick.yaml")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(scope="module")
def printed_text(done):
    """All that the cells of that run printed."""
    cells = json.loads((done / "out.ipynb").read_text())["cells"]
    return "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", ()))


@pytest.fixture(scope="module")
def claims_made(request, done):
    """The claims of that run, by id."""
    return {claim.id: claim for claim in read_claims(done / "figures") if claim.notebook == request.module.NAME}


@pytest.fixture
def box_numbers(request):
    """(numbers with interval in the notebook's results box, those that its committed claims print)."""
    notebook = json.loads((paths.ROOT / f"notebooks/{request.module.NAME}.ipynb").read_text())
    lines = "".join(notebook["cells"][0]["source"]).splitlines()
    box = " ".join(line.lstrip("> ") for line in lines if line.startswith(">"))
    made = [claim.numbers for claim in read_claims(paths.ROOT / "figures") if claim.notebook == request.module.NAME]
    found = re.compile(r"([-+]?[\d.]+)(?: %| points| \(Spearman\))? \[([-+]?[\d.]+), ([-+]?[\d.]+)\]")
    return tuple(set(found.findall(text)) for text in (box, " ".join(made)))


def checked(run):
    """`run`, and then a look at the page: it shows each saved figure once, as saved, and nothing half made."""

    def run_and_look(name, folder, *options, **more):
        result = run(name, folder, *options, **more)
        if result.returncode == 0:
            page, saved = json.loads((folder / "out.ipynb").read_text()), figures_of(name, folder / "figures")
            faults = page_faults(page, saved, live=any("auto" in option for option in options))
            assert not faults, f"{name}: " + "; ".join(faults)
        return result

    return run_and_look


def figures_of(name, figures) -> dict[bytes, str]:
    """{PNG: name} of the figures that the notebook saved."""
    found = {}
    for record in figures.glob("*/*.json"):
        if json.loads(record.read_text())["code"]["notebook"] == name and record.with_suffix(".png").exists():
            found[record.with_suffix(".png").read_bytes()] = record.stem
    return found


def page_faults(page, saved, live=False) -> list[str]:
    """What is wrong with the outputs of an executed copy; saved: {PNG: name}. live: it asked models."""
    faults, shown = [], []
    for number, cell in enumerate(page["cells"], 1):
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            text = "".join(output.get("text", "")) + "".join(data.get("text/plain", ""))
            if "image/png" in data:
                shown.append(base64.b64decode("".join(data["image/png"])))
                if shown[-1] not in saved:
                    faults.append(f"cell {number} shows a picture that is not saved")
            if re.search(r"<[^<>]* at 0x[0-9a-f]+>", text):
                faults.append(f"cell {number} shows an object: {text[:80]}")
            asking = re.search(r"^\s*$|%\|.*\|", text)  # the bar of a run that asked models, and its line's end
            if output.get("name") == "stderr" and not (live and asking):  # progress bars, warnings
                faults.append(f"cell {number} leaves on stderr: {text[:80]}")
    return faults + [
        f"{name} is shown {shown.count(png)} times" for png, name in saved.items() if shown.count(png) != 1
    ]
