"""What is stale after one change: by receipts alone, so no kernel is started. Whole runs are in test_reproduce.py."""

import os
import shutil

import pytest
from proctor.workflow import receipts
from proctor.workflow.notebook import Notebook

FIGURE = "hle/fig,hle,notebook-output,A figure,draws,hle/fig.svg,measured,,,done,"
OLD, FUTURE = (1_000_000_000,) * 2, (4_000_000_000,) * 2  # dates of a file
START = """
import sys
from proctor.paths import ROOT
from proctor.workflow import params, receipts
from proctor.workflow.notebook import all_notebooks
notebooks = all_notebooks()
values = params.resolve(notebooks)
"""
TELL = START + "print(*receipts.untrue(notebooks, values, ROOT / 'figures'))"


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
    (project.root / "elsewhere/deep").mkdir(parents=True)
    (project.root / "mine/boards").mkdir(parents=True)
    (project.root / "mine/boards/linked").symlink_to(project.root / "elsewhere")
    (project.root / "elsewhere/deep/above").symlink_to(project.root / "elsewhere")
    for name in (
        "more/x/b1.csv",
        "elsewhere/deep/c.csv",
        "data/facts_1.csv",
        "mine/my.jsonl",
        "mine/boards/a.csv",
        "params/models.yaml",
        "params/prices.yaml",
    ):
        project.write(name, "a: 1\n")
    for ending in ("svg", "png", "json"):
        project.write(f"figures/hle/fig.{ending}", "{}")
    record = '{"code": {"notebook": "alpha"}}'
    project.write("figures/uq/extra.json", record)
    project.write("figures/uq/extra.csv", "x\n1\n")
    catalog = project.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + FIGURE + "\n")
    project.pretend()
    return project


@pytest.fixture
def stale(fresh):
    """`stale()`: the notebooks that would run. What the test changes is taken back after it."""
    kept = fresh.root.with_name("kept")
    shutil.copytree(fresh.root, kept, symlinks=True, ignore=shutil.ignore_patterns("lib"))
    module = fresh.root / "lib/proctor/stats/alpha.py"
    text = module.read_text()

    def tell(**environment: str) -> set[str]:
        told = fresh.python("-c", TELL, **environment)
        assert told.returncode == 0, told.stderr
        return set(told.stdout.split())

    yield tell
    for place in fresh.root.iterdir():
        if place.name != "lib":
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    shutil.copytree(kept, fresh.root, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(kept)
    module.write_text(text)


ALL = {"alpha", "asked", "asks", "draws", "own", "reads"}


@pytest.mark.parametrize(
    "file, content, expected",
    [
        ("mine/my.jsonl", "edited", {"own"}),  # a file that a parameter names
        ("mine/boards/b.csv", "new", {"own"}),  # and one in a folder that a parameter names
        ("elsewhere/deep/c.csv", "edited", {"own"}),  # behind a link in such a folder
        ("more/x/b1.csv", "edited", {"own"}),  # which a pattern names
        ("more/y/b2.csv", "new", {"own"}),
        ("params/prices.yaml", "a: 2\n", {"asks"}),
        ("params/models.yaml", "a: 2\n", {"asks"}),
        ("params/my_models.yaml", "a: 2\n", {"asks"}),  # which was not there before
        ("params/default.yaml", "all: {}\nown: {questions: mine/my.jsonl}\nreads: {n: 4}\n", {"reads"}),
        ("lib/proctor/stats/alpha.py", "changed = True", {"alpha"}),
        ("data/facts_1.csv", "a: 2\n", {"reads"}),
        ("data/facts_2.csv", "a: 1\n", {"reads"}),
        ("requirements.txt", "numpy==0\n", ALL),
        ("figures/hle/fig.svg", "<>", {"draws"}),  # promised by the catalog
        ("figures/uq/extra.csv", "x\n2\n", {"alpha"}),  # written besides
        ("figures/uq/other.csv", "x\n2\n", set()),
        ("build/notebooks/asks.ipynb", "the executed", {"asks"}),  # truncated
        ("build/receipts/asks.json", "{", {"asks"}),
    ],
)
def test_after_a_change_only_what_depends_on_it_is_stale(fresh, stale, file, content, expected):
    os.utime(fresh.write(file, content), OLD)
    assert stale() == expected


@pytest.mark.parametrize(
    "file, expected",
    [
        ("figures/hle/fig.png", {"draws"}),
        ("figures/uq/extra.json", {"alpha"}),
        ("mine/my.jsonl", {"own"}),
        ("data/facts_1.csv", {"reads"}),
        ("build/notebooks/reads.ipynb", {"reads"}),
        ("build/receipts/reads.json", {"reads"}),
    ],
)
def test_after_a_loss_only_what_depends_on_it_is_stale(fresh, stale, file, expected):
    (fresh.root / file).unlink()
    assert stale() == expected


def test_what_is_changed_back_runs_nothing(fresh, stale):
    aside = START + "receipts.put_aside(notebooks, values, ROOT / 'figures')"
    fresh.write("params/prices.yaml", "a: 2\n")
    for _ in range(2):
        assert fresh.python("-c", aside).returncode == 0
        assert stale() == {"asks"} and not (fresh.root / "build/receipts/asks.json").exists()
    fresh.write("params/prices.yaml", "a: 1\n")
    assert fresh.python("-c", aside).returncode == 0
    assert stale() == set()


def test_a_new_promise_makes_its_notebook_stale(fresh, stale):
    catalog = fresh.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + FIGURE.replace("fig", "more").replace("draws", "asks") + "\n")
    assert stale() == {"asks"}


