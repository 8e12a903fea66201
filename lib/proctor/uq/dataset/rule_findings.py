"""A pool of a dump, and what the rules do to it."""

import tempfile
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from proctor.data.tabular import DataError
from proctor.paths import BUILD
from proctor.uq.dataset import funnel
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.generate_dump import write_dumps
from proctor.uq.dataset.rules import Filter, Rules

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
