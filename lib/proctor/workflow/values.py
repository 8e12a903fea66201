"""How two versions of an artifact differ: for `verify` (a new run and figures/) and `diff` (two commits).

`compare` says whether the bytes are the same, or the data (the order of keys, versions of packages), or the numbers
within a tolerance, and else how many cells, pixels or lines differ and where most.
"""

import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

OUTCOMES = ("same bytes", "same data", "within tolerance", "differs", "missing", "added")
SAME, DATA, WITHIN, DIFFERS, MISSING, ADDED = OUTCOMES
FINE = (SAME, DATA, WITHIN)
TOLERANCE = 1e-6  # relative, of two numbers
ZERO = 1e-12  # numbers that are no further apart are equal; claims are rounded there too
LEVELS = 8  # of 255: what a pixel's channels may differ by, as smoothed edges do
VERSIONS = "code.versions"  # of a provenance record: what made it, and no result

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_INFINITE = re.compile(r"[-+]?inf", re.IGNORECASE)
_SVG_NAME = re.compile(r"\b[a-z][0-9a-f]{10}\b")  # matplotlib's names are digests of what they name
_GONE = "(nothing)"  # said of what one of both has not


class Comparison(NamedTuple):
    """What became of one file.

    changed, of: cells of a table, values of a JSON, lines and numbers of a text, pixels of a picture.
    relative: the largest relative difference of two numbers, infinite where text differs; of a picture the largest
    difference of a channel, as a share of 255. where, before, after: of the largest difference.
    """

    outcome: str
    changed: int = 0
    of: int = 0
    relative: float = 0.0
    where: str = ""
    before: str = ""
    after: str = ""
    note: str = ""

    @property
    def fine(self) -> bool:
        return self.outcome in FINE

    @property
    def detail(self) -> str:
        """ "2 of 12 differ, most at model-a, low: 0.25 -> 0.26 (relative 0.0385)"."""
        if not self.changed:
            return self.note
        size = f" (relative {self.relative:.3g})" if 0 < self.relative < math.inf else ""
        most = f", most at {self.where}: {short(self.before)} -> {short(self.after)}{size}" if self.where else ""
        return "; ".join(filter(None, (f"{self.changed:,} of {self.of:,} differ{most}", self.note)))


def compare(name: str, before: bytes | None, after: bytes | None, tolerance: float = TOLERANCE) -> Comparison:
    """How the file `name` differs, by the form that its ending says (.csv, .json, .png, .svg, else text).

    before, after: its contents; None where it is not there. tolerance: relative, for two numbers.
    """
    if before is None or after is None:
        return Comparison(ADDED if before is None else MISSING)
    if before == after:
        return Comparison(SAME)
    ending = Path(name).suffix
    try:
        if ending == ".png":
            return _pixels(before, after)
        old, new = before.decode("utf-8"), after.decode("utf-8")
        if ending == ".csv":
            return _tables(old, new, tolerance)
        readers: dict[str, Callable[[str], Any]] = {".json": json.loads, ".svg": _drawn}
        read = readers.get(ending, _words)
        return _values(_leaves(read(old)), _leaves(read(new)), tolerance)
    except (ValueError, OSError) as error:
        return Comparison(DIFFERS, note=f"can't be read as {ending or 'text'}: {error}")


def relative(before: float, after: float) -> float:
    """|difference| over the larger of both, 0 to 2; infinite where one of them is.

    >>> relative(2.0, 1.0), relative(0.0, 1e-13), relative(1.0, math.inf)
    (0.5, 0.0, inf)
    """
    if before == after or abs(before - after) <= ZERO:
        return 0.0
    size = max(abs(before), abs(after))
    return abs(before - after) / size if math.isfinite(size) else math.inf


def number(value: Any) -> float | None:
    """The number that a cell or a JSON value is, None for what is no number."""
    if isinstance(value, str):
        text = value.strip()
        return float(text) if _NUMBER.fullmatch(text) or _INFINITE.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _values(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float, note: str = "") -> Comparison:
    """Compare two mappings from a place to its value. What only one of both has is told as the largest difference
    where nothing else differs."""
    apart, lost, versions = dict[str, float](), [], []
    for place in {**old, **new}:
        before, after = old.get(place, _GONE), new.get(place, _GONE)
        if place.startswith(VERSIONS):
            if before != after:
                versions.append(f"{place.removeprefix(VERSIONS + '.')} {before} -> {after}")
        elif place not in old or place not in new:
            lost.append(place)
        elif repr(before) != repr(after):
            one, other = number(before), number(after)
            apart[place] = relative(one, other) if one is not None and other is not None else math.inf
    changed = [place for place in apart if apart[place] > 0]
    note, of = "; ".join(filter(None, (note, ", ".join(versions)))), len({**old, **new})
    if not changed and not lost:
        return Comparison(DATA, of=of, note=note or "the form differs")
    worst = max(changed, key=apart.__getitem__) if changed else lost[0]
    largest = apart.get(worst, math.inf)
    outcome = WITHIN if largest <= tolerance and not lost else DIFFERS
    first, second = (str(each.get(worst, _GONE)) for each in (old, new))
    return Comparison(outcome, len(changed) + len(lost), of, largest, worst, first, second, note)


