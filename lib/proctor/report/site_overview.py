"""The site's own pages: the front, one a paper, the catalog. Each function returns Markdown (MyST) with HTML in it."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from proctor.report.catalog import Row
from proctor.report.claims import VERDICTS
from proctor.report.provenance import KINDS
from proctor.report.site_evidence import PICTURES, Behind, badges
from proctor.report.site_links import Addresses, SiteError, relink
from proctor.report.site_notebook import NotebookPage
from proctor.report.site_protocols import heading, page_of
from proctor.report.site_tables import catalog_rows, claim_table, claims_of, filtered, state, table


class Paper(NamedTuple):
    short: str  # in the sidebar
    title: str
    about: str
    url: str = ""


PAPERS = {
    "start": Paper("Start here", "Start here", "What is here, and twelve questions to the embedded model."),
    "uq": Paper(
        "UQ",
        "UQ: Assessing Language Models on Unsolved Questions",
        "500 questions from Stack Exchange that nobody has answered. There is no key, so validators (pipelines of "
        "checks by models) reject wrong answers before people look at the rest.",
        "https://arxiv.org/abs/2508.17580",
    ),
    "hle": Paper(
        "HLE",
        "Humanity's Last Exam",
        "An exam of 2,500 questions by experts. A question was admitted if frontier models failed on it.",
        "https://arxiv.org/abs/2501.14249",
    ),
    "hle_verified": Paper(
        "HLE-Verified",
        "HLE-Verified: A Systematic Verification and Structured Revision of Humanity's Last Exam",
        "HLE's items verified in two stages: 668 are right as they stand, 1,143 were revised, 689 stay uncertain.",
        "https://arxiv.org/abs/2602.13964",
    ),
    "kina": Paper(
        "KINA",
        "Knowledge Index of Noah's Ark",
        "899 items from 261 disciplines. Items are chosen by greedy coverage, reviewers are paid by a tournament.",
        "https://arxiv.org/abs/2606.05104",
    ),
    "cbu": Paper(
        "CBU",
        "Judging What We Cannot Solve: Consequence-Based Utility",
        "A candidate solution of an unsolved problem is judged by how much it helps a model solve related "
        "problems that can be checked.",
        "https://arxiv.org/abs/2602.06291",
    ),
    "synthesis": Paper(
        "Synthesis",
        "Synthesis: the five papers together",
        "Which counts do the printed tables allow, do the papers agree with themselves, and the same "
        "questions of a table of yours.",
    ),
}


def short_title(page: str) -> str:
    """A notebook's name in the sidebar: "uq/4_bias_and_ranking" -> "4 Bias and ranking"."""
    number, _, words = page.rpartition("/")[2].replace("_", " ").partition(" ")
    if not re.fullmatch(r"\d+[a-z]?", number):
        number, words = "", f"{number} {words}"
    words = words.strip()
    return f"{number} {words[:1].upper()}{words[1:]}".strip()


def front(
    readme: str,
    rows: Sequence[Row],
    notebooks: dict[str, list[NotebookPage]],
    sections: Mapping[str, Sequence[str]],
    behind: Behind,
) -> str:
    """The front page: README up to its first section, the papers, what a number rests on, how to read a page.

    sections: {title in the sidebar: the pages under it}, after the papers.
    """
    addresses = behind.addresses
    lead = re.sub(r"^\|.*\n", "", readme.partition("\n## ")[0], flags=re.MULTILINE)  # its pictures are shown larger
    lead = relink(lead, lambda target: addresses.of(target, "", "index"))
    cells = []
    for paper, pages in notebooks.items():
        about = PAPERS[paper]
        own = [row for row in rows if row.paper == paper]
        cells.append(
            [
                f'<a href="{addresses.page(landing(paper), "index")}">{about.short}</a>',
                escape(about.about),
                str(len(pages)),
                count_verdicts(own, behind),
                ", ".join(f"{number} {state}" for state, number in Counter(row.state for row in own).items()),
            ]
        )
    legend = [[badges(kind), meaning] for kind, meaning in evidence_legend(readme).items()]
    links = {name: addresses.page(pages[0], "index") for name, pages in sections.items()}
    return (
        "\n\n".join(
            [
                lead.strip(),
                leading_pictures(addresses),
                "## The papers",
                table(["paper", "what it is", "notebooks", "claims", "artifacts"], cells),
                "## What a number rests on",
                table(["evidence", "it rests on"], legend),
                "## How to read a page",
                "A page is an executed notebook. Its code is folded; unfold a cell to see how a number is made. "
                "Under each figure and table stand its evidence and its files; *Data and provenance* unfolds what is "
                "seen in words, the claim, the tables with the numbers, the inputs and the parameters.",
                " · ".join(f'<a href="{address}">{name}</a>' for name, address in links.items()),
                toctree([(PAPERS[paper].short, landing(paper)) for paper in notebooks], caption="Papers"),
                *(toctree([("", page) for page in pages], caption=name) for name, pages in sections.items()),
            ]
        )
        + "\n"
    )


