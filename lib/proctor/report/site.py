"""The book: a static site of the executed notebooks, in build/site/. It needs no network, neither to build nor to read.

    python -m proctor.report.site               # or: make site

Pages: the front, all figures, one for each paper, notebook and protocol, the catalog, the reference of lib/proctor,
docs/*.md where there are any. Sphinx makes them (MyST-NB, execution off); formulas become MathML. A broken link,
something loaded from elsewhere, a formula that can't be read and every warning of Sphinx is an error, and build/site/
stays as it was. PROCTOR_SITE=https://... gives links to its pages a picture;
PROCTOR_BINDER=https://mybinder.org/v2/gh/<owner>/<repository>/HEAD adds links to Binder.
"""

import io
import json
import os
import re
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from math_core import LatexError, LatexToMathML

from proctor import paths
from proctor.report import catalog, site_api
from proctor.report.site_check import SiteError, lead_links
from proctor.report.site_evidence import Behind, write_fonts
from proctor.report.site_notebook import NotebookPage, catalog_rows, page_text
from proctor.report.site_overview import (
    PAPERS,
    figures_page,
    front,
    landing,
    notebook_questions,
    paper_page,
)

STATIC = Path(__file__).parent / "site_static"
SITE = os.environ.get("PROCTOR_SITE", "").rstrip("/")  # where the book will stand, e.g. https://example.org/proctor
_PROSE = re.compile(r"(?<!\\)\b[A-Za-z]{2,}(?:[,.]?\s+[A-Za-z]{2,}\b){3}")
SPHINX = {
    "project": "Proctor",
    "author": "The Proctor authors",
    "html_title": "Proctor",
    "root_doc": "index",
    "extensions": ["myst_nb", "proctor.report.site"],
    "toc_object_entries": False,
    "add_module_names": False,
    "nb_execution_mode": "off",
    "nb_render_markdown_format": "myst",
    "nb_code_prompt_show": "Show code",
    "nb_code_prompt_hide": "Hide code",
    "myst_enable_extensions": ["dollarmath", "amsmath"],
    "myst_heading_anchors": 4,
    "myst_update_mathjax": False,
    "myst_all_links_external": True,  # they are led, and checked, when all pages are there
    "exclude_patterns": ["figures", "docs/*/**"],
    "html_math_renderer": "mathml",
    "smartquotes": False,
    "html_theme": "sphinx_book_theme",
    "html_static_path": [str(STATIC)],
    "html_extra_path": ["copied"],
    "html_css_files": ["site.css"],
    "html_js_files": [("site.js", {"defer": "defer"}), ("explore.js", {"defer": "defer"})],
    "html_search_scorer": str(STATIC / "scorer.js"),
    "html_favicon": str(STATIC / "mark.svg"),
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_show_sphinx": False,
    "html_use_index": False,
    "html_domain_indices": False,
    "html_last_updated_fmt": None,
    "html_context": {"default_mode": "auto"},
    "html_theme_options": {
        "logo": {
            "text": "Proctor",
            "image_light": "_static/mark.svg",
            "image_dark": "_static/mark.svg",
            "alt_text": "",
        },
        "use_download_button": False,
        "use_fullscreen_button": False,
        "home_page_in_toc": False,
        "toc_title": "On this page",
        "show_navbar_depth": 1,
        "navbar_start": [],
        "navbar_center": [],
        "navbar_end": [],
        "navbar_persistent": [],
        "secondary_sidebar_items": {"catalog": [], "figures": [], "protocols/index": [], "**": ["page-toc"]},
    },
}


def build(root: Path = paths.ROOT) -> Path:
    """Build the site of the checkout `root` into its build/site/; return the front page.

    Executed notebooks are taken from build/notebooks/, or build/own/notebooks/ of other figures; one that is missing
    there is shown without outputs, with a note. Raises SiteError with all that is wrong; build/site/ is then as it
    was before.
    """
    root = root.resolve()
    out = root / "build" / "site"
    figures = Path(paths.FIGURES if root == Path(paths.ROOT).resolve() else root / "figures").resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
        beside = Path(folder)
        source, html = beside / "source", beside / "html"
        write_source(root, figures, source)
        _run_sphinx(source, html, beside / "doctrees")
        (html / ".buildinfo").unlink(missing_ok=True)
        if wrong := lead_links(html, root, figures):
            raise SiteError("\n".join(wrong))
        if out.exists():
            os.rename(out, beside / "old")
        os.rename(html, out)
    return out / "index.html"


