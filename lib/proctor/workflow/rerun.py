"""Run notebooks again, each into a folder of its own, and go on where the last such run was stopped.

A folder (build/verify/uq/6_agreement/) holds the executed copy, figures/ and the run's receipt. While the receipt
holds (see receipts.py) the notebook is not run again. Nothing is written to figures/.
"""

import argparse
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from proctor.workflow import kept, receipts
from proctor.workflow.notebook import Notebook, WorkflowError
from proctor.workflow.run import add_timeout_option, split_more


class Rerun(NamedTuple):
    """One notebook's run. problem: why it stopped before its end, "" where it did not. reused: it did not run now."""

    notebook: Notebook
    figures: Path
    problem: str = ""
    seconds: float = 0.0
    reused: bool = False

    def files(self) -> dict[str, Path]:
        """{file relative to figures/: where it lies} of all that the run left."""
        paths = sorted(path for path in self.figures.rglob("*") if path.is_file() and path.name[0] != ".")
        return {path.relative_to(self.figures).as_posix(): path for path in paths}


def rerun(
    notebooks: Sequence[Notebook],
    values: Mapping[str, Mapping[str, Any]],
    place: Path,
    jobs: int = 1,
    again: bool = False,
    cell_timeout: float | None = None,
) -> Iterator[Rerun]:
    """Run the notebooks with these values into <place>/<name>/, `jobs` at once; yield each as it ends.

    values: {notebook name: those given}. again: run also what has run with the same inputs before. Raises
    WorkflowError for a notebook whose data are not there, before anything runs. Closing the iterator stops what runs.
    """
    reads = {notebook.name: receipts.inputs(notebook, values[notebook.name]) for notebook in notebooks}
    todo = []
    for notebook in notebooks:
        folder = place / notebook.name
        if not again and receipts.is_true(notebook, values[notebook.name], [], folder / "receipt.json"):
            yield Rerun(notebook, folder / "figures", reused=True)
        else:
            todo.append(notebook)
    if not todo:
        return

    from proctor.workflow.execute import NotebookFailed, execute  # papermill
    from proctor.workflow.kernels import KernelServer

    cancel = threading.Event()

    def run(notebook: Notebook) -> Rerun:
        folder, given, start = place / notebook.name, dict(values[notebook.name]), time.monotonic()
        figures, receipt = folder / "figures", folder / "receipt.json"
        receipt.unlink(missing_ok=True)
        shutil.rmtree(figures, ignore_errors=True)
        digests = receipts.digests(reads[notebook.name])
        copy, environment = folder / "notebook.ipynb", {"PROCTOR_FIGURES": str(figures.absolute())}
        try:
            execute(notebook, copy, given, server, environment, cancel, cell_timeout)
        except NotebookFailed as error:
            return Rerun(notebook, figures, str(error), time.monotonic() - start)
        done = Rerun(notebook, figures, "", time.monotonic() - start)
        receipts.write(notebook, given, digests, [copy, *done.files().values()], receipt)
        return done

    with KernelServer() as server, ThreadPoolExecutor(max(jobs, 1)) as pool:
        try:
            futures: list[Future[Rerun]] = [pool.submit(run, notebook) for notebook in todo]
            for future in as_completed(futures):
                yield future.result()
        finally:
            cancel.set()
            pool.shutdown(cancel_futures=True)


def told(reruns: Iterator[Rerun], total: int, what: str) -> list[Rerun]:
    """All of them, with a progress bar on the terminal and a line for each that ran, in the order of the names."""
    from tqdm import tqdm

    found = []
    with tqdm(total=total, desc=what, unit="notebook", disable=None, smoothing=0) as bar:
        for each in reruns:
            found.append(each)
            bar.update()
            if not each.reused:
                how = "FAILED" if each.problem else "finished"
                bar.write(f"  {how:9} {each.notebook.name}  {each.seconds:.1f} s")
    return sorted(found, key=lambda each: each.notebook.name)


def split_kept(notebooks: Sequence[Notebook]) -> tuple[list[Notebook], list[str]]:
    """Those that can run, and a line about each that is kept since its public logs are not here."""
    lines = [f"  kept      {each.name}  {kept.how_to_get(each)}" for each in notebooks if each.missing_logs()]
    return [each for each in notebooks if not each.missing_logs()], lines


def options(module: str, about: str) -> argparse.ArgumentParser:
    """A command line with what both commands take; `parse` reads it."""
    parser = argparse.ArgumentParser(prog=f"python -m proctor.workflow.{module}", description=about)
    parser.add_argument("--notebook", action="append", default=[], help="only this one, e.g. uq/6_agreement")
    parser.add_argument("--jobs", type=int, default=1, help="notebooks to run at once (default 1)")
    parser.add_argument("--again", action="store_true", help="run also what ran before and whose inputs are the same")
    add_timeout_option(parser)
    return parser


def parse(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """The options, with --more=TEXT split as a shell would. `kill` ends the run like Ctrl-C from here on."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return parser.parse_args(split_more(arguments))


def exit_code(work: Callable[[], int]) -> int:
    """What `work` returns; 2 for bad input and 130 where it was stopped, each told on stderr."""
    try:
        return work()
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. What had finished is not run again: the same command goes on from here.", file=sys.stderr)
        return 130
