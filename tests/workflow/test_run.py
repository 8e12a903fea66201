import json
import re
import sys

import pytest


def outputs(path) -> str:
    """All that the cells of an executed copy printed."""
    cells = json.loads(path.read_text())["cells"]
    return "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))


@pytest.fixture(scope="module")
def done(shared_project):
    """A notebook run once: what the command printed, and the executed copy."""
    shared_project.notebook(
        "hle/exam",
        "import os, sys\nprint(n, sys.executable, os.environ['PROCTOR_NOTEBOOK'])",
        "from pathlib import Path\nprint(Path.cwd(), list(Path('build').rglob('exam.ipynb')))",
    )
    shared_project.write("params/mine.yaml", "hle/exam: {n: 5}")
    result = shared_project.run("notebooks/hle/exam.ipynb", "--params", "params/mine.yaml")
    return result, shared_project.executed("hle/exam", "build/own")


def test_a_notebook_gets_its_values_and_its_name_in_the_root_and_in_the_python_that_runs_us(done, shared_project):
    result, copy = done
    assert result.returncode == 0, result.stderr
    assert outputs(copy).startswith(f"5 {sys.executable} hle/exam\n{shared_project.root} ")


def test_executed_copy_appears_only_when_whole(done):
    assert outputs(done[1]).endswith("[]\n")
    assert [path.name for path in done[1].parent.iterdir()] == ["exam.ipynb"]


def test_success_says_little(done):
    assert re.fullmatch(r"hle/exam: running\nhle/exam: done in [\d.]+ s, see .*exam\.ipynb\n", done[0].stdout)
    assert done[0].stderr == ""


def test_failing_notebook_names_the_cell_and_keeps_its_copy_until_it_succeeds(project):
    project.notebook("bad", "print('so far')", "rows = []\nrows[3]\n")
    failed = project.executed("bad", "build/own").with_suffix(".failed.ipynb")
    result = project.run("notebooks/bad.ipynb", "-p", "n", "7")
    assert result.returncode == 1
    assert result.stderr == (
        "notebooks/bad.ipynb failed in cell 3: rows = []\n  at: rows[3]\n  IndexError: list index out of range\n"
        "  partly executed copy: build/own/notebooks/bad.failed.ipynb\n"
    )
    assert "so far" in outputs(failed) and not project.executed("bad", "build/own").exists()

    project.notebook("bad", "print('so far')")
    assert project.run("notebooks/bad.ipynb").returncode == 0
    assert project.executed("bad", "build/own").exists() and not failed.exists()


def test_dead_kernel_is_told_as_such_with_what_it_said_past_its_cells(project):
    project.notebook("dies", "import os\nos.write(2, b'Assertion failed\\n')\nos._exit(1)")
    result = project.run("notebooks/dies.ipynb")
    assert result.returncode == 1
    assert result.stderr.startswith("notebooks/dies.ipynb was not finished: its Python process died")
    assert "perhaps for want of memory\n  Assertion failed\n" in result.stderr
    assert project.executed("dies", "build/own").with_suffix(".failed.ipynb").exists()


def test_what_a_kernel_says_past_its_cells_is_not_shown_when_it_ends_well(project):
    project.notebook("noisy", "import atexit, os\natexit.register(os.write, 2, b'noise')")
    result = project.run("notebooks/noisy.ipynb")
    assert (result.returncode, result.stderr) == (0, "")


def test_bad_input_is_refused_before_anything_runs(shared_project):
    shared_project.notebook("exam")
    wrong = {
        "-p: notebook exam has no parameter `m`": ["notebooks/exam.ipynb", "-p", "m", "4"],
        "no such parameter file": ["notebooks/exam.ipynb", "--params", "params/none.yaml"],
        "no such notebook": ["notebooks/none.ipynb"],
    }
    for said, done in zip(wrong, shared_project.each("proctor.workflow.run", *wrong.values())):
        assert done.returncode == 2 and said in done.stderr
    assert not shared_project.executed("exam", "build/own").exists()
