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
from functools import partial
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
    # Counted when the body comes in, so that rules need not read the texts again.
    images: Annotated[int, Field(default_factory=lambda row: row["body"].count("<img")), pa.int32()]
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
    return kind, list(vars(post).values())


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


Row = tuple[int, dict[str, str]] | Rejected  # its number and attributes, as a dump has them


def write_site(pool: str | Path, site: str, parts: Iterable[Iterable[Row]], answers: bool = False) -> Ingested:
    """Write the posts of a site into `pool`, in place of those that are there; on an error nothing changes.

    parts: rows, some at a time. Of posts with one number the first is kept.
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


def _write_files(folder: Path, site: str, parts: Iterable[Iterable[Row]], kinds: list[str]) -> Counter:
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
        for rows in parts:
            taken = _taken(rows, kinds, seen)
            for kind, file in files.items():
                if taken[kind]:
                    columns = [pa.array(values, field.type) for values, field in zip(zip(*taken[kind]), SCHEMAS[kind])]
                    file.write_table(pa.Table.from_arrays(columns, schema=SCHEMAS[kind]))
            listed.writerows(taken["rejected"])
            counts.update({kind: len(posts) for kind, posts in taken.items()})
    return counts


def _taken(rows: Iterable[Row], kinds: list[str], seen: mmap.mmap) -> dict[str, list]:
    """The posts among rows by kind, and the rejected rows."""
    taken: dict[str, list] = dict(questions=[], answers=[], other=[], rejected=[])
    for row in rows:
        if isinstance(row, Rejected):
            taken["rejected"].append(row)
            continue
        number, attributes = row
        try:
            kind, post = read_post(attributes, kinds)
            place, bit = post[0] >> 3, 1 << (post[0] & 7)
            if seen[place] & bit:
                raise Wrong("Id", "stands in an earlier row too")
            seen[place] |= bit
            taken[kind].append(post)
        except Wrong as wrong:
            reason = f"{wrong.args[0]}: {wrong.args[1]}"
            taken["rejected"].append(Rejected(number, attributes.get("Id", "")[:20], reason))
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


# A dump has one `<row ... />` a line; other programs may write several. Each goes to a parser of its own, so that only
# rows at fault are rejected, and no document type is read: an entity that a file declares is unknown, never expanded.
PIECE = 8 << 20  # bytes read, and written, at once
LONGEST = 16 << 20  # bytes of one row; a post has at most 30,000 characters
_HEADER = re.compile(rb"<posts\b[^>]*>")
_BEFORE_ROW = re.compile(rb"(?=<row\b)")  # which inside a well-formed attribute cannot stand


def ingest_dump(path: str | Path, site: str, pool: str | Path, answers: bool = False) -> Ingested:
    """Write the valid posts of a dump (`Posts.xml`), in bounded memory, into `pool`, and list the others.

    Raises DataError when the file as a whole is no dump.
    """
    return write_site(pool, site, read_rows(path), answers)


def read_rows(path: str | Path) -> Iterator[list[Row]]:
    """The rows of a dump, some megabytes at a time, numbered from 1.

    Raises DataError: no such file, another encoding than UTF-8, no `<posts>`.
    """
    path, part, number, size = Path(path), list[Row](), 0, 0
    try:
        with open(path, "rb") as file:
            start = file.read(PIECE)
            header = _HEADER.search(start)
            if not header:
                told = "Give the Posts.xml of a data dump, unpacked and in UTF-8"
                raise DataError(f"{path}: no <posts> in its first {len(start):,} bytes. {told}.")
            file.seek(header.end())
            ended = header[0].endswith(b"/>")
            for line in filter(None, map(bytes.strip, iter(partial(file.readline, LONGEST), b""))):
                ended = line.endswith(b"</posts>")
                line = line.removesuffix(b"</posts>")
                for row in filter(None, [line] if line.find(b"<row", 4) < 0 else _BEFORE_ROW.split(line)):
                    number, size = number + 1, size + len(row)
                    part.append(_row(number, row))
                if size >= PIECE:
                    yield part
                    part, size = [], 0
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the path and its permissions.") from error
    if not ended:
        part.append(Rejected(number, "", "the file ends without </posts> after this row: it may be cut"))
    yield part


def _row(number: int, line: bytes) -> Row:
    """A row's attributes, or why it has none."""
    elements: list[dict[str, str]] = []
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, attributes: elements.append(attributes)
    try:
        if line.startswith(b"<row"):
            parser.Parse(line, True)
            return number, elements[0]
        why = f"no <row ... />: {line[:20]!r}"
    except expat.ExpatError as error:
        why = f"not well-formed XML: {error}"
        try:
            line.decode()
        except UnicodeDecodeError as wrong:
            why = f"not UTF-8: byte 0x{line[wrong.start]:02x} at place {wrong.start} of the row"
    named = re.match(rb'<row\s+Id="(\d{1,20})"', line)
    return Rejected(number, named[1].decode() if named else "", why)
