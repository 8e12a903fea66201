"""Run the notebooks with another seed into build/seeds/ and say which verdicts flip and how far estimates move.

    python -m proctor.workflow.seeds [--seed 1] [--notebook uq/6_agreement] [--again]      # or: make seeds

Every notebook with a parameter `seed` runs with that seed, all else at the defaults; its claims are compared with the
committed ones. An estimate may move by the tolerance, in widths of its committed interval. At a tolerance of one width
an estimate that is simulated anew, with 95 % intervals of equal width, passes in 99.4 % of cases: the difference of
two such has a standard deviation of 0.36 widths. What ran before with this seed and the same inputs is not run again.
build/seeds/<seed>/report.csv has a row for each claim.

Exit codes: 0 every verdict is the same and every estimate within the tolerance, 1 else, 2 bad input.
"""

import csv
import io
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from proctor.files import write_atomic
from proctor.paths import BUILD, COMMITTED
from proctor.report.claims import Claim, read_claims
from proctor.report.provenance import relative
from proctor.workflow import params, rerun, values
from proctor.workflow.notebook import WorkflowError, all_notebooks, chosen
from proctor.workflow.reproduce import lock

PLACE = BUILD / "seeds"
SEED, TOLERANCE = 1, 1.0
COLUMNS = ("notebook", "claim", "kind", "verdict", "verdict_now", "estimate", "estimate_now", "shift", "limits")


class Summary(NamedTuple):
    """What another seed changes. flips: another verdict. far: an estimate that moved further than the tolerance.
    lost: claims that only one of both runs makes. shifts: of all claims with an estimate and a width, sorted."""

    claims: int
    flips: list[values.ClaimChange]
    far: list[values.ClaimChange]
    lost: list[values.ClaimChange]
    shifts: list[float]

    @property
    def same(self) -> float:
        """Share of claims that both runs make whose verdict is the same; NaN where there are none."""
        return 1 - len(self.flips) / self.claims if self.claims else float("nan")


def main(arguments: list[str] | None = None) -> int:
    parser = rerun.options("python -m proctor.workflow.seeds", __doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED, help=f"default {SEED}")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        help=f"of an estimate, in widths of its interval (default {TOLERANCE:g})",
    )
    rerun.add_notebook_option(parser)
    options = rerun.parse(parser, arguments)
    how = (options.jobs, options.again, options.cell_timeout, options.snakemake)
    return rerun.exit_code(lambda: seeds(options.seed, options.notebook, options.tolerance, *how))


def seeds(
    seed: int = SEED,
    only: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    jobs: int = 1,
    again: bool = False,
    cell_timeout: float | None = None,
    snakemake: Sequence[str] = (),
) -> int:
    """Run with the seed, compare claims, print and write the report; the exit code. Raises WorkflowError."""
    if not tolerance >= 0:
        raise WorkflowError(f"--tolerance {tolerance:g}: give widths of an interval, 0 or more")
    every = all_notebooks()
    seeded = {notebook.name for notebook in every if "seed" in params.declared(notebook)}
    running, stay = rerun.split_kept(chosen(only, every))
    without = [notebook.name for notebook in running if notebook.name not in seeded]
    running = [notebook for notebook in running if notebook.name in seeded]
    if usual := [each.name for each in running if params.declared(each)["seed"].default == seed]:
        raise WorkflowError(f"--seed {seed}: that is the default of {', '.join(usual[:3])}; give another one")
    given = params.resolve(every, overrides={name: {"seed": seed} for name in sorted(seeded)})
    held = lock()  # noqa: F841  held until this function ends
    place = PLACE / str(seed)
    todo = rerun.jobs_in(place, running, given)
    done = rerun.told(rerun.rerun(todo, jobs, again, cell_timeout, snakemake), len(todo), f"seed {seed}")
    committed: dict[str, list[Claim]] = {each.notebook.name: [] for each in done}
    for claim in read_claims(COMMITTED):
        if claim.notebook in committed:
            committed[claim.notebook].append(claim)
    changes = {
        each.notebook.name: values.claim_changes(committed[each.notebook.name], read_claims(each.figures))
        for each in done
        if not each.problem
    }
    summary = summarize((change for found in changes.values() for change in found), tolerance)
    write_atomic(place / "report.csv", _report(changes))
    _tell(summary, done, seed, tolerance)
    print("", *(f"  no seed   {name}" for name in without), *stay, sep="\n" if without or stay else "")
    print(f"Each claim: {relative(place / 'report.csv')}")
    return 1 if summary.flips or summary.far or summary.lost or any(each.problem for each in done) else 0


def summarize(changes: Iterable[values.ClaimChange], tolerance: float = TOLERANCE) -> Summary:
    """Count what another seed changes. tolerance: in widths of the interval before."""
    every = list(changes)
    both = [change for change in every if change.before and change.after]
    return Summary(
        len(both),
        [change for change in both if change.kind == "verdict"],
        [change for change in both if change.shift is not None and change.shift > tolerance],
        [change for change in every if change.kind in ("added", "removed")],
        sorted(change.shift for change in both if change.shift is not None and math.isfinite(change.shift)),
    )


def _report(changes: Mapping[str, Sequence[values.ClaimChange]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for notebook, found in changes.items():
        for change in found:
            pair = change.before, change.after
            verdicts = [claim.verdict if claim else "" for claim in pair]
            estimates = [claim.estimate if claim else None for claim in pair]
            cells = ("" if number is None else f"{number:.12g}" for number in (*estimates, change.shift, change.limits))
            writer.writerow((notebook, change.id, change.kind, *verdicts, *cells))
    return text.getvalue()


def _tell(summary: Summary, done: Sequence[rerun.Rerun], seed: int, tolerance: float) -> None:
    for heading, found in (
        ("Another verdict:", summary.flips),
        (f"Moved by more than {tolerance:g} widths:", [change for change in summary.far if change.kind != "verdict"]),
        ("Made by one of both runs alone:", summary.lost),
    ):
        if found:
            print(f"\n{heading}")
        for change in found:
            print(f"  {change.id}  {_said(change.before)} -> {_said(change.after)}")
    for run in done:
        if run.problem:
            print(f"\n{run.problem}", file=sys.stderr)
    failed = sum(bool(run.problem) for run in done)
    print(f"\nSeed {seed}: {len(done) - failed} run, {failed} failed; {summary.claims} claims.")
    if summary.claims:
        same = summary.claims - len(summary.flips)
        print(f"The same verdict: {same} of {summary.claims} ({100 * summary.same:.1f} %).")
    if summary.shifts:
        moved = sum(shift > 0 for shift in summary.shifts)
        middle, most = summary.shifts[len(summary.shifts) // 2], summary.shifts[-1]
        print(
            f"Estimates: {moved} of {len(summary.shifts)} moved; the median by {middle:.2g} widths of its interval, "
            f"the largest by {most:.2g}. By more than {tolerance:g}, the tolerance: {len(summary.far)}."
        )


def _said(claim: Claim | None) -> str:
    return f"{claim.verdict}, {claim.numbers}" if claim else "(none)"


if __name__ == "__main__":
    sys.exit(main())
