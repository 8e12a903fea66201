"""Compare the printed figures of one paper with one another.

A check compares ranges (`stats.rounding`). A printed figure stands for every number that rounds to it, so
rounding alone never causes a disagreement. The checks are rows of data/published/checks.csv:

- figure: a fact of the paper, or a table's column ("table_S3.pass_rate": one check per row of the table). For any
  other comparison where, what and printed say what is compared, and stands_for the range that is printed.
- follows: a formula of what the paper's other figures imply. Or a text, where agrees decides.
- derivation: the formula in words, where it is not readable as it stands.
- each: a table ("table_S10", "table_S6 where category == 'Science'"); one check per row. Rows of checks.csv below each
  other with the same table are made together, row by row of the table.

A formula is an arithmetic expression of facts, of cells of the row (`questions`; `questions_text` as printed;
`questions_before` of the row above) and of the functions below. Braces in a text hold a formula. Each disagreement
has a severity and a reading, our guess at how it came about, in data/published/readings.csv.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from math import sqrt
from types import CodeType

from proctor.data import published
from proctor.data.published import PERCENT, TABLES, UNITS, load_published, printed_number
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.stats.reconstruct import accuracy_counts, agreement_counts, confusion_counts, shares_of_whole
from proctor.stats.rounding import Span, as_span, rounded

PAPERS = ("uq", "hle", "hle_verified", "kina", "cbu")
# What depends on a disagreement, from least to most.
SEVERITIES = ("slip", "figure", "claim")
ROUNDED = ("percent", "points", "share", "ratio", "kappa")
ALLOWED = (
    *(ast.Expression, ast.Call, ast.keyword, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Load),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)


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


def checks(paper: str) -> list[ConsistencyCheck]:
    """All checks of a paper, in the order of checks.csv.

    Raises DataError with file, row and column for a formula that can't be computed, for a disagreement without a
    reading, and for a reading of an agreement: a corrected figure then fails until its reading is removed.
    """
    path, made = published.PUBLISHED / "checks.csv", list[ConsistencyCheck]()
    lines = [(number, line) for number, line in read_rows(path)[0] if line["paper"] == paper]
    formulas = Formulas(paper)
    for each, together in groupby(lines, key=lambda numbered: numbered[1]["each"]):
        together = list(together)
        for row in formulas.rows(each) if each else [{}]:
            for number, line in together:
                try:
                    made += formulas.compare(line, row)
                except (ValueError, LookupError, SyntaxError, NameError, TypeError, ZeroDivisionError) as error:
                    what = f"{line['figure'] or line['what']}: {error}"
                    raise DataError(problem(path, number, None, what, "Correct the formula")) from error
    return _read(paper, made)


def _read(paper: str, made: list[ConsistencyCheck]) -> list[ConsistencyCheck]:
    """The checks, those that disagree with the severity and reading of readings.csv."""
    path, done, problems = published.PUBLISHED / "readings.csv", list[ConsistencyCheck](), list[str]()
    readings = {(row["where"], row["what"]): (n, row) for n, row in read_rows(path)[0] if row["paper"] == paper}
    for check in made:
        number, row = readings.get((check.where, check.what), (None, {}))
        place = f"{paper}, {check.where}, {check.what} (printed {check.printed}, follows {check.follows})"
        if check.agrees and row:
            problems.append(problem(path, number, None, f"{place} agrees", "Drop its severity and reading"))
        elif not check.agrees and (row.get("severity") not in SEVERITIES or not row.get("reading")):
            fix = f"Give a severity of {', '.join(SEVERITIES)}, and a reading"
            problems.append(problem(path, number, None, f"{place} disagrees", fix))
        done.append(replace(check, **{key: row.get(key, "") for key in ("severity", "reading")}))
    for place in sorted(readings.keys() - {(check.where, check.what) for check in made}):
        what = f"no check {', '.join(place)} of {paper} to read"
        problems.append(problem(path, readings[place][0], None, what, "Drop it, or correct where and what"))
    if problems:
        raise DataError(summary(problems))
    return done


class Formulas:
    """What a formula on a paper's figures can name, and its value: a Span for printed figures."""

    def __init__(self, paper: str):
        self.paper = paper
        self.table = cache(self._table)
        self.facts = {row.fact: row for row in load_published(f"{paper}/facts").itertuples(index=False)}
        self.names = {name: printed_span(row.value, row.unit, row.relation) for name, row in self.facts.items()}
        self.names |= FUNCTIONS | {
            "over": self.over,
            "cell": self.cell,
            "shown": self.shown,
            "value": lambda fact: self.fact(fact).value,
            "at_most": lambda fact: rounded(self.fact(fact).value, "<="),
            "unanimity": self.unanimity,
        }

    def compute(self, formula: str, row: dict | None = None):
        """The value of a formula. SyntaxError for one that does more than compute: no attribute, no index."""
        return eval(_compiled(formula), {"__builtins__": {}}, self.names | (row or {}))

    def compare(self, line: dict[str, str], row: dict) -> list[ConsistencyCheck]:
        """The checks of one row of checks.csv, for one row of its table."""
        figure = line["figure"]
        if "." in figure:
            return self._cells(line)
        if figure:
            fact = self.fact(figure)
            where, what, printed = fact.section, fact.quantity, self.shown(figure)
            artifact = f"{self.paper}/{fact.artifact}"
        else:
            where, what, printed = (self.fill(line[column], row) for column in ("where", "what", "printed"))
            artifact = line.get("artifact", "")
        if line["agrees"]:
            follows, agrees = self.fill(line["follows"], row), bool(self.compute(line["agrees"], row))
        else:
            span = as_span(self.compute(line["follows"], row))
            follows, agrees = str(span), as_span(self.compute(figure or line["stands_for"], row)).meets(span)
        derivation = self.fill(line["derivation"], row) or _in_words(line["follows"])
        return [ConsistencyCheck(self.paper, where, what, printed, follows, derivation, agrees, artifact=artifact)]

    def _cells(self, line: dict[str, str]) -> list[ConsistencyCheck]:
        """A check for every printed cell of a table's column."""
        name, _, column = line["figure"].partition(".")
        cell = line | dict(figure="", where=f"Table {name.removeprefix('table_')}", printed=f"{{{column}_text}}")
        cell |= dict(stands_for=column, artifact=f"{self.paper}/{name}")
        made = []
        for row in self.rows(name):
            if row[column] is not None:
                key = " / ".join(row[part] for part in TABLES[f"{self.paper}/{name}"].key)
                made += self.compare(cell | {"what": f"{column.replace('_', ' ')}, {key}"}, row)
        return made

    def fill(self, text: str, row: dict) -> str:
        """The text with the value of each formula in braces; `{formula:.2f}` formats it."""

        def value(found: re.Match) -> str:
            value = self.compute(found[1], row)
            return format(float(value), found[2]) if found[2] else str(value)

        return re.sub(r"\{(.*?)(?::([^:{}]*))?\}", value, text)

    def fact(self, name: str):
        """A row of the paper's facts.csv."""
        if name not in self.facts:
            raise KeyError(f"{name!r} is no fact of data/published/{self.paper}/facts.csv")
        return self.facts[name]

    def shown(self, fact: str) -> str:
        """A fact as printed, with its relation where that is not "="."""
        row = self.fact(fact)
        return row.value if row.relation == "=" else f"{row.relation} {row.value}"

    def rows(self, each: str) -> list[dict]:
        """The rows of a table, "table_S4" or "table_S4 where retained == 'yes'"."""
        name, _, condition = each.partition(" where ")
        return [row for row in self.table(name) if not condition or self.compute(condition, row)]

    def _table(self, name: str) -> list[dict]:
        columns, rows, before = TABLES[f"{self.paper}/{name}"], list[dict](), dict[str, str | Span | None]()
        for cells in load_published(f"{self.paper}/{name}").to_dict("records"):
            row = {column: cells[column] for column in columns.text}
            row |= {f"{column}_text": cells[column] for column in columns.printed}
            row |= {column: _cell(cells[column], limits) for column, limits in columns.printed.items()}
            rows.append(row | {f"{column}_before": value for column, value in before.items()})
            before = row
        return rows

    def over(self, table: str, formula: str, where: str = "", **equal: str) -> list:
        """The formula in each row of a table in which it can be printed, of those that fit."""
        rows = [row for row in self.table(table) if all(row[column] == text for column, text in equal.items())]
        values = [self.compute(formula, row) for row in rows if not where or self.compute(where, row)]
        return [value for value in values if value is not None]

    def cell(self, table: str, column: str, **equal: str) -> Span | str:
        """One cell of a table. ValueError unless exactly one row fits."""
        (value,) = self.over(table, column, **equal)
        return value

    def unanimity(self, column: str) -> list[Span]:
        """Unanimous vote minus majority, for each pair of rows of UQ's Table S10 that differ in nothing else."""
        by_name = {(row["judges"], row["strategy"]): row[column] for row in self.table("table_S10")}
        strict = {key: by_name.get((key[0], key[1].replace("|M", "|U"))) for key in by_name if key[1].endswith("|M")}
        return [value - by_name[key] for key, value in strict.items() if value is not None]


