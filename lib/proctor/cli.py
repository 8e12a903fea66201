"""The command: one's own questions, answers, results and tables through the notebooks.

    python -m proctor exam mine.jsonl --model openai/o3 --judge openai/gpt-4o --budget 5
    python -m proctor exam mine.jsonl --model openai/o3 --plan          what the same would cost; asks nothing

A command reads its files and shows its plan before anything is asked. Replies are kept as they come, so the same
command again asks only what is missing. Then its notebook runs on the kept replies, into build/runs/<name>/.
Exit codes: 0 done, 1 failed or incomplete, 2 bad input. Only light modules up here, so that --help is quick.
"""

import asyncio
import contextlib
import importlib
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor import COMMAND_LINE, __version__, program, remedy, table_commands
from proctor import asking_options as options
from proctor.files import write_atomic
from proctor.workflow import run as own_run
from proctor.workflow.notebook import WorkflowError, all_notebooks

if TYPE_CHECKING:
    import pandas as pd

    from proctor.models.session import Session

app = typer.Typer(
    name="proctor",
    help="Your models, questions, answers and leaderboards in Proctor's notebooks. Keys come from the environment.",
    no_args_is_help=True,
    **COMMAND_LINE,
)


Cached = Annotated[Path | None, typer.Option(help="where replies are kept")]


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"proctor {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="show it")] = False,
) -> None: ...


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        words = _paired(words)
    if words[:1] == ["sweep"]:
        words = ["sweep", "--", *words[1:]]  # so that a -- of its own, before Snakemake's options, stays
    try:
        app(words, prog_name=program())
    except ModuleNotFoundError as error:
        if (install := remedy(error)) is None:
            raise
        print(f"{words[0]} needs {error.name}, which is not installed: {install}", file=sys.stderr)
        sys.exit(2)


def _paired(words: list[str]) -> list[str]:
    """`-p NAME VALUE`, as papermill and make take it, as `-p NAME=VALUE`, which typer takes several times."""
    paired: list[str] = []
    for word in words:
        half = paired[-2:-1] == ["-p"] and "=" not in paired[-1]
        paired[len(paired) - half :] = [f"{paired[-1]}={word}" if half else word]
    return paired


@app.command()
@options.shared_options
def exam(
    questions: Annotated[Path, typer.Argument(help=".jsonl, .csv, .json or .parquet; HLE's own files too")],
    model: options.Models,
    judge: Annotated[str, typer.Option(help="weighs answers that comparison can't decide")] = "",
    judge_all: Annotated[bool, typer.Option("--judge-all", help="put every answer to the judge, as HLE does")] = False,
    samples: Annotated[int, typer.Option(min=1, help="answers to each question")] = 1,
    licence: options.Licence = None,
    *,
    asking: options.Asking,
) -> None:
    """Sit models before an exam: accuracy with intervals, by category, calibration, and HLE's own files."""
    from proctor.data.questions import load_questions
    from proctor.exam import judge_licence, run_exam
    from proctor.models.settings import Settings

    columns, how = options.named_columns(asking.column), asking.settings()
    asked = load_questions(questions, columns=columns)
    held = judge_licence.read(licence) if licence else None
    setup = run_exam.Setup(asked, model, judge, judge_all, samples).checked(Settings(**how))
    run, notebook = asking.name or f"exam-{questions.stem}", "hle/your_exam"

    pictures = sum(bool(question.image) for question in asked)
    what = f"{len(asked)} questions ({pictures} with a picture), {len(model)} models"
    if options.ask_models(run, notebook, what, lambda session: run_exam.sit(session, setup), asking):
        values = dict(
            question_file=str(questions.resolve()),
            columns=columns,
            models=list(model),
            judge=judge,
            judge_all=judge_all,
            samples=samples,
            settings=how,
            predictions=str(own_run.folder_of(run) / "predictions"),
        )
        shown = ["model", "n", "answers", "right", "unreadable", "accuracy", "official", "overconfidence", "note"]
        tables = {
            "hle/your_exam_results": shown,
            "hle/your_exam_categories": ["model", "category", "n", "right", "accuracy"],
        }
        options.run_notebook(notebook, run, values, tables)
        if held:
            rows = asyncio.run(options.replayed(lambda session: run_exam.sit(session, setup), how))
            prompt = judge_licence.prompt_of(judge, Settings(**how))
            for name, part in rows[rows["decided_by"] == judge].groupby("model", sort=False):
                said = judge_licence.said(
                    held, judge, prompt, part["right"] == 1, [math.nan] * len(part), options.rng()
                )
                print(f"{name}, of the answers that the judge decided: {said}")


ONE, SEVERAL = "(C x3|U)", "(C x3|U) |U"  # validators: three samples of one check, all of them; and all judges


