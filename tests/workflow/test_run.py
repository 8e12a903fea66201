import json
import re
import sys

import pytest
from proctor.workflow import run
from proctor.workflow.notebook import WorkflowError


def outputs(path) -> str:
    """All that the cells of an executed copy printed."""
    cells = json.loads(path.read_text())["cells"]
    return "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))


def test_a_notebook_gets_its_values_and_its_name_in_the_root_and_in_the_python_that_runs_us(project):
    project.notebook(
        "hle/exam",
        "import os, sys\nprint(n, sys.executable, os.environ['PROCTOR_NOTEBOOK'])",
        "from pathlib import Path\nprint(Path.cwd(), list(Path('build').rglob('notebook.ipynb')))",
        "import atexit\natexit.register(os.write, 2, b'noise past the cells')",
    )
    done = project.run("hle/exam", "-p", "n", "5")
    copy = project.root / "build/runs/hle-exam/notebook.ipynb"
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"hle/exam: running\nhle/exam: done in [\d.]+ s, see .*notebook\.ipynb\ntables, .*\n", done.stdout
    )
    assert outputs(copy) == f"5 {sys.executable} hle/exam\n{project.root} []\n"  # the copy appears when it is whole
    assert {path.name for path in copy.parent.iterdir()} == {"notebook.ipynb", "run.json"}


def test_failing_notebook_names_the_cell_and_keeps_its_copy_until_it_succeeds(project):
    project.notebook("bad", "print('so far')", "rows = []\nrows[3]\n")
    copy = project.root / "build/runs/bad/notebook.ipynb"
    failed = copy.with_suffix(".failed.ipynb")
    result = project.run("bad", "-p", "n", "7")
    assert result.returncode == 1
    assert result.stderr == (
        "notebooks/bad.ipynb failed in cell 3: rows = []\n  at: rows[3]\n  IndexError: list index out of range\n"
        "  partly executed copy: build/runs/bad/notebook.failed.ipynb\n"
    )
    assert "so far" in outputs(failed) and not copy.exists()

    project.notebook("bad", "print('so far')")
    assert project.run("bad").returncode == 0
    assert copy.exists() and not failed.exists()


def test_dead_kernel_is_told_as_such_with_what_it_said_past_its_cells(project):
    project.notebook("dies", "import os\nos.write(2, b'Assertion failed\\n')\nos._exit(1)")
    result = project.run("dies")
    assert result.returncode == 1
    assert result.stderr.startswith("notebooks/dies.ipynb was not finished: its Python process died")
    assert "perhaps for want of memory\n  Assertion failed\n" in result.stderr
    assert (project.root / "build/runs/dies/notebook.failed.ipynb").exists()


def test_states_of_runs_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RUNS", tmp_path)
    run.mark(run.folder_of("a"), "hle/your_exam", run.INCOMPLETE)
    run.mark(run.folder_of("b"), "uq/your_answers", run.DONE)
    (tmp_path / "b/run.json").rename(tmp_path / "b/run.json.old")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/run.json").write_text("{")
    assert [(each["name"], each["state"]) for each in run.states()] == [("a", "incomplete"), ("c", "unreadable")]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".x"])
def test_a_run_stays_in_its_folder(name):
    with pytest.raises(WorkflowError, match="name of a run"):
        run.folder_of(name)


def test_a_table_is_shown_by_columns(tmp_path, capsys):
    lines = ["A caption, 10 %", "", "| model | n | more\\_than |", "|---|---:|---|"]
    lines += [f"| m\\_{n} &amp; co | {n} | x |" for n in range(30)]
    (tmp_path / "t.md").write_text("\n".join([*lines, "", "*measured*"]))
    run.show(tmp_path / "t.md", ["model", "more_than", "absent"])
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "A caption, 10 %" and said[2].split() == ["model", "more_than"]
    assert said[3].strip() == "m_0 & co   x" and said[-1].startswith("  ... all rows: ") and len(said) == 24
    run.show(tmp_path / "t.md", ["model"], also=["m_27 & co"])
    assert [line.strip() for line in capsys.readouterr().out.splitlines()][-2] == "m_27 & co"
    run.show(tmp_path / "nowhere.md", ["model"])
    assert capsys.readouterr().out == ""
