"""Where things lie. Every path that the library writes or reads by default starts here.

In a checkout all is under ROOT. Where the library is installed (`pip install`), ROOT holds its copy of params/ and
data/; what it builds goes into the working folder, what it fetches and pays for into the user's cache folder, and the
user's own models and prices are in the user's folder of settings.
"""

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_COPY = _HERE / "checkout"  # of an installed library
INSTALLED = _COPY.is_dir() and "PROCTOR_ROOT" not in os.environ
ROOT = Path(os.environ.get("PROCTOR_ROOT", _COPY if INSTALLED else _HERE.parents[1]))


def _of_the_user(kind: str) -> Path:
    """The user's folder of this program. kind: cache, config."""
    import platformdirs

    return getattr(platformdirs, f"user_{kind}_path")("proctor", appauthor=False)


DATA = ROOT / "data"
PUBLISHED = DATA / "published"
QUESTIONS = DATA / "questions"
RECORDED = DATA / "recorded"
CATALOG = DATA / "catalog.csv"
PARAMS = ROOT / "params"
OWN_PARAMS = _of_the_user("config") if INSTALLED else PARAMS  # my_models.yaml, my_prices.yaml
BUILD = (Path.cwd() if INSTALLED else ROOT) / "build"  # executed notebooks: ignored by git, safe to delete
CACHE = _of_the_user("cache") if INSTALLED else ROOT / ".cache"  # fetched files, paid replies: ignored by git

COMMITTED = ROOT / "figures"  # written by `make reproduce` at the default parameters alone
FIGURES = Path(os.environ.get("PROCTOR_FIGURES", COMMITTED))  # where figures and claims are read
OWN_FIGURES = Path(os.environ.get("PROCTOR_FIGURES", BUILD / "figures"))  # where a session or a single run writes
REPLIES = Path(place) if (place := os.environ.get("PROCTOR_REPLIES")) else None  # paid replies, if not in CACHE


def runs_of(figures: str | Path, root: str | Path = ROOT) -> Path:
    """Where runs that write to the folder `figures` leave executed copies (notebooks/) and receipts (receipts/).

    build/ for those that git holds, build/own/ for any other, so that a trial replaces nothing of the former.
    """
    return Path(root) / "build" / ("" if Path(figures).resolve() == (Path(root) / "figures").resolve() else "own")
