"""Run notebooks over a grid of seeds, models and parameters, a job each combination, into one table of their claims.

    python -m proctor sweep uq/6_agreement --seed 1 2 3 -p resamples 500 2000 --jobs 2
    python -m proctor sweep uq/6_agreement -p mode auto -p models "[a]" "[b]" --plan   # how many jobs, what they ask
    python -m proctor sweep uq/6_agreement --seed 1 2 3 -- --profile params/cluster/slurm        # on a cluster

Values are read as YAML; what is not given stays at the defaults. A combination that ran with the same inputs is not run
again. build/sweeps/<notebooks>/results.csv has a row for each combination and claim.

Exit codes: 0 every combination ran, 1 one failed, 2 bad input (nothing was run).
"""

import argparse
import hashlib
import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from proctor import program
from proctor.paths import BUILD
from proctor.report.claims import read_claims
from proctor.workflow import asking, params, receipts
from proctor.workflow.jobs import Job, exit_code, job_in, jobs_parser, lock, parse_jobs, run_jobs, write_report
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, chosen, shown

if TYPE_CHECKING:
    import pandas as pd

SWEEPS = BUILD / "sweeps"
FIXED = ("claim", "sentence", "evidence", "estimate", "low", "high", "n", "of", "unit", "verdict", "problem", "folder")
SHOWN = 20  # claims on the terminal; the file has all


def main(arguments: list[str] | None = None) -> int:
    parser = jobs_parser(f"{program()} sweep", __doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="such as uq/6_agreement; none: all that have the parameters")
    parser.add_argument("--seed", type=int, nargs="+", default=[], help="values of the parameter `seed`")
    parser.add_argument(
        "-p",
        nargs="+",
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        dest="varied",
        help='values of one parameter, as in YAML, a list as "[a, b]"; may be repeated',
    )
    parser.add_argument("--plan", action="store_true", help="say how many jobs, what they ask and cost, and stop")
    asking.add_budget_options(parser, "all jobs together")
    options, how = parse_jobs(parser, arguments)

    def work() -> int:
        with lock():
            return sweep(options, how)

    return exit_code(work)


def sweep(options: argparse.Namespace, how: Mapping[str, Any]) -> int:
    """Run the combinations, write and print their results; the exit code. how: as `run_jobs` takes it.

    Raises WorkflowError before any runs."""
    every, grid, budget = all_notebooks(), grid_of(options.varied, options.seed), asking.budget_of(options)
    notebooks = swept(options.notebooks, grid, every)
    name = "-".join(each.name.replace("/", "-") for each in notebooks) if options.notebooks else "all"
    place = SWEEPS / name[:100]
    jobs = jobs_of(notebooks, grid, place, every)
    environment = budget.environment if budget else {}
    todo = [job.looked_at()._replace(environment=environment) for job in jobs]
    ran = [job for job in todo if job.reused and not how["again"]]
    late = [job for job in todo if job not in ran]
    print(f"{_count(len(jobs), 'job')}: {len(late)} to run, {len(ran)} ran before with the same inputs", flush=True)
    asks = {job.name for job in todo if asking.asks(job.notebook, job.values)}
    if budget and not asks:
        raise WorkflowError("--budget and --max-calls bound what models are asked, and nothing is: add -p mode auto")
    if to_plan := [job for job in late if job.name in asks]:
        bill = asking.show_bill(to_plan, how, "job")
        if not options.plan:
            asking.refuse(*bill, budget)
    if options.plan:
        return 0
    done = {job.name: job for job in run_jobs(todo, "sweep", "job", **how)}
    runs = [done[job.name] for job in jobs]
    table = claims_of(runs, list(grid), place)
    write_report(place / "results.csv", table)
    _tell(table, runs, place)
    return 1 if any(job.problem for job in runs) else 0


def grid_of(varied: Sequence[Sequence[str]], seeds: Sequence[int] = ()) -> dict[str, list[Any]]:
    """{parameter: its different values} of the command line. Raises WorkflowError."""
    grid: dict[str, list[Any]] = {"seed": list(seeds)} if seeds else {}
    for name, *texts in varied:
        if not texts or name in grid:
            what = "is given twice" if texts else "has no values"
            raise WorkflowError(f"-p {name} {what}; write -p {name} VALUE VALUE ... once")
        grid[name] = [params.read_overrides([(name, text)])[name] for text in texts]
    return {name: list({_text(value): value for value in values}.values()) for name, values in grid.items()}


def swept(names: Sequence[str], grid: Mapping[str, Any], every: Sequence[Notebook]) -> list[Notebook]:
    """The notebooks that are named, else all that can run and have the parameters. Raises WorkflowError."""
    found = [each for each in every if grid.keys() <= params.declared(each).keys() and not each.missing_logs()]
    if not names and (not grid or not found):
        raise WorkflowError("which notebooks? Name them: sweep uq/6_agreement --seed 1 2; `proctor run` lists them")
    if not grid:
        raise WorkflowError(f"nothing varies in {', '.join(names)}: give --seed or -p NAME VALUE ...")
    return chosen(names, every) if names else found


