"""What a browser sees wrong on the pages of the built site, in light and dark, on a desk and on a phone.

    python -m proctor.report.site_check [build/site] [--pages 'notebooks/uq/*']
    python -m proctor.report.site_check --pictures docs/book      # the screenshots of README and docs/book.md

Each page is opened in headless Chromium (Debian's, or the one that PROCTOR_CHROMIUM names). Wrong are: a line of error
in the console, a request that fails or leaves the disk, a picture that does not show, a page wider than the screen,
text that a box cuts off, and what axe finds serious or critical.

Links of the built site are led to its pages and files here; each must lead somewhere.
"""

import argparse
import io
import os
import posixpath
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from html import unescape
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

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
    "notebook": ("notebooks/hle/4_frontier_runs", "light", "h1"),
    "gallery": ("figures", "light", ""),
    "explore": ("notebooks/synthesis/7_explore", "light", ".explorable"),
    "catalog": ("catalog", "light", ""),
    "dark": ("notebooks/kina/5_how_many_items", "dark", "figure.lead"),
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


PAGES = {"README.md": "index.html", "data/catalog.csv": "catalog.html"}  # of files that have other names there
_LINK = re.compile(r"<(a|audio|embed|iframe|image|img|link|object|script|source|video)\b[^>]*>")
_ADDRESS = re.compile(r'(\s(?:href|src|srcset|poster|data)=")([^"]+)')


class SiteError(Exception):
    """The site can't be built; the message names the page or file and what to fix."""


def lead_links(site: Path, root: Path, figures: Path) -> list[str]:
    """Lead the links of a built site to its pages, copy the files of the checkout `root` that they name, and return
    what is wrong, a line each: loaded from elsewhere, leading nowhere. figures: the folder that stands as figures/.

    The site is laid out as the repository, so that a link which is right in a file is right on its page, but for the
    ending: notebooks/uq/a.ipynb has the page notebooks/uq/a.html. A link with `download` leads to the file itself.
    "/data/a.csv" leads to data/a.csv from any page.
    """
    texts = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in pages(site)}
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
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?(https?:|//[a-z])[^)\"'; ]*", text):
            wrong.append(f"{path.relative_to(site)}: loads {address}... from elsewhere")
    return list(dict.fromkeys(wrong))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Look at every page of the site in a browser.")
    parser.add_argument("site", type=Path, nargs="?", default=BUILD / "site")
    parser.add_argument("--pages", default="*", help="names that match this pattern, such as 'notebooks/uq/*'")
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
