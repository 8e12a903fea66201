"""The commands of stages 2 and 3: filter-llm, queue, release, check-release and next-version. `__main__` says how they
are called."""

import asyncio
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import pandas as pd

from proctor import paths
from proctor.data.tabular import DataError, Once, Wrong, needs, read
from proctor.files import write_atomic
from proctor.models.cache import Cache, StoreError
from proctor.models.endings import MissingReply
from proctor.models.offline import OfflineError, export, import_replies
from proctor.models.prompts import PromptError
from proctor.models.registry import ModelError
from proctor.models.session import MODES, Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError
from proctor.models.studies import rehearsed
from proctor.uq.dataset import next_version as versions
from proctor.uq.dataset import release as releases
from proctor.uq.dataset.llm_filter import REPEATS, TEMPERATURE, effects, filter_questions, write_verdicts
from proctor.uq.dataset.release_check import check_releases
from proctor.uq.dataset.review_queue import (
    ATTEMPTS,
    KEY,
    QUOTAS_FILE,
    READ,
    build_queue,
    is_among,
    load_quotas,
    read_reviews,
    without_place,
    write_queue,
)
from proctor.uq.dataset.rules import DEV_SIZE, RULES_FILE, development_set, load_rules

OUTCOMES = ("keep", "drop", "undecided")
_NEEDED = ("site", "question_id", "title", "body", "tags", "score", "views", "comments", "created")
_CREDITED = ("owner_id", "owner_name", "licence")


def filter_llm(options) -> int:
    try:
        return asyncio.run(_filter(options))
    except (ModelError, PromptError, BudgetError, OfflineError, StoreError, MissingReply, ValueError) as error:
        raise error if isinstance(error, DataError) else DataError(str(error)) from None


async def _filter(options) -> int:
    questions = read_questions(options.kept)
    asked = dict(
        repeats=options.repeats, temperature=options.temperature, settings=Settings(prompts_dir=options.prompts)
    )
    study = partial(filter_questions, questions=questions, answering=options.answering, judge=options.judge, **asked)
    cache = Cache(options.cache)
    try:
        if options.replies:
            print(import_replies(options.replies, options.requests, cache))
    finally:
        cache.close()
    how = dict(cache=options.cache, budget=Budget.of_options(options.dollars, options.calls), batch=options.batch)
    async with Session(options.mode, **how) as session:
        plan = (await rehearsed(session, study)).plan_so_far
    print(f"{len(questions):,} questions, {plan}")
    if options.plan:
        return 0
    asks = options.mode != "replay" and not options.requests
    if asks and options.dollars is None and options.calls is None and plan.dollars != 0:
        raise DataError("no budget: give --dollars or --calls, the most that this run may spend. --plan only plans.")
    if options.requests:
        async with Session("replay", cache=options.cache, progress=False) as session:
            if count := await export(session, study, options.requests):
                print(f"{count:,} requests in {options.requests}: run them there, then give --replies")
                return 1
    async with Session("replay" if options.requests else options.mode, **how) as session:
        found = await study(session)
    write_verdicts(options.out, found)
    counts = found["outcome"].value_counts()
    print(", ".join(f"{counts.get(outcome, 0):,} {outcome}" for outcome in OUTCOMES))
    print(f"{found['unreadable'].sum():,} replies unreadable, {found['failed_calls'].sum():,} calls failed")
    print(effects(found).round(1).to_string(index=False))
    print(f"written: {options.out}")
    return 1 if counts.get("undecided", 0) else 0


def queue(options) -> int:
    kept, quotas = read_questions(options.kept), load_quotas(options.quotas)
    verdicts = read_verdicts(options.verdicts) if options.verdicts else None
    answers = _records(options.answers, (*KEY, "model", "answer")) if options.answers else []
    near = read_duplicates(options.duplicates) if options.duplicates else None
    released = [key for release in releases.read_releases(options.released) for key in release.keys]
    found = build_queue(kept, quotas, options.seed, verdicts, released, near)
    if found.empty:
        why = "Only those that --verdicts keeps and --released does not hold go on" if len(kept) else "It is empty"
        raise DataError(f"{options.kept}: of {len(kept):,} questions none is left for review. {why}.")
    write_queue(options.out, found, kept, answers)
    if verdicts is not None:
        counts, judged = verdicts["outcome"].value_counts(), set(zip(*(verdicts[name] for name in KEY)))
        told = ", ".join(f"{counts.get(outcome, 0):,} {outcome}" for outcome in OUTCOMES)
        print(f"LLM filter: {told}, {(~is_among(kept, judged)).sum():,} without a verdict (left out)")
    by_way = found.groupby(["site", "way"]).size().unstack(fill_value=0)
    print(by_way.to_string())
    print(f"written: review.csv with {len(found):,} questions, {(found['way'] == READ).sum():,} of them to be read,")
    print(f"and questions.jsonl, their texts, in {options.out}")
    return 0


