"""Commands on tables that you have: judge, keys, coverage, audit, leaderboard and compare. None asks a model.

Each reads its files, so that bad input is named first, and runs its notebook into build/runs/<name>/. Only light
modules up here, so that --help is quick.
"""

import re
from pathlib import Path
from typing import Annotated

import typer

from proctor import asking_options as options
from proctor.files import write_atomic
from proctor.workflow import run as own_run
from proctor.workflow.notebook import WorkflowError


def judge(
    labels: Annotated[Path, typer.Argument(help="human labels of some answers: answer_id and correct")],
    verdicts: Annotated[Path, typer.Argument(help="of your judges: answer_id, verdict or score, if wanted judge")],
    accept_from: Annotated[float | None, typer.Option(help="the least score that accepts, for scores")] = None,
    width: Annotated[float, typer.Option(help="points to each side that the corrected share shall have")] = 5.0,
    licence_for: Annotated[str, typer.Option(help="write a licence for this judge")] = "",
    prompt: Annotated[str, typer.Option(help="its prompt, as it is to be named in the licence")] = "",
    name: options.Name = "",
) -> None:
    """How far can judges be trusted? Error rates, the share right behind what they accept, panels, labels to add."""
    from datetime import date

    from proctor.exam import judge_licence
    from proctor.uq import own_judges

    table = own_judges.judged(own_judges.read_verdicts(verdicts, accept_from), own_judges.read_labels(labels))
    run = name or f"judge-{verdicts.stem}"
    issued = None
    if licence_for:
        issued = judge_licence.issue(table, licence_for, prompt, labels, date.today().isoformat())
    files = dict(label_file=str(labels.resolve()), verdict_file=str(verdicts.resolve()))
    values = files | dict(width=width, accept_from=accept_from)
    shown = {
        "uq/your_judge_rates": ["judge", "labelled", "sensitivity", "specificity", "precision", "kappa", "unread"],
        "uq/your_judge_right": ["judge", "answers", "labelled", "accepted", "right", "bounds_low", "bounds_high"],
        "uq/your_judge_labels": ["judge", "now", "accepted", "rejected", "reached"],
        "uq/your_judge_panels": ["rule", "judges", "calls", "sensitivity", "specificity", "precision"],
    }
    options.run_notebook("uq/your_judge", run, values, shown)
    if issued:
        path = own_run.folder_of(run) / "licence.json"
        judge_licence.write(issued, path)
        print(f"licence of {licence_for}, for {issued.base_low:.0%} to {issued.base_high:.0%} right answers: {path}")


def keys(
    results: Annotated[list[Path], typer.Argument(help="who answered what: logs, or a long or wide table")],
    answers: Annotated[Path | None, typer.Option(help="keys: id, answer; none: a column `key` of RESULTS")] = None,
    review: Annotated[str, typer.Option(help="how much to review: 5%, or a number of items")] = "5%",
    decisions: Annotated[Path | None, typer.Option(help="of the review: id, decision, answer")] = None,
    leave_out: Annotated[list[str], typer.Option("--leave-out", help="a column that is no system; repeatable")] = [],  # noqa: B006
    score: options.Scores = [],  # noqa: B006
    filter: options.Filters = [],  # noqa: B006
    column: options.Columns = [],  # noqa: B006
    name: options.Name = "",
) -> None:
    """Which keys of an exam are wrong? Items by suspicion, what a review would find, and scores under repaired keys."""
    from proctor.exam import wrong_keys

    votes = wrong_keys.read_votes(results, answers or "", options.named_columns(column), leave_out, score, filter)
    print(f"{votes.given['item'].nunique():,} items, {len(votes.systems)} systems: {', '.join(votes.systems)}")
    budget = wrong_keys.budget_of(review, votes.given["item"].nunique())
    if decisions:
        wrong_keys.read_decisions(decisions, votes)
    values = dict(
        answer_files=[str(file.resolve()) for file in results],
        key_file=options.absolute(answers),
        columns=options.named_columns(column),
        leave_out=list(leave_out),
        scores=list(score),
        filters=list(filter),
        review=budget,
        decision_file=options.absolute(decisions),
        case_file=str(own_run.folder_of(run := name or f"keys-{results[0].stem}").resolve() / "cases.csv"),
    )
    shown = {"hle_verified/your_exam_suspects": ["item", "key", "other", "for_key", "for_other", "suspicion"],
             "hle_verified/your_exam_curve": ["reviewed", "items", "found"],
             "hle_verified/your_exam_rescored": ["system", "keys", "items", "accuracy", "rank", "gain", "changed"],
             }  # fmt: skip
    options.run_notebook("hle_verified/your_exam", run, values, shown if decisions else dict(list(shown.items())[:2]))
    print(f"cases for a blind round on the desk, or for reviewers: {own_run.folder_of(run) / 'cases.csv'}")


