# Jobs of `run_jobs` (jobs.py) for a cluster. That says which ones, and which of them must end well before another; what
# is written here only tells Snakemake that a job has ended well: receipts decide the rest.
import sys

BEFORE = config["before"]  # of each job


rule all:
    input: [f"build/reruns/{number}" for number in range(len(BEFORE))]


rule job:
    input: lambda wildcards: [f"build/reruns/{number}" for number in BEFORE[int(wildcards.number)]]
    output: touch("build/reruns/{number}")
    shell: "{sys.executable:q} -m proctor.workflow.jobs build/reruns/{wildcards.number}.json"
