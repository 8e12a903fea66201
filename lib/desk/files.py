"""Everything out to a folder: a file a table, as JSON lines or Parquet, and desk.json with their digests.

An import (`files_in`) into an empty desk gives the same rows, row by row. What is private never leaves: passwords,
e-mail addresses, tokens, sessions, an admin's rights. Rows refer to each other by key, accounts by name, systems by
their three names.
"""

import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from graphlib import TopologicalSorter
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.apps import apps
from django.db import models
from django.db.migrations.recorder import MigrationRecorder
from proctor.data.tabular import DataError
from proctor.files import digest

from desk.models import Account, Act, Ballot, Case, Round, Seat, System, Token, Use
from desk.tables import one_moment

FORMATS = ("jsonl", "parquet")
KEPT_HERE = (Token, Use)
BLIND = (Round, Case, Seat, Ballot)
PRIVATE = {
    "id", "password", "email", "digest", "digested_at", "last_login", "is_superuser", "is_staff", "groups",
    "user_permissions",
}  # fmt: skip
SYSTEM = ("organisation", "name", "base_model")
AT_ONCE = 2000
Table = type[models.Model]
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
    needs = {one: [field.related_model for field in columns(one) if field.is_relation] for one in tables}
    return list(TopologicalSorter(needs).static_order())


def columns(table: Table) -> list[models.Field]:
    return [one for one in (*table._meta.fields, *table._meta.many_to_many) if one.name not in PRIVATE]


def name_of(table: Table) -> str:
    return table._meta.model_name


def identity(table: Table) -> tuple[str, ...]:
    """The fields by which other rows, and files, name a row of this table; () for one that none refers to."""
    if table is System:
        return SYSTEM
    return ("username",) if table is Account else ("key",) if "key" in {one.name for one in table._meta.fields} else ()


def kind_of(field: models.Field) -> tuple[Any, pa.DataType]:
    return next((python, arrow) for own, python, arrow in KINDS if isinstance(field, own))


def named(values: tuple) -> Any:
    """What files call the row of these values."""
    return values[0] if len(values) == 1 else list(values)


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
    plain, references = [], []
    for one in columns(table):
        (references if one.is_relation and not one.many_to_many else plain).append(one)
    paths = {one.name: [f"{one.name}__{part}" for part in identity(one.related_model)] for one in references}
    many = [one for one in plain if one.many_to_many]
    values = [one.name for one in plain if not one.many_to_many] + [path for one in paths.values() for path in one]
    for row in chosen.order_by("pk").values("pk", *values).iterator(chunk_size=AT_ONCE):
        pk = row.pop("pk")
        for name, parts in paths.items():
            found = tuple(row.pop(part) for part in parts)
            row[name] = None if None in found else named(found)
        for one in many:
            path = [f"{one.name}__{part}" for part in identity(one.related_model)]
            row[one.name] = [named(found) for found in table.objects.filter(pk=pk, **{f"{path[0]}__isnull": False})
                             .order_by(f"{one.name}__pk").values_list(*path)]  # fmt: skip
        yield {one.name: row[one.name] for one in columns(table)}


def _write(file: Path, table: Table, rows: Iterator[dict]) -> int:
    count = 0
    if file.suffix == ".jsonl":
        with file.open("w", encoding="utf-8", newline="\n") as out:
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False, allow_nan=False, default=datetime.isoformat) + "\n")
                count += 1
        return count
    schema, wanted = pa.schema({one.name: _arrow(one) for one in columns(table)}), _as_json(table)
    with pq.ParquetWriter(file, schema) as out:
        while some := list(islice(rows, AT_ONCE)):
            told = [{name: json.dumps(v) if name in wanted else v for name, v in row.items()} for row in some]
            out.write_table(pa.Table.from_pylist(told, schema=schema))
            count += len(some)
    return count


def _as_json(table: Table) -> set[str]:
    """Columns that Parquet holds as JSON text: what has no one type."""
    return {one.name for one in columns(table) if isinstance(one, models.JSONField) or one.many_to_many}


def _arrow(field: models.Field) -> pa.DataType:
    if field.is_relation and not field.many_to_many:
        return pa.list_(pa.string()) if len(identity(field.related_model)) > 1 else pa.string()
    return kind_of(field)[1]
