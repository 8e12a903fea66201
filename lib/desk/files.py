"""Everything out to a folder and in again: a file a table, as JSON lines or Parquet, and desk.json with their digests.

An import into an empty desk gives the same rows, row by row, all of them or none; its errors name file, row, column and
mend. What is private never leaves: passwords, e-mail addresses, tokens, sessions, an admin's rights. Rows refer to each
other by key, accounts by name, systems by their three names.
"""

import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from graphlib import TopologicalSorter
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from proctor.data.tabular import DataError, Wrong, read
from proctor.files import digest
from pydantic import BaseModel

from desk.models import Account, Act, Ballot, Case, Round, Seat, System, Token, Use
from desk.tables import one_moment
from desk.trail import field_problems

FORMATS = ("jsonl", "parquet")
KEPT_HERE = (Token, Use)
BLIND = (Round, Case, Seat, Ballot)
RETIRED = {"worker.jsonl", "worker.parquet"}  # files of older desks, which are not read
PRIVATE = {"id", "password", "email", "digest", "digested_at", "last_login", "is_superuser", "is_staff"}
AT_ONCE = 2000
ANEW = "Take the export anew"
Table = type[models.Model]
Numbers = dict[Table, dict[Any, int]]  # the number of each row by what files call it
PARQUET = {  # the type of a column; others are texts
    models.BooleanField: pa.bool_(),
    models.IntegerField: pa.int64(),
    models.FloatField: pa.float64(),
    models.DateTimeField: pa.timestamp("us", tz="UTC"),
}


def exported() -> list[Table]:
    """The tables, each after those that it refers to."""
    tables = sorted(set(apps.get_app_config("desk").get_models()) - {*KEPT_HERE}, key=name_of)
    needs = {table: [field.related_model for field in columns(table) if field.is_relation] for table in tables}
    return list(TopologicalSorter(needs).static_order())


def name_of(table: Table) -> str:
    return table._meta.model_name


@cache
def columns(table: Table) -> list[models.Field]:
    return [field for field in (*table._meta.fields, *table._meta.many_to_many) if field.name not in PRIVATE]


def identity(table: Table) -> tuple[str, ...]:
    """The fields by which other rows, and files, name a row of this table; () for one that none refers to."""
    if table is System:
        return "organisation", "name", "base_model"
    return ("username",) if table is Account else ("key",) if "key" in {one.name for one in table._meta.fields} else ()


def paths(field: models.Field) -> list[str]:
    """What to ask the database for: the field, or what names the row that it refers to."""
    return [f"{field.name}__{part}" for part in identity(field.related_model)] if field.is_relation else [field.name]


def is_json(field: models.Field) -> bool:
    """Whether Parquet holds it as a text in JSON, as it has no one type."""
    return field.many_to_many or isinstance(field, models.JSONField)


# Out


def export(folder: str | Path, format: str = "jsonl", rounds: bool = False) -> dict[str, int]:
    """Write the store into a new folder, whole or not at all; the rows of each table.

    rounds: with the rounds of review, which name who cast which blind ballot: to move a desk, not to publish.
    """
    folder = Path(folder)
    if format not in FORMATS:
        raise DataError(f"format {format!r}: there is none such. Choose {' or '.join(FORMATS)}.")
    if folder.exists():
        raise DataError(f"{folder}: is there already. Name a folder that is not.")
    beside, counts, digests = folder.with_name(f".{folder.name}.{os.getpid()}"), {}, {}
    beside.mkdir(parents=True)
    try:
        with one_moment():
            for table in exported() if rounds else [one for one in exported() if one not in BLIND]:
                file = beside / f"{name_of(table)}.{format}"
                counts[name_of(table)] = _write(file, table, rows_of(table, rounds))
                digests[file.name] = digest(file)
            migration = MigrationRecorder.Migration.objects.filter(app="desk").latest("pk").name
        told = dict(
            format=1, migration=migration, exported_at=datetime.now(UTC).isoformat(), rows=counts, files=digests
        )
        (beside / "desk.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        os.rename(beside, folder)
    except OSError as error:
        raise OSError(error.errno, f"could not write {folder} ({error.strerror}): nothing was changed") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return counts


def rows_of(table: Table, rounds: bool = True) -> Iterator[dict]:
    """The rows as files hold them, the oldest first; without `rounds` the trail tells nothing of them."""
    chosen = table.objects.all() if rounds or table is not Act else Act.objects.exclude(table__in=map(name_of, BLIND))
    single = {field.name: paths(field) for field in columns(table) if not field.many_to_many}
    every = [path for own in single.values() for path in own]
    for row in chosen.order_by("pk").values("pk", *every).iterator(chunk_size=AT_ONCE):
        told = {name: _called([row[path] for path in own]) for name, own in single.items()}
        for field in [one for one in columns(table) if one.many_to_many]:
            others = getattr(table(pk=row["pk"]), field.name).order_by("pk").values_list(*identity(field.related_model))
            told[field.name] = [_called(list(parts)) for parts in others]
        yield told


def _called(parts: list) -> Any:
    """What files hold for a field's value, or for what names another row: of several parts a list."""
    return parts[0] if len(parts) == 1 else None if None in parts else parts


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=datetime.isoformat)