def _cell(text: str, limits: tuple[float, float]) -> Span | None:
    unit = "percent" if limits in (PERCENT, UNITS["points"], (-1.0, 1.0)) else "count"
    return None if text in ("", "-") else printed_span(text, unit)


@cache
def _compiled(formula: str) -> CodeType:
    tree = ast.parse(formula, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise SyntaxError(f"{type(node).__name__} is not for formulas: {formula}")
    return compile(tree, "formula", "eval")


def _in_words(formula: str) -> str:
    thousands = re.sub(r"\b\d{1,3}(_\d{3})+\b", lambda number: number[0].replace("_", ","), formula)
    return thousands.replace("*", "x")


def printed_span(text: str, unit: str, relation: str = "=") -> Span:
    """The numbers that a printed figure can stand for: a count is exact, a percentage or decimal is rounded.

    >>> for printed in (("48.2", "percent"), ("33,916", "count"), ("three", "count"), ("3", "", "~")):
    ...     print(*printed, "is", printed_span(*printed))
    48.2 percent is 48.15 to 48.25
    33,916 count is 33916
    three count is 3
    3  ~ is 2.5 to 3.5
    """
    number = text if any(letter.isdigit() for letter in text) else f"{printed_number(text):g}"
    if relation != "=" or unit in ROUNDED or "." in number:
        return rounded(number, relation)
    return as_span(int(number.replace(",", "")))


@cache
def sizes(accuracy: str, precision: str, recall: str) -> list[int]:
    """The numbers of answers, at most 500, of the confusion tables that print so."""
    return [table.n for table in confusion_counts(accuracy, precision, recall, range(1, 501))]


def fewest_items(*percentages: str) -> int:
    """The fewest items, at most 1,000, of which all these percentages are counts, halves rounded up."""
    fits = [{found.n for found in accuracy_counts(text, range(1, 1001), roundings=["half_up"])} for text in percentages]
    return min(set.intersection(*fits))


def same_names(one: list[str], other: list[str]) -> bool:
    """Whether two lists hold the same names, whatever the spaces, the dashes and the signs for "and".

    >>> same_names(["Math Overflow", "A & B"], ["A and B", "MathOverflow"]), same_names(["a"], ["a", "b"])
    (True, False)
    """
    plain = [{re.sub(r"[\s–-]", "", name.replace("&", "and")).lower() for name in names} for names in (one, other)]
    return plain[0] == plain[1]


FUNCTIONS = {
    "len": len,
    "total": sum,
    "mean": lambda parts: sum(parts) / len(parts),
    "largest": lambda parts: Span(max(part.low for part in parts), max(part.high for part in parts)),
    "smallest": lambda parts: Span(min(part.low for part in parts), min(part.high for part in parts)),
    "low": lambda part: as_span(part).low,
    "high": lambda part: as_span(part).high,
    "middle": lambda part: as_span(part).middle,
    "meets": Span.meets,
    "span": lambda low, high: Span(as_span(low).low, as_span(high).high),  # low end to high end
    "hull": lambda parts: Span(min(as_span(p).low for p in parts), max(as_span(p).high for p in parts)),
    "common": lambda parts: Span(max(part.low for part in parts), min(part.high for part in parts)),
    "magnitude": lambda parts: max(max(-part.low, part.high) for part in parts),
    "root": lambda square: rounded(f"{100 * sqrt(square):.2f}").high,  # at most this percentage, to two decimals
    "most": lambda numbers: max(numbers, default=0),
    "least": min,
    "joined": " + ".join,
    "leading": lambda names, shares: max(zip(shares, names), key=lambda pair: pair[0].middle)[1],
    "without_brackets": lambda names: [re.sub(r" \(.*\)", "", name) for name in names],
    "commonest": lambda names: Counter(names).most_common(1)[0][0],
    "repeats": lambda names: Counter(names).most_common(1)[0][1],
    "same_names": same_names,
    "sizes": sizes,
    "fewest_items": fewest_items,
    "counts": lambda text, n, samples=1: len(accuracy_counts(text, int(as_span(n).low), samples=samples)),
    "sets_of_counts": lambda parts, n: sum(found.assignments for found in shares_of_whole(parts, int(n.low))),
    "kappa": lambda *printed: agreement_counts(*printed, n=25)[0].share("kappa"),  # of validator and people
    "passed_by_people": lambda *printed: agreement_counts(*printed, n=25)[0].positives,
}
