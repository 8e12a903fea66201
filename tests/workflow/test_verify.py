"""New runs against the committed figures, and against the claims of another seed. The runs are pretended, no kernel is
started."""

import csv
import json

import pytest

from .helpers import claim, claims_csv

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


def drawn(id: str, estimate: float, interval=(1.0, 9.0), notebook: str = "uq/draws"):
    return claim(f"uq/{id}", estimate, interval, notebook=notebook, evidence="simulated")


def test_claims_of_another_seed_flip_move_or_stay(project):
    project.notebook("uq/draws", "1", parameters="seed: int = 20260101")
    project.notebook("uq/counts", "1")
    project.write("figures/uq/claims_counts.csv", claims_csv(drawn("other", 5.0, notebook="uq/counts")))
    project.write("figures/uq/claims_draws.csv", claims_csv(*(drawn(id, 5.0) for id in "abc")))
    for seed, made in {
        7: (drawn("a", 5.0), drawn("b", 5.4), drawn("c", 5.0)),
        8: (drawn("a", 5.0, (-1.0, 9.0)), drawn("b", 14.0, (10.0, 18.0))),
    }.items():
        project.write(f"build/seeds/{seed}/uq/draws/figures/uq/claims_draws.csv", claims_csv(*made))
        project.pretend(f"build/seeds/{seed}", seed=seed)
    commands = ["--seed", "7"], ["--seed", "8"], ["--seed", "8", "--tolerance", "2"], ["--seed", "20260101"]
    near, far, wide, default = project.each("proctor.workflow.verify", *commands)

    assert near.returncode == 0, near.stdout + near.stderr
    assert "Seed 7: 1 run, 0 failed; 3 claims.\nThe same verdict: 3 of 3 (100.0 %)." in near.stdout
    assert "1 of 3 moved" in near.stdout and "largest by 0.05" in near.stdout
    assert "no seed   uq/counts" in near.stdout
    rows = csv.DictReader((project.root / "build/seeds/7/report.csv").open())
    assert [(row["claim"], row["kind"], float(row["shift"])) for row in rows] == [
        ("uq/a", "same", 0), ("uq/b", "numbers", pytest.approx(0.05)), ("uq/c", "same", 0),
    ]  # fmt: skip

    assert far.returncode == 1 and "The same verdict: 1 of 2 (50.0 %)." in far.stdout
    flips, moved, lost = far.stdout.split("### ")[1:]
    assert "| uq/a | holds | cannot tell | +5.0 [+1.0, +9.0], n = 10 | +5 [-1, +9], n = 10 |" in flips
    assert moved.startswith("Other numbers") and "| uq/b | " in moved and "| 1.1 widths |" in moved
    assert lost.startswith("Removed") and "| uq/c | " in lost
    assert "### Other numbers" not in wide.stdout and wide.returncode == 1  # the flip stays
    assert default.returncode == 2 and "--seed 20260101: that is the default of uq/draws" in default.stderr
