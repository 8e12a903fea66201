import json
import os
from pathlib import Path

import pytest
from proctor.workflow import notebook
from proctor.workflow.notebook import Notebook, WorkflowError


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small library: report/plots -> stats/mean -> stats/deep; models with a prompt beside it."""
    files = {
        "__init__.py": "",
        "paths.py": "",
        "stats/__init__.py": "",
        "stats/mean.py": "def mean():\n    from .deep import sum\n",
        "stats/deep.py": "",
        "report/__init__.py": "",
        "report/plots.py": "from proctor.stats import mean as m\nimport numpy",
        "models/__init__.py": "",
        "models/ask.py": "from .. import paths",
        "models/prompts/uq/check.md": "Is it so?",
        "models/__pycache__/ask.pyc": "",
        "cbu/__init__.py": "",
        "cbu/judges.py": "PROMPT = 'uq/correctness'",
        "cbu/prompts/judge.md": "",
        "report/example.py": "load('uq/other')  # a shared room's example",
        "uq/prompts/correctness.md": "Is it right?",
        "uq/prompts/free/correctness.md": "Is it right, you think?",
        "uq/prompts/other.md": "",
    }
    for name, text in files.items():
        path = tmp_path / "lib" / "proctor" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(notebook, "LIB", tmp_path / "lib")
    for function in (
        notebook._file,
        notebook._other_files,
        notebook._imported_by_module,
        notebook._prompts,
        notebook._prompts_in,
    ):
        function.cache_clear()
    return tmp_path / "lib" / "proctor"


def found(lib: Path, *cells: str) -> set[str]:
    made = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    path = lib / "x.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}}))
    return {os.path.relpath(file, lib) for file in notebook.modules_of(Notebook(path))}


@pytest.mark.parametrize(
    "statement",
    [
        "import proctor.stats.deep",
        "import proctor.stats.deep as d",
        "from proctor.stats import deep",
        "from proctor.stats.deep import anything",
        "def f():\n    from proctor.stats import deep",
    ],
)
def test_every_form_of_import_is_seen(lib: Path, statement: str):
    assert found(lib, statement) == {"__init__.py", "stats/__init__.py", "stats/deep.py"}


def test_imports_between_modules_are_followed(lib: Path):
    assert found(lib, "from proctor.report.plots import draw") == {
        "__init__.py",
        "report/__init__.py",
        "report/plots.py",
        "stats/__init__.py",
        "stats/mean.py",
        "stats/deep.py",
    }


def test_files_beside_a_package_count_with_it_also_behind_a_link(lib: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/table.csv").write_text("x")
    (tmp_path / "lib/proctor/models/linked").symlink_to(tmp_path / "elsewhere")
    assert found(lib, "import proctor.models.ask") == {
        "__init__.py",
        "paths.py",
        "models/__init__.py",
        "models/ask.py",
        "models/prompts/uq/check.md",
        "models/linked/table.csv",
    }


def test_a_prompt_of_another_paper_counts_with_who_names_it(lib: Path):
    prompts = {"uq/prompts/correctness.md", "uq/prompts/free/correctness.md"}
    assert (
        found(lib, "import proctor.cbu.judges")
        == {"__init__.py", "cbu/__init__.py", "cbu/judges.py", "cbu/prompts/judge.md"} | prompts
    )
    assert found(lib, "load('uq/correctness')") == prompts
    assert "uq/prompts/other.md" not in found(lib, "import proctor.report.example")


def test_the_desk_and_what_it_imports_are_seen(lib: Path):
    desk = lib.with_name("desk")
    desk.mkdir()
    (desk / "__init__.py").touch()
    (desk / "walk.py").write_text("from proctor import paths")
    made = {"__init__.py", "paths.py", "../desk/__init__.py", "../desk/walk.py"}
    assert found(lib, "from desk.walk import walk") == made


def test_other_libraries_are_left_out(lib: Path):
    assert found(lib, "import numpy, proctored", "from pandas import proctor") == set()


def test_magics_shell_lines_and_await_are_no_obstacle(lib: Path):
    cells = "%matplotlib inline\n!ls\nif True:\n    %time 1", "import proctor.paths\nawait proctor.paths.x()"
    assert found(lib, *cells) == {"__init__.py", "paths.py"}


def test_cell_that_is_not_python_is_named(lib: Path):
    with pytest.raises(WorkflowError, match=r"x\.ipynb, cell 2, line 2: not valid Python"):
        found(lib, "x = 1", "y = 2\nz = = 3")


def test_module_that_is_not_python_is_named(lib: Path):
    (lib / "stats" / "deep.py").write_text("def f(:\n")
    with pytest.raises(WorkflowError, match=r"deep\.py, line 1: not valid Python"):
        found(lib, "import proctor.stats.deep")
