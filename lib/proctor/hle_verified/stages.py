"""The calls of HLE-Verified's two stages (sections 3.2, 3.3, A.1), models in the place of experts, step by step.

    votes           each model on problem, key and rationale of each item
    attempts        four attempts of each model at each problem
    repairs         each model repairs each item, seeing its own attempts
    adjudications   each model chooses among the repairs of all, in as many orders as there are proposals
    audits          each model judges the components of what the last of `answering` chose, eight times each

Every step asks of all items, so that any rule of decision (hle_verified.decision_rules) can be tried on the replies. A
later step reads the earlier ones: `answering` are the models whose repairs are judged, the largest last (default:
`models`). A study apart, `paired_audits`, has models judge items next to their sound twins.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from proctor.data.schemas import Question
from proctor.exam import run_exam, screening
from proctor.exam.answer_match import plain_text
from proctor.exam.recorded import MODELS
from proctor.hle_verified.decision_rules import Repair, adjudicated
from proctor.hle_verified.planted_defects import COMPONENTS, all_versions, damaged_exam
from proctor.models.final_line import TAIL, final_mark, last_line, p_accept, stands_in, verdict
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.studies import ask_table

ATTEMPTS, AUDITS, TEMPERATURE = 4, 8, 0.7  # the paper has 8 attempts of each of several solvers; three have 12 here
# A small model writes its steps after worked examples; the others reason as they like.
SOLVERS = {"short": "hle/answer_steps", "free": "hle/answer_exact", "paper": "hle/answer_exact"}
LETTERS = "ABC"  # places of proposals before an adjudicator

_LINE = re.compile(r"[ \t*#_-]*(problem|solution|answer)[ \t*_]*:([^\n]*)", re.IGNORECASE)


async def votes(session: Session, models: Sequence[str], items: Sequence[Question] | None = None) -> pd.DataFrame:
    """One row a model, item and component: sound (None: unreadable), p_sound."""
    items = _items(items)
    calls = []
    for model, component, item in product(models, COMPONENTS, items):
        parts = dict(problem=item.question)
        parts |= {"answer": dict(answer=item.answer), "rationale": dict(rationale=item.rationale)}.get(component, {})
        row = dict(model=model, item=item.id, component=component)
        calls.append((row, load(f"hle_verified/{component}", session.settings).request(model, **parts)))
    return await ask_table(session, calls, "votes", read_soundness)


def read_soundness(_: Mapping, request: Request, reply: Reply) -> dict[str, bool | float | None]:
    return dict(sound=verdict(reply, **request.shown), p_sound=p_accept(reply, **request.shown))


async def attempts(session: Session, models: Sequence[str], items: Sequence[Question] | None = None) -> pd.DataFrame:
    """ATTEMPTS of each model at each problem, as `run_exam` gives them; `correct` is agreement with the key."""
    items, tables = _items(items), []
    for model in models:
        prompt = SOLVERS[session.settings.style_for(spec(model))]
        table = await run_exam.run_exam(
            session, [model], items, samples=ATTEMPTS, temperature=TEMPERATURE, first_sample=1, prompt=prompt
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


async def repairs(session: Session, models: Sequence[str], items: Sequence[Question] | None = None) -> pd.DataFrame:
    """One row a model and item: repair (a Repair; None: unreadable), reply."""
    items = _items(items)
    tried = await attempts(session, models, items)
    answers = tried.groupby(["model", "question_id"])["answer"].agg(list)
    by_id, prompt, calls = {item.id: item for item in items}, load("hle_verified/repair", session.settings), []
    for model, item in product(models, items):
        shown = dict(problem=item.question, rationale=item.rationale, answer=item.answer)
        request = prompt.request(model, attempts=format_answer_counts(answers[model, item.id]), **shown)
        calls.append((dict(model=model, item=item.id), request))

    def read(row: Mapping, _: Request, reply: Reply) -> dict:
        return dict(repair=read_repair(reply.text, by_id[row["item"]]), reply=reply.text)

    return await ask_table(session, calls, "repairs", read)


async def adjudications(
    session: Session,
    models: Sequence[str],
    answering: Sequence[str] | None = None,
    items: Sequence[Question] | None = None,
) -> pd.DataFrame:
    """One row an adjudicator (`model`), item and order: choice (A, B, C, E; None: unreadable), proposer, repair.

    The order moves every proposal once to every place. proposer and repair are None where nothing was chosen.
    """
    items, answering = _items(items), list(answering or models)
    few_enough(answering)
    proposed = (await repairs(session, answering, items)).set_index(["item", "model"])["repair"]
    prompt, calls = load("hle_verified/adjudicate", session.settings), []
    turned = [answering[order:] + answering[:order] for order in range(len(answering))]
    for model, item, (order, names) in product(models, items, enumerate(turned)):
        texts = [_proposal(proposed[item.id, name], item) for name in names] + ["no proposal"] * len(LETTERS)
        request = prompt.request(model, problem=item.question, answer=item.answer, a=texts[0], b=texts[1], c=texts[2])
        calls.append((dict(model=model, item=item.id, order=order), request))

    def read(row: Mapping, request: Request, reply: Reply) -> dict:
        choice = read_choice(reply, **request.shown)
        proposer = dict(zip(LETTERS, turned[row["order"]])).get(choice)
        repair = proposed[row["item"], proposer] if proposer else None
        return dict(choice=choice, proposer=proposer, repair=None if repair is None or repair.empty else repair)

    return await ask_table(session, calls, "adjudications", read)


def few_enough(models: Sequence[str]) -> None:
    """Raises ValueError for more models than an adjudicator can choose among."""
    if len(models) > len(LETTERS):
        raise ValueError(f"{len(models)} models propose repairs, and an adjudicator chooses among {len(LETTERS)}")


def _proposal(repair: Repair | None, item: Question) -> str:
    if repair is None or repair.empty:
        return "no proposal"
    problem = "same problem." if repair.problem == item.question else repair.problem
    return f"{problem} {repair.rationale} Answer: {repair.answer}"


async def chosen_repairs(
    session: Session, answering: Sequence[str], items: Sequence[Question] | None = None
) -> dict[str, Repair | None]:
    """By item, the repair that the last of `answering` settled on (`adjudicated`); None: no place filled."""
    before = session.stand_ins
    choices = await adjudications(session, answering[-1:], answering, items)
    if session.stand_ins > before:  # a rehearsal, and nobody knows what is chosen: the longest proposal
        proposed = (await repairs(session, answering, items)).dropna(subset=["repair"])
        longest = {
            item: max(group["repair"], key=lambda one: len(repr(one))) for item, group in proposed.groupby("item")
        }
        return dict.fromkeys(choices["item"]) | longest
    return {item: adjudicated(list(group["repair"])) for item, group in choices.groupby("item")}


async def audits(
    session: Session,
    models: Sequence[str],
    answering: Sequence[str] | None = None,
    items: Sequence[Question] | None = None,
) -> pd.DataFrame:
    """One row an auditor (`model`), repaired item, component and sample: sound (None: unreadable), p_sound."""
    items = _items(items)
    chosen = await chosen_repairs(session, list(answering or models), items)
    prompt, calls = load("hle_verified/audit", session.settings), []
    for model, item, component, sample in product(models, items, COMPONENTS, range(1, AUDITS + 1)):
        if repair := chosen[item.id]:
            shown = dict(problem=repair.problem, rationale=repair.rationale, answer=repair.answer, component=component)
            request = prompt.request(model, sample=sample, temperature=TEMPERATURE, **shown)
            row = dict(model=model, item=item.id, component=component, sample=sample)
            calls.append((row, replace(request, prefix=len(request.messages))))  # the samples share all of it
    columns = ["model", "item", "component", "sample", "sound", "p_sound"]
    return await ask_table(session, calls, "audits", read_soundness, columns)


def _items(items: Sequence[Question] | None) -> list[Question]:
    """The items, by default those of the damaged exam. Raises ValueError for one that the prompts can't show whole."""
    items = list(damaged_exam()[0] if items is None else items)
    for item in items:
        if item.options or item.image or not item.answer:
            raise ValueError(
                f"item {item.id} has options, a picture or no key: put options into the question, and "
                "leave items with pictures or without a key out"
            )
    return items


