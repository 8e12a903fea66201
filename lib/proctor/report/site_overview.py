"""The site's own pages: the front, one a paper, the catalog. Each function returns Markdown (MyST) with HTML in it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from proctor.report.catalog import Row, claims_of
from proctor.report.claims import VERDICTS
from proctor.report.provenance import KINDS
from proctor.report.site_api import heading
from proctor.report.site_check import SiteError
from proctor.report.site_evidence import PICTURES, Behind, badges
from proctor.report.site_notebook import (
    NotebookPage,
    catalog_rows,
    claim_table,
    filtered,
    page_text,
    state,
    table,
    toctree,
)


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


LAST = "synthesis/6_does_it_hold"  # the notebook of all findings


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
    """The front page: README's first paragraph, three doors, the picture of all findings, a card for each paper, what a
    number is based on, how to read a page.

    sections: {title in the sidebar: the pages under it}, after the papers.
    """
    legend = [[badges(kind), meaning] for kind, meaning in evidence_legend(readme).items()]
    links = {name: pages[0] for name, pages in sections.items()}
    if "synthesis" in notebooks:
        links = {"The five papers together": landing("synthesis")} | links
    findings = ""  # the picture of all findings by evidence, which leads to its notebook
    if behind.has_notebook(LAST):
        findings = behind.picture("synthesis/finding_outcomes", f"/notebooks/{LAST}.html")
    return page_text(
        "\n\n".join(readme.split("\n\n")[:2]).strip(),
        doors(notebooks, sections),
        findings and f'<figure class="artifact lead">{findings}</figure>',
        "## The papers",
        gallery(paper_cards(rows, notebooks, behind), "papers"),
        " · ".join(f'<a href="/{page}.html">{name}</a>' for name, page in links.items()),
        "## What a number is based on",
        table(["evidence", "it is based on"], legend),
        "## How to read a page",
        "A page is an executed notebook. Its code is folded; unfold a cell to see how a number is made. "
        "Under each figure and table stand its evidence and its files; *Data and provenance* unfolds what is "
        "seen in words, the claim, the tables with the numbers, the inputs and the parameters.",
        toctree([(PAPERS[paper].short, landing(paper)) for paper in notebooks], caption="Papers"),
        *(toctree([("", page) for page in pages], caption=name) for name, pages in sections.items()),
    )


def count_verdicts(rows: Sequence[Row], behind: Behind) -> str:
    """ "12 hold, 3 do not hold, 5 cannot tell": the judged claims of these rows, by verdict."""
    judged = {claim.id: claim.verdict for row in rows for claim in claims_of(row, behind.claims.values())}
    found = Counter(judged.values())
    words = {"holds": "hold", "does not hold": "do not hold", "cannot tell": "are undecided"}
    return ", ".join(f"{found[verdict]} {words[verdict]}" for verdict in VERDICTS if found[verdict])


LEADS = {  # the picture of each paper's card
    "uq": "uq/lead_accuracy",
    "hle": "hle/frontier_confidence",
    "hle_verified": "hle_verified/real_signals_figure",
    "kina": "kina/lead_gaps",
    "cbu": "cbu/5_effects_figure",
}


def paper_cards(rows: Sequence[Row], notebooks: Mapping[str, Sequence[NotebookPage]], behind: Behind) -> list[str]:
    """A card for each of the five papers: a picture, what it is, how many notebooks and claims."""
    cards = []
    for paper, name in LEADS.items():
        if paper in notebooks:
            own, about = [row for row in rows if row.paper == paper], PAPERS[paper]
            address = f"/{landing(paper)}.html"
            image = behind.image(name, address, behind.record(name).get("alt", ""))
            said = f"{len(notebooks[paper])} notebooks; claims: {count_verdicts(own, behind) or 'none is judged'}"
            cards.append(
                f'<figure class="card">{image}<figcaption><strong><a href="{address}">'
                f'{escape(about.title)}</a></strong><br>{escape(about.about)}<br><span class="files">{said}</span>'
                "</figcaption></figure>"
            )
    return cards


def doors(notebooks: Mapping[str, Sequence[NotebookPage]], sections: Mapping[str, Sequence[str]]) -> str:
    """Three ways in: look, read, run."""
    ways = {
        "Look": ("figures", "all figures with their findings"),
        "Read": (landing("start") if "start" in notebooks else "catalog", "start with twelve questions to a model"),
        "Run": ("docs/models", "your models, questions and judges"),
    }
    known = {landing("start"), *(page for pages in sections.values() for page in pages)}
    links = [
        f'<a class="door" href="/{page}.html"><strong>{name}</strong> {about}</a>'
        for name, (page, about) in ways.items()
        if page in known
    ]
    return f'<p class="doors">{" ".join(links)}</p>'


def landing(paper: str) -> str:
    """The page of a paper; the start has no other than its one notebook."""
    return "notebooks/00_start_here" if paper == "start" else f"notebooks/{paper}/index"


def paper_page(
    paper: str, rows: Sequence[Row], pages: Sequence[NotebookPage], questions: dict[str, str], behind: Behind
) -> str:
    """One paper: what it is, its notebooks in order, its claims, ours, its protocols, figures, all else."""
    about = PAPERS[paper]
    listed = [
        [f'<a href="/{page.page}.html">{escape(page.title)}</a>', escape(questions.get(page.name, ""))]
        for page in pages
    ]
    own = [row for row in rows if row.paper == paper]
    claims = [row for row in own if row.kind == "claim"]
    printed = [row for row in claims if said_by_the_paper(row)]
    ours = [row for row in claims if not said_by_the_paper(row)]
    protocols = [
        [f'<a href="/protocols/{row.id}.html">{heading(row)}</a>', escape(row.title), state(row)]
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
        tested = sum(bool(claims_of(row, behind.claims.values())) for row in printed)
        parts += [
            "## What the paper says, and what holds here",
            f"Sentences of the paper: {len(printed)}, tested: {tested}; with their parts, "
            f"{count_verdicts(printed, behind) or 'none is judged'}. "
            "What an interval does not settle is undecided; what is not tested says what it lacks.",
            claim_table(printed, behind),
        ]
    if ours:
        parts += [
            "## What else we say",
            f"Claims of the notebooks: {len(ours)}; with their parts, {count_verdicts(ours, behind)}.",
            claim_table(ours, behind),
        ]
    if protocols:
        parts += ["## Protocols", filtered(["protocol", "what it does", "state"], protocols, (2,))]
    if cards := figure_cards(paper, own, pages, behind):
        parts += ["## Figures", gallery(cards)]
    if rest:
        parts += [
            "## Tables, figures and all else",
            "One row for each published table, figure, formal result and prompt of the paper, and for our outputs.",
            catalog_rows(rest, behind),
        ]
    parts.append(toctree([(short_title(page.page), f"/{page.page}") for page in pages]))
    return page_text(*parts)


def said_by_the_paper(row: Row) -> bool:
    """Whether a claim's row is a sentence of the paper: it is compared with a place in it, or is named so."""
    return bool(row.compared_with) or row.id.partition("/")[2].startswith("claim_")


