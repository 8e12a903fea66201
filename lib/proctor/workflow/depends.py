"""Which notebooks and which figures and tables rest on a file, and whether it has changed since they were made.

    python -m proctor.workflow.depends data/published/uq/table_S9.csv    # what rests on it
    python -m proctor.workflow.depends                                  # every file that changed, and what rests on it

A notebook rests on what it would read now (its own file, modules, data, parameters' files, see receipts.py), on what
its last run read, and on the claims of other notebooks. A figure or table rests on the inputs that its provenance
record names; where the record names none of them, such as for a module, all of the notebook's artifacts rest on it.

Exit codes: 0 told, 2 there is no such file and nothing ever read it.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from proctor.paths import ROOT
from proctor.workflow import kept, params, receipts
from proctor.workflow.imports import modules_of
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks

SAME, CHANGED = "as its last run read it", "changed since its last run"
NOT_READ, NEVER = "its last run did not read it", "not run here"


class Dependent(NamedTuple):
    """A notebook that rests on a file. through: the notebook whose claims it reads, where it does so by these alone.

    state: of the file against the notebook's last run. made: {artifact: whether the file is as its record says; None
    where its record does not name the file}.
    """

    notebook: str
    through: str
    state: str
    made: dict[str, bool | None]


class Dependencies:
    """What each notebook and each committed artifact rests on, read once. Raises WorkflowError for a faulty one."""

    def __init__(self, notebooks: Sequence[Notebook] | None = None):
        every = list(notebooks) if notebooks is not None else all_notebooks()
        values = params.resolve(every)
        self.notebooks = {notebook.name: notebook for notebook in every}
        self.receipts = {name: receipts.read_receipt(name) for name in self.notebooks}
        self.would_read = {notebook.name: _inputs(notebook, values[notebook.name]) for notebook in every}
        self.claims_of = {notebook.name: receipts.reads_results_of(notebook) for notebook in every}
        self.records = kept.records()

    def of(self, file: str) -> list[Dependent]:
        """Every notebook that rests on the file (relative to the checkout), by name."""
        now = receipts.digests([ROOT / file])[file]
        direct = [
            name
            for name in self.notebooks
            if file in self.would_read[name] or file in _read(self.receipts[name]) or self._named(name, file)
        ]
        found = {name: self._dependent(name, "", file, now) for name in direct}
        for name in direct:  # grows while it is read: claims rest on claims
            for later, before in self.claims_of.items():
                if name in before and later not in found:
                    found[later] = self._dependent(later, name, file, now)
                    direct.append(later)
        return [found[name] for name in sorted(found)]

    def changed(self) -> list[str]:
        """The files that are not, or are no more, as the last runs and the committed artifacts read them."""
        read = {(file, digest) for receipt in self.receipts.values() for file, digest in _read(receipt).items()}
        for record in self.records.values():
            read |= {(each["path"], each["sha256"]) for each in record.get("inputs", []) if _is_file(each["path"])}
        now = receipts.digests(ROOT / file for file in sorted({file for file, _ in read}))
        return sorted({file for file, digest in read if now[file] != digest})

    def _named(self, name: str, file: str) -> bool:
        return any(
            record["code"]["notebook"] == name and file in _inputs_of(record) for record in self.records.values()
        )

    def _dependent(self, name: str, through: str, file: str, now: str) -> Dependent:
        own = {artifact: record for artifact, record in self.records.items() if record["code"]["notebook"] == name}
        inputs = {artifact: _inputs_of(record) for artifact, record in own.items()}
        naming = {artifact: named[file] == now for artifact, named in inputs.items() if file in named}
        read = _read(self.receipts[name]).get(file)
        state = NOT_READ if read is None else SAME if read == now else CHANGED
        state = NEVER if self.receipts[name] is None else state
        return Dependent(name, through, state, dict(naming) or dict.fromkeys(own))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.depends", description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="*", help="a file of the checkout (default: each that changed)")
    options = parser.parse_args(arguments)
    try:
        dependencies = Dependencies()
        files = [_relative(file) for file in options.file] or dependencies.changed()
        if not files:
            print("Every file is as the last runs and the committed figures and tables read it.")
        for file in files:
            _tell(file, dependencies.of(file))
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _tell(file: str, found: Sequence[Dependent]) -> None:
    there = (ROOT / file).is_file()
    if not found and not there:
        raise WorkflowError(f"{file}: no such file, and nothing ever read it; name it from the checkout's folder")
    artifacts = sum(len(each.made) for each in found)
    gone = "" if there else " (it is not there any more)"
    print(f"{file}{gone}: notebooks: {len(found)}, figures and tables: {artifacts}")
    for each in found:
        print(f"  {each.notebook}  ({f'through the claims of {each.through}' if each.through else each.state})")
        for artifact, same in each.made.items():
            print(f"      {artifact}" + ("  made from other bytes" if same is False else ""))


def _relative(file: str) -> str:
    path = Path(file).absolute()
    for root in (ROOT.absolute(), ROOT.resolve()):
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    if (ROOT / file).exists() or not path.exists():
        return Path(file).as_posix()
    raise WorkflowError(f"{file} lies outside of the checkout {ROOT}: name a file in it")


def _inputs(notebook: Notebook, values: Mapping[str, Any]) -> set[str]:
    """What a run would read; of a kept notebook too, although nothing is run."""
    files = receipts.inputs(notebook, values)
    files += [*modules_of(notebook), *notebook.data()] if notebook.missing_logs() else []
    return {path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path) for path in files}


def _read(receipt: Mapping[str, Mapping[str, str]] | None) -> Mapping[str, str]:
    return receipt["read"] if receipt else {}


def _inputs_of(record: Mapping[str, Any]) -> dict[str, str]:
    return {each["path"]: each["sha256"] for each in record.get("inputs", [])}


def _is_file(path: str) -> bool:
    return ": " not in path  # else a log, by its source at a commit


if __name__ == "__main__":
    sys.exit(main())
