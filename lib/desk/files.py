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
PRIVATE = {
    "id", "password", "email", "digest", "digested_at", "last_login", "is_superuser", "is_staff", "groups",
    "user_permissions",
}  # fmt: skip
SYSTEM = ("organisation", "name", "base_model")
AT_ONCE = 2000
ANEW = "Take the export anew"
Table = type[models.Model]
Numbers = dict[Table, dict[tuple, int]]  # the number of each row by what files call it
KINDS = (  # of a column: what a value is in Python, and in Parquet
    (models.JSONField, object, pa.string()),
    (models.BooleanField, bool, pa.bool_()),
    (models.IntegerField, int, pa.int64()),
    (models.FloatField, (int, float), pa.float64()),
    (models.DateTimeField, datetime, pa.timestamp("us", tz="UTC")),
    (models.Field, str, pa.string()),
)


def exported() -> list[Table]:
    """The tables, each after those that it refers to."""
    tables = sorted(set(apps.get_app_config("desk").get_models()) - {*KEPT_HERE}, key=name_of)
    needs = {one: [column.of for column in columns(one) if column.of] for one in tables}
    return list(TopologicalSorter(needs).static_order())


def name_of(table: Table) -> str:
    return table._meta.model_name


def identity(table: Table) -> tuple[str, ...]:
    """The fields by which other rows, and files, name a row of this table; () for one that none refers to."""
    if table is System:
        return SYSTEM
    return ("username",) if table is Account else ("key",) if "key" in {one.name for one in table._meta.fields} else ()


class Column:
    """A field as files hold it: a value, what names the row that it refers to, or a list of such names (`many`).

    of: the table that it refers to; paths: what to ask the database for; as_json: in Parquet a text, as it has no type.
    """

    def __init__(self, field: models.Field):
        self.field, self.name, self.many, self.of = field, field.name, field.many_to_many, field.related_model
        parts = identity(self.of) if self.of else ()
        self.paths = [f"{self.name}__{part}" for part in parts] or [self.name]
        self.as_json = self.many or isinstance(field, models.JSONField)
        self.python, self.arrow = next((python, arrow) for own, python, arrow in KINDS if isinstance(field, own))
        if self.of:
            self.arrow = pa.list_(pa.string()) if len(parts) > 1 else pa.string()

    def called(self, found: tuple) -> Any:
        """What files hold for what was found at `paths`."""
        if self.of and None in found:
            return None
        return found[0] if len(found) == 1 else list(found)

    def read(self, value: Any, numbers: Numbers) -> Any:
        """A file's value as the store holds it: of a reference the number of its row. Raises Wrong."""
        if self.many:
            return [self._number(one, numbers) for one in value]
        if value is None and self.field.null:
            return None
        return self._number(value, numbers) if self.of else self._value(value)

    def _number(self, value: Any, numbers: Numbers) -> int:
        try:
            return numbers[self.of][tuple(value) if isinstance(value, list) else (value,)]
        except (KeyError, TypeError):
            raise Wrong(self.name, f"{str(value)[:100]!r} is no row of {name_of(self.of)}", ANEW) from None

    def _value(self, value: Any) -> Any:
        if self.python is datetime and isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                raise Wrong(self.name, f"{value[:50]!r} is no time", "Write 2026-01-31T12:00:00+00:00") from None
        fits = isinstance(value, self.python) and (isinstance(value, bool) <= (self.python in (bool, object)))
        if not fits or (isinstance(value, datetime) and value.tzinfo is None):
            raise Wrong(self.name, f"{str(value)[:50]!r} is of the wrong kind", ANEW)
        return value


@cache
def columns(table: Table) -> list[Column]:
    fields = (*table._meta.fields, *table._meta.many_to_many)
    return [Column(one) for one in fields if one.name not in PRIVATE]


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
                counts[name_of(table)] = _write(file, columns(table), rows_of(table, rounds))
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
    own = columns(table)
    paths = [path for column in own if not column.many for path in column.paths]
    for row in chosen.order_by("pk").values("pk", *paths).iterator(chunk_size=AT_ONCE):
        told = {}
        for column in own:
            if column.many:
                others = table.objects.filter(pk=row["pk"], **{f"{column.paths[0]}__isnull": False})
                others = others.order_by(f"{column.name}__pk").values_list(*column.paths)
                told[column.name] = [column.called(found) for found in others]
            else:
                told[column.name] = column.called(tuple(row[path] for path in column.paths))
        yield told


