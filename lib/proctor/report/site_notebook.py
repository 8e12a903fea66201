"""A page of the site from an executed notebook: code folded, tables boxed, figures with alt text and evidence."""

import base64
import json
import os
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from proctor.report.site_check import relink
from proctor.report.site_evidence import Behind, shown_size
from proctor.report.site_tables import boxed

BINDER = os.environ.get("PROCTOR_BINDER", "")  # e.g. https://mybinder.org/v2/gh/<owner>/<repository>/HEAD
_NAMED = re.compile(r"""["']([a-z_]+/[A-Za-z0-9_]+)["']""")
_PROGRESS = re.compile(r"(?:\r[^\n]*|\s)*")
# A formula on lines of its own: Jupyter needs no empty lines around it, others do.
DISPLAYED = re.compile(r"^\$\$(.+?)\$\$[ \t]*$", re.MULTILINE | re.DOTALL)
_IN_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_FOLDED = {"tags": ["hide-input"]}
_SOLUTION = {  # of an exercise: code and output in one fold
    "tags": ["hide-cell"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}


class NotebookPage:
    """One notebook of the repository as a notebook that Sphinx can show.

    source: the file under notebooks/. executed: its copy under build/notebooks/, which need not be there.
    page: its place in the site, e.g. "uq/3_validators". defaults: whether figures/ (as `behind` knows it) holds the
    outputs of a run at default parameters; saved figures are shown only if the copy ran so too.
    """

    def __init__(self, source: Path, executed: Path, page: str, behind: Behind, defaults: bool = True):
        self.page, self.behind, self.addresses = page, behind, behind.addresses
        self.name = Path(source).resolve().relative_to(self.addresses.root).as_posix()
        self.original = json.loads(Path(source).read_text(encoding="utf-8"))
        self.executed = executed.is_file()
        self.content = json.loads(executed.read_text(encoding="utf-8")) if self.executed else self.original
        self.parameters = self.content["metadata"].get("papermill", {}).get("parameters", {}) if self.executed else {}
        self.own_pictures = bool(self.parameters) == defaults
        self.images: dict[str, bytes] = {}  # place in the site -> PNG

    @property
    def title(self) -> str:
        """The first heading."""
        found = (re.search(r"^# +(.+)", _text(cell), re.MULTILINE) for cell in self.original["cells"])
        return next((match[1].strip() for match in found if match), self.page)

    def note(self) -> str:
        """HTML under the title: how to get and open the notebook and, in a box, what a reader must know of this run."""
        file, name = self.addresses.file(self.name, self.page), self.name.removeprefix("notebooks/")
        ways = [
            f'<a href="{file}" download>Download the notebook</a>',
            f"open it in JupyterLab: <code>make lab NOTEBOOK={name.removesuffix('.ipynb')}</code>",
        ]
        if BINDER:
            ways.append(f'<a href="{BINDER}?urlpath=lab/tree/notebooks/{name}">open it on Binder</a>')
        said = [f'<p class="made-from">{" · ".join(ways)}</p>']
        if not self.executed:
            said.append(_warning("not executed; run <code>make reproduce</code>, then <code>make site</code>"))
        elif _code(self.content) != _code(self.original):
            earlier = "made from an earlier version of this notebook"
            said.append(_warning(f"{earlier}; run <code>make reproduce</code>, then <code>make site</code>"))
        if self.parameters:
            values = ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items())
            said.append(_warning(f"not run at default parameters, but with <code>{escape(values)}</code>"))
        return "\n".join(said)

    def lead(self) -> str:
        """HTML of the picture under the box of results: of the first finding that has one. Empty where none has, and
        where figures/ is not of this run."""
        if self.own_pictures:
            return ""
        box = "\n".join(re.findall(r"^>.*", _text(self.original["cells"][0]), re.MULTILINE))
        named = re.findall(r"figures/([a-z_]+/\w+)\.(?:svg|png)", box)
        for id in re.findall(r"`([a-z_]+/[\w.]+)`", box):
            named += self.behind.figures_of(id)
        for name in named:
            if picture := self.behind.picture(name, self.page, part="-lead"):
                return f'<figure class="artifact lead">{picture}</figure>'
        return ""

    def build(self) -> dict:
        """The notebook for Sphinx. Afterwards `images` holds the pictures that the site needs besides figures/."""

        def of(target: str) -> str | None:
            return self.addresses.of(target, Path(self.name).parent.as_posix(), self.page)

        cells: list[dict[str, Any]] = []
        heading, noted = self.title, False
        for cell, tables in zip(self.content["cells"], self._tables()):
            text = _text(cell)
            if cell["cell_type"] == "markdown":
                heading = next(iter(re.findall(r"^#+ +(.+)", text, re.MULTILINE)[::-1]), heading)
                text = relink(DISPLAYED.sub(r"\n\g<0>\n", text), of)
                if not noted and (first := re.search(r"^# +.+$", text, re.MULTILINE)):
                    text = _after_box(f"{text[: first.end()]}\n\n{self.note()}\n\n{text[first.end() :]}", self.lead())
                    noted = True
                cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
            elif cell["cell_type"] == "code" and text.strip():
                shown = self._outputs(cell, heading, tables, of) if self.executed else ()
                outputs = [
                    {"output_type": "display_data", "metadata": {}, "data": data}
                    for data in shown
                    if any(data.values())
                ]
                metadata = _SOLUTION if "solution" in cell["metadata"].get("tags", ()) else _FOLDED
                if cells and cells[-1]["metadata"] == metadata == _FOLDED and not cells[-1]["outputs"]:
                    # one fold for code that shows nothing by itself
                    text = cells.pop()["source"].rstrip() + "\n\n" + text
                code = {"cell_type": "code", "metadata": metadata, "execution_count": None}
                cells.append(code | {"source": text, "outputs": outputs})
        kernel = {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        }
        return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}

    def _tables(self) -> list[list[str]]:
        """For each cell the tables that its section (##) saves; all of the notebook where it saves none."""
        sections: list[list[str]] = [[]]
        place = []
        for cell in self.content["cells"]:
            text = _text(cell)
            if cell["cell_type"] == "markdown" and re.search(r"^## ", text, re.MULTILINE):
                sections.append([])
            elif cell["cell_type"] == "code":
                found = (name for name in dict.fromkeys(_NAMED.findall(text)) if self._is_table(name))
                sections[-1] += [name for name in found if name not in sections[-1]]
            place.append(len(sections) - 1)
        everything = list(dict.fromkeys(name for section in sections for name in section))
        return [sections[number] or everything for number in place]

    def _is_table(self, name: str) -> bool:
        return (self.addresses.figures / f"{name}.csv").is_file()

    def _outputs(
        self, cell: dict, heading: str, tables: list[str], of: Callable[[str], str | None]
    ) -> Iterator[dict[str, str]]:
        """What the page shows of each output of a cell: HTML, or Markdown with its links led by `of`."""
        for output in cell["outputs"]:
            data, name = output.get("data", {}), output.get("metadata", {}).get("artifact")
            if output["output_type"] == "stream":
                text = "".join(output["text"])
                if not (output["name"] == "stderr" and _PROGRESS.fullmatch(text)):
                    yield {"text/html": printed(text)}
            elif output["output_type"] == "error":
                yield {"text/html": printed(f"{output['ename']}: {output['evalue']}")}
            elif "image/png" in data:
                yield {"text/html": self._figure(output, name, heading, tables)}
            elif "text/html" in data:
                yield {"text/html": boxed("".join(data["text/html"])) + self._under_table(name)}
            elif "text/markdown" in data:
                text = relink("".join(data["text/markdown"]), of)
                yield {"text/markdown": f"{text}\n\n{self._under_table(name)}".strip()}
            elif "text/plain" in data:
                yield {"text/html": printed("".join(data["text/plain"]))}

    def _under_table(self, name: str | None) -> str:
        """HTML under a saved table: its files, and what stands behind it."""
        caption = self.behind.caption(name, self.page) if name else ""
        return f'<p class="under">{caption}</p>{self.behind.panel(name, self.page)}' if name and caption else ""

    def _figure(self, output: dict, artifact: str | None, heading: str, tables: list[str]) -> str:
        about, record = output.get("metadata", {}).get("image/png", {}), self.behind.record(artifact)
        alt = about.get("alt") or record.get("alt") or record.get("claim") or f"Figure in the section: {heading}"
        picture = (
            self.behind.picture(artifact, self.page, alt=alt) if artifact and record and not self.own_pictures else ""
        )
        if not picture:
            png = base64.b64decode("".join(output["data"]["image/png"]))
            place = f"pictures/{self.page}_{len(self.images) + 1}.png"
            self.images[place] = png
            address, (width, height) = "../" * self.page.count("/") + place, shown_size(png, 100)
            picture = f'<a href="{address}"><img src="{address}" alt="{escape(alt)}" '
            picture += f'width="{width}" height="{height}" loading="lazy"></a>'
        caption = panel = ""
        if artifact and record:
            caption = f"<figcaption>{self.behind.caption(artifact, self.page)}</figcaption>"
            panel = self.behind.panel(artifact, self.page, tables)
        figure = f'<figure class="artifact">{picture}{caption}</figure>'
        if "explore" in record and not self.own_pictures:
            figure = movable(record["explore"], figure, alt, self.page)
        return figure + panel


