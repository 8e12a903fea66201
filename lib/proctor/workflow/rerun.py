"""Run many notebooks: at once in threads here (`run_all`), or as jobs of Snakemake wherever its options send them.

`rerun` runs notebooks again, each into a folder of its own, and goes on where the last such run was stopped. A folder
(build/verify/uq/6_agreement/) holds the executed copy, figures/ and the run's receipt. While the receipt holds (see
receipts.py) the notebook is not run again. Nothing is written to figures/.
"""

import argparse
import csv
import fcntl
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from proctor.extras import need
from proctor.files import harmless, write_atomic
from proctor.paths import BUILD, ROOT
from proctor.report.provenance import relative
from proctor.workflow import receipts
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, WorkflowError
from proctor.workflow.run import PROBLEM, add_options, run, split_more

LOG = BUILD / "snakemake.log"
# Receipts alone say what is stale: Snakemake is to look at no date, checksum or record of its own.
OPTIONS = "--keep-going --rerun-incomplete --nolock --rerun-triggers mtime --max-checksum-file-size 0".split()
SNAKEFILE = Path(__file__).with_suffix(".smk")
CONFIG = BUILD / "reruns.json"
DONE = BUILD / "reruns"  # an empty file for each job that has ended well, for Snakemake
LOOK = 0.2  # seconds between two looks at what has ended
LATENCY = 10.0  # seconds that a file from another machine may need to be seen, after Snakemake has ended


Work = Callable[[KernelServer, threading.Event], str | None]  # what goes wrong, or None; the event stops it


class ReadOnly(WorkflowError):
    """build/ can't be written."""


class Job(NamedTuple):
    """One notebook with the values that it is given, and what came of it. folder: where all that the run leaves goes.

    label: what a reader calls it, if not by the notebook's name. environment: variables for this run alone. problem:
    why it stopped before its end, "" where it did not. reused: it did not run now.
    """

    notebook: Notebook
    values: Mapping[str, Any]
    folder: Path
    label: str = ""
    environment: Mapping[str, str] = {}
    problem: str = ""
    reused: bool = False

    @property
    def name(self) -> str:
        return self.label or self.notebook.name

    @property
    def receipt(self) -> Path:
        return self.folder / "receipt.json"

    def has_run(self) -> bool:
        """Whether it ran before with the same values and inputs, and all that it left is still there."""
        return receipts.is_true(self.notebook, self.values, [], self.receipt)

    @property
    def figures(self) -> Path:
        return self.folder / "figures"

    @property
    def seconds(self) -> float | None:
        """How long the notebook ran, as its executed copy says; None where there is none."""
        copy = self.folder / "notebook.ipynb"
        ended = copy.exists() and not self.problem
        return Notebook(copy).content["metadata"].get("papermill", {}).get("duration") if ended else None

    def files(self) -> dict[str, Path]:
        """{file relative to figures/: where it lies} of all that the run left."""
        paths = sorted(path for path in self.figures.rglob("*") if path.is_file() and path.name[0] != ".")
        return {path.relative_to(self.figures).as_posix(): path for path in paths}


def lock() -> TextIO:
    """Be the one run of this checkout (of reproduce, verify, seeds, sweep) until the file closes.

    Raises WorkflowError while there is another, ReadOnly where build/ can't be written."""
    try:
        BUILD.mkdir(exist_ok=True)
        held = open(BUILD / "lock", "w")
    except OSError as error:
        raise ReadOnly(f"{BUILD} can't be written ({error.strerror}): copy the checkout, or give it back") from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(
            f"another `make reproduce` is running in {ROOT} (or verify, seeds, sweep): wait for it or stop it"
        ) from None
    return held


def jobs_in(place: Path, notebooks: Sequence[Notebook], values: Mapping[str, Mapping[str, Any]]) -> list[Job]:
    """A job for each notebook, in <place>/<name>/. values: {notebook name: those given}."""
    return [Job(notebook, values[notebook.name], place / notebook.name) for notebook in notebooks]


