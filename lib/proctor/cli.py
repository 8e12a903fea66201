"""The command: one's own questions, answers, results and tables through the notebooks.

    python -m proctor exam mine.jsonl --model openai/o3 --judge openai/gpt-4o --budget 5
    python -m proctor plan exam mine.jsonl --model openai/o3            what the same would cost; asks nothing

A command reads its files and shows its plan before anything is asked. Replies are kept as they come, so the same
command again asks only what is missing. Then its notebook runs on the kept replies, into build/runs/<name>/.
Exit codes: 0 done, 1 failed or incomplete, 2 bad input. Only light modules up here, so that --help is quick.
"""

import asyncio
import contextlib
import functools
import importlib
import inspect
import math
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from proctor import __version__, program
from proctor.extras import remedy
from proctor.files import write_atomic
from proctor.workflow import run as own_run
from proctor.workflow.notebook import WorkflowError, all_notebooks

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from proctor.models.session import Session
    from proctor.models.spending import Budget

PLANNED = ("exam", "validate", "candidates", "mark")  # the commands that `plan` may go before

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
Total = Annotated[float | None, typer.Option("--total-budget", help="dollars that all runs together may have spent")]
NoBudget = Annotated[bool, typer.Option("--no-budget", help="no limit to what is spent")]
Name = Annotated[str, typer.Option(help="of the run's folder in build/runs/; default: from the command and the file")]
Columns = Annotated[list[str], typer.Option("--column", help="FIELD=COLUMN for a column of another name; may be repeated")]  # fmt: skip  # noqa: E501


Licence = Annotated[Path | None, typer.Option(help="of the judge (`judge` writes it): print the corrected share right")]


class Asking(NamedTuple):
    """How a command asks models, and what that may cost: the options that exam, validate, candidates and mark share."""

    budget: Dollars = None
    max_calls: Calls = None
    total_budget: Total = None
    no_budget: NoBudget = False
    plan: Annotated[bool, typer.Option("--plan", help="show what would be asked and what it costs, and stop")] = False
    export: Annotated[Path | None, typer.Option(help="ask nothing: write the next requests here, for a cluster")] = None
    at_once: Annotated[int, typer.Option(help="calls in flight at a time")] = 8
    column: Columns = []
    style: Annotated[str, typer.Option(help="of prompts: free (reason at length), short (small models)")] = "auto"
    prompts: Annotated[Path | None, typer.Option(help="a folder of prompts of your own")] = None
    temperature: Annotated[float | None, typer.Option(help="not the protocol's; above 0 for several samples")] = None
    max_tokens: Annotated[int | None, typer.Option(help="of a reply, reasoning included; default 16,384")] = None
    effort: Annotated[str, typer.Option(help="of reasoning: none, minimal, low, medium, high, xhigh or max")] = ""
    thinking: Annotated[str, typer.Option(help="true, false, or the tokens that it may take")] = ""
    timeout: Annotated[float | None, typer.Option(help="seconds for one attempt; default 600")] = None
    name: Name = ""

    def settings(self) -> dict[str, Any]:
        """Those settings that were given, as a notebook's parameter. Raises ValueError for what is none."""
        from proctor.models.prompts import check_folder
        from proctor.models.settings import Settings

        words = {"": None, "true": True, "false": False}
        if not self.thinking.isdecimal() and self.thinking not in words:
            raise WorkflowError(f"--thinking {self.thinking}: say true, false, or how many tokens")
        if self.prompts is not None:
            check_folder(str(self.prompts))
        given = dict(
            style=self.style if self.style != "auto" else None,
            max_tokens=self.max_tokens,
            effort=self.effort or None,
            thinking=int(self.thinking) if self.thinking.isdecimal() else words[self.thinking],
            timeout=self.timeout,
            temperature=self.temperature,
            prompts_dir=_absolute(self.prompts) or None,
        )
        how = {name: value for name, value in given.items() if value is not None}
        Settings(**how)
        return how


