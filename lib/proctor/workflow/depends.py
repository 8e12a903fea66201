"""What rests on a file, and what a figure, a table or a claim rests on; and whether that has changed since.

    python -m proctor.workflow.depends data/published/uq/table_S9.csv    # what rests on it
    python -m proctor.workflow.depends                                  # every file that changed, and what rests on it
    python -m proctor.workflow.depends figures/uq/lead_accuracy.svg     # what it rests on
    python -m proctor.workflow.depends uq/3_reject_all                  # the same of a claim (or a figure, a table)

A notebook rests on what it would read now (its own file, modules, data, parameters' files, see receipts.py), on what
its last run read, and on the claims of other notebooks. A figure or table rests on the inputs that its provenance
record names; where the record names none of them, such as for a module, all of the notebook's artifacts rest on it.

What a figure or table rests on stands in its provenance record; a claim, and a name with parts (uq/claim_finding_1),
in that of its notebook's claims.

Exit codes: 0 told, 2 there is no such file, and nothing ever read it.
"""

import argparse
import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from proctor.paths import COMMITTED, ROOT
from proctor.report.claims import Claim, of_catalog, read_claims
from proctor.workflow import params, receipts
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, modules_of, shown

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

    def __init__(self) -> None:
        every = all_notebooks()
        values = params.resolve(every)
        self.notebooks = {notebook.name: notebook for notebook in every}
        self.receipts = {name: receipts.read_receipt(receipts.path_of(name)) for name in self.notebooks}
        self.would_read = {notebook.name: _inputs(notebook, values[notebook.name]) for notebook in every}
        self.claims_of = {notebook.name: receipts.reads_results_of(notebook) for notebook in every}
        self.records = receipts.records()

    def of(self, file: str) -> list[Dependent]:
        """Every notebook that rests on the file (relative to the checkout), by name."""
        now = receipts.digests([ROOT / file])[file]
        named = {record["code"]["notebook"] for record in self.records.values() if file in _inputs_of(record)}
        direct = [
            name
            for name in self.notebooks
            if name in named or file in self.would_read[name] or file in _read(self.receipts[name])
        ]
        found = {name: self._dependent(name, "", file, now) for name in direct}
        for name in direct:  # grows while it is read: claims rest on claims
            for later, before in self.claims_of.items():
                if name in before and later not in found:
                    found[later] = self._dependent(later, name, file, now)
                    direct.append(later)
        return [found[name] for name in sorted(found)]

    @cached_property
    def claims(self) -> list[Claim]:
        """All committed claims. Raises WorkflowError for a file that holds others."""
        try:
            return read_claims(COMMITTED)
        except ValueError as error:
            raise WorkflowError(str(error)) from None

    def below(self, name: str) -> list[str]:
        """What a figure, a table or a claim rests on, a line each; none where `name` is neither.

        name: "figures/uq/lead_accuracy.svg", "uq/lead_accuracy" or a claim's id, also without its part."""
        artifact = name.removeprefix("figures/").partition(".")[0] if name.startswith("figures/") else name
        claims = [claim for claim in self.claims if of_catalog(claim.id, name)]
        if artifact in self.records:
            record = self.records[artifact]
            own = [claim.line() for claim in self.claims if claim.id in record.get("claim_ids", [])]
            return [artifact, *_origin(record, own)]
        made_in = dict.fromkeys(f"{claim.paper}/claims_{claim.notebook.rpartition('/')[2]}" for claim in claims)
        lines = [name] if claims else []
        for place in filter(self.records.__contains__, made_in):
            own = [claim.line() for claim in claims if claim.notebook == self.records[place]["code"]["notebook"]]
            lines += _origin(self.records[place], own)
        return lines

    def changed(self) -> list[str]:
        """The files that are not, or are no more, as the last runs and the committed artifacts read them."""
        read = {(file, digest) for receipt in self.receipts.values() for file, digest in _read(receipt).items()}
        for record in self.records.values():
            read |= {(each["path"], each["sha256"]) for each in record.get("inputs", []) if _is_file(each["path"])}
        now = receipts.digests(ROOT / file for file in sorted({file for file, _ in read}))
        return sorted({file for file, digest in read if now[file] != digest})

    def _dependent(self, name: str, through: str, file: str, now: str) -> Dependent:
        own = {artifact: record for artifact, record in self.records.items() if record["code"]["notebook"] == name}
        made = {artifact: _inputs_of(record).get(file) for artifact, record in own.items()}
        naming = {artifact: digest == now for artifact, digest in made.items() if digest is not None}
        read = _read(self.receipts[name]).get(file)
        state = NEVER if self.receipts[name] is None else NOT_READ if read is None else SAME if read == now else CHANGED
        return Dependent(name, through, state, dict(naming) or dict.fromkeys(own))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.depends", description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="*", help="a file of the checkout (default: each that changed)")
    options = parser.parse_args(arguments)
    try:
        dependencies = Dependencies()
        below = {name: dependencies.below(name) for name in options.file}
        print(*(line for lines in below.values() for line in lines), sep="\n", end="\n" * any(below.values()))
        files = [_relative(file) for file in options.file if not below[file] or "/claims_" in file]  # others read these
        files = files if options.file else dependencies.changed()
        if not files and not options.file:
            print("Every file is as the last runs and the committed figures and tables read it.")
        for file in files:
            _tell(file, dependencies)
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _tell(file: str, dependencies: Dependencies) -> None:
    found, there = dependencies.of(file), (ROOT / file).is_file()
    if not found and not there:
        known = [*dependencies.records, *(claim.id for claim in dependencies.claims)]
        close = difflib.get_close_matches(file.removeprefix("figures/"), known, n=3)
        mean = f"; did you mean {' or '.join(close)}?" if close else "; name it from the checkout's folder"
        raise WorkflowError(f"{file}: no such file, figure, table or claim, and nothing ever read it{mean}")
    artifacts = sum(len(each.made) for each in found)
    gone = "" if there else " (it is not there any more)"
    print(f"{file}{gone}: notebooks: {len(found)}, figures and tables: {artifacts}")
    for each in found:
        print(f"  {each.notebook}  ({f'through the claims of {each.through}' if each.through else each.state})")
        for artifact, same in each.made.items():
            print(f"      {artifact}" + ("  made from other bytes" if same is False else ""))


