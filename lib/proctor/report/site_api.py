"""The reference of the library in the site: a page a package, with each public function's signature and docstring.

Read from the files, without importing them: Sphinx's autodoc gives the same pages, but takes several times as long as
all the rest of the site. Names are objects of Sphinx's Python domain, so that search and links know them.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Described(NamedTuple):
    name: str
    kind: str  # function or class
    code: str  # as the file has it: the `def`; of a class its fields and public methods too
    about: str  # the docstring
    methods: tuple[tuple[str, str], ...] = ()  # (name, docstring)
    parameters: tuple[str, ...] = ()  # or the fields of a class


def packages(library: Path) -> dict[str, list[str]]:
    """{package: its public modules}, dotted from `library` (lib/proctor); those in no package are under ""."""
    found: dict[str, list[str]] = {}
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if not any(part.startswith("_") for part in parts):
            found.setdefault(parts[0] if len(parts) > 1 else "", []).append(".".join(parts))
    return dict(sorted(found.items(), key=lambda entry: (entry[0] == "", entry[0])))


def described(path: Path) -> Iterator[Described]:
    """The public functions and classes of a module, in its order."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        about = ast.get_docstring(node) or ""
        if not isinstance(node, ast.ClassDef):
            given = node.args
            names = tuple(one.arg for one in [*given.posonlyargs, *given.args, *given.kwonlyargs])
            yield Described(node.name, "function", header(node, lines), about, (), names)
            continue
        fields = [lines[one.lineno - 1 : one.end_lineno] for one in node.body if isinstance(one, ast.AnnAssign)]
        methods = [
            one
            for one in node.body
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_")
        ]
        parts = [header(node, lines), *("\n".join(field) for field in fields), *(header(one, lines) for one in methods)]
        said = tuple((one.name, text) for one in methods if (text := ast.get_docstring(one)))
        names = tuple(
            one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        )
        yield Described(node.name, "class", "\n".join(parts), about, said, names)


def header(node: Definition, lines: list[str]) -> str:
    """The `def` or `class` of a node, with its decorators, as `lines` of its file have it."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return "\n".join(lines[first - 1 : node.body[0].lineno - 1]).rstrip()


def page_of(package: str) -> str:
    """The page of a package: "uq" -> "api/uq"; modules outside of the packages have one together."""
    return f"api/{package or 'proctor'}"


def address_of(function: str) -> str:
    """Page and anchor of a function: "uq.checks.run_check" -> "api/uq.html#proctor.uq.checks.run_check"."""
    package = function.partition(".")[0] if function.count(".") > 1 else ""
    return f"{page_of(package)}.html#proctor.{function}"


def package_page(package: str, modules: list[str], library: Path) -> str:
    """Markdown of one package: its modules in order, each with all that is public."""
    parts = [f"# proctor.{package}" if package else "# proctor"]
    for module in modules:
        path = library / (module.replace(".", "/") + ".py")
        about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        parts += [f"## {module}", f"```{{py:module}} proctor.{module}\n```", prose(about)]
        public = list(described(path))
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
    return "\n\n".join(filter(None, parts)) + "\n"


def index_page(found: dict[str, list[str]], library: Path) -> str:
    """Markdown of the reference's first page: packages with their modules, and what each is for."""
    parts = [
        "# The library",
        "What notebooks call: functions and classes of `lib/proctor/`, from their docstrings. A result is a number, an "
        "array or a DataFrame; what asks models is `async` and takes a `Session`. Modules whose name ends in `figures` "
        "draw, and compute nothing.",
    ]
    for package, modules in found.items():
        page = page_of(package).removeprefix("api/")
        lines = "".join(
            f'\n| <a href="{page}.html#module-proctor.{module}">{module}</a> '
            f"| {summary(library / (module.replace('.', '/') + '.py'))} |"
            for module in modules
        )
        parts += [
            f"## {package or 'outside of the packages'}",
            f'<details class="module"><summary>{len(modules)} modules</summary>',
            f"| module | what it does |\n|---|---|{lines}",
            "</details>",
        ]
    entries = "\n".join(f"{package or 'proctor'} <{page_of(package).removeprefix('api/')}>" for package in found)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{entries}\n```"]) + "\n"


def summary(path: Path) -> str:
    """The first paragraph of a module's docstring, as HTML for a table's cell."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else None
    return _inline(" ".join((text or "").partition("\n\n")[0].split())).replace("|", "&#124;")


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


def _listed(text: str, parameters: Sequence[str]) -> str:
    """A paragraph whose sentences on parameters are a list."""
    known = "|".join(map(re.escape, parameters)) or "(?!)"
    starts = list(re.finditer(rf"(?:^|(?<=[.;)] ))((?:{known})(?:, (?:{known}))*)(?: (\([^()]*\)))?: ", text))
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
    """Text as HTML that Markdown leaves alone."""
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"[*_\\$~\[\]{}`]", lambda mark: f"&#{ord(mark[0])};", html)
