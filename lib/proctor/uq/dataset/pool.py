"""The pool of questions: Parquet files partitioned by site, which any engine can read, and a data dump that fills it.

    <pool>/questions/site=<site>/questions.parquet
    <pool>/answers/site=<site>/answers.parquet        (from a dump, when asked for)
    <pool>/rejected/site=<site>.csv                   (rows that were not taken, with the reason)

A site is written whole: first beside its place, then renamed over what was there.
"""

import csv
import mmap
import os
import re
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from xml.parsers import expat

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, NaiveDatetime

from proctor.data.tabular import DataError, Wrong, record

LARGEST_ID = 2**31 - 1


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
    raise ValueError("neither <a><b> nor |a|b|")


def _past(time: datetime) -> datetime:
    if time > datetime.now(UTC).replace(tzinfo=None):
        raise ValueError(f"{time} lies in the future")
    return time


def _person(value: str) -> int | None:
    """The author's number; those of the site itself, such as -1, are no one's."""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 12 else None


# What may stand in a row, and as what the pool holds it; the limits are more than any real post has.
Number = Annotated[int, Field(ge=0, le=LARGEST_ID), pa.int64()]
Text = Annotated[str, Field(min_length=1), pa.string()]
Tags = Annotated[list[str], BeforeValidator(read_tags), pa.list_(pa.string())]
Votes = Annotated[int, Field(ge=-(10**6), le=10**6), pa.int32()]
Time = Annotated[NaiveDatetime, AfterValidator(_past), pa.timestamp("ms")]
Views = Annotated[int | None, Field(ge=0, le=10**10), pa.int64()]
Few = Annotated[int | None, Field(ge=0, le=10**5), pa.int32()]
Other = Annotated[int | None, Field(ge=0, le=LARGEST_ID), pa.int64()]
Later = Annotated[NaiveDatetime | None, AfterValidator(_past), pa.timestamp("ms")]
Person = Annotated[int | None, BeforeValidator(_person), pa.int64()]
Name = Annotated[str | None, pa.string()]


class Question(BaseModel):
    """The columns of a question, and the attributes of a dump's row that they come from."""

    question_id: Number = Field(alias="Id")
    title: Text = Field(alias="Title")
    body: Text = Field(alias="Body")  # HTML, as the source gives it
    images: Few = None  # in the body, counted when it comes in so that rules need not read the texts again
    tags: Tags = Field(alias="Tags")
    score: Votes = Field(alias="Score")
    views: Views = Field(None, alias="ViewCount")
    answers: Few = Field(None, alias="AnswerCount")
    comments: Few = Field(None, alias="CommentCount")
    accepted_answer_id: Other = Field(None, alias="AcceptedAnswerId")
    created: Time = Field(alias="CreationDate")
    active: Later = Field(None, alias="LastActivityDate")
    closed: Later = Field(None, alias="ClosedDate")
    owner_id: Person = Field(None, alias="OwnerUserId")
    owner_name: Name = Field(None, alias="OwnerDisplayName")
    licence: Name = Field(None, alias="ContentLicense")

    def model_post_init(self, _) -> None:
        self.images = self.body.count("<img")


class Answer(BaseModel):
    """The columns of an answer."""

    answer_id: Number = Field(alias="Id")
    question_id: Number = Field(alias="ParentId")
    score: Votes = Field(alias="Score")
    body: Text = Field(alias="Body")
    created: Time = Field(alias="CreationDate")
    owner_id: Person = Field(None, alias="OwnerUserId")
    owner_name: Name = Field(None, alias="OwnerDisplayName")
    licence: Name = Field(None, alias="ContentLicense")


class Post(BaseModel):
    """Any post, of which only the number is wanted."""

    post_id: Number = Field(alias="Id")


KINDS: dict[str, type[BaseModel]] = dict(questions=Question, answers=Answer)
SCHEMAS = {
    kind: pa.schema({name: field.metadata[-1] for name, field in model.model_fields.items()})
    for kind, model in KINDS.items()
}


def read_post(row: dict[str, str], wanted: Container[str] = tuple(KINDS)) -> tuple[str, list]:
    """What a row is ("questions", "answers" or "other") and its fields; of a kind that is not wanted, its number alone.

    Raises Wrong: a field that is missing, of another form, or absurd.
    """
    if "PostTypeId" not in row:
        raise Wrong("PostTypeId", "Field required")
    kind = {"1": "questions", "2": "answers"}.get(row["PostTypeId"], "other")
    post = record(KINDS[kind] if kind in wanted else Post, row)
    return kind, [value for _, value in post]


class Rejected(NamedTuple):
    """A row that was not taken: its number in the source from 1, its post as far as it is known, and why."""

    row: int
    post_id: str
    reason: str


class Ingested(NamedTuple):
    """What a source held. other: posts that are neither questions nor answers, such as tag descriptions."""

    site: str
    questions: int
    answers: int
    other: int
    rejected: int


Rows = list[tuple[int, dict[str, str]]]  # numbered, as a dump has them