def gallery(cards: Sequence[str], kind: str = "") -> str:
    """Cards next to each other: "filtered" with a filter above them (site.js), "papers" with pictures of one height."""
    return f'<div class="gallery {kind}">\n' + "\n".join(cards) + "\n</div>" if cards else ""


def figure_cards(paper: str, rows: Sequence[Row], pages: Sequence[NotebookPage], behind: Behind) -> list[str]:
    """The figures of a paper in the order of its notebooks, each with its finding, evidence and files."""
    published = {
        output.rpartition(".")[0]: row.compared_with for row in rows if row.kind == "figure" for output in row.outputs
    }
    order = {page.name: number for number, page in enumerate(pages)}
    cards = []
    for path in sorted((behind.figures / paper).glob("*.json")):
        name = f"{paper}/{path.stem}"
        if not behind.has(f"{name}.png"):
            continue
        record = behind.record(name)
        notebook = record["code"]["notebook"]
        address = f"/notebooks/{notebook}.html" if notebook in order else f"/figures/{name}.png"
        image = behind.image(name, address, record["alt"])
        found = [behind.claims[id].verdict for id in record["claim_ids"] if id in behind.claims][:1]
        facts = {"paper": PAPERS[paper].short, "evidence": record["evidence"], "verdict": found[0] if found else ""}
        facts["published figure"] = published.get(name, "").partition(";")[0]
        data = " ".join(f'data-{key.replace(" ", "-")}="{escape(value)}"' for key, value in facts.items() if value)
        links = [f'<a href="{address}">notebook</a>'] if notebook in order else []
        links += [behind.files(name, (*PICTURES, ("record", "json")))]
        cards.append(
            (
                order.get(notebook, len(order)),
                path.stem,
                f'<figure class="card" {data}>{image}<figcaption><strong>{escape(record["claim"])}</strong><br>'
                f'{badges(record["evidence"])} <span class="files">{" · ".join(links)}</span></figcaption></figure>',
            )
        )
    return [card for *_, card in sorted(cards)]


def figures_page(rows: Sequence[Row], notebooks: Mapping[str, Sequence[NotebookPage]], behind: Behind) -> str:
    """All figures, to be filtered by words, paper, evidence, verdict and published figure."""
    cards = [
        card
        for paper, pages in notebooks.items()
        for card in figure_cards(paper, [row for row in rows if row.paper == paper], pages, behind)
    ]
    text = "Every figure of the notebooks with its finding. A picture leads to the notebook that draws it."
    return page_text("# Figures", text, gallery(cards, "filtered"))


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
    """A table of notebooks, of README or docs/notebooks.md: notebook -> what it asks."""
    row = r"^\| *\[[^\]]+\]\((?:\.\./)?notebooks/([^)]+)\.ipynb\) *\| *(.+?) *\|$"
    return dict(re.findall(row, readme, re.MULTILINE))
