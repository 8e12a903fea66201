"""Notebooks run again into folders of their own: what runs, what is stopped, and what the next call leaves alone."""

import signal
import subprocess
import sys

from proctor.workflow import jobs
from proctor.workflow.notebook import Notebook

from .helpers import wait_until

WRITE = """
import os, pathlib
folder = pathlib.Path(os.environ['PROCTOR_FIGURES'], 'uq')
folder.mkdir(parents=True)
(folder / f'x{n}.csv').write_text(f'n\\n{n}\\n')
with open('ran.txt', 'a') as told:
    told.write(f'{n} ')
"""


def verify(project, *words: str):
    """The finished command, and which notebooks ran now."""
    told = project.root / "ran.txt"
    told.unlink(missing_ok=True)
    (done,) = project.each("proctor.workflow.verify", ["--jobs", "2", *words], kernels=False)
    return done, sorted(told.read_text().split()) if told.exists() else []


def test_a_run_that_is_killed_goes_on_where_it_was_and_each_call_runs_what_is_left(project):
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
    done, ran = verify(project)
    assert ran == ["2"] and "0 run, 1 as before, 1 failed" in done.stdout
    assert "notebooks/uq/b.ipynb failed in cell 3: 1 / 0" in done.stderr
    assert not (receipts / "b/receipt.json").exists() and not (project.root / "figures").exists()

    project.notebook("uq/b", WRITE, parameters="n: int = 4")  # mended, with another output
    done, ran = verify(project, "--again")
    assert ran == ["1", "4"] and "2 run, 0 as before, 0 failed" in done.stdout
    assert [path.name for path in (receipts / "b/figures/uq").iterdir()] == ["x4.csv"]
    done, ran = verify(project)
    assert ran == [] and "0 run, 2 as before, 0 failed" in done.stdout


def test_a_fault_of_ours_is_a_problem_like_any_other(kernels, monkeypatch, tmp_path):
    monkeypatch.setenv("PROCTOR_KERNELS", str(kernels.folder))
    monkeypatch.setattr(jobs, "run_job", lambda job, *_: job if job.name == "good" else 1 / 0)
    (tmp_path / "x.ipynb").write_text('{"cells": [], "metadata": {}}')
    made = [
        jobs.Job(Notebook(tmp_path / "x.ipynb"), {}, tmp_path / "y", tmp_path, None, label=name)
        for name in ("bad", "good")
    ]
    ended = {job.name: job.problem for job in jobs.run_jobs(made, "test")}
    assert ended.pop("bad").endswith("ZeroDivisionError: division by zero\n") and ended == {"good": ""}
