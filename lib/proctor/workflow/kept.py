"""Kept notebooks: their public logs are not here, so nothing is run and their committed results stay as they are.

`make reproduce` then writes a page in place of the executed copy: the notebook, each committed figure and table under
the cell that makes it, and a notice how to get the logs.
"""

import base64
import html
import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proctor.files import write_atomic
from proctor.paths import COMMITTED
from proctor.workflow.notebook import Notebook

ROWS, COLUMNS = 30, 8  # of a table in the page; the files have all


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


def write_page(notebook: Notebook, output: Path) -> None:
    """Write the page of a kept notebook to `output`."""
    left = artifacts(notebook.name)
    cells: list[dict[str, Any]] = []
    for cell in notebook.content["cells"]:
        cell = dict(cell)
        if cell["cell_type"] == "code":
            named = re.findall(r"""["']([a-z_]+/[A-Za-z0-9_]+)["']""", "".join(cell["source"]))
            cell |= {"outputs": _shown({name: left.pop(name) for name in named if name in left})}
        cells.append(cell)
        if len(cells) == 1:  # the title and the results box
            notice = f"> **Kept.** Nothing was run: {how_to_get(notebook)}. These are the committed results."
            cells.append({"cell_type": "markdown", "id": "kept", "metadata": {}, "source": notice})
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    for cell in code[-1:]:  # what no cell names, such as the table of the claims
        cell["outputs"] += _shown(left)
    write_atomic(output, json.dumps(notebook.content | {"cells": cells}, indent=1, ensure_ascii=False) + "\n")


def excerpt(text: str, name: str, columns: Sequence[str] = ()) -> str:
    """The Markdown of a saved table as a page shows it: 30 rows, the named columns or the first 8, what is left out.

    text: the file's. name: of the artifact. columns: names that the file does not have are passed over.
    """
    lines = text.splitlines()
    rows = [number for number, line in enumerate(lines) if line.startswith("|")]  # heading, rule, body
    if not rows:
        return plain(text)
    cells = [re.split(r"(?<!\\)\|", lines[number])[1:-1] for number in rows]
    heads = [html.unescape(re.sub(r"\\(.)", r"\1", head.strip())) for head in cells[0]]
    named = [heads.index(column) for column in columns if column in heads]
    shown = named or range(min(len(heads), COLUMNS))
    part = [f"|{'|'.join(row[column] for column in shown)}|" for row in cells[: ROWS + 2]]
    more, wide = len(rows) - len(part), 0 if named else len(heads) - len(shown)
    left = [f"{count} more {what}" for count, what in ((more, "rows"), (wide, "columns")) if count]
    rest = ["", f"… {' and '.join(left)} in figures/{name}.csv"] if left else []
    return plain("\n".join([*lines[: rows[0]], *part, *rest, *lines[rows[-1] + 1 :]]) + "\n")


def plain(text: str) -> str:
    """Markdown whose dollars stand for themselves: neither the book nor a code host takes two of them for a formula."""
    return text.replace("$", "<span>&#36;</span>")


def _shown(found: dict[str, list[Path]]) -> list[dict[str, Any]]:
    """The outputs of a code cell that shows these figures and tables."""
    return [output for name, files in found.items() if (output := _output(name, files))]


def _output(name: str, files: list[Path]) -> dict[str, Any] | None:
    by_ending = {path.suffix: path for path in files}
    if ".png" in by_ending:
        record, png = json.loads(by_ending[".json"].read_text(encoding="utf-8")), by_ending[".png"].read_bytes()
        alt = record.get("alt", name)
        data = {"image/png": base64.b64encode(png).decode(), "text/plain": f"[figure {name}] {alt}"}
        width = struct.unpack(">I", png[16:20])[0] // 2  # 200 dots an inch are saved, 100 shown
        return _display(data, {"image/png": {"alt": alt, "width": width}})
    if ".md" in by_ending:
        text = excerpt(by_ending[".md"].read_text(encoding="utf-8"), name)
        return _display({"text/markdown": text, "text/plain": text}, {})
    return None


def _display(data: dict[str, str], metadata: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": metadata}
