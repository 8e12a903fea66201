"""Where replies are kept: the cache (SQLite, one row committed a reply) and the recordings (committed files)."""

import contextlib
import fcntl
import gzip
import hashlib
import io
import json
import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from proctor.files import write_atomic
from proctor.models.messages import Reply

TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT, prompt TEXT, sample INTEGER, created REAL,
    reply TEXT, checksum INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS paid (call TEXT PRIMARY KEY, at REAL, model TEXT, dollars REAL);
CREATE TABLE IF NOT EXISTS live_runs (name TEXT PRIMARY KEY, began REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (name TEXT PRIMARY KEY, model TEXT, created REAL, batch TEXT, tickets TEXT);
"""


class StoreError(RuntimeError):
    """A reply could not be kept. `replies` holds what was paid for and is not on disk, by key.

    The cache that raised it still knows these, and writes them as soon as the disk takes them.
    """

    def __init__(self, message: str, replies: dict[str, Reply] | None = None):
        super().__init__(message)
        self.replies = replies or {}


class Cache:
    """Replies by key in one SQLite file (WAL). A row is on disk, safe from a kill, when `put` returns.

    Each row has a checksum: one that was damaged on the disk is warned of and counts as not there. A key can be
    leased, so that of several sessions and processes on one cache only one asks for it. No clock, host name or process
    number is trusted for that: who leases locks the byte of that key in a file next to the cache. The kernel gives the
    lock back when its process ends, however that ends, and not while it is only stopped.
    """

    def __init__(self, path: Path):
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.path.parent}: no folder can be made there ({error.strerror}). Move what is there away, or set "
                "PROCTOR_REPLIES to another place"
            ) from error
        self._unwritten: dict[str, tuple] = {}  # rows that the disk did not take, by key
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60)
            _use_wal(self._db)
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(TABLES)
            if "checksum" not in {row[1] for row in self._db.execute("PRAGMA table_info(replies)")}:
                self._db.execute("ALTER TABLE replies ADD COLUMN checksum INTEGER")  # a file of an older version
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path}: the cache can't be opened ({error}). Free the disk, or move the file away "
                "and start again (the replies in it are then asked anew)"
            ) from error

    def get(self, key: str, since: float = 0.0) -> Reply | None:
        """The reply, or None; None too, with a warning, where the row was damaged."""
        if (unwritten := self._unwritten.get(key)) and unwritten[4] >= since:
            with contextlib.suppress(sqlite3.Error):
                self._write(unwritten)
                del self._unwritten[key]
            return Reply.from_json(unwritten[5], "cache")
        row = self._read("SELECT CAST(reply AS BLOB), checksum FROM replies WHERE key = ? AND created >= ?", key, since)
        if row is None:
            return None
        try:
            if row[1] is not None and row[1] != _checksum(key, row[0]):
                raise ValueError("its checksum differs")
            return Reply.from_json(row[0], "cache")
        except (ValueError, TypeError, RecursionError) as error:
            warnings.warn(
                f"{self.path}: the reply under key {key[:12]} was damaged on the disk ({error}) and is asked anew",
                stacklevel=2,
            )
            return None

    def put(self, request, reply: Reply, since: float = 0.0) -> None:
        """Keep a reply. It counts as no older than `since`, even if the clock was set back meanwhile."""
        text, created = reply.to_json(), max(time.time(), since)
        row = (request.key, request.model, request.prompt, request.sample, created, text)
        try:
            self._write(row)
        except sqlite3.Error as error:
            self._unwritten[request.key] = row
            raise StoreError(
                f"{self.path}: a reply could not be written ({error}). Free the disk and run again: what was written "
                "is not asked again; what was not is in this error's `replies`, and is not asked again by this process",
                {request.key: reply},
            ) from error

    def replies_of(self, model: str) -> dict[str, str]:
        """All replies of a model, {key: reply as JSON}; damaged ones are left out, with a warning."""
        keys = [key for (key,) in self._db.execute("SELECT key FROM replies WHERE model = ?", (model,))]
        return {key: reply.to_json() for key in keys if (reply := self.get(key))}

    def lengths(self, model: str, prompt: str | None = None, most: int = 200) -> list[tuple[int, int]]:
        """Tokens in and out of up to `most` replies of a model, to one prompt or to any: a random part, the first in
        order of keys. Replies whose server did not count are left out."""
        reply = "CASE WHEN json_valid(reply) THEN reply END"  # of a damaged row `get` warns
        sent, received = f"json_extract({reply}, '$.prompt_tokens')", f"json_extract({reply}, '$.completion_tokens')"
        where = f"model = ? AND prompt = coalesce(?, prompt) AND {sent} > 0 AND {received} > 0"
        query = f"SELECT {sent}, {received} FROM replies WHERE {where} LIMIT ?"
        try:
            return self._db.execute(query, (model, prompt, most)).fetchall()
        except sqlite3.Error:
            return []  # what is only expected needs no reply

    def _write(self, row: tuple) -> None:
        values = (*row, _checksum(row[0], row[5].encode()))
        self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def lease(self, key: str) -> str | None:
        """Take `key`. None when it is ours from now on, to `release` or the end of this process; otherwise who has it:
        "this process", in another session or call, or "another"."""
        place, mine = self._place(key), object()
        if _LEASED.setdefault(place, mine) is not mine:
            return "this process"
        try:
            fcntl.lockf(place[0], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place[1])
        except (BlockingIOError, PermissionError):  # what the kernel says of a lock that another process has
            del _LEASED[place]
            return "another"
        except OSError:
            pass  # a file system without locks, where no other process can be kept out
        return None

    def release(self, key: str) -> None:
        """Give a lease back."""
        place = self._place(key)
        with contextlib.suppress(OSError):
            fcntl.lockf(place[0], fcntl.LOCK_UN, 1, place[1])
        del _LEASED[place]

    def _place(self, key: str) -> tuple[int, int]:
        """The cache's lock file, and the byte in it that stands for a key."""
        with self._writing(": nothing was sent for this call"):
            return _lock_file(self.path.resolve()), int(hashlib.sha256(key.encode()).hexdigest()[:15], 16)

    def live_run(self, name: str) -> float | None:
        """When the live run of that name began (seconds since 1970), where it has not ended; else None."""
        row = self._read("SELECT began FROM live_runs WHERE name = ?", name)
        return row and row[0]

    def note_live_run(self, name: str, began: float | None) -> None:
        """Note that a live run began, or, with None, that it has ended."""
        with self._writing():
            if began is None:
                self._db.execute("DELETE FROM live_runs WHERE name = ?", (name,))
            else:
                self._db.execute("INSERT OR REPLACE INTO live_runs VALUES (?, ?)", (name, began))

    def note_batch(self, name: str, model: str, created: float, batch: str | None, tickets: list | None) -> None:
        """Note a batch (models/batch.py): before it is asked for, `batch` being None; with the provider's name for it;
        and, once it is read, without the tickets that its replies are read and kept by."""
        row = (name, model, created, batch, tickets and json.dumps(tickets))
        with self._writing(": no batch is asked for before it is noted there"):
            self._db.execute("INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?, ?)", row)

    def batches(self, model: str) -> list[list]:
        """[name, created, batch, tickets] of each batch to a model; no tickets where it is read."""
        row = "json_array(name, created, batch, json(tickets))"
        return json.loads(self._read(f"SELECT json_group_array({row}) FROM batches WHERE model = ?", model)[0])

    def reserve(self, call: str, model: str, dollars: float, total: float | None = None) -> bool:
        """Note that a call may cost so much, before it is sent. False, and nothing is noted, where that and all that
        any process on this cache has noted would pass `total` dollars."""
        insert, row = "INSERT INTO paid SELECT ?, ?, ?, ?", (call, time.time(), model, dollars)
        if total is not None:
            insert, row = f"{insert} WHERE (SELECT total(dollars) FROM paid) + ? <= ?", (*row, dollars, total)
        with self._writing(": nothing was sent for this call"):
            return self._db.execute(insert, row).rowcount == 1

    def settle(self, call: str, dollars: float) -> None:
        """What a call has cost, in place of what it might. Where that can't be written, the latter stays."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("UPDATE paid SET dollars = ? WHERE call = ?", (dollars, call))

    def paid(self) -> float:
        """Dollars of all calls so far; those in flight, and those of a process that was killed, at their most."""
        return self._read("SELECT total(dollars) FROM paid")[0]

    def __len__(self) -> int:
        return self._read("SELECT count(*) FROM replies")[0]

    @contextlib.contextmanager
    def _writing(self, more: str = "") -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.path}: can't be written ({error}). Free the disk and run again{more}") from error

    def _read(self, query: str, *values):
        try:
            return self._db.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path}: the cache can't be read ({error}). Move the file away and start again "
                "(the replies in it are then asked anew)"
            ) from error

    def close(self) -> None:
        self._db.close()


# A lock keeps out other processes alone, a fork does not have it, and it ends when any handle of its file is closed.
_LEASED: dict[tuple[int, int], object] = {}  # of this process: the places of keys
os.register_at_fork(after_in_child=_LEASED.clear)


@cache
def _lock_file(path: Path) -> int:
    """The lock file of the cache at `path`: opened once and never closed."""
    return os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)


def _use_wal(database: sqlite3.Connection) -> None:
    """Set the journal to WAL. SQLite's own timeout does not hold for this: while another process opens the same new
    file the answer is "locked" at once, so it is tried again here."""
    until = time.monotonic() + 60
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _checksum(key: str, reply: bytes) -> int:
    return zlib.crc32(reply, zlib.crc32(key.encode()))


def recording_path(folder: Path, model: str) -> Path:
    return Path(folder) / f"{model.replace('/', '_')}.jsonl.gz"


def read_recording(path: Path) -> tuple[dict, dict[str, bytes]]:
    """A recording's header and its replies, {key: reply as JSON}. Raises StoreError naming the file and line."""
    replies = {}
    try:
        with gzip.open(path, "rb") as file:
            header = json.loads(next(file))
            for line in file:
                key, _, reply = line.rstrip(b"\n").partition(b" ")
                if not reply.startswith(b'{"') or not reply.endswith(b"}"):
                    raise ValueError("no `key reply`")
                replies[key.decode()] = reply
    except (OSError, EOFError, ValueError, RecursionError, StopIteration, zlib.error) as error:
        raise StoreError(
            f"{path}, line {len(replies) + 2}: not a recording ({error}). Take the file from the repository again"
        ) from error
    return header, replies


def write_recording(path: Path, header: dict, replies: dict[str, str]) -> None:
    """Write `replies` sorted by key, the same bytes for the same content. Line 1 is the header; then `key reply`."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="") as file:
        file.write(json.dumps(header, sort_keys=True).encode() + b"\n")
        for key in sorted(replies):
            file.write(f"{key} {replies[key]}\n".encode())
    write_atomic(path, buffer.getvalue())
