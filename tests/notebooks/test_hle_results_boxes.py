"""What the results boxes of HLE's notebooks say is what their claims say at the default parameters."""

import json
import re

import pytest
from proctor import paths
from proctor.report.claims import read_claims

NOTEBOOKS = sorted((paths.ROOT / "notebooks/hle").glob("[0-9]*.ipynb"))
QUANTITY = re.compile(r"[-+]?[\d.,]+ ?(?:%|points)? \[[^\]]*\]")  # "+71 points [+62, +78]"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_interval_in_the_box_is_that_of_a_claim(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    box = "".join(line.lstrip("> ") for line in cells[0]["source"] if line.startswith(">")).replace("\n", " ")
    claims = [claim for claim in read_claims(paths.FIGURES) if claim.notebook == f"hle/{path.stem}"]
    told = [re.sub(r"\s+", "", claim.numbers).replace("points", "").replace("%", "") for claim in claims]
    assert 3 <= box.count("- **") <= 5 and claims
    for found in QUANTITY.findall(box):
        plain = re.sub(r"\s+", "", found).replace("points", "").replace("%", "")
        assert any(numbers.startswith(plain) for numbers in told), found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_files_that_the_box_links_to_exist(path):
    source = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    links = re.findall(r"\]\((\.\./[^)]*)\)", source)
    assert links and all((path.parent / link).resolve().is_file() for link in links)
