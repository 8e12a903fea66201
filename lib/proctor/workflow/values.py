"""How two versions of an artifact differ, and how two versions of the claims do.

An artifact: `compare` says whether its bytes are the same, or its data (the order of keys, versions of packages), or
its numbers within a tolerance, and else how many cells, pixels or lines differ and where most. Claims: `claim_changes`.
Shared by `verify` (a new run and figures/) and `diff` (two commits).
"""

import csv
import difflib
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from proctor.report.claims import Claim

SAME, DATA, WITHIN, DIFFERS, MISSING, ADDED = OUTCOMES = (
    "same bytes",
    "same data",
    "within tolerance",
    "differs",
    "missing",
    "added",
)
FINE = (SAME, DATA, WITHIN)
TOLERANCE = 1e-6  # relative, of two numbers
ZERO = 1e-12  # numbers that are no further apart are equal; claims are rounded there too
LEVELS = 8  # of 255: what a pixel's channels may differ by, as smoothed edges do
LINES = 2000  # of a text whose lines are matched; in a longer one all count from the first that differs
VERSIONS = "code.versions"  # of a provenance record: what made it, and no result

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_INFINITE = re.compile(r"[-+]?inf", re.IGNORECASE)
_SVG_NAME = re.compile(r"\b[a-z][0-9a-f]{10}\b")  # matplotlib's names are digests of what they name


class Comparison(NamedTuple):
    """What became of one file.

    changed, of: cells of a table, values of a JSON, numbers or lines of a text, pixels of a picture.
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
        most = f", most at {self.where}: {_short(self.before)} -> {_short(self.after)}{size}" if self.where else ""
        return "; ".join(filter(None, (f"{self.changed:,} of {self.of:,} differ{most}", self.note)))


class ClaimChange(NamedTuple):
    """One claim before and after. kind: added, removed, verdict, numbers, words or same.

    shift, limits: change of the estimate and the larger change of the two limits, in widths of the interval before;
    infinite where an exact number changed, None where a number or a finite width is missing.
    """

    id: str
    kind: str
    before: Claim | None
    after: Claim | None
    shift: float | None = None
    limits: float | None = None

    def cells(self) -> list[str]:
        """Its row in the table of its kind."""
        before, after = self.before, self.after
        if before is None or after is None:
            return [self.id, *(text for claim in (before, after) if claim for text in (claim.verdict, claim.numbers))]
        if self.kind == "verdict":
            return [self.id, before.verdict, after.verdict, before.numbers, after.numbers]
        return [self.id, before.numbers, after.numbers, _widths(self.shift), _widths(self.limits)]


CLAIM_TABLES = {  # kind: heading and columns
    "verdict": ("Another verdict", ("claim", "verdict before", "verdict after", "before", "after")),
    "numbers": ("Other numbers", ("claim", "before", "after", "estimate moved by", "limits moved by")),
    "added": ("Added", ("claim", "verdict", "numbers")),
    "removed": ("Removed", ("claim", "verdict", "numbers")),
}


def claim_tables(changes: Sequence[ClaimChange]) -> list[str]:
    """The lines of a Markdown table for each kind of change but words."""
    lines = []
    for kind, (heading, columns) in CLAIM_TABLES.items():
        if rows := [change.cells() for change in changes if change.kind == kind]:
            lines += [f"### {heading}", "", *grid(columns, rows), ""]
    return lines


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in cells)]


def _widths(moved: float | None) -> str:
    """How far a number moved, in widths of the interval before."""
    return "" if moved is None else "0" if moved == 0 else "exact" if moved == math.inf else f"{moved:.2g} widths"


def compare(name: str, before: bytes | None, after: bytes | None, tolerance: float = TOLERANCE) -> Comparison:
    """How the file `name` differs, by the form that its ending says (.csv, .json, .jsonl, .png, .svg, else text).

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
        if ending == ".json":
            return _values(_leaves(json.loads(old)), _leaves(json.loads(new)), tolerance)
        if ending == ".jsonl":
            return _values(_leaves(_lines(old)), _leaves(_lines(new)), tolerance)
        return _texts(_svg(old), _svg(new), tolerance) if ending == ".svg" else _texts(old, new, tolerance)
    except (ValueError, OSError, csv.Error) as error:
        return Comparison(DIFFERS, note=f"can't be read as {ending or 'text'}: {error}")


def claim_changes(before: Iterable[Claim], after: Iterable[Claim]) -> list[ClaimChange]:
    """Every claim of both, by id: those of `before` in their order, then the new ones."""
    old, new = ({claim.id: claim for claim in each} for each in (before, after))
    return [_claim_change(id, old.get(id), new.get(id)) for id in {**old, **new}]


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
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if not isinstance(value, float) or not math.isnan(value) else None
    if isinstance(value, str) and (_NUMBER.fullmatch(value.strip()) or _INFINITE.fullmatch(value.strip())):
        return float(value)
    return None


def _claim_change(id: str, before: Claim | None, after: Claim | None) -> ClaimChange:
    if before is None or after is None:
        return ClaimChange(id, "added" if before is None else "removed", before, after)
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in ("estimate", "low", "high", "n", "level")}
    moved = any(
        (old is None) != (new is None) or old is not None and relative(old, new) > TOLERANCE
        for old, new in pairs.values()
    )
    words = any(getattr(before, name) != getattr(after, name) for name in ("sentence", "says", "exact", "evidence"))
    kind = "verdict" if before.verdict != after.verdict else "numbers" if moved else "words" if words else "same"
    width = before.high - before.low if before.low is not None and before.high is not None else 0.0
    shift, low, high = (_shift(*pairs[name], width) for name in ("estimate", "low", "high"))
    limits = max(low, high) if low is not None and high is not None else None
    return ClaimChange(id, kind, before, after, shift, limits)


