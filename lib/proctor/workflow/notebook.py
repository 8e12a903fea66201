"""What can be read off a notebook file without running it: its name, its cells, its declared data.

Only the standard library: nbformat takes over a second to import, and the workflow reads notebooks often.

Which of our own files a notebook rests on: the modules of lib/ that it imports, and what those import.
"""

import difflib
import json
import re
from collections.abc import Sequence
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
IMPORT = re.compile(r"(?:^|;)[ \t]*(?:from|import)[ \t]+((?:proctor|desk)\b[^(\n;#]*(?:\([^)]*\))?)", re.MULTILINE)


@cache
def modules_of(notebook: Notebook) -> list[Path]:
    """The files under lib/ that running the notebook may read, sorted.

    Found by reading `import` statements, never by running them: also those inside functions, and the
    `__init__.py` of every package on the way. Files that are not Python (prompts, styles) count with the package in
    whose folder they lie, and a prompt with the cell or the paper's module that writes its name ("uq/correctness").
    """
    found: set[Path] = set()
    todo = set().union(*(_imported(cell.source) | _prompts(cell.source) for cell in notebook.code))
    while todo:
        found |= todo
        todo = set().union(*(_rests_on(path) for path in todo)) - found
    return sorted(found)


@cache
def _rests_on(path: Path) -> set[Path]:
    """The files of lib/ that a file there may read: of a package's `__init__.py` all that lie below it."""
    if path.suffix != ".py":
        return set()
    text, found = path.read_text(encoding="utf-8"), set[Path]()
    if path.name == "__init__.py" and path.parent != LIB / "proctor":  # below which the whole library lies
        below = files_below(path.parent)
        found = {file for file in below if file.suffix not in {".py", ".pyc"} and file.name[0] != "."}
    if (path.parent / "prompts").is_dir():  # shared rooms name prompts as examples alone
        found |= _prompts(text)
    return found | _imported(text)


def _prompts(text: str) -> set[Path]:
    """The prompts that a text names: "uq/correctness" is uq/prompts/correctness.md, and free/correctness.md there."""
    names = re.findall(r"[\"'](\w+)/(\w+)[\"']", text)
    return {path for paper, name in names for path in LIB.glob(f"proctor/{paper}/prompts/**/{name}.md")}


def _imported(text: str) -> set[Path]:
    """The modules of lib/ that a text imports, and the `__init__.py` of the packages that they lie in."""
    found = set()
    for statement in IMPORT.findall(text):
        module, *names = re.findall(r"[\w.]+", statement)  # among the names are `import` and `as`: no modules
        for name in (module, *names, *(f"{module}.{name}" for name in names)):
            place = LIB / name.replace(".", "/")
            packages = [folder / "__init__.py" for folder in (place, *place.parents) if folder.is_relative_to(LIB)]
            found |= {path for path in (place.with_suffix(".py"), *packages) if path.is_file()}
    return found
