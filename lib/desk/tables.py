"""The store as pandas tables, with the columns of `proctor.uq.community.COLUMNS`: what notebooks and overviews read.

Times are UTC; `withdrawn_at` is NaT for what stands. Withdrawn rows are there: an analysis decides at which time it
looks. A review's `conflict` is true where one was declared or is plain (`resolution.conflicted`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from proctor.uq.community import COLUMNS

from desk.models import Answer, Comment, Question, Review, Verdict
from desk.resolution import conflicted


def all_tables() -> dict[str, pd.DataFrame]:
    """All tables by name, of one moment."""
    with one_moment():
        return {name: table() for name, table in TABLES.items()}


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read inside is of one moment; others go on writing meanwhile."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own transactions would keep writers waiting
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield


def questions() -> pd.DataFrame:
    return _values("questions", Question.objects, "key", *COLUMNS["questions"][1:])


def answers() -> pd.DataFrame:
    """`base_model` is empty for people."""
    fields = ("key", "question__key", "system__name", "system__organisation", "system__base_model", "prompt", "text")
    return _values("answers", Answer.objects, *fields, "written_at", "submitted_by__username", "withdrawn_at")


def verdicts() -> pd.DataFrame:
    fields = ("answer__key", "validator", "outcome", "probability", "calls", "dollars", "decided_at")
    return _values("verdicts", Verdict.objects, *fields)


def reviews() -> pd.DataFrame:
    """Both kinds; the reviewer of an AI review is its system's name."""
    who, when = Coalesce("system__name", "reviewer__username"), Coalesce("edited_at", "written_at")
    fields = ("key", "answer__key", who, "kind", "correct", "confidence", "conflict", "text", when, "withdrawn_at")
    rows = Review.objects.order_by("pk").select_related("answer__system", "reviewer")
    conflicts = [conflicted(row) for row in rows.defer("text", "answer__text", "answer__prompt").iterator()]
    return _values("reviews", Review.objects, *fields).assign(conflict=conflicts)


def comments() -> pd.DataFrame:
    """Those that stand: the table has no column for withdrawals."""
    standing = Comment.objects.filter(withdrawn_at=None)
    return _values("comments", standing, "key", "question__key", "author__username", "text", "written_at")


TABLES = dict(questions=questions, answers=answers, verdicts=verdicts, reviews=reviews, comments=comments)


def _values(name: str, rows: QuerySet, *fields: str | Coalesce) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows.order_by("pk").values_list(*fields)), columns=list(COLUMNS[name]))
    for column in frame:
        if column.endswith("_at"):
            frame[column] = pd.to_datetime(frame[column], utc=True).astype("datetime64[us, UTC]")
        elif column == "probability":
            frame[column] = frame[column].astype(float)
    return frame
