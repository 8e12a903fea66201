"""UQ's rule filter (stage 1; sections A.1 and H.2), evaluated by DuckDB over a pool of any size.

`rules.yaml` holds the thresholds; each rule is one SQL condition over a question and its site's thresholds. A value
that a question lacks fails the rule that asks for it. All that the filter finds is a count of questions by site and
set of failed rules (`by_rule` and `by_site` say what the rules drop).

Questions that stand twice, on two sites or elsewhere with an answer (a leak), are flagged, not dropped. Two questions
are compared by the words of title and text: the share of runs of three words that both have, of all that either has
(Jaccard similarity).
"""

import html
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from proctor.data.tabular import DataError
from proctor.uq.dataset import pool as pools
from proctor.uq.dataset.review_queue import SiteSettings, draw, read_settings

# A CASE, for the engine tries its condition first and the slow pattern only where that holds.
_NO_WHY = "NOT CASE WHEN contains(lower(title), 'why') THEN regexp_matches(title, '(?i)\\bwhy\\b') ELSE false END"
_HOLDS_KEYWORD = "contains(lower(array_to_string(tags, ' ')), keyword)"
RULES = {  # name: what it keeps, in words and in SQL, of a question beside its site's THRESHOLDS
    "age": ("at least {min_age_years} years old", "created <= created_before"),
    "views": ("at least {min_views} views", "views >= min_views"),
    "votes": ("at least {min_votes} net votes", "score >= min_votes"),
    "views_per_vote": (
        "at most {max_views_per_vote} views a vote",
        "score > 0 AND views <= max_views_per_vote * score",
    ),
    "top_share": ("votes of the site's top {top_percent} % of unanswered questions", "score >= top_votes"),
    "no_answers": ("no answer", "answers = 0"),
    "no_why": ('no "why" in the title', _NO_WHY),
    "no_images": ("no image in the text", "images = 0"),
    "on_topic": (
        "no off-topic tag",
        "CASE tag_match WHEN 'whole' THEN NOT list_has_any(tags, off_topic_tags) "
        f"ELSE len(list_filter(off_topic_tags::VARCHAR[], lambda keyword: {_HOLDS_KEYWORD})) = 0 END",
    ),
}
BIT = {name: 1 << place for place, name in enumerate(RULES)}
RULES_FILE = Path(__file__).with_name("rules.yaml")
# The settings of each site, the end of the day that its questions must not pass, and the votes that its top share
# begins with: of its questions without an answer, rounded up to whole questions; none where it has no such question.
THRESHOLDS = """CREATE TABLE thresholds AS SELECT given.*,
    DATE '{day}' - to_months(round(12 * min_age_years)::INTEGER) + INTERVAL '1 day -1 millisecond' AS created_before,
    CASE WHEN top_percent = 100 THEN -1000000000
        ELSE votes[ceil(round(len(votes) * top_percent / 100, 9))::BIGINT] END AS top_votes
    FROM given LEFT JOIN (SELECT site, list(score ORDER BY score DESC) AS votes FROM questions
        WHERE answers = 0 AND score IS NOT NULL GROUP BY site) USING (site)"""
MEMORY = "700MB"
DEV_SIZE = 30  # UQ's development set
_ANSWER = "site AS its_site, question_id AS its_question, answer_id, body AS answer, created AS answered, "
_ANSWER += "owner_id AS answer_owner_id, owner_name AS answer_owner_name, licence AS answer_licence"


Number = Annotated[float, Field(ge=0, lt=10**9)]


class SiteRules(BaseModel):
    """What a file of rules sets for a site."""

    model_config = ConfigDict(extra="forbid", strict=True)
    min_age_years: Number
    min_views: Number
    min_votes: Number
    max_views_per_vote: Number
    top_percent: Annotated[float, Field(gt=0, le=100)]
    off_topic_tags: list[Annotated[str, Field(pattern="^[^A-Z]+$")]]
    tag_match: Literal["whole", "substring"]  # an off-topic tag is among the question's, or part of one


def load_rules(path: str | Path | None = None, variant: str | None = None, **everywhere) -> SiteSettings:
    """The rules of a YAML file, by default UQ's, or a named variant of them. everywhere: settings of every site in
    place of its own. Raises DataError."""
    return read_settings(Path(path or RULES_FILE), SiteRules, variant, **everywhere)


