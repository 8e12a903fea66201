"""The command: one's own questions, answers, results and tables through the notebooks.

    python -m proctor exam mine.jsonl --model openai/o3 --judge openai/gpt-4o --budget 5
    python -m proctor plan exam mine.jsonl --model openai/o3            what the same would cost; asks nothing

A command reads its files and shows its plan before anything is asked. Replies are kept as they come, so the same
command again asks only what is missing. Then its notebook runs on the kept replies, into build/runs/<name>/.
Exit codes: 0 done, 1 failed or incomplete, 2 bad input. Only light modules up here, so that --help is quick.
"""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.files import write_atomic
from proctor.workflow import own_run
from proctor.workflow.notebook import WorkflowError, all_notebooks

if TYPE_CHECKING:
    from proctor.models.session import Session

app = typer.Typer(
    name="proctor",
    help="Your models, questions, answers and leaderboards in Proctor's notebooks. Keys come from the environment.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Models = Annotated[list[str], typer.Option("--model", help="openai/<model>[@http://server/v1], anthropic/<model>, a name of params/models.yaml; may be repeated")]  # fmt: skip  # noqa: E501
Dollars = Annotated[float | None, typer.Option("--budget", help="dollars to spend at most")]
Calls = Annotated[int | None, typer.Option("--max-calls", help="calls to make at most, for models without a price")]
OnlyPlan = Annotated[bool, typer.Option("--plan", help="show what would be asked and what it costs at most, and stop")]
Name = Annotated[str, typer.Option(help="of the run's folder in build/runs/; default: from the command and the file")]
Columns = Annotated[list[str], typer.Option("--column", help="FIELD=COLUMN for a column of another name; may be repeated")]  # fmt: skip  # noqa: E501
Prompts = Annotated[Path | None, typer.Option("--prompts", help="a folder of prompts of your own")]
Temperature = Annotated[float, typer.Option(help="above 0 for several samples")]
AtOnce = Annotated[int, typer.Option("--at-once", help="calls in flight at a time")]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. `plan` before a command is its option --plan."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["plan"] and words[1:2] not in ([], ["--help"], ["-h"]):
        words = [*words[1:], "--plan"]
    app(words, prog_name="python -m proctor")


@app.command()
def exam(
    questions: Annotated[Path, typer.Argument(help=".jsonl, .csv, .json or .parquet; HLE's own files too")],
    model: Models,
    judge: Annotated[str, typer.Option(help="weighs answers that comparison can't decide")] = "",
    judge_all: Annotated[bool, typer.Option("--judge-all", help="put every answer to the judge, as HLE does")] = False,
    samples: Annotated[int, typer.Option(help="answers to each question")] = 1,
    temperature: Temperature = 0.0,
    budget: Dollars = None,
    max_calls: Calls = None,
    column: Columns = [],  # noqa: B006 typer reads it and changes nothing
    prompts: Prompts = None,
    at_once: AtOnce = 8,
    plan: OnlyPlan = False,
    name: Name = "",
) -> None:
    """Sit models before an exam: accuracy with intervals, by category, calibration, and HLE's own files."""
    with exit_codes():
        from proctor.data.questions import load_questions
        from proctor.exam import own_exam

        columns, folder = _columns(column), _prompts(prompts)
        asked = load_questions(questions, columns=columns)
        setup = own_exam.Setup(asked, model, judge, judge_all, samples, temperature, folder).checked()
        run, notebook = name or f"exam-{questions.stem}", "hle/your_exam"

        async def sit(session: "Session") -> None:
            bill = own_exam.bill(session, setup)
            pictures = sum(bool(question.image) for question in asked)
            print(f"{len(asked)} questions ({pictures} with a picture), {len(model)} models\nplan: {bill}", flush=True)
            if not plan:
                _affordable(bill.dollars, bill.to_ask + bill.judgements, budget, max_calls)
                await own_exam.sit(session, setup)

        _ask(run, notebook, sit, plan, budget, max_calls, at_once)
        if not plan:
            values = dict(
                question_file=str(questions.resolve()),
                columns=columns,
                models=list(model),
                judge=judge,
                judge_all=judge_all,
                samples=samples,
                temperature=temperature,
                prompts_dir=folder,
                predictions=str(own_run.folder_of(run) / "predictions"),
            )
            shown = ["model", "n", "right", "unreadable", "accuracy", "official", "overconfidence"]
            tables = {
                "hle/your_exam_results": shown,
                "hle/your_exam_categories": ["model", "category", "n", "right", "accuracy"],
            }
            _finish(notebook, run, values, tables)


@app.command()
def validate(
    answers: Annotated[Path, typer.Argument(help="question_id and text, if known author and correct")],
    judges: Annotated[list[str], typer.Option("--judges", help="a model; may be repeated")],
    validator: Annotated[str, typer.Option(help="in UQ's notation")] = "(C x3|U)",
    questions: Annotated[Path | None, typer.Option(help="their file; none: a column `question` in ANSWERS")] = None,
    temperature: Temperature = 0.0,
    budget: Dollars = None,
    max_calls: Calls = None,
    column: Columns = [],  # noqa: B006
    prompts: Prompts = None,
    at_once: AtOnce = 8,
    plan: OnlyPlan = False,
    name: Name = "",
) -> None:
    """Put answers before a validator: what it accepts and, where the truth is known, how right it is."""
    with exit_codes():
        from proctor.data.answers import load_asked
        from proctor.uq import run_validator

        columns, how = _columns(column), dict(temperature=temperature, prompts_dir=_prompts(prompts))
        asked = validator, judges, *load_asked(answers, questions or "", columns)
        bill = run_validator.bill(*asked, **how)
        run, notebook = name or f"validate-{answers.stem}", "uq/your_answers"

        async def judge(session: "Session") -> None:
            cost = "no price known" if bill["dollars"] is None else f"at most ${bill['dollars']:,.2f}"
            print(
                f"{len(asked[3])} answers\nplan: at most {bill['calls']:,} calls, kept ones among them; {cost}",
                flush=True,
            )
            if not plan:
                _affordable(bill["dollars"], bill["calls"], budget, max_calls)
                await run_validator.validate(session, *asked, **how)

        _ask(run, notebook, judge, plan, budget, max_calls, at_once)
        if not plan:
            own = dict(answer_file=str(answers.resolve()), question_file=str(questions.resolve()) if questions else "")
            values = own | dict(columns=columns, validator=validator, judges=list(judges), **how)
            shown = ["author", "answers", "accepted", "unreadable", "share", "of_right", "of_wrong"]
            _finish(notebook, run, values, {"uq/your_answers_results": shown})


Own = Annotated[list[str], typer.Option("--own", help="a system of your own, always drawn; may be repeated")]
Missing = Annotated[str, typer.Option(help="items that a system lacks: common (left out), wrong (scored 0) or error")]


@app.command()
def leaderboard(
    results: Annotated[Path, typer.Argument(help="CSV: items x systems, systems x items or a score a row")],
    own: Own = [],  # noqa: B006
    pair: Annotated[list[str], typer.Option("--pair", help="two systems whose power is told; give it twice")] = [],  # noqa: B006
    missing: Missing = "common",
    questions: Annotated[Path | None, typer.Option(help="their file, for the items' disciplines")] = None,
    name: Name = "",
) -> None:
    """Rank 2 to 500 systems item by item: ranks, pairs, categories, and what they can bear."""
    with exit_codes():
        _board(results, name or f"leaderboard-{results.stem}", own, pair, missing, questions)


@app.command()
def compare(
    one: Annotated[Path, typer.Argument(help="of one system: HLE's judged file, inspect_ai's log, item,score CSV")],
    other: Annotated[Path, typer.Argument(help="results of the other, on the same items")],
    missing: Missing = "common",
    name: Name = "",
) -> None:
    """Compare two systems, each in a file of its own: difference, interval, p, and the power of the items."""
    with exit_codes():
        from proctor.exam.one_system import board_of

        run = name or f"compare-{one.stem}-{other.stem}"
        text, pair = board_of([one, other])
        file = own_run.folder_of(run) / "results.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text)
        _board(file, run, [], pair, missing, None)


@app.command()
def run(
    notebook: Annotated[str, typer.Argument(help="such as uq/6_agreement; none: the list of all")] = "",
    parameter: Annotated[list[str], typer.Option("-p", help="NAME=VALUE, the value as in YAML; may be repeated")] = [],  # noqa: B006
    name: Name = "",
) -> None:
    """Run any notebook with parameters of your own into build/runs/."""
    with exit_codes():
        if not notebook:
            print(*(found.name for found in all_notebooks()), sep="\n")
            return
        from proctor.workflow.params import read_overrides

        pairs = [text.partition("=")[::2] for text in parameter]
        if wrong := [text for text in parameter if "=" not in text]:
            raise WorkflowError(f"-p {wrong[0]}: write NAME=VALUE")
        found = own_run.find(notebook)
        _finish(str(found.path), name or found.name.replace("/", "-"), read_overrides(pairs), {})


@app.command()
def status() -> None:
    """Your runs in build/runs/ and their states."""
    found = own_run.states()
    for each in found:
        print(f"{each['name']:<32} {each['state']:<12} {each['time']:<20} {each['notebook']}")
    print(f"{len(found)} runs in {own_run.RUNS}; `make status` tells which published artifact is regenerated")
    if any(each["state"] != own_run.DONE for each in found):
        raise typer.Exit(1)


@app.command()
def plan() -> None:
    """Before another command: what it would ask and cost at most (`python -m proctor plan exam FILE --model ...`)."""
    print("Write the command after it: python -m proctor plan exam FILE --model ...", file=sys.stderr)
    raise typer.Exit(2)


# What commands share


def _board(results: Path, name: str, own: list[str], pair: list[str], missing: str, questions: Path | None) -> None:
    from proctor.kina.leaderboard import describe, load_given

    item_file = str(questions.resolve()) if questions else ""
    board = load_given(str(results.resolve()), item_file, missing)
    print(describe(board))
    if unknown := [system for system in (*own, *pair) if system not in board.models]:
        raise WorkflowError(f"{results}: no system {unknown[0]!r}; there are {', '.join(board.models[:10])} ...")
    if len(pair) not in (0, 2):
        raise WorkflowError("--pair names two systems: give it twice")
    values = dict(results=str(results.resolve()), item_file=item_file, missing=missing, own=list(own), pair=list(pair))
    shown = {
        "kina/own_leaderboard": ["rank", "model", "accuracy", "set_low", "set_high", "not_told_apart"],
        "kina/own_pairs": ["a", "b", "difference", "p", "holm"],
        "kina/own_power": ["true_gap", "power", "items_for_80_percent"],
    }
    _finish("kina/your_leaderboard", name, values, shown)


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """Told errors instead of tracebacks: 2 bad input, 1 failed or incomplete, 130 stopped."""
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


def _ask(
    name: str,
    notebook: str,
    job: Callable[["Session"], Awaitable[None]],
    plan: bool,
    budget: float | None,
    max_calls: int | None,
    at_once: int,
) -> None:
    """Do what asks models, with progress on the terminal; the run is incomplete until its notebook has run."""
    from proctor.models.session import Session
    from proctor.models.spending import Budget

    folder = own_run.folder_of(name)
    if not plan:
        own_run.mark(folder, notebook, own_run.INCOMPLETE)

    async def asking() -> None:
        async with Session("auto", budget=Budget(max_calls, budget), concurrency=at_once) as session:
            await job(session)
            if not plan:
                spent = session.spent
                tokens = f"{spent.prompt_tokens + spent.completion_tokens:,} tokens"
                print(f"asked: {spent.calls:,} new calls, {tokens}, ${spent.dollars:.2f}", flush=True)

    asyncio.run(asking())


def _affordable(dollars: float | None, to_ask: int, budget: float | None, max_calls: int | None) -> None:
    """Raises ValueError where money may be spent and no bound was given."""
    if to_ask and budget is None and max_calls is None and dollars != 0:
        cost = (
            "they have no price here: say --max-calls"
            if dollars is None
            else f"they may cost ${dollars:,.2f}: say --budget"
        )
        raise ValueError(f"{to_ask:,} calls are to be made, and {cost}")


def _finish(notebook: str, name: str, values: dict[str, Any], tables: dict[str, list[str]]) -> None:
    if own_run.run_own(notebook, name, values, tables):
        raise typer.Exit(1)


def _columns(pairs: list[str]) -> dict[str, str]:
    if wrong := [text for text in pairs if "=" not in text]:
        raise WorkflowError(f"--column {wrong[0]}: write FIELD=COLUMN, such as question=prompt")
    return dict(text.split("=", 1) for text in pairs)


def _prompts(folder: Path | None) -> str | None:
    if folder is not None and not folder.is_dir():
        raise WorkflowError(f"--prompts {folder}: no such folder")
    return str(folder.resolve()) if folder else None