def count_verdicts(rows: Sequence[Row], behind: Behind) -> str:
    """ "12 hold, 3 do not hold, 5 cannot tell": the judged claims of these rows, by verdict."""
    found = Counter(claim.verdict for row in rows for claim in claims_of(row, behind))
    words = {"holds": "hold", "does not hold": "do not hold", "cannot tell": "cannot be told"}
    return ", ".join(f"{found[verdict]} {words[verdict]}" for verdict in VERDICTS if found[verdict])


def leading_pictures(addresses: Addresses) -> str:
    """The pictures called `lead_...`, each with its claim as caption and its notebook behind it."""
    found = []
    for path in sorted(addresses.figures.glob("*/lead_*.json")):
        image = addresses.figure(f"{path.parent.name}/{path.stem}.png", "index")
        if image:
            record = json.loads(path.read_text(encoding="utf-8"))
            claim, alt = escape(record.get("claim", path.stem)), escape(record.get("alt", path.stem))
            page = addresses.pages.get(f"notebooks/{record.get('code', {}).get('notebook')}.ipynb")
            found.append(
                f'<figure class="card"><a href="{addresses.page(page, "index") if page else image}"><img src="{image}" '
                f'alt="{alt}"></a><figcaption><strong>{claim}</strong></figcaption></figure>'
            )
    return '<div class="gallery">\n' + "\n".join(found) + "\n</div>" if found else ""


def landing(paper: str) -> str:
    """The page of a paper; the start has no other than its one notebook."""
    return "start/00_start_here" if paper == "start" else f"{paper}/index"


def paper_page(
    paper: str, rows: Sequence[Row], pages: Sequence[NotebookPage], questions: dict[str, str], behind: Behind
) -> str:
    """One paper: what it is, its notebooks in order, its claims, ours, its protocols, figures, all else."""
    about, here, addresses = PAPERS[paper], landing(paper), behind.addresses
    listed = [
        [f'<a href="{addresses.page(page.page, here)}">{escape(page.title)}</a>', escape(questions.get(page.name, ""))]
        for page in pages
    ]
    own = [row for row in rows if row.paper == paper]
    claims = [row for row in own if row.kind == "claim"]
    printed = [row for row in claims if said_by_the_paper(row)]
    ours = [row for row in claims if not said_by_the_paper(row)]
    protocols = [
        [
            f'<a href="{addresses.page(page_of(row), here)}">{heading(row)}</a>',
            escape(row.title),
            state(row),
        ]
        for row in own
        if row.kind == "protocol"
    ]
    rest = [row for row in own if row.kind not in ("claim", "protocol")]
    parts = [
        f"# {about.title}",
        about.about + (f" [The paper]({about.url})." if about.url else ""),
        "## Notebooks",
        table(["notebook", "what it asks"], listed),
    ]
    if printed:
        tested = sum(bool(claims_of(row, behind)) for row in printed)
        parts += [
            "## What the paper says, and what holds here",
            f"Sentences of the paper: {len(printed)}, tested: {tested}; with their parts, "
            f"{count_verdicts(printed, behind) or 'none is judged'}. "
            "What an interval does not settle cannot be told; what is not tested says what it lacks.",
            claim_table(printed, here, behind),
        ]
    if ours:
        parts += [
            "## What we say besides",
            f"Claims of the notebooks: {len(ours)}; with their parts, {count_verdicts(ours, behind)}.",
            claim_table(ours, here, behind),
        ]
    if protocols:
        parts += ["## Protocols", filtered(["protocol", "what it does", "state"], protocols, (2,))]
    if cards := gallery(paper, own, pages, addresses):
        parts += ["## Figures", cards]
    if rest:
        parts += [
            "## Tables, figures and all else",
            "One row for each published table, figure, formal result and prompt of the paper, and for our outputs.",
            catalog_rows(rest, here, behind),
        ]
    parts.append(toctree([(short_title(page.page), f"/{page.page}") for page in pages]))
    return "\n\n".join(parts) + "\n"


