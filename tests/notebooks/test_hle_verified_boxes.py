"""The results boxes of HLE-Verified's notebooks: their numbers are those of the claims, their links lead somewhere."""

import json
import re

import pytest
from proctor import paths
from proctor.report.claims import read_claims

NOTEBOOKS = sorted((paths.ROOT / "notebooks/hle_verified").glob("[0-9]*.ipynb"), key=lambda path: path.name)
INTERVAL = re.compile(r"([-+]?\d[\d.,]*)([^\[\]\d]*)(\[[-+]?[\d.]+, [-+]?[\d.]+\])")


def box(path):
    lines = "".join(json.loads(path.read_text())["cells"][0]["source"]).splitlines()
    return " ".join(line.removeprefix(">").strip() for line in lines if line.startswith(">"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_intervals_in_the_box_are_those_of_the_claims(path):
    told = [claim.numbers for claim in read_claims() if claim.notebook == f"hle_verified/{path.stem}"]
    text = box(path)
    assert 2 <= text.count("- **") <= 5 and told
    for value, _, interval in INTERVAL.findall(text):
        assert any(one.startswith(value) and interval in one for one in told), f"{value} {interval} is no claim's"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_in_the_box_lead_to_files(path):
    links = re.findall(r"\]\(([^)]+)\)", box(path))
    assert links and all((path.parent / link).is_file() for link in links)