def release(options) -> int:
    quotas, kept = load_quotas(options.quotas), read_questions(options.kept, (*_NEEDED, *_CREDITED))
    reviews, earlier = read_reviews(options.review), releases.read_releases(options.out)
    releases.checked_version(options.version)
    if options.solved and not earlier:
        raise DataError(f"{options.out}: no earlier version whose questions could be solved. Leave --solved out.")
    if earlier:
        if not options.solved:
            raise DataError(f"{options.out}: version {earlier[-1].version} is there. Say what it replaces: --solved.")
        solved = versions.read_proposal(options.solved, set(earlier[-1].keys))
        changes = releases.next_changes(reviews, solved, earlier, options.early)
    else:
        changes = releases.first_changes(reviews, quotas)
    dev = None
    if options.pool:
        dev = development_set(options.pool, load_rules(options.rules), options.as_of, options.dev, options.seed)
        print(f"dev set: {len(dev)} questions with accepted answers" + _short(len(dev), options.dev))
    written = releases.write_release(options.out, options.version, kept, reviews, changes, quotas, dev, on=options.date)
    _tell(changes, reviews)
    if left_out := without_place(reviews, releases.read_release(written).keys):
        print(left_out)
    print(f"written: {written}")
    return 0


def _tell(changes: pd.DataFrame, reviews: pd.DataFrame) -> None:
    counts, outcomes = changes["change"].value_counts(), reviews["outcome"].value_counts()
    added, removed = counts.get("added", 0), counts.get("removed", 0)
    print(f"{added:,} questions added, {removed:,} removed" + (_short(added, removed) if removed else ""))
    print(", ".join(f"{outcomes.get(name, 0):,} {name}" for name in ("accept", "reject", "split", "open")))


def _short(there: int, wanted: int) -> str:
    return f" (SHORT by {wanted - there})" if there < wanted else ""


def check_release(options) -> int:
    problems = check_releases(options.folder)
    for told in problems:
        print(told, file=sys.stderr)
    names = ", ".join(releases.versions(options.folder))
    print(f"versions {names}: " + (f"{len(problems)} PROBLEMS" if problems else "no question lost or doubled"))
    return 1 if problems else 0


def next_version(options) -> int:
    found = releases.read_releases(options.folder)
    if not found:
        raise DataError(f"{options.folder}: no release there. Give the folder that holds the versions.")
    last = found[-1]
    if options.solved:
        solved = len(versions.read_proposal(options.solved, set(last.keys)))
        due = versions.is_due(solved, len(last.questions))
        print(f"version {last.version}: {solved} of {len(last.questions)} questions solved, as experts have checked")
        print(f"a next version is {'due' if due else 'not due'} (from {versions.SHARE} % on)")
        return 0 if due else 1
    if not (options.pool and options.out):
        raise DataError("next-version: give --pool and --out for a proposal, or --solved with the one filled in.")
    if options.out.exists():
        raise DataError(f"{options.out}: is there already, perhaps filled in. Give another name.")
    proposal = versions.propose(pd.DataFrame(last.questions), options.pool)
    write_atomic(options.out, proposal.to_csv(index=False))
    print(
        proposal.groupby(["status", "proposal"], sort=False).size().reset_index(name="questions").to_string(index=False)
    )
    print(f"written: {options.out}. An expert fills `solved` and `expert`; then --solved tells if a version is due")
    return 0


def read_questions(path: Path, needed: tuple[str, ...] = _NEEDED) -> pd.DataFrame:
    """The filter's kept.parquet. Raises DataError where it is none."""
    try:
        found = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a readable Parquet file ({' '.join(str(error).split())[:200]}).") from None
    if missing := [name for name in needed if name not in found]:
        raise DataError(f"{path}: no column {', '.join(missing)}. Give the kept.parquet that `filter` wrote.")
    return found


def read_verdicts(path: Path) -> pd.DataFrame:
    """The verdicts of the LLM filter: site, question_id, outcome. Raises DataError, with file and row."""
    once = ("question_id", lambda row: f"{row['site']} {row['question_id']}", "question", "Remove one of them")
    return pd.DataFrame(_records(path, (*KEY, "outcome"), once), columns=[*KEY, "outcome"])


def read_duplicates(path: Path) -> pd.DataFrame:
    """The pairs that `duplicates` found. Raises DataError, with file and row."""
    columns = (*KEY, "other_site", "other_id", "similarity", "relation")
    return pd.DataFrame(_records(path, columns), columns=columns)


