"""Conservative decisions on the items of an exam, from evidence alone (HLE-Verified, sections 3.2 to 3.5 and A.2).

    verified = verify(item, evidence, choices, audits)     # no model is asked here; hle_verified.stages asks
    verified.decision.status                               # gold, revised or uncertain, with reasons
    verified.trail                                         # one record a decision

Soundness must be shown: what can't be read or settled never counts for an item. The paper gives the principles and no
thresholds; those here are ours. `quorum` says how many of several judges must agree: "all" or "most" (more than half).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from proctor.data import tabular
from proctor.data.schemas import Question
from proctor.data.tabular import Wrong
from proctor.exam.answer_match import classes, plain_text, same
from proctor.hle_verified.planted_defects import COMPONENTS

PRIMARY = ("problem", "answer")  # what an item is scored by; a rationale only points to trouble
QUORUMS = {"all": lambda yes, n: yes == n > 0, "most": lambda yes, n: 2 * yes > n}


# Evidence


@dataclass(frozen=True)
class Replication:
    """The attempts of one solver at one item, compared with the key (pass@8).

    agree: answers that are the key; undecided: those of which nobody can say; the other readable ones differ from it.
    common, common_n: the answer that most of the attempts give, and how many do.
    """

    solver: str
    attempts: int
    readable: int
    agree: int
    undecided: int
    common: str | None
    common_n: int

    @property
    def fails(self) -> bool:
        """Whether no attempt is the key, and less than half of the readable ones may be it: an answer in other words
        ("Einstein" for "Albert Einstein") compares as undecided, and is no failure."""
        return not self.agree and (not self.undecided or 2 * self.undecided < self.readable)


@dataclass(frozen=True)
class Evidence:
    """What Stage I knows of an item: the experts' votes on each component (None: unreadable), the replications."""

    votes: Mapping[str, tuple[bool | None, ...]]
    replications: tuple[Replication, ...] = ()


@dataclass(frozen=True)
class Repair:
    """A proposal: the item as it should read. An `answer` of "" says that none can be given."""

    problem: str
    rationale: str
    answer: str

    @property
    def empty(self) -> bool:
        return not self.answer


@dataclass(frozen=True)
class Audit:
    """What one auditor said of one component of a repaired item, over its judgements."""

    auditor: str
    component: str
    sound: int
    unsound: int
    unreadable: int

    @property
    def passes(self) -> bool:
        """More than half of all judgements say sound; an unreadable one does not, and is no `unsound` either."""
        return 2 * self.sound > self.sound + self.unsound + self.unreadable


def replicated(solver: str, answers: Sequence[str | None], key: str) -> Replication:
    """The attempts of a solver compared with the key; an answer of None is an attempt that could not be read.

    Answers are one if `answer_match.same` says so, not if it can't tell. The commonest is given in the words of the
    first who gives it; the earlier of two equally common ones wins.
    """
    said = [same(answer, key) for answer in answers if isinstance(answer, str)]
    most = max(classes(answers), key=len, default=())
    common, common_n = (most[0] if most else None), len(most)
    return Replication(solver, len(answers), len(said), said.count(True), said.count(None), common, common_n)


# Stage I


@dataclass(frozen=True)
class Screening:
    """outcome: gold, repair or uncertain. flagged: components that an expert rejects. reasons: why it is not gold.

    reaudit: several solvers all fail, so problem and key are looked at again.
    """

    outcome: str
    flagged: tuple[str, ...]
    reaudit: bool
    reasons: tuple[str, ...]


def affirmed(votes: Sequence[bool | None], quorum: str = "all") -> bool:
    """Whether enough of all votes say sound; an unreadable one does not."""
    return QUORUMS[quorum](votes.count(True), len(votes))


def screen(
    evidence: Evidence, *, quorum: str = "all", category: str = "", scope: Collection[str] | None = None
) -> Screening:
    """Stage I (section 3.2): gold only with votes for problem and answer and nothing against the item.

    Replication can keep an item out, where two solvers or more all fail, and can't bring one in: agreement is no proof
    (A.2). A doubted rationale alone sends the item on. scope: the fields in which a repair can be verified; an item of
    another field that is not gold is uncertain at once (3.3).
    """
    votes = {part: tuple(evidence.votes.get(part, ())) for part in COMPONENTS}
    flagged = tuple(part for part in COMPONENTS if not affirmed(votes[part], quorum) and False in votes[part])
    reasons = [f"{votes[part].count(False)} of {len(votes[part])} experts reject the {part}" for part in flagged]
    solvers = evidence.replications
    reaudit = len(solvers) > 1 and all(solver.fails for solver in solvers)
    if reaudit:
        reasons.append(f"none of {len(solvers)} solvers finds the key")
    silent = [part for part in PRIMARY if part not in flagged and not affirmed(votes[part], quorum)]
    reasons += [f"the votes do not show that the {part} is sound" for part in silent]
    outcome = "repair" if flagged or reaudit else "uncertain" if silent else "gold"
    if outcome == "repair" and scope is not None and category not in scope:
        outcome, reasons = "uncertain", [*reasons, "a repair in this field can't be verified"]
    return Screening(outcome, flagged, reaudit, tuple(reasons))


# Stage II


