"""Audit a table of reported metrics: can its figures be true, and which counts print so?

    found = audit(load_reported("my_table.csv", n=500, positives=65))
    [(each.row.name, each.verdict, each.reading) for each in found]

Columns of the CSV: `name` (unique) and any of FIGURES, kept as text so that 85.40 keeps its zero. Optional whole
numbers: `n` items, `positives` among them, `samples` answers an item over which an accuracy is averaged. A cell may be
empty. Of "93.4 ± 0.8" the 93.4 is read. What is wrong with a cell is said of its row, and the other rows are audited.

Evidence: reconstructed. The search tries all counts in exact arithmetic. "Infeasible" is therefore proved, given what
the table states. "Feasible" says only that some counts print so, not that they were observed.
`notebooks/synthesis/audit_your_table` shows the counts, and adds intervals and comparisons.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

from proctor.data.tabular import DataError, Wrong, made, needs, problem, read_rows, renamed
from proctor.stats.reconstruct import (
    FIGURES,
    AccuracyCount,
    CountTable,
    TooMany,
    accuracy_counts,
    count_tables,
    draw_probability,
)
from proctor.stats.rounding import EITHER, MOST_DECIMALS, MOST_ITEMS, Figure, read_printed, show

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
VERDICTS = ("feasible, unique", "feasible, several", "smaller n", "partial run", "infeasible", "not checked")
CUT = "truncate"
MOST_RUN = 2_000  # items up to which every smaller number of items is tried
FEW, LIKELY = Fraction(1, 100), Fraction(1, 20)  # as in synthesis/1_what_the_tables_hold


@dataclass(frozen=True)
class Reported:
    """One row: percentages as printed, or None; n_min to n_max items, equal where n is stated.

    >>> row = Reported("careful", 400, 400, positives=90, accuracy="89.25", recall="67.78")
    >>> row.figures, row.n, row.settles_table
    ({'accuracy': '89.25', 'recall': '67.78'}, 400, True)
    >>> Reported("accuracy alone", 390, 410, accuracy="84.75").n is None
    True
    """

    name: str
    n_min: int
    n_max: int
    positives: int | None = None
    samples: int = 1
    accuracy: str | None = None
    precision: str | None = None
    recall: str | None = None
    f1: str | None = None
    specificity: str | None = None
    npv: str | None = None
    balanced_accuracy: str | None = None
    kappa: str | None = None
    unit: str = "percent"
    note: str = ""  # what of a cell was left out
    fault: str = ""  # what is wrong with a cell: the row is not checked then

    @property
    def figures(self) -> dict[str, str]:
        """The figures given, by name."""
        return {name: text for name in FIGURES if (text := getattr(self, name)) is not None}

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
    problems += (of_columns := _column_problems(path, list(rows[0][1]) if rows else ["name", *FIGURES]))
    once = ("name", lambda reported: reported.name, "name", "Give each row its own")
    sound = rows if not of_columns else ()
    found = made(path, sound, problems, lambda _, row: _reported(row, unit, sizes, positives), once)
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


def _column_problems(path: Path, columns: list[str]) -> list[str]:
    problems = []
    for column in [column for column in columns if column not in COLUMNS]:
        near = OTHER_NAMES.get(column.lower()) or next(iter(get_close_matches(column.lower(), COLUMNS, n=1)), None)
        mend = f"Did you mean {near}? Say --column {near}={column}. Known" if near else "Remove it; known"
        problems.append(problem(path, 1, column, "unknown column", f"{mend} are {', '.join(COLUMNS)}"))
    if problems:
        return problems  # a misspelt column is not told as a missing one too
    if "name" not in columns:
        problems.append(problem(path, 1, "name", "missing", "Give every row a name"))
    if not set(FIGURES) & set(columns):
        problems.append(problem(path, 1, None, "no column of figures", f"Give at least one of {', '.join(FIGURES)}"))
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
    return Reported(row["name"], least, most, positives, samples, **figures, unit=unit, note=note)


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


# The audit


@dataclass(frozen=True)
class Audited:
    """A row with its verdict, all its solutions, and what the verdict rests on (`reading`, a text).

    solutions: confusion tables, or counts of right answers where the figures settle no table. For "smaller n" and
    "partial run" they are of fewer items than the row states.
    """

    row: Reported
    verdict: str
    solutions: tuple[CountTable, ...] | tuple[AccuracyCount, ...]
    reading: str = ""


def tables(
    figures: Mapping[str, str], sizes: Iterable[int], positives: Sequence[int] | None = None
) -> list[CountTable]:
    """All confusion tables that print as these figures; an empty list proves that there is none.

    figures: {name: percentage as text}, names from FIGURES. positives: the numbers allowed; None means any.

    `roundings` of a table: EITHER or CUT (all figures truncated). A figure that is divided by 0 does not print. Raises
    TooMany.
    """
    return count_tables({name: _printed(text, name) for name, text in figures.items()}, sizes, positives, (EITHER, CUT))


def _printed(text: str, name: str) -> Figure:
    return read_printed(text, name, least=-100 if name in AS_SHARE else 0)


def audit(rows: Iterable[Reported]) -> list[Audited]:
    """Search every row. Where the figures settle no table an accuracy is read alone, if there is one.

    Rows that state the same n and positives are also read together: if more of them fit with the other class as the
    positives, that is said first, and no misprint is looked for in the rows that it explains.
    """
    return _with_classes_exchanged([_audit(row) for row in rows])


def _with_classes_exchanged(found: list[Audited]) -> list[Audited]:
    groups: dict[tuple[int, int], list[int]] = {}
    for place, each in enumerate(found):
        row = each.row
        if _can_be_exchanged(row):
            groups.setdefault((row.n, row.positives), []).append(place)
    for (n, positives), places in groups.items():
        fit = [place for place in places if found[place].verdict.startswith("feasible")]
        if len(places) < 2 or len(fit) == len(places):
            continue
        other = [place for place in places if _fits_exchanged(found[place].row)]
        if len(other) <= len(fit):
            continue
        said = f"positives may be the other class ({n - positives:,} of {n:,}): {len(other)} of {len(places)} rows fit"
        said += f" so, {len(fit)} as stated"
        for place in places:
            each = found[place]
            rest = "this one does too" if place in other else "this one fits neither" if place not in fit else ""
            kept = "" if place in other else each.reading
            found[place] = replace(each, reading="; ".join(filter(None, [said, rest, kept])))
    return found


def _audit(row: Reported) -> Audited:
    if row.fault:
        return Audited(row, "not checked", (), row.fault)
    if not row.settles_table and "accuracy" not in row.figures:
        return Audited(row, "not checked", (), "needs accuracy, positives or a further figure")
    positives = None if row.positives is None else [row.positives]
    if row.settles_table:
        try:
            found = tables(row.figures, row.sizes, positives)
        except TooMany as error:
            return Audited(row, "not checked", (), str(error))
        notes = ["only if the figures were cut off, not rounded"] if all(t.roundings == (CUT,) for t in found) else []
        notes += [row.note] if row.note else []
    else:
        found = accuracy_counts(row.accuracy, row.sizes, samples=row.samples)
        unread = [name for name in row.figures if name != "accuracy"]
        notes = [f"{' and '.join(unread)} not used: give positives or a further figure"] if unread else []
        notes += [f"right answers are of n times {row.samples} samples"] if row.samples > 1 else []
    if found:
        return Audited(row, VERDICTS[len(found) > 1], tuple(found), "; ".join(notes))
    other = (
        f"fits if positives are the other class ({row.n - row.positives:,} of {row.n:,})"
        if _fits_exchanged(row)
        else ""
    )
    notes = [*_alone(row), other, *(_misprints(row) or _misprints(row, 2)), *_zeros(row), row.note]
    verdict, parts, note = _smaller(row)
    return Audited(row, verdict, parts, "; ".join(filter(None, [*notes, *note])) or "no reading found")


def _alone(row: Reported) -> list[str]:
    """Figures that no count of their own denominator gives, where it is stated."""
    n, positives, told = row.n, row.positives, []
    sizes = {"accuracy": n and n * row.samples, "recall": positives, "specificity": n and positives and n - positives}
    for name in [name for name in row.figures if sizes.get(name)]:
        if not accuracy_counts(row.figures[name], sizes[name]):
            figure, size = _printed(row.figures[name], name), sizes[name]
            k = round(Fraction(figure.units, 100 * 10**figure.decimals) * size)
            nearest = row.shown(name, show(Fraction(100 * k, size), figure.decimals, "half_up"))
            given = row.shown(name, row.figures[name])
            told.append(f"no count of {size} gives {name} {given}: the nearest, {k}, gives {nearest}")
    return told


def _misprints(row: Reported, wrong: int = 1) -> list[str]:
    """Figures, `wrong` of them at once, that the others, two at least, contradict and can replace."""
    told = []
    for names in combinations(row.figures if row.n and row.positives else (), wrong):
        others = {name: text for name, text in row.figures.items() if name not in names}
        if len(others) < 2:
            continue
        found = _fitting(row, others)
        fixes = []
        for name in names:
            shares = [share for one in found if (share := one.share(name)) is not None]
            decimals = _printed(row.figures[name], name).decimals
            if shares:
                ends = [show(100 * share, decimals, "half_up") for share in (min(shares), max(shares))]
                fixes.append(span_of([row.shown(name, end) for end in ends]))
        if len(fixes) == wrong:
            which = f"only {names[0]} is" if wrong == 1 else f"{' and '.join(names)} are"
            told.append(f"fits if {which} misprinted and should be {' and '.join(fixes)}")
    return told


def _can_be_exchanged(row: Reported) -> bool:
    return bool(row.settles_table and row.n and row.positives and 0 < row.n - row.positives != row.positives)


@cache
def _fits_exchanged(row: Reported) -> bool:
    """Whether the row fits if its positives are the other class, of which n - positives are stated."""
    return _can_be_exchanged(row) and bool(_fitting(row, row.figures, row.n - row.positives))


def _fitting(row: Reported, figures: Mapping[str, str], positives: int | None = None) -> list[CountTable]:
    """The tables of a row with other figures or positives; no table where there are too many to try: a hypothesis less,
    not a wrong verdict."""
    try:
        return tables(figures, row.sizes, [positives or row.positives])
    except TooMany:
        return []


def _zeros(row: Reported) -> list[str]:
    """Whether the row fits if zeros at the end were appended to figures that had been rounded before."""
    fewer = {name: text.rstrip("0").rstrip(".") if "." in text else text for name, text in row.figures.items()}
    if fewer == row.figures or not (row.settles_table and row.n and row.positives):
        return []
    return ["fits if zeros at the end were appended"] if _fitting(row, fewer) else []


def _smaller(row: Reported) -> tuple[str, tuple[CountTable, ...], list[str]]:
    """Fewer items than stated: the rule of synthesis/1_what_the_tables_hold, for any three figures of one stated n."""
    n, positives = row.n, row.positives
    if not (row.settles_table and n and len(row.figures) > 2):
        return "infeasible", (), []
    if n > MOST_RUN:
        return "infeasible", (), [f"smaller n not searched above {MOST_RUN} items"]
    fitting, rest = dict[int, list[CountTable]](), list[str]()
    for m in range(n - 1, 0 if positives else n - int(FEW * n) - 1, -1):
        allowed = range(max(1, positives - (n - m)), min(positives, m) + 1) if positives else None
        try:
            part = tables(row.figures, [m], allowed)
        except TooMany:
            rest = [f"sizes up to {m} not searched"]
            break
        if part:
            fitting[m] = part
    for m, part in fitting.items():  # the largest first
        few = n - m <= FEW * n
        likely = [t for t in part if few or draw_probability(m, t.positives, n, positives) >= LIKELY]
        if likely:
            of = f", {span_of([t.positives for t in likely])} of them positive" if positives else ""
            all_sizes = ", ".join(map(str, fitting)) if len(fitting) <= 5 else f"{len(fitting)} of {n - 1}"
            note = f"fits {m} of the {n} items{of} (smaller sizes that fit: {all_sizes})"
            return "smaller n" if few else "partial run", tuple(likely), [note, *rest]
    return "infeasible", (), rest


def span_of(values: Iterable) -> str:
    """The least and the largest of these values, "52 to 54", or the one that there is; None is left out."""
    values = [value for value in values if value is not None]
    if not values:
        return ""
    least, most = min(values, key=float), max(values, key=float)
    return str(least) if least == most else f"{least} to {most}"
