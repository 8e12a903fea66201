"""Where things lie. Every path that the library writes or reads by default starts here.

In a checkout all is under ROOT. Where the library is installed (`pip install`), ROOT holds its copy of params/ and
data/; what it builds goes into the working folder, and what it fetches and pays for into the user's cache folder.
"""

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_COPY = _HERE / "checkout"  # of an installed library
INSTALLED = _COPY.is_dir() and "PROCTOR_ROOT" not in os.environ
ROOT = Path(os.environ.get("PROCTOR_ROOT", _COPY if INSTALLED else _HERE.parents[1]))


def _cache() -> Path:
    if not INSTALLED:
        return ROOT / ".cache"
    from platformdirs import user_cache_path

    return user_cache_path("proctor", appauthor=False)


DATA = ROOT / "data"
PUBLISHED = DATA / "published"
QUESTIONS = DATA / "questions"
RECORDED = DATA / "recorded"
CATALOG = DATA / "catalog.csv"
PARAMS = ROOT / "params"
BUILD = (Path.cwd() if INSTALLED else ROOT) / "build"  # executed notebooks: ignored by git, safe to delete
CACHE = _cache()  # fetched weights and questions, paid replies: ignored by git

COMMITTED = ROOT / "figures"  # written by `make reproduce` at the default parameters alone
FIGURES = Path(os.environ.get("PROCTOR_FIGURES", COMMITTED))  # where figures and claims are read
OWN_FIGURES = Path(os.environ.get("PROCTOR_FIGURES", BUILD / "figures"))  # where a session or a single run writes
REPLIES = Path(place) if (place := os.environ.get("PROCTOR_REPLIES")) else None  # paid replies, if not in CACHE


def runs_of(figures: str | Path, root: str | Path = ROOT) -> Path:
    """Where runs that write to the folder `figures` leave executed copies (notebooks/) and receipts (receipts/).

    build/ for those that git holds, build/own/ for any other, so that a trial replaces nothing of the former.
    """
    return Path(root) / "build" / ("" if Path(figures).resolve() == (Path(root) / "figures").resolve() else "own")
