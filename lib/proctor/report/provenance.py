"""What an artifact rests on: its evidence, inputs, parameters and seed, in one JSON beside it.

Shared by figures and tables. Nothing here depends on the machine: paths are relative, keys are
sorted, there are no dates, so that the same run gives the same bytes in every clone.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import proctor
from proctor import paths
from proctor.files import digest, write_atomic

KINDS = ("published", "reconstructed", "measured", "logged", "simulated")
NAME = re.compile(r"[a-z_]+/[A-Za-z0-9_]+")


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
    inputs: Sequence[str | os.PathLike | tuple[str, str]] = (),
    parameters: Mapping | None = None,
    seed: int | None = None,
    note: str = "",
    packages: Sequence[str] = (),
    notebook: str | None = None,
) -> dict:
    """The provenance record of the artifact `name` ("<paper>/<artifact>"), checked before anything is written.

    inputs: files, relative to the checkout or absolute, and logs as `log_files.inputs` names them. parameters: anything
    that JSON can hold, numpy scalars and arrays, and paths. packages: modules whose versions count. notebook: which one
    writes it (default: the one that the workflow runs). Raises ValueError for a bad name, unknown evidence, or a
    simulation without its seed.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"artifact name {name!r}: write it as <paper>/<artifact>, e.g. uq/table_S1")
    kinds = evidence_kinds(evidence)
    if "simulated" in kinds and seed is None:
        raise ValueError(f"{name}: simulated evidence needs the seed that it was drawn with (seed=...)")
    digests = {file if isinstance(file, tuple) else _digest(Path(paths.ROOT) / file) for file in inputs}
    return {
        "artifact": name,
        "evidence": " + ".join(kinds),
        "inputs": [{"path": path, "sha256": digest} for path, digest in sorted(digests)],
        "parameters": _plain(parameters or {}),
        "seed": _plain(seed),
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


def write(record: Mapping, contents: Mapping[str, bytes | str]) -> None:
    """Write each content to build/figures/<artifact><suffix> (or where `make reproduce` says), and the record last: its
    presence says that all are there."""
    try:
        text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:  # nothing is written
        raise ValueError(
            f"{record['artifact']}: parameters are finite numbers, texts, lists, mappings: {error}"
        ) from None
    base = paths.OWN_FIGURES / record["artifact"]
    for suffix, content in {**contents, ".json": text + "\n"}.items():
        write_atomic(base.with_suffix(suffix), content, durable=False)  # receipts tell a file that was lost


def relative(path: str | os.PathLike) -> str:
    """`path` as POSIX text relative to the checkout; only its name when it lies elsewhere, for privacy."""
    path = Path(path)
    if not path.is_absolute():
        return path.as_posix()
    path, root = path.resolve(), Path(paths.ROOT).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _digest(path: Path) -> tuple[str, str]:
    """(relative path, SHA-256) of one input."""
    state = path.stat()
    return relative(path), _sha256(path, state.st_mtime_ns, state.st_size)


@cache
def _sha256(path: Path, changed: int, size: int) -> str:
    """Of a file in one state: a notebook's artifacts share their inputs."""
    return digest(path)


def _plain(value: Any) -> Any:
    """`value` without numpy and paths, as JSON may hold it."""
    if isinstance(value, os.PathLike) or isinstance(value, str) and Path(value).is_absolute() and Path(value).name:
        return relative(value)
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