def _write(file: Path, own: list[Column], rows: Iterator[dict]) -> int:
    count = 0
    if file.suffix == ".jsonl":
        with file.open("w", encoding="utf-8", newline="\n") as out:
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False, allow_nan=False, default=datetime.isoformat) + "\n")
                count += 1
        return count
    schema, as_json = pa.schema({one.name: one.arrow for one in own}), {one.name for one in own if one.as_json}
    with pq.ParquetWriter(file, schema) as out:
        while some := list(islice(rows, AT_ONCE)):
            told = [{name: json.dumps(v) if name in as_json else v for name, v in row.items()} for row in some]
            out.write_table(pa.Table.from_pylist(told, schema=schema))
            count += len(some)
    return count


# In


class Manifest(BaseModel):
    """What desk.json says of an export."""

    format: Literal[1]
    files: dict[str, str]  # name -> digest
    rows: dict[str, int]  # table -> how many


def import_all(folder: str | Path) -> dict[str, int]:
    """Read an export into a desk that holds nothing yet; the rows of each table."""
    folder = Path(folder)
    manifest = _manifest(folder)
    if full := [name_of(table) for table in exported() if table.objects.exists()]:
        raise DataError(
            f"this desk holds {', '.join(full)} already. Import into an empty one: give another PROCTOR_DESK."
        )
    numbers: Numbers = {}
    with transaction.atomic():
        there = [table for table in exported() if name_of(table) in manifest.rows]  # an older desk had fewer
        return {name_of(table): _read(folder, table, manifest, numbers) for table in there}


def _manifest(folder: Path) -> Manifest:
    file = folder / "desk.json"
    try:
        found = Manifest.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(
            f"{file}: not an export of a desk ({' '.join(str(error).split())[:200]}). Export anew."
        ) from None
    known = {f"{name_of(table)}.{format}" for table in exported() for format in FORMATS}
    if strange := set(found.files) - known:
        raise DataError(
            f"{file}: {min(strange)} is no table of this desk. It comes from a newer one: update this first."
        )
    for name, written in found.files.items():
        if not (folder / name).is_file() or digest(folder / name) != written:
            raise DataError(f"{folder / name}: missing, or not as it was exported. {ANEW}.")
    return found


def _read(folder: Path, table: Table, manifest: Manifest, numbers: Numbers) -> int:
    """One table into the store; `numbers` learns its rows."""
    numbers[table] = {}
    file = next((folder / name for name in manifest.files if Path(name).stem == name_of(table)), None)
    if file is None:
        raise DataError(f"{folder}: no file of {name_of(table)}, desk.json says otherwise. {ANEW}.")
    made = read(file, lambda row: _made(table, row, numbers, file.suffix == ".parquet"))
    if len(made) != manifest.rows[name_of(table)]:
        raise DataError(f"{file}: {len(made)} rows, desk.json says otherwise. {ANEW}.")
    try:
        table.objects.bulk_create(made, batch_size=AT_ONCE)
    except IntegrityError as error:
        raise DataError(f"{file}: rows that can't stand together ({error}). {ANEW}.") from None
    for row in made:
        for field, others in row.many.items():
            getattr(row, field).set(others)
    if parts := identity(table):
        stored = table.objects.values_list("pk", *parts)
        numbers[table] = {tuple(values): pk for pk, *values in stored.iterator()}
    return len(made)


def _made(table: Table, row: dict, numbers: Numbers, parquet: bool) -> models.Model:
    """A row as it will be stored; `many`: what its many-to-many columns hold."""
    own = {column.name: column for column in columns(table)}
    if strange := [name for name in row if name not in own]:
        raise Wrong(strange[0], "no column of this desk", "It comes from a newer one: update this first")
    made = table()
    made.many = {}
    for name, column in own.items():
        field = column.field
        if name not in row:
            if not (field.has_default() or field.null or field.blank or column.many):
                raise Wrong(name, "not there", ANEW)
            continue  # an older desk had no such column: the default
        value = row[name]
        if parquet and column.as_json:
            try:
                value = json.loads(value)
            except (TypeError, ValueError, RecursionError):
                raise Wrong(name, "no JSON", ANEW) from None
        if column.many:
            made.many[name] = column.read(value, numbers)
        else:
            setattr(made, field.attname, column.read(value, numbers))
    if table is Account:
        made.set_unusable_password()
    for name, told in field_problems(made).items():
        raise Wrong(name, told.rstrip("."), ANEW)
    return made