def write_site(
    pool: str | Path, site: str, parts: Iterable[tuple[Rows, list[Rejected]]], answers: bool = False
) -> Ingested:
    """Write the posts of a site into `pool`, in place of those that are there; on an error nothing changes.

    parts: rows, some at a time, each with those of the same part that could not be read. Of posts with one number the
    first is kept.
    """
    pool, site = Path(pool), checked_site(site)
    targets = [pool / kind / f"site={site}" / f"{kind}.parquet" for kind in KINDS]
    targets.append(pool / "rejected" / f"site={site}.csv")
    try:
        pool.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{site}.", dir=pool) as scratch:
            counts = _write_files(Path(scratch), site, parts, ["questions", *["answers"] * answers])
            for path in targets:
                path.parent.mkdir(parents=True, exist_ok=True)
                if (made := Path(scratch, path.name)).exists():
                    os.replace(made, path)
                else:  # answers of an earlier source would not belong to these questions
                    path.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{pool}: could not be written ({why}). Free some space, or fix it.") from error
    return Ingested(site, **counts)


def _write_files(folder: Path, site: str, parts: Iterable[tuple[Rows, list[Rejected]]], kinds: list[str]) -> Counter:
    # which numbers came already, a bit each: the system gives memory only to the pages that are touched
    seen, counts = mmap.mmap(-1, (LARGEST_ID >> 3) + 1), Counter(dict.fromkeys(Ingested._fields[1:], 0))
    how = dict(compression="zstd", compression_level=1, use_dictionary=["tags", "licence", "owner_name"])
    with ExitStack() as stack:
        files = {
            kind: stack.enter_context(pq.ParquetWriter(folder / f"{kind}.parquet", SCHEMAS[kind], **how))
            for kind in kinds
        }
        listed = csv.writer(stack.enter_context(open(folder / f"site={site}.csv", "w", newline="", encoding="utf-8")))
        listed.writerow(Rejected._fields)
        for rows, rejected in parts:
            taken = _taken(rows, rejected, kinds, seen)
            for kind, file in files.items():
                if taken[kind]:
                    columns = [pa.array(values, field.type) for values, field in zip(zip(*taken[kind]), SCHEMAS[kind])]
                    file.write_table(pa.Table.from_arrays(columns, schema=SCHEMAS[kind]))
            listed.writerows(sorted(taken["rejected"]))
            counts.update({kind: len(posts) for kind, posts in taken.items()})
    return counts


def _taken(rows: Rows, rejected: list[Rejected], kinds: list[str], seen: mmap.mmap) -> dict[str, list]:
    """The posts among rows by kind, and the rejected rows with those that were rejected before."""
    taken: dict[str, list] = dict(questions=[], answers=[], other=[], rejected=[*rejected])
    for number, row in rows:
        try:
            kind, post = read_post(row, kinds)
            place, bit = post[0] >> 3, 1 << (post[0] & 7)
            if seen[place] & bit:
                raise Wrong("Id", "stands in an earlier row too")
            seen[place] |= bit
            taken[kind].append(post)
        except Wrong as wrong:
            taken["rejected"].append(Rejected(number, row.get("Id", "")[:20], f"{wrong.args[0]}: {wrong.args[1]}"))
    return taken


def checked_site(site: str) -> str:
    """A site's name as the API writes it, such as "math" or "mathoverflow.net". Raises DataError for another."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,62}", site):
        raise DataError(f"site {site!r}: not a site's name. Write it as the API does: small letters, digits, . and -.")
    return site


def sites(pool: str | Path) -> list[str]:
    """The sites that a pool holds. Raises DataError when it holds none."""
    found = sorted(path.parent.name[5:] for path in Path(pool).glob("questions/site=*/questions.parquet"))
    if not found:
        raise DataError(f"{pool}: no questions there. Fill it with `ingest` (a dump) or `crawl` (the API) first.")
    return found


# A dump is one `<row .../>` a post. The file is cut before a `<row`, which inside a well-formed attribute cannot stand,
# and each piece goes to a parser of its own, so no document type is ever read: an entity that a file declares is
# unknown here, never expanded. Where a piece is not well-formed its rows are read one by one, and only those at fault
# are rejected.
PIECE = 8 << 20  # bytes read, and written, at once
FED = 1 << 16  # bytes that the parser gets at once: what fits the cache is quicker
LONGEST = 16 << 20  # bytes of one row; a post has at most 30,000 characters
_HEADER = re.compile(rb"<posts\b[^>]*>")


def ingest_dump(path: str | Path, site: str, pool: str | Path, answers: bool = False) -> Ingested:
    """Write the valid posts of a dump (`Posts.xml`), in bounded memory, into `pool`, and list the others.

    Raises DataError when the file as a whole is no dump.
    """
    return write_site(pool, site, read_rows(path), answers)


def read_rows(path: str | Path) -> Iterator[tuple[Rows, list[Rejected]]]:
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


def _one_by_one(piece: bytes, number: int) -> tuple[Rows, list[Rejected], int]:
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
