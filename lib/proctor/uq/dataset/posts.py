"""A post of a site: its text as Markdown, the form of UQ's public files, and whose it is. Its licence follows from its
day (UQ, K.1)."""

from datetime import date, datetime

import pandas as pd
from bs4 import BeautifulSoup, NavigableString, PageElement, Tag

LICENCES = ((date(2018, 5, 2), "CC BY-SA 4.0"), (date(2011, 4, 8), "CC BY-SA 3.0"), (date.min, "CC BY-SA 2.5"))
DEED = "https://creativecommons.org/licenses/by-sa/{}/"
CHANGES = "HTML turned into Markdown"
COLUMNS = ("site", "question_id", "link", "author", "author_link", "posted", "licence", "changes")
_OWN_DOMAIN = ("stackoverflow", "superuser", "serverfault", "askubuntu", "stackapps")  # .com, not .stackexchange.com


def licence(posted: date | datetime) -> str:
    """The licence of a post of that day (UTC).

    >>> licence(date(2011, 4, 7)), licence(date(2011, 4, 8)), licence(date(2018, 5, 2))
    ('CC BY-SA 2.5', 'CC BY-SA 3.0', 'CC BY-SA 4.0')
    """
    day = posted.date() if isinstance(posted, datetime) else posted
    return next(name for since, name in LICENCES if day >= since)


def home(site: str) -> str:
    """The address of a site that the API names so.

    >>> home("math"), home("mathoverflow.net"), home("es.stackoverflow")
    ('https://math.stackexchange.com', 'https://mathoverflow.net', 'https://es.stackoverflow.com')
    """
    if site.endswith(".net"):
        return f"https://{site}"
    return f"https://{site}.com" if site.split(".")[-1] in _OWN_DOMAIN else f"https://{site}.stackexchange.com"


def link(site: str, question_id: int) -> str:
    """The address of a question."""
    return f"{home(site)}/questions/{question_id}"


def credit(site: str, owner_id: float, owner_name: str | None, posted: datetime, stated: str | None) -> dict[str, str]:
    """What the reuse of a post must name. stated: its licence as the source says it; without it that of its day."""
    known = not pd.isna(owner_id)
    named = owner_name if isinstance(owner_name, str) else ""
    return dict(
        author=named or (f"user {int(owner_id)}" if known else "unknown"),
        author_link=f"{home(site)}/users/{int(owner_id)}" if known else "",
        posted=posted.date().isoformat(),
        licence=stated if isinstance(stated, str) and stated else licence(posted),
        changes=CHANGES,
    )


def attributions(questions: pd.DataFrame) -> pd.DataFrame:
    """A row a question of a pool: its address, and whose it is."""
    rows = [
        (row.site, row.question_id, link(row.site, row.question_id))
        + (*credit(row.site, row.owner_id, row.owner_name, row.created, row.licence).values(),)
        for row in questions.itertuples()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


_ROUND = {"em": "*", "i": "*", "strong": "**", "b": "**", "code": "`", "del": "~~", "s": "~~"}
_BLOCKS = ("p", "div", "ul", "ol", "pre", "blockquote", "hr", "table", "h1", "h2", "h3", "h4", "h5", "h6")


def to_markdown(html: str) -> str:
    """A post's HTML as Markdown. Nothing is escaped, so that formulas stay what they are; unknown elements keep their
    text.

    >>> to_markdown("<p>Is <em>x_1</em> &lt; <a href='u'>y</a>?</p><ul><li>one</li><li>two</li></ul>")
    'Is *x_1* < [y](u)?\\n\\n- one\\n- two'
    """
    read = BeautifulSoup(html, "html.parser")
    try:
        return _inside(read).strip()
    except RecursionError:  # nested without end: no person wrote that
        return read.get_text().strip()


def _inside(node: Tag) -> str:
    """The Markdown of what an element holds: blocks stand apart, the rest runs on."""
    parts: list[str] = []
    running = ""
    for child in node.children:
        if isinstance(child, Tag) and child.name in _BLOCKS:
            parts += [running.strip(), _block(child)]
            running = ""
        else:
            running += _inline(child)
    return "\n\n".join(part for part in [*parts, running if not parts else running.strip()] if part)


def _block(node: Tag) -> str:
    if node.name == "pre":
        return f"```\n{node.get_text().rstrip()}\n```"
    if node.name == "hr":
        return "---"
    if node.name in ("ul", "ol"):
        items = [_inside(item).strip() for item in node.find_all("li", recursive=False)]
        marks = ["- " if node.name == "ul" else f"{number}. " for number in range(1, len(items) + 1)]
        return "\n".join(mark + _indent(item, " " * len(mark)).lstrip() for mark, item in zip(marks, items))
    text = _inside(node).strip()
    if node.name == "blockquote":
        return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    return f"{'#' * int(node.name[1])} {text}" if node.name[0] == "h" else text


def _indent(text: str, by: str) -> str:
    return "\n".join(by + line if line else "" for line in text.split("\n"))


def _inline(node: PageElement) -> str:
    if not isinstance(node, Tag):
        return str(node) if type(node) is NavigableString else ""  # no comments
    text = node.get_text() if node.name == "code" else _inside(node)
    if node.name == "a":
        return f"[{text}]({node.get('href', '')})"
    if node.name == "img":
        return f"![{node.get('alt', '')}]({node.get('src', '')})"
    if node.name == "br":
        return "  \n"
    mark = _ROUND.get(node.name, "") if text.strip() else ""
    return f"{mark}{text}{mark}"
