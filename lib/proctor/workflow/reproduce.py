"""Bring every notebook's results up to date: what changed runs again, what did not is left alone.

    python -m proctor.workflow.reproduce [--params params/quick.yaml] [-p NAME VALUE] [--jobs 2] [-- SNAKEMAKE OPTIONS]

What changed is found by content (see receipts.py). Figures go to figures/ at the default parameters, and previews/ is
written from them; else they go to build/figures/.

Exit codes: 0 all is up to date, 1 a notebook failed or left out a promised file, 2 bad input (nothing was run).
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from proctor.paths import COMMITTED, ROOT, runs_of
from proctor.report import catalog
from proctor.workflow import receipts
from proctor.workflow.command_line import add_budget_options, budget_of, exit_code, jobs_parser, parse_jobs
from proctor.workflow.jobs import Job, ReadOnly, jobs_of, keep, lock, print_problems, run_jobs, split_kept
from proctor.workflow.notebook import Notebook, all_notebooks, chosen, shown

if TYPE_CHECKING:
    from proctor.models.spending import Budget


def main(arguments: list[str] | None = None) -> int:
    about = "python -m proctor.workflow.reproduce", __doc__.splitlines()[0]
    parser = jobs_parser(*about, "--params", "-p", "--notebook", jobs=2)
    add_budget_options(parser, "all notebooks together")
    given, how = parse_jobs(parser, arguments)
    return exit_code(lambda: reproduce(given.params.resolve(), given.overrides, given.notebook, how, budget_of(given)))


def reproduce(
    profile: Path,
    overrides: Sequence[tuple[str, str]],
    only: Sequence[str],
    how: Mapping[str, Any],
    budget: "Budget | None" = None,
) -> int:
    """Run what is not up to date. Returns the exit code; raises WorkflowError before anything runs.

    only: names of notebooks, none for all. how: as `run_jobs` takes it. budget: of what all notebooks together ask;
    one that asks alone shows its own plan.
    """
    os.chdir(ROOT)
    held: TextIO | ReadOnly
    try:
        held = lock()  # until this function ends
    except ReadOnly as error:  # what is up to date needs no writing
        held = error
    from proctor.workflow import params  # pydantic: not for --help

    notebooks = all_notebooks()
    asked_for = chosen(only, notebooks)
    values = params.resolve(notebooks, profile, {"all": params.read_overrides(overrides)})
    figures = params.figures_folder(profile, overrides)
    jobs = {job.name: job for job in jobs_of(notebooks, values, figures)}
    done, succeeded = all(job.reused for job in jobs.values()), True
    stay = split_kept(asked_for)[1]
    if not done:
        if isinstance(held, ReadOnly):
            raise held
        if budget:
            budget.keep()  # for the kernels
        before = {each.name: receipts.reads_results_of(each) for each in notebooks}
        wanted = [each.name for each in asked_for]
        for name in wanted:  # grows while it is read
            wanted += [other for other in before[name] if other not in wanted]
        succeeded = _run([jobs[name] for name in wanted], before, figures, how, stay)
    lacking = _lacking(catalog.read(), notebooks, figures, [each.name for each in asked_for] if only else None)
    for line in lacking:
        print(line, file=sys.stderr)
    if not succeeded or lacking:
        return 1
    pages = 0
    if figures == COMMITTED:
        from proctor.report import preview  # here, not above: it imports pandas

        pages = preview.write()
    if done:
        what = f"run: {pages} previews written anew" if pages else "do: everything is up to date"
        print(f"Nothing to {what}.", *stay, sep="\n")
    return 0


def _run(
    jobs: Sequence[Job], before: Mapping[str, Sequence[str]], figures: Path, how: Mapping[str, Any], stay: Sequence[str]
) -> bool:
    """Run those of the jobs that are not up to date, report what happens, and return whether all went well.

    before: {name: those whose results it reads}. stay: a line about each kept one."""
    start, ran = time.monotonic(), []
    for job in jobs:
        if job.notebook.missing_logs() and not job.reused:
            keep(job)
    running = [job for job in jobs if not job.notebook.missing_logs()]
    _refuse_costs([job for job in running if not job.reused], how)
    with closing(run_jobs(running, **how, before=before, say=_say)) as ended:
        for job in ended:
            if not job.reused:
                ran.append(job)
                seconds = f"  {job.seconds:.1f} s" if job.seconds is not None else ""
                _say(f"  {'FAILED' if job.problem else 'finished':9} {job.name}{seconds}")
    _say("\n".join(stay), end="\n" * bool(stay))
    failed = [job for job in ran if job.problem]
    if ran:
        counts = f"{len(ran)} run, {len(failed)} failed" + (f", {len(stay)} kept" if stay else "")
        print(
            f"{counts}, in {time.monotonic() - start:.0f} s. "
            f"Figures and tables: {shown(figures)}/. Executed copies: {shown(runs_of(figures))}/notebooks/."
        )
    else:
        print("Nothing to run: what changed concerns none of these notebooks.")
    return not print_problems(ran)


def _refuse_costs(late: Sequence[Job], how: Mapping[str, Any]) -> None:
    """Where several that are to run name models that cost: plan all of them. Raises WorkflowError, before anything is
    asked, where that passes the budget or there is none."""
    from proctor.workflow import asking  # here, not above: it knows models

    costly = [job for job in late if asking.may_cost(job.notebook, job.values)]
    if len(costly) < 2:
        return
    bill = asking.planned(costly, how)
    for problem in bill.problems:
        print(f"not in the plan:\n{problem}", file=sys.stderr)
    bill.show("notebook")
    bill.refuse(None)


def _say(text: str, end: str = "\n") -> None:
    print(text, end=end, flush=True)


def _lacking(
    rows: Sequence[catalog.Row], notebooks: Sequence[Notebook], figures: Path, only: Sequence[str] | None = None
) -> list[str]:
    """What the catalog promises and is not there, although its notebook ran to its end or is kept; a line each.

    only: names of the notebooks that were asked for, None for all."""
    known = {notebook.name: notebook for notebook in notebooks}
    lines = []
    promising = {row.notebook for row in rows if row.state in catalog.RUN}
    for name in sorted(promising if only is None else promising & set(only)):
        stays = name in known and known[name].missing_logs()
        missing = [path for path in catalog.promised(name, rows, COMMITTED if stays else figures) if not path.exists()]
        ran = (runs_of(figures) / "notebooks" / f"{name}.ipynb").exists()
        if missing and (ran or name not in known):
            files = ", ".join(shown(path) for path in missing[:4])
            files += f" and {len(missing) - 4} more (`make status` lists them)" if len(missing) > 4 else ""
            how = "did not leave" if ran else "does not exist, so nothing leaves"
            how = "is kept, as its logs are not here; take back from git" if stays else how
            lines.append(f"notebooks/{name}.ipynb {how} what data/catalog.csv promises: {files}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
