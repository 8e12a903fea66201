"""Audit an item, fix what the auditor names by the strategy for its kind, audit again (KINA, Figure 1).

    await refined(item, audit_with(session, model), refine_with(session, model))

Any two functions of these kinds will do: notebook kina/6_items has an auditor and a refiner that need no model.

The review names strategies by premise, by exclusion and by wording, and that no change may make an item easier; its
prompts come in pieces. Kinds, prompts and what counts as easier are ours.
"""

import re
from collections.abc import Awaitable, Callable, Sequence

import pandas as pd

from proctor.data.schemas import LETTERS
from proctor.exam.recorded import MODELS
from proctor.generated.generate import FAMILIES
from proctor.kina.generated_items import plain_items, pseudo_items
from proctor.kina.items import (
    STATEMENTS,
    Item,
    Option,
    Problem,
    as_text,
    join_stem,
    problems,
    split_stem,
    statements,
)
from proctor.models.endings import all_home
from proctor.models.final_line import QUOTES, TAIL, continues_quote, introduced, last_line, stands_in
from proctor.models.prompts import load
from proctor.models.session import Session

STRUCTURE = "Bring options and statements into the form that the rules ask for."
PREMISE = "State in the question the premise that the marked option needs."
EXCLUSION = "Add to the question a condition that rules the competing option out."
RECORD = "Write down why the marked option is right, and where that can be read."
WORDING = "Replace the phrase by the field's own term, so that it has one reading."
# The strategy for each kind of issue: the rules of `items`, then what only a reader sees.
STRATEGIES = dict.fromkeys(("statements", "options", "distinct", "subset", "balance"), STRUCTURE) | {
    "stem": PREMISE,
    "explanation": RECORD,
    "source": RECORD,
    "unsupported": PREMISE,
    "competing": EXCLUSION,
    "ambiguity": WORDING,
}

Audit = Callable[[Item], Awaitable[Problem | None]]
Refine = Callable[[Item, Problem], Awaitable[Item]]


async def refined(item: Item, audit: Audit, refine: Refine, rounds: int = 3) -> dict[str, object]:
    """Audit, fix by the strategy for the kind of issue, audit again; at most `rounds` changes (KINA, Figure 1).

    Columns: index; the rules broken before and after; rounds; issues and outcomes in turn (mended, unchanged, or
    refused: why); ended: clean (the audit found nothing), stuck (a change was none or refused), rounds or unreadable;
    item. A change that makes the item easier is refused. An unreadable audit does not count as clean.
    """
    before, issues, outcomes = item, [], []
    while True:
        issue = await audit(item)
        if issue is None or issue.rule == "unreadable" or len(issues) == rounds:
            ended = "clean" if issue is None else "unreadable" if issue.rule == "unreadable" else "rounds"
            break
        changed = await refine(item, issue)
        reasons = rejection_reasons(item, changed)
        issues.append(issue.rule)
        outcomes.append(f"refused: {'; '.join(reasons)}" if reasons else "unchanged" if changed == item else "mended")
        if outcomes[-1] != "mended":
            ended = "stuck"
            break
        item = changed
    return dict(
        index=item.index,
        before=", ".join(problem.rule for problem in problems(before)),
        rounds=len(issues),
        issues=", ".join(issues),
        outcomes=", ".join(outcomes),
        ended=ended,
        after=", ".join(problem.rule for problem in problems(item)),
        item=item,
    )


async def refine_all(items: Sequence[Item], audit: Audit, refine: Refine, rounds: int = 3) -> pd.DataFrame:
    """A row of `refined` for each item."""
    return pd.DataFrame(await all_home(*(refined(item, audit, refine, rounds) for item in items)))


def rejection_reasons(before: Item, after: Item) -> list[str]:
    """Why a change must not stand: what makes the item easier, or another item."""
    reasons = ["another option is marked right"] if after.right.answer != before.right.answer else []
    if len(after.options) < min(len(before.options), len(LETTERS)):
        reasons.append("an option is gone")
    if len(statements(after.question)) < len(statements(before.question)):
        reasons.append("a statement is gone")
    answer = before.right.answer.casefold()
    if not before.sets and answer in after.question.casefold() and answer not in before.question.casefold():
        reasons.append("the question tells the answer")
    return reasons


def planted_defects(item: Item) -> dict[str, tuple[str, Item]]:
    """Copies of the item with one planted defect each: {defect: (the rule that must name it, the copy)}."""
    wrong = item.wrong[0]

    def swapped(old: Option, **new) -> Item:
        return item.but(options=tuple(one.model_copy(update=new) if one == old else one for one in item.options))

    found = {
        "option missing": ("options", item.but(options=tuple(one for one in item.options if one != wrong))),
        "option twice": ("distinct", swapped(wrong, answer=item.wrong[1].answer)),
        "leaning stem": ("stem", item.but(question=f"As shown in Figure 2, this holds. {item.question}")),
        "no explanation": ("explanation", swapped(item.right, explanation="")),
    }
    if item.sets:
        lead, listed = split_stem(item.question)
        fewer = item.but(question=join_stem(lead, listed[: STATEMENTS - 1]))
        right = sorted(item.sets[item.options.index(item.right)])
        found["last statement missing"] = "statements", fewer
        found["subset"] = "subset", swapped(wrong, answer=as_text(right[1:]))
    return found


