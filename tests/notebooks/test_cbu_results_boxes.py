"""The results box of each of CBU's notebooks links to figures that exist (its numbers: `test_contract`)."""

import json
import re

import pytest
from proctor import paths

NOTEBOOKS = sorted(path.stem for path in (paths.ROOT / "notebooks/cbu").glob("*.ipynb") if path.stem != "exercises")


def box(name):
    first = json.loads((paths.ROOT / f"notebooks/cbu/{name}.ipynb").read_text())["cells"][0]["source"]
    lines = "".join(first).splitlines() if isinstance(first, list) else first.splitlines()
    return " ".join(line.removeprefix(">").strip() for line in lines if line.startswith(">"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_of_the_box_lead_to_figures(name):
    links = re.findall(r"\]\((\S+?)\)", box(name))
    assert links and [one for one in links if not (paths.ROOT / "notebooks/cbu" / one).is_file()] == []