def jobs_of(
    notebooks: Sequence[Notebook], grid: Mapping[str, list[Any]], place: Path, every: Sequence[Notebook]
) -> list[Job]:
    """A job for each combination. every: all notebooks of the repository.

    Raises WorkflowError for notebooks that can't run here, and for each value that does not fit its parameter.
    """
    problems, jobs = [], []
    for notebook in notebooks:
        if notebook.missing_logs():
            problems.append(f"{notebook.name} can't run: {receipts.how_to_get(notebook)}")
        for values in itertools.product(*grid.values()):
            point = dict(zip(grid, values))
            label = " ".join([notebook.name, *(f"{parameter}={_text(value)}" for parameter, value in point.items())])
            try:
                given = params.resolve(every, overrides={notebook.name: point})[notebook.name]
                jobs.append(job_in(place / notebook.name / _slug(point), notebook, given, label))
            except params.ParameterError as error:
                problems += str(error).splitlines()
    if problems:
        raise WorkflowError("\n".join(dict.fromkeys(problems)))
    return jobs


def claims_of(runs: Sequence[Job], names: Sequence[str], place: Path) -> "pd.DataFrame":
    """A row for each combination and claim, one for a combination that failed."""
    import pandas as pd

    heads = {name: f"{name} (parameter)" if name in ("notebook", *FIXED) else name for name in names}
    rows: list[dict[str, Any]] = []
    for job in runs:
        own = {"notebook": job.notebook.name} | {heads[name]: _text(job.values[name]) for name in names}
        own["folder"] = job.figures.parent.relative_to(place).as_posix()
        for claim in [] if job.problem else read_claims(job.figures):
            rows.append(own | {name: getattr(claim, name) for name in FIXED[1:10]} | {"claim": claim.id})
        if job.problem:
            rows.append(own | {"problem": job.problem})
    table = pd.DataFrame(rows, columns=["notebook", *heads.values(), *FIXED], dtype=object)
    return table.where(table.notna(), None)


def changes_by(own: "pd.DataFrame", names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """{parameter: (changed, compared)} of the rows of one claim: of the groups of combinations that differ in this
    parameter alone, how many have more than one verdict."""
    found = {}
    for name in names:
        others = [other for other in names if other != name]
        groups = own.groupby(others or (lambda _: 0))["verdict"].agg(["size", "nunique"]).query("size > 1")
        found[name] = int((groups["nunique"] > 1).sum()), len(groups)
    return found


def _tell(table: "pd.DataFrame", jobs: Sequence[Job], place: Path) -> None:
    failed = [job for job in jobs if job.problem]
    for job in failed:
        print(f"\n{job.name}\n{job.problem}", file=sys.stderr)
    claims = table.dropna(subset="claim").groupby(["notebook", "claim"], sort=False)
    several = claims[["verdict", "estimate", "low", "high"]].nunique(dropna=False) > 1
    changed, moved = several.index[several["verdict"]], several.index[several["estimate"]]
    limits = (several["low"] | several["high"]) & ~several["estimate"]
    print(f"\n{_count(len(jobs), 'combination')}, {len(failed)} failed. ", end="")
    print(f"{_count(len(several), 'claim')}, {len(changed)} with more than one verdict over the grid.")
    for key in changed[:SHOWN]:
        own = claims.get_group(key)
        print(f"  {key[1]}  {own['sentence'].iloc[0]}")
        by = {name: counts for name, counts in changes_by(own, list(own)[1 : -len(FIXED)]).items() if counts[0]}
        if not by:
            print(f"    {_counted(own['verdict'])}; changes with several parameters at once")
        for head, (changes, of) in by.items():
            values = "; ".join(f"{value}: {_counted(same)}" for value, same in own.groupby(head, sort=False)["verdict"])
            name = head.removesuffix(" (parameter)")
            print(f"    changes with {name} in {changes} of {_count(of, 'comparison')}: {values}")
    if len(moved):
        print(f"Estimates that move ({len(moved)}), from the lowest to the highest:")
    for key in moved[:SHOWN]:
        own = claims.get_group(key)
        unit = f" {own['unit'].iloc[0]}" if own["unit"].iloc[0] else ""
        print(f"  {key[1]}  {own['estimate'].min():.4g} to {own['estimate'].max():.4g}{unit}")
    if max(len(changed), len(moved)) > SHOWN:
        print(f"  ... and more: the {SHOWN} first are shown")
    print(f"Only the interval moves: {limits.sum()}. Nothing moves: {len(several) - len(moved) - limits.sum()}.")
    print(f"Each combination and claim: {shown(place / 'results.csv')}")


def _counted(verdicts: Iterable[str]) -> str:
    return ", ".join(f"{verdict} {n}" for verdict, n in Counter(verdicts).most_common())


def _text(value: Any) -> str:
    """A value as it would be given again, in YAML on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6)
    return text.removesuffix("...\n").strip()


def _slug(point: Mapping[str, Any]) -> str:
    """A folder's name for the combination: "resamples=500,seed=1", with a digest where a value is no plain word."""
    parts = [f"{name}={_text(value)}" for name, value in sorted(point.items())]
    name = ",".join(parts)
    if all(re.fullmatch(r"[\w.+=-]+", part, re.ASCII) for part in parts) and len(name) <= 100:
        return name
    return f"{re.sub(r'[^A-Za-z0-9_.+=,-]+', '-', name)[:80]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main())
