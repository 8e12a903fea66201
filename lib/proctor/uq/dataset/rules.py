"""UQ's rule filter (stage 1; sections A.1 and H.2), evaluated by DuckDB over a pool of any size.

`rules.yaml` holds the thresholds; each rule is one SQL condition over a question and its site's thresholds. A value
that a question lacks fails the rule that asks for it. All that the filter finds is a count of questions by site and
set of failed rules; a pool's sites can be filtered one by one, on one machine or many, with the same result.
"""


from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas as pd
import yaml

from proctor.data.tabular import DataError
from proctor.uq.dataset import pool as pools

RULES = {  # name: what it keeps, in words and in SQL
    "age": ("at least {min_age_years} years old", "created <= created_before"),
    "views": ("at least {min_views} views", "views >= min_views"),
    "votes": ("at least {min_votes} net votes", "score >= min_votes"),
    "views_per_vote": ("at most {max_views_per_vote} views a vote", "score > 0 AND views <= max_views_per_vote * score"),
    "top_share": ("votes of the site's top {top_percent} % of unanswered questions", "score >= top_votes"),
    "no_answers": ("no answer", "answers = 0"),
    "no_why": ('no "why" in the title', "NOT (title ILIKE '%why%' AND regexp_matches(title, '(?i)\\bwhy\\b'))"),
    "no_images": ("no image in the text", "NOT contains(body, '<img')"),
    "on_topic": ("no off-topic tag", "{on_topic}"),
}
_ON_TOPIC = {
    "whole": "NOT list_has_any(tags, off_topic_tags)",
    "substring": "len(list_filter(off_topic_tags, lambda k: contains(lower(array_to_string(tags, ' ')), k))) = 0",
}
NUMBERS = ("min_age_years", "min_views", "min_votes", "max_views_per_vote", "top_percent")
SETTINGS = (*NUMBERS, "off_topic_tags", "tag_match")
MEMORY = "700MB"
_JSON_TYPES = "question_id: 'BIGINT', site: 'VARCHAR', title: 'VARCHAR', body: 'VARCHAR', tags: 'VARCHAR[]', "
_JSON_TYPES += "score: 'INTEGER', views: 'BIGINT', answers: 'INTEGER', created: 'TIMESTAMP'"


class Rules(NamedTuple):
    """default: a value of each of SETTINGS. sites: site -> the settings that differ there."""

    default: Mapping
    sites: Mapping[str, Mapping]

    def of(self, site: str) -> dict:
        return {**self.default, **self.sites.get(site, {})}

    def but(self, **settings) -> "Rules":
        """The same with these settings on every site."""
        return _checked(
            Rules({**self.default, **settings}, {site: {**own, **settings} for site, own in self.sites.items()}),
            "settings",
        )


def load_rules(path: str | Path | None = None, variant: str | None = None) -> Rules:
    """The rules of a YAML file, by default UQ's, or a named variant of them. Raises DataError."""
    path = Path(path) if path else Path(__file__).with_name("rules.yaml")
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read as YAML ({' '.join(str(error).split())[:200]}). Mend it.") from None
    if not isinstance(read, dict) or set(read) - {"default", "sites", "variants"} or "default" not in read:
        raise DataError(f"{path}: the parts must be default, and perhaps sites and variants.")
    parts = {name: read.get(name) or {} for name in ("default", "sites", "variants")}
    if missing := [name for name in SETTINGS if name not in parts["default"]]:
        raise DataError(f"{path}, default: no {', '.join(missing)}. Add what is missing.")
    rules = _checked(Rules(parts["default"], parts["sites"]), path)
    if variant is None:
        return rules
    if variant not in parts["variants"]:
        raise DataError(f"{path}: no variant {variant!r}. Choose one of: {', '.join(parts['variants']) or 'none'}.")
    return rules.but(**parts["variants"][variant])


