"""Which of our own files a notebook rests on: the modules of lib/ that it imports, and what those import."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from proctor.files import files_below
from proctor.paths import ROOT
from proctor.workflow.notebook import Cell, Notebook, WorkflowError

LIB = ROOT / "lib"
PACKAGE, DESK = "proctor", "desk"


def modules_of(notebook: Notebook) -> list[Path]:
    """The files under lib/ that running the notebook may read, sorted.

    Found by reading `import` statements, never by running them: also those inside functions, and the
    `__init__.py` of every package on the way. Files that are not Python (prompts, styles) count with the package in
    whose folder they lie, and a prompt with whoever writes its name ("uq/correctness"). Raises WorkflowError for a cell
    or a module that is not Python.
    """
    todo = [name for cell in notebook.code for name in _imported(_parse_cell(notebook, cell), package="")]
    seen = set()
    while todo:
        path = _file(todo.pop())
        if path and path not in seen:
            seen.add(path)
            todo += _imported_by_module(path)
    beside = {path for init in seen if init.name == "__init__.py" for path in _other_files(init.parent)}
    papers = {name.partition("/")[0] for name in _prompts()}  # shared rooms name prompts as examples alone
    named = {name for cell in notebook.code for name in _prompts_named(cell.source)}
    named |= {name for path in seen for name in _prompts_in(path) if path.relative_to(LIB).parts[1] in papers}
    return sorted(seen | beside | {path for name in named for path in _prompts()[name]})


@cache
def _prompts_in(path: Path) -> list[str]:
    return _prompts_named(path.read_text(encoding="utf-8"))


def _prompts_named(text: str) -> list[str]:
    return [name for name in dict.fromkeys(re.findall(r"\b[a-z_]+/\w+", text)) if name in _prompts()]


@cache
def _prompts() -> dict[str, list[Path]]:
    """{name: files} of all prompts: "uq/correctness" is uq/prompts/correctness.md, and free/correctness.md there."""
    found: dict[str, list[Path]] = {}
    for path in sorted((LIB / PACKAGE).glob("*/prompts/**/*.md")):
        found.setdefault(f"{path.relative_to(LIB / PACKAGE).parts[0]}/{path.stem}", []).append(path)
    return found


def _parse_cell(notebook: Notebook, cell: Cell) -> ast.Module:
    where = f"{notebook.path}, cell {cell.number}"
    try:
        return _parse(cell.source, where)
    except WorkflowError:  # a line magic or a shell line is no Python; `pass` keeps the block that it may stand in
        return _parse(re.sub(r"^([ \t]*)[%!].*$", r"\1pass", cell.source, flags=re.MULTILINE), where)


def _parse(source: str, where: str) -> ast.Module:
    try:
        return compile(source, where, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        raise WorkflowError(f"{where}, line {error.lineno}: not valid Python ({error.msg}); fix that line") from None


def _imported(tree: ast.AST, package: str) -> list[str]:
    """Dotted names of all modules of lib/ that the code may import. `package` resolves relative imports."""
    names = []
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            # `from a import b`: b may be a module or a name in a; _file drops what is no module
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    ours = [name.split(".") for name in names if name.split(".")[0] in (PACKAGE, DESK)]
    # importing a.b.c runs a and a.b first
    return sorted({".".join(parts[:n]) for parts in ours for n in range(1, len(parts) + 1)})


def _statements(block: ast.AST) -> Iterator[ast.AST]:
    """All statements below, at any depth. Expressions hold none, and are most of a syntax tree."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(block, part, ()):
            yield node
            yield from _statements(node)


@cache
def _imported_by_module(path: Path) -> list[str]:
    parts = path.relative_to(LIB).with_suffix("").parts
    return _imported(_parse(path.read_text(encoding="utf-8"), str(path)), package=".".join(parts[:-1]))


@cache
def _file(name: str) -> Path | None:
    stem = LIB.joinpath(*name.split("."))
    return next((path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()), None)


@cache
def _other_files(folder: Path) -> list[Path]:
    if folder == LIB / PACKAGE:
        return []  # the whole library lies below it
    return [
        path for path in files_below(folder) if path.suffix not in {".py", ".pyc"} and not path.name.startswith(".")
    ]
