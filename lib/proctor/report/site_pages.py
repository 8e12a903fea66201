"""The site's own pages, of templates in site_templates/: the front, all figures, the catalog, one page for each paper
and protocol, the reference of the library.

data/protocols.csv says of a protocol's row in the catalog which functions of the library run it (dotted, without
`proctor.`), which prompts they ask, how many calls they make, and which figure shows it. All else comes from the
catalog, from the functions' docstrings and from the prompts' headers.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml
from markupsafe import Markup, escape

from proctor import paths
from proctor.report.catalog import Row
from proctor.report.provenance import KINDS
from proctor.report.site_notebook import TEMPLATES, Behind, NotebookPage, SiteError


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
LEADS = {  # the picture of each paper's card
    "uq": "uq/lead_accuracy",
    "hle": "hle/frontier_confidence",
    "hle_verified": "hle_verified/real_signals_figure",
    "kina": "kina/lead_gaps",
    "cbu": "cbu/5_effects_figure",
}
SPELT = {"uq": "UQ", "llm": "LLM", "ai": "AI", "rm": "RM", "genrm": "GenRM", "realmath": "RealMath", "daft": "DAFT"}


NO_DETAILS: dict[str, Any] = dict(functions=[], prompts=[], calls="", figure="")  # of a protocol


def write_pages(source: Path, behind: Behind, notebooks: Mapping[str, Sequence[NotebookPage]], library: Path) -> None:
    """Write all pages but those of notebooks. notebooks: {paper: its pages in order}; library: lib/proctor."""

    def write(page: str, template: str, **values: Any) -> None:
        path = source / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEMPLATES.get_template(template).render(behind=behind, **values), encoding="utf-8")

    rows, root = behind.catalog, behind.root
    readme, asked = (root / "README.md").read_text(encoding="utf-8"), notebook_questions(root)
    tested = [row for row in rows if behind.claims_of(row)]
    drawn = {
        paper: [name for page in pages for name in behind.made_by(page.name, "png")]
        for paper, pages in notebooks.items()
    }
    for paper, pages in notebooks.items():
        if landing(paper) != pages[0].page:
            about = dict(about=PAPERS[paper], pages=pages, asked=asked, figures=drawn[paper], tested=tested)
            write(f"{landing(paper)}.md", "paper.md", rows=[row for row in rows if row.paper == paper], **about)
    write("catalog.md", "catalog.md", rows=rows)
    write("figures.md", "figures.md", figures=list(chain.from_iterable(drawn.values())))

    known, protocols = read_protocols(root / "data" / "protocols.csv"), [row for row in rows if row.kind == "protocol"]
    write("protocols/index.md", "protocols.md", rows=protocols)
    for row in protocols:
        protocol = known.get(row.id, NO_DETAILS)
        runs = [other for other in rows if other is row or _tests(other, row)]
        prompts = [prompt(name) for name in protocol["prompts"]]
        write(f"protocols/{row.id}.md", "protocol.md", row=row, protocol=protocol, prompts=prompts, runs=runs)

    modules = packages(library)
    write("api/index.rst", "library.rst", packages=modules)
    for package, names in modules.items():
        write(f"api/{package}.rst", "package.rst", package=package, modules=names)

    sections = {"Reference": ["figures", "catalog", "protocols/index", "api/index"]}
    if guides := [f"docs/{path.stem}" for path in sorted((root / "docs").glob("*.md"))]:
        sections["Guides"] = guides
    start = landing("start") if "start" in notebooks else "catalog"
    front = dict(about="\n\n".join(readme.split("\n\n")[:2]).strip(), legend=evidence_legend(readme), start=start)
    write("index.md", "front.md", notebooks=notebooks, sections=sections, rows=rows, **front)


def landing(paper: str) -> str:
    """The page of a paper; the start has no other than its one notebook."""
    return "notebooks/00_start_here" if paper == "start" else f"notebooks/{paper}/index"


def evidence_legend(readme: str) -> dict[str, Markup]:
    """What each kind of evidence means, from README's table of them. Raises SiteError when one has no row."""
    found = dict(re.findall(r"^\| *`(\w+)` *\| *(.+?) *\|$", readme, re.MULTILINE))
    if missing := [kind for kind in KINDS if kind not in found]:
        raise SiteError(
            f"README.md: no row | `{missing[0]}` | what it rests on | says what this evidence means; add it"
        )
    return {kind: coded(found[kind]) for kind in KINDS}


def coded(text: str) -> Markup:
    """Text as HTML, `x` in it as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def notebook_questions(root: Path) -> dict[str, str]:
    """{notebook: what it asks} of the tables of docs/notebooks.md."""
    file = root / "docs" / "notebooks.md"
    listed = file.read_text(encoding="utf-8") if file.is_file() else ""
    return dict(re.findall(r"^\| *\[.+?\]\(../notebooks/(.+?)\.ipynb\) *\| *(.+?) *\|$", listed, re.MULTILINE))


def packages(library: Path) -> dict[str, list[str]]:
    """{package: its public modules}, dotted from `library` (lib/proctor); "proctor", the last: those in no package."""
    found: dict[str, list[str]] = {}
    for path in [*sorted(library.glob("*/**/*.py")), *sorted(library.glob("*.py"))]:
        parts = path.relative_to(library).with_suffix("").parts
        if not any(part.startswith("_") for part in parts):
            found.setdefault(parts[0] if len(parts) > 1 else "proctor", []).append(".".join(parts))
    return found


def address_of(function: str) -> str:
    """Page and anchor of a function: "uq.checks.run_check" -> "/api/uq.html#proctor.uq.checks.run_check"."""
    package = function.partition(".")[0] if function.count(".") > 1 else "proctor"
    return f"/api/{package}.html#proctor.{function}"


def read_protocols(path: Path) -> dict[str, dict[str, Any]]:
    """{id in the catalog: functions and prompts, each a list of names, calls, figure} of data/protocols.csv."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False, index_col="id")
    names = {column: table[column].str.findall(r"[^;\s]+") for column in ("functions", "prompts")}
    return table.assign(**names).to_dict("index")


def prompt(name: str) -> dict[str, Any]:
    """What a protocol's page says of a prompt. Raises OSError when there is none."""
    paper, _, own = name.partition("/")
    file = f"lib/proctor/{'exam' if paper == 'hle' else paper}/prompts/{own}.md"
    _, header, text = (paths.ROOT / file).read_text(encoding="utf-8").split("---\n", 2)
    return dict(name=name, file=file, header={"asks": ""} | yaml.safe_load(header), words=len(text.split()))


def heading(row: Row) -> str:
    """A protocol's name in words: "uq/stage_2_llm_filter" -> "Stage 2 LLM filter"."""
    words = " ".join(SPELT.get(word, word) for word in row.id.partition("/")[2].split("_"))
    return words[:1].upper() + words[1:]


def _tests(other: Row, row: Row) -> bool:
    """Whether another row is a prompt or a claim of the same outputs."""
    return other.kind in ("prompt", "claim") and other.paper == row.paper and bool({*other.outputs} & {*row.outputs})


TEMPLATES.globals |= dict(PAPERS=PAPERS, LAST=LAST, LEADS=LEADS)
TEMPLATES.globals |= dict(landing=landing, heading=heading, address_of=address_of, coded=coded)
