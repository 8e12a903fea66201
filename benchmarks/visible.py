"""How much of the analysis a reader sees in the cells: python benchmarks/visible.py

For all notebooks and for each: lines of code; claims whose sentence and whose estimate, interval or truth stand in the
call; figures drawn in the notebook, not by a function of the library. Then the lines of the library. Goals of the
project: 90 % of claims, 85 % of figures, a median notebook of 150 to 250 lines.
"""

import ast
import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = {"estimate", "interval", "holds"}


def code_of(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def is_shown(call: ast.Call) -> bool:
    """Whether a claim's sentence and number stand in its call, not behind **keywords."""
    given = {word.arg for word in call.keywords if word.arg}
    said = len(call.args) > 1 and isinstance(call.args[1], ast.Constant | ast.JoinedStr | ast.BinOp | ast.Name)
    return said and bool(given & NUMBERS)


def library_names(tree: ast.AST) -> set[str]:
    """Names that the notebook imports from the library, without those that draw for everybody (report)."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("proctor", "desk")):
            if not node.module.startswith("proctor.report"):
                found |= {name.asname or name.name for name in node.names}
    return found


def is_drawn_here(call: ast.Call, tree: ast.AST) -> bool:
    """Whether the figure of `out.figure(figure, ...)` comes from the notebook's own code."""
    figure = call.args[0]
    if isinstance(figure, ast.Name):  # what it was assigned last before
        assigned = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and node.lineno <= call.lineno
            for target in node.targets
            if figure.id in {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
        ]
        figure = assigned[-1] if assigned else figure
    if not isinstance(figure, ast.Call):
        return True
    function = figure.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return not (isinstance(function, ast.Name) and function.id in library_names(tree))


def main() -> int:
    rows = []
    for path in sorted(ROOT.glob("notebooks/**/*.ipynb")):
        code = code_of(path)
        tree = ast.parse(code, mode="exec", type_comments=False)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        of_output = [call for call in calls if isinstance(call.func.value, ast.Name) and call.func.value.id == "out"]
        claims = [is_shown(call) for call in of_output if call.func.attr == "claim"]
        figures = [is_drawn_here(call, tree) for call in of_output if call.func.attr == "figure"]
        lines = sum(bool(line.strip()) for line in code.splitlines())
        name = path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
        rows.append((name, lines, sum(claims), len(claims), sum(figures), len(figures)))
    print(f"{'notebook':<40} {'lines':>5} {'claims shown':>14} {'figures here':>14}")
    for name, lines, shown, claims, here, figures in rows:
        print(f"{name:<40} {lines:>5} {f'{shown} of {claims}':>14} {f'{here} of {figures}':>14}")
    shown, claims, here, figures = (sum(column) for column in list(zip(*rows))[2:])
    print(f"\nclaims: {shown} of {claims}, {100 * shown / claims:.0f} %; goal 90 %")
    print(f"figures: {here} of {figures}, {100 * here / figures:.0f} %; goal 85 %")
    print(f"lines: median {statistics.median(row[1] for row in rows):.0f}, all {sum(row[1] for row in rows):,}")
    for folder in ("lib/proctor", "lib/desk", "tests"):
        files = [path.read_text(encoding="utf-8").count("\n") for path in (ROOT / folder).rglob("*.py")]
        print(f"{folder}: {sum(files):,} lines in {len(files)} files, the longest {max(files)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
