"""The store from outside a web server: a command, a notebook, a script.

from desk.store import read_tables
tables = read_tables()["reviews"]       # the desk in build/desk, or PROCTOR_DESK; see `tables`
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = "desk.settings"


def connect(folder: str | Path | None = None) -> None:
    """Set Django up for the desk of a folder; a process has one desk. Raises ValueError for a second one."""
    if folder is not None and "PROCTOR_DESK" not in os.environ:
        os.environ["PROCTOR_DESK"] = str(Path(folder).resolve())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    django.setup()
    from desk import settings

    if folder is not None and settings.FOLDER.resolve() != Path(folder).resolve():
        raise ValueError(f"this process reads the desk in {settings.FOLDER}: read {folder} in a new one")


def read_tables(folder: str | Path | None = None) -> "dict[str, pd.DataFrame]":
    """All tables of a desk, for `proctor.uq.community.checked` and the analyses of it."""
    connect(folder)
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
