"""What a browser sees wrong on the pages of the built site, in light and dark, on a desk and on a phone.

    python -m proctor.report.site_check [build/site] [--pages 'uq/*']
    python -m proctor.report.site_check --pictures docs/book      # the screenshots of README and docs/book.md

Each page is opened in headless Chromium (Debian's, or the one that PROCTOR_CHROMIUM names). Wrong are: a line of error
in the console, a request that fails or leaves the disk, a picture that does not show, a page wider than the screen,
text that a box cuts off, and what axe finds serious or critical.

Addresses in the site: where a file of the repository is found there, and whether every link leads somewhere.
"""

import argparse
import io
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from html import escape
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from tqdm import tqdm

from proctor.paths import BUILD

CHROMIUM = os.environ.get("PROCTOR_CHROMIUM") or shutil.which("chromium")
Colours = Literal["light", "dark"]
VIEWS: tuple[tuple[int, Colours], ...] = (  # width in pixels, colours
    (1280, "light"),
    (390, "light"),
    (1280, "dark"),
    (390, "dark"),
)
PICTURES: dict[str, tuple[str, Colours, str]] = {  # file: page, colours, what stands at the top of the picture
    "front": ("index", "light", ""),
    "notebook": ("hle/4_frontier_runs", "light", "h1"),
    "gallery": ("figures", "light", ""),
    "explore": ("synthesis/7_explore", "light", ".explorable"),
    "catalog": ("catalog", "light", ""),
    "dark": ("kina/5_how_many_items", "dark", "figure.lead"),
}
SERIOUS = ("serious", "critical")
# Pictures are loaded late; boxes that scroll are no fault, nor what is there for screen readers alone.
LOOK = """async () => {
  const wrong = [];
  const pictures = [...document.images];
  pictures.forEach((one) => { one.loading = "eager"; });
  await Promise.all(pictures.map((one) => one.complete || new Promise((done) => { one.onload = one.onerror = done; })));
  for (const one of pictures)
    if (!one.naturalWidth) wrong.push(`picture ${one.getAttribute("src")} does not show`);
  const wide = document.scrollingElement.scrollWidth - innerWidth;
  if (wide > 0) wrong.push(`the page is ${wide} pixels wider than the screen`);
  for (const one of document.querySelectorAll(".bd-article *")) {
    const style = getComputedStyle(one);
    const hides = ["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    if (hides && one.clientWidth > 1 && !one.closest("math") && style.display !== "inline")
      wrong.push(`text is cut off in <${one.tagName.toLowerCase()} class="${one.className}">: ${one.textContent.trim().slice(0, 40)}`);
  }
  return wrong;
}"""  # noqa: E501


def pages(site: Path, like: str = "*") -> list[Path]:
    """The pages of the site whose names (without .html) match the pattern `like`."""
    found = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    return [path for path in found if fnmatch(path.relative_to(site).with_suffix("").as_posix(), like)]


def check(site: Path, like: str = "*") -> Iterator[tuple[str, str]]:
    """(page and view, what is wrong there) of every page and view. Raises RuntimeError where there is no Chromium."""
    with chromium() as browser:
        for width, colours in VIEWS:
            window = browser.new_context(viewport=dict(width=width, height=900), color_scheme=colours)
            window.set_default_timeout(120_000)
            found = pages(site, like)
            for path in tqdm(found, desc=f"{width} pixels, {colours}", unit="page", disable=None, leave=False):
                where = f"{path.relative_to(site).as_posix()} ({width}, {colours})"
                for wrong in look(window.new_page(), path):
                    yield where, wrong
            window.close()


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


def look(page: Any, path: Path, axe: bool = True) -> list[str]:
    """What is wrong with one page in one view. page: a fresh one of playwright; it is closed."""
    said: list[str] = []
    page.on("console", lambda line: said.append(f"console: {line.text}") if line.type == "error" else None)
    page.on("pageerror", lambda error: said.append(f"script: {error}"))
    page.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
    page.on("request", lambda request: said.append(f"elsewhere: {request.url}") if _elsewhere(request.url) else None)
    page.goto(path.as_uri())
    said += page.evaluate(LOOK)
    if axe:
        said += _axe(page)
    page.close()
    return list(dict.fromkeys(said))