def read_repair(text: str, item: Question) -> Repair | None:
    """The last three lines Problem, Solution, Answer; None if these are others. SAME keeps the item's part.

    Lines that stand in the item are no repair.
    """
    lines, rest = [], text
    for _ in range(3):
        at, line = last_line(rest)
        lines, rest = [line, *lines], rest[:at]
    found = [_LINE.fullmatch(line) for line in lines]
    if [one and one[1].lower() for one in found] != ["problem", "solution", "answer"]:
        return None
    part = dict(zip(("problem", "rationale", "answer"), (one[2].strip(" *\t") for one in found)))
    shown = "\n".join([item.question, item.answer or "", item.rationale])  # what a reply may repeat of the item
    if not all(part.values()) or stands_in("".join(lines), shown):
        return None
    was = dict(problem=item.question, rationale=item.rationale, answer=item.answer or "")
    kept = {name: was[name] if value.strip(".").upper() == "SAME" else value for name, value in part.items()}
    return Repair(**kept | ({"answer": ""} if part["answer"].strip(".").upper() == "EMPTY" else {}))


def read_choice(reply: Reply | str, quoted: str = "", opening: str = "") -> str | None:
    """The letter A, B, C or E that the reply states on its last line (`final_line.final_mark`), or that it is; or None.

    quoted and opening are the request's.
    """
    found = final_mark(reply, "ABCE", quoted, opening)
    alone = (reply.text if isinstance(reply, Reply) else reply)[:TAIL].strip()
    return found.mark if found else alone if alone in tuple("ABCE") else None