class Filter:
    """Rules set up for one source of questions: a pool's folder or a .parquet file.

    as_of: the day at which ages are taken, by default that of the newest question of the source.
    Use as a context: `with Filter(source) as found: found.outcomes()`.
    """

    def __init__(self, source: str | Path, rules: SiteSettings | None = None, as_of: date | None = None):
        self.source, self.rules = Path(source), rules or load_rules()
        self.engine = duckdb.connect(config={"memory_limit": MEMORY, "preserve_insertion_order": False})
        self.ask(f"CREATE VIEW questions AS SELECT * FROM {scan(self.source)}")
        [(newest, names)] = self.ask("SELECT max(created), list(DISTINCT site) FROM questions").fetchall()
        if newest is None:
            raise DataError(f"{self.source}: no question in it.")
        self.as_of = as_of or newest.date()
        self.engine.register("given", pa.Table.from_pylist([self.rules.of(site) | dict(site=site) for site in names]))
        self.ask(THRESHOLDS.format(day=self.as_of))
        failed = " + ".join(f"CASE WHEN {sql} THEN 0 ELSE {BIT[name]} END" for name, (_, sql) in RULES.items())
        self.ask(
            f"CREATE VIEW decided AS SELECT questions.*, {failed} AS failed FROM questions JOIN thresholds USING (site)"
        )

    def __enter__(self) -> "Filter":
        return self

    def __exit__(self, *_) -> None:
        self.engine.close()

    def ask(self, query: str) -> duckdb.DuckDBPyConnection:
        """A query's result. The source's questions are the view `questions`; `decided` has them with the rules that
        each failed, as bits in the order of RULES; an unknown value fails."""
        with named_errors(self.source):
            return self.engine.execute(query)

    def outcomes(self) -> pd.DataFrame:
        """Questions by site and set of failed rules: columns site, failed (bits in the order of RULES), questions."""
        counts = self.ask("SELECT site, failed, count(*) AS questions FROM decided GROUP BY ALL ORDER BY ALL").df()
        return counts.astype({"failed": int, "questions": int})

    def write(self, folder: str | Path) -> None:
        """decisions.parquet: each question with the rules that it failed; kept.parquet: the questions left, whole."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        names = f"list_filter({list(RULES)}, lambda name, place: failed & (1 << (place - 1)) > 0)"
        for name, query in {
            "decisions": f"SELECT site, question_id, {names} AS failed FROM decided",
            "kept": "SELECT * EXCLUDE (failed) FROM decided WHERE failed = 0",
        }.items():
            beside = folder / f".{name}.parquet"
            try:
                self.ask(f"COPY ({query}) TO {literal(str(beside))} (FORMAT parquet, COMPRESSION zstd)")
                beside.replace(folder / f"{name}.parquet")
            finally:
                beside.unlink(missing_ok=True)


def by_rule(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a rule, in the order of RULES.

    outcomes: `Filter.outcomes`. failed: questions that fail it. alone: those that fail no other rule, so that they
    would be kept without it. left: questions that pass it and every rule before it.
    """
    failed, n = outcomes["failed"], outcomes["questions"]
    rows, before = [], 0
    for name, bit in BIT.items():
        before |= bit
        rows.append((name, n[failed & bit > 0].sum(), n[failed == bit].sum(), n[failed & before == 0].sum()))
    return pd.DataFrame(rows, columns=["rule", "failed", "alone", "left"])


def by_site(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a site: questions, questions kept, share kept in percent, and how many fail each rule."""
    failed = {
        name: outcomes["questions"].where(outcomes["failed"] & bit > 0, 0).rename(name) for name, bit in BIT.items()
    }
    kept = outcomes["questions"].where(outcomes["failed"] == 0, 0).rename("kept")
    table = pd.concat([outcomes[["site", "questions"]], kept, *failed.values()], axis=1).groupby("site").sum()
    table.insert(2, "share", 100 * table["kept"] / table["questions"])
    return table.reset_index()


def describe(rules: SiteSettings) -> pd.DataFrame:
    """The rules in words, with the thresholds of most sites."""
    return pd.DataFrame(
        [(name, says.format(**rules.default)) for name, (says, _) in RULES.items()], columns=["rule", "keeps"]
    )


def development_set(
    pool: str | Path, rules: SiteSettings, as_of: date | None = None, size: int = DEV_SIZE, seed: int = 0
) -> pd.DataFrame:
    """The held-out development set (A.1): `size` questions drawn from those with an accepted answer.

    They pass every rule but "no answer". Columns of the pool, then answer_id, answer and the answer's author. A smaller
    table where the pool holds fewer such questions. Raises DataError where it holds no answers.
    """
    if not list(Path(pool).glob("answers/site=*/answers.parquet")):
        raise DataError(f"{pool}: no answers there. Read the dump with `ingest --answers`.")
    files = literal(str(Path(pool) / "answers" / "*" / "*.parquet"))
    with Filter(pool, rules, as_of) as found:
        answers = f"SELECT {_ANSWER} FROM read_parquet({files}, hive_partitioning = true)"
        eligible = found.ask(
            f"SELECT decided.* EXCLUDE (failed), a.* EXCLUDE (its_site, its_question) FROM decided JOIN ({answers}) a "
            "ON its_site = site AND its_question = question_id AND answer_id = accepted_answer_id "
            f"WHERE failed IN (0, {BIT['no_answers']})"
        ).df()
    order = [draw(seed, site, number) for site, number in zip(eligible["site"], eligible["question_id"])]
    chosen = eligible.assign(draw=order).sort_values("draw").head(size)
    return chosen.drop(columns="draw").reset_index(drop=True)


@contextmanager
def named_errors(source: Path) -> Iterator[None]:
    """What the engine can't do with a source is a DataError that names it."""
    try:
        yield
    except duckdb.Error as error:
        told = " ".join(str(error).split())[:200].rstrip(".")
        raise DataError(f"{source}: {told}. Check that its columns are those of a pool.") from None


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def scan(source: Path) -> str:
    """SQL that reads a pool's folder or a .parquet file with the columns of a pool."""
    if source.is_dir():
        pools.sites(source)
        files = literal(str(source / "questions" / "*" / "*.parquet"))
        return f"read_parquet({files}, hive_partitioning = true, hive_types = {{'site': VARCHAR}})"
    if source.is_file():
        return f"read_parquet({literal(str(source))})"
    raise DataError(f"{source}: not there. Give a pool's folder or a .parquet file.")


RUN = 3  # words
BLOCK = 2000
COLUMNS = ["site", "question_id", "other_site", "other_id", "similarity", "other_answers", "relation"]
_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"<[^>]*>")