def rerun(
    jobs: Sequence[Job],
    at_once: int = 1,
    again: bool = False,
    cell_timeout: float | None = None,
    snakemake: Sequence[str] = (),
) -> Generator[Job, None, None]:
    """Run the jobs, `at_once` at a time; yield each as it ends.

    again: run also what has run with the same inputs before. snakemake: options of its own, such as --profile; with
    them it runs the jobs wherever it sends them. Raises WorkflowError for a notebook whose data are not there, before
    anything runs. Closing the iterator stops what runs.
    """
    for job in jobs:
        receipts.inputs(job.notebook, job.values)  # what is wrong with them is reported before anything runs
    todo = []
    for job in jobs:
        if not again and job.has_run():
            yield job._replace(reused=True)
        else:
            todo.append(job)
    if not todo:
        return
    need("papermill", "ipykernel")
    for job in todo:
        for left in (job.receipt, job.folder / PROBLEM):
            left.unlink(missing_ok=True)
        shutil.rmtree(job.folder / "figures", ignore_errors=True)
    if snakemake:
        yield from _elsewhere(todo, at_once, snakemake)
        return
    by_folder = {str(job.folder): job for job in todo}
    works = {folder: partial(_run_here, job, cell_timeout) for folder, job in by_folder.items()}
    for folder, problem in run_all(works, at_once):
        yield by_folder[folder]._replace(problem=problem or "")


def _run_here(job: Job, cell_timeout: float | None, server: KernelServer, cancel: threading.Event) -> str | None:
    folder, read = job.folder.absolute(), receipts.inputs(job.notebook, job.values)
    how: dict[str, Any] = dict(server=server, cancel=cancel, cell_timeout=cell_timeout, say=lambda line: None)
    ways = folder / "notebook.ipynb", folder / "figures", read, folder / job.receipt.name, job.environment
    return run(job.notebook, job.values, *ways, **how)


def run_all(
    works: Mapping[str, Work], at_once: int, before: Mapping[str, Iterable[str]] | None = None
) -> Generator[tuple[str, str | None], None, None]:
    """Do the works, `at_once` at a time, each in a thread; yield (name, what went wrong or None) as each ends.

    before: {name: those that must end well before it}; what waits for one that failed is not done. Closing the
    generator stops what runs and waits for it.
    """
    order, cancel = TopologicalSorter({name: set((before or {}).get(name, ())) for name in works}), threading.Event()
    order.prepare()
    running: dict[Future, str] = {}
    with KernelServer() as server, ThreadPoolExecutor(at_once) as pool:
        try:
            while order.is_active():
                running |= {pool.submit(_told, works[name], name, server, cancel): name for name in order.get_ready()}
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    name, problem = running.pop(future), future.result()
                    if not problem:
                        order.done(name)
                    yield name, problem
        finally:
            cancel.set()
            pool.shutdown(cancel_futures=True)


def _told(work: Work, name: str, server: KernelServer, cancel: threading.Event) -> str | None:
    try:
        return work(server, cancel)
    except Exception:  # a fault of ours or of papermill's is reported like any other, and the others go on
        return f"{name} could not be run:\n{traceback.format_exc()}"


def _elsewhere(todo: Sequence[Job], at_once: int, snakemake: Sequence[str]) -> Generator[Job, None, None]:
    """Run the jobs by rerun.smk, with these options of Snakemake."""
    need("snakemake")
    shutil.rmtree(DONE, ignore_errors=True)
    described = [
        dict(
            notebook=str(job.notebook.path),
            folder=str(job.folder.absolute()),
            values=json.dumps(job.values),
            environment=json.dumps(job.environment),
            read=list(map(str, receipts.inputs(job.notebook, job.values))),
        )
        for job in todo
    ]
    write_atomic(CONFIG, json.dumps({"jobs": described}))
    waiting, latest = list(todo), float("inf")
    with started([*snakemake_command(at_once, CONFIG), "--snakefile", str(SNAKEFILE), *snakemake]) as process:
        while waiting:
            if process.poll() is not None:  # before the look: what ends between the two is seen
                latest = min(latest, time.monotonic() + LATENCY)
            for job in list(waiting):
                problem = job.folder / PROBLEM
                if job.receipt.exists() or problem.exists():
                    waiting.remove(job)
                    yield job._replace(problem=problem.read_text(encoding="utf-8") if problem.exists() else "")
            if time.monotonic() >= latest:
                break
            time.sleep(LOOK)
        for job in waiting:
            why = f"{relative(LOG)} or the log of its job says why"
            yield job._replace(problem=f"{job.name} did not run to its end; {why}")
        process.wait()


