"""Compare the printed figures of one paper with one another.

A check compares ranges (`stats.interval_arithmetic`). A printed figure stands for every number that rounds to it, so
rounding alone never causes a disagreement. Each disagreement has a severity and a reading: our guess at how it came
about. The checks of a paper are in its `consistency.py`.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields

import pandas as pd

from proctor.data.published import TABLES, load_published, printed_number
from proctor.stats.interval_arithmetic import Span, about, as_span, bound, exact, rounded

# What depends on a disagreement, from least to most.
SEVERITIES = ("slip", "figure", "claim")
ROUNDED = ("percent", "points", "share", "ratio", "kappa")


@dataclass(frozen=True)
class ConsistencyCheck:
    """One comparison.

    where: section of the paper. what: the quantity. printed: the figure as in the paper. follows: what the other
    figures imply, computed as `derivation` says. severity: "" if they agree, else slip (a misprint that nothing
    builds on), figure (one of two figures is wrong, or they count different things) or claim (a claim rests on it).
    reading: our explanation, "" if they agree. artifact: the catalog's row of the figure, for a fact or a table's cell.
    """

    paper: str
    where: str
    what: str
    printed: str
    follows: str
    derivation: str
    agrees: bool
    severity: str = ""
    reading: str = ""
    artifact: str = ""


class Sheet:
    """The facts of one paper, and the checks made with them.

    `sheet["diamond_questions"]` is a fact as a Span. Raises ValueError for a disagreement without a reading, and for a
    reading of an agreement: a corrected figure then fails until its reading is removed.
    """

    def __init__(self, paper: str):
        self.paper = paper
        self.checks: list[ConsistencyCheck] = []
        self._facts = {row.fact: row for row in load_published(f"{paper}/facts").itertuples(index=False)}

    def __getitem__(self, fact: str) -> Span:
        row = self._row(fact)
        return printed_span(row.value, row.unit, row.relation)

    def __contains__(self, fact: str) -> bool:
        return fact in self._facts

    def fact(self, fact: str, follows: Span | int, derivation: str, severity: str = "", reading: str = "") -> None:
        """Compare a fact with what other figures imply."""
        row = self._row(fact)
        self.add(
            row.section,
            row.quantity,
            self.text(fact),
            self[fact],
            follows,
            derivation,
            severity,
            reading,
            f"{self.paper}/{row.artifact}",
        )

    def text(self, fact: str) -> str:
        """A fact as printed, with its relation where that is not "="."""
        row = self._row(fact)
        return row.value if row.relation == "=" else f"{row.relation} {row.value}"

    def value(self, fact: str) -> str:
        """The printed figure of a fact alone."""
        return self._row(fact).value

    def cells(
        self,
        table: str,
        column: str,
        unit: str,
        follows: Callable[[pd.Series], Span | int | None],
        derivation: str,
        readings: dict[str, tuple[str, str]] | None = None,
    ) -> None:
        """Compare every printed cell of a column with what `follows` computes from its row (None: no comparison).

        readings: {key of a row, such as "o3-pro / full set": (severity, reading)}; ValueError for an unknown key.
        """
        readings = dict(readings or {})
        name = table.removeprefix("table_").removeprefix("fig_")
        kind = "Figure" if table.startswith("fig_") else "Table"
        for _, row in load_published(f"{self.paper}/{table}").iterrows():
            value = follows(row) if row[column] not in ("", "-") else None
            if value is not None:
                key = " / ".join(row[part] for part in TABLES[f"{self.paper}/{table}"].key)
                self.add(
                    f"{kind} {name}",
                    f"{column.replace('_', ' ')}, {key}",
                    row[column],
                    printed_span(row[column], unit),
                    value,
                    derivation,
                    *readings.pop(key, ("", "")),
                    artifact=f"{self.paper}/{table}",
                )
        if readings:
            raise ValueError(f"{self.paper}/{table}, {column}: no row {', '.join(readings)} to read")

    def add(
        self,
        where: str,
        what: str,
        text: str,
        printed: Span,
        follows: Span | int,
        derivation: str,
        severity: str = "",
        reading: str = "",
        artifact: str = "",
    ) -> None:
        """Compare a figure printed as `text` with what other figures imply."""
        follows = as_span(follows)
        self._append(
            ConsistencyCheck(
                self.paper,
                where,
                what,
                text,
                str(follows),
                derivation,
                printed.meets(follows),
                severity,
                reading,
                artifact,
            )
        )

    def says(
        self,
        where: str,
        what: str,
        one: str,
        other: str,
        agrees: bool,
        derivation: str,
        severity: str = "",
        reading: str = "",
    ) -> None:
        """Record a comparison of two statements in words, or of two sets of names; the caller decides `agrees`."""
        self._append(ConsistencyCheck(self.paper, where, what, one, other, derivation, agrees, severity, reading))

    def _append(self, check: ConsistencyCheck) -> None:
        place = f"{check.paper}, {check.where}, {check.what} (printed {check.printed}, follows {check.follows})"
        if check.agrees and (check.severity or check.reading):
            raise ValueError(f"{place} agrees: drop its severity and reading")
        if not check.agrees and (check.severity not in SEVERITIES or not check.reading):
            raise ValueError(f"{place} disagrees: give a severity of {', '.join(SEVERITIES)}, and a reading")
        self.checks.append(check)

    def _row(self, fact: str):
        if fact not in self._facts:
            raise KeyError(f"{fact!r} is no fact of data/published/{self.paper}/facts.csv")
        return self._facts[fact]


def printed_span(text: str, unit: str, relation: str = "=") -> Span:
    """The numbers that a printed figure can stand for: a count is exact, a percentage or decimal is rounded.

    >>> str(printed_span("48.2", "percent")), str(printed_span("25", "count")), str(printed_span("3,000", "count", "~"))
    ('48.15 to 48.25', '25', '2500 to 3500')
    """
    number = text if any(letter.isdigit() for letter in text) else f"{printed_number(text):g}"
    if relation == "~":
        return about(number)
    if relation != "=":
        return bound(number, relation)
    return rounded(number) if unit in ROUNDED or "." in number else exact(number)


def column(table: str, name: str, unit: str = "count", **where: str) -> list[Span]:
    """The printed cells of a published column as ranges, of the rows whose columns have the texts in `where`."""
    frame = load_published(table)
    for key, value in where.items():
        frame = frame[frame[key] == value]
    return [printed_span(text, unit) for text in frame[name] if text not in ("", "-")]


def largest(parts: list[Span]) -> Span:
    """The largest of several figures, as a range."""
    return Span(max(part.low for part in parts), max(part.high for part in parts))


def smallest(parts: list[Span]) -> Span:
    """The smallest of several figures, as a range."""
    return Span(min(part.low for part in parts), min(part.high for part in parts))


def as_table(checks: list[ConsistencyCheck]) -> pd.DataFrame:
    """One row per check, in order; the columns are the fields of ConsistencyCheck."""
    return pd.DataFrame([asdict(check) for check in checks], columns=[field.name for field in fields(ConsistencyCheck)])


def as_claim(checks: Iterable[ConsistencyCheck]) -> dict:
    """What `Output.claim` takes of comparisons that one sentence speaks of: it holds if all of them agree.

    Raises ValueError for none: a claim that nothing tests.
    """
    checks = list(checks)
    if not checks:
        raise ValueError("no comparison tests this claim: fix its selection, or add one to the paper's consistency.py")
    return dict(
        holds=all(check.agrees for check in checks),
        n=len(checks),
        of="comparisons of printed figures",
        exact=f"{sum(check.agrees for check in checks)} agree",
        evidence="published",
    )
