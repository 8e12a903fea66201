"""A changed byte of an input is traced to exactly the notebooks and artifacts that rest on it; no kernel is started."""

import json
from pathlib import Path

import pandas as pd
import pytest
from proctor.report.claims import as_row, judge

TRACE = """
import json, sys
from proctor.paths import ROOT
from proctor.workflow import params, receipts
from proctor.workflow.depends import Dependencies
from proctor.workflow.notebook import all_notebooks
notebooks, found = all_notebooks(), Dependencies()
stale = receipts.untrue(notebooks, params.resolve(notebooks), ROOT / "figures")
print(json.dumps([found.changed(), stale, [list(each) for each in found.of(sys.argv[1])]]))
"""


def trace(project, file: str) -> tuple[list[str], set[str], dict[str, list]]:
    """Files that changed, stale notebooks, and what rests on the file: {notebook: [through, state, artifacts]}."""
    done = project.python("-c", TRACE, file)
    assert done.returncode == 0, done.stderr
    changed, stale, found = json.loads(done.stdout)
    return changed, set(stale), {name: rest for name, *rest in found}


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
    expected = {"uq/reads_x": ["", "as its last run read it", {"uq/claims_reads_x": True, "uq/x_table": True}]}
    expected["uq/later"] = ["uq/reads_x", "its last run did not read it", {"uq/later_table": None}]
    assert trace(small, "data/x.csv") == ([], set(), expected)
    flip(small.root / "data/x.csv")
    changed, stale, found = trace(small, "data/x.csv")
    assert changed == ["data/x.csv"] and stale == {"uq/reads_x"}
    assert set(found) == set(expected) and found["uq/reads_x"][1] == "changed since its last run"
    assert found["uq/reads_x"][2] == {"uq/claims_reads_x": False, "uq/x_table": False}
    flip(small.root / "data/x.csv")


def test_a_module_is_traced_to_all_that_its_notebooks_made(small):
    assert trace(small, "lib/proctor/stats/alpha.py")[2] == {
        "uq/code": ["", "as its last run read it", {"uq/code_table": None}]
    }


def test_the_command_tells_it_and_refuses_what_nobody_knows(small):
    def told(*files: str):
        done = small.python("-m", "proctor.workflow.depends", *files)
        assert "Traceback" not in done.stderr
        return done

    assert told().stdout.startswith("Every file is as the last runs")
    flip(small.root / "data/y.csv")
    try:
        assert (
            told().stdout
            == told(str(small.root / "data/y.csv")).stdout
            == (
                "data/y.csv: notebooks: 1, figures and tables: 1\n  uq/reads_y  (changed since its last run)\n"
                "      uq/y_table  made from other bytes\n"
            )
        )
    finally:
        flip(small.root / "data/y.csv")
    assert told("requirements.txt").stdout.startswith("requirements.txt: notebooks: 4, figures and tables: 5\n")
    assert told("data/z.csv").returncode == 2 and "data/z.csv: no such file" in told("data/z.csv").stderr


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
    for name in ("figures/uq/fig.svg", "uq/gain"):
        told = small.python("-m", "proctor.workflow.depends", name)
        assert told.stdout.splitlines()[1:] == expected, told.stderr
    told = small.python("-m", "proctor.workflow.depends", "uq/gian")
    assert told.returncode == 2 and "did you mean uq/gain.all" in told.stderr
    for path in small.root.glob("figures/uq/*asks*"):
        path.unlink()