def coverage(
    items: Annotated[Path, typer.Argument(help="question, if wanted id and category; .csv, .jsonl ...")],
    k: Annotated[int, typer.Option(help="items to choose")] = 10,
    quota: Annotated[int, typer.Option(help="so many of each category instead")] = 0,
    similarity: Annotated[Path | None, typer.Option(help="a CSV: item, and a column an item; none: from texts")] = None,
    column: options.Columns = [],  # noqa: B006
    name: options.Name = "",
) -> None:
    """Choose the k items that represent a field best, with the bound that the choice proves."""
    from proctor.data.questions import load_questions

    columns = options.named_columns(column)
    n = len(load_questions(items, columns=columns))
    if not quota and not 1 <= k <= n:
        raise WorkflowError(f"{items}: --k {k}, and there are {n} items; choose from 1 to {n}")
    similarity_file = options.absolute(similarity)
    values = dict(item_file=str(items.resolve()), columns=columns, k=k, quota=quota, similarity_file=similarity_file)
    shown = {"kina/your_coverage_table": ["place", "item", "category", "adds", "reached"]}
    options.run_notebook("kina/your_coverage", name or f"coverage-{items.stem}", values, shown)


def audit(
    table: Annotated[Path, typer.Argument(help="a CSV of reported metrics: name, accuracy, precision, recall ...")],
    n: Annotated[int | None, typer.Option("-n", help="items, for rows without a number of their own")] = None,
    positives: Annotated[int | None, typer.Option(help="of these, how many are truly positive")] = None,
    n_min: Annotated[int | None, typer.Option(help="least number of items, if n is not reported")] = None,
    n_max: Annotated[int | None, typer.Option(help="largest number of items, if n is not reported")] = None,
    unit: Annotated[str, typer.Option(help="percent (85.40) or share (0.8540)")] = "percent",
    column: options.Columns = [],  # noqa: B006
    name: options.Name = "",
) -> None:
    """Can a table of reported metrics be true? Which counts print so, and which rows differ?"""
    from proctor.audit.reported_table import load_reported

    columns = options.named_columns(column)
    load_reported(table, unit, n, positives, n_min, n_max, columns)
    values = dict(path=str(table.resolve()), unit=unit, n=n, n_min=n_min, n_max=n_max, positives=positives)
    values |= dict(columns=columns)
    shown = {"synthesis/audit_feasibility": ["name", "verdict", "n", "positives", "tp", "fp", "reading"]}
    options.run_notebook("synthesis/audit_your_table", name or f"audit-{table.stem}", values, shown)


Own = Annotated[list[str], typer.Option("--own", help="a system of your own, always drawn; may be repeated")]
Missing = Annotated[str, typer.Option(help="scores that lack: pairs (what both of two have), common, wrong or error")]
Population = Annotated[str, typer.Option(help="results hold for other items, other disciplines, or auto")]


def leaderboard(
    results: Annotated[Path, typer.Argument(help="CSV: items x systems, systems x items or a score a row")],
    own: Own = [],  # noqa: B006
    pair: Annotated[list[str], typer.Option("--pair", help="two systems whose power is reported; give it twice")] = [],  # noqa: B006
    missing: Missing = "pairs",
    population: Population = "auto",
    questions: Annotated[Path | None, typer.Option(help="their file, for the items' disciplines")] = None,
    name: options.Name = "",
) -> None:
    """Rank 2 to 500 systems item by item: ranks, pairs, categories, and what they can support."""
    _board(results, name or f"leaderboard-{results.stem}", own, pair, missing, population, questions)


def compare(
    one: Annotated[Path, typer.Argument(help="of one system: HLE's judged file, inspect_ai's log, item,score CSV")],
    other: Annotated[Path, typer.Argument(help="results of the other, on the same items")],
    score: options.Scores = [],  # noqa: B006
    filter: options.Filters = [],  # noqa: B006
    missing: Missing = "pairs",
    licence: options.Licence = None,
    judge: Annotated[str, typer.Option(help="that gave the scores, with --licence")] = "",
    prompt: Annotated[str, typer.Option(help="by which it was asked, as the licence names it")] = "",
    name: options.Name = "",
) -> None:
    """Compare two systems, each in a file of its own: difference, interval, p, and the power of the items."""
    from proctor.exam import judge_licence
    from proctor.exam.marking import board_of, read_one

    held = judge_licence.read(licence) if licence else None
    text, pair = board_of([one, other], score, filter)
    run = name or re.sub(r"[^\w.-]+", "_", f"compare-{'-'.join(pair)}")
    file = write_atomic(own_run.folder_of(run) / "results.csv", text)
    _board(file, run, [], pair, missing, "items", None)
    if held:
        both = (read_one(path, score, filter).rename(system) for path, system in zip((one, other), pair))
        print(judge_licence.compared(held, judge, prompt, *both, options.rng()))


def _board(
    results: Path, name: str, own: list[str], pair: list[str], missing: str, population: str, questions: Path | None
) -> None:
    from proctor.kina.leaderboard import describe, load_leaderboard, population_of

    item_file = options.absolute(questions)
    board = load_leaderboard(results.resolve(), missing, item_file)
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
    options.run_notebook("kina/your_leaderboard", name, values, shown, own)


COMMANDS = (judge, keys, coverage, audit, leaderboard, compare)
