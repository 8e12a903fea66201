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
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from proctor.files import write_atomic
from proctor.paths import BUILD, FIGURES, ROOT

CHROMIUM = os.environ.get("PROCTOR_CHROMIUM") or shutil.which("chromium")
STYLE = """
html { scroll-snap-type: y mandatory; font: 24px/1.4 sans-serif; color: #111; background: #fff }
section { box-sizing: border-box; height: 100vh; padding: 4vh 6vw; scroll-snap-align: start;
  display: flex; flex-direction: column; justify-content: center; gap: 2vh }
body, h1, h2, p { margin: 0 }
.answer h2 { font-size: 1em; color: #555 }
img { max-height: 62vh; max-width: 100%; object-fit: contain; align-self: center }
small { color: #555 }
code { font-size: 0.8em }
@page { size: 297mm 167mm; margin: 0 }
@media print { section { height: 166mm; break-inside: avoid; break-after: page } img { max-height: 100mm }
  section:last-of-type { break-after: auto } }
"""
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
    slides = [f"<section><h1>{escape(title)}</h1></section>"]
    for step in steps:
        place, question = step["notebook, place"], step["question to the class"]
        note = ", ".join(filter(None, (f"{step['min']} minutes", step.get("shown on"), _inline(place))))
        if not question:
            slides.append(f"<section><h2>{_inline(place)}</h2><small>{step['min']} minutes</small></section>")
            continue
        named = re.search(r"figure \[?`([\w/]+)`", place)
        picture = _picture(FIGURES / f"{named[1]}.png") if named else ""
        slides += [
            f"<section><h1>{_inline(question)}</h1><small>{note}</small></section>",
            f'<section class="answer"><h2>{_inline(question)}</h2>{picture}'
            f"<p>{_inline(step['answer to expect'])}</p></section>",
        ]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return head + "\n".join(slides) + "</html>\n"


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


def _inline(markdown: str) -> str:
    return MarkdownIt().renderInline(LINK.sub(r"\1", markdown).replace("\\|", "|"))


def _picture(path: Path) -> str:
    alt = escape(json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["alt"])
    return f'<img alt="{alt}" src="data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}">'


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
