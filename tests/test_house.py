"""The habits of the house: style, types, floors, notebooks without outputs, mirrored tests, examples that run."""

import ast
import doctest
import importlib
import os
import re
import subprocess
import symtable
import sys
from pathlib import Path

import pytest
from proctor.paths import CACHE, ROOT
from proctor.workflow.notebook import all_notebooks

BIN = Path(sys.executable).parent
LIB = ROOT / "lib"
# Django writes migrations itself, and these declare what its pages' tests run through.
DECLARED = {*(LIB / "desk" / f"{name}.py" for name in ("admin", "apps", "urls", "wsgi"))}
MODULES = sorted(
    path
    for path in LIB.rglob("*.py")
    if path.name != "__init__.py" and path.parent.name != "migrations" and path not in DECLARED
)
WITH_EXAMPLES = [path for path in MODULES if ">>> " in path.read_text(encoding="utf-8")]


def passes(*command: str, **environment: str) -> None:
    result = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stdout[-4000:]}\n{result.stderr[-2000:]}"


def test_code_and_notebooks_keep_the_style():
    passes(str(BIN / "ruff"), "check", "--no-cache", ".")
    passes(str(BIN / "ruff"), "format", "--no-cache", "--check", ".")


def test_types_hold():
    passes(sys.executable, "-m", "mypy", "--cache-dir", str(CACHE / "mypy"))


def test_imports_point_downwards():
    passes(str(BIN / "lint-imports"), "--no-cache", "--no-logo", PYTHONPATH=str(ROOT / "lib"))


def test_what_benchmarks_and_examples_import_of_ours_is_there():
    """They are run by hand, some for hours: a name that has moved is not to be found then."""
    lost = []
    for path in [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("examples/*.py")]:
        found = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        for module, names in ((node.module or "", {one.name for one in node.names}) for node in found):
            place = ROOT / "lib" / module.replace(".", "/")
            files = [place.with_suffix(".py"), place / "__init__.py", path.with_name(f"{module}.py")]
            files = [file for file in [*files, *ROOT.glob(f"tests/**/{module}.py")] if file.is_file()]
            for file in files:
                table = symtable.symtable(file.read_text(), str(file), "exec")
                names -= {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
                names -= {one.stem for one in file.parent.iterdir() if file.stem == "__init__"}
            ours = files or module.split(".")[0] in ("proctor", "desk")
            lost += [f"{path.name}: {module}.{name}" for name in names if ours]
    assert lost == []


def test_attacks_name_tests_that_are_there():
    text = (ROOT / "benchmarks/attacks.py").read_text()
    named = re.findall(r"^  (\S+)::(\w+)$", text, re.MULTILINE)
    lost = [each for each in named if f"def test_{each[1]}(" not in (ROOT / f"tests/{each[0]}.py").read_text()]
    assert named and lost == []


def test_no_notebook_is_stored_with_outputs():
    notebooks = [str(notebook.path) for notebook in all_notebooks()]
    passes(str(BIN / "nbstripout"), "--keep-id", "--verify", *notebooks)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(LIB).with_suffix("").as_posix())
def test_examples_in_docstrings_run(path, tmp_path_factory):
    if path.is_relative_to(LIB / "desk"):  # Django's models are there only after its setup
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
        os.environ.setdefault("PROCTOR_DESK", str(tmp_path_factory.mktemp("desk")))
        importlib.import_module("django").setup()
    module = importlib.import_module(".".join(path.relative_to(LIB).with_suffix("").parts))
    failed, tried = doctest.testmod(module)
    assert tried and not failed
