"""Read a table of reported metrics, whose figures are to be audited: can they be true, and which counts print so?

    rows = load_reported("my_table.csv", n=500, positives=65)

Columns of the CSV: `name` (unique) and any of FIGURES, kept as text so that 85.40 keeps its zero. Optional whole
numbers: `n` items, `positives` among them, `samples` answers an item over which an accuracy is averaged. A cell may be
empty. Of "93.4 ± 0.8" the 93.4 is read. What is wrong with a cell is said of its row, and the other rows are audited.
`notebooks/synthesis/audit_your_table` searches the counts of each row.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path

from proctor.data.tabular import DataError, Wrong, made, needs, problem, read_rows, renamed
from proctor.stats.reconstruct import FIGURES
from proctor.stats.rounding import MOST_DECIMALS, MOST_ITEMS

AS_SHARE = ("kappa",)  # printed as 0.45 whatever the unit of the others
COUNTS = ("n", "positives", "samples")
COLUMNS = ("name", *FIGURES, *COUNTS)
OTHER_NAMES = {
    "sensitivity": "recall",
    "tpr": "recall",
    "ppv": "precision",
    "tnr": "specificity",
    "acc": "accuracy",
    "bacc": "balanced_accuracy",
    "balanced accuracy": "balanced_accuracy",
    "cohen": "kappa",
    "f1-score": "f1",
    "f-score": "f1",
    "model": "name",
    "method": "name",
    "total": "n",
    "items": "n",
}
MOST_SIZES = 2_000  # numbers of items to try for one row


@dataclass(frozen=True)
class Reported:
    """One row: its figures, by name, as percentages in text; n_min to n_max items, equal where n is stated.

    >>> row = Reported("careful", 400, 400, positives=90, figures={"accuracy": "89.25", "recall": "67.78"})
    >>> row.n, row.settles_table, Reported("open", 390, 410, figures={"accuracy": "84.75"}).n
    (400, True, None)
    """

    name: str
    n_min: int
    n_max: int
    positives: int | None = None
    samples: int = 1
    figures: dict[str, str] = field(default_factory=dict)
    unit: str = "percent"
    note: str = ""  # what of a cell was left out
    fault: str = ""  # what is wrong with a cell: the row is not checked then

    def shown(self, figure: str, percent: str) -> str:
        """A percentage of `figure` as the file would have it: a share where figures are shares, or it is a kappa."""
        return f"{Decimal(percent).scaleb(-2):f}" if self.unit == "share" or figure in AS_SHARE else percent

    @property
    def sizes(self) -> range:
        return range(self.n_min, self.n_max + 1)

    @property
    def n(self) -> int | None:
        """The number of items; None where it is only known as a range."""
        return self.n_min if self.n_min == self.n_max else None

    @property
    def settles_table(self) -> bool:
        """Whether there are as many figures as a confusion table has free counts: two, or three without positives.

        F1 is a function of precision and recall, so these three count as two.
        """
        given = set(self.figures)
        return len(given) >= 2 if self.positives else len(given) >= 3 and given != {"precision", "recall", "f1"}


def load_reported(
    path: str | Path,
    unit: str = "percent",
    n: int | None = None,
    positives: int | None = None,
    n_min: int | None = None,
    n_max: int | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Reported]:
    """The rows of a CSV. `n` (or n_min and n_max) and `positives` are used where a row's own cell is empty.

    unit: of all figures but a kappa, which is a share: "percent" or "share". Shares become percentages (0.8540 is
    "85.40").
    columns: {field: column} where one has another name. A row with a cell that can't be read has a `fault`. Raises
    ValueError for bad parameters, DataError with the first few problems of the file, each with row, column and fix.
    """
    path, sizes = Path(path), _check_parameters(unit, n, positives, n_min, n_max)
    rows, problems = read_rows(path, "csv")
    rows = [(number, {column.strip(): cell.strip() for column, cell in row.items()}) for number, row in rows]
    rows = [(number, row) for number, row in rows if any(row.values())]  # spreadsheets leave rows of empty cells
    if not rows and not problems:
        raise DataError(f"{path}: no rows in it. Give it a header and at least one row.")
    rows = renamed(path, rows, columns if columns and rows else {}, COLUMNS)
    problems += (unknown := _unknown_columns(path, rows[0][1] if rows else ()))
    once = ("name", lambda reported: reported.name, "name", "Give each row its own")
    rows = rows if not unknown else []
    found = made(path, rows, problems, lambda _, row: _reported(row, unit, sizes, positives), once)
    if all(row.fault for row in found):
        raise DataError(f"{path}: no row can be read. The first: {found[0].fault}.")
    texts = [text for row in found for name, text in row.figures.items() if name not in AS_SHARE]
    if unit == "percent" and texts and max(map(Decimal, texts)) <= 1 and any("." in text for text in texts):
        raise DataError(f"{path}: no figure is above 1, but the unit is percent. Set unit to share.")
    return found


def _check_parameters(
    unit: str, n: int | None, positives: int | None, n_min: int | None, n_max: int | None
) -> tuple[int, int] | None:
    """The numbers of items to try where a row has none of its own, or None."""
    if unit not in ("percent", "share"):
        raise ValueError(f"unit is {unit!r}: choose percent or share")
    for name, value in dict(n=n, positives=positives, n_min=n_min, n_max=n_max).items():
        if value is not None and not 1 <= value <= MOST_ITEMS:
            raise ValueError(f"{name} is {value}: must be a whole number from 1 to {MOST_ITEMS}")
    if (n_min is None) != (n_max is None) or n is not None and n_min is not None:
        raise ValueError(f"n is {n}, n_min {n_min}, n_max {n_max}: give n alone, or n_min and n_max")
    if n_min is not None and not 0 <= n_max - n_min < MOST_SIZES:
        raise ValueError(f"n_min to n_max is {n_min} to {n_max}: give a rising range of at most {MOST_SIZES}")
    return (n, n) if n else (n_min, n_max) if n_min else None


def _unknown_columns(path: Path, columns: Iterable[str]) -> list[str]:
    problems = []
    for column in [column for column in columns if column not in COLUMNS]:
        near = OTHER_NAMES.get(column.lower()) or next(iter(get_close_matches(column.lower(), COLUMNS, n=1)), None)
        mend = f"Did you mean {near}? Say --column {near}={column}. Known" if near else "Remove it; known"
        problems.append(problem(path, 1, column, "unknown column", f"{mend} are {', '.join(COLUMNS)}"))
    return problems


def _reported(row: dict[str, str], unit: str, sizes: tuple[int, int] | None, positives: int | None) -> Reported:
    needs(row, "name", fix="Give every row a name")
    try:
        return _sound(row, unit, sizes, positives)
    except Wrong as wrong:
        column, what, mend = wrong.args
        place = f"column {column}: " if column else ""
        return Reported(row["name"], *(sizes or (0, 0)), unit=unit, fault=f"{place}{what}. {mend}")


def _sound(row: dict[str, str], unit: str, sizes: tuple[int, int] | None, positives: int | None) -> Reported:
    cells = {name: re.split(r"\s*(?:±|\+/-|\+-)", row[name])[0] for name in FIGURES if row.get(name)}
    cut = [name for name, cell in cells.items() if cell != row[name]]
    figures = {name: _figure(name, cell, "share" if name in AS_SHARE else unit) for name, cell in cells.items()}
    if not figures:
        raise Wrong(None, "no figure given", f"Fill in one of {', '.join(FIGURES)}, or remove the row")
    counts = {name: _count(name, row[name]) for name in COUNTS if row.get(name)}
    if "n" not in counts and sizes is None:
        raise Wrong("n", "empty, and no parameter n", "Fill it in, or set n, or n_min and n_max")
    least, most = (counts["n"], counts["n"]) if "n" in counts else sizes
    positives, samples = counts.get("positives", positives), counts.get("samples", 1)
    if positives is not None and positives > least:
        raise Wrong("positives", f"{positives}, more than n = {least}", "Correct one of the two")
    if samples > 1 and set(figures) != {"accuracy"}:
        raise Wrong(
            "samples",
            f"{samples}, next to more than an accuracy",
            "Leave it empty and count answers, not items, in n and positives",
        )
    if most * samples > MOST_ITEMS:
        raise Wrong("samples", f"{most} items of {samples} samples", f"At most {MOST_ITEMS} answers can be searched")
    note = f"± of {' and '.join(cut)} left out" if cut else ""
    return Reported(row["name"], least, most, positives, samples, figures, unit, note)


def _figure(column: str, cell: str, unit: str) -> str:
    """A printed figure as a percentage in text."""
    if cell.endswith("%"):
        raise Wrong(column, f"{cell!r} has a % sign", f"Write {cell.rstrip('% ')}, with unit percent")
    if re.fullmatch(r"\d*,\d+", cell):
        raise Wrong(column, f"{cell!r} has a decimal comma", f"Write {cell.replace(',', '.')}")
    sign = "-?" if column in AS_SHARE else ""
    if not re.fullmatch(rf"{sign}([0-9]+(\.[0-9]*)?|\.[0-9]+)", cell):
        raise Wrong(column, f"{cell!r} is not a number", "Write it as printed, such as 85.40, or leave it empty")
    number, whole = Decimal(cell), 100 if unit == "percent" else 1
    decimals = -number.as_tuple().exponent - (2 if unit == "share" else 0)
    if number > whole:
        mend = "Correct it" if unit == "percent" else "Set unit to percent, or correct it"
        raise Wrong(column, f"{cell} is above {whole}, the most as unit is {unit}", mend)
    if decimals < 0 and number != whole:
        raise Wrong(column, f"{cell} says too little for a share", "Give it with two decimals, or leave it empty")
    if decimals > MOST_DECIMALS:
        raise Wrong(column, f"{cell} has too many decimals", f"Give at most {MOST_DECIMALS} of the percentage")
    return f"{number if unit == 'percent' else number.scaleb(2):f}"


def _count(column: str, cell: str) -> int:
    if not re.fullmatch(r"[0-9]{1,20}", cell) or not 1 <= int(cell) <= MOST_ITEMS:
        what = f"{cell!r} is not a whole number from 1 to {MOST_ITEMS}"
        raise Wrong(column, what, "Write it in digits alone, such as 1200")
    return int(cell)
