"""Receipts: what a notebook's results were made from, by content. They alone decide what must run again.

A run that leaves build/notebooks/NAME.ipynb leaves build/receipts/NAME.json, one with other parameters both in
build/own/ (`paths.runs_of`): its parameters' values, and the SHA-256 of each file that it read and of each file that it
left. A receipt is true as long as all of that is still so; dates and Snakemake's own records count for nothing. `make
reproduce` puts untrue receipts aside, and Snakemake makes those that are not there. Only the standard library: this is
read at every start.
"""

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proctor.files import files_below, write_atomic
from proctor.paths import COMMITTED, OWN_PARAMS, PARAMS, ROOT, runs_of
from proctor.report import catalog
from proctor.workflow import kept
from proctor.workflow.imports import LIB, modules_of
from proctor.workflow.notebook import Notebook

ASKS_MODELS = LIB / "proctor" / "models" / "registry.py"  # what imports this reads these tables
TABLES = [PARAMS / "models.yaml", PARAMS / "prices.yaml", OWN_PARAMS / "my_models.yaml", OWN_PARAMS / "my_prices.yaml"]


def untrue(notebooks: Iterable[Notebook], values: Mapping[str, dict], figures: Path) -> list[str]:
    """Names of the notebooks whose receipt is not there or no longer holds. values: {notebook name: those given}."""
    rows = catalog.read()
    return [
        notebook.name
        for notebook in notebooks
        if not is_true(
            notebook,
            values[notebook.name],
            [] if notebook.missing_logs() else catalog.promised(notebook.name, rows, figures),
            path_of(notebook.name, figures),
        )
    ]


def put_aside(notebooks: Iterable[Notebook], values: Mapping[str, dict], figures: Path) -> None:
    """Put aside the receipts that are no longer true, and take back those that are true again.

    For what was changed may be changed back before anything has run. A notebook that reads the results of one that is
    about to run is put aside with it.
    """
    by_name = {notebook.name: notebook for notebook in notebooks}
    late = untrue(by_name.values(), values, figures)
    before = {name: reads_results_of(by_name[name]) for name in by_name}
    for name in late + [name for name in by_name if name not in late and set(late) & set(before[name])]:
        place = path_of(name, figures)
        beside = place.with_suffix(".untrue")
        if place.exists():
            os.replace(place, beside)
        elif beside.exists():
            os.replace(beside, place)
            if untrue([by_name[name]], values, figures):
                os.replace(place, beside)


def reads_results_of(notebook: Notebook) -> list[str]:
    """Names of the notebooks that make the claims and tables which this one declares as its data; they must run before
    it."""
    records = [path.with_suffix(".json") for path in notebook.data() if path.is_relative_to(COMMITTED)]
    return list(dict.fromkeys(json.loads(path.read_text())["code"]["notebook"] for path in records))


def path_of(name: str, figures: Path = COMMITTED) -> Path:
    """Where the receipt of the notebook of that name lies, of a run that writes to `figures`; quoted, because Snakemake
    reads {} in a file's name."""
    return runs_of(figures) / "receipts" / f"{quote(name)}.json"


def inputs(notebook: Notebook, values: Mapping[str, Any]) -> list[Path]:
    """The files that a run with these values rests on, the notebook first. Raises WorkflowError.

    Those of a kept notebook (see kept.py): itself and its committed figures and tables.
    """
    modules, data = modules_of(notebook), notebook.data()
    if notebook.missing_logs():
        return [notebook.path, *(path for files in kept.artifacts(notebook.name).values() for path in files)]
    data += notebook.log_files()
    found = [notebook.path, *modules, *data, *files_in(named(notebook, values)), ROOT / "requirements.txt"]
    found += TABLES if ASKS_MODELS in modules else []
    return [*(path for path in dict.fromkeys(found) if path.is_file()), *variables(notebook)]


def variables(notebook: Notebook) -> list[Path]:
    """The environment variables that its cells read by name, as `$NAME`: `digests` knows these too. Not our own, which
    say where things lie, nor keys, of which nothing is written down."""
    read = re.compile(r"(?:\benviron(?:\.get\(|\[)|\bgetenv\()\s*[\"'](?!PROCTOR_)(\w+)[\"']")
    names = {name for cell in notebook.code for name in read.findall(cell.source)}
    return [Path(f"${name}") for name in sorted(names) if not re.search("KEY|TOKEN|SECRET|PASSW", name.upper())]


