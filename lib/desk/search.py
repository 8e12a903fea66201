"""Full text behind one function: SQLite's FTS5, or PostgreSQL's tsvector. Triggers keep the index.

`install` makes index and triggers after each migration (SQLite drops a table's triggers when it rebuilds the table).
Words are cut to their stems; all must occur. "a phrase" in quotes, -without a word.
"""

import re

from django.db import connections

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
CREATE TABLE IF NOT EXISTS desk_search_question (id bigint PRIMARY KEY, words tsvector NOT NULL);
CREATE TABLE IF NOT EXISTS desk_search_answer (id bigint PRIMARY KEY, words tsvector NOT NULL);
CREATE INDEX IF NOT EXISTS desk_search_question_words ON desk_search_question USING gin (words);
CREATE INDEX IF NOT EXISTS desk_search_answer_words ON desk_search_answer USING gin (words);
CREATE OR REPLACE FUNCTION desk_words_question(post desk_question) RETURNS tsvector LANGUAGE sql AS $$
    SELECT setweight(to_tsvector('english', post.title), 'A') || setweight(to_tsvector('english', post.tags::text), 'B')
        || to_tsvector('english', left(post.body, 200000)) $$;
CREATE OR REPLACE FUNCTION desk_words_answer(post desk_answer) RETURNS tsvector LANGUAGE sql AS $$
    SELECT to_tsvector('english', left(post.text, 200000)) $$;
"""
_POSTGRESQL_TRIGGERS = """
CREATE OR REPLACE FUNCTION desk_search_{table}_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'TRUNCATE' THEN TRUNCATE desk_search_{table};
    ELSIF TG_OP = 'DELETE' THEN DELETE FROM desk_search_{table} WHERE id = old.id;
    ELSE INSERT INTO desk_search_{table} VALUES (new.id, desk_words_{table}(new))
        ON CONFLICT (id) DO UPDATE SET words = excluded.words;
    END IF;
    RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER desk_search_{table}_new AFTER INSERT OR DELETE OR UPDATE OF {columns} ON desk_{table}
    FOR EACH ROW EXECUTE FUNCTION desk_search_{table}_keep();
CREATE OR REPLACE TRIGGER desk_search_{table}_none AFTER TRUNCATE ON desk_{table}
    FOR EACH STATEMENT EXECUTE FUNCTION desk_search_{table}_keep();
INSERT INTO desk_search_{table} SELECT post.id, desk_words_{table}(post) FROM desk_{table} post ON CONFLICT DO NOTHING;
"""
_COLUMNS = {"question": ("title", "body", "tags"), "answer": ("text",)}


def install(using: str = "default", **_) -> None:
    """Make what is missing of the index; called after each migration."""
    connection = connections[using]
    tables = connection.introspection.table_names()
    if not {"desk_question", "desk_answer"} <= set(tables):
        return  # migrated back to before the first version
    if connection.vendor == "sqlite":
        _install_sqlite(connection)
        return
    with connection.cursor() as cursor:
        cursor.execute(_POSTGRESQL)
        for table, columns in _COLUMNS.items():
            cursor.execute(_POSTGRESQL_TRIGGERS.format(table=table, columns=", ".join(columns)))


def _install_sqlite(connection) -> None:
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


def find(words: str, using: str = "default") -> list[int]:
    """The numbers of the questions that have the words, best first; then those whose standing answers have them."""
    words = words[:300].replace("\x00", " ")
    connection = connections[using]
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
    "SELECT id FROM desk_search_question, websearch_to_tsquery('english', %s) query WHERE words @@ query "
    "ORDER BY ts_rank(words, query) DESC, id LIMIT %s",
    "SELECT question_id FROM desk_answer WHERE withdrawn_at IS NULL AND id IN "
    "(SELECT id FROM desk_search_answer WHERE words @@ websearch_to_tsquery('english', %s) LIMIT %s)",
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
