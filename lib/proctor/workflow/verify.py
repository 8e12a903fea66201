"""Run the notebooks again and say how what they leave differs from what is committed in figures/.

    python -m proctor.workflow.verify [--notebook uq/6_agreement] [--tolerance 1e-6] [--again]      # or: make verify

Every file that the committed figures/ hold of a notebook, and every one that it leaves now, is compared (see
values.py). build/verify/report.csv has a row for each file.

What ran before and whose inputs are the same is not run again, only compared. Exit codes: 0 all is the same or within
the tolerance, 1 something differs, a notebook failed or no file could be verified, 2 bad input.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from proctor.paths import BUILD, COMMITTED, ROOT
from proctor.workflow import git, jobs, params, receipts, values
from proctor.workflow.jobs import Job
from proctor.workflow.notebook import WorkflowError, all_notebooks, chosen, shown

PLACE = BUILD / "verify"
REPORT = PLACE / "report.csv"
FAILED = "failed"
SHOWN = 40  # files that differ, on the terminal; the report has all
COLUMNS = ("notebook", "file", "outcome", "changed", "of", "relative", "where", "before", "after", "note")


class Finding(NamedTuple):
    """How one file of a notebook differs from the committed one; of a notebook that failed, why, in place of a file."""

    notebook: str
    file: str
    comparison: values.Comparison


def main(arguments: list[str] | None = None) -> int:
    parser = jobs.jobs_parser("python -m proctor.workflow.verify", __doc__.splitlines()[0])
    parser.add_argument("--notebook", **jobs.ONE)
    about = "relative, of two numbers (default %(default)g)"
    parser.add_argument("--tolerance", type=float, default=values.TOLERANCE, help=about)
    options, how = jobs.parse_jobs(parser, arguments)
    return jobs.exit_code(lambda: verify(options.notebook, options.tolerance, how))


def verify(only: Sequence[str], tolerance: float, how: Mapping[str, Any]) -> int:
    """Run, compare, print and write the report; the exit code. only: names of notebooks, none for all. how: as
    `run_jobs` takes it.

    Raises WorkflowError before anything runs."""
    if not 0 <= tolerance < 1:
        raise WorkflowError(f"--tolerance {tolerance:g}: give a relative difference from 0 to below 1")
    every = all_notebooks()
    running, stay = jobs.split_kept(chosen(only, every))
    given = params.resolve(every)
    todo = [jobs.job_in(PLACE / each.name, each, given[each.name]) for each in running]
    with jobs.lock():
        done = jobs.run_jobs(todo, "verify", **how)
        makers = {artifact: record["code"]["notebook"] for artifact, record in receipts.records().items()}
        committed: dict[str | None, dict[str, Path]] = defaultdict(dict)
        for path in COMMITTED.glob("*/*"):
            committed[makers.get(f"{path.parent.name}/{path.stem}")][path.relative_to(COMMITTED).as_posix()] = path
        findings = [found for job in done for found in _compare(job, committed[job.notebook.name], tolerance)]
    rows = [(name, file, *found[:3], f"{found.relative:.6g}", *found[4:]) for name, file, found in findings]
    jobs.write_report(REPORT, pd.DataFrame(rows, columns=COLUMNS))
    _tell(findings, done, stay, tolerance)
    return 0 if findings and all(found.fine for *_, found in findings) else 1


def _compare(done: Job, old: Mapping[str, Path], tolerance: float) -> Iterator[Finding]:
    """How each file of the run differs from the committed ones of that notebook, by name."""
    new, name = done.files(), done.notebook.name
    if done.problem:
        yield Finding(name, "", values.Comparison(FAILED, note=done.problem))
    for file in [] if done.problem else sorted({*old, *new}):
        before, after = (each[file].read_bytes() if file in each else None for each in (old, new))
        yield Finding(name, file, values.compare(file, before, after, tolerance))


def _tell(findings: Sequence[Finding], done: Sequence[Job], stay: Sequence[str], tolerance: float) -> None:
    counts = Counter((name, found.outcome) for name, _, found in findings)
    width = max(len(name) for name in ("notebook", *(run.notebook.name for run in done)))
    print(f"{'notebook':{width}}  {'  '.join(values.OUTCOMES)}")
    for name in (run.notebook.name for run in done):
        row = "  ".join(f"{counts[name, outcome] or '-':>{len(outcome)}}" for outcome in values.OUTCOMES)
        print(f"{name:{width}}  {FAILED if counts[name, FAILED] else row}")
    off = [each for each in findings if not each.comparison.fine]
    files = [each for each in off if each.file]
    if files:
        print("\nNot the same:")
    for each in files[:SHOWN]:
        print(f"  {each.comparison.outcome:9} {each.file}  {each.comparison.detail}".rstrip())
    if len(files) > SHOWN:
        print(f"  ... and {len(files) - SHOWN} more in {shown(REPORT)}")
    failed = jobs.print_problems(done)
    for name in dict.fromkeys(each.notebook for each in off):
        for file in _changed_inputs(name):
            print(f"  {name}: its input {file} has changed since the committed figures were made")
    print("", *stay, sep="\n" if stay else "")
    reused = sum(bool(run.reused) for run in done)
    ran = f"{len(done) - reused - failed} run, {reused} as before, {failed} failed, {len(stay)} kept"
    total = Counter(found.outcome for *_, found in findings)
    said = ", ".join(f"{total[outcome]} {outcome}" for outcome in values.OUTCOMES if total[outcome])
    print(
        f"{ran}. {said or 'No file was verified'}. "
        f"Tolerance: relative {tolerance:g} a number, {values.LEVELS} of 255 levels a pixel."
    )
    print(f"Each file: {shown(REPORT)}" + _uncommitted())


def _changed_inputs(notebook: str) -> list[str]:
    """The files that the records of a notebook's committed figures and tables name, and whose bytes are others now."""
    own = [record for record in receipts.records().values() if record["code"]["notebook"] == notebook]
    named = {each["path"]: each["sha256"] for record in own for each in record.get("inputs", [])}
    now = receipts.digests(ROOT / path for path in named if ": " not in path)  # else a log, by its source at a commit
    return [path for path in now if now[path] != named[path]]


def _uncommitted() -> str:
    """A warning where figures/ is not what git holds."""
    try:
        other = [path for path in git.changed() if path.startswith(f"{COMMITTED.name}/")]
    except WorkflowError:
        return "\nThis is no git repository: compared with figures/ as it lies here."
    return f"\n{len(other)} files of figures/ are not as git holds them: compared with those here." if other else ""


if __name__ == "__main__":
    sys.exit(main())