def snakemake_command(jobs: int, config: Path, targets: Sequence[str] = ()) -> list[str]:
    """Snakemake's command line: so many jobs at once, these targets (none: its first rule), this configuration."""
    return [sys.executable, "-m", "snakemake", *targets, "--cores", str(jobs), *OPTIONS, "--configfile", str(config)]


@contextmanager
def started(command: Sequence[str]) -> Iterator[subprocess.Popen]:
    """Snakemake, which says what it does in build/snakemake.log; leaving the block before its end stops it, after a
    minute in which it may take its jobs back from a cluster."""
    with LOG.open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C comes here first, and one signal reaches all of its jobs
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def told(reruns: Generator[Job, None, None], total: int, what: str, unit: str = "notebook") -> list[Job]:
    """All of them, with a progress bar on the terminal and a line for each that ran, in the order of the names."""
    from tqdm import tqdm

    found = []
    with closing(reruns), tqdm(total=total, desc=what, unit=unit, disable=None, smoothing=0) as bar:
        for each in reruns:
            found.append(each)
            bar.update()
            if not each.reused:
                how = "FAILED" if each.problem else "planned" if what == "plan" else "finished"
                bar.write(f"  {how:9} {each.name}" + (f"  {each.seconds:.1f} s" if each.seconds else ""))
    return sorted(found, key=lambda each: each.name)


def print_problems(done: Iterable[Job]) -> int:
    """Why each that failed did so, on stderr; how many."""
    problems = [each.problem for each in done if each.problem]
    for problem in problems:
        print(f"\n{problem}", file=sys.stderr)
    return len(problems)


def split_kept(notebooks: Sequence[Notebook]) -> tuple[list[Notebook], list[str]]:
    """Those that can run, and a line about each that is kept since its public logs are not here."""
    lines = [f"  kept      {each.name}  {receipts.how_to_get(each)}" for each in notebooks if each.missing_logs()]
    return [each for each in notebooks if not each.missing_logs()], lines


def options(prog: str, about: str, *names: str, jobs: int = 1) -> argparse.ArgumentParser:
    """A command line with what all these commands take, and the options of these names; `parse` reads it. jobs: the
    default of --jobs."""
    parser = argparse.ArgumentParser(
        prog=prog, description=about, epilog="after --: options for Snakemake, e.g. -- --profile slurm"
    )
    add_options(parser, "--jobs", "--cell-timeout", *names)
    parser.set_defaults(jobs=jobs)
    return parser


def parse(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """The options, with --more=TEXT split as a shell would; `snakemake`: the words after --. `kill` ends the run like
    Ctrl-C from here on."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = split_more(arguments)
    cut = words.index("--") if "--" in words else len(words)
    found = parser.parse_args(words[:cut])
    found.snakemake = words[cut + 1 :]
    if found.snakemake and found.cell_timeout:
        parser.error("--cell-timeout holds for jobs that run here, not with options for Snakemake")
    return found


def how(options: argparse.Namespace) -> dict[str, Any]:
    """What `rerun` takes of the options."""
    return dict(
        at_once=options.jobs, again=options.again, cell_timeout=options.cell_timeout, snakemake=options.snakemake
    )


def write_report(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV of what was found; a float has twelve digits, None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(f"{cell:.12g}" if isinstance(cell, float) else harmless(cell) for cell in row)
    write_atomic(path, text.getvalue())


def exit_code(work: Callable[[], int]) -> int:
    """What `work` returns; 2 for bad input and 130 where it was stopped, each told on stderr."""
    try:
        return work()
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "Stopped. What had finished stays, and the same command goes on from here: run it again to do the rest.",
            file=sys.stderr,
        )
        return 130
