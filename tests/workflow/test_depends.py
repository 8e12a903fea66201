"""A changed byte of an input is traced to exactly the notebooks and artifacts that rest on it; no kernel is started."""

import json
from pathlib import Path

import pandas as pd
import pytest
from proctor.report.claims import as_row, judge

TRACE = """
import json, sys
from proctor.workflow import jobs, params
from proctor.workflow.depends import Dependencies
from proctor.workflow.notebook import all_notebooks
notebooks, found = all_notebooks(), Dependencies()
stale = [job.name for job in jobs.jobs_of(notebooks, params.resolve(notebooks)) if not job.reused]
rest = [{name: more for name, *more in map(list, found.of(file))} for file in sys.argv[1:]]
print(json.dumps([found.changed(), stale, *rest]))
"""


def trace(project, *files: str) -> list:
    """Files that changed, stale notebooks, and what rests on each file: {notebook: [through, state, artifacts]}."""
    done = project.python("-c", TRACE, *files)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def flip(path: Path) -> None:
    """Change one byte, in the middle of the file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.fixture(scope="module")
def small(shared_project):
    """Notebooks that read x.csv, y.csv, a module, and the claims of the one that reads x.csv; all as if just run."""
    from hashlib import sha256

    project = shared_project
    project.write("lib/proctor/stats/alpha.py", "changed = False\n")
    inputs = {name: project.write(f"data/{name}.csv", f"{name}\n1\n") for name in ("x", "y")}
    project.notebook("uq/reads_x", "1", data=("data/x.csv",))
    project.notebook("uq/reads_y", "1", data=("data/y.csv",))
    project.notebook("uq/code", "import proctor.stats.alpha")
    project.notebook("uq/later", "1", data=("figures/uq/claims_reads_x.csv",))
    named = {"uq/reads_x": "x", "uq/reads_y": "y"}
    artifacts = {"claims_reads_x": "reads_x", "x_table": "reads_x", "y_table": "reads_y", "code_table": "code"}
    for artifact, notebook in (artifacts | {"later_table": "later"}).items():
        name, read = f"uq/{notebook}", named.get(f"uq/{notebook}")
        digests = (
            [{"path": f"data/{read}.csv", "sha256": sha256(inputs[read].read_bytes()).hexdigest()}] if read else []
        )
        project.write(f"figures/uq/{artifact}.json", json.dumps({"code": {"notebook": name}, "inputs": digests}))
        project.write(f"figures/uq/{artifact}.csv", "id\n")
    project.pretend()
    return project


def test_a_changed_byte_is_traced_to_what_rests_on_it_and_to_nothing_else(small):
    expected = {"uq/later": ["uq/reads_x", "its last run did not read it", {"uq/later_table": None}]}
    expected["uq/reads_x"] = ["", "as its last run read it", {"uq/claims_reads_x": True, "uq/x_table": True}]
    code = {"uq/code": ["", "as its last run read it", {"uq/code_table": None}]}
    assert trace(small, "data/x.csv", "lib/proctor/stats/alpha.py") == [[], [], expected, code]
    flip(small.root / "data/x.csv")
    made = {"uq/claims_reads_x": False, "uq/x_table": False}
    expected["uq/reads_x"] = ["", "changed since its last run", made]
    assert trace(small, "data/x.csv") == [["data/x.csv"], ["uq/reads_x"], expected]
    flip(small.root / "data/x.csv")


def test_the_command_tells_it_and_refuses_what_nobody_knows(small):
    (same,) = told(small, [])
    assert same.stdout.startswith("Every file is as the last runs")
    flip(small.root / "data/y.csv")
    words = [], [str(small.root / "data/y.csv")], ["requirements.txt"], ["data/z.csv"]
    changed, named, pins, lost = told(small, *words)
    flip(small.root / "data/y.csv")
    assert changed.stdout == named.stdout == (
        "data/y.csv: notebooks: 1, figures and tables: 1\n  uq/reads_y  (changed since its last run)\n"
        "      uq/y_table  made from other bytes\n"
    )  # fmt: skip
    assert pins.stdout.startswith("requirements.txt: notebooks: 4, figures and tables: 5\n")
    assert lost.returncode == 2 and "data/z.csv: no such file" in lost.stderr


def told(project, *commands: list[str]):
    return project.each("proctor.workflow.depends", *commands)


def test_what_a_figure_or_a_claim_rests_on_is_told_by_its_record(small):
    record = {
        "code": {"notebook": "uq/asks"},
        "evidence": "measured",
        "inputs": [
            {"path": "data/x.csv", "sha256": "another"},
            {"path": "data/recorded/small.jsonl.gz", "sha256": ""},
            {"path": "owner/logs@1: tidy.csv", "sha256": "ab"},
        ],
        "parameters": {"models": ["small", "openai/big"], "resamples": 9, "questions": "data/x.csv"},
        "seed": 7,
        "claim_ids": ["uq/gain.all"],
    }
    how = dict(notebook="uq/asks", evidence="measured", holds=True, exact="all rows")
    claims = [as_row(judge(id, "It rises", **how)) for id in ("uq/gain.all", "uq/other")]
    for name in ("fig", "claims_asks"):
        small.write(f"figures/uq/{name}.json", json.dumps(record))
    pd.DataFrame(claims).to_csv(small.root / "figures/uq/claims_asks.csv", index=False)
    expected = [
        "  notebook    notebooks/uq/asks.ipynb",
        "  evidence    measured",
        "  input       data/x.csv  changed since",
        "  input       data/recorded/small.jsonl.gz",
        "  log         owner/logs@1: tidy.csv",
        "  models      small, openai/big",
        "  parameters  models = ['small', 'openai/big'], resamples = 9, questions = data/x.csv, seed = 7",
        "  claim       ✓ holds: It rises (exact: all rows; measured; uq/gain.all)",
    ]
    figure, gain, unknown = told(small, ["figures/uq/fig.svg"], ["uq/gain"], ["uq/gian"])
    assert figure.stdout.splitlines()[1:] == gain.stdout.splitlines()[1:] == expected, figure.stderr
    assert unknown.returncode == 2 and "did you mean uq/gain.all" in unknown.stderr
