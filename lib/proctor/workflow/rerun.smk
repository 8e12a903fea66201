# Notebooks that run again into folders of their own: one job each. `rerun` (rerun.py) starts this and says which ones.
# All that is listed runs, and what is written here only tells Snakemake that a job ended well: receipts decide the rest.
import json
import sys

JOBS = config["jobs"]


def described(name):
    return lambda wildcards: JOBS[int(wildcards.number)][name]


rule all:
    input: [f"build/reruns/{number}" for number in range(len(JOBS))]


rule notebook:
    output:
        touch("build/reruns/{number}"),
    params:
        notebook=described("notebook"),
        folder=described("folder"),
        values=described("values"),
        environment=described("environment"),
        read=described("read"),
    shell:
        "{sys.executable:q} -m proctor.workflow.run {params.notebook:q} {params.folder:q}/notebook.ipynb"
        " --values {params.values:q} --environment {params.environment:q} --figures {params.folder:q}/figures"
        " --receipt {params.folder:q}/receipt.json --read {params.read:q}"
