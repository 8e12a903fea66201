"""Bring every notebook's results up to date: what changed runs again, what did not is left alone.

    python -m proctor.workflow.reproduce [--params params/quick.yaml] [-p NAME VALUE] [--jobs 2] [-- SNAKEMAKE OPTIONS]

Exit codes: 0 all is up to date, 1 a notebook failed or left out a promised file, 2 bad input (nothing was run).
"""

import argparse
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proctor.files import write_atomic
from proctor.paths import BUILD, FIGURES, ROOT
from proctor.report import catalog
from proctor.workflow.notebook import EXECUTED, Notebook, WorkflowError, all_notebooks
from proctor.workflow.run import add_parameter_options, add_timeout_option

STAMP = BUILD / "up_to_date.json"
CONFIG = BUILD / "config.json"
LOG = BUILD / "snakemake.log"
READ = ("notebooks", "lib", "params", "data", "Snakefile", "requirements.txt")
WRITTEN = (FIGURES, "build/notebooks")


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` is to end like Ctrl-C
    try:
        return reproduce(
            options.params.resolve(), options.overrides, options.jobs, options.snakemake, options.cell_timeout
        )
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. What had finished stays; run it again to do the rest.", file=sys.stderr)
        return 130


def reproduce(
    profile: Path,
    overrides: Sequence[tuple[str, str]],
    jobs: int,
    snakemake: Sequence[str] = (),
    cell_timeout: float | None = None,
) -> int:
    """Run what is not up to date, `jobs` at once. Returns the exit code; raises WorkflowError before anything runs.

    `snakemake`: options of its own, such as --profile. With them its jobs run wherever it sends them.
    """
    os.chdir(ROOT)
    BUILD.mkdir(exist_ok=True)
    lock = open(BUILD / "lock", "w")  # held until this process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(f"another `make reproduce` is running in {ROOT}: wait for it or stop it") from None

    asked = {"profile": str(profile), "overrides": overrides, "read": snapshot(*READ, profile)}
    if _stamp() == asked | {"written": snapshot(*WRITTEN)}:
        print("Nothing to do: everything is up to date.")
        return 0
    STAMP.unlink(missing_ok=True)

    from proctor.workflow import params  # here, not above: the check before this must stay quick
    from proctor.workflow.imports import modules_of

    notebooks = all_notebooks()
    values = {"all": params.read_overrides(overrides)}
    params.resolve(notebooks, profile, values)
    rows = _catalog()
    for notebook in notebooks:
        modules_of(notebook), notebook.data()  # what is wrong with them is told now, not by Snakemake
    for notebook in notebooks:
        if not is_whole(notebook, catalog.promised(notebook.name, rows)):
            notebook.executed.unlink(missing_ok=True)

    write_atomic(CONFIG, json.dumps({"profile": str(profile), "overrides": values["all"]}))
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(jobs),
        "--keep-going",
        "--rerun-incomplete",
        "--nolock",
        "--max-checksum-file-size",
        "0",
        "--configfile",
        str(CONFIG),
    ]
    if snakemake:
        succeeded = subprocess.call([*command, *snakemake]) == 0
    else:
        succeeded = _run_here([*command, "--scheduler", "greedy"], cell_timeout)
    lacking = _lacking(rows, notebooks)
    for line in lacking:
        print(line, file=sys.stderr)
    if not succeeded or lacking:
        return 1
    if not snakemake:  # with its own options, such as --dry-run, nobody knows what it has done
        write_atomic(STAMP, json.dumps(asked | {"written": snapshot(*WRITTEN)}))
    return 0


def snapshot(*places: str | Path) -> dict[str, list[int]]:
    """{file: [size, time of change in ns]} of all files in the folders, or of the files, that are named."""
    found = {}
    todo = [str(place) for place in places]
    while todo:
        place = todo.pop()
        if os.path.isdir(place):
            todo += [
                entry.path for entry in os.scandir(place) if entry.name not in {"__pycache__", ".ipynb_checkpoints"}
            ]
        elif os.path.exists(place):
            status = os.stat(place)
            found[place] = [status.st_size, status.st_mtime_ns]
    return found


def is_whole(notebook: Notebook, promised: Sequence[Path]) -> bool:
    """Whether all that a run of the notebook leaves is there, and is what that run left.

    The executed copy is written last. So a promised file that is younger was changed by something else, such as
    git or a run by hand with other parameters, and the notebook must run again.
    """
    if not notebook.executed.exists():
        return False
    ended = notebook.executed.stat().st_mtime_ns
    return all(path.exists() and path.stat().st_mtime_ns <= ended for path in promised)


def _run_here(command: list[str], cell_timeout: float | None) -> bool:
    """Run Snakemake with the jobs in this process, tell what happens, and return whether all went well."""
    from proctor.workflow.workers import Workers  # imports papermill

    start = time.monotonic()
    with Workers(lambda line: print(line, flush=True), cell_timeout) as workers, LOG.open("w") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"PROCTOR_WORKERS": workers.address},
            start_new_session=True,  # so that Ctrl-C comes here first, and one signal reaches all of its jobs
        )
        try:
            code = process.wait()
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGKILL)  # nothing half-written is left: outputs are renamed into place
            raise
    problems = [problem for problem in workers.finished.values() if problem]
    if workers.finished:
        print(
            f"{len(workers.finished)} run, {len(problems)} failed, in {time.monotonic() - start:.0f} s. "
            f"Figures and tables: {_shown(FIGURES)}/. Executed copies: build/notebooks/."
        )
    elif not code:
        print("Nothing to run: what changed concerns no notebook.")
    for problem in problems:
        print(f"\n{problem}", file=sys.stderr)
    if code and not problems:
        print(f"Snakemake failed; the end of {LOG.relative_to(ROOT)}:\n{LOG.read_text()[-3000:]}", file=sys.stderr)
    return code == 0


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _catalog() -> list[catalog.Row]:
    try:
        return catalog.read()
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None


def _lacking(rows: Sequence[catalog.Row], notebooks: Sequence[Notebook]) -> list[str]:
    """What the catalog promises and is not there, although its notebook ran to its end; a line a notebook."""
    lines = []
    for name in sorted({row.notebook for row in rows if row.state == "done"}):
        missing = [path for path in catalog.promised(name, rows) if not path.exists()]
        ran = (EXECUTED / f"{name}.ipynb").exists()
        if missing and (ran or name not in {notebook.name for notebook in notebooks}):
            files = ", ".join(str(_shown(path)) for path in missing[:4])
            files += f" and {len(missing) - 4} more (`make status` lists them)" if len(missing) > 4 else ""
            lines.append(
                f"notebooks/{name}.ipynb {'did not leave' if ran else 'does not exist, so nothing leaves'} "
                f"what data/catalog.csv promises: {files}"
            )
    return lines


def _stamp() -> dict | None:
    try:
        return json.loads(STAMP.read_text())
    except (FileNotFoundError, ValueError):
        return None


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.reproduce", description=__doc__.splitlines()[0])
    add_parameter_options(parser)
    add_timeout_option(parser)
    parser.add_argument("--jobs", type=int, default=2, help="notebooks to run at once (default 2)")
    parser.add_argument("snakemake", nargs="*", help="after --: options for Snakemake, e.g. --profile slurm")
    options = parser.parse_args(arguments)
    if options.snakemake and options.cell_timeout:
        parser.error("--cell-timeout holds for jobs that run here, not with options for Snakemake")
    return options


if __name__ == "__main__":
    sys.exit(main())
