"""Parameter profiles: what each notebook is given, checked against what it declares before anything runs.

A profile is a YAML file in params/ with a section `all`, whose values go to every notebook that declares
the name, and a section for each notebook that needs its own, named by its path:

    all:
      seed: 7
    hle/2_published_tables:
      n_items: 40

Values are merged in this order, the later over the earlier: the notebook's own defaults, params/default.yaml
(first `all`, then the notebook's section), the chosen profile (likewise), and -p on the command line.
"""

import ast
import difflib
import os
import typing
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import TypeAdapter, ValidationError

from proctor.paths import BUILD, COMMITTED, PARAMS
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks
from proctor.workflow.values import number

DEFAULT = PARAMS / "default.yaml"


class ParameterError(WorkflowError):
    """A profile, or a value on the command line, that does not fit the notebooks."""


class Parameter(NamedTuple):
    """One line of a notebook's `parameters` cell. `type` is the annotation, or else the default's type."""

    type: Any
    default: Any


def resolve(
    notebooks: Iterable[Notebook], profile: Path = DEFAULT, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, dict[str, Any]]:
    """What each notebook is given: {notebook name: {parameter: value}}.

    `overrides` has sections like a profile (from -p). Raises ParameterError for a file
    that cannot be read, a section that is no notebook, a name that no notebook declares, a value of the
    wrong type; all problems of one file are told at once.
    """
    declarations = {notebook.name: declared(notebook) for notebook in notebooks}
    values: dict[str, dict[str, Any]] = {name: {} for name in declarations}
    files = [DEFAULT] if DEFAULT.is_file() else []
    files += [profile] if Path(profile).resolve() != DEFAULT.resolve() else []
    for file in files:
        _merge(values, declarations, read_profile(file), source=str(file))
    if overrides:
        _merge(values, declarations, overrides, source="-p")
    return values


def of(notebook: Notebook, profile: Path, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """What one notebook is given, which may lie anywhere. overrides: {parameter: value}, of this notebook."""
    others = [other for other in all_notebooks() if other.path != notebook.path]
    return resolve([*others, notebook], profile, {notebook.name: overrides})[notebook.name]


def all_values(notebook: Notebook, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all parameters: those given, and the notebook's own defaults for the rest."""
    return {name: parameter.default for name, parameter in declared(notebook).items()} | dict(given)


def figures_folder(profile: Path, overrides: Collection) -> Path:
    """Where a run of all notebooks writes: figures/ at the default parameters, else build/figures/.

    PROCTOR_FIGURES names another place for both.
    """
    plain = Path(profile).resolve() == DEFAULT.resolve() and not overrides
    return Path(os.environ.get("PROCTOR_FIGURES") or (COMMITTED if plain else BUILD / "figures"))


def read_profile(path: str | Path) -> dict[str, dict[str, Any]]:
    """The sections of a profile: {"all" or notebook name: {parameter: value}}. Raises ParameterError."""
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        sections = _adapter(dict[str, dict[str, Any] | None]).validate_python(content)
    except FileNotFoundError:
        profiles = ", ".join(sorted(file.name for file in PARAMS.glob("*.yaml"))) or "none"
        raise ParameterError(f"{path}: no such parameter file; those in {PARAMS}: {profiles}") from None
    except ValidationError as error:
        wrong = {f"section `{each['loc'][0]}`" if each["loc"] else "it": each["input"] for each in error.errors()}
        lines = [f"{path}: {part} must hold `name: value` lines, found {wrong[part]!r:.200}" for part in wrong]
        raise ParameterError("\n".join(lines)) from None
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())[:300]
        raise ParameterError(
            f"{path}: can't be read ({why}); fix the indentation, quote, colon or value there or in the line above, "
            "or save the file as UTF-8"
        ) from None
    return {section: entries or {} for section, entries in sections.items()}


def read_overrides(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Values given as -p NAME VALUE, each value read as YAML: 40, 0.5, true, [a, b], "quoted text".

    Plain text is taken as it stands, so that `my table #2.csv` keeps what YAML takes for a comment.
    """
    values = {}
    for name, text in pairs:
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            raise ParameterError(f"-p {name}: {text!r} is not a YAML value; quote text that has : or # in it") from None
        plain = isinstance(value, str) and text[0] not in "\"'" or not text
        values[name] = text if plain else value
    return values


@cache
def declared(notebook: Notebook) -> dict[str, Parameter]:
    """The parameters that a notebook declares in its cell tagged `parameters` ({} without such a cell).

    A line is `name: type = default` or `name = default`; the cell is read, not run. Raises ParameterError.
    """
    found: dict[str, Parameter] = {}
    for cell in (cell for cell in notebook.code if "parameters" in cell.tags):
        where = f"{notebook.path}, cell {cell.number} (tagged parameters)"
        try:
            for line in ast.parse(cell.source).body:
                where = f"{notebook.path}, cell {cell.number} (tagged parameters), line {line.lineno}"
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    kind = eval(ast.unparse(line.annotation), {**vars(typing)})
                    found[line.target.id] = Parameter(kind, _default(line.value))
                elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                    default = _default(line.value)
                    found[line.targets[0].id] = Parameter(Any if default is None else type(default), default)
        except (SyntaxError, NameError, TypeError, AttributeError) as error:
            raise ParameterError(
                f"{where}: {error}; keep to lines such as `n_items: int = 40`, "
                "with int, float, str, bool, list[...], dict[...], Literal[...] or X | None"
            ) from None
    return found


def _default(value: ast.expr | None) -> Any:
    """What 40, [1, 2] or 689 / 2500 is; None for what rests on names."""
    try:
        return eval(ast.unparse(value), {"__builtins__": {}}) if value else None
    except (ArithmeticError, NameError, TypeError):
        return None


def _merge(values: dict, declarations: dict, sections: Mapping, source: str) -> None:
    """Lay the sections of one source over `values`, or raise ParameterError with all that is wrong with them."""
    problems, anywhere = [], {name for parameters in declarations.values() for name in parameters}
    for section, given in sections.items():
        if section != "all" and section not in declarations:
            problems.append(f"there is no notebook `{section}`{_nearest(section, declarations)}")
            continue
        who = "no notebook has a" if section == "all" else f"notebook {section} has no"
        known = anywhere if section == "all" else declarations[section]
        problems += [f"{who} parameter `{name}`{_nearest(name, known)}" for name in given if name not in known]
    for notebook, parameters in declarations.items():
        given = {name: value for name, value in sections.get("all", {}).items() if name in parameters}
        given |= sections.get(notebook, {})
        for name, value in given.items():
            if name in parameters and (problem := _misfit(value, parameters[name])):
                problems.append(f"`{name}` of notebook {notebook}: {problem}")
        values[notebook].update(given)
    if problems:
        raise ParameterError("\n".join(f"{source}: {problem}" for problem in problems))


def _misfit(value: Any, parameter: Parameter) -> str | None:
    try:
        _adapter(parameter.type).validate_python(value, strict=True)
    except ValidationError:
        hint = "; YAML reads 1e-3 as text, write 1.0e-3" if isinstance(value, str) and number(value) is not None else ""
        kind = str(parameter.type) if typing.get_args(parameter.type) else parameter.type.__name__
        return f"expected {kind.replace('typing.', '')}, found {value!r} ({type(value).__name__}){hint}"
    return None


_adapter = cache(TypeAdapter)


def _nearest(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    close = difflib.get_close_matches(str(name), known, n=3)
    if close:
        return "; did you mean " + " or ".join(f"`{match}`" for match in close) + "?"
    return "; there are: " + ", ".join(known) if known else ""
