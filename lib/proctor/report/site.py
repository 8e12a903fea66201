"""The book: a static site of the executed notebooks, in build/site/. It needs no network, neither to build nor to read.

    python -m proctor.report.site               # or: make site

Pages: the front, all figures, one for each paper, notebook and protocol, the catalog, the reference of lib/proctor,
docs/*.md where there are any. Sphinx makes them (MyST-NB, execution off; autodoc); formulas become MathML. A broken
link, something loaded from elsewhere, a formula that can't be read and every warning of Sphinx is an error, and
build/site/ stays as it was. PROCTOR_SITE=https://... gives links to its pages a picture;
PROCTOR_BINDER=https://mybinder.org/v2/gh/<owner>/<repository>/HEAD adds links to Binder.
"""

import io
import json
import os
import posixpath
import re
import shutil
import sys
import tempfile
from contextlib import redirect_stderr
from html import unescape
from itertools import chain
from pathlib import Path
from textwrap import indent
from urllib.parse import quote, unquote, urlsplit

import matplotlib
from math_core import LatexError, LatexToMathML
from numpy.typing import ArrayLike

from proctor import paths
from proctor.report import catalog
from proctor.report.site_notebook import Behind, NotebookPage, SiteError
from proctor.report.site_pages import PAPERS, write_pages
from proctor.workflow.notebook import WorkflowError

_PROSE = re.compile(r"(?<!\\)\b[A-Za-z]{2,}(?:[,.]?\s+[A-Za-z]{2,}\b){3}")


def build(root: Path = paths.ROOT) -> Path:
    """Build the site of the checkout `root` into its build/site/; return the front page.

    Executed notebooks are taken from build/notebooks/, or build/own/notebooks/ of other figures; the page of one that
    is missing there, or whose code has changed since, is its preview. Raises SiteError with all that is wrong;
    build/site/ is then as it was before.
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
        write_fonts(html / "_static" / "fonts")
        if (social := root / "docs" / "book" / "front.png").is_file():
            shutil.copyfile(social, html / "_static" / "social.png")
        if wrong := lead_links(html, root, figures):
            raise SiteError("\n".join(wrong))
        if out.exists():
            os.rename(out, beside / "old")
        os.rename(html, out)
    return out / "index.html"


def write_source(root: Path, figures: Path, source: Path) -> None:
    """Write what Sphinx reads into `source`, laid out as the repository, with the site's own pages next to it."""
    behind = Behind(root, figures, catalog.read(root / "data" / "catalog.csv"))
    executed, defaults = paths.runs_of(figures, root), figures == root / "figures"
    folders = {root / "notebooks" / ("" if paper == "start" else paper): paper for paper in PAPERS}
    if unknown := {path.parent for path in root.glob("notebooks/[!.]*/*.ipynb")} - set(folders):
        raise SiteError(f"{unknown.pop().relative_to(root)}: no such paper in PAPERS of site_pages.py; add it there")
    notebooks: dict[str, list[NotebookPage]] = {}
    for folder, paper in folders.items():
        for path in sorted(folder.glob("*.ipynb"), key=_in_order):
            page = NotebookPage(path, executed / path.relative_to(root), behind, defaults)
            notebooks.setdefault(paper, []).append(page)
    write_pages(source, behind, notebooks, root / "lib" / "proctor")
    for name in ("docs", "figures"):  # guides, and the pictures of theirs and of README
        (source / name).symlink_to(root / name)
    for page in chain.from_iterable(notebooks.values()):
        preview, place = root / "previews" / f"{page.name}.md", source / page.page
        place.parent.mkdir(parents=True, exist_ok=True)
        if preview.is_file() and not page.executed:
            shutil.copyfile(preview, place.with_suffix(".md"))
        else:
            place.with_suffix(".ipynb").write_text(json.dumps(page.build(), ensure_ascii=False), encoding="utf-8")


def _in_order(notebook: Path) -> tuple[int, str]:
    """By the section's number: 10 after 9, and those without a number last."""
    number = re.match(r"\d+", notebook.stem)
    return int(number[0]) if number else 99, notebook.name


def write_fonts(folder: Path) -> None:
    """Latin and Greek letters and the signs of the figures' font, as matplotlib brings it, with its licence."""
    from fontTools import subset

    source = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    folder.mkdir(parents=True)
    kept = ["--unicodes=20-7E,A0-17F,391-3C9", "--text=●○–—‘’“”…−→←↑↓⇄±×≤≥≠≈✓✗√∞∑"]
    for file in ("DejaVuSans", "DejaVuSans-Bold"):
        lean = ["--flavor=woff", "--no-hinting", "--layout-features=", "--drop-tables+=FFTM,MATH,GPOS,GSUB"]
        subset.main([str(source / f"{file}.ttf"), f"--output-file={folder / file}.woff", *kept, *lean])
    (folder / "LICENSE_DEJAVU").write_bytes((source / "LICENSE_DEJAVU").read_bytes())


def _run_sphinx(source: Path, html: Path, doctrees: Path) -> None:
    from sphinx.cmd.build import build_main  # here, not above: Sphinx loads this module as its extension

    said, folders = io.StringIO(), ["-c", Path(__file__).parent, "-d", doctrees, source, html]
    with redirect_stderr(said):
        failed = build_main(["--quiet", "--no-color", "--fresh-env", "--jobs=auto", *map(str, folders)])
    if faults := said.getvalue().replace(f"{source}{os.sep}", "").strip():
        raise SiteError(faults)
    if failed:
        raise SiteError("Sphinx stopped without a word")