# An auditor and a refiner that ask a model

_ISSUE = re.compile(r"[ \t*`#-]*Issue[ \t*]*:[ \t*]*([a-z]+)", re.IGNORECASE)
_ISSUE_LINES = re.compile(rf"^{_ISSUE.pattern}", re.IGNORECASE | re.MULTILINE)
_WHY = re.compile(r"^[ \t*]*Why[ \t*]*:([^\n]+)", re.IGNORECASE | re.MULTILINE)
_CHANGE = re.compile(
    r"^[ \t*]*Change[ \t*]*:[ \t*]*(question|statement[ \t]+\d{1,3}|[A-J])[ \t*]*\n(?:[ \t]*\n)?[ \t*]*Text[ \t*]*:",
    re.IGNORECASE | re.MULTILINE,
)


def shown(item: Item) -> dict[str, str]:
    """The fields that both prompts take: the item with its right option marked."""
    lines = [f"{one.key}. {one.answer}{' (marked right)' if one == item.right else ''}" for one in item.options]
    material = f"{item.question_material}\n" if item.question_material else ""
    return dict(discipline=item.discipline, question=material + item.question, options="\n".join(lines))


def audit_with(session: Session, model: str) -> Audit:
    """An auditor that asks a model for the gravest defect (prompt kina/audit)."""

    async def audit(item: Item) -> Problem | None:
        reply = await session.ask(load("kina/audit", session.settings).request(model, **shown(item)))
        return read_audit(reply.text, "\n".join(shown(item).values()))

    return audit


def read_audit(text: str, quoted: str = "") -> Problem | None:
    """The issue on the last line, with its reason; None if it says none; Problem("unreadable", ...) if it is of no
    known kind, or if another line says another one.

    quoted: the item. An `Issue:` line that stands in it is not the auditor's.
    """
    text = text[-TAIL:]
    (at, line), why = last_line(text), _WHY.findall(text)
    found = None if continues_quote(text, at) or line.rstrip().endswith(QUOTES) else _ISSUE.match(line)
    said = (one for one in _ISSUE_LINES.finditer(text) if not introduced(text, one.start()))
    own = {one[1].lower() for one in said if not stands_in(one[0], quoted)}
    kind = own.pop() if len(own) == 1 and found and found[1].lower() in own else ""
    if kind == "none":
        return None
    return Problem(kind if kind in STRATEGIES else "unreadable", why[-1].strip(" \t*\r") if why else text.strip())


def refine_with(session: Session, model: str) -> Refine:
    """A refiner that asks a model for one change (prompt kina/refine); an unreadable reply changes nothing."""

    async def refine(item: Item, issue: Problem) -> Item:
        reply = await session.ask(
            load("kina/refine", session.settings).request(
                model, **shown(item), defect=issue.text, strategy=STRATEGIES[issue.rule]
            )
        )
        return read_change(item, reply.text)

    return refine


def read_change(item: Item, text: str) -> Item:
    """The item with the reply's last `Change:` and `Text:`: of what stands before the statements, of one, of an option.

    A changed option loses its explanation, which no longer fits. A reply that names no part of the item, or repeats
    these lines from it, changes nothing.
    """
    text = text[-TAIL:]
    found = list(_CHANGE.finditer(text))
    if not found:
        return item
    part, new = " ".join(found[-1][1].split()).lower(), text[found[-1].end() :].strip(" \t*\n")
    if not new or stands_in(text[found[-1].start() :], "\n".join(shown(item).values())):
        return item
    lead, listed = split_stem(item.question)
    if part == "question":
        return item.but(question=new if statements(new) or not listed else join_stem(new, listed))
    if part.startswith("statement"):
        number = int(part.split()[1])
        if not 1 <= number <= len(listed):
            return item
        return item.but(question=join_stem(lead, [*listed[: number - 1], new, *listed[number:]]))
    options = tuple(Option(key=one.key, answer=new) if one.key.lower() == part else one for one in item.options)
    return item.but(options=options)


# The recorded study; sizes are the recorded ones

AUDITED = 6  # ten-option items that are audited and mended


async def refinements(session: Session, models=MODELS, n: int = AUDITED, rounds: int = 2) -> pd.DataFrame:
    """Each model as auditor and refiner of `n` ten-option items of ours, half of sets, and of the same with a stem that
    leans on a figure which is not there; columns model and defect (KINA, Figure 1)."""
    whole = [*plain_items(per_level=1, families=list(FAMILIES)[:n])[: n - n // 2], *pseudo_items(n // 2)]
    leaning = [planted_defects(item)["leaning stem"][1] for item in whole]
    return pd.concat(
        [
            (await refine_all(items, audit_with(session, model), refine_with(session, model), rounds)).assign(
                model=model, defect=defect
            )
            for model in models
            for defect, items in (("none", whole), ("leaning stem", leaning))
        ],
        ignore_index=True,
    )


STUDIES = {"refinements": refinements}
