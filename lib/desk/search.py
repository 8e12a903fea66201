"""Full text behind one function: SQLite's FTS5, kept by triggers, or a generated column in PostgreSQL.

`install` makes what is missing after each migration (SQLite drops a table's triggers when it rebuilds the table).
Words are cut to their stems; all must occur. "a phrase" in quotes, -without a word.
"""

import re

from django.db import connection

from desk.models import Question

MOST = 1000  # questions that one search finds
_PART = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
_WORD = re.compile(r"\w+")

_SQLITE = """
CREATE VIRTUAL TABLE IF NOT EXISTS desk_search_question USING fts5(
    title, body, tags, content='desk_question', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE IF NOT EXISTS desk_search_answer USING fts5(
    text, content='desk_answer', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
"""
_SQLITE_TRIGGERS = """
CREATE TRIGGER desk_search_{table}_new AFTER INSERT ON desk_{table} BEGIN
    INSERT INTO desk_search_{table}(rowid, {columns}) VALUES (new.id, {new}); END;
CREATE TRIGGER desk_search_{table}_old AFTER DELETE ON desk_{table} BEGIN
    INSERT INTO desk_search_{table}(desk_search_{table}, rowid, {columns}) VALUES ('delete', old.id, {old}); END;
CREATE TRIGGER desk_search_{table}_edit AFTER UPDATE OF {columns} ON desk_{table} BEGIN
    INSERT INTO desk_search_{table}(desk_search_{table}, rowid, {columns}) VALUES ('delete', old.id, {old});
    INSERT INTO desk_search_{table}(rowid, {columns}) VALUES (new.id, {new}); END;
INSERT INTO desk_search_{table}(desk_search_{table}) VALUES ('rebuild');
"""
_POSTGRESQL = """
ALTER TABLE desk_question ADD COLUMN IF NOT EXISTS words tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', tags), 'B')
    || to_tsvector('english', left(body, 200000))) STORED;
ALTER TABLE desk_answer ADD COLUMN IF NOT EXISTS words tsvector GENERATED ALWAYS AS (
    to_tsvector('english', left(text, 200000))) STORED;
CREATE INDEX IF NOT EXISTS desk_question_words ON desk_question USING gin (words);
CREATE INDEX IF NOT EXISTS desk_answer_words ON desk_answer USING gin (words);
DROP FUNCTION IF EXISTS desk_search_question_keep, desk_search_answer_keep CASCADE; -- an older desk had triggers
DROP FUNCTION IF EXISTS desk_words_question, desk_words_answer;
DROP TABLE IF EXISTS desk_search_question, desk_search_answer;
"""
_COLUMNS = {"question": ("title", "body", "tags"), "answer": ("text",)}


def install(**_) -> None:
    """Make what is missing of the index; called after each migration."""
    if not {"desk_question", "desk_answer"} <= set(connection.introspection.table_names()):
        return  # of other tables alone
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL)
        return
    connection.ensure_connection()
    have = connection.connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    script = _SQLITE
    for table, columns in _COLUMNS.items():
        triggers = [f"desk_search_{table}_{when}" for when in ("new", "old", "edit")]
        if {(name,) for name in triggers} <= set(have):
            continue
        script += "".join(f"DROP TRIGGER IF EXISTS {name};\n" for name in triggers)
        script += _SQLITE_TRIGGERS.format(
            table=table,
            columns=", ".join(columns),
            new=", ".join(f"new.{name}" for name in columns),
            old=", ".join(f"old.{name}" for name in columns),
        )
    connection.connection.executescript(script)


def find(words: str) -> list[int]:
    """The numbers of the questions that have the words, best first; then those whose standing answers have them."""
    words = words[:300].replace("\x00", " ")
    sqlite = connection.vendor == "sqlite"
    query = _fts5(words) if sqlite else words
    if not query or not _WORD.search(query):
        return []
    in_questions, in_answers = _BY_SQLITE if sqlite else _BY_POSTGRESQL
    with connection.cursor() as cursor:
        cursor.execute(in_questions, [query, MOST])
        found = [number for (number,) in cursor.fetchall()]
        if len(found) < MOST:
            cursor.execute(in_answers, [query, MOST])
            found += [number for (number,) in cursor.fetchall()]
    return list(dict.fromkeys(found))[:MOST]


_BY_SQLITE = (
    "SELECT rowid FROM desk_search_question WHERE desk_search_question MATCH %s "
    "ORDER BY bm25(desk_search_question, 8.0, 1.0, 4.0) LIMIT %s",
    "SELECT question_id FROM desk_answer WHERE withdrawn_at IS NULL AND id IN "
    "(SELECT rowid FROM desk_search_answer WHERE desk_search_answer MATCH %s LIMIT %s)",
)
_BY_POSTGRESQL = (
    "SELECT id FROM desk_question, websearch_to_tsquery('english', %s) query WHERE words @@ query "
    "ORDER BY ts_rank(words, query) DESC, id LIMIT %s",
    "SELECT question_id FROM desk_answer WHERE withdrawn_at IS NULL "
    "AND words @@ websearch_to_tsquery('english', %s) LIMIT %s",
)


def _fts5(words: str) -> str:
    """What a person typed in FTS5's language: each word in quotes, so that none is an operator.

    >>> _fts5('prime "twin primes" -proof OR x_1')
    '("prime") AND ("twin primes") AND ("OR") AND ("x 1") NOT ("proof")'
    """
    with_all, without = [], []
    for minus, phrase, word in _PART.findall(words):
        text = " ".join(_WORD.findall((phrase or word).replace("_", " ")))
        if text:
            (without if minus else with_all).append(f'("{text}")')
    return " NOT ".join([" AND ".join(with_all), *without]) if with_all else ""


def questions(words: str):
    """The questions that a search finds, and the order of their numbers, best first."""
    found = find(words)
    return Question.objects.filter(pk__in=found), {number: place for place, number in enumerate(found)}
