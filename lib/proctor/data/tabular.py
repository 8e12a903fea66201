"""Read rows from a file of questions: .jsonl, .csv, .json (an array) or .parquet.

Rows are counted as an editor shows them: the line of a .jsonl, the spreadsheet row of a .csv (its
header is row 1), the record of a .json array or a .parquet, from 1.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

SHOWN = 5  # problems told at once: enough to see a pattern, few enough to read
LONG = 300  # characters of what is wrong
SCREEN = 3_000  # characters of a message
Row = tuple[int, dict]
Made = TypeVar("Made")
Model = TypeVar("Model", bound=BaseModel)
FIXES = {"string_type": "Write it as text, between quotes", "missing": "Fill it in", "string_too_short": "Fill it in"}


class DataError(ValueError):
    """Something is wrong with a data file: "file, row n, column c: what is wrong. How to mend it.".

    The message can be printed, whatever stands in the file, and fits on a screen.
    """

    def __init__(self, message: str):
        super().__init__(screenful(message))


def problem(path: Path, row: int | None, column: str | None, what: str, mend: str) -> str:
    """One problem in DataError's form; `row` and `column` are None where the whole file or row is meant."""
    place = f"{path}" + (f", row {row}" if row else "") + (f", column {_cut(column)}" if column is not None else "")
    what = _cut(what)  # what a cell holds may be a whole book, and the mend must still be told
    return f"{place}: {what}. {mend}" + ("" if mend.endswith("?") else ".")


class Wrong(Exception):
    """Raised with (column, what, mend) by what makes something of one row; `made` adds file and row."""


def needs(row: dict, *columns: str, fix: str = "Fill it in or remove the row") -> dict:
    """The row. Raises `Wrong` for the first of these columns that it lacks or leaves empty."""
    for column in columns:
        if row.get(column) is None or not str(row[column]).strip():
            raise Wrong(column, "empty or missing", fix)
    return row


