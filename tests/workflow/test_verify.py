"""A new run against the committed figures: what is compared and told. The runs are pretended, no kernel is started."""

import csv
import json

import pytest

TABLE = "model,low\na,0.25\nb,0.5\n"


@pytest.fixture(scope="module")
def fresh(shared_project):
    """A project whose notebooks were verified just now: every file as committed, one notebook kept."""
    project = shared_project
    for name in ("uq/steady", "uq/other", "uq/logged"):
        project.notebook(name, "1", logs=("judges",) if name == "uq/logged" else ())
        artifact, record = name.replace("/", "/table_"), json.dumps({"code": {"notebook": name}})
        for place in ("figures", f"build/verify/{name}/figures"):
            project.write(f"{place}/{artifact}.csv", TABLE)
            project.write(f"{place}/{artifact}.json", record)
    project.judges_logs()
    project.pretend("build/verify")
    return project


@pytest.fixture
def verify(fresh):
    """`verify(*options)`: the finished command and the rows of its report; figures/ is put back after the test."""
    files = [path for path in (fresh.root / "figures").rglob("*.*")]
    before = {path: path.read_bytes() for path in files}

    def run(*options: str):
        done = fresh.python("-m", "proctor.workflow.verify", *options)
        assert "Traceback" not in done.stderr, done.stderr
        report = fresh.root / "build/verify/report.csv"
        return done, {row["file"]: row for row in csv.DictReader(report.open())} if report.exists() else {}

    yield run
    for path in (fresh.root / "figures").rglob("*.*"):
        path.unlink()
    for path, content in before.items():
        path.write_bytes(content)


def test_what_is_the_same_passes_and_what_is_kept_is_named(verify):
    done, rows = verify()
    assert done.returncode == 0, done.stdout
    assert {row["outcome"] for row in rows.values()} == {"same bytes"} and len(rows) == 4
    assert "0 run, 2 as before, 0 failed, 1 kept. 4 same bytes." in done.stdout
    assert "kept      uq/logged  the logs judges are not here: `make logs` fetches them" in done.stdout


@pytest.mark.parametrize(
    "content, code, outcome, where",
    [
        (TABLE.replace("0.25", "0.250"), 0, "same data", ""),
        (TABLE.replace("0.25", "0.2500000001"), 0, "within tolerance", "a, low"),
        (TABLE.replace("0.25", "0.26"), 1, "differs", "a, low"),
        (None, 1, "added", ""),
    ],
)
def test_how_a_file_differs_decides_the_exit_code(fresh, verify, content, code, outcome, where):
    path = fresh.root / "figures/uq/table_steady.csv"
    path.write_text(content) if content else path.unlink()
    done, rows = verify()
    row = rows["uq/table_steady.csv"]
    assert (done.returncode, row["outcome"], row["where"]) == (code, outcome, where), done.stdout
    assert code == 0 or "uq/table_steady.csv" in done.stdout.partition("Not the same:")[2]


def test_an_input_that_changed_since_is_named_below_what_differs(fresh, verify):
    fresh.write("data/facts.csv", "changed")
    record = {"code": {"notebook": "uq/steady"}, "inputs": [{"path": "data/facts.csv", "sha256": "another"}]}
    fresh.write("figures/uq/table_steady.json", json.dumps(record))
    said = "uq/steady: its input data/facts.csv has changed since the committed figures were made"
    assert said in verify()[0].stdout.partition("Not the same:")[2]


def test_a_committed_file_that_no_run_leaves_any_more_is_missing(fresh, verify):
    fresh.write("figures/uq/table_steady.tex", "gone")
    done, rows = verify("--notebook", "uq/steady")
    assert done.returncode == 1 and rows["uq/table_steady.tex"]["outcome"] == "missing"
    assert set(rows) == {"uq/table_steady.csv", "uq/table_steady.json", "uq/table_steady.tex"}


def test_the_tolerance_is_the_caller_s(fresh, verify):
    fresh.write("figures/uq/table_steady.csv", TABLE.replace("0.25", "0.26"))
    done, rows = verify("--tolerance", "0.1")
    assert done.returncode == 0 and "Tolerance: relative 0.1 a number" in done.stdout
    assert float(rows["uq/table_steady.csv"]["relative"]) == pytest.approx(1 / 26, rel=1e-4)


@pytest.mark.parametrize(
    "options, message",
    [(("--tolerance", "-1"), "--tolerance -1"), (("--notebook", "uq/stady"), "did you mean uq/steady?")],
)
def test_bad_input_is_refused(verify, options, message):
    done, _ = verify(*options)
    assert done.returncode == 2 and message in done.stderr
