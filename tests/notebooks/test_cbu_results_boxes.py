"""The results box of each of CBU's notebooks says what its committed claims say, and links to figures that exist."""

import json
import re

import pytest
from proctor import paths
from proctor.report.claims import read_claims

NOTEBOOKS = sorted(path.stem for path in (paths.ROOT / "notebooks/cbu").glob("*.ipynb") if path.stem != "exercises")


@pytest.fixture(scope="module")
def claims():
    found = {}
    for claim in read_claims(paths.ROOT / "figures"):
        found.setdefault(claim.notebook, []).append(claim)
    return found


def box(name):
    first = json.loads((paths.ROOT / f"notebooks/cbu/{name}.ipynb").read_text())["cells"][0]["source"]
    lines = "".join(first).splitlines() if isinstance(first, list) else first.splitlines()
    return " ".join(line.removeprefix(">").strip() for line in lines if line.startswith(">"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_intervals_of_the_box_are_those_of_claims(name, claims):
    numbers = " | ".join(claim.numbers for claim in claims[f"cbu/{name}"])
    intervals = re.findall(r"\[[-+\d.]+, [-+\d.]+\]", box(name))
    assert intervals and [one for one in intervals if one not in numbers] == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_of_the_box_lead_to_figures(name):
    links = re.findall(r"\]\((\S+?)\)", box(name))
    assert links and [one for one in links if not (paths.ROOT / "notebooks/cbu" / one).is_file()] == []