def changed_inputs(notebook: str) -> list[str]:
    """The inputs of a notebook's committed figures and tables, by their records, whose bytes are others now."""
    records = [record for record in receipts.records().values() if record["code"]["notebook"] == notebook]
    made = {path: digest for record in records for path, digest in _inputs_of(record).items() if _is_file(path)}
    now = receipts.digests(ROOT / path for path in made)
    return [path for path, digest in made.items() if now[path] != digest]


def _origin(record: Mapping[str, Any], claims: Sequence[str]) -> Iterator[str]:
    """The lines about one provenance record."""
    yield f"  notebook    notebooks/{record['code']['notebook']}.ipynb"
    yield f"  evidence    {record['evidence']}"
    now = receipts.digests(ROOT / path for path in _inputs_of(record) if _is_file(path))
    for path, digest in _inputs_of(record).items():
        changed = "  changed since" if _is_file(path) and now[path] != digest else ""
        yield f"  {'input' if _is_file(path) else 'log':11} {path}{changed}"
    given = record.get("parameters", {})
    recorded = {Path(path).name.partition(".jsonl")[0] for path in now if path.startswith("data/recorded/")}
    texts = [text for value in given.values() for text in (value if isinstance(value, list) else [value])]
    if models := [text for text in dict.fromkeys(map(str, texts)) if text in recorded or _provider(text)]:
        yield f"  models      {', '.join(models)}"
    seed = {"seed": record["seed"]} if record.get("seed") is not None else {}
    if given or seed:
        yield f"  parameters  {', '.join(f'{name} = {value}' for name, value in (given | seed).items())}"
    for line in claims:
        yield f"  claim       {line}"


def _provider(text: str) -> bool:
    """Whether it is a model's name such as openai/gpt-4o, and no file's."""
    return "/" in text and not (ROOT / text).exists()


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
    return set(map(shown, files))


def _read(receipt: Mapping[str, Mapping[str, str]] | None) -> Mapping[str, str]:
    return receipt["read"] if receipt else {}


def _inputs_of(record: Mapping[str, Any]) -> dict[str, str]:
    return {each["path"]: each["sha256"] for each in record.get("inputs", [])}


def _is_file(path: str) -> bool:
    return ": " not in path  # else a log, by its source at a commit


if __name__ == "__main__":
    sys.exit(main())
