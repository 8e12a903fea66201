"""The cluster profiles: one machine that takes jobs by a submit script runs them, and the others say what exists."""

import shutil

import pytest
import yaml
from proctor.paths import ROOT

CLUSTERS = ROOT / "params" / "cluster"


def test_jobs_handed_to_a_submit_script_leave_the_same_as_jobs_here_and_tell_what_failed(project):
    shutil.copytree(CLUSTERS, project.root / "params" / "cluster")
    project.notebook("uq/one", "print(6 / n)")
    words = ("sweep", "uq/one", "-p", "n", "0", "2", "--", "--profile", "params/cluster/here")
    done = project.python("-m", "proctor", *words)
    assert done.returncode == 1 and "2 jobs: 2 to run" in done.stdout and "uq/one n=0" in done.stderr
    assert "notebooks/uq/one.ipynb failed in cell 2: print(6 / n)" in done.stderr
    assert len(list((project.root / "build" / "jobs").glob("*.log"))) == 2
    assert "3.0" in (project.root / "build/sweeps/uq-one/uq/one/n=2/notebook.ipynb").read_text()


@pytest.mark.parametrize("name", ["slurm", "kubernetes"])
def test_a_profile_names_its_executor_and_the_extra_that_has_it(name):
    text = (CLUSTERS / name / "config.yaml").read_text()
    assert yaml.safe_load(text)["executor"] == name and ".[cluster]" in text
    assert f"snakemake-executor-plugin-{name}==" in (ROOT / "pyproject.toml").read_text()
