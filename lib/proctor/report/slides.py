"""The lessons of docs/teaching.md as slides: one HTML file per lesson that needs no network.

    python -m proctor.report.slides        # or: make slides; they lie in build/slides/

Each step of a lesson is two slides: the question to the class, then the committed figure with the answer to expect.
Page down for the next slide. A browser prints them as PDF, a page for each.
"""

import base64
import json
import re
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

from proctor.files import write_atomic
from proctor.paths import BUILD, FIGURES, ROOT
from proctor.report.site_notebook import TEMPLATES
from proctor.report.tables import cells

QUESTION = "question to the class"  # the column that a lesson's table has
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def lessons(text: str) -> dict[str, list[dict[str, str]]]:
    """{title of the lesson: its steps, {column: cell}} of teaching.md."""
    found = {}
    for part in text.split("\n## ")[1:]:
        title, *lines = part.splitlines()
        head, *rows = [cells(line) for line in lines if line.startswith("| ")] or [[]]
        if QUESTION in head:
            found[title] = [dict(zip(head, row)) for row in rows]
    return found


def page(title: str, steps: list[dict[str, str]]) -> str:
    """The slides of a lesson as one HTML page, its figures inside. Raises OSError for a figure that is not there."""
    shown = [step | {"picture": _picture(step["notebook, place"])} for step in steps]
    return TEMPLATES.get_template("slides.html").render(title=title, steps=shown, inline=_inline) + "\n"


def write(folder: Path) -> list[Path]:
    """Write the page of each lesson of docs/teaching.md into `folder`."""
    written = []
    for title, steps in lessons((ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")).items():
        written.append(folder / (re.sub(r"\W+", "_", title.partition(":")[0].lower()) + ".html"))
        write_atomic(written[-1], page(title, steps))
    return written


def _inline(markdown: str) -> Markup:
    return Markup(MarkdownIt().renderInline(LINK.sub(r"\1", markdown)))


def _picture(place: str) -> dict[str, str]:
    """The figure that a place names, as a page holds it; {} where it names none."""
    if not (named := re.search(r"figure \[?`([\w/]+)`", place)):
        return {}
    path = FIGURES / f"{named[1]}.png"
    alt = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["alt"]
    return {"alt": alt, "data": base64.b64encode(path.read_bytes()).decode()}


if __name__ == "__main__":
    print(*write(BUILD / "slides"), sep="\n")
