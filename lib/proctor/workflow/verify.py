"""Run the notebooks again and say how what they leave differs from what is committed in figures/.

    python -m proctor.workflow.verify [--notebook uq/6_agreement] [--tolerance 1e-6] [--again]      # or: make verify
    python -m proctor.workflow.verify --seed 7 [--notebook uq/6_agreement] [--tolerance 1]          # or: make seeds

Every file that the committed figures/ hold of a notebook, and every one that it leaves now, is compared (see
values.py). build/verify/report.csv has a row for each file.

With --seed every notebook with a parameter `seed` runs with that one, all else at the defaults, and its claims are
compared: which verdicts flip and how far estimates move. An estimate may move by the tolerance, in widths of its
committed interval. At a tolerance of one width an estimate that is simulated anew, with 95 % intervals of equal width,
passes in 99.4 % of cases: the difference of two such has a standard deviation of 0.36 widths.
build/seeds/<seed>/report.csv has a row for each claim.

What ran before and whose inputs are the same is not run again, only compared. Exit codes: 0 all is the same or within
the tolerance, 1 something differs, a notebook failed or no file could be verified, 2 bad input.
"""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from proctor.paths import BUILD, COMMITTED, ROOT
from proctor.report.claims import read_claims
from proctor.report.provenance import relative
from proctor.workflow import git, params, receipts, values
from proctor.workflow.command_line import exit_code, jobs_parser, parse_jobs
from proctor.workflow.jobs import Job, job_in, lock, print_problems, run_reported, split_kept, write_report
from proctor.workflow.notebook import WorkflowError, all_notebooks, chosen

PLACE, SEEDS = BUILD / "verify", BUILD / "seeds"
REPORT = PLACE / "report.csv"
FAILED = "failed"
SHOWN = 40  # files that differ, on the terminal; the report has all
SEED, WIDTHS = 1, 1.0  # another seed, and the widths by which an estimate may move
COLUMNS = ("notebook", "file", "outcome", "changed", "of", "relative", "where", "before", "after", "note")
CLAIM_COLUMNS = ("notebook", "claim", "kind", "verdict", "verdict_now", "estimate", "estimate_now", "shift", "limits")


class Finding(NamedTuple):
    """How one file of a notebook differs from the committed one; of a notebook that failed, why, in place of a file."""

    notebook: str
    file: str
    comparison: values.Comparison


def main(arguments: list[str] | None = None) -> int:
    parser = jobs_parser("python -m proctor.workflow.verify", __doc__.splitlines()[0], "--again", "--notebook")
    parser.add_argument(
        "--seed", type=int, nargs="?", const=SEED, help=f"another seed (default {SEED}): compare claims"
    )
    about = f"relative, of two numbers (default {values.TOLERANCE:g}); with --seed in widths of an estimate's interval"
    parser.add_argument("--tolerance", type=float, help=f"{about} (default {WIDTHS:g})")
    options, how = parse_jobs(parser, arguments)
    if options.seed is None:
        return exit_code(partial(verify, options.notebook, options.tolerance, how))
    return exit_code(partial(seeds, options.seed, options.notebook, options.tolerance, how))


def verify(only: Sequence[str], tolerance: float | None, how: Mapping[str, Any]) -> int:
    """Run, compare, print and write the report; the exit code. only: names of notebooks, none for all. how: as
    `run_jobs` takes it.

    Raises WorkflowError before anything runs."""
    tolerance = values.TOLERANCE if tolerance is None else tolerance
    if not 0 <= tolerance < 1:
        raise WorkflowError(f"--tolerance {tolerance:g}: give a relative difference from 0 to below 1")
    every = all_notebooks()
    running, stay = split_kept(chosen(only, every))
    given = params.resolve(every)
    todo = [job_in(PLACE / each.name, each, given[each.name]) for each in running]
    held = lock()  # noqa: F841  held until this function ends
    done = run_reported(todo, how, "verify")
    makers = {artifact: record["code"]["notebook"] for artifact, record in receipts.records().items()}
    committed: dict[str | None, dict[str, Path]] = defaultdict(dict)
    for path in COMMITTED.glob("*/*"):
        committed[makers.get(f"{path.parent.name}/{path.stem}")][path.relative_to(COMMITTED).as_posix()] = path
    findings = [found for job in done for found in _compare(job, committed[job.notebook.name], tolerance)]
    rows = [(name, file, *found[:3], f"{found.relative:.6g}", *found[4:]) for name, file, found in findings]
    write_report(REPORT, COLUMNS, rows)
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
        print(f"  ... and {len(files) - SHOWN} more in {relative(REPORT)}")
    failed = print_problems(done)
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
    print(f"Each file: {relative(REPORT)}" + _uncommitted())


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


