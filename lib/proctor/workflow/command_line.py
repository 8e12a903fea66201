"""The options that several commands of the workflow take, and what their exit codes are."""

import argparse
import shlex
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proctor.workflow.notebook import WorkflowError

if TYPE_CHECKING:
    from proctor.models.spending import Budget


def _one_or_more(text: str) -> int:
    if (jobs := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give 1 or more")
    return jobs


OPTIONS: dict[str, dict[str, Any]] = {
    "--jobs": dict(type=_one_or_more, help="notebooks to run at once (default %(default)s)"),
    "--notebook": dict(action="append", default=[], help="only this one, e.g. uq/6_agreement"),
    "--again": dict(action="store_true", help="run also what ran before and whose inputs are the same"),
}


def add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, **OPTIONS[name])


def add_budget_options(parser: argparse.ArgumentParser, of: str) -> None:
    """--budget, --max-calls, --total-budget and --no-budget, which `budget_of` reads. of: whose they are."""
    parser.add_argument("--budget", type=float, metavar="DOLLARS", help=f"that {of} may spend")
    parser.add_argument("--max-calls", type=int, metavar="N", help=f"calls that {of} may make")
    parser.add_argument("--total-budget", type=float, metavar="DOLLARS", help="that all runs may ever have spent")
    parser.add_argument("--no-budget", action="store_true", help="no limit to what is spent")


def budget_of(options: argparse.Namespace) -> "Budget | None":
    """Raises WorkflowError where one of these options excludes another."""
    bounds = options.budget, options.max_calls, options.total_budget
    if not options.no_budget and bounds == (None, None, None):
        return None
    from proctor.models.spending import Budget

    try:
        return Budget.of_options(*bounds, options.no_budget)
    except ValueError as error:
        raise WorkflowError(str(error)) from None


def split_more(arguments: list[str] | None) -> list[str]:
    """The arguments (default: the command line's), where --more=TEXT stands for the words of TEXT, as in a shell.

    So `make` hands on what P="..." says, without a shell that would run what stands in it.
    """
    words: list[str] = []
    for argument in sys.argv[1:] if arguments is None else arguments:
        option, _, text = argument.partition("=")
        try:
            words += shlex.split(text) if option == "--more" else [argument]
        except ValueError as error:
            sys.exit(f"P={text}: {error}; close the quote")
    return words


def jobs_parser(prog: str, about: str, *names: str, jobs: int = 1) -> argparse.ArgumentParser:
    """For a command that runs jobs, with the options of these names too; `parse_jobs` reads it. jobs: the default of
    --jobs."""
    parser = argparse.ArgumentParser(
        prog=prog, description=about, epilog="after --: options for Snakemake, e.g. -- --profile slurm"
    )
    add_options(parser, "--jobs", *names)
    parser.set_defaults(jobs=jobs)
    return parser


def parse_jobs(
    parser: argparse.ArgumentParser, arguments: list[str] | None
) -> tuple[argparse.Namespace, dict[str, Any]]:
    """The options, with --more=TEXT split as a shell would, and what `run_jobs` takes of them. `kill` ends the run like
    Ctrl-C from here on."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    words = split_more(arguments)
    cut = words.index("--") if "--" in words else len(words)
    found, snakemake = parser.parse_args(words[:cut]), words[cut + 1 :]
    again = getattr(found, "again", False)
    return found, dict(at_once=found.jobs, again=again, snakemake=snakemake)


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