def _shift(before: float | None, after: float | None, width: float) -> float | None:
    if before is None or after is None:
        return None
    if before == after:
        return 0.0
    return None if math.isinf(width) else abs(after - before) / width if width > 0 else math.inf


def _values(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float, note: str = "") -> Comparison:
    """Compare two mappings from a place to its value. What only one of both has is told as the largest difference
    where nothing else differs."""
    places = list({**old, **new})
    changed, largest, worst, versions = 0, -1.0, "", []
    lost = [place for place in places if (place not in old or place not in new) and not place.startswith(VERSIONS)]
    for place in places:
        before, after = old.get(place, _GONE), new.get(place, _GONE)
        if repr(before) == repr(after):
            continue
        one, other = number(before), number(after)
        apart = relative(one, other) if one is not None and other is not None else math.inf
        if place.startswith(VERSIONS):
            versions.append(f"{place.removeprefix(VERSIONS + '.')} {_said(before)} -> {_said(after)}")
        elif place in old and place in new and apart > 0:
            changed += 1
            if apart > largest:
                largest, worst = apart, place
    note = "; ".join(filter(None, (note, ", ".join(versions))))
    if lost and not changed:
        largest, worst = math.inf, lost[0]
    changed += len(lost)
    if not changed:
        return Comparison(DATA, of=len(places), note=note or "the form differs")
    first, second = (_said(each.get(worst, _GONE)) for each in (old, new))
    outcome = WITHIN if largest <= tolerance and not lost else DIFFERS
    return Comparison(outcome, changed, len(places), largest, worst, first, second, note)


_GONE = "(nothing)"  # said of what one of both has not


def _said(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _leaves(value: Any, place: str = "") -> dict[str, Any]:
    """{place: value} of all that is no list and no mapping: "inputs[0].path"; an empty one is a value too."""
    if isinstance(value, dict) and value:
        parts = [(f"{place}.{key}" if place else str(key), each) for key, each in value.items()]
    elif isinstance(value, list) and value:
        parts = [(f"{place}[{n}]", each) for n, each in enumerate(value)]
    else:
        return {place: value}
    return {key: leaf for name, each in parts for key, leaf in _leaves(each, name).items()}


def _tables(old: str, new: str, tolerance: float) -> Comparison:
    """Compare two CSVs cell by cell: columns by name, rows by the text that names them, else by their place."""
    tables = [_rows(text) for text in (old, new)]
    columns = [column for column in tables[0][0] if column in tables[1][0]]
    keys = _keys([rows for _, rows in tables], columns)
    cells, notes = [], []
    for (header, rows), names in zip(tables, keys):
        cells.append({f"{name}, {column}": row[column] for name, row in zip(names, rows) for column in header})
    for what, (a, b) in {"row": keys, "column": [header for header, _ in tables]}.items():
        for word, count in (("added", len(set(b) - set(a))), ("removed", len(set(a) - set(b)))):
            if count:
                notes.append(f"{count} {what}{'s' if count > 1 else ''} {word}")
    common = [[name for name in each if name in set(other)] for each, other in (keys, keys[::-1])]
    if common[0] != common[1]:
        first = next(n for n, (a, b) in enumerate(zip(*common)) if a != b)
        cells[0]["order of rows"], cells[1]["order of rows"] = (names[first] for names in common)
        notes.append("rows in another order")
    return _values(cells[0], cells[1], tolerance, ", ".join(notes))


def _rows(text: str) -> tuple[list[str], list[dict[str, str]]]:
    header, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        raise ValueError("columns without names of their own, or rows of another length")
    return header, [dict(zip(header, row)) for row in rows]


def _keys(tables: Sequence[list[dict[str, str]]], columns: Sequence[str]) -> list[list[str]]:
    """The rows' names in both tables: the first columns of text that tell all rows apart, else their numbers."""
    every = [row for rows in tables for row in rows]
    text = [column for column in columns if any(row[column] and number(row[column]) is None for row in every)]
    for n in range(1, len(text) + 1):
        keys = [[" / ".join(row[column] for column in text[:n]) for row in rows] for rows in tables]
        if all(len(set(names)) == len(names) for names in keys):
            return keys
    return [[f"row {n}" for n in range(1, len(rows) + 1)] for rows in tables]


def _texts(old: str, new: str, tolerance: float) -> Comparison:
    """Compare two texts: number by number where the words between are the same, else line by line."""
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        a, b = old.splitlines(), new.splitlines()
        same = next((n for n, (one, other) in enumerate(zip(a, b)) if one != other), min(len(a), len(b)))
        before, after = ((lines[same : same + 1] or [_GONE])[0] for lines in (a, b))
        most, alike = max(len(a), len(b)), same
        if most <= LINES:
            alike = sum(block.size for block in difflib.SequenceMatcher(None, a, b, False).get_matching_blocks())
        return Comparison(DIFFERS, most - alike, most, math.inf, f"line {same + 1}", before, after, "other words")
    return _values(_numbers(old), _numbers(new), tolerance)


def _numbers(text: str) -> dict[str, str]:
    lines = enumerate(text.splitlines(), 1)
    return {f"line {n}, number {k}": found for n, line in lines for k, found in enumerate(_NUMBER.findall(line), 1)}


def _svg(text: str) -> str:
    """What an SVG draws and says: without metadata, its names counted instead of digested."""
    names: dict[str, str] = {}
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return _SVG_NAME.sub(lambda found: names.setdefault(found[0], f"name-{len(names)}"), text)


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
