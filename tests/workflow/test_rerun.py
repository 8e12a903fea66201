"""Notebooks run again into folders of their own: what runs, what is stopped, and what the next call leaves alone."""

import json
import signal
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from proctor.workflow import rerun

from .conftest import WITHOUT_KERNELS
from .helpers import wait_until

WRITE = """
import os, pathlib
folder = pathlib.Path(os.environ['PROCTOR_FIGURES'], 'uq')
folder.mkdir(parents=True)
(folder / f'x{n}.csv').write_text(f'n\\n{n}\\n')
with open('ran.txt', 'a') as told:
    told.write(f'{n} ')
"""
RUN = """
import json, sys
from pathlib import Path
from proctor.paths import BUILD
from proctor.workflow import params, rerun
from proctor.workflow.notebook import all_notebooks
notebooks = all_notebooks()
jobs = rerun.jobs_in(BUILD / "verify", notebooks, params.resolve(notebooks))
done = rerun.told(rerun.rerun(jobs, at_once=2, again=bool(sys.argv[1:])), 2, "x")
print(json.dumps([(each.notebook.name, each.problem, each.reused, list(each.files())) for each in done]))
"""


@pytest.fixture
def runs(project):
    """`runs(*words)`: what came of each notebook, and which ran now."""

    def run(*words: str):
        told = project.root / "ran.txt"
        told.unlink(missing_ok=True)
        done = project.python("-c", WITHOUT_KERNELS + RUN, *words)
        assert done.returncode == 0, done.stderr
        found = {name: rest for name, *rest in json.loads(done.stdout.splitlines()[-1])}
        return found, sorted(told.read_text().split()) if told.exists() else []

    return run


def test_a_run_that_is_killed_goes_on_where_it_was_and_each_call_runs_what_is_left(project, runs):
    project.notebook("uq/a", WRITE, parameters="n: int = 1")
    project.notebook("uq/b", WRITE, "import time\ntime.sleep(900)", parameters="n: int = 2")
    command = [sys.executable, "-m", "proctor.workflow.verify", "--jobs", "2"]
    environment = {"PYTHONPATH": str(project.root / "lib"), "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(command, cwd=project.root, env=environment, stderr=subprocess.PIPE, text=True)
    receipts = project.root / "build/verify/uq"
    wait_until(lambda: (receipts / "a/receipt.json").exists() or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 130 and "the same command goes on from here" in errors and "Traceback" not in errors

    project.notebook("uq/b", WRITE, "1 / 0", parameters="n: int = 2")
    found, ran = runs()
    assert ran == ["2"] and found["uq/a"] == ["", True, ["uq/x1.csv"]]
    assert "notebooks/uq/b.ipynb failed in cell 3: 1 / 0" in found["uq/b"][0]
    assert not (receipts / "b/receipt.json").exists() and not (project.root / "figures").exists()

    project.notebook("uq/b", WRITE, parameters="n: int = 4")  # mended, with another output
    found, ran = runs("again")
    assert ran == ["1", "4"] and found["uq/b"] == ["", False, ["uq/x4.csv"]]
    found, ran = runs()
    assert ran == [] and [reused for _, reused, _ in found.values()] == [True, True]


def test_works_wait_for_those_before_them_and_a_failed_one_stops_only_its_followers(kernels, monkeypatch):
    monkeypatch.setenv("PROCTOR_KERNELS", str(kernels.folder))
    done = []

    def work(name, problem=None):
        return lambda server, cancel: done.append(name) or (1 / 0 if problem == "a bug" else problem)

    works = {"late": work("late"), "lost": work("lost"), "one": work("one"), "two": work("two", "no good")}
    works["three"] = work("three", "a bug")
    ended = dict(rerun.run_all(works, 2, {"late": ["one"], "lost": ["two"]}))
    assert done.index("one") < done.index("late") and "lost" not in done
    assert ended.pop("three").endswith("ZeroDivisionError: division by zero\n")
    assert ended == {"one": None, "two": "no good", "late": None}


def test_leaving_the_works_stops_those_that_run(kernels, monkeypatch):
    monkeypatch.setenv("PROCTOR_KERNELS", str(kernels.folder))
    begun, stopped = threading.Event(), []

    def long(server, cancel):
        begun.set()
        stopped.append(cancel.wait(60))

    works = {"quick": lambda server, cancel: begun.wait(60) and None, "long": long}
    with closing(rerun.run_all(works, 2)) as ended:
        assert next(ended) == ("quick", None)
    assert stopped == [True]
