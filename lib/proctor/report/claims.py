"""Claims: one sentence each, judged by its interval alone.

The decision rule of the whole repository is `verdict`. A claim states what its sentence says of one quantity
(`says`, e.g. "> 0") and gives an interval for that quantity:

    holds           every value of the interval satisfies `says`
    does not hold   no value of the interval satisfies `says`
    cannot tell     otherwise

The interval's level must be at least 1 - 0.05 / family, where `family` is the number of comparisons that the
claim stands in. A point estimate never decides. What needs no interval (arithmetic on published numbers, a
proof, an exhaustive enumeration) says in `exact` why, and is decided by `holds` or by the number itself.

Nothing slow is imported: the catalog reads claims, and each command of the workflow starts with it.
"""

import csv
import io
import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from proctor import paths
from proctor.report.provenance import evidence_kinds

HOLDS, FAILS, UNSETTLED = VERDICTS = ("holds", "does not hold", "cannot tell")
ABSENT = "not in the table"  # why nothing is said: as an `Interval`'s method, or by holds=NaN
MARKS = {HOLDS: "✓", FAILS: "✗", UNSETTLED: "?"}
ID = re.compile(r"[a-z_]+/[A-Za-z0-9_]+(\.[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_ONE_SIDED = re.compile(rf"(>=|<=|>|<)\s*({_NUMBER})")
_COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_WITHIN = re.compile(rf"within\s+({_NUMBER})\.\.({_NUMBER})")


@dataclass(frozen=True)
class Claim:
    """One judged claim: a row of figures/<paper>/claims_<notebook>.csv. `judge` makes it, `read_claims` reads it.

    estimate, low, high: in `unit`; None when an exact claim has no number, or when the estimate is undefined.
    level: of the interval; None for an exact claim. n, of: how many units were resampled, and what they are.
    finding: the sentence that the verdict makes true; it is the title of the claim's figure.
    """

    id: str
    sentence: str
    notebook: str
    evidence: str
    estimate: float | None
    low: float | None
    high: float | None
    level: float | None
    family: int
    n: int | None
    of: str
    unit: str
    says: str
    exact: str
    verdict: str
    finding: str

    def verdict_of(self, title: str = "") -> str:
        """Whether a title holds: the claim's own, or another one that says what was found. What a claim that does not
        hold gives in words of its own (`refuted`) is shown by the interval, so it holds."""
        own_words = bool(title) or self.finding != _standard(self.verdict, self.sentence)
        return HOLDS if self.verdict == FAILS and own_words else self.verdict

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    @property
    def numbers(self) -> str:
        """ "+25 points [+3, +50], n = 18 questions"; the level is said when it is not 95 %."""
        parts = [self._quantity()] if self.says else []
        if self.n is not None:
            parts.append(f"n = {self.n:,}{f' {self.of}' if self.of else ''}")
        if self.exact:
            parts.append(f"exact: {self.exact}")
        if self.level is not None and not math.isclose(self.level, 0.95):
            level = f"{100 * self.level:.4g} % interval"
            parts.append(level + (f" (one of {self.family} comparisons)" if self.family > 1 else ""))
        return ", ".join(parts)

    @property
    def answer(self) -> str:
        """The sentence; after it the finding, where that has words of its own."""
        own = self.finding not in (self.sentence, _standard(self.verdict, self.sentence))
        return f"{self.sentence} → {self.finding}" if own else self.sentence

    def line(self) -> str:
        """ "✓ holds: <sentence> (<numbers>; <evidence>; <id>)"."""
        details = "; ".join(filter(None, (self.numbers, self.evidence, self.id)))
        return f"{MARKS[self.verdict]} {self.verdict}: {self.answer} ({details})"

    def _quantity(self) -> str:
        kind, bounds = parse(self.says)
        signed = self.unit == "points" or (bounds[0] < 0 if kind == "within" else bounds[0] == 0)  # a difference
        values = [self.estimate, self.low, self.high]
        finite = [value for value in values if value is not None and math.isfinite(value)]
        span = self.high - self.low if self.low is not None and self.high is not None else 0.0
        if span and math.isfinite(span):
            digits = max(0, 1 - math.floor(math.log10(span)))
        else:
            digits = max((_digits(value) for value in finite), default=0)
        estimate, low, high = (_written(value, digits, signed) for value in values)
        unit = f" {self.unit}" if self.unit else ""
        return f"{estimate}{unit}" + ("" if self.exact else f" [{low}, {high}]")


def verdict(low: float, high: float, says: str) -> str:
    """The one decision rule: "holds", "does not hold" or "cannot tell" of the interval [low, high].

    says: what the sentence says of the quantity: "> x", ">= x", "< x", "<= x" or "within a..b".
    Raises ValueError for another `says`, for NaN and for low > high.
    """
    if not low <= high:  # also when one is NaN
        raise ValueError(f"interval [{low}, {high}]: give two numbers, the lower first")
    kind, bounds = parse(says)
    if kind == "within":
        every, some = bounds[0] <= low and high <= bounds[1], low <= bounds[1] and high >= bounds[0]
    else:
        ends = [_COMPARE[kind](end, bounds[0]) for end in (low, high)]
        every, some = all(ends), any(ends)
    return HOLDS if every else UNSETTLED if some else FAILS


def parse(says: str) -> tuple[str, tuple[float, ...]]:
    """("> 0.5") -> (">", (0.5,)); ("within -5..5") -> ("within", (-5.0, 5.0)). Raises ValueError."""
    if match := _ONE_SIDED.fullmatch(says.strip()):
        return match[1], (float(match[2]),)
    if match := _WITHIN.fullmatch(says.strip()):
        if float(match[1]) <= float(match[2]):
            return "within", (float(match[1]), float(match[2]))
    raise ValueError(
        f"says={says!r}: write what the sentence says of the quantity, as '> 0', '>= 0.5', '< 1', "
        "'<= 1' or 'within -5..5'"
    )


def judge(
    id: str,
    sentence: str,
    *,
    notebook: str,
    evidence: str | Sequence[str],
    estimate: float | None = None,
    interval: Any = None,
    says: str = "",
    n: int | None = None,
    of: str = "",
    unit: str = "",
    level: float | None = None,
    family: int | None = None,
    holds: float | None = None,
    exact: str = "",
    refuted: str = "",
    unsettled: str = "",
) -> Claim:
    """A Claim with its verdict. Arguments: see `proctor.report.output.Output.claim`.

    What is not given of n, of, unit, level and family is the interval's own, where it knows them.
    What follows the id's first dot may be any name, such as a model's: signs that no id has become "_". An interval of
    two NaN is that of data which are too few: the verdict is "cannot tell". So is an exact estimate of NaN with n=0,
    and holds=NaN: a row that the claim needs is not in the table. The finding then says so.

    Numbers are rounded to twelve significant digits first (less than 1e-12 is 0), so that the row in the CSV
    gives the same verdict again. Raises ValueError for what does not fit together.
    """
    row, dot, part = id.partition(".")
    id = row + dot + re.sub(r"[^A-Za-z0-9_.-]+", "_", part).rstrip(".")
    sentence = " ".join(sentence.split())
    known = {name: getattr(interval, name, None) for name in ("n", "of", "unit", "level", "family")}
    n = known["n"] if n is None else n
    level, family = level or known["level"] or 0.95, family or known["family"] or 1
    least = 1 - 0.05 / max(family, 1)
    for wrong, what in (
        (not ID.fullmatch(id), "write the id as <paper>/<claim> or <paper>/<claim>.<part>"),
        (n is not None and n != int(n), f"n is {n}, a count"),
        ((interval is None) == (not exact), "give either an interval, or in exact= the reason why none is needed"),
        (interval is not None and holds is not None, "leave out holds=; the interval decides"),
        (interval is not None and n is None, "give n, the number of units behind the interval, and of=, what they are"),
        (interval is not None and (family < 1 or family != int(family) or not least - 1e-9 <= level < 1),
         f"level {level} of one of {family} comparisons; it must be >= 1 - 0.05 / family = {least:.5g}: give the wider "
         "interval"),
        ((holds is None) == (not says), "write in says= what the sentence says of the quantity, e.g. '> 0'; or give "
         "an exact claim holds=, not both"),
        (exact and holds is None and (estimate is None or not math.isfinite(estimate)) and n != 0,
         "an exact claim needs a finite estimate=, or holds="),
    ):  # fmt: skip
        if wrong:
            raise ValueError(f"claim {id}: {what}")
    if holds is not None:
        numbers: tuple[float | None, ...] = (None, None, None)
        found = UNSETTLED if math.isnan(holds) else HOLDS if holds else FAILS
    else:
        numbers = _, low, high = _interval(id, estimate, (estimate, estimate) if interval is None else interval)
        found = verdict(low, high, says)
    if getattr(interval, "method", "") == ABSENT or (holds is not None and math.isnan(holds)):
        unsettled = f"Cannot tell, {ABSENT}: {sentence}"
    own = {HOLDS: sentence, FAILS: refuted, UNSETTLED: unsettled}[found]
    return Claim(
        id=id,
        sentence=sentence,
        notebook=notebook,
        evidence=" + ".join(evidence_kinds(evidence)),
        estimate=numbers[0],
        low=numbers[1],
        high=numbers[2],
        level=None if exact else float(level),
        family=int(family),
        n=None if n is None else int(n),
        of=of or known["of"] or "",
        unit=unit or known["unit"] or "",
        says=says.strip(),
        exact=exact,
        verdict=found,
        finding=own or _standard(found, sentence),
    )


def read_claims(folder: str | Path | None = None) -> list[Claim]:
    """Every claim of <folder>/<paper>/claims_*.csv (default: figures/), by file and then in the file's order.

    Raises ValueError naming the file and the row that is no claim.
    """
    files = sorted(Path(folder or paths.FIGURES).glob("*/claims_*.csv"))
    return [claim for path in files for claim in parse_claims(path.read_bytes(), str(path))]


def parse_claims(content: bytes, source: str) -> list[Claim]:
    """The claims of one claims_*.csv, in its order. Raises ValueError naming the source and the row that is none."""
    claims = []
    reader = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
    for cells in reader:
        try:
            claims.append(_read(cells))
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{source}, row {reader.line_num}: not a claim ({error!r}); run its notebook again"
            ) from None
    return claims