def _write(file: Path, table: Table, rows: Iterator[dict]) -> int:
    count = 0
    if file.suffix == ".jsonl":
        with file.open("w", encoding="utf-8", newline="\n") as out:
            for row in rows:
                out.write(_line(row) + "\n")
                count += 1
        return count
    schema = pa.schema({field.name: _parquet_type(field) for field in columns(table)})
    texts = {field.name for field in columns(table) if is_json(field)}
    with pq.ParquetWriter(file, schema) as out:
        while some := list(islice(rows, AT_ONCE)):
            told = [{name: json.dumps(v) if name in texts else v for name, v in row.items()} for row in some]
            out.write_table(pa.Table.from_pylist(told, schema=schema))
            count += len(some)
    return count


def _parquet_type(field: models.Field) -> pa.DataType:
    if field.related_model is System:
        return pa.list_(pa.string())
    return next((arrow for own, arrow in PARQUET.items() if isinstance(field, own)), pa.string())


# In


class Manifest(BaseModel):
    """What desk.json says of an export."""

    format: Literal[1]
    files: dict[str, str]  # name -> digest


def import_all(folder: str | Path) -> dict[str, int]:
    """Read an export into a desk that holds nothing yet; the rows of each table."""
    files = _files(Path(folder))
    if full := [name_of(table) for table in exported() if table.objects.exists()]:
        raise DataError(
            f"this desk holds {', '.join(full)} already. Import into an empty one: give another PROCTOR_DESK."
        )
    numbers: Numbers = {}
    with transaction.atomic():
        there = [table for table in exported() if name_of(table) in files]  # an older desk had fewer
        return {name_of(table): _read(files[name_of(table)], table, numbers) for table in there}


def _files(folder: Path) -> dict[str, Path]:
    """The file of each table, which is as it was exported."""
    file = folder / "desk.json"
    try:
        found = Manifest.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(
            f"{file}: not an export of a desk ({' '.join(str(error).split())[:200]}). Export anew."
        ) from None
    known = {f"{name_of(table)}.{format}" for table in exported() for format in FORMATS} | RETIRED
    if strange := set(found.files) - known:
        raise DataError(
            f"{file}: {min(strange)} is no table of this desk. It comes from a newer one: update this first."
        )
    for name, written in found.files.items():
        if not (folder / name).is_file() or digest(folder / name) != written:
            raise DataError(f"{folder / name}: missing, or not as it was exported. {ANEW}.")
    return {Path(name).stem: folder / name for name in found.files}


def _read(file: Path, table: Table, numbers: Numbers) -> int:
    """One table into the store; `numbers` learns its rows."""
    made = read(file, lambda row: _made(table, row, numbers, file.suffix == ".parquet"))
    try:
        table.objects.bulk_create(made, batch_size=AT_ONCE)
    except IntegrityError as error:
        raise DataError(f"{file}: rows that can't stand together ({error}). {ANEW}.") from None
    for row in made:
        for name, others in row.many.items():
            getattr(row, name).set(others)
    stored = table.objects.values_list("pk", *identity(table)) if identity(table) else []
    numbers[table] = {tuple(parts): pk for pk, *parts in stored}
    return len(made)


def _made(table: Table, row: dict, numbers: Numbers, parquet: bool) -> models.Model:
    """A row as it will be stored; `many`: what its many-to-many columns hold."""
    own = columns(table)
    if strange := [name for name in row if name not in {field.name for field in own}]:
        raise Wrong(strange[0], "no column of this desk", "It comes from a newer one: update this first")
    made = table()
    made.many = {}
    for field in own:
        if field.name not in row:
            if not (field.has_default() or field.null or field.blank or field.many_to_many):
                raise Wrong(field.name, "not there", ANEW)
            continue  # an older desk had no such column: the default
        value = json.loads(row[field.name]) if parquet and is_json(field) else row[field.name]
        if field.many_to_many:
            made.many[field.name] = [_number(field, one, numbers) for one in value]
        elif value is None and field.null:
            setattr(made, field.attname, None)
        else:
            setattr(made, field.attname, (_number if field.is_relation else _value)(field, value, numbers))
    if table is Account:
        made.set_unusable_password()
    for name, told in field_problems(made).items():
        raise Wrong(name, told.rstrip("."), ANEW)
    return made


def _number(field: models.Field, value: Any, numbers: Numbers) -> int:
    """The number of the row that a file's value names. Raises Wrong."""
    try:
        return numbers[field.related_model][tuple(value) if isinstance(value, list) else (value,)]
    except (KeyError, TypeError):
        raise Wrong(field.name, f"{str(value)[:100]!r} is no row of {name_of(field.related_model)}", ANEW) from None


def _value(field: models.Field, value: Any, numbers: Numbers) -> Any:
    """A file's value as the store holds it, where it would go out as it came in. Raises Wrong."""
    try:
        found = field.to_python(value)
    except ValidationError:
        found = None
    if _line(found) != _line(value) or (isinstance(found, datetime) and found.tzinfo is None):
        raise Wrong(field.name, f"{str(value)[:50]!r} is of the wrong kind", ANEW)
    return found
