# One job per notebook, for clusters: `python -m proctor.workflow.reproduce -- --profile ...` runs this, and so does
# `snakemake --cores 2` with any of Snakemake's own options, such as `--profile` for SLURM or Kubernetes. `--configfile` may give {"profile": FILE, "overrides": {NAME: VALUE}}.
#
# The output of a job is its receipt, written last (see proctor/workflow/receipts.py). A receipt that is no longer true
# is put aside here, and Snakemake makes those that are not there. So content decides, never a date: a job's `input` is
# `ancient`, for it only says which notebooks must run before, because their claims are read. Nor are figures and
# executed copies its outputs: Snakemake deletes the outputs of a job that fails.
import json
import sys
from pathlib import Path
from urllib.parse import quote, unquote

from proctor.paths import ROOT
from proctor.workflow import params, receipts
from proctor.workflow.notebook import all_notebooks

PROFILE, OVERRIDES = Path(config.get("profile", params.DEFAULT)), config.get("overrides", {})
NOTEBOOKS = {notebook.name: notebook for notebook in all_notebooks()}
VALUES = params.resolve(NOTEBOOKS.values(), PROFILE, {"all": OVERRIDES})
FIGURES = params.figures_folder(PROFILE, OVERRIDES)
PLACE = receipts.path_of("any", FIGURES).relative_to(ROOT).parent

if workflow.is_main_process:
    receipts.put_aside(NOTEBOOKS.values(), VALUES, FIGURES)


def receipt(name):
    return f"{PLACE}/{quote(name)}.json"


rule all:
    input: [receipt(name) for name in NOTEBOOKS]


def files_read(wildcards):
    name = unquote(wildcards.name)
    return [str(path) for path in receipts.inputs(NOTEBOOKS[name], VALUES[name])]


def receipts_before(wildcards):
    return [receipt(name) for name in receipts.reads_results_of(NOTEBOOKS[unquote(wildcards.name)])]


rule notebook:
    input:
        ancient(receipts_before),
    output:
        f"{PLACE}/{{name}}.json",
    params:
        values=lambda wildcards: json.dumps(VALUES[unquote(wildcards.name)], sort_keys=True),
        kept=lambda wildcards: "--kept" if NOTEBOOKS[unquote(wildcards.name)].missing_logs() else "",
        read=files_read,  # the notebook first
        figures=str(FIGURES),
    shell:
        "{sys.executable:q} -m proctor.workflow.run {params.read[0]:q} --values {params.values:q} {params.kept}"
        " --figures {params.figures:q} --read {params.read:q}"
