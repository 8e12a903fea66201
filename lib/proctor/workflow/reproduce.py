"""Bring every notebook's results up to date: what changed runs again, what did not is left alone.

    python -m proctor.workflow.reproduce [--params params/quick.yaml] [-p NAME VALUE] [--jobs 2] [-- SNAKEMAKE OPTIONS]

What changed is found by content (see receipts.py). Figures go to figures/ at the default parameters, and previews/ is
written from them; else they go to build/figures/.

Exit codes: 0 all is up to date, 1 a notebook failed or left out a promised file, 2 bad input (nothing was run).
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.paths import COMMITTED, PARAMS, ROOT, runs_of
from proctor.workflow import asking, jobs, params, receipts
from proctor.workflow.jobs import Job
from proctor.workflow.notebook import all_notebooks, chosen, shown


def main(arguments: list[str] | None = None) -> int:
    about = "python -m proctor.workflow.reproduce", __doc__.splitlines()[0]
    parser = jobs.jobs_parser(*about, again=False, jobs=3)
    parser.add_argument("--notebook", **jobs.ONE)
    default = PARAMS / "default.yaml"
    parser.add_argument("--params", type=Path, metavar="FILE", default=default, help="profile (default: %(default)s)")
    given: dict[str, Any] = dict(nargs=2, metavar=("NAME", "VALUE"), dest="overrides", default=[])
    parser.add_argument("-p", action="append", **given, help="set one parameter; may be repeated")
    asking.add_budget_options(parser, "all notebooks together")
    options, how = jobs.parse_jobs(parser, arguments)
    return jobs.exit_code(lambda: reproduce(options, how))


def reproduce(options: argparse.Namespace, how: Mapping[str, Any]) -> int:
    """Run what is not up to date. Returns the exit code; raises WorkflowError before anything runs. how: as `run_jobs`
    takes it. The budget is of what all notebooks together ask; one that asks alone shows its own plan."""
    profile, overrides, budget = options.params.resolve(), options.overrides, asking.budget_of(options)
    os.chdir(ROOT)
    notebooks = all_notebooks()
    asked_for = chosen(options.notebook, notebooks)
    values = params.resolve(notebooks, profile, {"all": params.read_overrides(overrides)})
    figures = params.figures_folder(profile, overrides)
    known = {job.name: job for job in jobs.jobs_of(notebooks, values, figures)}
    for job in known.values():
        if job.notebook.missing_logs():  # what ran with logs that have gone; the book shows the preview in its place
            job.copy.unlink(missing_ok=True)
    done = all(job.reused and not job.problem for job in known.values())
    stay = jobs.split_kept(asked_for)[1]
    if not done:
        if budget:
            budget.keep()  # for the kernels
        before = {each.name: receipts.reads_results_of(each) for each in notebooks}
        wanted = [each.name for each in asked_for]
        for name in wanted:  # grows while it is read
            wanted += [other for other in before[name] if other not in wanted]
        with jobs.lock():
            if not _run([known[name] for name in wanted], before, figures, how, stay):
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
    todo: Sequence[Job], before: Mapping[str, Sequence[str]], figures: Path, how: Mapping[str, Any], stay: Sequence[str]
) -> bool:
    """Run those of the jobs that are not up to date, report what happens, and return whether all went well.

    before: {name: those whose results it reads}. stay: a line about each kept one."""
    start = time.monotonic()
    costly = [job for job in todo if not job.reused and asking.may_cost(job.notebook, job.values)]
    if len(costly) > 1:  # one alone shows its own plan
        asking.refuse(*asking.show_bill(costly, how, "notebook"))
    ended = jobs.run_jobs(todo, "reproduce", aloud=True, before=before, **how)
    ran = [job for job in ended if not job.reused]
    print(*stay, sep="\n", end="\n" * bool(stay))
    if ran:
        counts = f"{len(ran)} run, {sum(bool(job.problem) for job in ran)} failed"
        counts += f", {len(stay)} kept" if stay else ""
        print(
            f"{counts}, in {time.monotonic() - start:.0f} s. "
            f"Figures and tables: {shown(figures)}/. Executed copies: {shown(runs_of(figures))}/notebooks/."
        )
    else:
        print("Nothing to run: what changed concerns none of these notebooks.")
    return not jobs.print_problems(ended)


if __name__ == "__main__":
    sys.exit(main())