def record(model: type[Model], fields: dict, fixes: Mapping = FIXES) -> Model:
    """The record of a row's fields. Raises `Wrong` for the first that pydantic refuses ("": no single field is wrong);
    fixes: by its kind of error."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        fault = error.errors()[0]
    field, *inside = fault["loc"] or ("",)
    place = [str(field), *(str(part + 1 if isinstance(part, int) else part) for part in inside)]
    what = fault["msg"].removeprefix("Value error, ").replace("Input should be", "it should be")
    what = what.replace(f"a valid dictionary or instance of {model.__name__}", "names and their values")
    if fault["type"] not in ("value_error", "missing", "extra_forbidden"):
        what += f", found {fault['input']!r:.60}"
    raise Wrong(" ".join(place), what, fixes.get(fault["type"], "Correct the value"))


Once = tuple[str, Callable[[Made], object], str, str]


def read(path: str | Path, make: Callable[[dict], Made], format: str | None = None, **how) -> list[Made]:
    """What `make` makes of each row of a file: a record, or what a function returns that raises `Wrong`.

    how: as `made` takes it. Raises DataError with the first few problems and their count.
    """
    return made(Path(path), *read_rows(Path(path), format), lambda _, row: make(row), **how)


def made(
    path: Path,
    rows: Iterable[Row],
    problems: list[str],
    make: Callable[[int, dict], Made],
    once: Once | None = None,
    empty: str = "",
    names: Mapping[str, str] = {},
) -> list[Made]:
    """`read` of rows that were read before, with `problems` found before; make gets the number of the row too.

    `once`, (column, its value in what was made, the value's name, fix), refuses a value that an earlier row has.
    names: the file's own names of columns that `make` knows by others. empty: what is said of a file without rows.
    """
    found = collect(path, rows, problems, make, once, names)
    if problems:
        raise DataError(summary(problems))
    if empty and not found:
        raise DataError(f"{path}: {empty}")
    return found


def collect(
    path: Path,
    rows: Iterable[Row],
    problems: list[str],
    make: Callable[[int, dict], Made],
    once: Once | None = None,
    names: Mapping[str, str] = {},
) -> list[Made]:
    """make(row number, row) of each row; what it finds `Wrong` goes to `problems`."""
    found: list[Made] = []
    seen: dict[object, int] = {}
    for number, row in rows:
        try:
            one = make(number, row)
            if once is not None:
                column, value_of, name, mend = once
                value = value_of(one)
                if value in seen:
                    raise Wrong(column, f"{value!r} is the {name} of row {seen[value]} too", mend)
                seen[value] = number
        except Wrong as wrong:
            column, *what = wrong.args
            field, gap, inside = (column or "").partition(" ")
            place = None if column is None else f"{names.get(field, field)}{gap}{inside}"
            problems.append(problem(path, number, place, *what))
        else:
            found.append(one)
    return found


def renamed(path: Path, rows: list[Row], columns: Mapping[str, str], fields: Collection[str]) -> list[Row]:
    """The rows with the fields' own names where `columns` (field: its name in the file) says that they have another; a
    column that has such a field's name already is called NAME_column. Raises DataError for what is no field, or no
    column of the file."""
    known, problems = {column for _, row in rows for column in row}, []
    for field, name in columns.items():
        if field not in fields:
            problems.append(problem(path, None, name, f"no field {field!r}", f"Fields are {', '.join(fields)}"))
        elif name not in known:
            problems.append(problem(path, None, name, "no such column", f"There are {', '.join(sorted(known))}"))
    if problems:
        raise DataError(summary(problems))
    back = {name: f"{name}_column" for name in columns} | {name: field for field, name in columns.items()}
    return [(number, {back.get(name, name): value for name, value in row.items()}) for number, row in rows]


def _cut(text: str) -> str:
    text = " ".join(text.split("\n"))
    return text if len(text) <= LONG else f"{text[:LONG]} ..."


def screenful(message: str) -> str:
    """The message, cut at SCREEN characters and 20 lines; what no encoding has is written as its escape."""
    shown = "\n".join(message[:SCREEN].split("\n")[:20]).encode(errors="backslashreplace").decode()
    return shown if len(message) <= SCREEN and message.count("\n") < 20 else f"{shown} ..."


def summary(problems: list[str]) -> str:
    """The first few problems and their count, as one message."""
    problems = [text if len(text) <= 2 * LONG else f"{text[: 2 * LONG]} ..." for text in problems]
    if len(problems) == 1:
        return problems[0]
    first = f", the first {SHOWN}:" if len(problems) > SHOWN else ":"
    return "\n  ".join([f"{len(problems)} problems{first}", *problems[:SHOWN]])


def read_rows(path: Path, format: str | None = None) -> tuple[list[Row], list[str]]:
    """The rows of a file as (row number, columns), and the problems of those that could not be read.

    The suffix decides how to read; a `format` of "jsonl" or "csv" overrides it. Raises DataError
    when the file as a whole is missing, unreadable, not UTF-8, or no file of its kind.
    """
    readers = {".jsonl": read_jsonl, ".csv": read_csv, ".json": _read_json, ".parquet": _read_parquet}
    kind = f".{format}" if format in ("jsonl", "csv") else path.suffix.lower()
    if kind not in readers:
        raise DataError(f"{path}: unknown kind of file. Use one that ends in {', '.join(readers)}.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the path and its permissions.") from error
    if kind == ".parquet":
        return _read_parquet(path, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        what = f"not UTF-8 (byte 0x{data[error.start]:02x})"
        raise DataError(problem(path, row, None, what, "Save it as UTF-8")) from None
    return readers[kind](path, text)


def read_jsonl(path: Path, text: str) -> tuple[list[Row], list[str]]:
    rows, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines would also cut at U+2028
        if not line.strip():
            continue
        try:
            if not isinstance(row := parse_json(line), dict):
                raise ValueError("not a JSON object")
            rows.append((number, row))
        except ValueError as error:
            fix = "Write one whole {...} a line, without NaN"
            problems.append(problem(path, number, None, f"bad JSON ({error})", fix))
    return rows, problems


def _read_json(path: Path, text: str) -> tuple[list[Row], list[str]]:
    try:
        array = parse_json(text)
    except ValueError as error:
        raise DataError(f"{path}: bad JSON ({error}). Mend it there.") from None
    if not isinstance(array, list):
        raise DataError(f"{path}: not a JSON array. Put the questions between [ and ], or one a line in a .jsonl.")
    rows = list(enumerate(array, start=1))
    if odd := next((number for number, row in rows if not isinstance(row, dict)), 0):
        raise DataError(problem(path, odd, None, "not a JSON object", "Write each question as {...}"))
    return rows, []


def parse_json(text: str) -> Any:
    """What JSON says. Raises ValueError for other text, for NaN and Infinity, and for half a surrogate pair."""
    return from_json(text, allow_inf_nan=False)


def read_csv(path: Path, text: str) -> tuple[list[Row], list[str]]:
    csv.field_size_limit(1 << 30)  # HLE keeps whole images in a cell
    rows, problems, number = [], [], 0
    try:
        separator, name = _separator(text)
        reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
        header, number = next(reader, []), 1
        if not header and text.strip():
            raise DataError(problem(path, 1, None, "no column names", "Begin the file with the line that has them"))
        if len(set(header)) < len(header):
            raise DataError(problem(path, 1, max(header, key=header.count), "named twice", "Rename one of the columns"))
        for number, cells in enumerate(reader, start=2):
            if cells and len(cells) == len(header):
                rows.append((number, dict(zip(header, cells))))
            elif cells:
                what, mend = (
                    f"{len(cells)} cells under {len(header)} columns",
                    f"Put quotes around a cell with a {name}",
                )
                problems.append(problem(path, number, None, what, mend))
    except csv.Error as error:
        raise DataError(problem(path, number + 1, None, f"bad CSV ({error})", "Check the quotes there")) from None
    return rows, problems


def _separator(text: str) -> tuple[str, str]:
    """What separates cells, and its name: a comma, or what a header without commas has (Excel in Europe writes ;)."""
    names = {",": "comma", ";": "semicolon", "\t": "tab"}
    cells = {each: len(next(csv.reader(io.StringIO(text, newline=""), delimiter=each), [])) for each in names}
    separator = "," if cells[","] > 1 else max(cells, key=cells.__getitem__)
    return separator, names[separator]


def _read_parquet(path: Path, data: bytes) -> tuple[list[Row], list[str]]:
    import pyarrow.parquet

    try:
        return list(enumerate(pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist(), start=1)), []
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError(f"{path}: not a readable Parquet file ({error}). Fetch or write it again.") from None
