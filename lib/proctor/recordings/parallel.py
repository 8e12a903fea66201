"""Record studies of worked families in the background: many calls at once, each reply kept as it comes.

    python -m proctor.recordings.parallel record --studies screening --cache /a/folder/replies.sqlite --slots 8
    python -m proctor.recordings.parallel keep   --cache /a/folder/replies.sqlite
    python -m proctor.recordings.parallel write  --studies screening --cache /a/folder/replies.sqlite

`record` asks what the cache lacks, and ends; the same command goes on after a stop or a kill. It takes replies from
data/recorded/ and data/arriving/ before it asks. `keep` puts all replies of the cache into data/arriving/, to commit,
so that a long study can be recorded on several machines. `write` puts the replies of complete studies into
data/recorded/, next to those that are there, and says in the header how they were sampled; of others it says how many
are missing. Calls that are computed together do not come back identical when they are asked again; replayed they are
the same everywhere.
Exit status: 0 all is there, 1 something is missing or an error.
"""

import argparse
import asyncio
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

from tqdm import tqdm

from proctor import paths
from proctor.exam.screening import MODEL
from proctor.files import FileBusy, only_writer
from proctor.models.cache import Cache, StoreError, recording_path, write_recording
from proctor.models.embedded import Embedded, EmbeddedError
from proctor.models.endings import CallError, MissingReply
from proctor.models.messages import Reply, Request
from proctor.models.providers import ask_served, sdk_client
from proctor.models.registry import ModelError, spec, weights_file
from proctor.models.session import Session
from proctor.models.studies import to_ask
from proctor.recordings.record import PARALLEL, header, joined, recorded

Study = Callable[[Session, Sequence[str]], Awaitable]
TIMEOUT = 1800.0
ARRIVING = paths.ROOT / "data" / "arriving"


async def ask_all(requests: Sequence[Request], cache: Cache, slots: int, spin: bool, what: str = "calls") -> list[str]:
    """Ask models served here, `slots` calls at once, one model after the other; what failed, as sentences."""
    failed: list[str] = []

    async def ask(group: list[Request]) -> None:
        async with place:
            for request in group:
                try:
                    async with asyncio.timeout(TIMEOUT):
                        reply = await ask_served(client, request, cache_prompt=True)
                except Exception as error:  # whatever it is, the others are asked; the next run asks this again
                    failed.append(f"{request.key[:12]}: {error!r}")
                else:
                    cache.put(request, reply)
                bar.update()

    for model in dict.fromkeys(request.model for request in requests):
        own = [request for request in requests if request.model == model]
        server, place = Embedded(weights_file(spec(model)), slots=slots, spin=spin), asyncio.Semaphore(slots)
        endpoint = await asyncio.to_thread(server.start)
        client = sdk_client("openai", endpoint.url, endpoint.key)
        try:
            with tqdm(total=len(own), desc=f"{what}, {model}", mininterval=10, smoothing=0.05) as bar:
                async with asyncio.TaskGroup() as tasks:
                    for group in by_beginning(own):
                        tasks.create_task(ask(group))
        finally:
            await client.close()
            server.stop()
    return failed


def by_beginning(requests: Sequence[Request]) -> list[list[Request]]:
    """Requests that begin alike, which one slot answers one after the other, so that it reads the beginning once."""
    groups = defaultdict(list)
    for request in requests:
        groups[str(request.messages[: request.prefix or None])].append(request)
    return list(groups.values())


async def record(study: Study, models: Sequence[str], cache: Path, slots: int, spin: bool, what: str = "") -> list[str]:
    """Ask until the study finds all its replies in `cache`; what failed. Studies that read replies take some rounds."""
    kept: dict[str, bytes] = {}
    for model in models:
        kept |= recorded(model)[1] | arrived(model, slots)[1]
    while True:
        async with Session("replay", cache=cache, recorded=None, progress=False) as session:
            requests = await to_ask(session, lambda open_one: study(open_one, models))
            if not requests:
                return []
            for request in requests:
                if request.key in kept:
                    session.cache.put(request, Reply.from_json(kept[request.key], "recording"))
            requests = [request for request in requests if request.key not in kept]
            if failed := await ask_all(requests, session.cache, slots, spin, what):
                return failed


