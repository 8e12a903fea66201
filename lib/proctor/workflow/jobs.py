"""Jobs: notebooks with the values that they are given. All commands run theirs here, as many at once as they like.

`run_jobs` runs them in threads here, or as jobs of Snakemake wherever its options send them. A job whose receipt holds
(see receipts.py) has run before with the same inputs and is left alone. So whatever stops a command, the same command
goes on from there.

    python -m proctor.workflow.jobs FILE       # one job that `run_jobs` has left in FILE: Snakemake calls this
"""

import argparse
import fcntl
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, nullcontext, suppress
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from proctor import need
from proctor.files import harmless, write_atomic
from proctor.paths import BUILD, COMMITTED, ROOT
from proctor.report import catalog
from proctor.workflow import receipts
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, WorkflowError, shown

if TYPE_CHECKING:
    import pandas as pd

PLAN = "PROCTOR_PLAN"  # the file where a notebook leaves its plan, and then asks nothing (models/studies.py)
LOG = BUILD / "snakemake.log"
# Receipts alone say what is stale: Snakemake is to look at no date, checksum or record of its own.
SNAKEMAKE = "--keep-going --rerun-incomplete --nolock --rerun-triggers mtime --max-checksum-file-size 0".split()
SNAKEFILE = Path(__file__).with_suffix(".smk")
RERUNS = BUILD / "reruns"  # for Snakemake: the jobs by number, and how each ended
LOOK = 0.2  # seconds between two looks at what has ended

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
            return self._replace(
                reused=True, problem=self.lacks("is kept, as its logs are not here; take back from git")
            )
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
    what: str,
    unit: str = "notebook",
    at_once: int = 1,
    again: bool = False,
    snakemake: Sequence[str] = (),
    before: Mapping[str, Iterable[str]] | None = None,
    aloud: bool = False,
) -> list[Job]:
    """Run the jobs, `at_once` at a time; all of them by name, with what came of each.

    The terminal has a progress bar called `what`, and a line for each that ran. again: also those whose receipts hold.
    snakemake: options of its own, such as --profile; with them it runs the jobs wherever it sends them. before: {name:
    those that must end well before it}; whether it must run itself is seen when they have ended, and what waits for one
    that failed is not run. aloud: a line for each that starts too, and its plan. Raises WorkflowError for a notebook
    that can't run, before anything runs. Ctrl-C stops what runs and waits for it.
    """
    from tqdm import tqdm

    def say(line: str) -> None:
        tqdm.write(line)
        sys.stdout.flush()

    known = {job.name: job.looked_at() if job.reused is None else job for job in jobs}
    if again:
        known = {name: job._replace(reused=False) for name, job in known.items()}
    order = TopologicalSorter({name: known.keys() & (before or {}).get(name, ()) for name in known})
    order.prepare()
    late = not all(job.reused for job in known.values())
    if late:
        need(*(["snakemake"] if snakemake else ["papermill", "ipykernel"]))
        LOG.unlink(missing_ok=True)
    done: list[Job] = []
    with (
        tqdm(total=len(known), desc=what, unit=unit, disable=None, smoothing=0) as bar,
        ThreadPoolExecutor(at_once) as pool,
        KernelServer() if late and not snakemake else nullcontext() as server,
    ):
        while names := order.get_ready():  # those that wait for none, then those that wait for these, and so on
            wave = [known[name] for name in names]
            if not again and not all(job.reused for job in done):
                wave = [job._replace(reused=None) for job in wave]
            due = [job for job in wave if not job.reused]
            starts = say if aloud else lambda line: None
            run = _here(due, pool, server, starts) if server else _elsewhere(due, at_once, snakemake)
            with closing(run) as ended:
                for job in chain((job for job in wave if job.reused), ended):
                    done.append(job)
                    bar.update()
                    if not job.reused:
                        how = "FAILED" if job.problem else "planned" if what == "plan" else "finished"
                        say(f"  {how:9} {job.name}" + (f"  {job.seconds:.1f} s" if job.seconds else ""))
                    if not job.problem:
                        order.done(job.name)
    return sorted(done, key=lambda job: job.name)


def _here(jobs: Iterable[Job], pool: ThreadPoolExecutor, server: KernelServer, say: Say) -> Generator[Job, None, None]:
    """Run the jobs in kernels of this machine; yield each as it ends."""

    def run(job: Job) -> Job:
        say(f"  started   {job.name}")
        return run_job(job, server, lambda line: say(f"  {job.name}  {line}"))

    # long ones first: none of these shall run alone at the end
    ends = [pool.submit(_due, job, run) for job in sorted(jobs, key=lambda job: not job.notebook.long)]
    try:
        for end in as_completed(ends):
            yield end.result()
    finally:  # what has not begun; the server's end stops what runs
        for end in ends:
            end.cancel()


def _due(job: Job, run: Callable[[Job], Job]) -> Job:
    """Run the job, unless its receipt holds by now; what goes wrong is its problem."""
    try:
        job = job.looked_at() if job.reused is None else job
        return job if job.reused else run(job)
    except WorkflowError as error:
        return job._replace(problem=str(error))
    except Exception:  # a fault of ours or of papermill's is reported like any other, and the others go on
        return job._replace(problem=f"{job.name} could not be run:\n{traceback.format_exc()}")


def _elsewhere(jobs: Iterable[Job], at_once: int, options: Sequence[str]) -> Generator[Job, None, None]:
    """Run the jobs by Snakemake; yield each as it ends. What Snakemake does is in build/snakemake.log.
    Closing the generator stops it, after a minute in which it may take its jobs back from a cluster."""
    shutil.rmtree(RERUNS, ignore_errors=True)
    waiting = {}
    for number, job in enumerate(jobs):
        waiting[write_atomic(RERUNS / f"{number}.job", pickle.dumps(job)).with_suffix(".ended")] = job
    if not waiting:
        return
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), "--cores", str(at_once)]
    with LOG.open("a") as log:
        process = subprocess.Popen(
            [*command, *SNAKEMAKE, *options],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C comes here first, and one signal reaches all of its jobs
        )
    try:
        running = True
        while waiting and running:
            running = process.poll() is None
            time.sleep(LOOK)
            for place in [place for place in waiting if place.exists()]:
                del waiting[place]
                yield pickle.loads(place.read_bytes())
        for job in waiting.values():
            why = f"did not run to its end; {shown(LOG)} or the log of its job says why"
            yield job._replace(problem=f"{job.name} {why}", reused=False)
        process.wait()
    finally:
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    """Run the job that `_elsewhere` has described, and leave beside it what came of it."""
    place = Path(arguments[0])
    with KernelServer() as server:
        done = _due(pickle.loads(place.read_bytes()), lambda job: run_job(job, server))
    print_problems([done])  # for the log of the job
    write_atomic(place.with_suffix(".ended"), pickle.dumps(done))
    return 0


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


def write_report(path: Path, table: "pd.DataFrame") -> None:
    """A CSV of what was found; a float has twelve digits, None is an empty cell."""
    cells = table.map(lambda cell: f"{cell:.12g}" if isinstance(cell, float) else harmless(cell))
    write_atomic(path, cells.to_csv(index=False, lineterminator="\n"))


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
