"""Audit a table of reported metrics: can its figures be true, and which counts print so?

    found = audit(load_reported("my_table.csv", n=500, positives=65))
    [(each.row.name, each.verdict, each.reading) for each in found]

`notebooks/synthesis/audit_your_table` shows the counts, and adds intervals and comparisons.

Evidence: reconstructed. The search tries all counts in exact arithmetic. "Infeasible" is therefore proved, given what
the table states. "Feasible" says only that some counts print so, not that they were observed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations

from proctor.audit.reported_table import AS_SHARE, Reported
from proctor.stats.reconstruct import (
    AccuracyCount,
    CountTable,
    TooMany,
    accuracy_counts,
    count_tables,
    draw_probability,
)
from proctor.stats.rounding import EITHER, Figure, read_printed, show

VERDICTS = ("feasible, unique", "feasible, several", "smaller n", "partial run", "infeasible", "not checked")
CUT = "truncate"
MOST_TABLES = 50  # of one row; with more it is too open for intervals and comparisons
MOST_RUN = 2_000  # items up to which every smaller number of items is tried
FEW, LIKELY = Fraction(1, 100), Fraction(1, 20)  # as in synthesis/1_what_the_tables_hold


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

    @property
    def usable(self) -> bool:
        """Whether intervals and comparisons are made: feasible, and not too open."""
        return self.verdict.startswith("feasible") and len(self.solutions) <= MOST_TABLES


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
