"""The store from outside a web server: a command, a notebook, a script.

from desk.store import read_tables
tables = read_tables()["reviews"]       # the desk in build/desk, or PROCTOR_DESK; see `tables`
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    import pandas as pd


def connect() -> None:
    """Set Django up for this process's desk, which PROCTOR_DESK names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
    django.setup()


def read_tables() -> "dict[str, pd.DataFrame]":
    """All tables of the desk; `proctor.uq.community.Community(**read_tables())` is what the analyses take."""
    connect()
    from desk.tables import all_tables

    with ThreadPoolExecutor(1) as thread:  # a notebook's own thread has an event loop, where Django reads no database
        return thread.submit(closing, all_tables).result()


def closing(work):
    """What `work` gives in a thread, whose connection to the database is given back."""
    from django.db import connection

    try:
        return work()
    finally:
        connection.close()
