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
        tables = {name: _frame(name, rows, *fields) for name, (rows, *fields) in TABLES.items()}
        rows = Review.objects.order_by("pk").select_related("answer__system", "reviewer")
        rows = rows.defer("text", "answer__text", "answer__prompt")
        tables["reviews"]["conflict"] = [conflicted(row) for row in rows.iterator()]
        return tables


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


TABLES = {  # name: the rows, then what fills each column
    "questions": (Question.objects, "key", *COLUMNS["questions"][1:]),
    "answers": (
        Answer.objects, "key", "question__key", "system__name", "system__organisation", "system__base_model", "prompt",
        "text", "written_at", "submitted_by__username", "withdrawn_at",
    ),
    "verdicts": (
        Verdict.objects, "answer__key", "validator", "outcome", "probability", "calls", "dollars", "decided_at",
    ),
    "reviews": (  # both kinds; the reviewer of an AI review is its system's name
        Review.objects, "key", "answer__key", Coalesce("system__name", "reviewer__username"), "kind", "correct",
        "confidence", "conflict", "text", Coalesce("edited_at", "written_at"), "withdrawn_at",
    ),
    "comments": (  # those that stand: the table has no column for withdrawals
        Comment.objects.filter(withdrawn_at=None), "key", "question__key", "author__username", "text", "written_at",
    ),
}  # fmt: skip


def _frame(name: str, rows: QuerySet, *fields: str | Coalesce) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows.order_by("pk").values_list(*fields)), columns=list(COLUMNS[name]))
    for column in frame:
        if column.endswith("_at"):
            frame[column] = pd.to_datetime(frame[column], utc=True).astype("datetime64[us, UTC]")
        elif column == "probability":
            frame[column] = frame[column].astype(float)
    return frame