def _checked(rules: Rules, where: str | Path) -> Rules:
    for name, settings in {"default": rules.default, **rules.sites}.items():
        if not isinstance(settings, Mapping) or (unknown := set(settings) - set(SETTINGS)):
            what = f"unknown settings {', '.join(sorted(map(str, unknown)))}" if isinstance(settings, Mapping) else "no map"
            raise DataError(f"{where}, {name}: {what}. Use {', '.join(SETTINGS)}.")
        for key, value in settings.items():
            if key == "tag_match" and value not in _ON_TOPIC:
                raise DataError(f"{where}, {name}, tag_match: {value!r}. Choose one of: {', '.join(_ON_TOPIC)}.")
            if key == "off_topic_tags" and not (
                isinstance(value, list) and all(isinstance(tag, str) and tag and tag == tag.lower() for tag in value)
            ):
                raise DataError(f"{where}, {name}, off_topic_tags: not a list of tags in small letters.")
            if key in NUMBERS and (type(value) not in (int, float) or not 0 <= value < 10**9):
                raise DataError(f"{where}, {name}, {key}: {value!r} is no number from 0.")
            if key == "top_percent" and not 0 < value <= 100:
                raise DataError(f"{where}, {name}, {key}: {value!r} is no share of more than 0 and at most 100 percent.")
    if len({rules.of(site)["tag_match"] for site in [*rules.sites, ""]}) > 1:
        raise DataError(f"{where}: tag_match must be the same on every site.")
    return rules


class Filter:
    """Rules set up for one source of questions: a pool's folder, a .parquet file or a .jsonl file.

    as_of: the day at which ages are taken, by default that of the newest question. sites: only these.
    Use as a context: `with Filter(source) as found: found.outcomes()`.
    """

    def __init__(
        self, source: str | Path, rules: Rules | None = None, as_of: date | None = None, sites: Iterable[str] = ()
    ):
        self.source, self.rules = Path(source), rules or load_rules()
        self.engine = duckdb.connect(config={"memory_limit": MEMORY, "preserve_insertion_order": False})
        try:
            self.engine.execute(f"CREATE VIEW everything AS SELECT * FROM {scan(self.source)}")
            newest, count = self.engine.execute("SELECT max(created), count(*) FROM everything").fetchone()
            if not count:
                raise DataError(f"{self.source}: no question in it.")
            self.as_of = as_of or newest.date()
            self._choose(sorted(sites))
            self._set_thresholds()
        except duckdb.Error as error:
            raise DataError(f"{self.source}: {_told(error)}. Check that its columns are those of a pool.") from None

    def __enter__(self) -> "Filter":
        return self

    def __exit__(self, *_) -> None:
        self.engine.close()

    def _choose(self, sites: list[str]) -> None:
        if not sites:
            self.engine.execute("CREATE VIEW questions AS SELECT * FROM everything")
            return
        known = {name for (name,) in self.engine.execute("SELECT DISTINCT site FROM everything").fetchall()}
        if missing := sorted(set(sites) - known):
            raise DataError(f"{self.source}: no site {', '.join(missing)}. Choose among: {', '.join(sorted(known))}.")
        listed = ", ".join(f"'{pools.checked_site(site)}'" for site in sites)
        self.engine.execute(f"CREATE VIEW questions AS SELECT * FROM everything WHERE site IN ({listed})")

    def _set_thresholds(self) -> None:
        """One row a site, with what its questions are held against."""
        votes = self.engine.execute(
            "SELECT site, score, count(*) FILTER (answers = 0) AS n FROM questions GROUP BY site, score"
        ).df()
        rows = []
        for site, counted in votes.groupby("site"):
            settings = self.rules.of(site)
            tags = list(settings["off_topic_tags"])
            rows.append(
                dict(
                    site=site,
                    created_before=_years_before(self.as_of, settings["min_age_years"]),
                    top_votes=least_votes(dict(zip(counted["score"], counted["n"])), settings["top_percent"]),
                    off_topic_tags=tags,
                    **{name: settings[name] for name in ("min_views", "min_votes", "max_views_per_vote")},
                )
            )
        self.thresholds = pd.DataFrame(rows)
        self.engine.register("given", self.thresholds)
        self.engine.execute(
            "CREATE TABLE thresholds AS SELECT * REPLACE (off_topic_tags::VARCHAR[] AS off_topic_tags, "
            "created_before::TIMESTAMP AS created_before) FROM given"
        )
        match = self.rules.of("")["tag_match"]
        self._conditions = {name: sql.replace("{on_topic}", _ON_TOPIC[match]) for name, (_, sql) in RULES.items()}

    @property
    def _failed(self) -> str:
        """SQL: the failed rules as bits, in the order of RULES."""
        bits = [f"CASE WHEN {sql} THEN 0 ELSE {1 << i} END" for i, sql in enumerate(self._conditions.values())]
        return " + ".join(bits)

    def outcomes(self) -> pd.DataFrame:
        """Questions by site and set of failed rules: columns site, failed (bits in the order of RULES), questions."""
        query = f"SELECT site, {self._failed} AS failed, count(*) AS questions FROM questions JOIN thresholds USING (site)"
        return self.engine.execute(f"{query} GROUP BY ALL ORDER BY ALL").df()

    def write(self, folder: str | Path) -> None:
        """decisions.parquet: each question with the rules that it failed; kept.parquet: the questions left, whole."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        names = ", ".join(f"CASE WHEN {sql} THEN NULL ELSE '{name}' END" for name, sql in self._conditions.items())
        every = "FROM questions JOIN thresholds USING (site)"
        for name, query in {
            "decisions": f"SELECT site, question_id, list_filter([{names}], lambda x: x IS NOT NULL) AS failed {every}",
            "kept": f"SELECT questions.* {every} WHERE {' AND '.join(f'({sql})' for sql in self._conditions.values())}",
        }.items():
            beside = folder / f".{name}.parquet"
            try:
                self.engine.execute(f"COPY ({query}) TO '{_quoted(beside)}' (FORMAT parquet, COMPRESSION zstd)")
                beside.replace(folder / f"{name}.parquet")
            except duckdb.Error as error:
                raise DataError(f"{folder}: could not be written ({_told(error)}). Free some space, or mend it.") from None
            finally:
                beside.unlink(missing_ok=True)


def scan(source: Path) -> str:
    """SQL that reads a pool's folder, a .parquet file or a .jsonl file with the columns of a pool."""
    if source.suffix == ".jsonl" and source.is_file():
        return f"read_json('{_quoted(source)}', format = 'newline_delimited', columns = {{{_JSON_TYPES}}})"
    if source.is_dir():
        pools.sites(source)
        files = _quoted(source / "questions" / "*" / "*.parquet")
        return f"read_parquet('{files}', hive_partitioning = true, hive_types = {{'site': VARCHAR}})"
    if source.is_file():
        return f"read_parquet('{_quoted(source)}')"
    raise DataError(f"{source}: not there. Give a pool's folder, a .parquet file or a .jsonl file.")


