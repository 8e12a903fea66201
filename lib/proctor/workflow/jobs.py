"""Jobs: notebooks with the values that they are given. All commands run theirs here, as many at once as they like.

`run_jobs` runs them in threads here, or as jobs of Snakemake wherever its options send them. A job whose receipt holds
(see receipts.py) has run before with the same inputs and is left alone. So whatever stops a command, the same command
goes on from there.

    python -m proctor.workflow.jobs FILE       # one job that `run_jobs` has described in FILE: Snakemake calls this
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
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from proctor import need
from proctor.files import harmless, write_atomic
from proctor.paths import BUILD, COMMITTED, ROOT
from proctor.report import catalog
from proctor.report.provenance import relative
from proctor.workflow import receipts
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, WorkflowError, shown

PLAN = "PROCTOR_PLAN"  # the file where a notebook leaves its plan, and then asks nothing (models/studies.py)
LOG = BUILD / "snakemake.log"
# Receipts alone say what is stale: Snakemake is to look at no date, checksum or record of its own.
SNAKEMAKE = "--keep-going --rerun-incomplete --nolock --rerun-triggers mtime --max-checksum-file-size 0".split()
SNAKEFILE = Path(__file__).with_suffix(".smk")
RERUNS = BUILD / "reruns"  # for Snakemake: the jobs by number, how each ended, and a file for each that ended well
LOOK = 0.2  # seconds between two looks at what has ended
LATENCY = 10.0  # seconds that a file from another machine may need to be seen, after Snakemake has ended

Say = Callable[[str], object]


class Job(NamedTuple):
    """One notebook with the values that it is given, where all that it leaves goes, and what came of it.

    copy: the executed notebook. figures: the folder of figures and tables. receipt: None for a run that leaves none.
    promised: files in `figures` without which the receipt does not hold. environment: variables for this run alone.
    label: what a reader calls it, if not by the notebook's name. problem: why it stopped before its end, "" where it
    did not. reused: whether its receipt holds, or it is kept, so that it need not run; None before somebody has looked.
    """

    notebook: Notebook
    values: Mapping[str, Any]
    copy: Path
    figures: Path
    receipt: Path | None
    promised: Sequence[Path] = ()
    environment: Mapping[str, str] = {}
    label: str = ""
    problem: str = ""
    reused: bool | None = None

    @property
    def name(self) -> str:
        return self.label or self.notebook.name

    @property
    def alone(self) -> bool:
        """Whether the folder of its figures holds what this job leaves, and nothing else."""
        return self.receipt is not None and self.receipt.parent == self.figures.parent

    @property
    def seconds(self) -> float | None:
        """How long the notebook ran, as its executed copy says; None where there is none."""
        ended = self.copy.exists() and not self.problem
        return Notebook(self.copy).content["metadata"].get("papermill", {}).get("duration") if ended else None

    def looked_at(self) -> "Job":
        """The job with `reused`; the problem of a kept one is a committed file that is gone. Raises WorkflowError for a
        notebook that can't run."""
        if self.receipt is None:
            return self._replace(reused=False)
        if self.notebook.missing_logs():
            problem = self.lacks("is kept, as its logs are not here; take back from git")
            return self._replace(reused=not problem, problem=problem)
        return self._replace(reused=receipts.is_true(self.notebook, self.values, self.receipt, self.promised))

    def lacks(self, how: str) -> str:
        """Which promised files are not there, and `how` that came, as a sentence; "" where all are."""
        missing = [shown(path) for path in self.promised if not path.exists()]
        more = f" and {len(missing) - 4} more (`make status` lists them)" if len(missing) > 4 else ""
        promised = f"what data/catalog.csv promises: {', '.join(missing[:4])}{more}"
        return f"notebooks/{self.notebook.name}.ipynb {how} {promised}" if missing else ""

    def left(self) -> list[Path]:
        """The files that a run has left."""
        if self.alone:
            return [self.copy, *(receipts.files_in([self.figures]) if self.figures.exists() else [])]
        written = [path for files in receipts.artifacts(self.notebook.name, self.figures).values() for path in files]
        return [self.copy, *self.promised, *written]

    def files(self) -> dict[str, Path]:
        """{file relative to figures/: where it lies} of all that the run left."""
        paths = sorted(path for path in self.figures.rglob("*") if path.is_file() and path.name[0] != ".")
        return {path.relative_to(self.figures).as_posix(): path for path in paths}


