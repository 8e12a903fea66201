"""An invented community for an empty desk: `uq.simulated_community.simulate` with better texts, put in by acts.

    seed()   # 40 questions of 5 sites, 120 answers of 6 systems and of people, verdicts, reviews, comments, rounds

The same number gives the same community; keys are fresh each time. All of it is made up: no question was asked, no
system exists, no account has a password. Dates lie in the past, so that the overview has a history to show.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from django.db import transaction
from django.utils import timezone
from proctor.uq.community import Community
from proctor.uq.simulated_community import Group, Setting, System, Validator, simulate

from desk import acts, rounds
from desk.models import Account, Act, Answer, Kind, Question, Review, Role, Round, Verdict
from desk.trail import record

TEXTS = Path(__file__).with_name("seed_texts.yaml")
ROUNDS = Path(__file__).with_name("seed_rounds.yaml")
MODERATOR = "mira"
NAMES = (
    "ada_k", "bruno", "chidi", "dolores", "emre", "fatou", "goran", "hana", "ines", "jun", "katya", "liam", "maite",
    "nils", "oksana", "pavel", "quynh", "rosa", "sven", "tala",
)  # fmt: skip
SETTING = Setting(
    questions=40,
    days=240,
    reviews=420,
    systems=(
        System("Heron 2", "Marsh Lab", "heron-2-large", 0.30),
        System("Heron 1", "Marsh Lab", "heron-1-base", 0.15),
        System("Lantern Agent", "Lantern", "lantern-70", 0.22, 40),
        System("Lantern Solo", "Lantern", "lantern-70", 0.12),
        System("Cobble", "Open Cobble Project", "cobble-13", 0.08, 90),
        System("Pebble", "Open Cobble Project", "cobble-3", 0.03, 90),
    ),
    groups=(
        Group("expert", 5, 0.95),
        Group("careful", 7, 0.85, unsure=0.15, confidence=(2, 4)),
        Group("careless", 2, 0.5, unsure=0.02, activity=1.5),
        Group("colluding", 2, 0.85, confidence=(4, 5)),
        Group("poster", 4, 0.92, unsure=0.05, activity=0.5),
    ),
    validators=(
        Validator("(CC x3|U) => (FLC x3|U) => (C x3|U)", 0.6, 0.8, calls=12, dollars=0.40),
        Validator("C", 0.75, 0.60),
    ),
    tempting=0.15,
    people=4,
    favoured="Cobble",
)
JUDGE = "an invented judge"
KEPT = 0.49  # of the systems' answers: about three to a question
PROMPT = (
    "Answer the question as an expert of {site} would.\n\nGive each step. If you cannot answer, say what is missing."
)


def _read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@transaction.atomic
def seed(number: int = 0, setting: Setting = SETTING) -> dict[str, int]:
    """Put the community of `number` into the store, all of it or nothing. Gives how many rows of each table."""
    draw, rng = np.random.default_rng(number), np.random.default_rng(number)
    community = simulate(draw, setting)
    later = timezone.now() - timedelta(days=1) - community.end  # the last thing happened yesterday
    accounts, right = _accounts(community), community.truth.set_index("answer_id")["right"]
    questions, texts = _questions(community.questions, later)
    kept = (draw.random(len(community.answers)) < KEPT) | (community.answers["system"] == "people")
    answers = {}
    for row in community.answers[kept].itertuples():
        question, people = questions[row.question_id], row.system == "people"
        text = str(draw.choice(texts[row.question_id]["right" if right[row.answer_id] else "wrong"]))
        if pd.isna(row.withdrawn_at):
            names = ("The desk's community", "People") if people else (row.organisation, row.system)
            prompt = PROMPT.format(site=question.site) if row.base_model else ""
            told = dict(base_model=row.base_model, prompt=prompt, text=text, people=people)
            made = acts.submit_answer(accounts[row.submitted_by], question, *names, **told)
            answers[row.answer_id] = _date(made, row.submitted_at + later)
    for row in community.verdicts[community.verdicts["answer_id"].isin(answers)].itertuples():
        known = dict(judges=JUDGE, calls=row.calls, dollars=row.dollars, trace=_trace(row, rng))
        known["probability"] = None if np.isnan(row.probability) else row.probability
        made = acts.add_verdict(answers[row.answer_id], row.validator, row.verdict, **known)
        _date(made, row.decided_at + later, "decided_at")
    for row in community.reviews[community.reviews["answer_id"].isin(answers)].itertuples():
        _review(row, answers[row.answer_id], accounts[row.reviewer], later)
    for row in community.comments.itertuples():
        _date(acts.comment(accounts[row.author], questions[row.question_id], row.text), row.written_at + later)
    for voter in sorted(set(accounts.values()), key=lambda account: account.username):
        for question in rng.permutation(list(questions.values()))[: rng.integers(2, 12)]:
            acts.vote(voter, question, 1 if rng.random() < 0.8 else -1)
    for protocol, told in _read(ROUNDS).items():
        _round(protocol, told)
    tables = (Question, Answer, Verdict, Review, Account, Round)
    return {model._meta.model_name: model.objects.count() for model in tables}


def _accounts(community: Community) -> dict[str, Account]:
    """By the simulation's names: reviewers, AI reviewers, organisations; and one moderator. None has a password."""
    people = sorted(community.reviewers["reviewer"])
    machines = sorted(set(community.reviews["reviewer"]) - set(people))
    found = {name: _account(own, Role.REVIEWER) for name, own in zip(people, NAMES, strict=True)}
    for name in (*machines, *sorted(set(community.answers["organisation"]) - {""})):
        found[name] = _account(name.lower().replace(" ", "_"), Role.READER)
    _account(MODERATOR, Role.MODERATOR, about="Looks after this desk.")
    return found


