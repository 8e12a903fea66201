"""The map of the mission: one row for each published artifact, formal result, protocol and claim, and for our own.

    python -m proctor.report.catalog            # what is regenerated, from what evidence; problems found
    python -m proctor.report.catalog --status   # the same, and rewrites the table between the marks in docs/status.md

Columns of data/catalog.csv: id (<paper>/<artifact>), paper, kind (`notebook-output` is ours, the other
kinds are the paper's), title, notebook (its path under notebooks/, no ending), outputs (files under
figures/, semicolon-separated: `x.csv` stands for a table's three files, `x.svg` for a figure's three),
evidence (of a planned row: what it will rest on), compared_with, tolerance ("exact" or a number in the
unit of what is compared), state, missing (what our sources lack for it; a lacking row must say). A claim,
definition, protocol or prompt may point at outputs of other rows, in which it is tested or run; so may a stand-in (a
figure that the paper draws twice). Nothing slow is imported: each command of the workflow starts with this.

States: done; stand-in (it runs, but smaller, simpler, reworded or partly empty; `missing` says what differs);
planned; lacking. A row is the paper's own artefact, or ours (`Row.of_paper`). A claim's output is the
claims_<notebook>.csv of the notebook that judges it: there, a claim of that id, or of that id and a part (<id>.<part>),
must stand, and the row's evidence is that of these claims. A sentence that repeats a finding (data/findings.csv) may
have none: then those of the finding count. Every claim in those files has a row.
"""

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from proctor import paths
from proctor.files import write_atomic
from proctor.report.claims import Claim, of_catalog, read_claims
from proctor.report.provenance import KINDS, NAME, evidence_kinds

PAPERS = ("start", "uq", "hle", "hle_verified", "kina", "cbu", "synthesis")
OF_PAPERS = PAPERS[1:-1]
OWNERS = ("table", "figure", "notebook-output")  # kinds whose outputs are theirs alone
ARTIFACTS = ("table", "figure", "formal", "protocol", "prompt", "claim", "notebook-output")
STATES = ("done", "stand-in", "planned", "lacking")
RUN = ("done", "stand-in")  # states of what has outputs
FILES = {".csv": (".csv", ".md", ".json"), ".svg": (".svg", ".png", ".json"), ".jsonl": (".jsonl", ".json")}
_KINDS, _OUTPUT = "|".join(KINDS), rf"{NAME.pattern}\.(csv|svg|jsonl)"
FORMS = {  # column: what a cell must match, and what is said of another
    "notebook": (r"(?!notebooks/).*(?<!\.ipynb)", "leave out notebooks/ and .ipynb"),
    "outputs": (rf"({_OUTPUT}( *; *|$))*", "write <paper>/<artifact>.csv (a table) or .svg (a figure), with ; between"),
    "evidence": (rf"(({_KINDS})( *\+ *|$))*", f"give one or several of {', '.join(KINDS)}, with + between"),
    "tolerance": (r"|exact|\d+|\d*\.\d+", "leave it empty, or give exact or a number"),
}
START, END = "<!-- status -->", "<!-- /status -->"


class Row(NamedTuple):
    id: str
    paper: str
    kind: str
    title: str
    notebook: str
    outputs: tuple[str, ...]
    evidence: tuple[str, ...]
    compared_with: str
    tolerance: str
    state: str
    missing: str

    @property
    def of_paper(self) -> bool:
        """Whether it is an artefact of the paper itself. Ours are our outputs, and the claims that we added: those of
        the paper are named <paper>/claim_<what>."""
        if self.paper not in OF_PAPERS or self.kind == "notebook-output":
            return False
        return self.kind != "claim" or self.id.startswith(f"{self.paper}/claim_")


def read(path: str | Path | None = None) -> list[Row]:
    """The catalog's rows (default: data/catalog.csv).

    Raises ValueError with every fault found, each naming file, row (line of the file) and column.
    """
    path = Path(path or paths.CATALOG)
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        if tuple(header) != Row._fields:
            raise ValueError(f"{path}, row 1: columns are {', '.join(header)}; they must be {', '.join(Row._fields)}")
        numbered = [(reader.line_num, cells) for cells in reader if cells]
    rows: list[Row] = []
    faults: list[str] = []
    ids: dict[str, int] = {}
    owners: dict[str, tuple[int, str]] = {}
    for line, cells in numbered:
        if len(cells) != len(header):
            faults.append(
                f"{path}, row {line}: {len(cells)} cells for {len(header)} columns; quote a cell that holds a comma"
            )
            continue
        cell = dict(zip(header, (text.strip() for text in cells)))
        found = list(_faults(cell))
        if cell["id"] in ids:
            found.append(("id", f"{cell['id']!r} is also row {ids[cell['id']]}; give each row its own"))
        ids.setdefault(cell["id"], line)
        outputs = tuple(filter(None, map(str.strip, cell["outputs"].split(";"))))
        for output in outputs if cell["kind"] in OWNERS else ():
            stem = output.rpartition(".")[0]  # two files of one stem would share one provenance file
            if owners.setdefault(stem, (line, output)) != (line, output) and cell["state"] != "stand-in":
                found.append(("outputs", f"{stem} is also in row {owners[stem][0]}; give each output its own name"))
        faults += [f"{path}, row {line}, column {column}: {what}" for column, what in found]
        if not found:
            evidence = evidence_kinds(cell["evidence"]) if cell["evidence"] else ()
            rows.append(Row(**cell | {"outputs": outputs, "evidence": evidence}))  # type: ignore[arg-type]
    if faults:
        raise ValueError("\n".join(faults))
    return rows