def job_in(folder: Path, notebook: Notebook, values: Mapping[str, Any], label: str = "") -> Job:
    """A job in a folder of its own: the executed copy, figures/ and the receipt."""
    folder = folder.absolute()
    return Job(notebook, values, folder / "notebook.ipynb", folder / "figures", folder / "receipt.json", label=label)


def jobs_of(
    notebooks: Iterable[Notebook], values: Mapping[str, Mapping[str, Any]], figures: Path = COMMITTED
) -> list[Job]:
    """The jobs of `make reproduce`, looked at; they share the folder `figures`. values: {notebook name: those given}.

    Raises WorkflowError for a notebook that can't run, and for a faulty catalog."""
    try:
        rows, found = catalog.read(), []
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    for notebook in notebooks:
        promised = catalog.promised(notebook.name, rows, COMMITTED if notebook.missing_logs() else figures)
        places = notebook.executed(figures).absolute(), figures, receipts.path_of(notebook.name, figures)
        found.append(Job(notebook, values[notebook.name], *places, promised).looked_at())
    return found


def run_job(job: Job, server: KernelServer, say: Say = print) -> Job:
    """Run the notebook, remove what it no longer makes, leave its receipt; the job with what came of it.

    The rest: as `execute` takes it."""
    from proctor.workflow.execute import NotebookFailed, execute  # imports papermill

    inputs = receipts.inputs(job.notebook, job.values)
    read = receipts.digests(inputs if job.receipt else [])
    if job.receipt:
        job.receipt.unlink(missing_ok=True)
    if job.alone:
        shutil.rmtree(job.figures, ignore_errors=True)
    before = receipts.states(job.notebook.name, job.figures)
    environment = {**job.environment, "PROCTOR_FIGURES": str(job.figures)}
    try:
        execute(job.notebook, job.copy, dict(job.values), server, environment, say)
    except NotebookFailed as error:
        if not os.path.exists(environment.get(PLAN, "")):  # else it stopped where it was to stop
            return job._replace(problem=str(error), reused=False)
    for dropped in receipts.drop_old(job.notebook.name, job.figures, before):
        say(f"no longer makes {dropped}: removed from {job.figures}")
    if problem := job.lacks("did not leave"):
        return job._replace(problem=problem, reused=False)
    if job.receipt:
        receipts.write(job.values, read, job.left(), job.receipt)
    return job._replace(reused=False)


def run_jobs(
    jobs: Sequence[Job],
    at_once: int = 1,
    again: bool = False,
    snakemake: Sequence[str] = (),
    before: Mapping[str, Iterable[str]] | None = None,
    say: Say = lambda line: None,
) -> Generator[Job, None, None]:
    """Run the jobs, `at_once` at a time; yield each as it ends, with what came of it.

    again: also those whose receipts hold. snakemake: options of its own, such as --profile; with them it runs the jobs
    wherever it sends them. before: {name: those that must end well before it}; whether it must run itself is seen when
    they have ended, and what waits for one that failed is not run. say: gets a line when a job starts and those of its
    plan, of jobs that run here. Raises WorkflowError for a notebook that can't run, before anything runs. Closing the
    generator stops what runs and waits for it.
    """
    known, late = {job.name: job for job in jobs}, dict[str, Job]()
    waits = {name: known.keys() & (before or {}).get(name, ()) for name in known}
    for name in TopologicalSorter(waits).static_order():
        job = known[name] if known[name].reused is not None else known[name].looked_at()
        waits[name] &= late.keys()
        if again or not job.reused or waits[name]:
            late[name] = job._replace(reused=None if waits[name] else False)
        else:
            yield job
    if not late:
        return
    need("papermill", "ipykernel")
    ends: dict[str, Future[Job | None]] = {}

    def after(job: Job) -> Job | None:
        """The job with what came of it; None where one of those that it waits for did not end well."""
        ended = [ends[name].result() for name in waits[job.name]]  # they have begun: they stand before it in the queue
        return run(job) if all(each and not each.problem for each in ended) else None

    runner = _elsewhere(late, waits, at_once, snakemake) if snakemake else _here(say)
    with ThreadPoolExecutor(len(late) if snakemake else at_once) as pool, runner as run:
        try:  # long ones first: none of these shall run alone at the end
            for name in sorted(late, key=lambda name: 2 if waits[name] else not late[name].notebook.long):
                ends[name] = pool.submit(after, late[name])
            yield from filter(None, (end.result() for end in as_completed(ends.values())))
        finally:  # what has not begun; the runner then stops what runs, and the pool waits for that
            pool.shutdown(wait=False, cancel_futures=True)