def seeds(seed: int, only: Sequence[str], tolerance: float | None, how: Mapping[str, Any]) -> int:
    """Run with the seed, compare claims, print and write the report; the exit code. Raises WorkflowError."""
    tolerance = WIDTHS if tolerance is None else tolerance
    if not tolerance >= 0:
        raise WorkflowError(f"--tolerance {tolerance:g}: give widths of an interval, 0 or more")
    every = all_notebooks()
    seeded = {notebook.name for notebook in every if "seed" in params.declared(notebook)}
    running, stay = split_kept(chosen(only, every))
    without = [notebook.name for notebook in running if notebook.name not in seeded]
    running = [notebook for notebook in running if notebook.name in seeded]
    if usual := [each.name for each in running if params.declared(each)["seed"].default == seed]:
        raise WorkflowError(f"--seed {seed}: that is the default of {', '.join(usual[:3])}; give another one")
    given = params.resolve(every, overrides={name: {"seed": seed} for name in sorted(seeded)})
    held = lock()  # noqa: F841  held until this function ends
    place = SEEDS / str(seed)
    todo = [job_in(place / each.name, each, given[each.name]) for each in running]
    done = run_reported(todo, how, f"seed {seed}")
    committed, changes = read_claims(COMMITTED), dict[str, list[values.ClaimChange]]()
    for name, job in {each.notebook.name: each for each in done if not each.problem}.items():
        own = (claim for claim in committed if claim.notebook == name)
        changes[name] = values.claim_changes(own, read_claims(job.figures))
    rows = [(name, *change.row()) for name, found in changes.items() for change in found]
    write_report(place / "report.csv", CLAIM_COLUMNS, rows)
    same = _tell_claims([change for found in changes.values() for change in found], done, seed, tolerance)
    print("", *(f"  no seed   {name}" for name in without), *stay, sep="\n" if without or stay else "")
    print(f"Each claim: {relative(place / 'report.csv')}")
    return 0 if same and not any(each.problem for each in done) else 1


def _tell_claims(changes: Sequence[values.ClaimChange], done: Sequence[Job], seed: int, tolerance: float) -> bool:
    """Say what the seed changes; True where no verdict flips, no estimate moves too far and no claim is lost."""
    both = [change for change in changes if change.before and change.after]
    far = [change for change in both if change.shift is not None and change.shift > tolerance]
    off = [change for change in changes if change.kind in ("verdict", "added", "removed") or change in far]
    print("", *values.claim_tables(off), sep="\n")
    failed = print_problems(done)
    print(f"Seed {seed}: {len(done) - failed} run, {failed} failed; {len(both)} claims.")
    if both:
        same = sum(change.kind != "verdict" for change in both)
        print(f"The same verdict: {same} of {len(both)} ({100 * same / len(both):.1f} %).")
    if shifts := sorted(change.shift for change in both if change.shift is not None and math.isfinite(change.shift)):
        print(
            f"Estimates: {sum(shift > 0 for shift in shifts)} of {len(shifts)} moved; the median by "
            f"{shifts[len(shifts) // 2]:.2g} widths of its interval, the largest by {shifts[-1]:.2g}. "
            f"By more than {tolerance:g}, the tolerance: {len(far)}."
        )
    return not off


if __name__ == "__main__":
    sys.exit(main())
