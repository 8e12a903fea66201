"""Whole files or none: write beside the target, then rename over it. One writer at a time to a file that grows."""

import contextlib
import fcntl
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_FIGURE = r"(?:[0-9][0-9.,]*|\.[0-9]+|inf)(?:[eE][-+]?[0-9]+)?"
_HARMLESS = re.compile(
    rf"[-+=]|= ?{_FIGURE}|[-+]{_FIGURE} ?%?(?: [a-zτ]+)?(?: {_FIGURE}| \[[-+0-9., ]*\][^|]*)?"
)  # after an interval no spreadsheet can compute what follows


def files_below(folder: Path, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """All files below a folder, also behind links; a folder that links to one above itself is entered once."""
    real = os.path.realpath(folder)
    for entry in os.scandir(folder) if real not in above else ():
        if entry.is_dir():
            yield from files_below(Path(entry.path), above | {real})
        elif entry.is_file():
            yield Path(entry.path)


def digest(path: str | os.PathLike) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class FileBusy(RuntimeError):
    """Another run is writing the file."""


def write_atomic(path: str | os.PathLike, content: str | bytes, durable: bool = True) -> Path:
    """Write `content` (text as UTF-8) to `path` so that a reader never sees half of it.

    durable: wait until the disk has it, so that it outlives a power failure. Leave it out for what is made again.
    Parent folders are made. Raises OSError naming the file when the disk is full or not
    writable; the file that stood there before is then untouched.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_UMASK)
        os.replace(beside, path)
    except OSError as error:
        Path(beside).unlink(missing_ok=True)
        raise OSError(
            error.errno,
            f"could not write {path} ({error.strerror}): nothing was changed; "
            "free some disk space or fix the folder's permissions, then run again",
        ) from error
    return path


@contextlib.contextmanager
def only_writer(path: str | os.PathLike) -> Iterator[bool]:
    """Be the one run that writes `path`. Raises FileBusy, naming the other process, while another one is.

    It does not wait: two runs into one file are one run that was started twice, or a name that was used twice. The lock
    (flock) lies beside the file and ends with its process, however that ends; what stands in it is told, never
    trusted. Gives False where the file system has no locks: then nothing is held.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.lock")
    held = True
    while True:
        lock = open(beside, "a+b")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileBusy(
                f"{path} is being written by another run ({_holder(lock)}): wait for its end, or give this run a file "
                "of its own. Nothing was asked"
            ) from None
        except OSError:
            held = False
            break
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock.fileno()), os.stat(beside)):
                break  # else the holder before took the file away as it ended
        lock.close()
    with lock:
        with contextlib.suppress(OSError):  # a full disk: the lock holds all the same
            lock.truncate(0)
            lock.write(f"process {os.getpid()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}".encode())
            lock.flush()
        try:
            yield held
        finally:
            beside.unlink(missing_ok=True)


def _holder(lock) -> str:
    with lock:
        lock.seek(0)
        found = re.fullmatch(rb"process \d{1,10}, since [\d :-]{19}", lock.read(100))
    return found[0].decode() if found else "which does not say its number"


_UMASK = os.umask(0)
os.umask(_UMASK)


def harmless(cell: object) -> object:
    """A cell as a CSV may hold it: text that a spreadsheet would compute gets an apostrophe before it.

    That is text which begins with = + - @, a tab or a line break, for a table may hold what others wrote. A sign alone,
    a number (-1.5, = 50, -inf), and a number with its unit or interval (-20 points, +17 [-5, +35]) stay as they are.
    A carriage return becomes a line break, which CSV writers quote: left bare it would begin a row of its own.

    >>> [harmless(cell) for cell in ("=1+1", "@SUM(A1)", "-1.5", "-3 points", "+0.05 τ [-0.1, +0.2]", "a\\r=1+1")]
    ["'=1+1", "'@SUM(A1)", '-1.5', '-3 points', '+0.05 τ [-0.1, +0.2]', 'a\\n=1+1']
    """
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    if not cell.startswith(("=", "+", "-", "@", "\t", "\n")):
        return cell
    return cell if _HARMLESS.fullmatch(cell) else f"'{cell}"


def as_written(cell: str) -> str:
    """The text from which `harmless` made a cell."""
    return cell[1:] if cell[:1] == "'" and harmless(cell[1:]) != cell[1:] else cell