Runner = Callable[[Job], Job]  # runs a job, and gives it with what came of it


@contextmanager
def _here(say: Say) -> Iterator[Runner]:
    """What runs a job in a kernel of this machine."""

    def run(job: Job) -> Job:
        say(f"  started   {job.name}")
        return run_job(job, server, lambda line: say(f"  {job.name}  {line}"))

    with KernelServer() as server:
        yield lambda job: _due(job, run)


def _due(job: Job, run: Runner) -> Job:
    """Run the job, unless its receipt holds by now; what goes wrong is its problem."""
    try:
        job = job.looked_at() if job.reused is None else job
        return job if job.reused else run(job)
    except WorkflowError as error:
        return job._replace(problem=str(error))
    except Exception:  # a fault of ours or of papermill's is reported like any other, and the others go on
        return job._replace(problem=f"{job.name} could not be run:\n{traceback.format_exc()}")


@contextmanager
def _elsewhere(
    jobs: Mapping[str, Job], waits: Mapping[str, set[str]], at_once: int, options: Sequence[str]
) -> Iterator[Runner]:
    """What waits until Snakemake, which runs all jobs, has ended one. It says what it does in build/snakemake.log.
    Leaving the block before its end stops it, after a minute in which it may take its jobs back from a cluster."""
    need("snakemake")
    shutil.rmtree(RERUNS, ignore_errors=True)
    places = {name: RERUNS / f"{number}.ended" for number, name in enumerate(jobs)}
    for name, job in jobs.items():
        described = job._asdict() | {"notebook": job.notebook.path}
        write_atomic(places[name].with_suffix(".json"), json.dumps(described, default=str))
    config = RERUNS / "config.json"
    write_atomic(config, json.dumps({"before": [[int(places[one].stem) for one in waits[name]] for name in jobs]}))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), "--configfile", str(config)]
    with LOG.open("w") as log:
        process = subprocess.Popen(
            [*command, "--cores", str(at_once), *SNAKEMAKE, *options],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C comes here first, and one signal reaches all of its jobs
        )

    stopped = threading.Event()

    def ended(job: Job) -> Job:
        place, latest = places[job.name], float("inf")
        while not place.exists():
            if process.poll() is not None:
                latest = min(latest, time.monotonic() + LATENCY)
            if stopped.wait(LOOK) or time.monotonic() > latest:
                why = f"did not run to its end; {relative(LOG)} or the log of its job says why"
                return job._replace(problem=f"{job.name} {why}")
        return job._replace(**json.loads(place.read_text()))

    try:
        yield ended
        process.wait()
    finally:
        stopped.set()
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    """Run the job that `_elsewhere` has described, and say beside its description how it ended."""
    place = Path(arguments[0])
    content = json.loads(place.read_text(encoding="utf-8"))
    content |= {name: Path(content[name]) for name in ("copy", "figures", "receipt")}
    content |= {"notebook": Notebook(content["notebook"]), "promised": [Path(path) for path in content["promised"]]}
    job = Job(**content)
    with KernelServer() as server:
        done = _due(job, lambda due: run_job(due, server))
    print_problems([done])
    write_atomic(place.with_suffix(".ended"), json.dumps({"problem": done.problem, "reused": done.reused}))
    return 1 if done.problem else 0


