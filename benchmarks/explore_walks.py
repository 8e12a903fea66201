"""The walks of docs/explore.md, done as they are written there: each notebook is copied to build/explore/, changed by
the lines that begin with - and +, and run as JupyterLab runs it; its figure goes to docs/explore/.

    .venv/bin/python benchmarks/explore_walks.py            # one: explore_walks.py leaderboard
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE, PLACE = ROOT / "docs/explore.md", ROOT / "build/explore"


class Walk(NamedTuple):
    notebook: str
    changes: list[tuple[str, str]]  # (text of a cell, what stands there then)
    picture: str  # of docs/
    figure: str


def walks() -> list[Walk]:
    """Those of docs/explore.md, in its order."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        changes = []
        for block in re.findall(r"^```diff\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            sides = {side: [line[1:] for line in block.splitlines() if line[0] == side] for side in "-+"}
            changes.append(("\n".join(sides["-"]), "\n".join(sides["+"])))
        [notebook] = re.findall(r"\]\(\.\./notebooks/([\w/]+)\.ipynb\)", section)
        [(picture, figure)] = re.findall(r"\]\((explore/\w+\.png)\) \(figure `([\w/]+)`\)", section)
        found.append(Walk(notebook, changes, picture, figure))
    return found


def changed(walk: Walk) -> dict:
    """The notebook with the changes of the walk. Raises ValueError where a text does not stand in exactly one cell."""
    content = json.loads((ROOT / f"notebooks/{walk.notebook}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
    for old, new in walk.changes:
        hits = [cell for cell in cells if f"\n{old}\n" in f"\n{cell['source']}\n"]
        if len(hits) != 1:
            raise ValueError(f"{walk.notebook}: {len(hits)} cells hold {old!r}")
        source = f"\n{hits[0]['source']}\n"
        hits[0]["source"] = source.replace(f"\n{old}\n", f"\n{new}\n" if new else "\n")[1:-1]
    return content


def run(walk: Walk) -> None:
    """Run the changed copy as JupyterLab does, and write its figure in 128 colours to docs/."""
    from PIL import Image

    copy = PLACE / f"{walk.notebook}.ipynb"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(json.dumps(changed(walk)), encoding="utf-8")
    names = {"JPY_SESSION_NAME": str(copy), "PROCTOR_FIGURES": str(PLACE / "figures"), "PYTHONPATH": str(ROOT / "lib")}
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(copy)]
    subprocess.run(command, cwd=ROOT, env=os.environ | names, check=True)
    picture = Image.open(PLACE / "figures" / f"{walk.figure}.png").convert("RGB").quantize(128)
    picture.save(ROOT / "docs" / walk.picture, optimize=True)


if __name__ == "__main__":
    for each in walks():
        if not sys.argv[1:] or Path(each.picture).stem in sys.argv[1:]:
            run(each)
            print(f"{each.notebook}: docs/{each.picture}", flush=True)
