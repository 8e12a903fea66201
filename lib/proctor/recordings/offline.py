"""Recorded studies on any cluster: write their next requests to a file, read the replies.

    python -m proctor export --study answers --models openai/m@http://node:8000/v1 --out q.jsonl
    vllm run-batch -i q.jsonl -o replies.jsonl --model m                 # there; several files and jobs are fine
    python -m proctor import q.jsonl replies.jsonl

Repeat until `export` has nothing to ask; then mode auto, with the same cache, replays the study. Exit status: 0 done, 1
incomplete (import) or an error.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from proctor import paths, program
from proctor.models.cache import Cache, StoreError
from proctor.models.registry import ModelError
from proctor.models.session import Session
from proctor.models.studies import OfflineError, export, import_replies
from proctor.recordings.registry import OF_ANSWERS, PARALLEL, STUDIES

CACHE = paths.CACHE / "replies.sqlite"
ALL = STUDIES | PARALLEL


async def _export(name: str, models: list[str], out: Path, cache: Path) -> int:
    """Write the next requests of a recorded study to `out`; how many these are."""
    more = {"answering": models} if name in OF_ANSWERS else {}
    async with Session("replay", cache=cache, progress=False) as session:
        return await export(session, lambda asking: ALL[name](asking, models, **more), out)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog=program(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where replies are kept")
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("export", help="write the requests that a study still has to ask")
    asking.add_argument("--study", choices=list(ALL), required=True)
    asking.add_argument("--models", nargs="+", required=True, help="openai/<model>@<address>, or a name of models.yaml")
    asking.add_argument("--out", type=Path, required=True)
    reading = commands.add_parser("import", help="keep the replies to an export")
    reading.add_argument("requests", type=Path)
    reading.add_argument("replies", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    try:
        if options.command == "export":
            n = asyncio.run(_export(options.study, options.models, options.out, options.cache))
            print(f"{n:,} requests in {options.out}" if n else "nothing to ask: all replies are there")
            return 0
        cache = Cache(options.cache)
        try:
            found = import_replies(options.replies, options.requests, cache)
        finally:
            cache.close()
        print(found)
        return 0 if found.complete else 1
    except (OfflineError, ModelError, StoreError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
