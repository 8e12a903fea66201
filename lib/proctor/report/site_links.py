"""Addresses in the site: where a file of the repository is found there, and whether every link leads somewhere."""

import re
from collections.abc import Callable, Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

ROOT_PAGES = {"README.md": "index", "data/catalog.csv": "catalog"}
# Read left to right: code is skipped, links and HTML's own attributes are rewritten.
_PARTS = re.compile(
    r"(?P<fence>^(?P<marks>`{3,}|~{3,})[^\n]*\n.*?^(?P=marks)[ \t]*$)"
    r"|(?P<image>!?)\[(?P<text>(?:`[^`]*`|!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\(<?(?P<target>[^)\s>]+)>?(?:\s+\"(?P<title>[^\"]*)\")?\)"
    r"|(?P<code>(?P<ticks>`+).+?(?P=ticks))"
    r"|(?P<attribute>\b(?:href|src)=\")(?P<value>[^\"]+)(?=\")",
    re.MULTILINE | re.DOTALL,
)
_LOADED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
}


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
        self.loads += [
            part.split()[0]
            for name in _LOADED.get(tag, ())
            if name in given
            for part in (given[name].split(",") if name == "srcset" else [given[name]])
        ]
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
