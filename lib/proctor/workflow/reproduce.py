"""Bring every notebook's results up to date: what changed runs again, what did not is left alone.

    python -m proctor.workflow.reproduce [--params params/quick.yaml] [-p NAME VALUE] [--jobs 2] [-- SNAKEMAKE OPTIONS]

What changed is found by content (see receipts.py). Figures go to figures/ at the default parameters, and previews/ is
written from them; else they go to build/figures/.

Exit codes: 0 all is up to date, 1 a notebook failed or left out a promised file, 2 bad input (nothing was run).
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from proctor.files import write_atomic
from proctor.paths import BUILD, COMMITTED, ROOT, runs_of
from proctor.report import catalog
from proctor.workflow import receipts
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, chosen, shown
from proctor.workflow.rerun import ReadOnly, exit_code, lock, options, parse, run_all, snakemake_command
from proctor.workflow.run import add_budget_options, budget_of, keep, run

if TYPE_CHECKING:
    from proctor.models.spending import Budget

CONFIG = BUILD / "config.json"
PLACE = "PROCTOR_FIGURES"


def main(arguments: list[str] | None = None) -> int:
    about = "python -m proctor.workflow.reproduce", __doc__.splitlines()[0]
    parser = options(*about, "--params", "-p", "--notebook", jobs=2)
    add_budget_options(parser, "all notebooks together")
    given = parse(parser, arguments)
    how = given.jobs, given.notebook, given.snakemake, given.cell_timeout
    return exit_code(lambda: reproduce(given.params.resolve(), given.overrides, *how, budget_of(given)))


def reproduce(
    profile: Path,
    overrides: Sequence[tuple[str, str]] = (),
    jobs: int = 2,
    only: Sequence[str] = (),
    snakemake: Sequence[str] = (),
    cell_timeout: float | None = None,
    budget: "Budget | None" = None,
) -> int:
    """Run what is not up to date, `jobs` at once. Returns the exit code; raises WorkflowError before anything runs.

    only: names of notebooks, none for all. snakemake: options of its own, such as --profile. With them its jobs run
    wherever it sends them. budget: of what all notebooks together ask; one that asks alone shows its own plan.
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
    changed = params.read_overrides(overrides)
    values = params.resolve(notebooks, profile, {"all": changed})
    figures = params.figures_folder(profile, overrides)
    os.environ[PLACE] = str(figures)  # for Snakemake
    try:
        rows = catalog.read()
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    for notebook in notebooks:
        receipts.inputs(notebook, values[notebook.name])  # what is wrong with them is reported before anything runs
    kept = [f"  kept      {each.name}  {receipts.how_to_get(each)}" for each in asked_for if each.missing_logs()]
    done, succeeded = not receipts.untrue(notebooks, values, figures), True
    if not done:
        if isinstance(held, ReadOnly):
            raise held
        if budget:
            budget.keep()  # for the kernels
        how = dict(at_once=jobs, again=True, cell_timeout=cell_timeout, snakemake=snakemake)
        _refuse_costs(asked_for, values, figures, how)
        late = partial(_late, asked_for, notebooks, values, figures)
        if snakemake:
            write_atomic(CONFIG, json.dumps({"profile": str(profile), "overrides": changed}))
            targets = [str(receipts.path_of(each.name, figures).relative_to(ROOT)) for each in asked_for if only]
            command, todo = [*snakemake_command(jobs, CONFIG, targets), *snakemake], late()
            for _ in notebooks:  # the rounds of `_late`
                succeeded = subprocess.call(command) == 0
                if not succeeded or not (todo := late({each.name for each in todo})):
                    break
        else:
            succeeded = _run_here(late, values, figures, jobs, cell_timeout, kept)
    lacking = _lacking(rows, notebooks, figures, [each.name for each in asked_for] if only else None)
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
        print(f"Nothing to {what}.", *kept, sep="\n")
    return 0