def least_votes(unanswered: Mapping[int, int], top_percent: float) -> int | None:
    """The votes that a site's top share begins with; None when nothing is to be enforced or no question unanswered.

    unanswered: votes -> questions without an answer. The share is rounded up to whole questions.
    >>> least_votes({9: 1, 5: 2, 1: 7}, 10), least_votes({9: 1, 5: 2, 1: 7}, 20), least_votes({9: 1, 1: 7}, 100)
    (9, 5, -1000000000)
    """
    if top_percent == 100:
        return -(10**9)
    total = sum(unanswered.values())
    try:
        places = -(-total * Decimal(str(top_percent)) // 100)
    except InvalidOperation:
        return None
    for votes in sorted(unanswered, reverse=True):
        places -= unanswered[votes]
        if places <= 0 and total:
            return int(votes)
    return None


def _years_before(day: date, years: float) -> datetime:
    """The end of that day, whole years and months before.

    >>> _years_before(date(2024, 2, 29), 2).date(), _years_before(date(2024, 2, 29), 0.5).date()
    (datetime.date(2022, 2, 28), datetime.date(2023, 8, 29))
    """
    return (pd.Timestamp(day) - pd.DateOffset(months=round(12 * years)) + pd.Timedelta(days=1, milliseconds=-1)).to_pydatetime()


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")
