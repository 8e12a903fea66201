"""The lessons of docs/teaching.md as slides: one HTML file per lesson that needs no network, and its PDF.

    python -m proctor.report.slides [FOLDER]        # default: build/slides

Each step of a lesson is two slides: the question to the class, then the committed figure with the answer to expect.
Page down for the next slide. The PDF is printed by Chromium; without one the HTML prints from any browser.
"""

import base64
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from proctor.files import write_atomic
from proctor.paths import BUILD, FIGURES, ROOT
from proctor.report.site_notebook import TEMPLATES

CHROMIUM = os.environ.get("PROCTOR_CHROMIUM") or shutil.which("chromium")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def lessons(text: str) -> dict[str, list[dict[str, str]]]:
    """{title of the lesson: its steps, {column: cell}} of teaching.md. A lesson's table has a question to the class."""
    found = {}
    for part in text.split("\n## ")[1:]:
        head, *rows = [
            [cell.strip() for cell in line.strip("| ").split(" | ")]
            for line in re.sub(r"\| (?=\|)", "|  ", part).splitlines()
            if line.startswith("| ")
        ] or [[]]
        if "question to the class" in head:
            found[part.splitlines()[0]] = [dict(zip(head, row + [""] * len(head))) for row in rows]
    return found


def page(title: str, steps: list[dict[str, str]]) -> str:
    """The slides of a lesson as one HTML page, its figures inside. Raises OSError for a figure that is not there."""
    shown = [
        {
            "question": _inline(step["question to the class"]),
            "answer": _inline(step["answer to expect"]),
            "place": _inline(step["notebook, place"]),
            "minutes": step["min"],
            "screen": step.get("shown on", ""),
            "picture": _picture(step["notebook, place"]),
        }
        for step in steps
    ]
    return TEMPLATES.get_template("slides.html").render(title=title, steps=shown) + "\n"


def write(folder: Path) -> list[Path]:
    """Write the page of each lesson of docs/teaching.md into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for title, steps in lessons((ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")).items():
        written.append(folder / (re.sub(r"\W+", "_", title.partition(":")[0].lower()) + ".html"))
        write_atomic(written[-1], page(title, steps))
    return written


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser of playwright. Raises RuntimeError where there is no Chromium."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise RuntimeError("no Chromium here: install Debian's package chromium, or name one in PROCTOR_CHROMIUM")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def print_pdf(pages: list[Path]) -> None:
    """Print each page to a PDF next to it. Raises RuntimeError where there is no Chromium."""
    with chromium() as browser:
        for path in pages:
            window = browser.new_page()
            window.goto(path.resolve().as_uri())
            window.pdf(path=path.with_suffix(".pdf"), prefer_css_page_size=True, print_background=True)
            window.close()


def _inline(markdown: str) -> Markup:
    return Markup(MarkdownIt().renderInline(LINK.sub(r"\1", markdown).replace("\\|", "|")))


def _picture(place: str) -> dict[str, str]:
    """The figure that a place names, as a page holds it; {} where it names none."""
    if not (named := re.search(r"figure \[?`([\w/]+)`", place)):
        return {}
    path = FIGURES / f"{named[1]}.png"
    alt = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["alt"]
    return {"alt": alt, "data": base64.b64encode(path.read_bytes()).decode()}


def main(arguments: list[str]) -> int:
    written = write(Path(arguments[0]) if arguments else BUILD / "slides")
    print(*written, sep="\n")
    try:
        print_pdf(written)
        print(*(path.with_suffix(".pdf") for path in written), sep="\n")
    except (RuntimeError, ImportError) as error:
        print(f"no PDF: {error}; print the pages from a browser")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