def _refuse_costs(
    notebooks: Sequence[Notebook], values: Mapping[str, dict[str, Any]], figures: Path, how: Mapping[str, Any]
) -> None:
    """Where several notebooks that are to run name models that cost: plan all of them. Raises WorkflowError, before
    anything is asked, where that passes the budget or there is none."""
    from proctor.workflow import asking, rerun  # here, not above: they know models

    costly = [each for each in notebooks if not each.missing_logs() and asking.may_cost(each, values[each.name])]
    late = set(receipts.untrue(costly, values, figures))
    if len(late) < 2:
        return
    jobs = rerun.jobs_in(BUILD / "plans", [each for each in costly if each.name in late], values)
    bill = asking.planned(jobs, how)
    for problem in bill.problems:
        print(f"not in the plan:\n{problem}", file=sys.stderr)
    bill.show("notebook")
    bill.refuse(None)


def _run_here(
    late: Callable[..., list[Notebook]],
    values: Mapping[str, dict],
    figures: Path,
    jobs: int,
    timeout: float | None,
    stay: list[str],
) -> bool:
    """Run the notebooks, report what happens, and return whether all went well. late: `_late` of these notebooks.
    stay: a line about each kept one."""
    start, problems, seconds = time.monotonic(), dict[str, str | None](), dict[str, float]()

    def work(notebook: Notebook, server: KernelServer, cancel: threading.Event) -> str | None:
        name, begun = notebook.name, time.monotonic()
        _say(f"  started   {name}")
        how: dict[str, Any] = dict(server=server, cancel=cancel, cell_timeout=timeout)
        how["say"] = lambda line: _say(f"  {name}  {line}")
        output, read = notebook.executed(figures).absolute(), receipts.inputs(notebook, values[name])
        problem = run(notebook, values[name], output, figures, read, **how)
        seconds[name] = time.monotonic() - begun
        return problem

    todo, stuck, lost = late(), set[str](), list[str]()
    for _ in values:  # rounds: at most one for each notebook
        for notebook in todo:
            if notebook.missing_logs():
                keep(notebook, values[notebook.name], figures)
        works = {each.name: partial(work, each) for each in todo if not each.missing_logs()}
        before = {each.name: works.keys() & receipts.reads_results_of(each) for each in todo if each.name in works}
        done = set[str]()
        with closing(run_all(works, jobs, before)) as ended:
            for name, problem in ended if works else ():
                problems[name] = problem
                done |= set() if problem else {name}
                _say(f"  {'FAILED' if problem else 'finished':9} {name}  {seconds.get(name, 0):.1f} s")
        stuck |= works.keys() - done  # failed, or waited for one that did
        try:
            todo = late(done, stuck) if done else []
        except WorkflowError as error:  # one no longer makes what another reads
            todo, lost = [], [str(error)]
        if not todo:
            break
    _say("\n".join(stay), end="\n" * bool(stay))
    failed = [problem for problem in problems.values() if problem]
    if problems:
        counts = f"{len(problems)} run, {len(failed)} failed" + (f", {len(stay)} kept" if stay else "")
        print(
            f"{counts}, in {time.monotonic() - start:.0f} s. "
            f"Figures and tables: {shown(figures)}/. Executed copies: {shown(runs_of(figures))}/notebooks/."
        )
    else:
        print("Nothing to run: what changed concerns none of these notebooks.")
    for problem in failed + lost:
        print(f"\n{problem}", file=sys.stderr)
    return not failed + lost


def _late(
    asked_for: Sequence[Notebook],
    notebooks: Sequence[Notebook],
    values: Mapping[str, dict],
    figures: Path,
    done: Set[str] | None = None,
    stuck: Set[str] = frozenset(),
) -> list[Notebook]:
    """What must run: of those asked for, and those whose results they read, all whose receipt is not true.

    done: those that the round before has run; what else must run is then known to wait for nothing but their results.
    stuck: those that could not run; who reads their results waits for the next `make reproduce`."""
    receipts.put_aside(notebooks, values, figures)
    before = {each.name: receipts.reads_results_of(each) for each in notebooks}
    wanted = [each.name for each in asked_for]
    for name in wanted:  # grows while it is read
        wanted += [other for other in before[name] if other not in wanted]
    if done is not None:
        wanted = [name for name in wanted if done & set(before[name]) and not stuck & {name, *before[name]}]
    known = {each.name: each for each in notebooks}
    return [known[name] for name in wanted if not receipts.path_of(name, figures).exists()]


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
