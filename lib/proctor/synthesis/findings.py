"""Which of the papers' findings hold, by kind of evidence: each finding once, however many claims test it.

    findings = load_findings("data/findings.csv")
    tests = tests_of(findings, load_readings("data/finding_tests.csv"), catalog.read(), read_claims(FIGURES))
    table = by_finding(findings, tests, catalog.read())

data/findings.csv has a row for each row of the catalog that states a claim of a paper (<paper>/claim_...): the finding
that it states (rows that say the same name the same one), its kind and its rank. data/finding_tests.csv names claims of
ours that test such a finding on other data, and claims that do not test the finding whose name they bear.

The rule (`combined`): where the verdicts of all tests of a finding are the same it is that verdict, else "mixed". So no
finding is counted twice, and one more test can only take a verdict away.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from scipy.special import stdtrit

from proctor.data.tabular import DataError, problem, summary
from proctor.report.catalog import Row
from proctor.report.claims import FAILS, HOLDS, MARKS, UNSETTLED, VERDICTS, Claim, of_catalog, parse, verdict
from proctor.report.provenance import evidence_kinds
from proctor.stats.power import units_needed

FINDINGS = ["claim", "finding", "kind", "rank", "label"]
READINGS = ["claim", "finding", "reading", "note"]
FINDING, RECORD, AUDIT = KINDS = ("finding", "record", "audit")
ASIDE, OPPOSITE = "aside", "opposite"
MIXED, UNTESTED = "mixed", "not tested"
OUTCOMES = (HOLDS, MIXED, UNSETTLED, FAILS, UNTESTED)
PRINTED, SIMULATED, MEASURED, LOGGED = SOURCES = ("printed", "simulated", "measured", "logged")
SEVERAL = AGREE, DISAGREE, PARTLY = ("agree", "disagree", "one decides more than another")
LABELS = {PRINTED: ["published", "reconstructed"]} | {source: [source] for source in SOURCES[1:]}
OTHER_DATA = (MEASURED, LOGGED)
MOST_UNITS = 10_000_000  # of items that could decide a test: no log is longer
ALIKE, EVERY, DECIDED = RULES = ("all tests alike", "every test must hold", "undecided left out")
_REVERSED = {HOLDS: FAILS, FAILS: HOLDS, UNSETTLED: UNSETTLED}


def load_findings(path: str | Path) -> pd.DataFrame:
    """The papers' claims and the findings that they state: FINDINGS, all text.

    kind: "finding" (of models, judges, reviewers or items), "record" (what a paper counted or did) or "audit" (ours:
    whether a paper's figures agree). rank: "finding <number>" or "headline" (said in the abstract), else blank.
    label: a short name for figures. Raises DataError for another header, another kind or a finding that is no row.
    """
    table = _read(path, FINDINGS)
    leads = set(table["claim"][table["claim"] == table["finding"]])
    wrong = [
        problem(Path(path), row, "kind", f"{kind!r}", f"Choose one of {', '.join(KINDS)}")
        for row, kind in enumerate(table["kind"], 2)
        if kind not in KINDS
    ]
    wrong += [
        problem(Path(path), row, "finding", f"{lead!r} states no finding of its own", "Name a row that does")
        for row, lead in enumerate(table["finding"], 2)
        if lead not in leads
    ]
    if wrong:
        raise DataError(summary(wrong))
    return table


def load_readings(path: str | Path) -> pd.DataFrame:
    """How claims answer findings where their own id and verdict do not say it: READINGS, all text.

    claim: a claim's id, or one that stands for all of its parts. reading: blank (its own verdict), "opposite",
    "aside" (no test of the finding) or what the finding says of the claim's quantity, such as "< 0". Raises DataError.
    """
    table = _read(path, READINGS)
    wrong = []
    for row, (finding, reading) in enumerate(zip(table["finding"], table["reading"]), 2):
        if (reading == ASIDE) == bool(finding):
            wrong.append(
                problem(Path(path), row, "finding", f"{finding!r} with {reading!r}", "Leave it blank for aside alone")
            )
        elif reading not in ("", ASIDE, OPPOSITE):
            try:
                parse(reading)
            except ValueError as error:
                wrong.append(problem(Path(path), row, "reading", str(error), f"Or write {OPPOSITE} or {ASIDE}"))
    if wrong:
        raise DataError(summary(wrong))
    return table


def combined(verdicts: Iterable[str], rule: str = ALIKE) -> str:
    """One verdict of several; "not tested" of none. rule: of RULES; every count but `by_rule`'s is by the first.

    "all tests alike": the verdict where all are the same, else "mixed". "every test must hold": it does not hold as
    soon as one test does not. "undecided left out": tests that cannot tell count only where there are no others.

    >>> combined(["holds", "holds"]), combined(["holds", "cannot tell"]), combined([])
    ('holds', 'mixed', 'not tested')
    >>> combined(["holds", "cannot tell"], "every test must hold"), combined(["holds", "cannot tell"], RULES[2])
    ('cannot tell', 'holds')
    """
    found = set(verdicts) - {UNTESTED}
    if rule == DECIDED and len(found) > 1:
        found -= {UNSETTLED}
    if rule == EVERY:
        found = found & {FAILS} or found & {UNSETTLED} or found
    return UNTESTED if not found else found.pop() if len(found) == 1 else MIXED


def source_of(evidence: str) -> str:
    """The kind of evidence that a claim counts with: what it rests on beyond a paper's figures, if anything.

    >>> source_of("published + simulated"), source_of("published + reconstructed"), source_of("logged")
    ('simulated', 'printed', 'logged')
    """
    kinds = evidence_kinds(evidence)
    return next((source for source in (SIMULATED, MEASURED, LOGGED) if source in kinds), PRINTED)


def tests_of(
    findings: pd.DataFrame, readings: pd.DataFrame, rows: Sequence[Row], claims: Sequence[Claim]
) -> pd.DataFrame:
    """A row a test of a finding: finding, paper, test (the claim's id), notebook, source, evidence, sentence, estimate,
    low, high, level, n, of, unit, says, verdict (as the finding reads it), reading, note. NaN: what a claim lacks.

    Claims of the findings' own ids test them, and those that `readings` adds; aside ones are left out, as are audits.
    Raises DataError where the catalog has a paper's claim that `findings` lacks, or a name is no claim.
    """
    of_papers = {row.id for row in rows if row.kind == "claim" and row.id.partition("/")[2].startswith("claim_")}
    lead = dict(zip(findings["claim"], findings["finding"]))
    missing = [f"{name} of data/catalog.csv has no row in data/findings.csv" for name in sorted(of_papers - set(lead))]
    missing += [f"{name} of data/findings.csv is no claim of the catalog" for name in sorted(set(lead) - of_papers)]
    told = {name: tuple(rest) for name, *rest in readings[READINGS].itertuples(index=False)}
    missing += [
        f"data/finding_tests.csv: no claim {name}; run its notebook, or mend the id"
        for name in told
        if not any(of_catalog(claim.id, name) for claim in claims)
    ]
    leads = set(lead.values())
    missing += [
        f"data/finding_tests.csv: {name} tests {finding!r}, which is no finding; name a lead of data/findings.csv"
        for name, (finding, *_) in told.items()
        if finding and finding not in leads
    ]
    if missing:
        raise DataError(summary(missing))
    audits = set(findings["claim"][findings["kind"] == AUDIT])
    made = []
    for claim in claims:
        name = next((name for name in _prefixes(claim.id) if name in told), None)
        own = next((lead[row] for row in _prefixes(claim.id) if row in lead and row not in audits), None)
        finding, reading, note = told[name] if name else (own, "", "")
        if finding and reading != ASIDE:
            made.append(_test(claim, finding, reading, note))
    return pd.DataFrame(made)


def by_finding(findings: pd.DataFrame, tests: pd.DataFrame, rows: Sequence[Row]) -> pd.DataFrame:
    """A row a finding (audits left out): finding, paper, kind, rank, label, sentence (the catalog's), place, the
    verdict of each source (a column of SOURCES), tests ("2 ✓ 1 ?"), verdict, sources (how they agree), lacks.

    The verdict is `combined` over all its tests. lacks: what the catalog says is missing.
    """
    known = {row.id: row for row in rows}
    made = []
    own = findings[(findings["claim"] == findings["finding"]) & (findings["kind"] != AUDIT)]
    for lead, kind, rank, label in own[["finding", "kind", "rank", "label"]].itertuples(index=False):
        mine = tests[tests["finding"] == lead]
        cells = {source: combined(mine["verdict"][mine["source"] == source]) for source in SOURCES}
        number = mine["verdict"].value_counts()
        marks = [f"{number[name]} {MARKS[name]}" for name in VERDICTS if name in number]
        row = known[lead]
        made.append(
            dict(finding=lead, paper=row.paper, kind=kind, rank=rank, label=label)
            | dict(sentence=row.title, place=row.compared_with)
            | cells
            | dict(tests=" ".join(marks), verdict=combined(mine["verdict"]))
            | dict(sources=_agreement(list(cells.values())), lacks=row.missing)
        )
    return pd.DataFrame(made)


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """How many findings of each paper have each outcome, by source: columns paper, source (of SOURCES, or "all"), and
    one of each of OUTCOMES. table: `by_finding`, or rows of it."""
    made = [
        dict(paper=paper, source=source) | {outcome: int((part[column] == outcome).sum()) for outcome in OUTCOMES}
        for paper, part in table.groupby("paper", sort=False)
        for source, column in (("all", "verdict"), *((source, source) for source in SOURCES))
    ]
    return pd.DataFrame(made)


def by_rule(table: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """How many of the findings in `table` have each outcome by each of RULES: index the rules, columns OUTCOMES."""
    verdicts = [tests["verdict"][tests["finding"] == finding].tolist() for finding in table["finding"]]
    made = {rule: [combined(each, rule) for each in verdicts] for rule in RULES}
    return pd.DataFrame(
        {outcome: [found.count(outcome) for found in made.values()] for outcome in OUTCOMES},
        index=pd.Index(made, name="rule"),
    )


def by_number_of_tests(table: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """How many of the findings in `table` have each outcome, by how many tests they have (1, 2 or 3, more)."""
    n = table["finding"].map(tests["finding"].value_counts()).fillna(0)
    size = pd.cut(n, [0, 1, 3, math.inf], labels=["one test", "two or three", "four or more"])
    found = pd.crosstab(size, table["verdict"]).reindex(columns=list(OUTCOMES[:-1]), fill_value=0)
    return found.rename_axis(index="tests", columns=None)


def agreement(table: pd.DataFrame) -> pd.DataFrame:
    """How far two sources agree on the findings that both tested, a row a pair of sources that share any.

    Columns: one, other, both (findings), same (both hold, or both do not), opposite, undecided (the rest: a side is
    mixed or cannot tell).
    """
    made = []
    for one, other in combinations(SOURCES, 2):
        both = table[(table[one] != UNTESTED) & (table[other] != UNTESTED)]
        decided = both[both[one].isin([HOLDS, FAILS]) & both[other].isin([HOLDS, FAILS])]
        same = int((decided[one] == decided[other]).sum())
        if len(both):
            made.append((one, other, len(both), same, len(decided) - same, len(both) - len(decided)))
    return pd.DataFrame(made, columns=["one", "other", "both", "same", "opposite", "undecided"])


def undecided(tests: pd.DataFrame, power: float = 0.8) -> pd.DataFrame:
    """What would decide the tests that cannot tell: their rows with `needed`, `times`, `leaning` and `decided_by`.

    needed: the n at which the interval would clear the bound with chance `power`, if the true value is the estimate of
    today (`stats.power.units_needed`, with the standard deviation that the interval implies); times: needed / n. Both
    are NaN where no n is known to do it: an estimate on the bound, none at all, a range for a bound, or a quantity of a
    paper's that is not sampled by us. leaning: the verdict if the interval were the estimate; "cannot tell" on the
    bound or without an estimate. decided_by: "n", "release" (of a paper's outcomes by item or answer) or "other data".
    """
    left = tests[tests["verdict"] == UNSETTLED].reset_index(drop=True)
    left["needed"] = [_needed(row, power) for row in left.itertuples()]
    left["times"] = left["needed"] / left["n"]
    left["leaning"] = [_leaning(row) for row in left.itertuples()]
    left["decided_by"] = [
        "release" if source == PRINTED else "n" if math.isfinite(needed) else "other data"
        for source, needed in zip(left["source"], left["needed"])
    ]
    return left


def nearest(left: pd.DataFrame) -> pd.DataFrame:
    """Of the measured and logged tests in `undecided`, the one of each finding that the fewest times its n decides."""
    own = left[left["source"].isin(OTHER_DATA)]
    return own.sort_values("times").drop_duplicates("finding").reset_index(drop=True)


def every_test(table: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """The long table: each finding of `by_finding` with each of its tests, one row where there is none.

    Columns: finding, paper, kind, rank, states (the finding in our words), place, verdict and sources (of the finding),
    test, notebook, evidence, asks (the sentence tested), estimate, low, high, unit, n, of, test_verdict, note, lacks.
    """
    told = tests.rename(columns={"verdict": "test_verdict", "sentence": "asks"}).drop(columns="paper")
    names = "finding paper kind rank states place verdict sources test notebook evidence asks estimate low high unit n"
    long = table.rename(columns={"sentence": "states"}).merge(told, on="finding", how="left")
    return long[[*names.split(), "of", "test_verdict", "note", "lacks"]]


def _needed(row, power: float) -> float:
    kind, bounds = parse(row.says)
    if row.source == PRINTED or kind == "within" or not all(map(math.isfinite, (row.estimate, row.low, row.high))):
        return math.nan
    gap = row.estimate - bounds[0]
    width = row.estimate - row.low if gap > 0 else row.high - row.estimate  # the side that meets the bound
    if gap == 0 or width <= 0:
        return math.nan
    if not row.n >= 2:
        return math.nan
    sd = width / stdtrit(row.n - 1, (1 + row.level) / 2) * math.sqrt(row.n)
    return float(units_needed(gap, sd, row.level, power, row.n, most=MOST_UNITS))


def _leaning(row) -> str:
    if math.isnan(row.estimate) or row.estimate in parse(row.says)[1]:
        return UNSETTLED
    found = verdict(row.estimate, row.estimate, row.says)
    return _REVERSED[found] if row.reading == OPPOSITE else found


def _test(claim: Claim, finding: str, reading: str, note: str) -> dict:
    found, says = claim.verdict, claim.says
    if reading == OPPOSITE:
        found = _REVERSED[found]
    elif reading:
        if claim.low is None or claim.high is None:
            raise DataError(f"data/finding_tests.csv: {claim.id} has no interval; write {OPPOSITE} or nothing")
        found, says = verdict(claim.low, claim.high, reading), reading
    values = {name: getattr(claim, name) for name in ("estimate", "low", "high", "level", "n")}
    values |= {} if claim.level else dict(low=None, high=None)  # an exact one has no interval
    return (
        dict(finding=finding, paper=finding.partition("/")[0], test=claim.id, notebook=claim.notebook)
        | dict(source=source_of(claim.evidence), evidence=claim.evidence, sentence=claim.sentence)
        | {name: math.nan if value is None else float(value) for name, value in values.items()}
        | dict(of=claim.of, unit=claim.unit, says=says, verdict=found, reading=reading, note=note)
    )


def _agreement(cells: Sequence[str]) -> str:
    """How the sources of one finding stand to each other."""
    found = [cell for cell in cells if cell != UNTESTED]
    if len(found) < 2:
        return "" if not found else "one kind of evidence"
    if {HOLDS, FAILS} <= set(found):
        return DISAGREE
    return AGREE if set(found) in ({HOLDS}, {FAILS}) else PARTLY


def _prefixes(claim_id: str) -> list[str]:
    """The id and, longest first, the ids that it is a part of."""
    head, *parts = claim_id.split(".")
    return [".".join([head, *parts[:size]]) for size in range(len(parts), -1, -1)]


def _read(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    file = Path(path)
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: cannot be read as CSV ({error}). Take it back from git.") from error
    if list(table.columns) != list(columns):
        raise DataError(f"{file}: columns must be {', '.join(columns)}, not {', '.join(table.columns)}")
    if len(again := table["claim"][table["claim"].duplicated()]):
        raise DataError(problem(file, int(again.index[0]) + 2, "claim", f"{again.iloc[0]} stands twice", "Keep one"))
    return table