def as_row(claim: Claim) -> dict[str, str]:
    """The claim as cells of its CSV, all text; `read_claims` gives the same claim back."""
    return {field.name: _cell(getattr(claim, field.name)) for field in fields(Claim)}


def of_catalog(claim_id: str, catalog_id: str) -> bool:
    """Whether the claim is the catalog's row, or a part of it."""
    return claim_id == catalog_id or claim_id.startswith(catalog_id + ".")


def _interval(id: str, estimate: float | None, interval: Any) -> tuple[float | None, float, float]:
    """(estimate, low, high), checked. An object with `low` and `high` (and `estimate`) does for the pair."""
    if hasattr(interval, "low"):
        estimate = getattr(interval, "estimate", None) if estimate is None else estimate
        interval = interval.low, interval.high
    low, high = (math.nan if limit is None else _clean(limit) for limit in interval)
    if math.isnan(low) and math.isnan(high):
        low, high = -math.inf, math.inf
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"claim {id}: interval {interval!r} must be two numbers; an undefined one is (NaN, NaN)")
    if estimate is None:
        raise ValueError(f"claim {id}: an interval needs its estimate (NaN if it is undefined)")
    if math.isnan(estimate):
        if (low, high) != (-math.inf, math.inf):
            raise ValueError(f"claim {id}: the estimate is NaN, so say interval=(nan, nan)")
        return None, low, high
    value = _clean(estimate)
    if not low <= value <= high or math.isinf(value):
        raise ValueError(f"claim {id}: estimate {value} outside its interval [{low}, {high}]")
    return value, low, high


def _clean(value: float) -> float:
    value = float(value)
    return 0.0 if abs(value) < 1e-12 else float(f"{value:.12g}")


def _standard(found: str, sentence: str) -> str:
    return {HOLDS: "", FAILS: "Does not hold: ", UNSETTLED: "Cannot tell: "}[found] + sentence


def _digits(value: float) -> int:
    """Digits after the point that four significant ones need, trailing zeros dropped."""
    text = f"{value:.4g}"
    return len(text.partition(".")[2]) if "e" not in text else 0


def _written(value: float | None, digits: int, signed: bool) -> str:
    if value is None:
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return format(value, f"{'+' if signed and value else ''}z,.{digits}f")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return "" if value is None else str(value)


def _read(cells: dict[str, str]) -> Claim:
    if cells["verdict"] not in VERDICTS:
        raise ValueError(f"verdict {cells['verdict']!r}")
    number = {name: float(cells[name]) if cells[name] else None for name in ("estimate", "low", "high", "level")}
    count = {"family": int(cells["family"]), "n": int(cells["n"]) if cells["n"] else None}
    return Claim(**{field.name: cells[field.name] for field in fields(Claim)} | number | count)  # type: ignore[arg-type]