@app.command()
@options.shared_options
def validate(
    answers: Annotated[Path, typer.Argument(help="question_id and text, if known author and correct")],
    judges: Annotated[list[str], typer.Option("--judges", help="a model; may be repeated")],
    validator: Annotated[str, typer.Option(help=f"in UQ's notation; {ONE}, of several judges {SEVERAL}")] = "",
    questions: Annotated[Path | None, typer.Option(help="their file; none: a column `question` in ANSWERS")] = None,
    licence: options.Licence = None,
    *,
    asking: options.Asking,
) -> None:
    """Put answers before a validator: what it accepts and, where the truth is known, how right it is."""
    import pandas

    from proctor.data.answers import load_asked
    from proctor.exam import judge_licence
    from proctor.uq import own_judges
    from proctor.uq.run_validator import Run
    from proctor.uq.run_validator import validate as validated

    columns, how = options.named_columns(asking.column), asking.settings()
    held = judge_licence.read(licence) if licence else None
    validator = validator or (ONE if len(judges) == 1 else SEVERAL)
    asked = load_asked(answers, questions or "", columns)
    run, notebook = asking.name or f"validate-{answers.stem}", "uq/your_answers"
    what = f"{len(asked[1])} answers before {validator}"
    if options.ask_models(
        run, notebook, what, lambda session: validated(session, Run(validator, judges), *asked), asking
    ):
        own = dict(answer_file=str(answers.resolve()), question_file=options.absolute(questions))
        values = own | dict(columns=columns, validator=validator, judges=list(judges), settings=how)
        shown = "author answers accepted unreadable rejected_unreadable share of_right of_wrong".split()
        options.run_notebook(notebook, run, values, {"uq/your_answers_results": shown})
        found = pandas.read_csv(own_run.folder_of(run) / "uq/your_answers_verdicts.csv")
        who, prompt = " + ".join(judges), own_judges.prompt_of(validator, how)
        print(f"a licence of this judge names its prompt: {prompt}")
        if held:
            print(judge_licence.said(held, who, prompt, found["outcome"] == "accept", found["correct"], options.rng()))


@app.command()
@options.shared_options
def mark(
    replies: Annotated[list[Path], typer.Argument(help="HLE's, inspect_ai's, lm-eval's, promptfoo's files, tables")],
    keys: Annotated[Path, typer.Option(help="a file of questions with keys, or a table of id and answer")],
    judge: Annotated[str, typer.Option(help="weighs what comparison can't decide; none: nothing is asked")] = "",
    score: options.Scores = [],  # noqa: B006
    filter: options.Filters = [],  # noqa: B006
    *,
    asking: options.Asking,
) -> None:
    """Mark replies that are kept already under given keys, next to the marks that their files hold."""
    from proctor.exam import marking

    questions = marking.read_keys(keys, options.named_columns(asking.column))
    given = marking.read_replies(*replies, scores=score, filters=filter)
    found = marking.matched(given, questions, keys)
    run = asking.name or f"mark-{keys.stem}"
    what = f"{len(found):,} replies of {found['model'].nunique()} models to questions with a key"
    what += f"; {len(given) - len(found):,} replies to other questions are left out" * (len(given) > len(found))

    async def marked(session: "Session") -> "pd.DataFrame":
        return await marking.mark(session, found, questions, judge)

    if options.ask_models(run, "", what, marked, asking):
        file = own_run.folder_of(run) / "marks.csv"
        rows = asyncio.run(options.replayed(marked, asking.settings()))
        write_atomic(file, marking.as_results(rows).to_csv(index=False))
        own_run.mark(file.parent, "", own_run.DONE)
        print(f"{marking.described(rows)}\nevery reply, for compare and leaderboard: {file}")


@app.command()
@options.shared_options
def candidates(
    file: Annotated[Path, typer.Argument(help="question (or question_id) and text, if known author and correct")],
    neighbours: Annotated[Path, typer.Option(help="related questions: question, answer, neighbour_of")],
    model: options.Models,
    questions: Annotated[Path | None, typer.Option(help="their file; none: a column `question` in FILE")] = None,
    rollouts: Annotated[int, typer.Option(min=1, help="on each neighbour; the paper has 64")] = 8,
    *,
    asking: options.Asking,
) -> None:
    """Rank candidate solutions by what they help to solve (utility), next to a judge's score; is the best one above
    the second?"""
    from proctor.cbu import own_candidates
    from proctor.data.questions import load_questions
    from proctor.models.settings import Settings

    columns, how = options.named_columns(asking.column), asking.settings()
    loaded = own_candidates.load(file, neighbours, questions or "", columns)
    own_candidates.refuse_copies(rollouts, Settings(**how))
    run, notebook = asking.name or f"candidates-{file.stem}", "cbu/your_candidates"

    asked, texts, _ = loaded
    what = f"{len(texts)} candidates to {len(asked)} questions"
    if questions and (left := len(load_questions(questions)) - len(asked)):
        what += f"; left out: {left} questions without candidates"
    if options.ask_models(
        run, notebook, what, lambda door: own_candidates.score(door, loaded, model, rollouts), asking
    ):
        values = dict(
            candidate_file=str(file.resolve()),
            neighbour_file=str(neighbours.resolve()),
            question_file=options.absolute(questions),
            columns=columns,
            models=list(model),
            rollouts=rollouts,
            settings=how,
        )
        tables = {
            "cbu/your_candidates_table": ["model", "question_id", "candidate", "utility", "gain", "undecided",
                                          "unreadable", "cut off", "judge", "judge_unreadable", "correct"],
            "cbu/your_candidates_best": ["model", "question_id", "best", "second", "difference", "reading"],
        }  # fmt: skip
        options.run_notebook(notebook, run, values, tables)


