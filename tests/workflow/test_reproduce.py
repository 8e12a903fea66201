import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
import yaml
from proctor.paths import ROOT

from .helpers import alive, wait_until


def ran(result) -> set[str]:
    """Names of the notebooks that ran to their end or failed."""
    return set(re.findall(r"^  (?:finished|FAILED) +(\S+)", result.stdout, flags=re.MULTILINE))


FIGURE = "hle/fig,hle,notebook-output,A figure,draws,hle/fig.svg,measured,,,done,"
DRAW = "from pathlib import Path\nPath('figures/hle').mkdir(parents=True, exist_ok=True)\n"
WRITE = "for ending in ('svg', 'png', 'json'):\n    Path(f'figures/hle/fig.{ending}').write_text('{}')"


@pytest.fixture(scope="module")
def story(shared_project):
    """One repository through its days: {step: result of `reproduce`}. Kernels are started on the first alone."""
    project, results = shared_project, {}
    reproduce = partial(project.reproduce, kernels=False)
    for name in ("alpha", "beta"):
        project.write(f"lib/proctor/stats/{name}.py", "changed = False")
        project.notebook(f"stats/{name}", f"import proctor.stats.{name}")
    project.notebook("broken", "1 / 0")
    project.notebook("draws", DRAW)
    catalog = project.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + FIGURE + "\n")
    results["first"] = project.reproduce()
    results["first copies"] = {path.name for path in (project.root / "build/notebooks").rglob("*.ipynb")}

    project.notebook("broken", "1 / 1")
    project.notebook("draws", DRAW, WRITE)
    results["no previews yet"] = not (project.root / "previews").exists()
    results["mended"] = reproduce()
    results["previews"] = {path.name for path in (project.root / "previews").rglob("*")}

    results["again"] = reproduce()
    page = project.write("previews/draws.md", "edited by hand")
    results["preview"] = reproduce()
    results["preview's page"] = page.read_text()
    results["typo"] = reproduce("-p", "m", "3")
    results["no jobs"] = reproduce("--jobs", "0")
    results["unknown"] = reproduce("--notebook", "drows")

    figures = project.root / "figures/hle"
    before = (figures / "fig.svg").read_text()
    project.notebook("draws", DRAW, WRITE.replace("{}", "[]"))
    module = project.write("lib/proctor/stats/alpha.py", "changed = True")
    os.utime(module, (4_000_000_000, 4_000_000_000))
    (project.root / "lib/proctor/stats/beta.py").touch()
    results["module"] = reproduce()

    os.utime(project.write("figures/hle/fig.svg", before), (1_000_000_000, 1_000_000_000))
    project.write("params/default.yaml", "broken: {n: 4}")
    results["one"] = reproduce("--notebook", "notebooks/draws.ipynb")
    results["put back"] = reproduce()
    results["figure"] = (figures / "fig.svg").read_text()
    results["trial"] = reproduce("--notebook", "stats/alpha", "-p", "n", "5")
    results["after the trial"] = reproduce()
    (project.root / "build/lock").unlink()
    (project.root / "build/lock").mkdir()  # as if nothing could be written there
    results["read only"] = reproduce("-p", "n", "5")
    results["nothing to write"] = reproduce()
    return results


def test_a_failing_notebook_and_a_promise_not_kept_are_named_and_the_others_still_run(story):
    first = story["first"]
    assert first.returncode == 1 and story["no previews yet"]
    assert "notebooks/broken.ipynb failed in cell 2: 1 / 0\n  ZeroDivisionError" in first.stderr
    assert "notebooks/draws.ipynb did not leave what data/catalog.csv promises: figures/hle/fig.svg" in first.stderr
    assert story["first copies"] == {"alpha.ipynb", "beta.ipynb", "draws.ipynb", "broken.failed.ipynb"}
    assert story["mended"].returncode == 0 and ran(story["mended"]) == {"broken", "draws"}, story["mended"].stderr


def test_a_second_run_does_nothing_and_says_so(story):
    for step in ("again", "nothing to write"):  # also where nothing can be written
        assert (story[step].returncode, story[step].stdout) == (0, "Nothing to do: everything is up to date.\n")


def test_previews_are_written_when_all_is_up_to_date_and_an_edited_one_again(story):
    assert story["previews"] == {"README.md", "broken.md", "draws.md", "stats", "alpha.md", "beta.md"}
    assert not ran(story["preview"]) and "edited by hand" not in story["preview's page"]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("no jobs", "0: give 1 or more"),
        ("read only", "build can't be written (Is a directory): copy the checkout"),
        ("typo", "no notebook has a parameter `m`"),
        ("unknown", "no notebook 'drows'; did you mean draws"),
    ],
)
def test_bad_input_stops_all_before_anything_runs(story, step, said):
    assert story[step].returncode == 2 and said in story[step].stderr and not ran(story[step])


def test_changed_content_runs_its_notebooks_and_a_new_date_runs_none(story):
    assert ran(story["module"]) == {"stats/alpha", "draws"}
    assert ran(story["one"]) == {"draws"} and story["one"].returncode == 0  # it alone was asked for
    assert ran(story["put back"]) == {"broken"} and story["figure"] == "[]"