def _account(username: str, role: str, **fields: str) -> Account:
    account = Account.objects.create_user(username, password=None, role=role, **fields)
    record(None, "seed", account)
    return account


def _questions(table: pd.DataFrame, later: timedelta) -> tuple[dict[str, Question], dict[str, dict]]:
    """By the simulation's names the questions, spread over the file's sites, and what the file says of them: their
    answers to choose from, `right` and `wrong`."""
    every = []
    for site, of in _read(TEXTS).items():
        alike = dict(site=site, category=of["category"], right=of["answers"], wrong=of["answers"])
        every += [alike | one | one.get("answers", {}) for one in of["questions"]]
    texts = {name: every[place * len(every) // len(table)] for place, name in enumerate(table["question_id"])}
    keys = {name: f"{text['site']}/{number}" for number, (name, text) in enumerate(texts.items(), 101)}
    rows = [
        dict(key=keys[row.question_id], posted_at=row.posted_at + later, release="invented", author="nobody (invented)")
        | dict(score=row.score, views=row.views, licence=row.licence)
        | {name: texts[row.question_id].get(name, []) for name in ("site", "category", "title", "body", "tags")}
        for row in table.itertuples()
    ]
    acts.add_questions(None, rows)
    stored = Question.objects.in_bulk(list(keys.values()), field_name="key")
    return {name: stored[key] for name, key in keys.items()}, texts


def _trace(row, rng: np.random.Generator) -> list[dict]:
    """The calls of a verdict, as far as its validator went."""
    checks = re.findall(r"[A-Z]+(?= x|$)", row.validator)
    last = dict(accept="[[Y]]", reject="[[N]]").get(row.verdict, "I can't say.")
    call = dict(judge=JUDGE, sample=0, turn=0, outcome="accept", prompt="(invented)", reply="(invented) [[Y]]")
    trace = [dict(check=check, **call) for check in checks[: rng.integers(1, len(checks) + 1)]]
    trace[-1] |= dict(outcome=row.verdict, reply=f"(invented) {last}")
    return trace


def _review(row, answer: Answer, by: Account, later: timedelta) -> None:
    machine = acts.system_of("Second Reading", row.reviewer.capitalize(), "unknown") if row.kind == Kind.AI else None
    said = dict(conflict=row.conflict, conflict_text="I know the authors." if row.conflict else "")
    made = acts.review(by, answer, row.correct, row.confidence, row.text, **said, kind=row.kind, system=machine)
    _date(made, row.written_at + later)
    if not pd.isna(row.withdrawn_at):
        acts.withdraw(by, made)
        _date(made, row.withdrawn_at + later, "withdrawn_at", "withdraw")


def _round(protocol: str, told: Mapping) -> None:
    """A round with its cases, and the ballots of the first one."""
    organizer = Account.objects.get(username=MODERATOR)
    held = rounds.open_round(organizer, protocol, told["title"], told["people"])
    first = rounds.add_cases(organizer, held, told["cases"])[0]
    for name, move, form in told["ballots"]:
        rounds.cast(Account.objects.get(username=name), first, move, form)


def _date(row, when: pd.Timestamp, field: str = "written_at", verb: str = ""):
    """Give a row, and the line of the trail that tells of it, the time at which it is said to have happened."""
    when = when.to_pydatetime()
    type(row).objects.filter(pk=row.pk).update(**{field: when})
    told = Act.objects.filter(table=row._meta.model_name, key=row.key)
    (told.filter(verb=verb) if verb else told).update(at=when)
    setattr(row, field, when)
    return row
