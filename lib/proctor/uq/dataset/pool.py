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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proctor.data.tabular import DataError

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
GROUP = 64 << 20  # bytes of rows held before they are written
LARGEST_ID = 2**31 - 1


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


class SeenIds:
    """Which ids came already: a bit each, of which the system gives memory only to the pages that are touched, so that
    a site of 80 million posts takes 10 MB."""

    def __init__(self):
        self.bits = mmap.mmap(-1, (LARGEST_ID >> 3) + 1)

    def add(self, number: int) -> bool:
        """Whether `number` is new."""
        place, bit = number >> 3, 1 << (number & 7)
        known, self.bits[place] = self.bits[place] & bit, self.bits[place] | bit
        return not known


class SiteWriter:
    """Takes the rows of one site. Made by `writing`, which puts the files in place when all went well."""

    def __init__(self, site: str, questions: pq.ParquetWriter, answers: pq.ParquetWriter | None, rejected):
        self.site, self._files = site, {"questions": questions, "answers": answers}
        self._waiting: dict[str, list[pa.Table]] = {"questions": [], "answers": []}
        self._held = 0  # bytes waiting
        self._rejected = csv.writer(rejected)
        self._rejected.writerow(Rejected._fields)
        self.counts = dict(questions=0, answers=0, other=0, rejected=0)

    def add(self, kind: str, rows: list[tuple]) -> None:
        """Rows of `kind` (questions, answers, other, rejected), each in the order of its schema."""
        self.counts[kind] += len(rows)
        if kind == "rejected":
            self._rejected.writerows(rows)
        elif rows and self._files.get(kind):
            schema = {"questions": QUESTIONS, "answers": ANSWERS}[kind]
            columns = [pa.array(values, field.type) for values, field in zip(zip(*rows), schema)]
            waiting = self._waiting[kind]
            waiting.append(pa.Table.from_arrays(columns, schema=schema))
            self._held += waiting[-1].nbytes
            if self._held > GROUP:
                self.flush()

    def flush(self) -> None:
        for kind, waiting in self._waiting.items():
            if waiting:
                self._files[kind].write_table(pa.concat_tables(waiting))
                waiting.clear()
        self._held = 0

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

            def parquet(kind: str, schema: pa.Schema) -> pq.ParquetWriter:
                how = dict(compression="zstd", compression_level=1, use_dictionary=["tags", "licence", "owner_name"])
                return stack.enter_context(pq.ParquetWriter(beside[kind], schema, **how))

            rejected = stack.enter_context(open(beside["rejected"], "w", newline="", encoding="utf-8"))
            writer = SiteWriter(
                site, parquet("questions", QUESTIONS), parquet("answers", ANSWERS) if answers else None, rejected
            )
            yield writer
            writer.flush()
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
