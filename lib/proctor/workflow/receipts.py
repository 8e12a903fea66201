"""Receipts: what a notebook's results were made from, by content. They alone decide what must run again.

A run that leaves build/notebooks/NAME.ipynb leaves build/receipts/NAME.json, one with other parameters both in
build/own/ (`paths.runs_of`): its parameters' values, and the SHA-256 of each file that it read and of each file that it
left. A receipt is true as long as all of that is still so; dates and Snakemake's own records count for nothing. Only
the standard library: this is read at every start.

Kept notebooks: their public logs are not here, so nothing is run and their committed results stay as they are.
"""

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.files import digest, files_below, write_atomic
from proctor.paths import COMMITTED, OWN_PARAMS, PARAMS, ROOT, runs_of
from proctor.workflow.notebook import LIB, Notebook, modules_of, shown

ASKS_MODELS = LIB / "proctor" / "models" / "registry.py"  # what imports this reads these tables
TABLES = [PARAMS / "models.yaml", PARAMS / "prices.yaml", OWN_PARAMS / "my_models.yaml", OWN_PARAMS / "my_prices.yaml"]


def reads_results_of(notebook: Notebook) -> list[str]:
    """Names of the notebooks that make the claims and tables which this one declares as its data; they must run before
    it."""
    records = [path.with_suffix(".json") for path in notebook.data() if path.is_relative_to(COMMITTED)]
    return list(dict.fromkeys(json.loads(path.read_text())["code"]["notebook"] for path in records))


def path_of(name: str, figures: Path = COMMITTED) -> Path:
    """Where the receipt of the notebook of that name lies, of a run that writes to `figures`."""
    return runs_of(figures) / "receipts" / f"{name}.json"


def inputs(notebook: Notebook, values: Mapping[str, Any]) -> list[Path]:
    """The files that a run with these values rests on, the notebook first. Raises WorkflowError."""
    from proctor.workflow import params  # pydantic: not for --help

    modules = modules_of(notebook)
    found = [
        notebook.path,
        *modules,
        *notebook.data(),
        *notebook.log_files(),
        *files_in(named(params.all_values(notebook, values))),
        ROOT / "requirements.txt",
    ]
    found += TABLES if ASKS_MODELS in modules else []
    return [*(path for path in dict.fromkeys(found) if path.is_file()), *variables(notebook)]


def variables(notebook: Notebook) -> list[Path]:
    """The environment variables that its cells read by name, as `$NAME`: `digests` knows these too. Not our own, which
    say where things lie, nor keys, of which nothing is written down."""
    read = re.compile(r"(?:\benviron(?:\.get\(|\[)|\bgetenv\()\s*[\"'](?!PROCTOR_)(\w+)[\"']")
    names = {name for cell in notebook.code for name in read.findall(cell.source)}
    return [Path(f"${name}") for name in sorted(names) if not re.search("KEY|TOKEN|SECRET|PASSW", name.upper())]


def named(value: Any) -> Iterator[Path]:
    """Every place that a text in the value of a parameter, at any depth, could name, from the checkout's folder: there
    or not. Of a pattern (`boards/*.csv`) the folder that all its files lie in."""
    for text in texts(value):
        folder = Path(os.path.expanduser(text.partition("\0")[0]))
        while glob.has_magic(str(folder)):
            folder = folder.parent
        if not ROOT.resolve().is_relative_to((ROOT / folder).resolve()):  # "." and "/" name no data
            yield ROOT / folder


def texts(value: Any) -> Iterator[str]:
    """The texts in a value, at any depth: keys of mappings too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in [*value, *value.values()] if isinstance(value, Mapping) else value:
            yield from texts(part)


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
        name = shown(path)
        if path.is_file():
            found[name] = digest(path)
        elif name.startswith("$"):
            found[name] = hashlib.sha256(os.fsencode(os.environ.get(name[1:], ""))).hexdigest()
        else:
            found[name] = ""
    return found


def write(values: Mapping[str, Any], read: Mapping[str, str], made: Iterable[Path], place: Path) -> None:
    """Leave the receipt of a run that has just ended at `place`. read: the digests of its inputs, taken before it
    began."""
    left = {name: digest for name, digest in digests(made).items() if digest}
    receipt = {"values": values, "read": read, "left": left}
    write_atomic(place, json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def read_receipt(place: Path) -> dict[str, dict[str, Any]] | None:
    """{"values": ..., "read": {file: digest}, "left": {file: digest}} of the last run; None where none is left."""
    try:
        receipt = json.loads(place.read_text(encoding="utf-8"))
        return {part: dict(receipt[part]) for part in ("values", "read", "left")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _written(values: Mapping[str, Any]) -> str:
    """The values as they are written down: 1, 1.0 and true are equal in Python, and three values."""
    return json.dumps(values, sort_keys=True)


def is_true(notebook: Notebook, values: Mapping[str, Any], place: Path, promised: Sequence[Path] = ()) -> bool:
    """Whether the receipt is there, holds for these values and the files of today, and covers what is promised.

    Raises WorkflowError for a notebook that can't run."""
    files, receipt = inputs(notebook, values), read_receipt(place)
    if receipt is None or _written(receipt["values"]) != _written(values):
        return False
    try:
        same = receipt["read"] == digests(files)
        return same and receipt["left"] == digests([*(ROOT / name for name in receipt["left"]), *promised])
    except (OSError, ValueError, TypeError):
        return False


def how_to_get(notebook: Notebook) -> str:
    """One line on the logs that a notebook lacks."""
    names = ", ".join(notebook.missing_logs())
    return f"the logs {names} are not here: `make logs` fetches them, or PROCTOR_LOGS names the folder that holds them"


def artifacts(name: str, figures: Path = COMMITTED) -> dict[str, list[Path]]:
    """{artifact: its files} of all figures and tables of a notebook: the JSON beside each names the notebook."""
    made_by = {artifact: record["code"]["notebook"] for artifact, record in records(figures).items()}
    places = [figures / artifact for artifact, notebook in made_by.items() if notebook == name]
    return {
        f"{place.parent.name}/{place.name}": sorted(path for path in place.parent.iterdir() if path.stem == place.name)
        for place in places
    }


def states(name: str, figures: Path) -> dict[str, tuple[int, int]]:
    """{artifact: state of the JSON that a run writes last} of all figures and tables of a notebook."""
    found = {artifact: (figures / f"{artifact}.json").stat() for artifact in artifacts(name, figures)}
    return {artifact: (state.st_ino, state.st_mtime_ns) for artifact, state in found.items()}


def drop_old(name: str, figures: Path, before: dict[str, tuple[int, int]]) -> list[str]:
    """Remove the figures and tables that a notebook made before and did not make in the run that has just ended.

    before: of `states`, before the run. Returns their names.
    """
    now, made = states(name, figures), artifacts(name, figures)
    dropped = [artifact for artifact, state in before.items() if now.get(artifact) == state]
    for path in [path for artifact in dropped for path in made[artifact]]:
        path.unlink(missing_ok=True)
    return dropped


def records(figures: Path = COMMITTED) -> dict[str, dict[str, Any]]:
    """{artifact: its provenance record} of all figures and tables in a folder, by name."""
    found = {}
    for path in sorted(figures.glob("*/*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["code"]["notebook"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no record of ours, or one that is just being written by another notebook
        found[f"{path.parent.name}/{path.stem}"] = record
    return found
