"""How the commands exam, validate, candidates and mark ask models: one set of options, the plan, and the notebook.

    @app.command()
    @shared_options
    def exam(questions: Path, model: Models, *, asking: Asking) -> None: ...

Only light modules up here, so that --help is quick.
"""

import asyncio
import contextlib
import functools
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.workflow import run
from proctor.workflow.notebook import WorkflowError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from proctor.models.session import Session
    from proctor.models.spending import Budget

Models = Annotated[list[str], typer.Option("--model", help="openai/<model>[@http://server/v1], anthropic/<model>, a name of params/models.yaml; may be repeated")]  # fmt: skip  # noqa: E501
Name = Annotated[str, typer.Option(help="of the run's folder in build/runs/; default: from the command and the file")]
Columns = Annotated[list[str], typer.Option("--column", help="FIELD=COLUMN for a column of another name; may be repeated")]  # fmt: skip  # noqa: E501
Scores = Annotated[list[str], typer.Option("--score", help="of inspect_ai's logs with several scorers, or lm-eval's metrics, the one to read; may be repeated")]  # fmt: skip  # noqa: E501
Filters = Annotated[list[str], typer.Option("--filter", help="of lm-eval's samples with several filters, the one to read; may be repeated")]  # fmt: skip  # noqa: E501
Licence = Annotated[Path | None, typer.Option(help="of the judge (`judge` writes it): print the corrected share right")]


@dataclass(frozen=True)
class Bounds:
    """What a run may cost, and its name."""

    budget: Annotated[float | None, typer.Option(help="dollars to spend at most")] = None
    max_calls: Annotated[int | None, typer.Option(help="calls to make at most, for models without a price")] = None
    total_budget: Annotated[float | None, typer.Option(help="dollars that all runs together may have spent")] = None
    no_budget: Annotated[bool, typer.Option("--no-budget", help="no limit to what is spent")] = False
    name: Name = ""

    def bound(self) -> "Budget | None":
        from proctor.models.spending import Budget

        return Budget.of_options(self.budget, self.max_calls, self.total_budget, self.no_budget)


@dataclass(frozen=True)
class Asking(Bounds):
    """How a command asks models, and what that may cost: the options that exam, validate, candidates and mark share."""

    plan: Annotated[bool, typer.Option("--plan", help="show what would be asked and what it costs, and stop")] = False
    export: Annotated[Path | None, typer.Option(help="ask nothing: write the next requests here, for a cluster")] = None
    at_once: Annotated[int, typer.Option(min=1, help="calls in flight at a time")] = 8
    column: Columns = ()  # type: ignore[assignment]
    style: Annotated[
        str, typer.Option(help="of prompts: free (at length), short (small models), paper (as the paper's)")
    ] = "auto"
    prompts_dir: Annotated[Path | None, typer.Option("--prompts", help="a folder of prompts of your own")] = None
    temperature: Annotated[float | None, typer.Option(help="not the protocol's; above 0 for several samples")] = None
    max_tokens: Annotated[int | None, typer.Option(help="of a reply, reasoning included; default 16,384")] = None
    effort: Annotated[str, typer.Option(help="of reasoning: none, minimal, low, medium, high, xhigh or max")] = ""
    thinking: Annotated[str, typer.Option(help="true, false, or the tokens that it may take")] = ""
    timeout: Annotated[float | None, typer.Option(help="seconds for one attempt; default 600")] = None

    def settings(self) -> dict[str, Any]:
        """Those settings that were given, as a notebook's parameter. Raises ValueError for what is none."""
        from proctor.models.prompts import check_folder
        from proctor.models.settings import Settings

        words = {"": None, "true": True, "false": False}
        if not self.thinking.isdecimal() and self.thinking not in words:
            raise WorkflowError(f"--thinking {self.thinking}: say true, false, or how many tokens")
        if self.prompts_dir is not None:
            check_folder(str(self.prompts_dir))
        thinking = int(self.thinking) if self.thinking.isdecimal() else words[self.thinking]
        given = asdict(self) | dict(thinking=thinking, prompts_dir=absolute(self.prompts_dir))
        how = {name: given[name] for name in vars(Settings()) if given[name] not in (None, "", "auto")}
        Settings.of(how)
        return how


def shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with `exit_codes`, and an option for each field of its last parameter, a `Bounds` or `Asking`."""
    *own, last = inspect.signature(command).parameters.values()
    shared = inspect.signature(last.annotation).parameters

    @functools.wraps(command)
    def typed(**given: Any) -> None:
        with exit_codes():
            command(**{last.name: last.annotation(**{name: given.pop(name) for name in shared})}, **given)

    options = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *shared.values())]
    typed.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    typed.__annotations__ = {each.name: each.annotation for each in options}
    return typed


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """Print known errors without a traceback, and end with 2 bad input, 1 failed or incomplete, 130 stopped."""
    try:
        yield
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    except (WorkflowError, ValueError, KeyError, RuntimeError, LookupError, OSError) as error:
        from proctor.models.registry import ModelError

        if isinstance(error, typer.Exit):  # a RuntimeError, of click
            raise
        bad_input = isinstance(error, WorkflowError | ModelError | ValueError | KeyError)
        print(error.args[0] if isinstance(error, KeyError) else error, file=sys.stderr)
        raise typer.Exit(2 if bad_input else 1) from None


def ask_models(
    name: str,
    notebook: str,
    what: str,
    study: Callable[["Session"], Awaitable[Any]],
    asking: Asking,
    batch: bool = False,
) -> bool:
    """Show `what` is asked and the plan, then ask it, with progress on the terminal.

    notebook: the one that reads the replies, "" for none. batch: as `Session` takes it. False where that was all: for
    --plan, and for --export where requests were written."""
    from proctor.models.session import Session
    from proctor.models.studies import export, pilot, shown_plan

    if notebook and not (asking.plan or asking.export):
        run.find(notebook)

    async def go() -> bool:
        how = dict(budget=asking.bound(), concurrency=asking.at_once, settings=asking.settings(), batch=batch)
        async with Session("replay" if asking.export else "auto", **how) as session:
            print(what, flush=True)
            rehearsal = await shown_plan(session, study)
            if asking.plan:
                return False
            run.mark(run.folder_of(name), notebook, run.INCOMPLETE)
            if asking.export:
                n = await export(session, study, asking.export)
                print(
                    f"{n:,} requests in {asking.export}; then: import {asking.export} REPLIES"
                    if n
                    else "nothing to ask"
                )
                return not n
            await session.ready(rehearsal.missing)
            await pilot(session, rehearsal, study)
            await study(session)
            print(f"asked: {session.spent}", flush=True)
            return True

    return asyncio.run(go())


def run_notebook(
    notebook: str, name: str, values: dict[str, Any], tables: dict[str, list[str]], also: Sequence[str] = ()
) -> None:
    if run.run_own(notebook, name, values, tables, also):
        raise typer.Exit(1)


async def replayed(work: "Callable[[Session], Awaitable[pd.DataFrame]]", settings: dict[str, Any]) -> "pd.DataFrame":
    """The same work on kept replies alone."""
    from proctor.models.session import Session

    async with Session("replay", settings=settings) as session:
        return await work(session)


def named_columns(pairs: list[str]) -> dict[str, str]:
    if wrong := [text for text in pairs if "=" not in text]:
        raise WorkflowError(f"--column {wrong[0]}: write FIELD=COLUMN, such as question=prompt")
    return dict(text.split("=", 1) for text in pairs)


def absolute(path: Path | None) -> str:
    return str(path.resolve()) if path else ""


def rng() -> "np.random.Generator":
    """The generator of the intervals that commands print: the same draws each time."""
    import numpy

    return numpy.random.default_rng(20260101)
