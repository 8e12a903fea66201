"""What can be read off a notebook file without running it: its name, its cells, its declared data.

Only the standard library: nbformat takes over a second to import, and the workflow reads notebooks often.

Which of our own files a notebook rests on: the modules of lib/ that it imports, and what those import.
"""

import ast
import difflib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from proctor.files import files_below
from proctor.paths import COMMITTED, ROOT, runs_of

NOTEBOOKS = ROOT.resolve() / "notebooks"


class WorkflowError(Exception):
    """A file of the repository that stops a run before it starts; the message names file, place and fix."""


class Cell(NamedTuple):
    number: int  # counted from 1 over all cells of the file, as a reader would
    source: str
    tags: tuple[str, ...]


class Notebook:
    """One notebook file. `name` is its path under notebooks/ without the ending, e.g. "hle/2_published_tables"."""

    def __init__(self, path: str | Path):
        self.path = Path(path).resolve()
        try:
            self.name = self.path.relative_to(NOTEBOOKS).with_suffix("").as_posix()
        except ValueError:
            self.name = self.path.stem

    def executed(self, figures: Path = COMMITTED) -> Path:
        """Where the executed copy of a run goes that writes to `figures`."""
        return runs_of(figures) / "notebooks" / f"{self.name}.ipynb"

    @cached_property
    def content(self) -> dict:
        """The file as parsed JSON. Raises WorkflowError."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            content["cells"], content["metadata"]
        except FileNotFoundError:
            raise WorkflowError(f"{self.path}: no such notebook") from None
        except (ValueError, KeyError, TypeError) as error:
            raise WorkflowError(
                f"{self.path}: not a notebook ({error!r}); open it in JupyterLab and save it again, "
                "or take it back from git"
            ) from None
        return content

    @cached_property
    def code(self) -> list[Cell]:
        """The code cells, in order."""
        return [
            Cell(number, "".join(cell["source"]), tuple(cell["metadata"].get("tags", ())))
            for number, cell in enumerate(self.content["cells"], 1)
            if cell["cell_type"] == "code"
        ]

    @property
    def _about(self) -> dict[str, Any]:
        """What the notebook's metadata says for us: {"proctor": {"data": [...], "logs": [...], "long": true}}."""
        return self.content["metadata"].get("proctor", {})

    def data(self) -> list[Path]:
        """The files that the notebook's metadata names: {"proctor": {"data": ["data/recorded/*.gz", ...]}}.

        Patterns are relative to the repository. One that matches nothing is an error unless it has a wildcard.
        """
        found = []
        for pattern in self._about.get("data", []):
            files = sorted(path for path in ROOT.glob(pattern) if path.is_file())
            if not files and "*" not in pattern:
                raise WorkflowError(
                    f"{self.path}: its metadata proctor.data names {pattern}, and there is no such "
                    "file; fix the name there, or take the file back from git"
                )
            found += files
        return found

    @property
    def logs(self) -> list[str]:
        """The public logs that the notebook's metadata names: {"proctor": {"logs": ["judge_scores", ...]}}."""
        return self._about.get("logs", [])

    @property
    def long(self) -> bool:
        """Whether it takes long, by its metadata, {"proctor": {"long": true}}: it starts before the others."""
        return self._about.get("long", False)

    def missing_logs(self) -> list[str]:
        """Those of its logs whose tidy files are not on this machine. Raises WorkflowError for an unknown name."""
        return [name for name in self.logs if not self._log_folder(name)]

    def log_files(self) -> list[Path]:
        """The files in the folders of its logs; none of a log that is missing."""
        folders = [folder for name in self.logs if (folder := self._log_folder(name))]
        return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]

    def _log_folder(self, name: str) -> Path | None:
        from proctor import log_files  # here, not above: only notebooks with logs need its table of sources

        try:
            return log_files.folder(name)
        except ValueError as error:
            raise WorkflowError(f"{self.path}: its metadata proctor.logs is wrong: {error}") from None


def shown(path: Path) -> str:
    """The path from the checkout's folder; one that lies elsewhere as it is."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def chosen(names: Sequence[str], notebooks: Sequence[Notebook]) -> list[Notebook]:
    """The notebooks of these names or paths; all where none is named. Raises WorkflowError for an unknown one."""
    known = {notebook.name: notebook for notebook in notebooks}
    wanted = [name.removeprefix("notebooks/").removesuffix(".ipynb") for name in names]
    for name in wanted:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3)
            raise WorkflowError(
                f"there is no notebook {name!r}" + (f"; did you mean {' or '.join(close)}?" if close else "")
            )
    return [known[name] for name in dict.fromkeys(wanted)] if names else list(notebooks)


def all_notebooks() -> list[Notebook]:
    """Every notebook of the repository, by name."""
    return [Notebook(path) for path in sorted(NOTEBOOKS.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]


LIB = ROOT / "lib"
PACKAGE, DESK = "proctor", "desk"


@cache
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
