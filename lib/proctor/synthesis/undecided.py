"""Which measured claims cannot tell, and what it takes that they can: a plan before anything is recorded.

A claim over families of questions has an interval with n families. With N of them, these n among them, its estimate
moves to a value that today's data predict, and its interval narrows: `chances` gives the chance of a verdict. `plan`
puts the recordings first that turn most claims into a verdict an hour.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy import stats

from proctor.report.claims import Claim, verdict

UNDECIDED = "cannot tell"
# Calls that one family takes, in the order in which studies are asked: those of families-v2 (docs/recordings.md) / 9.
CALLS = {
    "natural.attempts": 9,
    "cbu.core": 53,
    "cbu.core_judges": 18,
    "cbu.all_arms": 231,
    "uq.natural_checks": 50,
    "uq.natural_cycles": 55,
    "hle.anchored_confidence": 22,
    "kina.tool_gain": 35,
    "kina.tool_steps": 70,
    "verification.paired_audits": 105,
}
READ = {  # what each notebook reads
    "cbu/5_worked_candidates": ("cbu.core", "cbu.core_judges"),
    "cbu/5_other_candidates": ("natural.attempts", "cbu.core", "cbu.all_arms"),
    "uq/3_reasons_and_thresholds": ("natural.attempts", "uq.natural_checks", "uq.natural_cycles"),
    "hle/2_measured_models": ("natural.attempts", "hle.anchored_confidence"),
    "hle_verified/2_audit_probabilities": ("verification.paired_audits",),
    "kina/4_scaling_cost_tools": ("kina.tool_gain", "kina.tool_steps"),
    "synthesis/3_one_bench": ("natural.attempts", "cbu.core", "cbu.core_judges", "uq.natural_checks"),
}


def chances(claims: Iterable[Claim], families: int, draws: int = 4000, seed: int = 1) -> pd.DataFrame:
    """One row per measured claim over families that cannot tell: id, notebook, says, n, half (of the interval today),
    half_then (with `families`), and chance, the chance of a verdict then.

    The truth is drawn around today's estimate with its standard error, the new families around the truth; the interval
    is that of t over families at the claim's own level. Raises ValueError where no claim is undecided."""
    rng, rows = np.random.default_rng(seed), []
    for claim in claims:
        known = claim.evidence == "measured" and claim.verdict == UNDECIDED and "famil" in claim.of
        if not known or None in (claim.low, claim.high, claim.estimate, claim.n) or not 2 <= claim.n < families:
            continue
        half, n = (claim.high - claim.low) / 2, claim.n
        more = families - n
        error = half / stats.t.ppf((1 + claim.level) / 2, n - 1)
        spread = more / (n + more) * error * np.sqrt(1 + n / more)
        then = stats.t.ppf((1 + claim.level) / 2, n + more - 1) * error * np.sqrt(n / (n + more))
        found = rng.normal(claim.estimate, spread, draws)
        decided = [verdict(value - then, value + then, claim.says) != UNDECIDED for value in found]
        rows.append(
            dict(id=claim.id, notebook=claim.notebook, says=claim.says, n=n, half=half, half_then=then)
            | dict(chance=float(np.mean(decided)))
        )
    if not rows:
        raise ValueError("no measured claim over families of questions is undecided: nothing to plan")
    return pd.DataFrame(rows)


def plan(table: pd.DataFrame, families: int, hours: float, seconds: float) -> pd.DataFrame:
    """One row per notebook, first where most verdicts an hour are to be had: notebook, studies (that those above it do
    not ask already), calls, hours, claims, expected (how many of them get a verdict), and recorded (whether all studies
    up to here fit in `hours`).

    table: of `chances`; families: to be added; seconds: of one call on this machine."""
    left, asked, rows = dict(READ), set(), []
    expected = table.groupby("notebook")["chance"].agg(["size", "sum"]).reindex(list(READ), fill_value=0)
    while left:
        calls = {name: sum(CALLS[study] for study in set(studies) - asked) for name, studies in left.items()}
        name = max(left, key=lambda name: expected.loc[name, "sum"] / max(calls[name], 1))
        new = [study for study in CALLS if study in left[name] and study not in asked]
        asked |= {*left.pop(name)}
        cost = dict(calls=calls[name] * families, hours=calls[name] * families * seconds / 3600)
        claims = dict(claims=int(expected.loc[name, "size"]), expected=float(expected.loc[name, "sum"]))
        rows.append(dict(notebook=name, studies=" ".join(new)) | cost | claims)
    found = pd.DataFrame(rows)
    return found.assign(recorded=found["hours"].cumsum() <= hours)