def said_by_the_paper(row: Row) -> bool:
    """Whether a claim's row is a sentence of the paper: it is compared with a place in it, or is named so."""
    return bool(row.compared_with) or row.id.partition("/")[2].startswith("claim_")


def catalog_page(rows: Sequence[Row], behind: Behind) -> str:
    """All rows, to be filtered and sorted."""
    file = behind.addresses.file("data/catalog.csv", "catalog")
    return (
        "\n\n".join(
            [
                "# The catalog",
                "A row for each published artifact, formal result, protocol and claim of the five papers, and our own "
                f'outputs. As a file: <a href="{file}" download>catalog.csv</a>.',
                catalog_rows(rows, "catalog", behind),
            ]
        )
        + "\n"
    )


def gallery(paper: str, rows: Sequence[Row], pages: Sequence[NotebookPage], addresses: Addresses) -> str:
    """The figures of a paper in the order of its notebooks, each with its claim, evidence and files."""
    here, titles = landing(paper), {output: row.title for row in rows[::-1] for output in row.outputs}
    order = {page.page: number for number, page in enumerate(pages)}
    notebook_pages = {page.name.removeprefix("notebooks/").removesuffix(".ipynb"): page.page for page in pages}
    cards = []
    for path in sorted((addresses.figures / paper).glob("*.json")):
        image = addresses.figure(f"{paper}/{path.stem}.png", here)
        if not image:
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        claim = record.get("claim") or titles.get(f"{paper}/{path.stem}.svg") or path.stem
        claim = claim if isinstance(claim, str) else claim.get("sentence", path.stem)
        page = notebook_pages.get(record.get("code", {}).get("notebook") or "")
        links = [f'<a href="{addresses.page(page, here)}">notebook</a>'] if page else []
        links += [
            f'<a href="{address}">{kind}</a>'
            for kind, ending in (*PICTURES, ("record", "json"))
            if (address := addresses.figure(f"{paper}/{path.stem}.{ending}", here))
        ]
        cards.append(
            (
                order.get(page or "", len(order)),
                path.stem,
                f'<figure class="card"><a href="{image}"><img src="{image}" alt="{escape(record.get("alt") or claim)}" '
                f'loading="lazy"></a><figcaption><strong>{escape(claim)}</strong><br>{badges(record["evidence"])} '
                f'<span class="files">{" · ".join(links)}</span></figcaption></figure>',
            )
        )
    return '<div class="gallery">\n' + "\n".join(card for *_, card in sorted(cards)) + "\n</div>" if cards else ""


def evidence_legend(readme: str) -> dict[str, str]:
    """What each kind of evidence means, from README's table of them. Raises SiteError when one has no row."""
    found = dict(re.findall(r"^\| *`(\w+)` *\| *(.+?) *\|$", readme, re.MULTILINE))
    missing = [kind for kind in KINDS if kind not in found]
    if missing:
        raise SiteError(
            f"README.md: no row | `{missing[0]}` | what it rests on | says what this evidence means; add it"
        )
    return {kind: re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(found[kind])) for kind in KINDS}


def notebook_questions(readme: str) -> dict[str, str]:
    """A table of notebooks, of README or docs/notebooks.md: file -> what it asks."""
    row = r"^\| *\[[^\]]+\]\((?:\.\./)?(notebooks/[^)]+\.ipynb)\) *\| *(.+?) *\|$"
    return dict(re.findall(row, readme, re.MULTILINE))


def toctree(entries: Sequence[tuple[str, str]], caption: str = "") -> str:
    """Sphinx's hidden list of the pages under this one: (title in the sidebar, page)."""
    lines = [f"{title} <{page}>" if title else page for title, page in entries]
    head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join([*head, *lines, "```"])
