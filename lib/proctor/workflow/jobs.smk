# Jobs that `run_jobs` (jobs.py) has left for a cluster; none of them waits for another. What is written here only
# tells Snakemake that a job has ended, well or not: receipts decide the rest.
import sys


rule all:
    input: expand("build/reruns/{number}.ended", number=glob_wildcards("build/reruns/{number}.job").number)


rule job:
    output: "build/reruns/{number}.ended"
    shell: "{sys.executable:q} -m proctor.workflow.jobs build/reruns/{wildcards.number}.job"