def _leaves(value: Any, place: str = "") -> dict[str, Any]:
    """{place: value} of all that is no list and no mapping: "inputs[0].path"; an empty one is a value too."""
    if isinstance(value, dict) and value:
        parts = [(f"{place}.{key}" if place else str(key), each) for key, each in value.items()]
    elif isinstance(value, list) and value:
        parts = [(f"{place}[{n}]", each) for n, each in enumerate(value)]
    else:
        return {place: value}
    return {key: leaf for name, each in parts for key, leaf in _leaves(each, name).items()}


def _words(text: str) -> dict[str, str]:
    """{place: words of a line, or one of the numbers between them}"""
    found = {}
    for n, line in enumerate(text.splitlines(), 1):
        found[f"line {n}"] = _NUMBER.sub("#", line)
        found |= {f"line {n}, number {k}": each for k, each in enumerate(_NUMBER.findall(line), 1)}
    return found


def _drawn(text: str) -> dict[str, str]:
    """What an SVG draws and says: without metadata, its names counted instead of digested."""
    names: dict[str, str] = {}
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return _words(_SVG_NAME.sub(lambda found: names.setdefault(found[0], f"name-{len(names)}"), text))


def _tables(old: str, new: str, tolerance: float) -> Comparison:
    """Compare two CSVs cell by cell: columns by name, rows by the text that names them, else by their place."""
    import pandas as pd  # not for runs whose bytes are the same

    tables = [pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False) for text in (old, new)]
    keys = _keys(tables)
    cells = [
        {f"{key}, {column}": row[column] for key, row in zip(names, table.to_dict("records")) for column in row}
        for names, table in zip(keys, tables)
    ]
    notes = []
    for what, (a, b) in {"row": keys, "column": [list(table) for table in tables]}.items():
        for word, count in (("added", len({*b} - {*a})), ("removed", len({*a} - {*b}))):
            if count:
                notes.append(f"{count} {what}{'s' if count > 1 else ''} {word}")
    common = [[key for key in each if key in {*other}] for each, other in (keys, keys[::-1])]
    if common[0] != common[1]:
        first = next(pair for pair in zip(*common) if pair[0] != pair[1])
        cells[0]["order of rows"], cells[1]["order of rows"] = first
        notes.append("rows in another order")
    return _values(cells[0], cells[1], tolerance, ", ".join(notes))


def _keys(tables: Sequence["pd.DataFrame"]) -> list[list[str]]:
    """The rows' names in both tables: the first columns of text that tell all rows apart, else their numbers."""
    columns = [
        column
        for column in tables[0]
        if column in tables[1] and any(cell and number(cell) is None for table in tables for cell in table[column])
    ]
    for n in range(1, len(columns) + 1):
        keys = [[" / ".join(row) for row in table[columns[:n]].itertuples(index=False)] for table in tables]
        if all(len(set(names)) == len(names) for names in keys):
            return keys
    return [[f"row {n}" for n in range(1, len(table) + 1)] for table in tables]


def _pixels(before: bytes, after: bytes) -> Comparison:
    """Compare two PNGs pixel by pixel."""
    import numpy as np  # not for runs whose bytes are the same
    from PIL import Image  # comes with matplotlib

    old, new = (np.asarray(Image.open(io.BytesIO(content)).convert("RGBA"), np.int16) for content in (before, after))
    pixels = old[..., 0].size
    if old.shape != new.shape:
        first, second = (f"{width} x {height}" for height, width, _ in (old.shape, new.shape))
        return Comparison(DIFFERS, pixels, pixels, 1.0, "size", first, second, "another size")
    apart = np.abs(old - new).max(axis=2)
    changed, largest = int((apart > 0).sum()), int(apart.max())
    if not changed:
        return Comparison(DATA, of=pixels, note="the same pixels")
    top, left = (int(place) for place in np.unravel_index(apart.argmax(), apart.shape))
    first, second = (str(tuple(map(int, picture[top, left]))) for picture in (old, new))
    note = f"{100 * changed / pixels:.3g} % of pixels, at most {largest} of 255 levels"
    outcome = WITHIN if largest <= LEVELS else DIFFERS
    return Comparison(outcome, changed, pixels, largest / 255, f"pixel ({left}, {top})", first, second, note)