for command in table_commands.COMMANDS:
    app.command()(options.exit_codes()(command))


@app.command()
@options.shared_options
def run(
    notebook: Annotated[str, typer.Argument(help="such as uq/6_agreement; none: the list of all")] = "",
    parameter: Annotated[list[str], typer.Option("-p", help="NAME VALUE, the value as in YAML; may be repeated")] = [],  # noqa: B006
    *,
    bounds: options.Bounds,
) -> None:
    """Run any notebook with parameters of your own into build/runs/."""
    if not notebook:
        print(*(found.name for found in all_notebooks()), sep="\n")
        return
    from proctor.workflow.params import read_overrides

    pairs = [text.partition("=")[::2] for text in parameter]
    if wrong := [text for text in parameter if "=" not in text]:
        raise WorkflowError(f"-p {wrong[0]}: write -p NAME VALUE")
    found = own_run.find(notebook)
    if bound := bounds.bound():
        bound.keep()  # for the kernel
    options.run_notebook(str(found.path), bounds.name or found.name.replace("/", "-"), read_overrides(pairs), {})


@app.command()
@options.exit_codes()
def export(
    study: Annotated[str, typer.Option(help="its name in recordings/record.py")],
    models: Annotated[list[str], typer.Option(help="openai/<model>@<address>, or a name of models.yaml; repeatable")],
    out: Annotated[Path, typer.Option(help="the file of requests")],
    cache: Cached = None,
) -> None:
    """Write the next requests of a recorded study for a cluster; repeat with `import` until nothing is to be asked."""
    from proctor.models import studies
    from proctor.models.session import Session
    from proctor.recordings.record import OF_ANSWERS, PARALLEL, STUDIES

    if (ask := (STUDIES | PARALLEL).get(study)) is None:
        raise WorkflowError(f"--study {study}: there are {', '.join(STUDIES | PARALLEL)}")
    more = {"answering": models} if study in OF_ANSWERS else {}

    async def write() -> int:
        async with Session("replay", cache=cache, progress=False) as session:
            return await studies.export(session, lambda asking: ask(asking, models, **more), out)

    n = asyncio.run(write())
    print(f"{n:,} requests in {out}" if n else "nothing to ask: all replies are there")


@app.command("import")
@options.exit_codes()
def import_(requests: Path, replies: list[Path], cache: Cached = None) -> None:
    """Keep a cluster's replies to the requests of an export."""
    from proctor import paths
    from proctor.models.cache import Cache
    from proctor.models.studies import import_replies

    with contextlib.closing(Cache(cache or paths.REPLIES or paths.CACHE / "replies.sqlite")) as kept:
        found = import_replies(replies, requests, kept)
    print(found)
    if not found.complete:
        raise typer.Exit(1)


ANY_WORDS = {"allow_extra_args": True, "ignore_unknown_options": True}
PASSED_ON = {  # command: the module whose `main` reads its words, and a line about it
    "sweep": ("proctor.workflow.sweep", "Run notebooks over seeds, models and parameters, into one table of claims"),
    "how-many": ("proctor.synthesis.how_many_checks", "How many items, repeats, rollouts, reviewers or checks to plan"),
    "logs": ("proctor.logs.fetch", "Fetch public logs of strong models: logs [NAME ...]"),
    "dataset": ("proctor.uq.dataset.commands", "UQ's dataset, from posts to a reviewed, versioned release"),
    "platform": ("desk.command", "UQ's review desk: open, moderator, load, export, import, digest"),
}


@options.exit_codes()
def _pass_on(context: typer.Context) -> None:
    module = importlib.import_module(PASSED_ON[context.info_name or ""][0])
    raise typer.Exit(module.main(context.args) or 0)


for name, (_, about) in PASSED_ON.items():
    app.command(name, help=about, add_help_option=False, context_settings=ANY_WORDS)(_pass_on)


@app.command()
@options.exit_codes()
def diff(
    before: Annotated[str, typer.Argument(help="a commit, tag or branch")],
    after: Annotated[str, typer.Argument(help="another one; none: the files as they lie here")] = "",
) -> None:
    """Which claims and which cells of tables changed between two commits, as Markdown."""
    from proctor.workflow.git import changelog

    print(changelog(before, after))


@app.command()
def status() -> None:
    """Your runs in build/runs/ and their states."""
    found = own_run.states()
    for each in found:
        print(f"{each['name']:<32} {each['state']:<12} {each['time']:<20} {each['notebook']}")
    print(f"{len(found)} runs in {own_run.RUNS}")
    if any(each["state"] != own_run.DONE for each in found):
        raise typer.Exit(1)
