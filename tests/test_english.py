"""Words that a reader abroad stumbles over stand in no text that we show."""

import ast
import json
import re
from functools import cache

import pytest
from proctor.paths import ROOT

WORDS = {  # what not to write: what to write
    r"\btold\b": "reported; undecided, not distinguishable",
    r"\bbesides?\b": "next to, compared with; else",
    r"\bmend(s|ed|ing)?\b": "fix, repair",
    r"\bbears?\b": "support, affect",
    r"\bh[au]ngs? on\b": "depend on",
    r"\b[Aa] (row|file|folder|line|bar|panel|page|card|notebook) an? \w+": "one row per item",
    r"\bby lot\b": "at random",
    r"\bgather(s|ed|ing)\b": "concentrated, collected",
    r"\bless (the|that of|what|its|their)\b": "minus",
    r"\bturns? the order\b": "reverses the ranking",
    r"\bat equal calls\b": "for the same number of calls",
    r"\b(its|their) own ranks?\b": "a distinguishable rank",
}
# Names of data stay: a field of an interface, a verdict in tables.
NAMES = {
    "lib/desk/api_schema.py": ["mend"],
    "lib/proctor/stats/compare.py": ["told"],
    "notebooks/synthesis/audit_your_table.ipynb": ["told"],
}


@cache
def texts() -> dict[str, str]:
    """{file: what a reader sees of it}: pages, markdown and strings of notebooks, strings of the library."""
    found = {path: path.read_text() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]}
    found = {path: text for path, text in found.items() if path.name != "CHANGELOG.md"}
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        if ".ipynb_checkpoints" not in path.parts:
            cells = json.loads(path.read_text())["cells"]
            parts = [("".join(cell["source"]), cell["cell_type"]) for cell in cells]
            found[path] = "\n".join(text if kind == "markdown" else strings(text) for text, kind in parts)
    code = {path: path.read_text() for path in (ROOT / "lib").rglob("*.py")}
    found |= {path: strings(text) for path, text in code.items() if any(re.search(word, text) for word in WORDS)}
    return {path.relative_to(ROOT).as_posix(): re.sub(r"`[^`\n]*`", "", text) for path, text in found.items()}


def strings(code: str) -> str:
    """The strings of some code, without docstrings and names of one word."""
    tree = compile(code, "code", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone]
    return "\n".join(part for part in parts if isinstance(part, str) and " " in part.strip())


@pytest.mark.parametrize("word", WORDS)
def test_a_word_to_avoid_stands_nowhere(word):
    found = []
    for name, text in texts().items():
        for match in re.finditer(word, text):
            if match[0].lower() not in NAMES.get(name, ()):
                found.append(f"{name}: {' '.join(text[max(0, match.start() - 50) : match.end() + 30].split())}")
    assert not found, f"write {WORDS[word]}:\n" + "\n".join(found)
