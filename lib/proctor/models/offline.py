"""Ask models elsewhere: write what a study has to ask as batch lines, read the replies back into the cache.

    asked = await export(session, study, "requests.jsonl")     # study: an async function of a session
    # there: vllm run-batch -i requests.jsonl -o replies.jsonl --model <model>, or the provider's batch interface
    found = import_replies(["replies.jsonl"], "requests.jsonl", session.cache)

Nothing is sent from here. A study that asks again after it has read a reply needs a round for each step: export, run,
import, until `export` finds nothing to ask. `<name>.tickets.json`, beside the requests, says what replies are kept by.
"""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import astuple, dataclass, field
from pathlib import Path

from proctor.files import write_atomic
from proctor.models.batch import INTERFACES, Ticket, batch_line, read_line
from proctor.models.cache import Cache
from proctor.models.endings import MissingReply
from proctor.models.messages import Reply, Request
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.spending import Budget
from proctor.models.studies import refuse_over_budget


class OfflineError(ValueError):
    """Requests that can't be exported, or files that do not fit each other; the message says what to mend."""


@dataclass
class Imported:
    """What became of the requests of an export: kept, failed (by key: why), unknown lines, and still missing."""

    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    unknown: int = 0
    missing: int = 0

    @property
    def complete(self) -> bool:
        return not self.failed and not self.missing

    def __str__(self) -> str:
        reasons = "; ".join(list(dict.fromkeys(self.failed.values()))[:3])
        return (
            f"{self.kept:,} replies kept, {len(self.failed):,} failed{f' ({reasons})' if reasons else ''}, "
            f"{self.missing:,} missing, {self.unknown:,} lines to no request of ours"
        )


async def to_ask(session: Session, study: Callable[[Session], Awaitable]) -> list[Request]:
    """The requests at which `study` stops, since neither recording nor cache holds their replies; [] if none."""
    if session.mode != "replay":
        raise OfflineError(f"the session is in mode {session.mode}: what is asked elsewhere is found in mode replay")
    try:
        await study(session)
    except MissingReply as missing:
        return missing.requests
    return []


async def export(session: Session, study: Callable[[Session], Awaitable], path: str | Path) -> int:
    """Write what `study` has to ask next; how many requests that are (0: nothing, and no file is written).

    Raises BudgetError where these may cost more than the session's budget."""
    requests = await to_ask(session, study)
    refuse_over_budget(session.plan(requests), session.budget or Budget(), session.cache.paid())
    if requests:
        write_requests(requests, path)
    return len(requests)


def write_requests(requests: Iterable[Request], path: str | Path) -> None:
    """Requests as lines of OpenAI's or Anthropic's batch form, their key as `custom_id`, and the tickets beside them.

    Raises OfflineError for models that are asked through neither interface: their keys mean another way."""
    path, lines, tickets = Path(path), [], []
    for request in requests:
        model = spec(request.model)
        if model.kind not in INTERFACES:
            raise OfflineError(
                f"{request.model} is not asked through OpenAI's interface or Anthropic's: give the model as "
                "openai/<name>@<address>"
            )
        lines.append(batch_line(model, request))
        tickets.append(astuple(Ticket.of(request)))
    write_atomic(tickets_path(path), json.dumps(tickets))
    write_atomic(path, "".join(json.dumps(line) + "\n" for line in lines))


def tickets_path(requests: str | Path) -> Path:
    """Where the tickets of a file of requests lie."""
    return Path(requests).with_suffix(".tickets.json")


def import_replies(replies: Iterable[str | Path], requests: str | Path, cache: Cache) -> Imported:
    """Keep the replies of some files of results (one run may write several), in whatever order they come.

    A line that is no reply is counted with its reason; its request can be exported again. Raises OfflineError where the
    tickets are missing or a file is not there."""
    tickets, found = _tickets(requests), Imported()
    kept: set[str] = set()
    for path in map(Path, replies):
        try:
            lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise OfflineError(f"{path}: can't be read ({error.strerror}). Name the file of replies") from None
        for raw in lines:
            if not raw.strip():
                continue
            ticket, came = read_line(raw, tickets)
            if ticket is None:
                found.unknown += 1
            elif isinstance(came, Reply):
                cache.put(ticket, came)
                kept.add(ticket.key)
                found.failed.pop(ticket.key, None)
            elif ticket.key not in kept:
                found.failed[ticket.key] = str(came)
    found.kept, found.missing = len(kept), len(tickets) - len(kept) - len(found.failed)
    return found


def _tickets(requests: str | Path) -> dict[str, Ticket]:
    path = tickets_path(requests)
    try:
        return {row[0]: Ticket(*row) for row in json.loads(path.read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError, IndexError) as error:
        raise OfflineError(
            f"{path}: no tickets of an export ({error}). They are written next to the requests: keep the two together"
        ) from None
