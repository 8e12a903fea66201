"""What a caller gives to `make` reaches the command as it stands, whatever stands in it, and is never executed."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = ["a`touch x`$(touch x)$$(touch x)$(shell touch x);touch x; #2 [ü*]: {n}.csv", "-p n 'a\" b\nc\\.csv"]
PYTHON = """#!{python}
import json, os, sys
if "shlex" in sys.argv[2]:
    code, sys.argv, sys.executable = sys.argv[2], ["-c", *sys.argv[3:]], __file__
    exec(code)
with open(os.environ["TOLD"], "a") as told:
    told.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:3] == ["-m", "venv"]:
    os.makedirs(sys.argv[-1] + "/bin")
    open(sys.argv[-1] + "/bin/python", "w").write(open(__file__).read())
    os.chmod(sys.argv[-1] + "/bin/python", 0o755)
"""


@pytest.fixture
def checkout(tmp_path):
    """A folder with the Makefile, and programs in place of Python that write down their arguments."""
    root = tmp_path / "checkout"
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "lib/proctor/data/fetch.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / ".cache/fetched").mkdir(parents=True)
    (root / ".cache/fetched/.complete").touch()
    python(root / ".venv/bin/python")
    (root / ".venv/.installed").touch()
    return root


def python(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PYTHON.format(python=sys.executable))
    path.chmod(0o755)


def make(root: Path, *arguments: str, **environment: str) -> list[list[str]]:
    """The arguments of each call of Python."""
    told = root.parent / "told"
    told.unlink(missing_ok=True)
    names = ("PARAMS", "JOBS", "VENV", "P", "NOTEBOOK", "MAKEFLAGS", "MAKEOVERRIDES", "MAKELEVEL")
    clean = {key: value for key, value in os.environ.items() if key not in names}
    result = subprocess.run(
        ["make", *arguments], cwd=root, env=clean | environment | {"TOLD": str(told)}, capture_output=True, text=True
    )
    assert not list(root.glob("**/x")), "a name was executed"
    assert result.returncode == 0, result.stdout + result.stderr
    return [json.loads(line) for line in told.read_text().splitlines()]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_given_is_handed_on_as_it_stands(checkout, name):
    words = f"P=-p n {shlex.quote(name)}"  # split as a shell splits it
    told = make(checkout, "reproduce", f"PARAMS={name}", f"JOBS={name}", f"NOTEBOOK={name}", words)[-1]
    assert told[2:] == [f"--params={name}", f"--jobs={name}", f"--notebook={name}", "-p", "n", name]
    assert name in make(checkout, "test", f"JOBS={name}")[-1]
    assert name in make(checkout, "test", JOBS=name)[-1]  # by the environment
    assert make(checkout, "lab", f"NOTEBOOK={name}", f"LAB_ARGS={shlex.quote(name)}")[-1][-2:] == [name, name]
    python(checkout / "programs" / name)  # the environment may lie anywhere and be made by any Python
    told = make(checkout, "status", f"PYTHON=programs/{name}", f"VENV=envs/{name}")
    assert ["-m", "venv", "--clear", f"envs/{name}"] in told and told[-1] == ["-m", "proctor.report.catalog"]
    assert (checkout / "envs" / name / ".installed").exists()


@pytest.mark.parametrize("name", ["a:b", "a{b", "a}b"])
def test_a_folder_whose_name_can_not_be_used_is_named(checkout, name):
    place = checkout.rename(checkout.parent / name)
    result = subprocess.run(["make", "status"], cwd=place, capture_output=True, text=True)
    assert result.returncode and f'/{name}": a folder whose name has a colon or a brace in it' in result.stderr


def test_a_quote_of_p_that_is_not_closed_is_told(checkout):
    result = subprocess.run(["make", "verify", "P=-p a 'b"], cwd=checkout, capture_output=True, text=True)
    assert result.returncode and "P=-p a 'b: No closing quotation; close the quote" in result.stderr


def test_a_hostile_file_and_notebook_reach_the_kernel_and_the_scheduler(project):
    name = "a`touch x`$(touch x)$$ #2 {n} 'q\"\n\\ü.csv"
    project.write(name, "what it holds")
    project.notebook(
        "my `touch x` #1 {n}", "from pathlib import Path\nassert Path(path).read_text()", parameters="path: str = ''"
    )
    quoted = json.dumps(name, ensure_ascii=False)  # as YAML takes it
    result = project.reproduce("-p", "path", quoted)
    assert result.returncode == 0, result.stderr
    project.write(name, "")
    result = project.reproduce("-p", "path", quoted)  # which is read, so its change was noticed
    assert result.returncode == 1 and "AssertionError" in result.stderr
    assert not list(project.root.glob("**/x"))


@pytest.mark.parametrize("place", [".venv", "../another/.venv"])
def test_an_environment_of_another_checkout_is_not_turned_to_this_one(checkout, place):
    shutil.rmtree(checkout / ".venv")
    (checkout / "requirements.txt").write_text("")
    subprocess.run(
        [sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", checkout / place], check=True
    )
    line = next((checkout / place).glob("lib/python*/site-packages")) / "proctor.pth"
    line.write_text("../there/lib\n")
    subprocess.run(["make", "install", f"VENV={place}"], cwd=checkout, capture_output=True, check=True)
    assert line.read_text() == ("../../../../lib\n" if place == ".venv" else "../there/lib\n")