def take_pictures(site: Path, folder: Path) -> None:
    """Write <folder>/<name>.png of PICTURES: 1180 by 820 pixels in 96 colours, so that they are small."""
    from PIL import Image

    with chromium() as browser:
        for name, (page, colours, top) in PICTURES.items():
            window = browser.new_page(viewport=dict(width=1180, height=820), color_scheme=colours)
            window.goto((site / f"{page}.html").as_uri())
            window.wait_for_load_state("networkidle")
            if top:
                window.locator(f".bd-article {top}").first.evaluate("one => scrollTo(0, one.offsetTop - 60)")
            window.wait_for_timeout(300)  # the theme's bar follows
            picture = Image.open(io.BytesIO(window.screenshot()))
            picture.convert("RGB").quantize(96).save(folder / f"{name}.png", optimize=True)
            window.close()


def _elsewhere(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


def _axe(page: Any) -> Iterable[str]:
    from axe_playwright_python.sync_playwright import Axe

    for found in Axe().run(page, options=dict(resultTypes=["violations"], preload=False)).response["violations"]:
        if found["impact"] in SERIOUS:
            first = found["nodes"][0]
            yield f"axe, {found['impact']}: {found['id']} ({len(found['nodes'])} times), such as {first['html'][:160]}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Look at every page of the site in a browser.")
    parser.add_argument("site", type=Path, nargs="?", default=BUILD / "site")
    parser.add_argument("--pages", default="*", help="names that match this pattern, such as 'uq/*'")
    parser.add_argument("--pictures", type=Path, help="write the screenshots to this folder instead")
    options = parser.parse_args(arguments)
    if options.pictures:
        take_pictures(options.site.resolve(), options.pictures)
        return 0
    site, start = options.site.resolve(), time.perf_counter()
    count = 0
    for where, wrong in check(site, like=options.pages):
        count += 1
        print(f"{where}: {wrong}", flush=True)
    took = time.perf_counter() - start
    print(f"{len(pages(site, options.pages))} pages in {len(VIEWS)} views: {count} faults, {took:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())


ROOT_PAGES = {"README.md": "index", "data/catalog.csv": "catalog"}
# Read left to right: code is skipped, links and HTML's own attributes are rewritten.
_PARTS = re.compile(
    r"(?P<fence>^(?P<marks>`{3,}|~{3,})[^\n]*\n.*?^(?P=marks)[ \t]*$)"
    r"|(?P<image>!?)\[(?P<text>(?:`[^`]*`|!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\(<?(?P<target>[^)\s>]+)>?(?:\s+\"(?P<title>[^\"]*)\")?\)"
    r"|(?P<code>(?P<ticks>`+).+?(?P=ticks))"
    r"|(?P<attribute>\b(?:href|src)=\")(?P<value>[^\"]+)(?=\")",
    re.MULTILINE | re.DOTALL,
)


class SiteError(Exception):
    """The site can't be built; the message names the page or file and what to fix."""


class Addresses:
    """Turns paths of the repository into addresses relative to a page; remembers which files must be copied.

    pages: file (relative to the root) -> page, e.g. notebooks/uq/3_validators.ipynb -> uq/3_validators.
    After all pages are written, `copies` maps each file to copy to its place in the site.
    """

    def __init__(self, root: Path, figures: Path, pages: dict[str, str]):
        self.root, self.figures = Path(root).resolve(), Path(figures).resolve()
        self.pages = ROOT_PAGES | pages
        self.copies: dict[Path, str] = {}

    def page(self, page: str, seen_from: str) -> str:
        """The address of one page seen from another: ("uq/index", "hle/index") -> "../uq/index.html"."""
        return relative(f"{page}.html", seen_from)

    def figure(self, file: str, seen_from: str) -> str | None:
        """The address of a file under figures/, e.g. "uq/fig_S10.png"; None when it is not there."""
        path = self.figures / file
        if not path.is_file():
            return None
        self.copies[path] = f"figures/{file}"
        return relative(f"figures/{file}", seen_from)

    def file(self, path: str, seen_from: str) -> str | None:
        """The address of any file of the repository, which is copied under files/, or figures/ if it lies there; None
        when it is not there."""
        if (whole := (self.root / path).resolve()).is_relative_to(self.figures):
            return self.figure(whole.relative_to(self.figures).as_posix(), seen_from)
        if not (self.root / path).is_file():
            return None
        self.copies[self.root / path] = f"files/{path}"
        return relative(f"files/{path}", seen_from)

    def of(self, target: str, folder: str, seen_from: str) -> str | None:
        """What a link's `target`, written in a file of `folder`, becomes on the page `seen_from`.

        Addresses on the web and on the same page stay as they are; None for a folder, which has no page.
        Raises SiteError for a file that is not there.
        """
        address = urlsplit(target)
        if address.scheme or address.netloc or not address.path:
            return target
        path = (self.root / folder / unquote(address.path)).resolve()
        if path.is_relative_to(self.figures) and path != self.figures:
            found = self.figure(path.relative_to(self.figures).as_posix(), seen_from)
        elif path.is_relative_to(self.root):
            name = path.relative_to(self.root).as_posix()
            if name in self.pages:
                fragment = f"#{slug(unquote(address.fragment))}" if address.fragment else ""
                return self.page(self.pages[name], seen_from) + fragment
            found = self.file(name, seen_from)
        else:
            found = None
        if found is None and not path.is_dir():
            raise SiteError(f"{folder or '.'} (page {seen_from}): the link to {target} leads nowhere; fix its path")
        return found


def relative(address: str, seen_from: str) -> str:
    """An address in the site as the page `seen_from` writes it."""
    up = len(PurePosixPath(seen_from).parts) - 1
    return "../" * up + address


def slug(heading: str) -> str:
    """The anchor that Sphinx gives a heading: lower case, hyphens for all else."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def relink(markdown: str, of: Callable[[str], str | None]) -> str:
    """Markdown whose links lead where `of` says; code is left alone. A link that `of` answers by None becomes its text.

    Links become HTML, so that Sphinx takes them as they are: they are checked at the end, with all others.
    """

    def replace(match: re.Match) -> str:
        if match["value"]:
            address = of(match["value"])
            return match["attribute"] + (match["value"] if address is None else address)
        if not match["target"]:
            return match[0]
        address = of(match["target"])
        title = f' title="{escape(match["title"])}"' if match["title"] else ""
        if match["image"]:
            return f'<img src="{address}" alt="{escape(match["text"])}"{title}>'
        text = relink(match["text"], of)
        if address is None:
            return text
        outside = urlsplit(match["target"]).scheme or match["target"].startswith("#")
        if outside and address == match["target"] and "](" not in match["text"]:
            return match[0]
        return f'<a href="{address}"{title}>{text}</a>'

    return _PARTS.sub(replace, markdown)


class _Page(HTMLParser):
    """What one page loads, where it leads and which anchors it has."""

    def __init__(self, text: str):
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = {name: value for name, value in attributes if value}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        loaded = ("src", "srcset", "poster", *{"link": ["href"], "object": ["data"]}.get(tag, ()))
        for name in (name for name in loaded if name in given):
            self.loads += [part.split()[0] for part in (given[name].split(",") if name == "srcset" else [given[name]])]
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])


def problems(site: Path) -> Iterator[str]:
    """What is wrong with the links of a built site, a line each: loaded from elsewhere, leading nowhere."""
    pages = {
        path.relative_to(site).as_posix(): _Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }
    for name, page in pages.items():
        for address in page.loads:
            if urlsplit(address).scheme in ("http", "https") or address.startswith("//"):
                yield f"{name}: loads {address} from elsewhere"
        for address in dict.fromkeys([*page.loads, *page.leads]):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            path = (site / name).parent / unquote(parts.path) if parts.path else site / name
            place = path.resolve()
            if not place.is_file() or not place.is_relative_to(site.resolve()):
                yield f"{name}: {address} leads nowhere"
            elif parts.fragment and (known := pages.get(place.relative_to(site.resolve()).as_posix())):
                if unquote(parts.fragment) not in known.anchors:
                    yield f"{name}: {address} leads to no anchor of that page"
    for path in sorted(site.rglob("*.css")):
        for address in re.findall(
            r"(?:url\(|@import)\s*[\"']?(https?:|//[a-z])[^)\"'; ]*", path.read_text(encoding="utf-8")
        ):
            yield f"{path.relative_to(site)}: loads {address}... from elsewhere"
