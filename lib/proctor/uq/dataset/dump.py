"""Read a Stack Exchange data dump (`Posts.xml`) row by row, in bounded memory, into a pool.

A dump is one `<row .../>` a post. The file is cut before a `<row`, which inside a well-formed attribute cannot
stand, and each piece goes to a parser of its own, so no document type is ever read: an entity that a file
declares is unknown here, never expanded. Where a piece is not well-formed its rows are read one by one, and only
those at fault are rejected.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from proctor.data.tabular import DataError
from proctor.uq.dataset.pool import Ingested, Rejected, writing

PIECE = 8 << 20  # bytes read, and written, at once
FED = 1 << 16  # bytes that the parser gets at once: what fits the cache is quicker
LONGEST = 16 << 20  # bytes of one row; a post has at most 30,000 characters
_HEADER = re.compile(rb"<posts\b[^>]*>")


def ingest_dump(path: str | Path, site: str, pool: str | Path, answers: bool = False) -> Ingested:
    """Write the valid posts of a dump into `pool`, and list the others.

    Raises DataError when the file as a whole is no dump.
    """
    with writing(pool, site, answers) as writer:
        for rows, rejected in read_rows(path):
            writer.add(rows, rejected)
        return writer.done()


def read_rows(path: str | Path) -> Iterator[tuple[list[tuple[int, dict]], list[Rejected]]]:
    """The numbered rows of a dump, some megabytes at a time, each with what could not be read.

    Rows are numbered from 1. Raises DataError: no such file, another encoding than UTF-8, no `<posts>`.
    """
    path, number, ended = Path(path), 0, False
    try:
        with open(path, "rb") as file:
            for piece, last in _pieces(file, _after_header(file, path)):
                if last:
                    text = piece.rstrip()
                    ended = text.endswith(b"</posts>")
                    piece = text.removesuffix(b"</posts>")
                try:
                    found = _parse(piece)
                    rows, rejected = list(enumerate(found, number + 1)), []
                    number += len(found)
                except expat.ExpatError:
                    rows, rejected, number = _one_by_one(piece, number)
                if last and not ended:
                    why = "the file ends without </posts> after this row: it may be cut"
                    rejected.append(Rejected(number, "", why))
                yield rows, rejected
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the path and its permissions.") from error


def _pieces(file, buffer: bytes) -> Iterator[tuple[bytes, bool]]:
    """`buffer` and the rest of the file, cut before a `<row`, and whether it is the last piece."""
    while block := file.read(PIECE):
        buffer += block
        cut = buffer.rfind(b"<row")
        if cut <= 0 and len(buffer) > LONGEST:
            cut = len(buffer)  # no post is as long: what there is fails to parse, and is reported
        if cut > 0:
            yield buffer[:cut], False
            buffer = buffer[cut:]
    yield buffer, True


def _after_header(file, path: Path) -> bytes:
    """What stands after `<posts>` in the first bytes of a dump."""
    start = file.read(PIECE)
    header = _HEADER.search(start)
    if not header:
        told = "Give the Posts.xml of a data dump, unpacked and in UTF-8"
        raise DataError(f"{path}: no <posts> in its first {len(start):,} bytes. {told}.")
    return b"</posts>" if header[0].endswith(b"/>") else start[header.end() :]


def _parse(piece: bytes) -> list[dict]:
    """The attributes of each row. Raises ExpatError unless the piece is rows and nothing else."""
    rows: list[dict] = []

    def start(name: str, attributes: dict) -> None:
        if name != "row":
            raise expat.ExpatError(f"<{name[:20]}> where a row should be")
        rows.append(attributes)

    def text(characters: str) -> None:
        if not characters.isspace():
            raise expat.ExpatError("text between rows")

    parser = expat.ParserCreate("utf-8")
    parser.Parse(b"<posts>", False)
    parser.StartElementHandler, parser.CharacterDataHandler = start, text
    parser.buffer_text = True
    for place in range(0, len(piece), FED):
        parser.Parse(piece[place : place + FED], False)
    parser.Parse(b"</posts>", True)
    return rows


def _one_by_one(piece: bytes, number: int) -> tuple[list[tuple[int, dict]], list[Rejected], int]:
    """The rows of a piece that is not well-formed: those that are, those that are not, and the last row's number."""
    rows, rejected = [], []
    for part in re.split(rb"(?=<row)", piece):
        number += part.startswith(b"<row")
        try:
            rows += [(number, attributes) for attributes in _parse(part)]
        except expat.ExpatError as error:
            named = re.match(rb'<row\s+Id="(\d{1,20})"', part)
            rejected.append(Rejected(number, named[1].decode() if named else "", _reason(part, error)))
    return rows, rejected, number


def _reason(row: bytes, error: expat.ExpatError) -> str:
    try:
        row.decode()
    except UnicodeDecodeError as wrong:
        return f"not UTF-8: byte 0x{row[wrong.start]:02x} at place {wrong.start} of the row"
    return f"not well-formed XML: {str(error)[:60]}"