def adjudicated(choices: Sequence[Repair | None]) -> Repair | None:
    """What an adjudicator settles on who was shown the same proposals in several orders; None stands for EMPTY.

    A repair must be chosen in more than half of the orders, where repairs with one problem and answer are the same:
    a choice that follows the place and not the proposal settles nothing.
    """
    alike = [one and (plain_text(one.problem), plain_text(one.answer)) for one in choices]
    [(settled, n)] = Counter(alike).most_common(1) or [(None, 0)]
    return choices[alike.index(settled)] if 2 * n > len(choices) else None


def changed(item: Question, repair: Repair) -> dict[str, bool]:
    """By component, whether a repair changes it; an answer in another notation is the same answer."""
    return {
        "problem": plain_text(repair.problem) != plain_text(item.question),
        "answer": same(repair.answer, item.answer or "") is not True,
        "rationale": plain_text(repair.rationale) != plain_text(item.rationale),
    }


def failed_audits(audits: Sequence[Audit], quorum: str = "all") -> list[str]:
    """The components that too few auditors pass, with the counts; one that nobody judged fails."""
    found = []
    for part in COMPONENTS:
        passes = [audit.passes for audit in audits if audit.component == part]
        if not QUORUMS[quorum](sum(passes), len(passes)):
            found.append(f"{sum(passes)} of {len(passes)} auditors pass the {part}")
    return found


@dataclass(frozen=True)
class Decision:
    """Where an item ends: status gold, revised or uncertain; stage I or II; why.

    fixes: components that the revision changes. uncertainty: its source, expertise: what is needed to settle it; both
    empty unless uncertain (section 3.4).
    """

    item: str
    status: str
    stage: str
    reasons: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    uncertainty: str = ""
    expertise: str = ""


@dataclass(frozen=True)
class Verified:
    """The decision on an item, its revision if it has one, and the records that led there, in order."""

    decision: Decision
    revised: Question | None
    trail: tuple[dict, ...]


def verify(
    item: Question,
    evidence: Evidence,
    choices: Sequence[Repair | None] = (),
    audits: Sequence[Audit] = (),
    *,
    quorum: str = "all",
    scope: Collection[str] | None = None,
) -> Verified:
    """Both stages. choices: what the adjudicator chose in each order; audits: of the repair that it settled on.

    Revised is an item whose doubted part was changed by a repair that passed the audit of all three components; without
    an audit no item is.
    """
    screening = screen(evidence, quorum=quorum, category=item.category, scope=scope)
    votes = {part: list(said) for part, said in evidence.votes.items()}
    tried = [asdict(one) for one in evidence.replications]
    trail = [dict(item=item.id, step="screening", votes=votes, replications=tried, **asdict(screening))]
    doubted = {*screening.flagged, *(PRIMARY if screening.reaudit else ())}
    status, stage, uncertainty, reasons, fixes, revised = "uncertain", "I", "", [], (), None
    if screening.outcome == "gold":
        status = "gold"
    elif screening.outcome == "uncertain":
        uncertainty = "soundness not shown"
    else:
        stage, repair = "II", adjudicated(choices)
        chosen = dict(orders=len(choices), chosen=sum(one is not None for one in choices))
        trail.append(dict(item=item.id, step="adjudication", **chosen, repair=repair and asdict(repair)))
        if repair is None:
            uncertainty, reasons = "no repair settled", ["the adjudicator settles on no repair"]
        else:
            changes, failed = changed(item, repair), failed_audits(audits, quorum)
            trail.append(dict(item=item.id, step="cross-audit", audits=[asdict(one) for one in audits], failed=failed))
            if not any(changes[part] for part in doubted):
                uncertainty, reasons = "doubt unresolved", ["the repair leaves what was doubted as it is"]
            elif not audits:
                uncertainty, reasons = "not audited", ["the repair was not audited"]
            elif failed:
                uncertainty, reasons = "audit not passed", failed
            else:
                status, fixes = "revised", tuple(part for part in COMPONENTS if changes[part])
                parts = dict(question=repair.problem, rationale=repair.rationale, answer=repair.answer)
                revised = item.model_copy(update=parts)
    expertise = ""
    if uncertainty:
        open_parts = [part for part in COMPONENTS if part in (doubted or PRIMARY)]
        expertise = f"{item.category or 'the field of the item'}: {', '.join(open_parts)}"
    why = (*screening.reasons, *reasons)
    decision = Decision(item.id, status, stage, why, screening.flagged, fixes, uncertainty, expertise)
    trail.append(dict(step="routing", **asdict(decision)))
    return Verified(decision, revised, tuple(trail))


def load_classes(path: str | Path) -> pd.Series:
    """HLE-Verified's class of each item, by id, from its public file. Raises DataError."""

    def class_of(row: dict) -> tuple[str, str]:
        for column in ("id", "Verified_Classes"):
            if not isinstance(row.get(column), str):
                raise Wrong(column, "missing, or no text", "Give HLE-Verified's public file")
        return row["id"], row["Verified_Classes"]

    rows = tabular.read(path, class_of, empty="no rows. Give HLE-Verified's public file.")
    return pd.DataFrame(rows, columns=["id", "class"]).drop_duplicates("id").set_index("id")["class"]