def format_answer_counts(answers: Sequence[str | None], most: int = 3) -> str:
    """The commonest answers with their counts, such as `24 (7 times), 10 (1 time)`."""
    texts = [answer for answer in answers if isinstance(answer, str)]
    counts = Counter(map(plain_text, texts)).most_common(most)
    first = {plain_text(text): text for text in reversed(texts)}
    return ", ".join(f"{first[key]} ({n} time{'s' if n > 1 else ''})" for key, n in counts) or "nothing"


async def paired_audits(
    session: Session, models: Sequence[str] = (screening.MODEL,), per_kind: int = 10
) -> pd.DataFrame:
    """One row an auditor (model), version and component whose truth is defined: base, category, level, state, kind
    ("" for none), component, holds, sound (None: unreadable), p_sound.

    An audit is one token, bound to Y or N, and no samples are drawn: given its probability p, n samples are n throws of
    a coin with that chance, and hold nothing of the item that p does not hold.
    """
    prompt, calls = load("hle_verified/audit_parts", session.settings), []
    for model, version in product(models, all_versions(per_kind)):
        item, parts = version.item, dict(base=version.base, category=version.item.category, level=version.item.level)
        shown = dict(problem=item.question, rationale=item.rationale, answer=str(item.answer))
        for part, held in version.holds.items():
            if held is not None:
                row = dict(model=model, **parts, state=version.state, kind=version.kind or "", component=part)
                calls.append((row | dict(holds=held), prompt.request(model, component=part, **shown)))
    return await ask_table(session, calls, "audits of pairs", read_soundness)


# The recorded studies: every stage of the verification of the damaged exam


async def recorded_choices(session: Session, models=MODELS, answering=MODELS) -> pd.DataFrame:
    """What the largest of the `answering` models chooses among all repairs of the damaged exam (HLE-Verified, 3.3)."""
    return await adjudications(session, [m for m in models if m == answering[-1]], answering)


STUDIES = {f"verification.{f.__name__}": f for f in (votes, attempts, repairs)}
STUDIES |= {"verification.adjudications": recorded_choices, "verification.audits": partial(audits, answering=MODELS)}
PAIRED = {"verification.paired_audits": paired_audits}
