"""The audit of HLE-Verified (appendix A.1.2) on damaged items beside their sound twins: one probability an audit.

An audit is one token, bound to Y or N. Its probability is recorded, and no samples are drawn: given the probability p,
n samples are n throws of a coin with that chance, whatever the item is. So they hold nothing of the item that p does
not hold (p is sufficient), and their mean is p with a variance of p (1 - p) / n.
"""

from collections.abc import Sequence

import pandas as pd

from proctor.exam import screening
from proctor.hle_verified.paired_defects import PER_KIND, all_versions
from proctor.models.prompts import load
from proctor.models.read_reply import p_accept, verdict
from proctor.models.session import Session

PROMPT = "hle_verified/audit_parts"
# Two rates and their correlation, expected before the study. Where it is -1: pairs in which the sound item has the
# higher probability, against those in which it has not. On families-v1 an AUC was .91 for keys, and none that
# differed from .5 for problems and rationales. A wrong key contradicts its rationale; a wrong repair agrees with its
# own, so less is expected of repairs. The last two: shares that pass, or are rejected, at thresholds of other families.
EXPECTED = {
    "problem: sound twin above": (0.65, 0.35, -1.0),
    "answer: sound twin above": (0.8, 0.2, -1.0),
    "rationale: sound twin above": (0.6, 0.4, -1.0),
    "repaired answer: right above wrong": (0.6, 0.4, -1.0),
    "repaired rationale: right above wrong": (0.6, 0.4, -1.0),
    "whole audit: right minus wrong repairs pass": (0.3, 0.15, 0.2),
    "one kind: damaged minus sound rejected": (0.7, 0.3, 0.2),
}


async def paired_audits(
    session: Session, models: Sequence[str] = (screening.MODEL,), per_kind: int = PER_KIND
) -> pd.DataFrame:
    """One row an auditor (model), version and component whose truth is defined: base, category, level, state, kind
    ("" for none), component, holds, sound (None: unreadable), p_sound."""
    versions = all_versions(per_kind)
    rows = [
        (model, v, part) for model in models for v in versions for part, held in v.holds.items() if held is not None
    ]
    prompt = load(PROMPT, session.settings)
    requests = [
        prompt.request(
            model,
            problem=version.item.question,
            rationale=version.item.rationale,
            answer=str(version.item.answer),
            component=part,
        )
        for model, version, part in rows
    ]
    replies = await session.ask_many(requests, "audits of pairs")
    table = []
    for (model, version, part), request, reply in zip(rows, requests, replies):
        item = version.item
        table.append(
            dict(
                model=model,
                base=version.base,
                category=item.category,
                level=item.level,
                state=version.state,
                kind=str(version.kind or ""),
                component=part,
                holds=version.holds[part],
                sound=verdict(reply, **request.shown),
                p_sound=p_accept(reply, **request.shown),
            )
        )
    return pd.DataFrame(table)


STUDIES = {"verification.paired_audits": paired_audits}
