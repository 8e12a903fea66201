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
from collections.abc import Container, Iterable
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

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
                kind, post = read_post(row, self._files)
                place, bit = post[0] >> 3, 1 << (post[0] & 7)
                if self._seen[place] & bit:
                    raise Wrong("Id", "stands in an earlier row too")
                self._seen[place] |= bit
                taken[kind].append(post)
            except Wrong as wrong:
                bad.append(Rejected(number, row.get("Id", "")[:20], f"{wrong.args[0]}: {wrong.args[1]}"))
        for kind, file in self._files.items():
            if taken[kind]:
                columns = [pa.array(values, field.type) for values, field in zip(zip(*taken[kind]), SCHEMAS[kind])]
                file.write_table(pa.Table.from_arrays(columns, schema=SCHEMAS[kind]))
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
                for kind, schema in SCHEMAS.items()
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