def find_duplicates(questions: str | Path, pool: str | Path, threshold: float = 0.6) -> pd.DataFrame:
    """Pairs of a question and another of the pool whose similarity is at least `threshold`.

    questions: those to be checked, such as the filter's kept.parquet; their runs of words are held in memory.
    pool: what they are held against, read in blocks; it may be the same. relation: "answered elsewhere" where the
    other question has an answer, else "asked twice"; a pair of which both are checked appears once, the answered
    one as the other. Sorted by similarity, the largest first.
    """
    if not 0 < threshold <= 1:
        raise DataError(f"threshold {threshold}: not a similarity above 0 and at most 1.")
    checked: dict[tuple[str, int], bool] = {}
    own: list[np.ndarray] = []
    for name, runs, answers in _read(questions):
        if name not in checked:
            checked[name] = answers > 0
            own.append(runs)
    names, sizes = list(checked), np.array([len(runs) for runs in own], int)
    every, holder = np.concatenate(own or [np.array([], np.uint32)]), np.repeat(np.arange(len(own)), sizes)
    order = np.argsort(every, kind="stable")
    every, holder = every[order], holder[order]  # each run in them, and in which question it stands
    rows = []
    for other, runs, answers in _read(pool):
        ends = np.searchsorted(every, runs), np.searchsorted(every, runs, side="right")
        held = [holder[first:last] for first, last in zip(*ends) if first < last]
        places, both = np.unique(np.concatenate(held), return_counts=True) if held else (np.array([], int),) * 2
        similarity = both / (sizes[places] + len(runs) - both)
        for place, similar in zip(places[similarity >= threshold], similarity[similarity >= threshold]):
            name, answered = names[place], checked[names[place]]
            if name == other or (other in checked and (answers > 0, other) < (answered, name)):
                continue  # the same question, or a pair that comes the other way round
            rows.append((*name, *other, similar, answers, "answered elsewhere" if answers else "asked twice"))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values(["similarity", *COLUMNS[:4]], ascending=[False] + 4 * [True], ignore_index=True)


def word_runs(title: str, body: str) -> np.ndarray:
    """A question's runs of three words, hashed to 32 bits, sorted and each once. Markup and case do not count.

    >>> np.array_equal(word_runs("Why is it so", "<p>hot?</p>"), word_runs("why is it SO", "hot"))
    True
    """
    words = _WORD.findall(html.unescape(_MARKUP.sub(" ", f"{title} {body}")).lower())
    runs = zip(*(words[k:] for k in range(RUN))) if len(words) >= RUN else [words]
    return np.unique(np.array([zlib.crc32(" ".join(run).encode()) for run in runs], np.uint32))


def _read(source: str | Path) -> Iterator[tuple[tuple[str, int], np.ndarray, int]]:
    """(site, id), word runs and answers of each question."""
    with duckdb.connect(config={"memory_limit": MEMORY}) as engine, named_errors(Path(source)):
        found = engine.execute(f"SELECT site, question_id, title, body, answers FROM {scan(Path(source))}")
        while rows := found.fetchmany(BLOCK):
            for site, number, title, body, answers in rows:
                yield (site, number), word_runs(title, body), answers or 0
