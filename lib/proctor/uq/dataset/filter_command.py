"""The command `filter-llm`: plan, budget, calls one by one, in batches or through files, and the verdicts."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from proctor import paths
from proctor.data.tabular import DataError
from proctor.models.cache import Cache, StoreError
from proctor.models.endings import MissingReply
from proctor.models.offline import OfflineError, export, import_replies
from proctor.models.prompts import PromptError
from proctor.models.registry import ModelError
from proctor.models.session import MODES, Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError
from proctor.uq.dataset.llm_filter import REPEATS, TEMPERATURE, bill, effects, filter_questions, write_verdicts
from proctor.uq.dataset.release_commands import OUTCOMES, read_questions


def filter_llm(options) -> int:
    try:
        return asyncio.run(_filter(options))
    except (ModelError, PromptError, BudgetError, OfflineError, StoreError, MissingReply, ValueError) as error:
        raise error if isinstance(error, DataError) else DataError(str(error)) from None


async def _filter(options) -> int:
    questions, asked = read_questions(options.kept), Settings(prompts_dir=options.prompts)
    cost = bill(questions, options.answering, options.judge, options.repeats, asked)
    dollars = "no price known" if cost["dollars"] is None else f"at most ${cost['dollars']:,.2f}"
    print(f"{len(questions):,} questions, {cost['calls']:,} calls ({dollars}); what is kept already costs nothing")
    if options.plan:
        return 0
    asks = options.mode != "replay" and not options.requests
    if asks and options.dollars is None and options.calls is None and cost["dollars"] != 0:
        raise DataError("no budget: give --dollars or --calls, the most that this run may spend. --plan only plans.")
    cache = Cache(options.cache)
    try:
        if options.replies:
            print(import_replies(options.replies, options.requests, cache))
    finally:
        cache.close()
    how = dict(cache=options.cache, budget=Budget.of_options(options.dollars, options.calls), batch=options.batch)
    settings = dict(repeats=options.repeats, temperature=options.temperature, settings=asked)

    async def study(session: Session):
        return await filter_questions(session, questions, options.answering, options.judge, **settings)

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


def add_command(command: Callable) -> None:
    """Add `filter-llm` to the parser; `command(name, run, says)` adds one."""
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
