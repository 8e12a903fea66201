"""The pool of questions: Parquet files partitioned by site, which any engine can read.

    <pool>/questions/site=<site>/questions.parquet
    <pool>/answers/site=<site>/answers.parquet        (from a dump, when asked for)
    <pool>/rejected/site=<site>.csv                   (rows that were not taken, with the reason)

A site is written whole: first beside its place, then renamed over what stood there.
"""

import csv
import mmap
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, NaiveDatetime

from proctor.data.tabular import DataError, Wrong, record

_TIME = pa.timestamp("ms")
QUESTIONS = pa.schema(
    {
        "question_id": pa.int64(),
        "title": pa.string(),
        "body": pa.string(),  # HTML, as the source gives it
        "images": pa.int32(),  # in the body, counted when it comes in so that rules need not read the texts again
        "tags": pa.list_(pa.string()),
        "score": pa.int32(),
        "views": pa.int64(),
        "answers": pa.int32(),
        "comments": pa.int32(),
        "accepted_answer_id": pa.int64(),
        "created": _TIME,
        "active": _TIME,
        "closed": _TIME,
        "owner_id": pa.int64(),
        "owner_name": pa.string(),
        "licence": pa.string(),
    }
)
ANSWERS = pa.schema(
    {
        "answer_id": pa.int64(),
        "question_id": pa.int64(),
        "score": pa.int32(),
        "body": pa.string(),
        "created": _TIME,
        "owner_id": pa.int64(),
        "owner_name": pa.string(),
        "licence": pa.string(),
    }
)
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


Number = Annotated[int, Field(ge=0, le=LARGEST_ID)]  # of a post
Text = Annotated[str, Field(min_length=1)]
Time = Annotated[NaiveDatetime, AfterValidator(_past)]
Few, Many = Annotated[int, Field(ge=0, le=10**5)], Annotated[int, Field(ge=0, le=10**10)]  # more than any real post has
Votes = Annotated[int, Field(ge=-(10**6), le=10**6)]
Person = Annotated[int | None, BeforeValidator(_person)]


class Post(BaseModel):
    """The attributes of a row of a dump that the pool wants."""

    Id: Number
    PostTypeId: Text


class Question(Post):
    """In the order of QUESTIONS, which counts the images of the body too."""

    Title: Text
    Body: Text
    Tags: Annotated[list[str], BeforeValidator(read_tags)]
    Score: Votes
    ViewCount: Many | None = None
    AnswerCount: Few | None = None
    CommentCount: Few | None = None
    AcceptedAnswerId: Number | None = None
    CreationDate: Time
    LastActivityDate: Time | None = None
    ClosedDate: Time | None = None
    OwnerUserId: Person = None
    OwnerDisplayName: str | None = None
    ContentLicense: str | None = None


class Answer(Post):
    """In the order of ANSWERS."""

    ParentId: Number
    Score: Votes
    Body: Text
    CreationDate: Time
    OwnerUserId: Person = None
    OwnerDisplayName: str | None = None
    ContentLicense: str | None = None


KINDS: dict[str | None, tuple[str, type[Post], pa.Schema]] = {  # by PostTypeId
    "1": ("questions", Question, QUESTIONS),
    "2": ("answers", Answer, ANSWERS),
}


def read_post(row: dict[str, str], answers: bool = True) -> tuple[str, list]:
    """What a row is ("questions", "answers" or "other") and its fields in the order of that schema.

    answers: without them, of an answer only the number is read. Raises Wrong: a field that is missing, of another
    form, or absurd.
    """
    kind, model, _ = KINDS.get(row.get("PostTypeId"), ("other", Post, None))
    post = record(model if answers or model is Question else Post, row)
    fields = [value for name, value in post if name != "PostTypeId"]
    if isinstance(post, Question):
        fields.insert(QUESTIONS.get_field_index("images"), post.Body.count("<img"))
    return kind, fields


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


class SiteWriter:
    """Takes the posts of one site. Made by `writing`, which puts the files in place when all went well."""

    def __init__(self, site: str, files: dict[str, pq.ParquetWriter], rejected):
        self.site, self._files, self._rejected = site, files, csv.writer(rejected)
        self._rejected.writerow(Rejected._fields)
        self.counts = dict(questions=0, answers=0, other=0, rejected=0)
        # which numbers came already, a bit each: the system gives memory only to the pages that are touched
        self._seen = mmap.mmap(-1, (LARGEST_ID >> 3) + 1)

    def add(self, rows: Iterable[tuple[int, dict[str, str]]], rejected: Iterable[Rejected] = ()) -> None:
        """Numbered rows as a dump has them, and those of the same part that could not be read.

        Of posts with one number the first is kept.
        """
        taken: dict[str, list[list]] = dict(questions=[], answers=[], other=[])
        bad = list(rejected)
        for number, row in rows:
            try:
                kind, post = read_post(row, "answers" in self._files)
                place, bit = post[0] >> 3, 1 << (post[0] & 7)
                if self._seen[place] & bit:
                    raise Wrong("Id", "stands in an earlier row too")
                self._seen[place] |= bit
                taken[kind].append(post)
            except Wrong as wrong:
                bad.append(Rejected(number, row.get("Id", "")[:20], f"{wrong.args[0]}: {wrong.args[1]}"))
        for kind, _, schema in KINDS.values():
            if taken[kind] and kind in self._files:
                columns = [pa.array(values, field.type) for values, field in zip(zip(*taken[kind]), schema)]
                self._files[kind].write_table(pa.Table.from_arrays(columns, schema=schema))
        self._rejected.writerows(sorted(bad))
        for kind, posts in {**taken, "rejected": bad}.items():
            self.counts[kind] += len(posts)

    def done(self) -> Ingested:
        return Ingested(self.site, **self.counts)


@contextmanager
def writing(pool: str | Path, site: str, answers: bool = False):
    """A SiteWriter whose files replace those of `site` in `pool` at the end; on an error nothing changes."""
    pool, site = Path(pool), checked_site(site)
    targets = {
        "questions": pool / "questions" / f"site={site}" / "questions.parquet",
        "answers": pool / "answers" / f"site={site}" / "answers.parquet",
        "rejected": pool / "rejected" / f"site={site}.csv",
    }
    beside = {kind: path.with_name(f".{path.name}.{os.getpid()}") for kind, path in targets.items()}
    try:
        with ExitStack() as stack:
            for path in targets.values():
                path.parent.mkdir(parents=True, exist_ok=True)

            how = dict(compression="zstd", compression_level=1, use_dictionary=["tags", "licence", "owner_name"])
            files = {
                kind: stack.enter_context(pq.ParquetWriter(beside[kind], schema, **how))
                for kind, _, schema in KINDS.values()
                if answers or kind == "questions"
            }
            rejected = stack.enter_context(open(beside["rejected"], "w", newline="", encoding="utf-8"))
            yield SiteWriter(site, files, rejected)
        for kind, path in beside.items():
            if path.exists():
                os.replace(path, targets[kind])
        if not answers:
            targets["answers"].unlink(missing_ok=True)  # those of an earlier source would not belong to these questions
    except OSError as error:
        raise DataError(
            f"{pool}: could not be written ({error.strerror or error}). Free some space, or fix it."
        ) from error
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)


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
