"""What git holds, read and never changed: commits, the files of one, and what differs from it in the checkout.

    python -m proctor diff HEAD~20 HEAD          # two commits
    python -m proctor diff v0.1.0                # a commit and the files as they lie here

The changelog, in Markdown: claims and cells of tables under figures/ whose numbers changed, by more than a relative
1e-6.
"""

import io
import math
import os
import re
import subprocess
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from proctor.paths import COMMITTED, ROOT
from proctor.report.claims import Claim, parse_claims
from proctor.workflow import values
from proctor.workflow.notebook import WorkflowError
from proctor.workflow.values import TOLERANCE, relative


def commit(name: str = "HEAD") -> str:
    """The full id of the commit that `name` means. Raises WorkflowError."""
    try:
        return _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except _Refused:
        _git("rev-parse", "--git-dir")  # tells when this is no repository at all
        raise WorkflowError(f"git knows no commit {name!r}: `git log --oneline` lists them") from None


def changed() -> list[str]:
    """The files of the checkout that are not as HEAD has them, new ones included. Raises WorkflowError."""
    entries = _git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames").decode().split("\0")
    return [entry[3:] for entry in entries if entry]


def tables(commit: str) -> dict[str, bytes]:
    """{file: content} of the CSVs under figures/ that the commit holds; "": of those here. Raises WorkflowError."""
    if not commit:
        here = [path for path in sorted(COMMITTED.rglob("*.csv")) if path.is_file()]
        return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in here}
    if not _git("ls-tree", commit, "--", COMMITTED.name):
        return {}
    packed = io.BytesIO(_git("archive", commit, COMMITTED.name))
    with tarfile.open(fileobj=packed) as tar:
        files = [file for file in tar if file.isfile() and file.name.endswith(".csv")]
        return {file.name: tar.extractfile(file).read() for file in files}  # type: ignore[union-attr]


class _Refused(WorkflowError):
    """Git said no."""


def _git(*arguments: str) -> bytes:
    elsewhere = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")  # of a hook that runs us
    environment = {name: value for name, value in os.environ.items() if name not in elsewhere}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # not even the index is refreshed
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, env=environment)
    except FileNotFoundError:
        raise WorkflowError("there is no program `git` here: install it (Debian: apt-get install git)") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
        raise _Refused(f"{ROOT}: {said}")
    return done.stdout


CLAIMS = re.compile(r"(^|/)claims_[^/]*\.csv$")
HERE = "the files here"
KINDS = {  # kind of change: how it is counted, and the heading and columns of its table
    "verdict": ("with another verdict", "Another verdict", "claim, verdict before, verdict after, before, after"),
    "numbers": ("with other numbers", "Other numbers", "claim, before, after, estimate moved by, limits moved by"),
    "words": ("with other words alone", "", ""),
    "added": ("added", "Added", "claim, verdict, numbers"),
    "removed": ("removed", "Removed", "claim, verdict, numbers"),
}


def changelog(before: str, after: str = "") -> str:
    """The changes from one commit to another, as Markdown. after: "" for the files as they lie here.

    Raises WorkflowError for an unknown commit and where there is no git repository.
    """
    commits = [commit(before), commit(after) if after else ""]
    before_all, after_all = (tables(each) for each in commits)
    changed = sorted(file for file in before_all | after_all if before_all.get(file) != after_all.get(file))
    old, new = ({file: each[file] for file in changed if file in each} for each in (before_all, after_all))
    names = [f"{name} ({each[:10]})" if each else HERE for name, each in zip((before, after), commits)]
    return "\n".join(
        [
            f"# Numbers from {names[0]} to {names[1]}",
            "",
            *_claims(*({file: text for file, text in each.items() if CLAIMS.search(file)} for each in (old, new))),
            *_tables(*({file: text for file, text in each.items() if not CLAIMS.search(file)} for each in (old, new))),
        ]
    )


def _claims(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[str]:
    read, unread = [], []
    for contents in (old, new):
        found: list[Claim] = []
        for file, content in contents.items():
            try:
                found += parse_claims(content, file)
            except ValueError as error:
                unread.append(f"{file} could not be read as claims: {error}")
        read.append(found)
    changes = changed_claims(*read)
    counts = ", ".join(f"{len(rows)} {KINDS[kind][0]}" for kind, rows in changes.items() if rows)
    lines = ["## Claims", "", f"{counts or 'No claim changed'}.", "", *unread]
    for kind, rows in changes.items():
        _, heading, columns = KINDS[kind]
        if rows and heading:
            lines += [f"### {heading}", "", *_grid(columns.split(", "), rows), ""]
    return lines


def changed_claims(before: Iterable[Claim], after: Iterable[Claim]) -> dict[str, list[list[str]]]:
    """{kind of change: the rows of its table} of all claims of both, by id."""
    old, new = ({claim.id: claim for claim in each} for each in (before, after))
    rows: dict[str, list[list[str]]] = {kind: [] for kind in KINDS}
    for id in {**old, **new}:
        a, b = old.get(id), new.get(id)
        if a is None or b is None:
            rows["added" if a is None else "removed"] += [[id, each.verdict, each.numbers] for each in (a, b) if each]
            continue
        numbers = [(getattr(a, name), getattr(b, name)) for name in ("estimate", "low", "high", "n", "level")]
        if a.verdict != b.verdict:
            rows["verdict"].append([id, a.verdict, b.verdict, a.numbers, b.numbers])
        elif any(x != y and (x is None or y is None or relative(x, y) > TOLERANCE) for x, y in numbers):
            width = a.high - a.low if a.low is not None and a.high is not None else 0.0
            moved = [_widths(pairs, width) for pairs in (numbers[:1], numbers[1:3])]  # the estimate, the limits
            rows["numbers"].append([id, a.numbers, b.numbers, *moved])
        elif any(getattr(a, name) != getattr(b, name) for name in ("sentence", "says", "exact", "evidence")):
            rows["words"].append([])
    return rows


def _widths(pairs: Iterable[tuple[float | None, float | None]], width: float) -> str:
    """How far the farthest of some numbers moved, in widths of the interval before; "" where one is missing."""
    moved = [math.nan if x is None or y is None else abs(y - x) if x != y else 0.0 for x, y in pairs]
    far = math.nan if any(map(math.isnan, moved)) else max(moved)
    if math.isnan(far) or far and math.isinf(width):
        return ""
    return "0" if not far else f"{far / width:.2g} widths" if width > 0 and far < math.inf else "exact"


def _tables(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[str]:
    rows, whole = [], {"added": list[str](), "removed": list[str]()}
    for file in sorted({**old, **new}):
        found = values.compare(file, old.get(file), new.get(file))
        name = Path(file).relative_to(COMMITTED.name).with_suffix("").as_posix()
        if found.outcome in (values.ADDED, values.MISSING):
            whole["added" if found.outcome == values.ADDED else "removed"].append(name)
        elif not found.fine:
            size = f"{found.relative:.3g}" if found.relative < math.inf else "text"
            moved = f"{values.short(found.before, 40)} → {values.short(found.after, 40)}" if found.where else ""
            rows.append(
                [name, f"{found.changed:,} of {found.of:,}", found.where, moved, size if moved else "", found.note]
            )
    lines = ["## Tables", "", f"{len(rows)} changed, {len(whole['added'])} added, {len(whole['removed'])} removed.", ""]
    if rows:
        head = ("table", "cells changed", "largest change at", "from → to", "relative", "rows and columns")
        lines += [*_grid(head, rows), ""]
    lines += [f"{word.capitalize()}: {', '.join(names)}.\n" for word, names in whole.items() if names]
    return lines


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in cells)]
