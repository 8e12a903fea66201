"""The optional packages that some commands need, by the extras that bring them (pyproject.toml)."""

import importlib.metadata
import importlib.util
import re


def need(*modules: str) -> None:
    """Raises ModuleNotFoundError for the first of these modules that is not installed, before anything else is done."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def remedy(error: ModuleNotFoundError) -> str | None:
    """What to install where a module is not found; None where none of our extras has it.

    In a checkout, which has no metadata of a package, `make setup` installs all of them.
    """
    module = (error.name or "").partition(".")[0]
    try:
        required = importlib.metadata.requires("proctor") or []
    except importlib.metadata.PackageNotFoundError:
        return None if module == "proctor" else "make setup"
    for line in required:
        found = re.fullmatch(r"([\w.-]+).*; extra == ['\"](\w+)['\"]", line)
        if found and re.sub(r"[-.]", "_", found[1]).lower() == module.lower():
            return f"pip install 'proctor[{found[2]}]'"
    return None
