"""Run the notebooks again into build/verify/ and say how each figure and table differs from the one in figures/.

    python -m proctor.workflow.verify [--notebook uq/6_agreement] [--tolerance 1e-6] [--again]      # or: make verify

Every file that the committed figures/ hold of a notebook, and every one that it leaves now, is compared (see
values.py). What ran before and whose inputs are the same is not run again, only compared. build/verify/report.csv has
a row for each file.

Exit codes: 0 all is the same or within the tolerance, 1 something differs, a notebook failed or no file could be
verified, 2 bad input.
"""

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from proctor.files import harmless, write_atomic
from proctor.paths import BUILD, COMMITTED
from proctor.report.provenance import relative
from proctor.workflow import git, params, receipts, rerun, values
from proctor.workflow.depends import changed_inputs
from proctor.workflow.notebook import WorkflowError, all_notebooks, chosen
from proctor.workflow.reproduce import lock

PLACE = BUILD / "verify"
REPORT = PLACE / "report.csv"
SHOWN = 40  # files that differ, on the terminal; the report has all
COLUMNS = ("notebook", "file", "outcome", "changed", "of", "relative", "where", "before", "after", "note")


class Finding(NamedTuple):
    """One file of a notebook: how the new one differs from the committed one."""

    notebook: str
    file: str
    comparison: values.Comparison


def main(arguments: list[str] | None = None) -> int:
    parser = rerun.options("python -m proctor.workflow.verify", __doc__.splitlines()[0])
    parser.add_argument(
        "--tolerance",
        type=float,
        default=values.TOLERANCE,
        help=f"relative, of two numbers (default {values.TOLERANCE:g})",
    )
    rerun.add_notebook_option(parser)
    options = rerun.parse(parser, arguments)
    how = (options.jobs, options.again, options.cell_timeout, options.snakemake)
    return rerun.exit_code(lambda: verify(options.notebook, options.tolerance, *how))


def verify(
    only: Sequence[str] = (),
    tolerance: float = values.TOLERANCE,
    jobs: int = 1,
    again: bool = False,
    cell_timeout: float | None = None,
    snakemake: Sequence[str] = (),
) -> int:
    """Run, compare, print and write the report; the exit code. only: names of notebooks, none for all.

    Raises WorkflowError before anything runs."""
    if not 0 <= tolerance < 1:
        raise WorkflowError(f"--tolerance {tolerance:g}: give a relative difference from 0 to below 1")
    every = all_notebooks()
    running, stay = rerun.split_kept(chosen(only, every))
    todo = rerun.jobs_in(PLACE, running, params.resolve(every))
    held = lock()  # noqa: F841  held until this function ends
    done = rerun.told(rerun.rerun(todo, jobs, again, cell_timeout, snakemake), len(todo), "verify")
    committed = {each.notebook.name: list[Path]() for each in done}
    for artifact, record in receipts.records().items():
        if (name := record["code"]["notebook"]) in committed:
            place = COMMITTED / artifact
            committed[name] += [path for path in place.parent.iterdir() if path.stem == place.name]
    findings = [
        found for each in done if not each.problem for found in compare(each, committed[each.notebook.name], tolerance)
    ]
    write_atomic(REPORT, _report(findings, done))
    _tell(findings, done, stay, tolerance)
    bad = any(not each.comparison.fine for each in findings) or any(each.problem for each in done)
    return 1 if bad or not findings else 0


def compare(done: rerun.Rerun, committed: Iterable[Path], tolerance: float = values.TOLERANCE) -> list[Finding]:
    """How each file of the run differs from the committed ones of that notebook, by name."""
    old = {path.relative_to(COMMITTED).as_posix(): path for path in committed}
    new = done.files()
    findings = []
    for file in sorted({*old, *new}):
        before, after = (each[file].read_bytes() if file in each else None for each in (old, new))
        findings.append(Finding(done.notebook.name, file, values.compare(file, before, after, tolerance)))
    return findings


def _report(findings: Sequence[Finding], done: Sequence[rerun.Rerun]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in findings:
        found = each.comparison
        numbers = (found.changed, found.of, f"{found.relative:.6g}")
        writer.writerow((each.notebook, each.file, found.outcome, *numbers, *map(harmless, found[4:])))
    for run in done:
        if run.problem:
            writer.writerow((run.notebook.name, "", "failed", 0, 0, 0, "", "", "", run.problem))
    return text.getvalue()


def _tell(findings: Sequence[Finding], done: Sequence[rerun.Rerun], stay: Sequence[str], tolerance: float) -> None:
    counts = {each.notebook.name: Counter[str]() for each in done}
    for each in findings:
        counts[each.notebook][each.comparison.outcome] += 1
    width = max([len(name) for name in counts] + [8])
    print(f"{'notebook':{width}}  {'  '.join(values.OUTCOMES)}")
    for run in done:
        name = run.notebook.name
        row = "  ".join(f"{counts[name][outcome] or '-':>{len(outcome)}}" for outcome in values.OUTCOMES)
        print(f"{name:{width}}  {'failed' if run.problem else row}")
    off = [each for each in findings if not each.comparison.fine]
    if off:
        print("\nNot the same:")
    for each in off[:SHOWN]:
        print(f"  {each.comparison.outcome:9} {each.file}  {each.comparison.detail}".rstrip())
    if len(off) > SHOWN:
        print(f"  ... and {len(off) - SHOWN} more in {relative(REPORT)}")
    for run in done:
        if run.problem:
            print(f"\n{run.problem}", file=sys.stderr)
    for name in dict.fromkeys([run.notebook.name for run in done if run.problem] + [each.notebook for each in off]):
        for file in changed_inputs(name):
            print(f"  {name}: its input {file} has changed since the committed figures were made")
    print("", *stay, sep="\n" if stay else "")
    failed = sum(bool(run.problem) for run in done)
    reused = sum(run.reused for run in done)
    ran = f"{len(done) - reused - failed} run, {reused} as before, {failed} failed, {len(stay)} kept"
    total = Counter(each.comparison.outcome for each in findings)
    files = ", ".join(f"{total[outcome]} {outcome}" for outcome in values.OUTCOMES if total[outcome])
    files = files or "No file was verified"
    print(f"{ran}. {files}. Tolerance: relative {tolerance:g} a number, {values.LEVELS} of 255 levels a pixel.")
    print(f"Each file: {relative(REPORT)}" + _uncommitted())


def _uncommitted() -> str:
    """A warning where figures/ is not what git holds."""
    try:
        other = [path for path in git.changed() if path.startswith(f"{COMMITTED.name}/")]
    except WorkflowError:
        return "\nThis is no git repository: compared with figures/ as it lies here."
    return f"\n{len(other)} files of figures/ are not as git holds them: compared with those here." if other else ""


if __name__ == "__main__":
    sys.exit(main())
