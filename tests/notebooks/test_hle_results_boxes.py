"""The results boxes of HLE's and HLE-Verified's notebooks lead to files (their numbers: test_contract)."""

import json
import re

import pytest
from proctor import paths

NOTEBOOKS = sorted(paths.ROOT.glob("notebooks/hle*/[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_files_that_the_box_links_to_exist(path):
    source = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    links = re.findall(r"\]\((\.\./[^)]*)\)", source)
    assert links and all((path.parent / link).resolve().is_file() for link in links)
