"""A page for each protocol of the papers: what it does, what calls it here, which prompts it asks, and what it costs.

data/protocols.csv says of a protocol's row in the catalog which functions of the library run it (dotted, without
`proctor.`), which prompts they ask, and how many calls they make. All else comes from the catalog, from the functions'
own lines and from the prompts' headers.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import yaml

from proctor.report.catalog import Row
from proctor.report.site_api import Described, address_of, described, prose
from proctor.report.site_evidence import Behind
from proctor.report.site_links import relative
from proctor.report.site_tables import catalog_rows, filtered, state

COLUMNS = ("id", "functions", "prompts", "calls")
SPELT = {"uq": "UQ", "llm": "LLM", "ai": "AI", "rm": "RM", "genrm": "GenRM", "realmath": "RealMath", "daft": "DAFT"}
DIAGRAMS = {  # a picture of how it runs, where its own outputs have none
    "uq/uq_paradigm": "uq/fig_2",
    "uq/validators": "uq/fig_S5",
    "uq/default_pipeline": "uq/fig_S5",
    "uq/main_validator": "uq/fig_S5",
    "uq/pipeline_verification": "uq/fig_S5",
    "uq/stage_1_rules": "uq/1_funnel",
    "uq/stage_2_llm_filter": "uq/fig_2",
    "uq/stage_3_human_review": "uq/fig_2",
    "uq/human_agreement_check": "uq/kappa_and_prevalence",
    "uq/bias_measurement": "uq/bias_and_skill",
    "uq/ranking_test": "uq/rank_order",
    "hle/review_round_1": "hle/fig_review",
    "hle/review_rounds": "hle/fig_review",
    "hle/difficulty_check": "hle/difficulty_rules",
    "hle_verified/stages": "hle_verified/fig_2",
    "hle_verified/stage_1": "hle_verified/fig_2",
    "hle_verified/replication": "hle_verified/fig_2",
    "hle_verified/stage_2": "hle_verified/fig_3",
    "hle_verified/routing": "hle_verified/fig_2",
    "cbu/utility": "cbu/fig_1",
    "cbu/validator_judge": "cbu/5_auc",
}


class Protocol(NamedTuple):
    functions: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    calls: str = ""


class Prompt(NamedTuple):
    name: str
    path: Path
    header: dict
    words: int


def read(path: Path) -> dict[str, Protocol]:
    """{id in the catalog: Protocol}, {} where there is no file. Raises ValueError for other columns."""
    if not path.is_file():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: columns are {reader.fieldnames}; they must be {', '.join(COLUMNS)}")
        return {row["id"]: Protocol(_list(row["functions"]), _list(row["prompts"]), row["calls"]) for row in reader}


def function(name: str, library: Path) -> Described:
    """A public function or class of the library. Raises ValueError when there is none."""
    module, _, own = name.rpartition(".")
    path = library / (module.replace(".", "/") + ".py")
    for one in described(path) if path.is_file() else ():
        if one.name == own:
            return one
    raise ValueError(f"data/protocols.csv: no function {name} in lib/proctor/{module.replace('.', '/')}.py")


def prompt(name: str, library: Path) -> Prompt:
    """A prompt's file. Raises ValueError when there is none."""
    paper, _, own = name.partition("/")
    path = library / ("exam" if paper == "hle" else paper) / "prompts" / f"{own}.md"
    if not path.is_file():
        raise ValueError(f"data/protocols.csv: no prompt {name} at {path.relative_to(library.parents[1])}")
    _, header, text = re.split(r"^---$", path.read_text(encoding="utf-8"), maxsplit=2, flags=re.MULTILINE)
    return Prompt(name, path, yaml.safe_load(header), len(text.split()))


def page_of(row: Row) -> str:
    """The page of a protocol: "uq/stage_1_rules" -> "protocols/uq/stage_1_rules"."""
    return f"protocols/{row.id}"


def heading(row: Row) -> str:
    """A protocol's name in words: "uq/stage_2_llm_filter" -> "Stage 2 LLM filter"."""
    words = " ".join(SPELT.get(word, word) for word in row.id.partition("/")[2].split("_"))
    return words[:1].upper() + words[1:]


