"""The reference of the library in the site: a page a package, with each public function's signature and docstring.

Read from the files, without importing them: Sphinx's autodoc gives the same pages, but takes several times as long as
all the rest of the site. Names are objects of Sphinx's Python domain, so that search and links know them.

A page for each protocol of the papers: what it does, what calls it here, which prompts it asks, and what it costs.

data/protocols.csv says of a protocol's row in the catalog which functions of the library run it (dotted, without
`proctor.`), which prompts they ask, and how many calls they make. All else comes from the catalog, from the functions'
own lines and from the prompts' headers.
"""

import ast
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

import yaml

from proctor.report.catalog import Row
from proctor.report.site_evidence import Behind
from proctor.report.site_notebook import catalog_rows, filtered, page_text, state, toctree

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


class Described(NamedTuple):
    name: str
    kind: str  # function or class
    code: str  # as the file has it: the `def`; of a class its fields and public methods too
    about: str  # the docstring
    methods: tuple[tuple[str, str], ...] = ()  # (name, docstring)
    parameters: tuple[str, ...] = ()  # or the fields of a class


class Module(NamedTuple):
    about: str  # its docstring
    public: tuple[Described, ...]  # functions and classes, in its order


def packages(library: Path) -> dict[str, list[str]]:
    """{package: its public modules}, dotted from `library` (lib/proctor); those in no package are under ""."""
    found: dict[str, list[str]] = {}
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if not any(part.startswith("_") for part in parts):
            found.setdefault(parts[0] if len(parts) > 1 else "", []).append(".".join(parts))
    return dict(sorted(found.items(), key=lambda entry: (entry[0] == "", entry[0])))


