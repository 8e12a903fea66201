"""What is stale after one change, and what stays where public logs are not here. No kernel is started."""

import json
import re
import shutil
from functools import partial

import pytest
from proctor.files import write_atomic
from proctor.workflow import receipts
from proctor.workflow.notebook import Notebook

from .conftest import Project

FIGURE = "hle/fig,hle,notebook-output,A figure,draws,hle/fig.svg,measured,,,done,"
START = """
import json, os, sys
from proctor.paths import ROOT
from proctor.workflow import jobs, params
from proctor.workflow.notebook import all_notebooks
def stale():
    notebooks = all_notebooks()
    return [job.name for job in jobs.jobs_of(notebooks, params.resolve(notebooks)) if not job.reused]
"""
EACH = (
    START
    + """
told = []
for name, content in json.loads(sys.argv[1]):
    path = ROOT / name
    before = path.read_bytes() if path.is_file() else None
    path.parent.mkdir(exist_ok=True)
    if content is None:
        path.unlink()
    else:
        path.write_text(content or before.decode())
        os.utime(path, (4_000_000_000 if content else 1_000_000_000,) * 2)
    told.append(stale())
    path.unlink(missing_ok=True)
    if before is not None:
        path.write_bytes(before)
print(json.dumps([told, stale()]))
"""
)


@pytest.fixture(scope="module")
def fresh(shared_project):
    """A project whose receipts are all true."""
    project = shared_project
    project.write("lib/proctor/stats/alpha.py", "changed = False")
    project.notebook("alpha", "import proctor.stats.alpha")
    project.notebook("asks", "from proctor.models import registry")
    project.notebook("draws", "1")
    project.notebook("own", "1", parameters="questions: str = ''\nboards: list[str] = ['mine/boards', 'more/*/b?.csv']")
    project.notebook("asked", "import os\nprint(os.environ.get('MINE'), os.environ['HOME'], os.getenv('MY_KEY'))")
    project.notebook("reads", "1", data=("data/facts_*.csv",))
    project.write("params/default.yaml", "all: {}\nown: {questions: mine/my.jsonl}\n")
    for name in ("more/x/b1", "elsewhere/deep/c", "data/facts_1", "mine/boards/a"):
        project.write(f"{name}.csv", "a: 1\n")
    for name in ("mine/my.jsonl", "params/models.yaml", "params/prices.yaml"):
        project.write(name, "a: 1\n")
    for link in ("mine/boards/linked", "elsewhere/deep/above"):
        (project.root / link).symlink_to(project.root / "elsewhere")
    for ending in ("svg", "png", "json"):
        project.write(f"figures/hle/fig.{ending}", "{}")
    project.write("figures/uq/extra.json", '{"code": {"notebook": "alpha"}}')
    project.write("figures/uq/extra.csv", "x\n1\n")
    catalog = project.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + FIGURE + "\n")
    project.pretend()
    return project


ALL = {"alpha", "asked", "asks", "draws", "own", "reads"}
SAME, GONE = "", None  # a new date alone, no file any more
CHANGES = [
    ("mine/my.jsonl", "edited", {"own"}),  # a file that a parameter names
    ("mine/my.jsonl", GONE, {"own"}),
    ("mine/boards/b.csv", "new", {"own"}),  # and one in a folder that a parameter names
    ("elsewhere/deep/c.csv", "edited", {"own"}),  # behind a link in such a folder
    ("more/x/b1.csv", "edited", {"own"}),  # which a pattern names
    ("more/y/b2.csv", "new", {"own"}),
    ("params/prices.yaml", "a: 2\n", {"asks"}),
    ("params/models.yaml", "a: 2\n", {"asks"}),
    ("params/my_models.yaml", "a: 2\n", {"asks"}),  # which was not there before
    ("params/default.yaml", "all: {}\nown: {questions: mine/my.jsonl}\nreads: {n: 4}\n", {"reads"}),
    ("lib/proctor/stats/alpha.py", "changed = True", {"alpha"}),
    ("lib/proctor/stats/alpha.py", SAME, set()),
    ("data/facts_1.csv", "a: 2\n", {"reads"}),
    ("data/facts_1.csv", GONE, {"reads"}),
    ("data/facts_1.csv", SAME, set()),
    ("data/facts_2.csv", "a: 1\n", {"reads"}),
    ("requirements.txt", "numpy==0\n", ALL),
    ("notebooks/draws.ipynb", '{"cells": [], "metadata": {}}', {"draws"}),
    ("notebooks/draws.ipynb", SAME, set()),
    ("data/catalog.csv", "more promised", {"asks"}),
    ("figures/hle/fig.svg", "<>", {"draws"}),  # promised by the catalog
    ("figures/hle/fig.png", GONE, {"draws"}),
    ("figures/uq/extra.csv", "x\n2\n", {"alpha"}),  # written besides
    ("figures/uq/extra.json", GONE, {"alpha"}),
    ("figures/uq/other.csv", "x\n2\n", set()),
    ("build/notebooks/asks.ipynb", "the executed", {"asks"}),  # truncated
    ("build/notebooks/reads.ipynb", GONE, {"reads"}),
    ("build/receipts/asks.json", "{", {"asks"}),
    ("build/receipts/reads.json", GONE, {"reads"}),
]


def test_after_a_change_only_what_depends_on_it_is_stale(fresh):
    more = (fresh.root / "data/catalog.csv").read_text() + FIGURE.replace("fig", "more").replace("draws", "asks") + "\n"
    steps = [(file, more if content == "more promised" else content) for file, content, _ in CHANGES]
    stale, after = tell(fresh, EACH, json.dumps(steps))
    assert [(*change[:2], set(names)) for change, names in zip(CHANGES, stale)] == CHANGES and after == []