def protocol_page(row: Row, protocol: Protocol, rows: Sequence[Row], paper: str, library: Path, behind: Behind) -> str:
    """Markdown of one protocol. paper: its name in words; rows: the catalog, for other rows of the same outputs."""
    here, addresses = page_of(row), behind.addresses
    parts = [
        f"---\norphan: true\n---\n\n# {heading(row)}",
        f'<p class="made-from">{escape(paper)}, protocol <code>{escape(row.id)}</code> · '
        f'<a href="{addresses.page("protocols/index", here)}">all protocols</a></p>',
        f"{_plain(row.title)}.",
        f"**Here:** {state(row)}{f'; what runs instead: {_plain(row.missing)}' if row.state == 'stand-in' else ''}"
        f"{f'; what is missing: {_plain(row.missing)}' if row.missing and row.state != 'stand-in' else ''}."
        + (f" **In the paper:** {_plain(row.compared_with)}." if row.compared_with else ""),
    ]
    drawn = DIAGRAMS.get(row.id) or next((one[:-4] for one in row.outputs if one.endswith(".svg")), "")
    if drawn and (picture := behind.picture(drawn, here)):
        parts.append(f'<figure class="artifact">{picture}</figure>')
    if protocol.functions:
        parts.append("## In the library")
    for name in protocol.functions:
        found = function(name, library)
        address = relative(address_of(name), here)
        parts += [
            f'<p><a href="{address}"><code>{name}</code></a></p>',
            f"```python\n{found.code}\n```",
            prose(found.about, found.parameters),
        ]
    if protocol.calls:
        parts += ["## Cost", f"Calls: {_plain(protocol.calls)}."]
        if not protocol.calls.startswith("none"):
            parts.append(
                "Dollars depend on the model: a notebook shows the plan of all its calls, with tokens and dollars, "
                "before the first one, and stops at its `budget`."
            )
    if protocol.prompts:
        lines = ["| prompt | it asks | words | the reply, at most |", "|---|---|---:|---|"]
        for name in protocol.prompts:
            found = prompt(name, library)
            file = addresses.file(found.path.relative_to(addresses.root).as_posix(), here)
            limits = [
                f"{found.header[key]:,} {unit}"
                for key, unit in (("max_tokens", "tokens"), ("free_tokens", "of a provider's"))
                if key in found.header
            ]
            asks = _html(str(found.header.get("asks", "")))
            lines.append(f'| <a href="{file}"><code>{name}</code></a> | {asks} | {found.words} | {", ".join(limits)} |')
        parts += [
            "## Prompts",
            "In our own words: the file's header says where the paper describes it and how a reply is read.",
            "\n".join(lines),
        ]
    ran = [other for other in rows if other is row or other.kind in ("prompt", "claim") and _share(other, row)]
    if row.outputs:
        parts += ["## Where it runs", catalog_rows(ran, here, behind)]
    return "\n\n".join(parts) + "\n"


def index_page(rows: Sequence[Row], papers: Mapping[str, str], behind: Behind) -> str:
    """Markdown of the list of all protocols. papers: {key: name}."""
    own = [row for row in rows if row.kind == "protocol"]
    cells = [
        [
            f'<a href="{behind.addresses.page(page_of(row), "protocols/index")}">{heading(row)}</a><br>'
            + escape(row.title),
            escape(papers[row.paper]),
            state(row),
            escape(row.missing),
        ]
        for row in own
    ]
    return (
        "\n\n".join(
            [
                "# Protocols",
                "Every procedure that a paper describes: how it runs here, what it asks, and where it ran. "
                "A *stand-in* is smaller or simpler than the paper's.",
                filtered(["protocol", "paper", "state", "what differs or is missing"], cells, filters=(1, 2)),
            ]
        )
        + "\n"
    )


def _share(one: Row, other: Row) -> bool:
    return one.paper == other.paper and bool(set(one.outputs) & set(other.outputs))


def _list(cell: str) -> tuple[str, ...]:
    return tuple(text.strip() for text in cell.split(";") if text.strip())


def _plain(text: str) -> str:
    """Text as Markdown that says just that."""
    return re.sub(r"([\\`*_{}\[\]<>|$~])", r"\\\1", text)


def _html(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False)).replace("|", "&#124;")