def test_a_variable_that_a_cell_reads_is_an_input(fresh, stale):
    assert stale(MINE="1") == {"asked"} and stale(OTHERS="1", MY_KEY="secret") == set()


def test_a_home_folder_is_found_by_its_sign(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert receipts._named("~/mine.csv") == [tmp_path / "mine.csv"]


def test_an_edited_notebook_is_stale_and_a_new_date_is_no_change(fresh, stale):
    os.utime(fresh.notebook("draws", "2"), FUTURE)
    for path in (fresh.root / "data").iterdir():
        os.utime(path, FUTURE)
    assert stale() == {"draws"}


def test_who_reads_the_claims_of_a_stale_notebook_is_put_aside_with_it(fresh, stale):
    fresh.write("figures/alpha/claims_b.csv", "id\n1\n")
    fresh.write("figures/alpha/claims_b.json", '{"code": {"notebook": "alpha/b"}}')
    (fresh.root / "notebooks" / "alpha").mkdir()
    shutil.copy(fresh.root / "notebooks" / "draws.ipynb", fresh.root / "notebooks" / "alpha" / "b.ipynb")
    fresh.notebook("late", "1", data=("figures/alpha/claims_b.csv",))
    fresh.pretend()
    assert stale() == set()
    with (fresh.root / "notebooks" / "alpha" / "b.ipynb").open("a") as file:
        file.write("\n")
    assert stale() == {"alpha/b"}
    assert fresh.python("-c", START + "receipts.put_aside(notebooks, values, ROOT / 'figures')").returncode == 0
    assert stale() == {"alpha/b", "late"}


@pytest.mark.parametrize("one, other", [(1, 1.0), (1, True), ([0], [False])])
def test_values_that_python_takes_for_equal_are_not_one_receipt(tmp_path, one, other):
    place, book = tmp_path / "r.json", Notebook(tmp_path / "x.ipynb")
    book.path.write_text('{"cells": [], "metadata": {}}')
    read = receipts.digests(receipts.inputs(book, {}))
    receipts.write(book, {"m": one}, read, [], place)
    assert receipts.is_true(book, {"m": one}, [], place) and not receipts.is_true(book, {"m": other}, [], place)