def named(notebook: Notebook, values: Mapping[str, Any]) -> list[Path]:
    """Every place that a text among the parameters' values could name, from the checkout's folder: there or not. Of a
    pattern (`boards/*.csv`) the folder that all its files lie in."""
    from proctor.workflow import params  # not needed by a job of Snakemake's

    return _named(list(params.all_values(notebook, values).values()))


def _named(value: Any) -> list[Path]:
    if isinstance(value, Mapping):
        return _named(list(value.values()))
    if isinstance(value, list | tuple):
        return [place for each in value for place in _named(each)]
    if not isinstance(value, str) or not value or "\0" in value:
        return []
    folder = Path(os.path.expanduser(value))
    while glob.has_magic(str(folder)):
        folder = folder.parent
    place = ROOT / folder
    return [] if ROOT.resolve().is_relative_to(place.resolve()) else [place]  # "." and "/" name no data


def files_in(places: Iterable[Path]) -> list[Path]:
    """The files among the places, and those in the folders among them, at any depth, also behind links."""
    found: list[Path] = []
    for place in places:
        inside = sorted(files_below(place)) if os.path.isdir(place) else [place]
        found += [path for path in inside if os.path.isfile(path) or str(path).startswith("$")]
    return found


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """{path, relative to the checkout where it lies there: SHA-256 of its content, or "" when it is not there}

    Of an environment variable, `$NAME`, that of its value.
    """
    found = {}
    for path in paths:
        name = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
        if name.startswith("$") and not path.is_file():
            found[name] = hashlib.sha256(os.environ.get(name[1:], "").encode(errors="surrogateescape")).hexdigest()
            continue
        try:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            found[name] = ""
    return found


def outputs(notebook: Notebook, figures: Path) -> list[Path]:
    """The files that a run has left: the executed copy, what the catalog promises and all that it wrote besides."""
    try:
        promised = catalog.promised(notebook.name, figures=figures)
    except (ValueError, OSError):  # a faulty catalog is told by `make reproduce`, and stops no single run
        promised = []
    written = [path for files in kept.artifacts(notebook.name, figures).values() for path in files]
    return [notebook.executed(figures), *promised, *written]


def write(
    notebook: Notebook,
    values: Mapping[str, Any],
    read: Mapping[str, str],
    made: Iterable[Path],
    place: Path | None = None,
) -> None:
    """Leave the receipt of a run that has just ended. read: the digests of its inputs, taken before it began.

    place: the receipt's file (default: that of `make reproduce`); `is_true` and `read_receipt` take the same.
    """
    left = {name: digest for name, digest in digests(made).items() if digest}
    receipt = {"values": values, "read": read, "left": left}
    write_atomic(place or path_of(notebook.name), json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def read_receipt(name: str, place: Path | None = None) -> dict[str, dict[str, Any]] | None:
    """{"values": ..., "read": {file: digest}, "left": {file: digest}} of the last run; None where none is left."""
    try:
        receipt = json.loads((place or path_of(name)).read_text(encoding="utf-8"))
        return {part: dict(receipt[part]) for part in ("values", "read", "left")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _written(values: Mapping[str, Any]) -> str:
    """The values as they are written down: 1, 1.0 and true are equal in Python, and three values."""
    return json.dumps(values, sort_keys=True)


def is_true(notebook: Notebook, values: Mapping[str, Any], promised: Sequence[Path], place: Path | None = None) -> bool:
    """Whether the receipt is there, holds for these values and the files of today, and covers what is promised."""
    receipt = read_receipt(notebook.name, place)
    if receipt is None or _written(receipt["values"]) != _written(values):
        return False
    try:
        same = receipt["read"] == digests(inputs(notebook, values))
        return same and receipt["left"] == digests([*(ROOT / name for name in receipt["left"]), *promised])
    except (OSError, ValueError, TypeError):
        return False
