"""Read a Stack Exchange data dump (`Posts.xml`) row by row, in bounded memory, into a pool.

A dump is one `<row .../>` a post. The file is cut before a `<row`, which inside a well-formed attribute cannot
stand, and each piece goes to a parser of its own, so no document type is ever read: an entity that a file
declares is unknown here, never expanded. Where a piece is not well-formed its rows are read one by one, and only
those at fault are rejected.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.parsers import expat

from proctor.data.tabular import DataError
from proctor.uq.dataset.pool import LARGEST_ID, Ingested, Rejected, SeenIds, writing

PIECE = 1 << 20  # bytes read at once
FED = 1 << 16  # bytes that the parser gets at once: what fits the cache is quicker
LONGEST = 16 << 20  # bytes of one row; a post has at most 30,000 characters
QUESTION, ANSWER = "1", "2"
ABSURD = {"Score": 10**6, "ViewCount": 10**10, "AnswerCount": 10**5, "CommentCount": 10**5}  # beyond any real post
_HEADER = re.compile(rb"<posts\b[^>]*>")
_ENCODING = re.compile(rb"""<\?xml[^>]*\bencoding\s*=\s*["']([^"']+)["']""")


class BadPost(ValueError):
    """A row that is no valid post; the message says why."""


def ingest_dump(path: str | Path, site: str, pool: str | Path, answers: bool = False) -> Ingested:
    """Write the valid posts of a dump into `pool`, and list the others.

    Of posts with one id the first is kept. Raises DataError when the file as a whole is no dump.
    """
    seen, latest = SeenIds(), datetime.now(UTC).replace(tzinfo=None)
    with writing(pool, site, answers) as writer:
        for rows, rejected in read_rows(path):
            taken: dict[str, list] = {"questions": [], "answers": [], "other": []}
            for number, row in rows:
                try:
                    kind, post = read_post(row, latest, answers)
                    if not seen.add(post[0]):
                        raise BadPost(f"post {post[0]} stands in an earlier row too")
                    taken[kind].append(post)
                except BadPost as error:
                    rejected.append(Rejected(number, row.get("Id", "")[:20], str(error)))
            for kind, posts in taken.items():
                writer.add(kind, posts)
            writer.add("rejected", sorted(rejected))
        return writer.done()


def read_rows(path: str | Path) -> Iterator[tuple[list[tuple[int, dict]], list[Rejected]]]:
    """The numbered rows of a dump, some megabytes at a time, each with what could not be read.

    Rows are numbered from 1. Raises DataError: no such file, another encoding than UTF-8, no `<posts>`.
    """
    path, number, ended = Path(path), 0, False
    try:
        with open(path, "rb") as file:
            start, declared = _after_header(file, path)
            if declared:
                why = "a document type stands before the rows: not read, nothing it declares is expanded"
                yield [], [Rejected(0, "", why)]
            for piece, last in _pieces(file, start):
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


def _after_header(file, path: Path) -> tuple[bytes, bool]:
    """Checks the first bytes of a dump; those that stand after `<posts>`, and whether a document type is before it."""
    start = file.read(PIECE)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{path}: UTF-16. A dump is UTF-8: convert it first.")
    if start[:4] in (b"7z\xbc\xaf", b"PK\x03\x04"):
        raise DataError(f"{path}: an archive. Unpack it and give its Posts.xml.")
    named = _ENCODING.search(start[:200])
    if named and named[1].lower() not in (b"utf-8", b"utf8", b"us-ascii"):
        raise DataError(f"{path}: encoding {named[1].decode(errors='replace')}. A dump is UTF-8: convert it first.")
    header = _HEADER.search(start)
    if not header:
        raise DataError(f"{path}: no <posts> in its first {len(start):,} bytes. Give the Posts.xml of a data dump.")
    rest = b"</posts>" if header[0].endswith(b"/>") else start[header.end() :]
    return rest, b"<!DOCTYPE" in start[: header.start()]


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
        rest = part
        if part.startswith(b"<row"):
            number += 1
            try:
                found, rest = _first_row(part)
                rows += [(number, attributes) for attributes in found]
            except expat.ExpatError as error:
                rest = b""
                named = re.match(rb'<row\s+Id="(\d{1,20})"', part)
                rejected.append(Rejected(number, named[1].decode() if named else "", _reason(part, error)))
        if rest.strip():
            rejected.append(Rejected(number, "", f"{len(rest.strip())} bytes after this row are no row"))
    return rows, rejected, number


def _first_row(part: bytes) -> tuple[list[dict], bytes]:
    """The row that `part` begins with, and what follows it. Raises ExpatError when there is none."""
    if b"/>" not in part:
        return _parse(part), b""
    row, end, rest = part.partition(b"/>")
    try:
        return _parse(row + end), rest
    except expat.ExpatError:
        row, end, rest = part.rpartition(b"/>")  # the first /> may stand in an attribute
        return _parse(row + end), rest


def _reason(row: bytes, error: expat.ExpatError) -> str:
    try:
        row.decode()
    except UnicodeDecodeError as wrong:
        return f"not UTF-8: byte 0x{row[wrong.start]:02x} at place {wrong.start} of the row"
    if len(row) > LONGEST:
        return f"longer than {LONGEST >> 20} MB"
    if getattr(error, "code", None) == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        return "an entity that XML does not know: not expanded"
    if b"/>" not in row:
        return "cut: the row does not end"
    return f"not well-formed XML: {str(error)[:60]}"


def read_post(row: dict, latest: datetime, answers: bool = True) -> tuple[str, tuple]:
    """What a row is ("questions", "answers" or "other") and its fields in the order of that schema.

    latest: no post is younger. answers: without them, of an answer only the id is read. Raises BadPost: a field that
    is missing, of another form, or absurd.
    """
    post_id, kind = _count(row, "Id", LARGEST_ID, needed=True), row.get("PostTypeId")
    if kind is None:
        raise BadPost("no PostTypeId")
    if kind not in (QUESTION, ANSWER):
        return "other", (post_id,)
    if kind == ANSWER and not answers:
        return "answers", (post_id,)
    score, created = _count(row, "Score", needed=True, signed=True), _time(row, "CreationDate", latest, needed=True)
    body = _text(row, "Body")
    owner = (_owner(row), row.get("OwnerDisplayName"), row.get("ContentLicense"))
    if kind == ANSWER:
        parent = _count(row, "ParentId", LARGEST_ID, needed=True)
        return "answers", (post_id, parent, score, body, created, *owner)
    return "questions", (
        post_id,
        _text(row, "Title"),
        body,
        body.count("<img"),
        read_tags(_text(row, "Tags")),
        score,
        _count(row, "ViewCount"),
        _count(row, "AnswerCount"),
        _count(row, "CommentCount"),
        _count(row, "AcceptedAnswerId", LARGEST_ID),
        created,
        _time(row, "LastActivityDate", latest),
        _time(row, "ClosedDate", latest),
        *owner,
    )


def read_tags(text: str) -> list[str]:
    """Tags in the encoding of old dumps or of new ones.

    >>> read_tags("<set-theory><sets>") == read_tags("|set-theory|sets|") == ["set-theory", "sets"]
    True
    """
    if len(text) > 2:
        if text[0] == "<" and text[-1] == ">":
            return text[1:-1].split("><")
        if text[0] == "|" and text[-1] == "|":
            return text[1:-1].split("|")
    raise BadPost(f"Tags {text[:40]!r} are neither <a><b> nor |a|b|")


def _text(row: dict, name: str) -> str:
    value = row.get(name)
    if not value:
        raise BadPost(f"no {name}")
    return value


def _count(row: dict, name: str, largest: int | None = None, needed: bool = False, signed: bool = False) -> int | None:
    value = row.get(name)
    if value is None:
        if needed:
            raise BadPost(f"no {name}")
        return None
    digits = value.removeprefix("-") if signed else value
    if not (digits.isascii() and digits.isdigit()):
        raise BadPost(f"{name} {value[:20]!r} is no {'number' if signed else 'count'}")
    largest = largest or ABSURD[name]
    number = int(value) if len(value) <= 20 else largest + 1
    if abs(number) > largest:
        raise BadPost(f"{name} {value[:20]} is absurd: {'beyond' if signed else 'more than'} {largest:,}")
    return number


def _owner(row: dict) -> int | None:
    """The author's number; those of the site itself, such as -1, are no one's."""
    value = row.get("OwnerUserId", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 12 else None


def _time(row: dict, name: str, latest: datetime, needed: bool = False) -> datetime | None:
    value = row.get(name)
    if value is None:
        if needed:
            raise BadPost(f"no {name}")
        return None
    try:
        time = datetime.fromisoformat(value)
        if time.tzinfo is not None:
            raise ValueError
    except ValueError:
        raise BadPost(f"{name} {value[:30]!r} is no time as 2015-01-27T20:09:32.720") from None
    if time > latest:
        raise BadPost(f"{name} {value[:30]} lies in the future")
    return time
