# One job a notebook. `make reproduce` runs this; so does `snakemake --cores 2` with any of Snakemake's own options,
# such as `--profile` for SLURM or Kubernetes. `--configfile` may give {"profile": FILE, "overrides": {NAME: VALUE}}.
#
# The output of a job is its receipt, written last (see proctor/workflow/receipts.py). A receipt that is no longer true
# is thrown away here, and Snakemake makes those that are not there. So content decides, never a date: a job has no
# `input`, because Snakemake compares the dates of those. Nor are figures and executed copies its outputs:
# Snakemake deletes the outputs of a job that fails.
import json
import sys
from pathlib import Path
from urllib.parse import quote, unquote

from proctor.workflow import params, receipts
from proctor.workflow.notebook import all_notebooks

PROFILE, OVERRIDES = Path(config.get("profile", params.DEFAULT)), config.get("overrides", {})
NOTEBOOKS = {notebook.name: notebook for notebook in all_notebooks()}
VALUES = params.resolve(NOTEBOOKS.values(), PROFILE, {"all": OVERRIDES})
FIGURES = params.figures_folder(PROFILE, OVERRIDES)

if workflow.is_main_process:
    for name in receipts.untrue(NOTEBOOKS.values(), VALUES, FIGURES):
        receipts.path_of(name).unlink(missing_ok=True)


rule all:
    input: [f"build/receipts/{quote(name)}.json" for name in NOTEBOOKS]


def notebook_of(wildcards):
    return NOTEBOOKS[unquote(wildcards.name)]


rule notebook:
    output:
        "build/receipts/{name}.json",
    params:
        notebook=lambda wildcards: str(notebook_of(wildcards).path),
        values=lambda wildcards: json.dumps(VALUES[unquote(wildcards.name)], sort_keys=True),
        read=lambda wildcards: [str(path) for path in receipts.inputs(notebook_of(wildcards), VALUES[unquote(wildcards.name)])],
        figures=str(FIGURES),
    shell:
        "{sys.executable:q} -m proctor.workflow.run {params.notebook:q}"
        " --values {params.values:q} --figures {params.figures:q} --read {params.read:q}"