def files(row: Row) -> list[str]:
    """Every file that the row's outputs stand for, relative to figures/."""
    parts = [output.rpartition(".") for output in row.outputs]
    return [stem + suffix for stem, dot, ending in parts for suffix in FILES[dot + ending]]


def promised(notebook: str, rows: Sequence[Row], figures: Path) -> list[Path]:
    """The output files that a run of the notebook, such as "hle/2_published_tables", must leave under `figures`: those
    of its done and stand-in rows."""
    return [figures / file for row in rows if row.notebook == notebook and row.state in RUN for file in files(row)]


def check(rows: Sequence[Row], figures: str | Path | None = None) -> list[str]:
    """Where the catalog and the folder of figures disagree, one line a problem; [] when they agree."""
    figures = Path(figures or paths.FIGURES)
    done = [row for row in rows if row.state in RUN]
    problems = []
    try:
        claims = read_claims(figures)
    except ValueError as error:
        claims, problems = [], [str(error)]
    for row in done:
        if missing := [file for file in files(row) if not (figures / file).is_file()]:
            problems.append(f"{row.id}: missing {', '.join(missing)}; run notebooks/{row.notebook}.ipynb")
            continue
        problems += _unlike_outputs(row, figures, claims)
    problems += [
        f"claim {claim.id} of notebooks/{claim.notebook}.ipynb has no row of kind claim in the catalog; give it one"
        for claim in claims
        if not any(row.kind == "claim" and of_catalog(claim.id, row.id) for row in rows)
    ]
    known = {file for row in done for file in files(row)}
    present = sorted(path.relative_to(figures).as_posix() for path in figures.glob("*/*") if path.name[0] != ".")
    problems += [
        f"{file} belongs to no done row of the catalog; add the row or delete the file"
        for file in present
        if file not in known and not _holds_claims(file)
    ]
    return problems


def _unlike_outputs(row: Row, figures: Path, claims: Sequence[Claim]) -> Iterator[str]:
    """What a row says otherwise than its outputs: a claim's than the claims in claims_<notebook>.csv, else than their
    provenance."""
    stated: dict[str, tuple[str, ...]] = {}  # what states an evidence: which
    judged = [output for output in row.outputs if row.kind == "claim" and _holds_claims(output)]
    notebooks = [output.removesuffix(".csv").replace("/claims_", "/") for output in judged]
    own = [one for one in claims_of(row, claims) if f"{one.paper}/{one.notebook.rpartition('/')[2]}" in notebooks]
    if own:
        stated["its claims rest on"] = evidence_kinds(" + ".join(claim.evidence for claim in own))
    elif judged:
        where = f"in {', '.join(judged)}; make it in notebooks/{row.notebook}.ipynb"
        yield f"{row.id}: no claim of this id, or of this id and a part, {where}"
    for path in [(figures / output).with_suffix(".json") for output in row.outputs if output not in judged]:
        try:
            stated[f"{path.name} says"] = evidence_kinds(json.loads(path.read_text(encoding="utf-8"))["evidence"])
        except (ValueError, KeyError, TypeError) as error:
            yield f"{row.id}: {path.name} is not a provenance record ({error}); run notebooks/{row.notebook}.ipynb"
    for what, kinds in stated.items():
        if kinds != row.evidence:
            yield f"{row.id}: {what} {' + '.join(kinds)}, the catalog says {' + '.join(row.evidence)}"


def claims_of(row: Row, claims: Iterable[Claim]) -> list[Claim]:
    """The judged claims of a row of kind claim, itself or its parts; where it has none and repeats a finding of the
    paper (data/findings.csv), those of that finding."""
    if row.kind != "claim":
        return []
    claims = list(claims)
    own = [claim for claim in claims if of_catalog(claim.id, row.id)]
    if own or row.state not in RUN:
        return own
    return [claim for claim in claims if of_catalog(claim.id, _finding_of().get(row.id, row.id))]


