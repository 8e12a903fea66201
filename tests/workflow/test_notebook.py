"""What is read off a notebook file: its cells and data, and the modules and prompts that it rests on."""

import json
import os
from pathlib import Path

import pytest
from proctor.paths import ROOT
from proctor.workflow import notebook
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, modules_of

FILES = {  # report/plots -> stats/mean -> stats/deep; models with a prompt beside it; the desk
    "paths.py": "",
    "stats/mean.py": "def mean():\n    from proctor.stats.deep import sum\n",
    "stats/deep.py": "",
    "report/plots.py": "from proctor.stats import mean as m\nimport numpy",
    "report/example.py": "load('uq/other')  # a shared room's example",
    "models/ask.py": "from proctor import paths  # stats",
    "models/prompts/uq/check.md": "Is it so?",
    "models/__pycache__/ask.pyc": "",
    "cbu/judges.py": "PROMPT = 'uq/correctness'",
    "cbu/prompts/judge.md": "",
    "uq/prompts/correctness.md": "Is it right?",
    "uq/prompts/free/correctness.md": "Is it right, you think?",
    "uq/prompts/other.md": "",
    "../desk/walk.py": "from proctor import paths",
    **{f"{folder}__init__.py": "" for folder in ("", "stats/", "report/", "models/", "cbu/", "../desk/")},
}


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small library."""
    for name, text in FILES.items():
        path = Path(os.path.normpath(tmp_path / "lib/proctor" / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/table.csv").write_text("x")
    (tmp_path / "lib/proctor/models/linked").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(notebook, "LIB", tmp_path / "lib")
    notebook._rests_on.cache_clear()
    return tmp_path / "lib/proctor"


def made(path: Path, *cells: str, **metadata) -> Notebook:
    content = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    path.write_text(json.dumps({"cells": content, "metadata": metadata}))
    return Notebook(path)


DEEP = {"__init__.py", "stats/__init__.py", "stats/deep.py"}
PROMPTS = {"uq/prompts/correctness.md", "uq/prompts/free/correctness.md"}
ASK = {"__init__.py", "paths.py", "models/__init__.py", "models/ask.py"}
JUDGES = {"__init__.py", "cbu/__init__.py", "cbu/judges.py", "cbu/prompts/judge.md"}


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["import proctor.stats.deep"], DEEP),
        (["import numpy; import proctor.stats.deep as d"], DEEP),
        (["import proctor, proctor.stats.deep"], DEEP),
        (["from proctor.stats import (  # all\n    mean,\n    deep,\n)"], DEEP | {"stats/mean.py"}),
        (["from proctor.stats import deep"], DEEP),
        (["from proctor.stats.deep import anything"], DEEP),
        (["def f():\n    from proctor.stats import deep"], DEEP),
        (
            ["from proctor.report.plots import draw"],
            DEEP | {"report/__init__.py", "report/plots.py", "stats/mean.py"},
        ),
        # files beside a package count with it, also behind a link
        (["import proctor.models.ask"], ASK | {"models/prompts/uq/check.md", "models/linked/table.csv"}),
        # a prompt of another paper counts with who names it, but for a shared room's example
        (["import proctor.cbu.judges"], JUDGES | PROMPTS),
        (["load('uq/correctness')"], PROMPTS),
        (["import proctor.report.example"], {"__init__.py", "report/__init__.py", "report/example.py"}),
        (["from desk.walk import walk"], {"__init__.py", "paths.py", "../desk/__init__.py", "../desk/walk.py"}),
        (["import numpy, proctored", "from pandas import proctor", "# import proctor.paths"], set()),
        (
            ["%matplotlib inline\n!ls\nif True:\n    %time 1", "import proctor.paths\nawait proctor.paths.x()"],
            {"__init__.py", "paths.py"},
        ),
    ],
)
def test_a_notebook_rests_on_what_it_imports_and_what_lies_beside_that(lib: Path, cells, expected):
    found = modules_of(made(lib / "x.ipynb", *cells))
    assert {os.path.relpath(file, lib) for file in found} == expected


def test_cells_are_counted_as_a_reader_counts(tmp_path):
    cells = [{"cell_type": "markdown", "source": "# A", "metadata": {}}]
    cells += [{"cell_type": "code", "source": ["a = 1\n", "b"], "metadata": {"tags": ["t"]}}]
    (tmp_path / "x.ipynb").write_text(json.dumps({"metadata": {}, "cells": cells}))
    assert Notebook(tmp_path / "x.ipynb").code == [(2, "a = 1\nb", ("t",))]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": []}', "not json"])
def test_what_is_no_notebook_is_told_with_its_mend(tmp_path, content):
    (tmp_path / "x.ipynb").write_text(content)
    with pytest.raises(WorkflowError, match="x.ipynb.*not a notebook"):
        Notebook(tmp_path / "x.ipynb").content


PAPERS = {"uq", "hle", "hle_verified", "kina", "cbu"}
READS = {"kina/6_items": {"uq"}}  # UQ's recorded verdicts, filtered as KINA does


def test_an_edit_in_a_paper_s_room_runs_that_paper_s_notebooks_alone():
    """A prompt may be used by another paper's judge."""
    for book in all_notebooks():
        if (paper := book.name.partition("/")[0]) in PAPERS:
            rooms = {path.relative_to(ROOT / "lib").parts[1] for path in modules_of(book) if path.suffix == ".py"}
            assert rooms & PAPERS <= {paper} | READS.get(book.name, set()), book.name


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_an_edit_of_a_prompt_runs_its_paper_s_notebooks(paper):
    prompts = set((ROOT / "lib/proctor" / paper / "prompts").glob("*.md"))
    own = [book for book in all_notebooks() if book.name.startswith(f"{paper}/")]
    assert not prompts or any(prompts <= set(modules_of(book)) for book in own)