def movable(explore: dict[str, Any], figure: str, alt: str, page: str) -> str:
    """HTML of a saved figure in whose place explore.js puts the picture to move."""
    data = json.dumps(explore, ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<div class="explorable" data-alt="{escape(alt)}" data-root="{"../" * page.count("/")}">'
        f'<script type="application/json">{data}</script>{figure}</div>'
    )


def printed(text: str) -> str:
    """HTML of printed text: sentences are wrapped, columns are kept and scroll in a box."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).strip("\n")
    kind = "columns" if any(_IN_COLUMNS.search(line) for line in text.splitlines()) else "sentences"
    return f'<pre class="printed {kind}" tabindex="0">{escape(text)}</pre>' if text.strip() else ""


def _warning(text: str) -> str:
    return f'<p class="run-note"><strong>Note:</strong> {text}</p>'


def _after_box(text: str, html: str) -> str:
    """Markdown with `html` after its first quoted block, the box of results; unchanged where it has none."""
    box = re.search(r"(?:^>.*\n?)+", text, re.MULTILINE)
    return f"{text[: box.end()]}\n{html}\n\n{text[box.end() :]}" if box and html else text


def _text(cell: dict) -> str:
    return "".join(cell["source"])


def _code(notebook: dict) -> list[str]:
    """The code of a notebook, less what papermill put in."""
    return [
        _text(cell)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "injected-parameters" not in cell["metadata"].get("tags", ())
    ]