def lock() -> TextIO:
    """Be the one run of this checkout (of reproduce, verify, sweep) until the file closes. Raises WorkflowError."""
    try:
        BUILD.mkdir(exist_ok=True)
        held = open(BUILD / "lock", "w")
    except OSError as error:
        raise WorkflowError(
            f"{BUILD} can't be written ({error.strerror}): copy the checkout, or give it back"
        ) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(
            f"another `make reproduce` is running in {ROOT} (or verify, sweep): wait for it or stop it"
        ) from None
    return held


def run_reported(
    jobs: Sequence[Job], how: Mapping[str, Any], what: str, unit: str = "notebook", aloud: bool = False, **more: Any
) -> list[Job]:
    """All jobs, run by `run_jobs`, in the order of their names; a progress bar on the terminal and a line for each that
    ran. aloud: a line for each that starts too, and the plans."""
    from tqdm import tqdm

    def say(line: str) -> None:
        tqdm.write(line)
        sys.stdout.flush()

    found, more = [], more | ({"say": say} if aloud else {})
    bar = tqdm(total=len(jobs), desc=what, unit=unit, disable=None, smoothing=0)
    with closing(run_jobs(jobs, **how, **more)) as running, bar:
        for job in running:
            found.append(job)
            bar.update()
            if not job.reused:
                ended = "FAILED" if job.problem else "planned" if what == "plan" else "finished"
                say(f"  {ended:9} {job.name}" + (f"  {job.seconds:.1f} s" if job.seconds else ""))
    return sorted(found, key=lambda job: job.name)


def print_problems(done: Iterable[Job]) -> int:
    """Why each that failed did so, on stderr; how many."""
    problems = [job.problem for job in done if job.problem]
    for problem in problems:
        print(f"\n{problem}", file=sys.stderr)
    return len(problems)


def split_kept(notebooks: Sequence[Notebook]) -> tuple[list[Notebook], list[str]]:
    """Those that can run, and a line about each that is kept since its public logs are not here."""
    lines = [f"  kept      {each.name}  {receipts.how_to_get(each)}" for each in notebooks if each.missing_logs()]
    return [each for each in notebooks if not each.missing_logs()], lines


def write_report(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV of what was found; a float has twelve digits, None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{cell:.12g}" if isinstance(cell, float) else harmless(cell) for cell in row] for row in rows)
    write_atomic(path, text.getvalue())


ONE: dict[str, Any] = dict(action="append", default=[], help="only this one, e.g. uq/6_agreement")  # --notebook


def jobs_parser(prog: str, about: str, again: bool = True, jobs: int = 1) -> argparse.ArgumentParser:
    """For a command that runs jobs; `parse_jobs` reads it. again: whether with --again. jobs: default of --jobs."""
    parser = argparse.ArgumentParser(
        prog=prog, description=about, epilog="after --: options for Snakemake, e.g. -- --profile slurm"
    )
    about = "notebooks to run at once (default %(default)s)"
    parser.add_argument("--jobs", type=_one_or_more, default=jobs, help=about)
    parser.set_defaults(again=False)
    if again:
        parser.add_argument("--again", action="store_true", help="run also what ran before with the same inputs")
    return parser


def _one_or_more(text: str) -> int:
    if (jobs := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give 1 or more")
    return jobs


def parse_jobs(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> tuple[argparse.Namespace, dict[str, Any]]:
    """The options, and what `run_jobs` takes of them. `kill` ends the run like Ctrl-C from here on."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = list(sys.argv[1:] if arguments is None else arguments)
    cut = words.index("--") if "--" in words else len(words)
    found = parser.parse_args(words[:cut])
    return found, dict(at_once=found.jobs, again=found.again, snakemake=words[cut + 1 :])


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
