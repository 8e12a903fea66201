"""New runs against the committed figures. The runs are pretended, no kernel is started."""

import csv
import json

import pytest

TABLE = "model,low\na,0.25\nb,0.5\n"
COMMITTED = {  # notebook: its committed table, None for none; each makes TABLE anew
    "steady": TABLE,
    "rewritten": TABLE.replace("0.25", "0.250"),
    "near": TABLE.replace("0.25", "0.2500000001"),
    "far": TABLE.replace("0.25", "0.26"),
    "new": None,
    "logged": TABLE,
}
FINE = [word for name in ("steady", "rewritten", "near") for word in ("--notebook", f"uq/{name}")]


@pytest.fixture(scope="module")
def verify(shared_project):
    """`verify(*commands)`: of each the finished process, and the rows of the last one's report."""
    project = shared_project
    for name, table in COMMITTED.items():
        project.notebook(f"uq/{name}", "1", logs=("judges",) if name == "logged" else ())
        for place in ("figures", f"build/verify/uq/{name}/figures"):
            project.write(f"{place}/uq/{name}.json", json.dumps({"code": {"notebook": f"uq/{name}"}}))
            if table or place != "figures":
                project.write(f"{place}/uq/{name}.csv", (table if place == "figures" else None) or TABLE)
    record = {"code": {"notebook": "uq/far"}, "inputs": [{"path": "data/facts.csv", "sha256": "another"}]}
    project.write("figures/uq/far.json", json.dumps(record))
    project.write("data/facts.csv", "changed")
    project.write("figures/uq/new.tex", "made by an earlier run")
    project.judges_logs()
    project.pretend("build/verify")

    def run(*commands: list[str]):
        done = project.each("proctor.workflow.verify", *commands)
        return done, {row["file"]: row for row in csv.DictReader((project.root / "build/verify/report.csv").open())}

    return run


def test_how_a_file_differs_is_a_row_and_decides_the_exit_code(verify):
    (done,), rows = verify([])
    assert done.returncode == 1 and "0 run, 5 as before, 0 failed, 1 kept. 5 same bytes, 1 same data," in done.stdout
    found = {file.removeprefix("uq/"): (row["outcome"], row["where"]) for file, row in rows.items()}
    assert found == {f"{name}.json": ("same bytes", "") for name in ("steady", "rewritten", "near", "new")} | {
        "steady.csv": ("same bytes", ""),
        "rewritten.csv": ("same data", ""),
        "near.csv": ("within tolerance", "a, low"),
        "far.csv": ("differs", "a, low"),
        "far.json": ("differs", "inputs[0].path"),
        "new.csv": ("added", ""),
        "new.tex": ("missing", ""),
    }
    off = done.stdout.partition("Not the same:")[2]
    assert all(f"uq/{name}" in off for name in ("far.csv", "far.json", "new.csv", "new.tex")) and "steady" not in off
    assert "uq/far: its input data/facts.csv has changed since the committed figures were made" in off
    assert "kept      uq/logged  the logs judges are not here: `make logs` fetches them" in done.stdout


def test_what_is_the_same_passes_by_a_tolerance_of_ones_own(verify):
    (fine, wide, *refused), rows = verify(
        FINE,
        ["--tolerance", "0.1", "--notebook", "uq/steady", "--notebook", "uq/far"],
        ["--tolerance", "-1"],
        ["--notebook", "uq/stady"],
    )
    assert fine.returncode == 0 and "4 same bytes, 1 same data, 1 within tolerance." in fine.stdout
    assert "Tolerance: relative 0.1 a number" in wide.stdout and rows["uq/far.csv"]["outcome"] == "within tolerance"
    assert float(rows["uq/far.csv"]["relative"]) == pytest.approx(1 / 26, rel=1e-4)
    for done, said in zip(refused, ("--tolerance -1", "did you mean uq/steady?")):
        assert done.returncode == 2 and said in done.stderr
