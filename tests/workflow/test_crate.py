"""The last run as an RO-Crate: what it says, and that the library reads back what was written. No kernel is started."""

import hashlib
import json
import shutil
import subprocess
import warnings
from pathlib import Path
from urllib.parse import unquote

import pytest
from rocrate.rocrate import ROCrate

from .helpers import commit_all

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = "seed: int = 7\nlevels: list[float] = [0.5]\nshare: float = 689 / 2500"


@pytest.fixture(scope="module")
def written(shared_project):
    """(project, crate): two notebooks as if just run, one kept, in a repository with one new file."""
    project = shared_project
    for name in ("LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, project.root)
    project.write("data/x é.csv", "x\n1\n")
    project.judges_logs()
    project.notebook("uq/reads", "1", data=("data/x é.csv",), parameters=PARAMETERS)
    project.notebook("hle/other", "1")
    project.notebook("uq/logged", "1", logs=("judges",))
    for artifact, name in {"uq/table": "uq/reads", "hle/fig": "hle/other", "uq/logged": "uq/logged"}.items():
        project.write(f"figures/{artifact}.json", json.dumps({"code": {"notebook": name}}))
        project.write(f"figures/{artifact}.csv", f"{artifact}\n1\n")
    project.write(".gitignore", "/build/\n__pycache__/\n")
    commit_all(project.root)
    project.write("data/new.csv", "x\n1\n")
    project.pretend()
    done = project.python("-m", "proctor.workflow.crate")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 runs, ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return project, ROCrate(project.root / "build/ro-crate")


def test_each_notebook_that_ran_is_an_action_with_inputs_parameters_and_outputs(written):
    _, crate = written
    runs = crate.get_by_type("CreateAction")
    assert {run.id for run in runs} == {"#run-uq/reads", "#run-hle/other"} and "uq/logged" in crate.description
    run = crate.get("#run-uq/reads")
    assert run["instrument"].id == "notebooks/uq/reads.ipynb" and run["endTime"] == "2026-11-23T03:00:09+00:00"
    files = {unquote(each.id) for each in run["object"] if "File" in each.type}
    assert files == {"data/x é.csv", "requirements.txt"}
    given = {each["name"]: each["value"] for each in run["object"] if each.type == "PropertyValue"}
    assert given == {"seed": 7, "levels": "[0.5]", "share": 0.2756}
    made = {"figures/uq/table.csv", "figures/uq/table.json"}
    assert {each.id for each in run["result"]} == {"build/notebooks/uq/reads.ipynb"} | made
    assert run in crate.root_dataset["mentions"]


def test_every_file_is_in_the_folder_with_its_digest(written):
    project, crate = written
    for entity in crate.data_entities:
        content = (project.root / "build/ro-crate" / unquote(entity.id)).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entity["sha256"], entity.id
        assert str(len(content)) == entity["contentSize"]


def test_environment_commit_licence_and_citation_are_told(written):
    project, crate = written
    environment = crate.get("#environment")
    names = {each.partition("==")[0] for each in environment["softwareRequirements"]}
    assert {"rocrate", "papermill"} <= names and "Python 3" in environment["softwareVersion"]
    head = subprocess.run(["git", "-C", str(project.root), "rev-parse", "HEAD"], capture_output=True, text=True)
    assert crate.get("#commit")["version"] == head.stdout.strip()
    dirty = "dirty: 1 files of the checkout differ from it; in the crate: none"
    assert crate.get("#commit")["description"].startswith(dirty)
    assert crate.license.id.endswith("/MIT") and crate.get("LICENSE") is not None
    assert len(crate.root_dataset["citation"]) == 5 and crate.creator[0]["name"] == "The Proctor authors"
    assert crate.root_dataset["conformsTo"]["name"] == "Process Run Crate"


def test_no_reference_leads_nowhere_and_no_path_of_this_machine_is_written(written):
    project, _ = written
    folder = project.root / "build/ro-crate"
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    ids = [entity["@id"] for entity in graph]

    def referred(value) -> list[str]:
        if isinstance(value, dict):
            return [value["@id"]] if set(value) == {"@id"} else [id for each in value.values() for id in referred(each)]
        return [id for each in value for id in referred(each)] if isinstance(value, list) else []

    assert len(set(ids)) == len(ids)
    assert set(referred(graph)) - set(ids) == {"https://w3id.org/ro/crate/1.1"}
    texts = [path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()]
    assert not any(str(project.root) in text for text in texts)


def test_a_run_whose_inputs_changed_is_not_described(written):
    project, _ = written
    before = (project.root / "build/ro-crate/ro-crate-metadata.json").read_bytes()
    project.write("data/x é.csv", "x\n2\n")
    done = project.python("-m", "proctor.workflow.crate")
    assert done.returncode == 2 and "no run of these as their inputs are now: uq/reads." in done.stderr
    assert (project.root / "build/ro-crate/ro-crate-metadata.json").read_bytes() == before
    assert project.python("-m", "proctor.workflow.crate", "--notebook", "hle/other").stdout.startswith("1 runs, ")
