"""The sources of logs, and where their tidy files lie on this machine.

A source is a public repository at a commit (data/logs/sources.yaml); each of its data sets is one tidy file. Files are
looked for in `$PROCTOR_LOGS/<source>/`, then in `.cache/logs/<source>/`, where `make logs` puts them. Reads no tables
and starts quickly, so that reports and workflow may ask it too; what reads the files is `proctor.logs`.
"""

import gzip
import hashlib
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from proctor import paths


class LogsMissing(FileNotFoundError):
    """A tidy file that is not on this machine; the message says how to get it."""


class Tidy(NamedTuple):
    """One data set: its tidy file in the source's folder, its form (see `logs.tidy`), and the
    SHA-256 of the unpacked file that the committed figures rest on."""

    name: str
    file: str
    form: str
    sha256: str = ""


class Source(NamedTuple):
    """A public repository at a commit, what is taken from it, and the tidy files that its importer makes.

    runs: those of its runs that our results rest on, all where none is named. history: what is taken of the
    repository's history, "versions" (every version of the files) or "dates" (first and last commit of each file); ""
    for none. joined: another source whose raw files the importer reads too. whole: False where the committed figures
    rest on a part of what a fetch gives.
    """

    name: str
    repository: str
    commit: str
    paths: tuple[str, ...]
    licence: str
    citation: str
    tidy: tuple[Tidy, ...]
    runs: tuple[str, ...] = ()
    history: str = ""
    joined: str = ""
    whole: bool = True


def sources() -> dict[str, Source]:
    """{name: source} of data/logs/sources.yaml, in its order."""
    return _read_sources(paths.DATA / "logs" / "sources.yaml")


def find(name: str) -> tuple[Source, tuple[Tidy, ...]]:
    """The source of `name` and the data sets it means: a source means all of its own, a data set itself.

    Raises ValueError for an unknown name.
    """
    known = sources()
    if name in known:
        return known[name], known[name].tidy
    for source in known.values():
        if found := tuple(tidy for tidy in source.tidy if tidy.name == name):
            return source, found
    names = dict.fromkeys([*known, *(tidy.name for source in known.values() for tidy in source.tidy)])
    raise ValueError(f"no logs called {name!r}. Choose one of: {', '.join(names)}.")


def folder(name: str) -> Path | None:
    """The folder that holds the tidy files of a source or data set; None when there is none."""
    (source, tidy), given = find(name), os.environ.get("PROCTOR_LOGS", "").strip()
    for place in (Path(given) if given else None, paths.CACHE / "logs"):
        if place and all((place / source.name / each.file).is_file() for each in tidy):
            return place / source.name
    return None


def available(name: str) -> bool:
    """Whether the tidy files of a source or data set are on this machine."""
    return folder(name) is not None


def files(name: str) -> list[Path]:
    """The tidy files of a source or data set. Raises LogsMissing."""
    place, (source, tidy) = folder(name), find(name)
    if place is None:
        raise LogsMissing(
            f"the logs {name} are not on this machine. Run `make logs` (or `python -m proctor logs {source.name}`), or "
            f"set PROCTOR_LOGS to a folder whose {source.name}/ holds {', '.join(each.file for each in tidy)}."
        )
    return [place / each.file for each in tidy]


def inputs(name: str) -> list[tuple[str, str]]:
    """(source@commit: file, SHA-256 of the unpacked file) of each tidy file: what a result names as its input.

    The unpacked file counts, because two machines may compress the same rows to different bytes.
    """
    source, tidy = find(name)
    return [
        (f"{source.repository}@{source.commit}: {each.file}", digest(path)) for each, path in zip(tidy, files(name))
    ]


def as_pinned(name: str) -> bool:
    """Whether the tidy files are those that the committed results rest on: verdicts are asserted only then."""
    return all(not each.sha256 or digest(path) == each.sha256 for each, path in zip(find(name)[1], files(name)))


def digest(path: Path) -> str:
    """SHA-256 of a file's content, unpacked where its name ends in .gz."""
    state = path.stat()
    return _digest(path, state.st_mtime_ns, state.st_size)


@cache
def _digest(path: Path, changed: int, size: int) -> str:
    with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


@cache
def _read_sources(path: Path) -> dict[str, Source]:
    found = {}
    for name, entry in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        plain = {key: tuple(each) if isinstance(each, list) else each for key, each in entry.items()}
        tidy = tuple(Tidy(key, **each) for key, each in entry["tidy"].items())
        found[name] = Source(name, **plain | {"tidy": tidy})
    return found