def _records(path: Path, columns: tuple, once: Once | None = None) -> list[dict]:
    def record(row: dict) -> dict:
        needs(row, *columns, fix=f"Give {', '.join(columns)}")
        number = str(row["question_id"])
        if not (number.isascii() and number.isdigit()):
            raise Wrong("question_id", f"{number[:20]!r} is no number", "Give the post's number")
        if "outcome" in columns and row["outcome"] not in OUTCOMES:
            raise Wrong("outcome", f"{str(row['outcome'])[:20]!r}", f"Write one of: {', '.join(OUTCOMES)}")
        if "similarity" in columns:
            try:
                row["similarity"] = float(row["similarity"])
            except ValueError:
                what = f"{str(row['similarity'])[:20]!r} is no similarity"
                raise Wrong("similarity", what, "Give the file that `duplicates` wrote") from None
        return {**row, "question_id": int(number)}

    return read(path, record, once=once)


def add_commands(command: Callable) -> None:
    """Add the commands to the parser; `command(name, run, says)` adds one."""
    added = command("filter-llm", filter_llm, "one model answers, another judges five criteria; run again to go on")
    added.add_argument("kept", type=Path, help="the filter's kept.parquet")
    added.add_argument("--answering", required=True, help="the model that answers")
    added.add_argument("--judge", required=True, help="the model that judges")
    added.add_argument("--out", type=Path, required=True, help="a .jsonl for the verdicts")
    added.add_argument("--plan", action="store_true", help="say what it costs at most, ask nothing")
    added.add_argument("--dollars", type=float, help="the most to spend")
    added.add_argument("--calls", type=int, help="the most calls to send")
    added.add_argument("--mode", choices=MODES, default="auto")
    added.add_argument("--batch", action="store_true", help="through the providers' batch interfaces")
    added.add_argument("--requests", type=Path, help="write what is to be asked next here, and ask nothing")
    added.add_argument("--replies", type=Path, nargs="+", help="the replies to --requests")
    added.add_argument("--repeats", type=int, default=REPEATS)
    added.add_argument("--temperature", type=float, default=TEMPERATURE)
    added.add_argument("--prompts", help="a folder of prompts of your own")
    added.add_argument("--cache", type=Path, default=paths.CACHE / "replies.sqlite", help="where replies are kept")
    added = command("queue", queue, "a sheet for the reviewers: the questions taken by votes and those to be read")
    added.add_argument("kept", type=Path, help="the filter's kept.parquet")
    added.add_argument("--verdicts", type=Path, help="of the LLM filter: only what it keeps goes on")
    added.add_argument("--answers", type=Path, help=f"rows of site, question_id, model, answer: {ATTEMPTS} are shown")
    added.add_argument("--duplicates", type=Path, help="the duplicates.csv of `duplicates`, shown to the reviewers")
    added.add_argument("--released", type=Path, default=Path("releases"), help="their questions are left out")
    added.add_argument("--out", type=Path, required=True, help="folder of review.csv and questions.jsonl")
    _common(added)
    added = command("release", release, "write a version from reviewed questions")
    added.add_argument("--kept", type=Path, required=True, help="the filter's kept.parquet")
    added.add_argument(
        "--review", type=Path, action="append", required=True, help="a filled sheet (repeat for several)"
    )
    added.add_argument("--version", required=True, help="such as 1 or 1.2")
    added.add_argument("--out", type=Path, required=True, help="folder of all versions")
    added.add_argument("--solved", type=Path, help="the filled proposal of `next-version`: what this version replaces")
    added.add_argument("--early", action="store_true", help=f"also where fewer than {versions.SHARE} %% are solved")
    added.add_argument("--date", type=date.fromisoformat, help="of the release; default: today")
    added.add_argument("--pool", type=Path, help="draw the dev set from this pool (with answers)")
    added.add_argument("--dev", type=int, default=DEV_SIZE, help="questions of the dev set")
    added.add_argument("--rules", type=Path, help=f"of the dev set, a file like {RULES_FILE}")
    added.add_argument("--as-of", type=date.fromisoformat, help="the day of the dev set's ages")
    _common(added)
    added = command("check-release", check_release, "check all versions: files, rows, licences, no question lost")
    added.add_argument("folder", type=Path)
    added = command("next-version", next_version, "what a later crawl shows of the newest version's questions")
    added.add_argument("folder", type=Path, help="of all versions")
    added.add_argument("--pool", type=Path, help="a later crawl")
    added.add_argument("--out", type=Path, help="a .csv for the proposal")
    added.add_argument("--solved", type=Path, help="a filled proposal: is the next version due?")


def _common(added) -> None:
    added.add_argument("--quotas", type=Path, help=f"a file like {QUOTAS_FILE}")
    added.add_argument("--seed", type=int, default=0)