@cache
def _finding_of() -> dict[str, str]:
    """{sentence of a paper: the sentence that first states its finding}."""
    path = paths.ROOT / "data/findings.csv"
    if not path.is_file():
        return {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        return {line["claim"]: line["finding"] for line in csv.DictReader(file)}


def without_row(rows: Sequence[Row]) -> list[str]:
    """Artifacts that data/published speaks of and the catalog has no row for, one line each."""
    problems = []
    for path in sorted(Path(paths.PUBLISHED).glob("*/*.csv")):
        with open(path, newline="", encoding="utf-8-sig") as file:
            named = {f"{cells['paper']}/{cells['artifact']}" for cells in csv.DictReader(file)}
        missing, place = sorted(named - {row.id for row in rows}), f"data/published/{path.parent.name}/{path.name}"
        problems += [f"{artifact} is in {place} and has no row; give it one" for artifact in missing]
    return problems


def status_table(rows: Sequence[Row] | None = None) -> str:
    """The papers' own artefacts by paper and by kind in each state; then ours, and what they rest on (Markdown)."""
    rows = read() if rows is None else rows
    theirs, ours = [row for row in rows if row.of_paper], [row for row in rows if not row.of_paper]
    papers = [paper for paper in PAPERS if any(row.paper == paper for row in theirs)]
    kinds = [kind for kind in ARTIFACTS if any(row.kind == kind for row in theirs)]
    parts = [
        "## What the papers print, and state here",
        _counts("paper", {paper: [row for row in theirs if row.paper == paper] for paper in papers} | {"all": theirs}),
        _counts("kind", {kind: [row for row in theirs if row.kind == kind] for kind in kinds}),
        "## What we added: outputs and claims of our own",
        _evidence({paper: [row for row in ours if row.paper == paper] for paper in PAPERS} | {"all": ours}),
    ]
    return "\n\n".join(parts) + "\n"


def _counts(name: str, groups: dict[str, list[Row]]) -> str:
    lines = [f"| {name} | artefacts | " + " | ".join(STATES) + " |", "|---|" + "---:|" * (len(STATES) + 1)]
    for label, own in groups.items():
        states = Counter(row.state for row in own)
        lines.append(f"| {label} | {len(own)} | " + " | ".join(str(states[state]) for state in STATES) + " |")
    return "\n".join(lines)


def _evidence(groups: dict[str, list[Row]]) -> str:
    lines = ["| paper | outputs | claims | rest on |", "|---|---:|---:|---|"]
    for label, own in groups.items():
        kinds = Counter(kind for row in own if row.state in RUN for kind in row.evidence)
        rest = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds))
        claims = sum(row.kind == "claim" for row in own)
        if own:
            lines.append(f"| {label} | {len(own) - claims} | {claims} | {rest} |")
    return "\n".join(lines)


def details(rows: Sequence[Row]) -> str:
    """One line a row: state, id, evidence, what it is compared with or what it lacks (plain text)."""
    width = max((len(row.id) for row in rows), default=0) + 2
    lines = []
    for row in rows:
        tolerance = f" (tolerance: {row.tolerance})" if row.tolerance else ""
        said = f"{row.missing or row.compared_with}{tolerance}"
        lines.append(f"{row.state:10}{row.id:{width}}{' + '.join(row.evidence):25}{said}".rstrip())
    return "\n".join(lines) + "\n"


def write_status(path: str | Path, rows: Sequence[Row]) -> None:
    """Rewrite the block between the status marks. Raises ValueError unless both are there, once and in order."""
    text = Path(path).read_text(encoding="utf-8")
    before, *parts = re.split(f"({START}|{END})", text)
    if parts[::2] != [START, END]:
        raise ValueError(f"{path}: put one line {START} and, after it, one line {END} where the status belongs")
    write_atomic(path, f"{before}{START}\n\n{status_table(rows)}\n{END}{parts[-1]}")


def _faults(cell: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(column, what is wrong and how to fix it) of one row."""
    for column, values in (("paper", PAPERS), ("kind", ARTIFACTS), ("state", STATES)):
        if cell[column] not in values:
            yield column, f"{cell[column]!r}; choose one of {', '.join(values)}"
    for column, (form, fix) in FORMS.items():
        if not re.fullmatch(form, cell[column]):
            yield column, f"{cell[column]!r}; {fix}"
    outputs = ("notebook", "outputs", "evidence")
    needed = {"done": outputs, "stand-in": (*outputs, "missing"), "planned": ("notebook",), "lacking": ("missing",)}
    for column in ("title", *needed.get(cell["state"], ())):
        if not cell[column]:
            yield column, f"empty, but the row is {cell['state']}; fill it in"
    if not cell["id"].startswith(cell["paper"] + "/"):
        yield "id", f"{cell['id']!r} must begin with its paper, {cell['paper']}/"
    if cell["tolerance"] and not cell["compared_with"]:
        yield "compared_with", "empty, but there is a tolerance; say what the row is compared with"


def _holds_claims(file: str) -> bool:
    return file.rpartition("/")[2].startswith("claims_")


def main(arguments: Sequence[str]) -> int:
    if arguments not in ([], ["--status"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        rows = read()
        if "--status" in arguments:
            write_status(paths.ROOT / "docs" / "status.md", rows)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(details(rows), status_table(rows), sep="\n")
    problems = check(rows) + without_row(rows)
    agree = "The catalog and figures/ agree. No published artifact is without a row."
    print("\n".join(["Problems:", *problems]) if problems else agree)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
