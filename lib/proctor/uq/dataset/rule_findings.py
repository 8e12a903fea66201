"""What a notebook asks of the rules on one dump: a pool of it, its funnel, what each choice costs."""

import tempfile
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from proctor.data.tabular import DataError
from proctor.paths import BUILD
from proctor.stats.proportions import wilson
from proctor.uq.dataset import funnel
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.generate_dump import write_dumps
from proctor.uq.dataset.near_duplicates import find_duplicates
from proctor.uq.dataset.rules import Filter, Rules

GRID = {
    "min_age_years": (1, 2, 4, 8),
    "min_views": (100, 200, 400, 2000),
    "min_votes": (2, 5, 10, 75),
    "max_views_per_vote": (100, 200, 1000, 5000),
    "top_percent": (5, 10, 20, 100),
}
_folders: list[tempfile.TemporaryDirectory] = []  # removed when the process ends


class Source(NamedTuple):
    """A pool and where it comes from. planted: of generated dumps, the copies (site, id) -> (site, id)."""

    pool: Path
    name: str
    evidence: str
    rejected: int
    planted: dict


def open_source(dump: str, site: str, questions: int, copies: float, seed: int, answers: bool = False) -> Source:
    """The pool of a dump (a Posts.xml of `site`), of a pool's folder, or, when `dump` is empty, of generated dumps.

    questions: of each generated site; copies: share of them that repeat another's. answers: the pool holds them too.
    Raises DataError.
    """
    if dump and Path(dump).is_dir():
        return Source(Path(dump), Path(dump).name, "measured", 0, {})
    folder = _scratch()
    if dump:
        if not site:
            raise DataError(f"{dump}: no site given. Name it as the API does, such as site='math'.")
        told = ingest_dump(dump, site, folder / "pool", answers)
        return Source(folder / "pool", site, "measured", told.rejected, {})
    planted = write_dumps(folder / "dumps", questions, seed, copies=copies)
    rejected = sum(
        ingest_dump(path, path.parent.name, folder / "pool", answers).rejected
        for path in sorted(folder.glob("dumps/*/Posts.xml"))
    )
    return Source(folder / "pool", "generated", "simulated", rejected, planted)


class RuleReport(NamedTuple):
    """What the rules do to a source. by_rule, by_site: as in `funnel`; raw, kept: questions before and after."""

    by_rule: pd.DataFrame
    by_site: pd.DataFrame
    raw: int
    kept: int
    as_of: date
    kept_file: Path


def apply_rules(source: Source, rules: Rules, as_of: str = "") -> RuleReport:
    """The funnel of a source; the questions left are written beside its pool. as_of: a day, such as "2024-10-13"."""
    with Filter(source.pool, rules, _day(as_of)) as found:
        outcomes = found.outcomes()
        found.write(folder := _scratch())
        table = funnel.by_rule(outcomes).assign(keeps=funnel.describe(rules)["keeps"])
        return RuleReport(
            table,
            funnel.by_site(outcomes),
            int(outcomes["questions"].sum()),
            funnel.kept(outcomes),
            found.as_of,
            folder / "kept.parquet",
        )


def compare_variants(source: Source, rules: Rules, as_of: str = "") -> pd.DataFrame:
    """Questions kept when the two departures of the public code are made one by one and together.

    Columns: tags ("whole" or "substring"), top_share ("enforced" or "not enforced"), kept.
    """
    rows = []
    for match in ("whole", "substring"):
        for enforced in (True, False):
            changed = rules.but(tag_match=match, **({} if enforced else {"top_percent": 100}))
            with Filter(source.pool, changed, _day(as_of)) as found:
                rows.append((match, "enforced" if enforced else "not enforced", funnel.kept(found.outcomes())))
    return pd.DataFrame(rows, columns=["tags", "top_share", "kept"])


def substring_cost(source: Source, rules: Rules, as_of: str = "") -> tuple[pd.DataFrame, int]:
    """`funnel.substring_cost`, and a last row for all tags together, with the questions that whole tags keep.

    share, low, high: lost questions in percent of those kept, with Wilson's 95 % interval; NaN when none is kept.
    """
    with Filter(source.pool, rules.but(tag_match="whole"), _day(as_of)) as found:
        whole = funnel.kept(found.outcomes())
    with Filter(source.pool, rules.but(tag_match="substring"), _day(as_of)) as found:
        lost = whole - funnel.kept(found.outcomes())
    table = funnel.substring_cost(source.pool, rules, _day(as_of))
    table.loc[len(table)] = ["all tags", "any", table["questions"].sum(), lost]
    limits = [wilson(count, whole) if whole else (float("nan"),) * 2 for count in table["lost"]]
    table["share"] = 100 * table["lost"] / whole if whole else float("nan")
    table["low"], table["high"] = ([100 * pair[k] for pair in limits] for k in (0, 1))
    return table, whole


def sensitivity(source: Source, rules: Rules, as_of: str = "") -> pd.DataFrame:
    """Questions kept at each value of GRID, and relative to the rules as they are (column `relative`)."""
    table = funnel.sensitivity(source.pool, rules, GRID, _day(as_of))
    with Filter(source.pool, rules, _day(as_of)) as found:
        now = funnel.kept(found.outcomes())
    table["now"] = [rules.default[row.setting] == row.value for row in table.itertuples()]
    table["relative"] = table["kept"] / now if now else float("nan")
    return table


class DuplicateReport(NamedTuple):
    """pairs: `find_duplicates` of all questions of a source; planted, found: copies made, and those among the pairs."""

    pairs: pd.DataFrame
    planted: int
    found: int


def look_for_duplicates(source: Source, threshold: float) -> DuplicateReport:
    """All pairs of a source, and how many of the planted copies are among them."""
    pairs = find_duplicates(source.pool, source.pool, threshold)
    names = {frozenset([(p.site, p.question_id), (p.other_site, p.other_id)]) for p in pairs.itertuples()}
    found = sum(frozenset(pair) in names for pair in source.planted.items())
    return DuplicateReport(pairs, len(source.planted), found)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise DataError(f"as_of: {text!r} is no day. Write it as 2024-10-13, or leave it empty.") from None


def _scratch() -> Path:
    """A folder that is removed when the process ends."""
    BUILD.mkdir(parents=True, exist_ok=True)
    _folders.append(tempfile.TemporaryDirectory(prefix="pool-", dir=BUILD))
    return Path(_folders[-1].name)
