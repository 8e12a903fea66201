"""An export's folder into an empty desk: all of it or nothing. Errors name file, row, column and mend."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError, models, transaction
from proctor.data.tabular import DataError, Wrong, read
from proctor.files import digest

from desk.files import AT_ONCE, FORMATS, Table, columns, exported, identity, kind_of, name_of
from desk.models import Account, Answer, System
from desk.trail import field_problems

ANEW = "Take the export anew"
Numbers = dict[Table, dict[tuple, int]]  # the number of each row by what files call it


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
        there = [table for table in exported() if name_of(table) in manifest["rows"]]  # an older desk had fewer
        return {name_of(table): _read(folder, table, manifest, numbers) for table in there}


def _manifest(folder: Path) -> dict:
    file = folder / "desk.json"
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(told, dict) or told.get("format") != 1:
            raise ValueError("not what `export` writes")
        files = {str(name): str(value) for name, value in told["files"].items()}
        rows = {str(name): int(value) for name, value in told["rows"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{file}: not an export of a desk ({' '.join(str(error).split())[:200]}). Export anew."
        ) from None
    if len({name.partition(".")[0] for name in files}) < len(files):
        raise DataError(f"{file}: a table stands there twice. Take the export anew.")
    known = {f"{name_of(table)}.{format}" for table in exported() for format in FORMATS}
    if strange := set(files) - known:
        raise DataError(
            f"{file}: {min(strange)} is no table of this desk. It comes from a newer one: update this first."
        )
    for name, written in files.items():
        path = folder / name
        if not path.is_file() or digest(path) != written:
            raise DataError(f"{path}: missing, or not as it was exported. Take the export anew.")
    return dict(files=files, rows=rows)


def _read(folder: Path, table: Table, manifest: dict, numbers: Numbers) -> int:
    """One table into the store; `numbers` learns its rows."""
    numbers[table] = {}
    name = next((one for one in manifest["files"] if one.partition(".")[0] == name_of(table)), None)
    if name is None:
        raise DataError(f"{folder}: no file of {name_of(table)}, desk.json says otherwise. Take the export anew.")
    people = set(System.objects.filter(people=True).values_list("pk", flat=True))
    made = read(folder / name, lambda row: _made(table, row, numbers, name.endswith(".parquet"), people))
    if len(made) != manifest["rows"].get(name_of(table)):
        raise DataError(f"{folder / name}: {len(made)} rows, desk.json says otherwise. Take the export anew.")
    try:
        table.objects.bulk_create(made, batch_size=AT_ONCE)
    except IntegrityError as error:
        raise DataError(f"{folder / name}: rows that can't stand together ({error}). Take the export anew.") from None
    for row in made:
        for field, others in row.many.items():
            getattr(row, field).set(others)
    if parts := identity(table):
        stored = table.objects.values_list("pk", *parts)
        numbers[table] = {tuple(values): pk for pk, *values in stored.iterator()}
    return len(made)


def _made(table: Table, row: dict, numbers: Numbers, parquet: bool, people: set[int]) -> models.Model:
    """A row as it will be stored; `many`: what its many-to-many columns hold."""
    fields = {one.name: one for one in columns(table)}
    for name in row:
        if name not in fields:
            raise Wrong(name, "no column of this desk", "It comes from a newer one: update this first")
    made = table()
    made.many = {}
    for name, field in fields.items():
        if name not in row:
            if not (field.has_default() or field.null or field.blank or field.many_to_many):
                raise Wrong(name, "not there", ANEW)
            continue  # an older desk had no such column: the default
        value = row[name]
        if parquet and (isinstance(field, models.JSONField) or field.many_to_many):
            value = _json(name, value)
        if field.many_to_many:
            made.many[name] = [_number(field, one, numbers) for one in value]
        elif value is None and field.null:
            setattr(made, field.attname, None)
        elif field.is_relation:
            setattr(made, field.attname, _number(field, value, numbers))
        else:
            setattr(made, field.attname, _value(field, value))
    if table is Account:
        made.set_unusable_password()
    for name, told in field_problems(made, people=table is Answer and made.system_id in people).items():
        raise Wrong(name, told.rstrip("."), ANEW)
    return made


def _json(name: str, text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise Wrong(name, "no JSON", ANEW) from None


def _number(field: models.Field, value: Any, numbers: Numbers) -> int:
    called = tuple(value) if isinstance(value, list) else (value,)
    try:
        return numbers[field.related_model][called]
    except (KeyError, TypeError):
        raise Wrong(field.name, f"{str(value)[:100]!r} is no row of {name_of(field.related_model)}", ANEW) from None


def _value(field: models.Field, value: Any) -> Any:
    if isinstance(field, models.DateTimeField) and isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise Wrong(field.name, f"{value[:50]!r} is no time", "Write 2026-01-31T12:00:00+00:00") from None
    kind, _ = kind_of(field)
    fits = isinstance(value, kind) and (isinstance(value, bool) <= (kind in (bool, object)))
    if not fits or (isinstance(value, datetime) and value.tzinfo is None):
        raise Wrong(field.name, f"{str(value)[:50]!r} is of the wrong kind", ANEW)
    return value
