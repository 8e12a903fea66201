"""Results boxes of UQ: every bullet names its claim, with the verdict and numbers of the committed run."""

import json
import re

import pytest
from proctor import paths
from proctor.report.claims import read_claims

NOTEBOOKS = (
    "uq/1_dataset",
    "uq/1_review_and_releases",
    "uq/4_bias_and_ranking",
    "uq/6_agreement",
    "uq/7_evaluation",
    "uq/8_platform",
    "uq/8_reviewers",
)
NAMED = re.compile(r"`(uq/\w+(?:\.\w+)?)`")


def bullets(notebook: str) -> list[str]:
    cells = json.loads((paths.ROOT / f"notebooks/{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = [line[1:].strip() for line in "".join(cells[0]["source"]).splitlines() if line.startswith(">")]
    return " ".join(lines).removeprefix("- **").split(" - **")


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_bullet_names_a_claim_with_its_verdict_and_numbers(notebook):
    known = {claim.id: claim for claim in read_claims() if claim.notebook == notebook}
    found = bullets(notebook)
    assert 3 <= len(found) <= 5
    for bullet in found:
        named = NAMED.findall(bullet)
        assert named, bullet
        for claim in (known[name] for name in named):
            numbers = re.split(", (?:n =|exact:)", claim.numbers)[0] if claim.says else ""
            assert f"*{claim.verdict}*" in bullet and numbers in bullet, f"{claim.id}: {claim.verdict}, {numbers}"
