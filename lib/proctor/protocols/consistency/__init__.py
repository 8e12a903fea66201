"""Every check of every paper against itself: one module a paper, `sheet` for what they share."""

from proctor.protocols.consistency import cbu, hle, hle_verified, kina, uq
from proctor.protocols.consistency.sheet import Check

PAPERS = {"uq": uq, "hle": hle, "hle_verified": hle_verified, "kina": kina, "cbu": cbu}


def checks() -> list[Check]:
    """All checks, paper by paper."""
    return [check for paper in PAPERS.values() for check in paper.checks()]