def tell(project, code: str, *words: str, **environment: str):
    told = project.python("-c", code, *words, **environment)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def test_a_variable_that_a_cell_reads_is_an_input(fresh):
    code = START + "print(json.dumps(stale()))"
    assert tell(fresh, code, MINE="1") == ["asked"] and tell(fresh, code, OTHERS="1", MY_KEY="secret") == []


def test_a_home_folder_is_found_by_its_sign(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert list(receipts.named("~/mine.csv")) == [tmp_path / "mine.csv"]


@pytest.mark.parametrize("one, other", [(1, 1.0), (1, True), ([0], [False])])
def test_values_that_python_takes_for_equal_are_not_one_receipt(tmp_path, one, other):
    place, book = tmp_path / "r.json", Notebook(tmp_path / "x.ipynb")
    book.path.write_text('{"cells": [], "metadata": {}}')
    read = receipts.digests(receipts.inputs(book, {}))
    receipts.write({"m": one}, read, [], place)
    assert receipts.is_true(book, {"m": one}, place) and not receipts.is_true(book, {"m": other}, place)


NAME = "uq/frontier"
ROW = "uq/fig,uq,notebook-output,A figure,uq/frontier,uq/fig.svg;uq/judges.csv,logged,,,done,"
READ = """
import json, os, pathlib, PIL.Image
log = pathlib.Path('.cache/logs/judges/a.csv').read_text()
folder = pathlib.Path(os.environ['PROCTOR_FIGURES'], 'uq')
folder.mkdir(parents=True, exist_ok=True)
for name in ('fig', 'judges'):
    record = {'artifact': f'uq/{name}', 'evidence': 'logged', 'alt': 'A figure', 'note': ''}
    (folder / f'{name}.json').write_text(json.dumps(record | {'code': {'notebook': 'uq/frontier'}}))
for name in ('fig.svg', 'judges.csv'):
    (folder / name).write_text(log)
(folder / 'judges.md').write_text('Judges\\n\\n| a |\\n|---|\\n' + log)
PIL.Image.new('L', (8, 8)).save(folder / 'fig.png')
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory, python, kernels):
    """One project, with its log and then without: {step: result}."""
    project, results = Project(tmp_path_factory.mktemp("kept"), python, kernels), {}
    reproduce = partial(project.reproduce, kernels=False)
    project.notebook(NAME, READ, logs=("judges",))
    catalog = project.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + ROW + "\n")
    project.judges_logs()
    log = project.write(".cache/logs/judges/a.csv", "| 1 |\n")
    results["with"] = reproduce()
    made = {path: path.read_bytes() for path in (project.root / "figures").rglob("*.*")}

    shutil.move(log, project.root / "a.csv")
    results["without"] = reproduce()
    results["copy"] = project.executed(NAME).exists()
    results["same"] = made == {path: path.read_bytes() for path in (project.root / "figures").rglob("*.*")}
    results["alone"] = project.run(NAME)
    project.write(".cache/logs/judges/b.csv", "")  # is not the log
    results["again"] = reproduce()
    project.write(".cache/logs/judges/a.csv", "| 2 |\n")
    results["another"] = reproduce()
    shutil.rmtree(project.root / ".cache")
    project.write("params/quick.yaml", f"{NAME}: {{n: 2}}")
    (project.root / "figures/uq/fig.svg").unlink()
    results["lost"] = reproduce("--params", "params/quick.yaml")
    project.notebook("uq/plain", "1")
    results["other"] = reproduce("--notebook", "uq/plain")
    return results


def test_a_notebook_without_its_logs_is_kept_and_its_committed_results_stay(kept):
    first, without = kept["with"], kept["without"]
    assert "1 run, 0 failed, in" in first.stdout and "kept" not in first.stdout, first.stderr
    assert (
        without.returncode == 0
        and kept["same"]
        and not kept["copy"]
        and not re.search("[0-9] run|finished", without.stdout)
    )
    how = "the logs judges are not here: `make logs` "
    assert re.search(rf"^  kept +uq/frontier +{how}", without.stdout, re.MULTILINE)
    assert kept["again"].returncode == 0 and re.match(r"Nothing to do.*\n  kept +uq/frontier ", kept["again"].stdout)
    assert kept["alone"].returncode == 2 and kept["alone"].stderr.startswith(f"uq/frontier can't run: {how}")
    assert kept["lost"].returncode == 1 and "fig.png" not in kept["lost"].stderr
    assert "kept, as its logs are not here; take back from git" in kept["lost"].stderr
    assert "figures/uq/fig.svg" in kept["lost"].stderr
    assert "finished  uq/plain" in kept["other"].stdout and "kept" not in kept["other"].stdout, kept["other"].stderr
    assert "finished  uq/frontier" in kept["another"].stdout


def test_what_a_run_no_longer_makes_is_removed(tmp_path):
    for name, notebook in (("old", "mine"), ("new", "mine"), ("other", "others")):
        write_atomic(tmp_path / f"uq/{name}.csv", "x\n")
        write_atomic(tmp_path / f"uq/{name}.json", json.dumps({"code": {"notebook": notebook}}))
    before = receipts.states("mine", tmp_path)
    write_atomic(tmp_path / "uq/new.json", (tmp_path / "uq/new.json").read_bytes())  # the same bytes, made anew
    assert receipts.drop_old("mine", tmp_path, before) == ["uq/old"]
    left = sorted(path.name for path in (tmp_path / "uq").iterdir())
    assert left == ["new.csv", "new.json", "other.csv", "other.json"]