def _asks(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `Asking` in the place of its parameter `asking`."""
    shared = inspect.signature(Asking).parameters
    own = [each for each in inspect.signature(command).parameters.values() if each.name != "asking"]

    @functools.wraps(command)
    def typed(**given: Any) -> None:
        command(asking=Asking(**{name: given.pop(name) for name in shared}), **given)

    options = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *shared.values())]
    typed.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    typed.__annotations__ = {each.name: each.annotation for each in options}
    return typed


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"proctor {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="show it")] = False,
) -> None: ...


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. `plan` before a command is its option --plan."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["plan"] and words[1:2] and words[1] in PLANNED:
        words = [words[1], "--plan", *words[2:]]
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
@_asks
def exam(
    questions: Annotated[Path, typer.Argument(help=".jsonl, .csv, .json or .parquet; HLE's own files too")],
    model: Models,
    judge: Annotated[str, typer.Option(help="weighs answers that comparison can't decide")] = "",
    judge_all: Annotated[bool, typer.Option("--judge-all", help="put every answer to the judge, as HLE does")] = False,
    samples: Annotated[int, typer.Option(help="answers to each question")] = 1,
    licence: Licence = None,
    *,
    asking: Asking,
) -> None:
    """Sit models before an exam: accuracy with intervals, by category, calibration, and HLE's own files."""
    with exit_codes():
        from proctor.data.questions import load_questions
        from proctor.exam import judge_licence, run_exam
        from proctor.models.settings import Settings

        columns, how = _columns(asking.column), asking.settings()
        asked = load_questions(questions, columns=columns)
        held = judge_licence.read(licence) if licence else None
        setup = run_exam.Setup(asked, model, judge, judge_all, samples).checked(Settings(**how))
        run, notebook = asking.name or f"exam-{questions.stem}", "hle/your_exam"

        pictures = sum(bool(question.image) for question in asked)
        what = f"{len(asked)} questions ({pictures} with a picture), {len(model)} models"
        if _ask(run, notebook, what, lambda session: run_exam.sit(session, setup), asking):
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
            _finish(notebook, run, values, tables)
            if held:
                rows = asyncio.run(_replayed(lambda session: run_exam.sit(session, setup), how))
                prompt = judge_licence.prompt_of(judge, Settings(**how))
                for name, part in rows[rows["decided_by"] == judge].groupby("model", sort=False):
                    said = judge_licence.said(held, judge, prompt, part["right"] == 1, [math.nan] * len(part), _rng())
                    print(f"{name}, of the answers that the judge decided: {said}")


ONE, SEVERAL = "(C x3|U)", "(C x3|U) |U"  # validators: three samples of one check, all of them; and all judges


@app.command()
@_asks
def validate(
    answers: Annotated[Path, typer.Argument(help="question_id and text, if known author and correct")],
    judges: Annotated[list[str], typer.Option("--judges", help="a model; may be repeated")],
    validator: Annotated[str, typer.Option(help=f"in UQ's notation; {ONE}, of several judges {SEVERAL}")] = "",
    questions: Annotated[Path | None, typer.Option(help="their file; none: a column `question` in ANSWERS")] = None,
    licence: Licence = None,
    *,
    asking: Asking,
) -> None:
    """Put answers before a validator: what it accepts and, where the truth is known, how right it is."""
    with exit_codes():
        import pandas

        from proctor.data.answers import load_asked
        from proctor.exam import judge_licence
        from proctor.models.settings import Settings
        from proctor.uq import own_judges, run_validator

        columns, how = _columns(asking.column), asking.settings()
        held = judge_licence.read(licence) if licence else None
        validator = validator or (ONE if len(judges) == 1 else SEVERAL)
        asked = validator, judges, *load_asked(answers, questions or "", columns)
        run, notebook = asking.name or f"validate-{answers.stem}", "uq/your_answers"
        run_validator.bill(*asked, settings=Settings(**how))  # raises what it can't be asked for
        what = f"{len(asked[3])} answers before {validator}"
        if _ask(run, notebook, what, lambda session: run_validator.validate(session, *asked), asking):
            own = dict(answer_file=str(answers.resolve()), question_file=_absolute(questions))
            values = own | dict(columns=columns, validator=validator, judges=list(judges), settings=how)
            shown = "author answers accepted unreadable rejected_unreadable share of_right of_wrong".split()
            _finish(notebook, run, values, {"uq/your_answers_results": shown})
            found = pandas.read_csv(own_run.folder_of(run) / "uq/your_answers_verdicts.csv")
            who, prompt = " + ".join(judges), own_judges.prompt_of(validator, how)
            print(f"a licence of this judge names its prompt: {prompt}")
            if held:
                print(judge_licence.said(held, who, prompt, found["outcome"] == "accept", found["correct"], _rng()))


@app.command()
@_asks
def mark(
    replies: Annotated[list[Path], typer.Argument(help="HLE's files, inspect_ai's logs, lm-eval's samples, tables")],
    keys: Annotated[Path, typer.Option(help="a file of questions with keys, or a table of id and answer")],
    judge: Annotated[str, typer.Option(help="weighs what comparison can't decide; none: nothing is asked")] = "",
    *,
    asking: Asking,
) -> None:
    """Mark replies that are kept already under given keys, next to the marks that their files hold."""
    with exit_codes():
        from proctor.exam import marking

        questions = marking.read_keys(keys, _columns(asking.column))
        given = marking.read_replies(*replies)
        found = marking.matched(given, questions, keys)
        run = asking.name or f"mark-{keys.stem}"
        what = f"{len(found):,} replies of {found['model'].nunique()} models to questions with a key"
        what += f"; {len(given) - len(found):,} replies to other questions are left out" * (len(given) > len(found))

        async def marked(session: "Session") -> "pd.DataFrame":
            return await marking.mark(session, found, questions, judge)

        if _ask(run, "", what, marked, asking):
            file = own_run.folder_of(run) / "marks.csv"
            rows = asyncio.run(_replayed(marked, asking.settings()))
            write_atomic(file, marking.as_results(rows).to_csv(index=False))
            own_run.mark(file.parent, "", own_run.DONE)
            print(f"{marking.described(rows)}\nevery reply, for compare and leaderboard: {file}")


@app.command()
def judge(
    labels: Annotated[Path, typer.Argument(help="human labels of some answers: answer_id and correct")],
    verdicts: Annotated[Path, typer.Argument(help="of your judges: answer_id, verdict or score, if wanted judge")],
    accept_from: Annotated[float | None, typer.Option(help="the least score that accepts, for scores")] = None,
    width: Annotated[float, typer.Option(help="points to each side that the corrected share shall have")] = 5.0,
    licence_for: Annotated[str, typer.Option(help="write a licence for this judge")] = "",
    prompt: Annotated[str, typer.Option(help="its prompt, as it is to be named in the licence")] = "",
    name: Name = "",
) -> None:
    """How far can judges be trusted? Error rates, the share right behind what they accept, panels, labels to add."""
    with exit_codes():
        from datetime import date

        from proctor.exam import judge_licence
        from proctor.uq import own_judges

        table = own_judges.judged(own_judges.read_verdicts(verdicts, accept_from), own_judges.read_labels(labels))
        run = name or f"judge-{verdicts.stem}"
        issued = None
        if licence_for:
            issued = judge_licence.issue(table, licence_for, prompt, labels, date.today().isoformat())
        values = dict(label_file=str(labels.resolve()), verdict_file=str(verdicts.resolve()), width=width)
        values |= dict(accept_from=accept_from)
        shown = {
            "uq/your_judge_rates": ["judge", "labelled", "sensitivity", "specificity", "precision", "kappa", "unread"],
            "uq/your_judge_right": ["judge", "answers", "labelled", "accepted", "right", "bounds_low", "bounds_high"],
            "uq/your_judge_labels": ["judge", "now", "accepted", "rejected", "reached"],
            "uq/your_judge_panels": ["rule", "judges", "calls", "sensitivity", "specificity", "precision"],
        }
        _finish("uq/your_judge", run, values, shown)
        if issued:
            path = own_run.folder_of(run) / "licence.json"
            judge_licence.write(issued, path)
            print(
                f"licence of {licence_for}, for {issued.base_low:.0%} to {issued.base_high:.0%} right answers: {path}"
            )


@app.command()
def keys(
    results: Annotated[list[Path], typer.Argument(help="who answered what: logs, or a long or wide table")],
    answers: Annotated[Path | None, typer.Option(help="keys: id, answer; none: a column `key` of RESULTS")] = None,
    review: Annotated[str, typer.Option(help="how much to review: 5%, or a number of items")] = "5%",
    decisions: Annotated[Path | None, typer.Option(help="of the review: id, decision, answer")] = None,
    leave_out: Annotated[list[str], typer.Option("--leave-out", help="a column that is no system; repeatable")] = [],  # noqa: B006
    column: Columns = [],  # noqa: B006
    name: Name = "",
) -> None:
    """Which keys of an exam are wrong? Items by suspicion, what a review would find, and scores under repaired keys."""
    with exit_codes():
        from proctor.exam import wrong_keys

        votes = wrong_keys.read_votes(results, answers or "", _columns(column), leave_out)
        print(f"{votes.given['item'].nunique():,} items, {len(votes.systems)} systems: {', '.join(votes.systems)}")
        budget = wrong_keys.budget_of(review, votes.given["item"].nunique())
        if decisions:
            wrong_keys.read_decisions(decisions, votes)
        values = dict(
            answer_files=[str(file.resolve()) for file in results],
            key_file=_absolute(answers),
            columns=_columns(column),
            leave_out=list(leave_out),
            review=budget,
            decision_file=_absolute(decisions),
            case_file=str(own_run.folder_of(run := name or f"keys-{results[0].stem}").resolve() / "cases.csv"),
        )
        shown = {"hle_verified/your_exam_suspects": ["item", "key", "other", "for_key", "for_other", "suspicion"],
                 "hle_verified/your_exam_curve": ["reviewed", "items", "found"],
                 "hle_verified/your_exam_rescored": ["system", "keys", "items", "accuracy", "rank", "gain", "changed"],
                 }  # fmt: skip
        _finish("hle_verified/your_exam", run, values, shown if decisions else dict(list(shown.items())[:2]))
        print(f"cases for a blind round on the desk, or for reviewers: {own_run.folder_of(run) / 'cases.csv'}")


@app.command()
@_asks
def candidates(
    file: Annotated[Path, typer.Argument(help="question (or question_id) and text, if known author and correct")],
    neighbours: Annotated[Path, typer.Option(help="related questions: question, answer, neighbour_of")],
    model: Models,
    questions: Annotated[Path | None, typer.Option(help="their file; none: a column `question` in FILE")] = None,
    rollouts: Annotated[int, typer.Option(help="on each neighbour; the paper has 64")] = 8,
    *,
    asking: Asking,
) -> None:
    """Rank candidate solutions by what they help to solve (utility), next to a judge's score; is the best one above
    the second?"""
    with exit_codes():
        from proctor.cbu import own_candidates
        from proctor.data.questions import load_questions
        from proctor.models.settings import Settings

        columns, how = _columns(asking.column), asking.settings()
        loaded = own_candidates.load(file, neighbours, questions or "", columns)
        setup = own_candidates.Setup(*loaded, model, rollouts).checked(Settings(**how))
        run, notebook = asking.name or f"candidates-{file.stem}", "cbu/your_candidates"

        what = f"{len(setup.candidates)} candidates to {len(setup.questions)} questions"
        if questions and (left := len(load_questions(questions)) - len(setup.questions)):
            what += f"; left out: {left} questions without candidates"
        if _ask(run, notebook, what, lambda session: own_candidates.score(session, setup), asking):
            values = dict(
                candidate_file=str(file.resolve()),
                neighbour_file=str(neighbours.resolve()),
                question_file=_absolute(questions),
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
            _finish(notebook, run, values, tables)


@app.command()
def coverage(
    items: Annotated[Path, typer.Argument(help="question, if wanted id and category; .csv, .jsonl ...")],
    k: Annotated[int, typer.Option(help="items to choose")] = 10,
    quota: Annotated[int, typer.Option(help="so many of each category instead")] = 0,
    similarity: Annotated[Path | None, typer.Option(help="a CSV: item, and a column an item; none: from texts")] = None,
    column: Columns = [],  # noqa: B006
    name: Name = "",
) -> None:
    """Choose the k items that represent a field best, with the bound that the choice proves."""
    with exit_codes():
        from proctor.data.questions import load_questions

        columns = _columns(column)
        n = len(load_questions(items, columns=columns))
        if not quota and not 1 <= k <= n:
            raise WorkflowError(f"{items}: --k {k}, and there are {n} items; choose from 1 to {n}")
        similarity_file = _absolute(similarity)
        values = dict(
            item_file=str(items.resolve()), columns=columns, k=k, quota=quota, similarity_file=similarity_file
        )
        shown = {"kina/your_coverage_table": ["place", "item", "category", "adds", "reached"]}
        _finish("kina/your_coverage", name or f"coverage-{items.stem}", values, shown)


@app.command()
def audit(
    table: Annotated[Path, typer.Argument(help="a CSV of reported metrics: name, accuracy, precision, recall ...")],
    n: Annotated[int | None, typer.Option("-n", help="items, for rows without a number of their own")] = None,
    positives: Annotated[int | None, typer.Option(help="of these, how many are truly positive")] = None,
    n_min: Annotated[int | None, typer.Option(help="least number of items, if n is not reported")] = None,
    n_max: Annotated[int | None, typer.Option(help="largest number of items, if n is not reported")] = None,
    unit: Annotated[str, typer.Option(help="percent (85.40) or share (0.8540)")] = "percent",
    column: Columns = [],  # noqa: B006
    name: Name = "",
) -> None:
    """Can a table of reported metrics be true? Which counts print so, and which rows differ?"""
    with exit_codes():
        from proctor.audit.reported_table import load_reported

        columns = _columns(column)
        load_reported(table, unit, n, positives, n_min, n_max, columns)
        values = dict(path=str(table.resolve()), unit=unit, n=n, n_min=n_min, n_max=n_max, positives=positives)
        values |= dict(columns=columns)
        shown = {"synthesis/audit_feasibility": ["name", "verdict", "n", "positives", "tp", "fp", "reading"]}
        _finish("synthesis/audit_your_table", name or f"audit-{table.stem}", values, shown)


Own = Annotated[list[str], typer.Option("--own", help="a system of your own, always drawn; may be repeated")]
Missing = Annotated[str, typer.Option(help="scores that lack: pairs (what both of two have), common, wrong or error")]
Population = Annotated[str, typer.Option(help="results hold for other items, other disciplines, or auto")]


@app.command()
def leaderboard(
    results: Annotated[Path, typer.Argument(help="CSV: items x systems, systems x items or a score a row")],
    own: Own = [],  # noqa: B006
    pair: Annotated[list[str], typer.Option("--pair", help="two systems whose power is told; give it twice")] = [],  # noqa: B006
    missing: Missing = "pairs",
    population: Population = "auto",
    questions: Annotated[Path | None, typer.Option(help="their file, for the items' disciplines")] = None,
    name: Name = "",
) -> None:
    """Rank 2 to 500 systems item by item: ranks, pairs, categories, and what they can bear."""
    with exit_codes():
        _board(results, name or f"leaderboard-{results.stem}", own, pair, missing, population, questions)


@app.command()
def compare(
    one: Annotated[Path, typer.Argument(help="of one system: HLE's judged file, inspect_ai's log, item,score CSV")],
    other: Annotated[Path, typer.Argument(help="results of the other, on the same items")],
    missing: Missing = "pairs",
    name: Name = "",
) -> None:
    """Compare two systems, each in a file of its own: difference, interval, p, and the power of the items."""
    with exit_codes():
        from proctor.exam.marking import board_of

        text, pair = board_of([one, other])
        run = name or re.sub(r"[^\w.-]+", "_", f"compare-{'-'.join(pair)}")
        file = own_run.folder_of(run) / "results.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text)
        _board(file, run, [], pair, missing, "items", None)


@app.command()
def run(
    notebook: Annotated[str, typer.Argument(help="such as uq/6_agreement; none: the list of all")] = "",
    parameter: Annotated[list[str], typer.Option("-p", help="NAME VALUE, the value as in YAML; may be repeated")] = [],  # noqa: B006
    budget: Dollars = None,
    max_calls: Calls = None,
    total_budget: Total = None,
    no_budget: NoBudget = False,
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
            raise WorkflowError(f"-p {wrong[0]}: write -p NAME VALUE")
        found = own_run.find(notebook)
        if bound := _budget(budget, max_calls, total_budget, no_budget):
            bound.keep()  # for the kernel
        _finish(str(found.path), name or found.name.replace("/", "-"), read_overrides(pairs), {})


ANY_WORDS = {"allow_extra_args": True, "ignore_unknown_options": True}
PASSED_ON = {  # command: the module whose `main` reads its words, the words before them, a line about it
    "sweep": (
        "proctor.workflow.sweep",
        [],
        "Run notebooks over seeds, models and parameters, into one table of claims",
    ),
    "export": ("proctor.recordings.offline", ["export"], "Write the next requests of a recorded study for a cluster"),
    "import": (
        "proctor.recordings.offline",
        ["import"],
        "Keep a cluster's replies: import REQUESTS.jsonl REPLIES.jsonl ...",
    ),
    "how-many": (
        "proctor.synthesis.how_many_command",
        [],
        "How many items, repeats, rollouts, reviewers or checks to plan",
    ),
    "logs": ("proctor.logs.fetch", [], "Fetch public logs of strong models: logs [NAME ...]"),
    "dataset": ("proctor.uq.dataset.__main__", [], "UQ's dataset, from posts to a reviewed, versioned release"),
    "platform": ("desk.command", [], "UQ's review desk: open, moderator, load, export, import, digest, seed"),
}


def _pass_on(command: str, module: str, first: list[str], about: str) -> None:
    @app.command(command, help=about, add_help_option=False, context_settings=ANY_WORDS)
    def passed_on(context: typer.Context) -> None:
        with exit_codes():
            main = importlib.import_module(module).main
            raise typer.Exit(main([*first, *context.args]) or 0)


for command, how in PASSED_ON.items():
    _pass_on(command, *how)


@app.command()
def diff(
    before: Annotated[str, typer.Argument(help="a commit, tag or branch")],
    after: Annotated[str, typer.Argument(help="another one; none: the files as they lie here")] = "",
) -> None:
    """Which claims and which cells of tables changed between two commits, as Markdown."""
    with exit_codes():
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


@app.command(context_settings=ANY_WORDS)
def plan(
    command: Annotated[str, typer.Argument(metavar="COMMAND ...", help=f"{', '.join(PLANNED)}, with its words")],
) -> None:
    """What a command would ask and cost at most; asks nothing. `plan exam --help` lists what exam takes."""
    print(
        f"{command}: plan goes before {', '.join(PLANNED)}, as in {program()} plan exam FILE --model ...; sweep and "
        "dataset filter-llm have an option --plan",
        file=sys.stderr,
    )
    raise typer.Exit(2)


# What commands share


def _board(
    results: Path, name: str, own: list[str], pair: list[str], missing: str, population: str, questions: Path | None
) -> None:
    from proctor.kina.leaderboard import describe, load_given
    from proctor.kina.own_board import population_of

    item_file = _absolute(questions)
    board = load_given(str(results.resolve()), item_file, missing)
    print(f"{describe(board)}\nresults hold for {population_of(board, population).says}")
    if unknown := [system for system in (*own, *pair) if system not in board.models]:
        raise WorkflowError(f"{results}: no system {unknown[0]!r}; there are {', '.join(board.models[:10])} ...")
    if len(pair) not in (0, 2) or len(set(pair)) < len(pair):
        raise WorkflowError("--pair names two different systems: give it twice")
    values = dict(results=str(results.resolve()), item_file=item_file, missing=missing, population=population)
    values |= dict(own=list(own), pair=list(pair))
    shown = {
        "kina/own_leaderboard": ["rank", "model", "accuracy", "set_low", "set_high", "can_be_first", "not_told_apart"],
        "kina/own_pairs": ["a", "b", "difference", "p", "holm", "n", "items_needed"],
        "kina/own_power": ["true_gap", "power", "items_for_80_percent"],
    }
    _finish("kina/your_leaderboard", name, values, shown, own)


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
    what: str,
    study: Callable[["Session"], Awaitable[Any]],
    asking: Asking,
) -> bool:
    """Show `what` is asked and the plan, then ask it, with progress on the terminal.

    notebook: the one that reads the replies, "" for none. False where that was all: for --plan, and for --export where
    requests were written."""
    from proctor.models.offline import export
    from proctor.models.session import Session
    from proctor.models.studies import pilot, shown_plan

    if notebook and not (asking.plan or asking.export):
        own_run.ready(notebook)

    async def go() -> bool:
        bound = _budget(asking.budget, asking.max_calls, asking.total_budget, asking.no_budget)
        how = dict(budget=bound, concurrency=asking.at_once, settings=asking.settings())
        async with Session("replay" if asking.export else "auto", **how) as session:
            print(what, flush=True)
            rehearsal = await shown_plan(session, study)
            if asking.plan:
                return False
            own_run.mark(own_run.folder_of(name), notebook, own_run.INCOMPLETE)
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


def _budget(dollars: float | None, calls: int | None, total: float | None, no_budget: bool) -> "Budget | None":
    from proctor.models.spending import Budget

    return Budget.of_options(dollars, calls, total, no_budget)


def _finish(
    notebook: str, name: str, values: dict[str, Any], tables: dict[str, list[str]], also: Sequence[str] = ()
) -> None:
    if own_run.run_own(notebook, name, values, tables, also):
        raise typer.Exit(1)


async def _replayed(work: "Callable[[Session], Awaitable[pd.DataFrame]]", settings: dict[str, Any]) -> "pd.DataFrame":
    """The same work on kept replies alone."""
    from proctor.models.session import Session

    async with Session("replay", settings=settings) as session:
        return await work(session)


def _rng() -> "np.random.Generator":
    import numpy

    return numpy.random.default_rng(20260101)


def _columns(pairs: list[str]) -> dict[str, str]:
    if wrong := [text for text in pairs if "=" not in text]:
        raise WorkflowError(f"--column {wrong[0]}: write FIELD=COLUMN, such as question=prompt")
    return dict(text.split("=", 1) for text in pairs)


def _absolute(path: Path | None) -> str:
    return str(path.resolve()) if path else ""