@cache
def described(path: Path) -> Module:
    """What a module's file says of itself. Raises OSError where there is none."""
    text = path.read_text(encoding="utf-8")
    lines, tree = text.splitlines(), ast.parse(text)

    def header(node: Definition) -> str:
        """The `def` or `class` with its decorators, as the file has it."""
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        return "\n".join(lines[first - 1 : node.body[0].lineno - 1]).rstrip()

    found = []
    for node in tree.body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        about = ast.get_docstring(node) or ""
        if not isinstance(node, ast.ClassDef):
            names = [one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
            found.append(Described(node.name, "function", header(node), about, (), tuple(names)))
            continue
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        methods = [one for one in node.body if isinstance(one, Function) and not one.name.startswith("_")]
        code = [header(node), *("\n".join(lines[one.lineno - 1 : one.end_lineno]) for one in fields)]
        said = tuple((one.name, text) for one in methods if (text := ast.get_docstring(one)))
        names = [one.target.id for one in fields if isinstance(one.target, ast.Name)]
        code += map(header, methods)
        found.append(Described(node.name, "class", "\n".join(code), about, said, tuple(names)))
    return Module(ast.get_docstring(tree) or "", tuple(found))


def _file(module: str, library: Path) -> Path:
    return library / (module.replace(".", "/") + ".py")


def page_of(package: str) -> str:
    """The page of a package: "uq" -> "api/uq"; modules outside of the packages have one together."""
    return f"api/{package or 'proctor'}"


def address_of(function: str) -> str:
    """Page and anchor of a function: "uq.checks.run_check" -> "/api/uq.html#proctor.uq.checks.run_check"."""
    package = function.partition(".")[0] if function.count(".") > 1 else ""
    return f"/{page_of(package)}.html#proctor.{function}"


def package_page(package: str, modules: list[str], library: Path) -> str:
    """Markdown of one package: its modules in order, each with all that is public."""
    parts = [f"# proctor.{package}" if package else "# proctor"]
    for module in modules:
        about, public = described(_file(module, library))
        parts += [f"## {module}", f"```{{py:module}} proctor.{module}\n```", prose(about)]
        if public:
            names = ", ".join(f"<code>{one.name}</code>" for one in public)
            parts.append(f'<details class="module"><summary>{names}</summary>')
        for one in public:
            said = "".join(f"<dt><code>{name}</code></dt><dd>{prose(text)}</dd>" for name, text in one.methods)
            body = f"```python\n{one.code}\n```\n\n{prose(one.about, one.parameters)}" + (
                f"<dl>{said}</dl>" if said else ""
            )
            parts.append(f"````{{py:{one.kind}}} {one.name}\n{body}\n````")
        parts += ["</details>"] if public else []
    return page_text(*parts)


def index_page(found: dict[str, list[str]], library: Path) -> str:
    """Markdown of the reference's first page: packages with their modules, and what each is for."""
    parts = [
        "# The library",
        "What notebooks call: functions and classes of `lib/proctor/`, from their docstrings. A result is a number, an "
        "array or a DataFrame; what asks models is `async` and takes a `Session`. Modules whose name ends in `figures` "
        "draw, and compute nothing.",
    ]
    for package, modules in found.items():
        lines = "".join(
            f'\n| <a href="/{page_of(package)}.html#module-proctor.{module}">{module}</a> '
            f"| {summary(described(_file(module, library)).about)} |"
            for module in modules
        )
        parts += [
            f"## {package or 'outside of the packages'}",
            f'<details class="module"><summary>{len(modules)} modules</summary>',
            f"| module | what it does |\n|---|---|{lines}",
            "</details>",
        ]
    return page_text(*parts, toctree([(package or "proctor", page_of(package)[4:]) for package in found]))


def summary(docstring: str) -> str:
    """A docstring's first paragraph, as HTML for a table's cell."""
    return _inline(" ".join(docstring.partition("\n\n")[0].split()))


def prose(docstring: str, parameters: Sequence[str] = ()) -> str:
    """HTML, on one line, of a docstring in plain text: `x` is code; examples and what is indented stay as they are.
    What it says of `parameters` ("n, of: how many units, and which.") becomes a list.

    >>> prose("Of `x`,\\nand y.\\n\\n    as it  stands")
    '<p>Of <code>x</code>, and y.</p><pre>    as it  stands</pre>'
    """
    html: list[str] = []
    for block in re.split(r"\n\s*\n", docstring.strip("\n")):
        for kept, lines in _runs(block.splitlines()):
            if kept:
                html.append(f"<pre>{escape(chr(10).join(lines), quote=False)}</pre>".replace("\n", "&#10;"))
            elif lines:
                html.append(_listed(" ".join(lines), parameters))
    return "".join(html)


_SAID = re.compile(r"(?:^|(?<=[.;)] ))(\w+(?:, \w+)*)(?: (\([^()]*\)))?: ")


def _listed(text: str, parameters: Sequence[str]) -> str:
    """A paragraph whose sentences on parameters are a list."""
    starts = [start for start in _SAID.finditer(text) if {*start[1].split(", ")} <= {*parameters}]
    if not starts:
        return f"<p>{_inline(text)}</p>"
    ends = [start.start() for start in starts[1:]] + [len(text)]
    said = [f"{start[2] or ''} {text[start.end() : end]}".strip() for start, end in zip(starts, ends)]
    rows = [f"<dt><code>{start[1]}</code></dt><dd>{_inline(one)}</dd>" for start, one in zip(starts, said)]
    before = text[: starts[0].start()].strip()
    return (f"<p>{_inline(before)}</p>" if before else "") + f'<dl class="parameters">{"".join(rows)}</dl>'


def _runs(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Lines of one block in runs: as they stand (indented, or an example with what it prints), or to be wrapped."""
    run: list[str] = []
    kept = example = False
    for line in lines:
        example = example or line.startswith(">>>")
        stays = example or line.startswith("  ")
        if run and stays != kept:
            yield kept, run
            run = []
        kept = stays
        run.append(line)
    yield kept, run


def _inline(text: str) -> str:
    """Text as HTML that Markdown leaves alone, also in a table's cell."""
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"[*_\\$~\[\]{}`|]", lambda mark: f"&#{ord(mark[0])};", html)


COLUMNS = ("id", "functions", "prompts", "calls")
SPELT = {"uq": "UQ", "llm": "LLM", "ai": "AI", "rm": "RM", "genrm": "GenRM", "realmath": "RealMath", "daft": "DAFT"}
DIAGRAMS = {  # a picture of how it runs, or of what it leaves, where its own outputs have none: {picture: protocols}
    "uq/fig_2": (
        "uq_paradigm dataset_pipeline diamond_subset stage_0_crawl stage_1_rules stage_2_llm_filter "
        "stage_3_human_review"
    ),
    "uq/fig_S5": (
        "validators default_pipeline main_validator pipeline_verification unanimous_voting repeated_sampling "
        "check_correctness check_fact_logic check_cycle_consistency"
    ),
    "uq/fig_3b": "surrogate_evaluation transfer_test",
    "uq/fig_table_S3": "model_evaluation human_verification",
    "uq/fig_4": "platform",
    "uq/kappa_and_prevalence": "human_agreement_check",
    "uq/bias_and_skill": "bias_measurement",
    "uq/rank_order": "ranking_test",
    "hle/fig_4": "collection",
    "hle/fig_review": "review_round_1 review_round_2 review_rounds",
    "hle/difficulty_rules": "difficulty_check",
    "hle/fig_private_set": "private_set",
    "hle/frontier_confidence": "evaluation",
    "hle_verified/fig_2": "stages stage_1 replication adjudication_stage_1 routing",
    "hle_verified/fig_3": "stage_2 adjudication_stage_2 cross_audit",
    "hle_verified/fig_7": "evaluation",
    "kina/fig_1": "topic_approval item_writing review_manual refinement_loop",
    "kina/4b_families": "tool_evaluation",
    "cbu/fig_1": "utility rollouts",
    "cbu/fig_2": "candidate_pool neighbourhood_expert neighbourhood_generated",
    "cbu/5_auc_figure": "validator_judge",
}


def diagram(row: Row) -> str:
    """The figure on a protocol's page: "uq/stage_1_rules" -> "uq/fig_2"; "" for none."""
    own = row.id.partition("/")[2]
    for picture, protocols in DIAGRAMS.items():
        if picture.startswith(f"{row.paper}/") and own in protocols.split():
            return picture
    return next((name.removesuffix(".svg") for name in row.outputs if name.endswith(".svg")), "")


class Protocol(NamedTuple):
    functions: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    calls: str = ""


class Prompt(NamedTuple):
    path: Path
    header: dict
    words: int


def read_protocols(path: Path) -> dict[str, Protocol]:
    """{id in the catalog: Protocol}. Raises ValueError for other columns."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: columns are {reader.fieldnames}; they must be {', '.join(COLUMNS)}")
        return {row["id"]: Protocol(_list(row["functions"]), _list(row["prompts"]), row["calls"]) for row in reader}


def function(name: str, library: Path) -> Described:
    """A public function or class of the library. Raises ValueError when there is none."""
    module, _, own = name.rpartition(".")
    path = _file(module, library)
    for one in described(path).public if path.is_file() else ():
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
    return Prompt(path, yaml.safe_load(header), len(text.split()))


def heading(row: Row) -> str:
    """A protocol's name in words: "uq/stage_2_llm_filter" -> "Stage 2 LLM filter"."""
    words = " ".join(SPELT.get(word, word) for word in row.id.partition("/")[2].split("_"))
    return words[:1].upper() + words[1:]


def protocol_page(row: Row, protocol: Protocol, rows: Sequence[Row], paper: str, library: Path, behind: Behind) -> str:
    """Markdown of one protocol. paper: its name in words; rows: the catalog, for other rows of the same outputs."""
    parts = [
        f"---\norphan: true\n---\n\n# {heading(row)}",
        f'<p class="made-from">{escape(paper)}, protocol <code>{escape(row.id)}</code> · '
        '<a href="/protocols/index.html">all protocols</a></p>',
        f"{_plain(row.title)}.",
        f"**Here:** {state(row)}{f'; what runs instead: {_plain(row.missing)}' if row.state == 'stand-in' else ''}"
        f"{f'; what is missing: {_plain(row.missing)}' if row.missing and row.state != 'stand-in' else ''}."
        + (f" **In the paper:** {_plain(row.compared_with)}." if row.compared_with else ""),
    ]
    if (drawn := diagram(row)) and (picture := behind.picture(drawn)):
        parts.append(f'<figure class="artifact">{picture}</figure>')
    if protocol.functions:
        parts.append("## In the library")
    for name in protocol.functions:
        found = function(name, library)
        parts += [
            f'<p><a href="{address_of(name)}"><code>{name}</code></a></p>',
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
            file = found.path.relative_to(behind.root).as_posix()
            limits = [
                f"{found.header[key]:,} {unit}"
                for key, unit in (("max_tokens", "tokens"), ("free_tokens", "of a provider's"))
                if key in found.header
            ]
            asks = _inline(str(found.header.get("asks", "")))
            link = f'<a href="/{file}"><code>{name}</code></a>'
            lines.append(f"| {link} | {asks} | {found.words} | {', '.join(limits)} |")
        parts += [
            "## Prompts",
            "In our own words: the file's header says where the paper describes it and how a reply is read.",
            "\n".join(lines),
        ]

    def tests(other: Row) -> bool:
        same = other.paper == row.paper and {*other.outputs} & {*row.outputs}
        return other.kind in ("prompt", "claim") and bool(same)

    ran = [other for other in rows if other is row or tests(other)]
    if row.outputs:
        parts += ["## Where it runs", catalog_rows(ran, behind)]
    return page_text(*parts)


def protocol_index(rows: Sequence[Row], papers: Mapping[str, str]) -> str:
    """Markdown of the list of all protocols. papers: {key: name}."""
    own = [row for row in rows if row.kind == "protocol"]
    cells = [
        [
            f'<a href="/protocols/{row.id}.html">{heading(row)}</a><br>{escape(row.title)}',
            escape(papers[row.paper]),
            state(row),
            escape(row.missing),
        ]
        for row in own
    ]
    return page_text(
        "# Protocols",
        "Every procedure that a paper describes: how it runs here, what it asks, and where it ran. "
        "A *stand-in* is smaller or simpler than the paper's.",
        filtered(["protocol", "paper", "state", "what differs or is missing"], cells, filters=(1, 2)),
    )


def _list(cell: str) -> tuple[str, ...]:
    return tuple(text.strip() for text in cell.split(";") if text.strip())


def _plain(text: str) -> str:
    """Text as Markdown that says just that."""
    return re.sub(r"([\\`*_{}\[\]<>|$~])", r"\\\1", text)