def test_a_run_with_other_values_concerns_what_was_asked_and_replaces_no_receipt(story):
    assert story["trial"].returncode == 0, story["trial"].stderr
    assert ran(story["trial"]) == {"stats/alpha"} and "build/own/notebooks/" in story["trial"].stdout
    assert story["after the trial"].returncode == 0 and not ran(story["after the trial"])


def test_missing_data_is_told_before_anything_runs(project):
    project.notebook("good")
    project.notebook("lost", data=("data/none.csv",))
    result = project.reproduce()
    assert result.returncode == 2 and not ran(result) and "Traceback" not in result.stderr
    assert "lost.ipynb: its metadata proctor.data names data/none.csv" in result.stderr


COPY = """
from proctor.paths import ROOT
text = (ROOT / {read!r}).read_text()
assert "bad" not in text or {name!r} != "three"
(ROOT / "figures/chain/{name}.csv").write_text(text[:4])
(ROOT / "figures/chain/{name}.json").write_text('{{"code": {{"notebook": "{name}"}}}}')
"""


def chain(project, **read: str) -> None:
    """Notebooks that copy what they read, the first from data/, as if just run."""
    for name, place in read.items():
        project.write(place, "old")
        project.write(f"figures/chain/{name}.csv", "old")
        project.write(f"figures/chain/{name}.json", json.dumps({"code": {"notebook": name}}))
        more = ("figures/chain/one.csv",) if name == "last" else ()
        project.notebook(name, COPY.format(read=place, name=name), data=(place, *more))
    project.pretend()


ONE_TWO_THREE = {"one": "data/x.csv", "two": "figures/chain/one.csv", "three": "figures/chain/two.csv"}


def test_who_reads_results_that_changed_runs_in_the_same_call(project):
    project.judges_logs()
    project.write("figures/chain/last.csv", "old")
    project.write("figures/chain/last.json", json.dumps({"code": {"notebook": "last"}}))
    project.notebook("kept", "1", data=("figures/chain/last.csv",), logs=("judges",))
    chain(project, **ONE_TWO_THREE, four="figures/chain/three.csv", last="figures/chain/three.csv")
    for text, code, names in (
        ("new", 0, {"one", "two", "three", "four", "last"}),
        ("new", 0, set()),
        ("news", 0, {"one", "two", "three", "four", "last"}),
        ("news of no importance", 0, {"one"}),  # its results are the same
        ("bad", 1, {"one", "two", "three"}),  # three fails, so that four and last wait
        ("good", 0, {"one", "two", "three", "four", "last"}),
        ("good", 0, set()),
    ):
        project.write("data/x.csv", text)
        done = project.reproduce("--jobs", "2", kernels=False)
        assert (done.returncode, ran(done)) == (code, names), (text, done.stdout, done.stderr)
        assert code or (project.root / "figures/chain/four.csv").read_text() == text[:4]
    project.notebook("one", "1")
    done = project.reproduce(kernels=False)
    assert done.returncode == 1 and "proctor.data names figures/chain/one.csv, and there is no such" in done.stderr


def test_a_cluster_of_one_machine_runs_them_too_and_tells_what_failed(project):
    """By a submit script, as `params/cluster/here` says; verify, seeds and sweep hand on such options in the same way."""
    shutil.copytree(ROOT / "params" / "cluster", project.root / "params" / "cluster")
    chain(project, one="data/x.csv", three="figures/chain/one.csv", four="data/y.csv")
    for text, code, names in (("bad", 1, {"one", "three"}), ("good", 0, {"one", "three"})):
        project.write("data/x.csv", text)
        done = project.python("-m", "proctor.workflow.reproduce", "--", "--profile", "params/cluster/here")
        assert (done.returncode, ran(done)) == (code, names), (text, done.stdout, done.stderr)
        assert not code or "notebooks/three.ipynb failed in cell 2: from proctor.paths import ROOT" in done.stderr
    assert (project.root / "figures/chain/three.csv").read_text() == "good"
    assert list((project.root / "build" / "jobs").glob("*.log"))
    assert project.reproduce().stdout == "Nothing to do: everything is up to date.\n"


@pytest.mark.parametrize("name", ["slurm", "kubernetes"])
def test_a_profile_names_its_executor_and_the_extra_that_has_it(name):
    text = (ROOT / "params" / "cluster" / name / "config.yaml").read_text()
    assert yaml.safe_load(text)["executor"] == name and ".[cluster]" in text
    assert f"snakemake-executor-plugin-{name}==" in (ROOT / "pyproject.toml").read_text()


def test_ctrl_c_ends_the_run_and_its_kernels(project):
    """A kill by SIGTERM is in test_jobs.py, which reads the same options; one by SIGKILL in test_kernels.py."""
    project.notebook(
        "sleeps", "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))", "time.sleep(600)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
    environment["PROCTOR_KERNELS"] = project.kernels
    run = subprocess.Popen(
        [sys.executable, "-m", "proctor.workflow.reproduce"],
        cwd=project.root,
        env=environment | {"PYTHONPATH": str(project.root / "lib")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # tests run in the background would hand down that Ctrl-C is to be ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    pid = project.root / "pid"
    wait_until(lambda: pid.exists() and pid.read_text())
    second = project.reproduce()
    assert second.returncode == 2 and "another `make reproduce` is running" in second.stderr
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 130 and errors.endswith("run it again to do the rest.\n")
    wait_until(lambda: not alive(int(pid.read_text())))
    assert not project.executed("sleeps").exists()