def write_source(root: Path, figures: Path, source: Path) -> None:
    """Write what Sphinx reads into `source`, laid out as the repository, with the site's own pages next to it."""
    files: dict[str, list[Path]] = {paper: [] for paper in PAPERS}

    def in_order(path: Path) -> tuple[Path, int, str]:
        """By folder, then by the section's number: 10 after 9, and those without a number last."""
        number = re.match(r"\d+", path.stem)
        return path.parent, int(number[0]) if number else 99, path.name

    for path in sorted((root / "notebooks").rglob("*.ipynb"), key=in_order):
        paper = path.parent.name if path.parent != root / "notebooks" else "start"
        if ".ipynb_checkpoints" in path.parts:
            continue
        if paper not in files:
            raise SiteError(f"{path.relative_to(root)}: no paper {paper!r} in PAPERS of site_overview.py; add it there")
        files[paper].append(path)
    rows = catalog.read(root / "data" / "catalog.csv")
    behind, library = Behind(root, figures, rows), root / "lib" / "proctor"
    executed, defaults = paths.runs_of(figures, root), figures == root / "figures"

    def page_for(path: Path) -> NotebookPage:
        return NotebookPage(path, executed / path.relative_to(root), behind, defaults)

    notebooks = {paper: [page_for(path) for path in found] for paper, found in files.items() if found}
    readme = (root / "README.md").read_text(encoding="utf-8")
    listed = root / "docs" / "notebooks.md"
    questions = notebook_questions(readme + (listed.read_text(encoding="utf-8") if listed.exists() else ""))

    copied = source / "copied"
    write_fonts(copied / "_static" / "fonts")
    if (social := root / "docs" / "book" / "front.png").is_file():
        shutil.copyfile(social, copied / "_static" / "social.png")
    for name in ("docs", "figures"):  # guides, and the pictures of theirs and of README
        (source / name).symlink_to(root / name)
    for paper, pages in notebooks.items():
        if landing(paper) != pages[0].page:
            _write(source / f"{landing(paper)}.md", paper_page(paper, rows, pages, questions, behind))
        for page in pages:
            _write(source / f"{page.page}.ipynb", json.dumps(page.build(), ensure_ascii=False))
            for place, png in page.images.items():
                (copied / place).parent.mkdir(parents=True, exist_ok=True)
                (copied / place).write_bytes(png)
    about = (
        "A row for each published artifact, formal result, protocol and claim of the five papers, and our own outputs. "
        'As a file: <a href="/data/catalog.csv" download>catalog.csv</a>.'
    )
    _write(source / "catalog.md", page_text("# The catalog", about, catalog_rows(rows, behind)))
    _write(source / "figures.md", figures_page(rows, notebooks, behind))
    titles = {paper: about.short for paper, about in PAPERS.items()}
    protocols = site_api.read_protocols(root / "data" / "protocols.csv")
    for row in rows:
        if row.kind == "protocol":
            own = protocols.get(row.id, site_api.Protocol())
            text = site_api.protocol_page(row, own, rows, titles[row.paper], library, behind)
            _write(source / f"protocols/{row.id}.md", text)
    _write(source / "protocols" / "index.md", site_api.protocol_index(rows, titles))
    modules = site_api.packages(library)
    for package, names_in in modules.items():
        _write(source / f"{site_api.page_of(package)}.md", site_api.package_page(package, names_in, library))
    _write(source / "api" / "index.md", site_api.index_page(modules, library))
    reference = ["figures", "catalog", "protocols/index", "api/index"]
    guides = [f"docs/{path.stem}" for path in sorted((root / "docs").glob("*.md"))]
    sections = {"Reference": reference} | ({"Guides": guides} if guides else {})
    _write(source / "index.md", front(readme, rows, notebooks, sections, behind))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run_sphinx(source: Path, html: Path, doctrees: Path) -> None:
    from sphinx.application import Sphinx  # here, not above: Sphinx loads this module as its extension
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace

    warnings = io.StringIO()
    try:
        with docutils_namespace():  # Sphinx registers its words with docutils for the whole process, unless told so
            app = Sphinx(
                source,
                None,
                html,
                doctrees,
                "html",
                SPHINX,
                status=None,
                warning=warnings,
                freshenv=True,
                parallel=os.cpu_count() or 1,
            )
            app.build()
    except SphinxError as error:
        raise SiteError(f"Sphinx: {error}") from error
    said = re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue()).replace(f"{source}{os.sep}", "").strip()
    if said:
        raise SiteError(said)


def setup(app) -> dict:
    """Sphinx's door: formulas as MathML, which browsers show by themselves."""
    app.connect("html-page-context", _describe_page)
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _describe_page(app, page: str, template: str, context: dict, doctree) -> None:
    """What a link to a page shows elsewhere; its picture needs the site's address (PROCTOR_SITE)."""
    title = re.sub(r"<[^>]+>", "", context.get("title", "")) or "Proctor"
    tags = f'<meta property="og:title" content="{escape(title)}"><meta property="og:site_name" content="Proctor">'
    if SITE:
        tags += f'<meta property="og:image" content="{escape(SITE)}/_static/social.png">'
    context["metatags"] = context.get("metatags", "") + tags


def mathml(latex: str, block: bool = False) -> str:
    """A formula as MathML. Raises SiteError for LaTeX that the converter does not know, and for prose.

    >>> mathml("x^2")
    '<math><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    if _PROSE.search(re.sub(r"\\(?:text|operatorname|mathrm)\s*\{[^}]*\}", "", latex)):
        raise SiteError(f"formula {latex!r} reads like prose; is a dollar sign missing, or one too many?")
    try:
        return LatexToMathML(fancy_error=False).convert_with_local_state(latex, displaystyle=block)
    except LatexError as error:
        raise SiteError(f"formula {latex!r}: {error}; write it in other words of LaTeX") from None


def _formula(writer, node) -> None:
    """Append the formula of a node. A long one gets a box that scrolls on a phone, and that a keyboard reaches."""
    from docutils.nodes import SkipNode, math_block
    from sphinx.util.logging import getLogger

    block, html = isinstance(node, math_block), ""
    try:
        html = mathml(node.astext(), block)
    except SiteError as error:
        getLogger(__name__).warning(str(error), location=node)
    long = ' class="formula long" tabindex="0"' if len(node.astext()) > 40 else ' class="formula"'
    writer.body.append(f'<div class="formula" tabindex="0">{html}</div>' if block else f"<span{long}>{html}</span>")
    raise SkipNode


def main() -> int:
    try:
        page = build()
    except (SiteError, ValueError, OSError) as error:
        print(f"make site: {error}", file=sys.stderr)
        return 1
    shown = page.relative_to(Path(paths.ROOT).resolve())
    print(f"The site: open {shown} in a browser, or serve it: python3 -m http.server -d {shown.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
