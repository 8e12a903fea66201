"""Where things lie in a checkout. Every path that the library writes or reads by default starts here."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("PROCTOR_ROOT", Path(__file__).resolve().parents[2]))

DATA = ROOT / "data"
PUBLISHED = DATA / "published"
QUESTIONS = DATA / "questions"
RECORDED = DATA / "recorded"
CATALOG = DATA / "catalog.csv"
PARAMS = ROOT / "params"
BUILD = ROOT / "build"  # executed notebooks and what they say: ignored by git, safe to delete
CACHE = ROOT / ".cache"  # fetched weights and questions, paid replies: ignored by git

COMMITTED = ROOT / "figures"  # written by `make reproduce` at the default parameters alone
FIGURES = Path(os.environ.get("PROCTOR_FIGURES", COMMITTED))  # where figures and claims are read
OWN_FIGURES = Path(os.environ.get("PROCTOR_FIGURES", BUILD / "figures"))  # where a session or a single run writes
REPLIES = Path(place) if (place := os.environ.get("PROCTOR_REPLIES")) else None  # paid replies, if not in CACHE