def arrived(model: str, slots: int) -> tuple[dict, dict[str, bytes]]:
    """The same of data/arriving/. Raises StoreError where the replies came with other slots."""
    head, replies = recorded(model, ARRIVING)
    if head and head["slots"] != slots:
        path = recording_path(ARRIVING, model)
        raise StoreError(f"{path}: these replies came with {head['slots']} slots: go on with --slots {head['slots']}")
    return head, replies


def keep(models: Sequence[str], cache: Path, slots: int) -> list[str]:
    """Put the replies of `cache` into data/arriving/, without those that are in a recording; what was written."""
    said = []
    with closing(Cache(cache)) as found:
        for model in models:
            path, done = recording_path(ARRIVING, model), recorded(model)[1]
            head, old = arrived(model, slots)
            replies = {key: reply.decode() for key, reply in old.items()} | found.replies_of(model)
            replies = {key: reply for key, reply in replies.items() if key not in done}
            if replies:
                write_recording(path, _drawn_by(model, head) | {"slots": slots}, replies)
            else:
                path.unlink(missing_ok=True)
            said.append(f"{path.name}: {len(replies)} replies arriving")
    return said


def _drawn_by(model: str, arriving: dict) -> dict:
    """The header of replies drawn here, and by whoever drew those that have arrived."""
    return joined(arriving, header(model)) if arriving else header(model)


def sampling(requests: Sequence[Request], slots: int, spin: bool) -> dict:
    """What the header of a recording says of a study: how its replies were drawn."""
    return {
        "requests": len(requests),
        "prompts": sorted({request.prompt for request in requests}),
        "temperatures": sorted({request.temperature for request in requests}),
        "max_tokens": sorted({request.max_tokens for request in requests}),
        "seeds": sorted({request.seeds for request in requests}),
        "slots": slots,
        "waiting threads spin": spin,
    }


async def write(names: Sequence[str], models: Sequence[str], cache: Path, slots: int, spin: bool) -> list[str]:
    """Put the replies of complete studies into data/recorded/; what was written. Raises MissingReply for others."""
    requests: dict[str, dict[str, list[Request]]] = defaultdict(dict)
    for name in names:
        async with Session("replay", cache=cache, recorded=None, progress=False) as session:
            session.used = defaultdict(dict)
            await PARALLEL[name](session, models)
        for model in models:  # not those whose answers the study only reads
            requests[model][name] = list(session.used[model].values())
    said = []
    with closing(Cache(cache)) as kept:
        for model, studies in requests.items():
            path, drawn_by = recording_path(paths.RECORDED, model), _drawn_by(model, arrived(model, slots)[0])
            here = {field: drawn_by[field] for field in ("versions", "machine", "processor")}
            head, old = recorded(model)
            head = head or header(model)
            replies = {key: reply.decode() for key, reply in old.items()}
            for name, own in studies.items():
                replies |= {request.key: kept.get(request.key).to_json() for request in own}
                head.setdefault("studies", {})[name] = sampling(own, slots, spin) | here
            write_recording(path, head, replies)
            said.append(f"{path.name}: {len(replies)} replies, {path.stat().st_size / 1e6:.2f} MB")
    return said


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=["record", "keep", "write"])
    parser.add_argument("--studies", nargs="+", choices=list(PARALLEL), default=list(PARALLEL))
    parser.add_argument("--models", nargs="+", default=[MODEL])
    parser.add_argument("--cache", type=Path, default=paths.CACHE / "parallel.sqlite", help="where replies are kept")
    parser.add_argument("--slots", type=int, default=8, help="calls at once")
    parser.add_argument("--spin", action="store_true", help="waiting threads spin: for an idle machine only")
    options = parser.parse_args(arguments)
    where, how = (options.models, options.cache), (options.slots, options.spin)
    try:
        if options.do == "record":
            with only_writer(options.cache):
                for name in options.studies:
                    if failed := asyncio.run(record(PARALLEL[name], *where, *how, name)):
                        what = f"{len(failed)} calls failed ({failed[0]}): run again to ask these"
                        print(f"{name}: {what}", file=sys.stderr)
                        return 1
                    print(f"{name}: all there", flush=True)
            return 0
        if options.do == "write":
            print("\n".join(asyncio.run(write(options.studies, *where, *how))))
        print("\n".join(keep(*where, options.slots)))  # what is recorded now arrives no more
        return 0
    except (EmbeddedError, FileBusy, ModelError, StoreError, CallError, MissingReply) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
