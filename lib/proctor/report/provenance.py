"""What an artifact rests on: its evidence, inputs, parameters and seed, in one JSON beside it.

Shared by figures and tables. Nothing here depends on the machine: paths are relative, keys are
sorted, there are no dates, so that the same run gives the same bytes in every clone.
"""

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import proctor
from proctor import paths
from proctor.files import digest, write_atomic

KINDS = ("published", "reconstructed", "measured", "logged", "simulated")
NAME = re.compile(r"[a-z_]+/[A-Za-z0-9_]+")


class Logged(NamedTuple):
    """An input that is no file of the checkout: a log, by its source at a commit ("owner/name@commit: file")."""

    place: str
    sha256: str


def evidence_kinds(evidence: str | Iterable[str]) -> tuple[str, ...]:
    """The kinds of evidence in the order of `KINDS`.

    evidence: "measured", "published + measured" or ("published", "measured").
    Raises ValueError for none or for an unknown kind.
    """
    given = {kind.strip() for kind in (evidence.split("+") if isinstance(evidence, str) else evidence)}
    unknown = given - set(KINDS)
    if unknown or not given:
        raise ValueError(f"evidence {evidence!r}: give one or several of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in given)


def describe(
    name: str,
    *,
    evidence: str | Iterable[str],
    inputs: Sequence[str | os.PathLike | Logged] = (),
    parameters: Mapping | None = None,
    seed: int | None = None,
    note: str = "",
    packages: Sequence[str] = (),
    notebook: str | None = None,
) -> dict:
    """The provenance record of the artifact `name` ("<paper>/<artifact>"), checked before anything is written.

    inputs: files, absolute or relative to the checkout or to its data/ folder, and logs. parameters: anything
    that JSON can hold, numpy scalars and arrays, and paths. packages: modules whose versions count.
    notebook: which one writes it (default: the one that the workflow runs).
    Raises ValueError for a bad name, unknown evidence, a missing input, a parameter that JSON can't
    hold, or a simulation without its seed.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"artifact name {name!r}: write it as <paper>/<artifact>, e.g. uq/table_S1")
    kinds = evidence_kinds(evidence)
    if "simulated" in kinds and seed is None:
        raise ValueError(f"{name}: simulated evidence needs the seed that it was drawn with (seed=...)")
    if isinstance(inputs, str | os.PathLike):
        raise ValueError(f"{name}: inputs must be a list of files, not the single {str(inputs)!r}")
    digests = {tuple(file) if isinstance(file, Logged) else _digest(name, file) for file in inputs}
    return {
        "artifact": name,
        "evidence": " + ".join(kinds),
        "inputs": [{"path": path, "sha256": digest} for path, digest in sorted(digests)],
        "parameters": _plain(parameters or {}, f"{name}: parameters"),
        "seed": _plain(seed, f"{name}: seed"),
        "note": note,
        "code": {
            "notebook": notebook or os.environ.get("PROCTOR_NOTEBOOK"),
            "versions": {"proctor": proctor.__version__} | {package: _version(package) for package in packages},
        },
    }


_version = cache(metadata.version)


def label(record: Mapping) -> str:
    """The line that every artifact carries, e.g. "measured · hle/measured_accuracy"."""
    return f"{record['evidence']} · {record['artifact']}"


def write(record: Mapping, contents: Mapping[str, bytes | str], out: str | os.PathLike | None = None) -> None:
    """Write each content to `<out>/<artifact><suffix>`, and the record last: its presence says that all are there.

    out: a folder (default: build/figures/, or where `make reproduce` says).
    """
    base = Path(out if out is not None else paths.OWN_FIGURES) / record["artifact"]
    for suffix, content in contents.items():
        write_atomic(base.with_suffix(suffix), content, durable=False)  # receipts tell a file that was lost
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_atomic(base.with_suffix(".json"), text + "\n", durable=False)


def relative(path: str | os.PathLike) -> str:
    """`path` as POSIX text relative to the checkout; only its name when it lies elsewhere, for privacy."""
    path = Path(path)
    if not path.is_absolute():
        return path.as_posix()
    path, root = path.resolve(), Path(paths.ROOT).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _digest(name: str, file: str | os.PathLike) -> tuple[str, str]:
    """(relative path, SHA-256) of one input."""
    tried = [Path(paths.ROOT) / file, Path(paths.DATA) / file]
    found = next((path for path in tried if path.is_file()), None)
    if found is None:
        raise ValueError(
            f"{name}: input {str(file)!r} is not a file, neither from the checkout nor from data/: "
            "fix its path, or list the files of a folder one by one"
        )
    state = found.stat()
    return relative(found), _sha256(found, state.st_mtime_ns, state.st_size)


@cache
def _sha256(path: Path, changed: int, size: int) -> str:
    """Of a file in one state: a notebook's artifacts share their inputs."""
    return digest(path)


def _plain(value, where: str):
    """`value` as JSON holds it. Raises ValueError naming `where`."""
    if isinstance(value, os.PathLike):
        return relative(value)
    if isinstance(value, str):
        return relative(value) if Path(value).is_absolute() and Path(value).name else value
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        return _plain(value.tolist(), where)
    if value is None or isinstance(value, bool | int) or isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, f"{where}[{i}]") for i, entry in enumerate(value)]
    raise ValueError(f"{where} is {value!r}: give a finite number, text, a path, a list or a mapping of these")
