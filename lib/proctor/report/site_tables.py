"""Tables of the site as HTML: plain ones, ones that site.js filters and sorts, rows of the catalog, judged claims."""

import re
from collections.abc import Collection, Sequence
from html import escape

from proctor.report.catalog import Row, claims_of
from proctor.report.site_evidence import Behind, badges, verdict

UNTESTED = "not tested"
THUMB = 120  # pixels: a figure in a row of the catalog
FOLD = 8  # rows of a table that are seen at once
_TABLE = re.compile(
    r'(?P<start><div class="table-box"[^>]*><table\b.*?<tbody>)(?P<body>.*?)</tbody>.*?</table></div>', re.S
)


def page_text(*parts: str) -> str:
    """A page's Markdown of its parts, an empty line between two; empty ones are left out."""
    return "\n\n".join(filter(None, parts)) + "\n"


def boxed(html: str) -> str:
    """HTML whose tables scroll inside a box of their own; long cells are wrapped."""
    html = re.sub(r"<style scoped>.*?</style>", "", html, flags=re.DOTALL)
    html = re.sub(r'(<table\b[^>]*?) border="1"', r"\1", html)
    html = html.replace('<div class="proctor-table" style="overflow-x:auto">', '<div class="proctor-table">')
    html = re.sub(r'<td(?: style="text-align:(?:left|right)")?>(?=[^<]{41})', '<td class="prose">', html)
    html = re.sub(r"<th\b[^>]*>[^<]+(?=</th>)", lambda head: head[0].replace("_", " "), html)
    html = re.sub(r"<table\b", '<div class="table-box" tabindex="0" role="region" aria-label="Table">\\g<0>', html)
    return _TABLE.sub(_folded, html.replace("</table>", "</table></div>"))


def _folded(found: re.Match) -> str:
    """A table of more than FOLD rows with the others in a fold below its first ones."""
    rows = re.findall(r"<tr\b.*?</tr>", found["body"], re.DOTALL)
    if len(rows) <= FOLD + 2:
        return found[0]
    first = f"{found['start']}{''.join(rows[:FOLD])}</tbody></table></div>"
    return (
        f'<div class="first-rows">{first}</div><details class="rest"><summary>All {len(rows)} rows</summary>'
        f"{found[0]}</details>"
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table of cells that are HTML."""
    return filtered(heads, rows, (), "page")


def filtered(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    filters: Collection[int],
    kind: str = "filtered",
    ids: Sequence[str] = (),
) -> str:
    """An HTML table of cells that are HTML, with a filter for each column of `filters`. ids: of the rows."""
    marks = [f'<tr id="{escape(id)}">' for id in ids] or ["<tr>"] * len(rows)
    lines = [mark + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for mark, row in zip(marks, rows)]
    names = "".join(
        f'<th scope="col"{" data-filter" if number in filters else ""}>{head}</th>' for number, head in enumerate(heads)
    )
    body = "\n".join(lines)
    html = f'<table class="{kind}"><thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
    return f'<div class="table-box" tabindex="0" role="region" aria-label="Table: {escape(heads[0])}">{html}</div>'


def state(row: Row) -> str:
    """HTML of a row's state."""
    return f'<span class="state {row.state}">{row.state}</span>'


def claim_table(rows: Sequence[Row], here: str, behind: Behind) -> str:
    """Claims with their verdicts and numbers; a claim that nothing tests yet says what it lacks."""
    cells = []
    for row in rows:
        judged = claims_of(row, behind.claims.values())
        numbers = [
            (f"<em>{escape(claim.sentence)}</em>: " if len(judged) > 1 else "") + escape(claim.numbers)
            for claim in judged
        ]
        source = f"<br><small>{escape(row.compared_with)}</small>" if row.compared_with else ""
        cells.append(
            [
                f"{escape(row.title)}{source}",
                "<br>".join(dict.fromkeys(verdict(claim) for claim in judged)) or UNTESTED,
                "<br>".join(filter(None, [*numbers, f"<small>{escape(row.missing)}</small>" if row.missing else ""])),
                f"{badges(' + '.join(row.evidence)) if judged else ''}<br>{notebook_link(row, here, behind)}",
            ]
        )
    heads = ["claim", "verdict", "numbers", "evidence"]
    return filtered(heads, cells, (1, 3), "filtered claims", [row.id for row in rows])


def catalog_rows(rows: Sequence[Row], here: str, behind: Behind) -> str:
    """Rows of the catalog, with links to notebooks, files and protocols."""
    cells = []
    for row in rows:
        files = [
            f'<a href="{address}">{escape(output.rpartition("/")[2])}</a>'
            for output in row.outputs
            if (address := behind.addresses.figure(output, here))
        ]
        said = [
            escape(text) for text in (row.missing, row.compared_with and f"compared with {row.compared_with}") if text
        ]
        title = f"<strong>{escape(row.title)}</strong>"
        picture = next((output for output in row.outputs if output.endswith(".svg")), "").replace(".svg", ".png")
        if picture and (address := behind.addresses.figure(picture, here)):
            width, height = behind.size(picture.removesuffix(".png"))
            size = f'width="{THUMB}" height="{round(THUMB * height / width)}"'
            title = f'<img class="thumb" src="{address}" {size} alt="" loading="lazy">{title}'
        if row.kind == "protocol" and here != f"protocols/{row.id}":
            title = f'<a href="{behind.addresses.page(f"protocols/{row.id}", here)}">{title}</a>'
        cells.append(
            [
                "<br>".join([title, f"<code>{escape(row.id)}</code>", *(f"<span>{text}</span>" for text in said)]),
                row.paper,
                row.kind.replace("notebook-output", "ours"),
                badges(" + ".join(row.evidence)),
                state(row),
                "<br>".join(dict.fromkeys(verdict(claim) for claim in claims_of(row, behind.claims.values()))),
                "<br>".join(filter(None, [notebook_link(row, here, behind), *files])),
            ]
        )
    heads = ["artifact", "paper", "kind", "evidence", "state", "verdict", "notebook, files"]
    return filtered(heads, cells, (1, 2, 3, 4, 5), "filtered catalog", [row.id for row in rows])


def notebook_link(row: Row, here: str, behind: Behind) -> str:
    """A link to the page of a row's notebook; its name alone where there is no such page."""
    page = behind.addresses.pages.get(f"notebooks/{row.notebook}.ipynb")
    name = re.sub(r"[/_]", r"\g<0><wbr>", escape(row.notebook))
    return f'<a href="{behind.addresses.page(page, here)}">{name}</a>' if page else name