def setup(app) -> dict:
    """Sphinx's door: docstrings are text, and formulas are MathML, which browsers show by themselves."""
    app.connect("autodoc-process-docstring", _as_text)
    app.connect("autodoc-process-signature", _by_name)
    app.connect("autodoc-skip-member", lambda app, what, name, member, skip, options: skip or _is_field(member))
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _by_name(app, what: str, name: str, member: object, options: object, signature: str, returns: str) -> tuple:
    """A signature with numpy's ArrayLike by its name, not as the ten types that it stands for, without what only
    commands read of a type, and with paths from the checkout's folder."""
    from sphinx.util.typing import stringify_annotation

    if signature:
        signature = re.sub(r"(?:~\w+\.)?Annotated\[(.+?), <[^\]]*\]", r"\1", signature)
        signature = signature.replace(stringify_annotation(ArrayLike, "smart"), "ArrayLike")
        signature = signature.replace(f"{paths.ROOT}{os.sep}", "")
    return signature, returns


_STAYS = re.compile(r"^(>>> (?:.+\n)*|(?:  .*\n|\n(?=  ))+)", re.MULTILINE)
_MARKUP = re.compile(r"`([^`]+)`|[\\*_|`]")


def _as_text(app, what: str, name: str, member: object, options: object, lines: list[str]) -> None:
    """Make of a docstring in plain text what Sphinx reads: `x` is code, examples and what is indented stay as they
    are, and no other sign is markup."""
    made: list[str] = []
    for number, part in enumerate(_STAYS.split("\n".join(lines) + "\n")):
        if number % 2:
            made += ["", "::", "", *indent(part.rstrip(), "   ").splitlines(), ""]
        else:
            made += _MARKUP.sub(lambda sign: rf"\ ``{sign[1]}``\ " if sign[1] else rf"\{sign[0]}", part).splitlines()
    lines[:] = made


def _is_field(member: object) -> bool:
    """Whether it is a field of a named tuple, which its signature has."""
    return type(member).__name__ == "_tuplegetter"


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


PAGES = {"README.md": "index.html", "data/catalog.csv": "catalog.html"}  # of files that have other names there
_LINK = re.compile(r"<(a|audio|embed|iframe|image|img|link|object|script|source|video)\b[^>]*>")
_ADDRESS = re.compile(r'(\s(?:href|src|srcset|poster|data)=")([^"]+)')


def lead_links(site: Path, root: Path, figures: Path) -> list[str]:
    """Lead the links of a built site to its pages, copy the files of the checkout `root` that they name, and return
    what is wrong, a line each: loaded from elsewhere, leading nowhere. figures: the folder that stands as figures/.

    The site is laid out as the repository, so that a link which is right in a file is right on its page, but for the
    ending: notebooks/uq/a.ipynb has the page notebooks/uq/a.html. A link with `download` leads to the file itself.
    "/data/a.csv" leads to data/a.csv from any page.
    """
    pages = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    texts = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in pages}
    anchors = {name: {*re.findall(r'\s(?:id|name)="([^"]+)"', text)} for name, text in texts.items()}
    wrong: list[str] = []

    def lead(page: str, tag: re.Match, address: str) -> str:
        parts = urlsplit(unescape(address))
        if parts.scheme or parts.netloc:
            if tag[1] != "a" and parts.scheme in ("", "http", "https"):
                wrong.append(f"{page}: loads {address} from elsewhere")
            return address
        own, fragment = posixpath.join(posixpath.dirname(page), unquote(parts.path)), unquote(parts.fragment)
        own = posixpath.normpath(own).lstrip("/") if parts.path else page
        place = PAGES.get(own) or re.sub(r"\.(ipynb|md)$", ".html", own)
        if place not in texts or tag[0].endswith(" download>"):
            place = own
        if place != own:  # Jupyter's anchors have capitals
            fragment = re.sub(r"[^a-z0-9]+", "-", fragment.lower()).strip("-")
        if place.startswith("../") or not (site / place).is_file():
            file = figures / place.removeprefix("figures/") if place.startswith("figures/") else root / place
            file = file if file.is_file() else root / place
            if place.startswith("../") or not file.is_file():
                wrong.append(f"{page}: {address} leads nowhere; fix its path")
                return address
            (site / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, site / place)
        if fragment and fragment not in anchors.get(place, {fragment}):
            wrong.append(f"{page}: {address} leads to no anchor of that page")
        if place == own and not parts.path.startswith("/"):
            return address
        return "../" * page.count("/") + quote(place) + (f"#{fragment}" if fragment else "")

    for page, text in texts.items():

        def replace(tag: re.Match, page: str = page) -> str:
            return _ADDRESS.sub(lambda found: found[1] + lead(page, tag, found[2]), tag[0])

        (site / page).write_text(_LINK.sub(replace, text), encoding="utf-8")
    return list(dict.fromkeys(wrong))


def main() -> int:
    try:
        page = build()
    except (SiteError, WorkflowError, ValueError, OSError) as error:
        print(f"make site: {error}", file=sys.stderr)
        return 1
    shown = page.relative_to(Path(paths.ROOT).resolve())
    print(f"The site: open {shown} in a browser, or serve it: python3 -m http.server -d {shown.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
