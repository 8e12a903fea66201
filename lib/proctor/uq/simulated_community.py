"""A simulated community, whose truth is known: systems, sites, people and their words are made up."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.uq.community import COLUMNS, LAUNCH, Community, passed
from proctor.uq.dataset.posts import licence


@dataclass(frozen=True)
class Group:
    """Reviewers of one kind. skill: chance of a right yes or no on an answer that does not mislead."""

    name: str
    count: int
    skill: float
    unsure: float = 0.1
    activity: float = 1.0
    confidence: tuple[int, int] = (3, 5)


@dataclass(frozen=True)
class System:
    """A made-up system: the share of questions that it solves, and the day on which its answers come."""

    name: str
    organisation: str
    base_model: str
    rate: float
    day: int = 0


@dataclass(frozen=True)
class Validator:
    """recall: share of the right answers that it accepts. specificity: share of the wrong ones that it rejects."""

    name: str
    recall: float
    specificity: float
    calls: int = 1
    dollars: float = 0.02
    unreadable: float = 0.01


GROUPS = (
    Group("expert", 6, 0.95),
    Group("careful", 14, 0.85, unsure=0.15, confidence=(2, 4)),
    Group("careless", 4, 0.5, unsure=0.02, activity=1.5),
    Group("colluding", 4, 0.85, confidence=(4, 5)),
    Group("poster", 6, 0.92, unsure=0.05, activity=0.5),
)
SYSTEMS = (
    System("system A", "Northlab", "base 1", 0.040),
    System("system B", "Northlab", "base 2", 0.030, 60),
    System("system C", "Eastworks", "base 3", 0.020),
    System("system D", "Eastworks", "base 4", 0.015, 120),
    System("system E", "Southwind", "base 5", 0.010),
    System("system F", "Southwind", "base 6", 0.005, 200),
)
VALIDATORS = (  # the first screens what people read; its rates are near those of UQ's pipeline on HLE
    Validator("three stages", 0.34, 0.89, calls=9, dollars=0.40),
    Validator("one check", 0.75, 0.60),
)


@dataclass(frozen=True)
class Setting:
    """What `simulate` draws from. reviews: those that people set out to write, spread over `days`.

    tempting: share of the wrong answers that mislead; validators accept them four times as often as other wrong ones,
    and a share `fooled` of the readers takes them for right. people: answers by people, half of them right. favoured:
    the system whose answers colluding reviewers call right. enough: reviews after which an answer is rarely chosen.
    """

    questions: int = 500
    days: int = 360
    reviews: int = 1600
    systems: tuple[System, ...] = SYSTEMS
    groups: tuple[Group, ...] = GROUPS
    validators: tuple[Validator, ...] = VALIDATORS
    tempting: float = 0.06
    fooled: float = 0.3
    people: int = 8
    favoured: str = "system C"
    enough: int = 6


SETTING = Setting()


def yes_chance(skill: ArrayLike, right: ArrayLike, tempting: ArrayLike, fooled: float) -> np.ndarray:
    """Chance that a reviewer of `skill` calls an answer right; the arrays broadcast.

    >>> yes_chance(0.9, [True, False, False], [False, False, True], fooled=0.4).round(2).tolist()
    [0.9, 0.1, 0.46]
    """
    skill = np.asarray(skill, float)
    wrong = np.where(tempting, 1 - (1 - fooled) * skill, 1 - skill)
    return np.where(right, skill, wrong)


def accept_chance(validator: Validator, right: ArrayLike, tempting: ArrayLike, share: float) -> np.ndarray:
    """Chance that a validator accepts; over all wrong answers, a `share` of them tempting, 1 - specificity."""
    plain = (1 - validator.specificity) / (1 + 3 * share)
    return np.where(right, validator.recall, np.where(tempting, min(4 * plain, 1.0), plain))


def simulate(rng: np.random.Generator, setting: Setting = SETTING) -> Community:
    """A community of `setting`; the same generator gives the same one."""
    people = _reviewers(setting.groups)
    questions = _questions(rng, setting)
    answers, right, tempting = _answers(rng, setting, questions, people)
    verdicts = _verdicts(rng, setting, answers, right, tempting)
    reviews = pd.concat(
        [
            _human_reviews(rng, setting, people, answers, verdicts, right, tempting),
            _ai_reviews(rng, setting, answers, verdicts, right, tempting),
        ],
        ignore_index=True,
    ).sort_values("written_at", kind="stable", ignore_index=True)
    reviews.insert(0, "review_id", [f"r{number:05}" for number in range(1, len(reviews) + 1)])
    comments = _comments(rng, setting, questions, people)
    truth = pd.DataFrame(dict(answer_id=answers["answer_id"], right=right))
    reviewers = people[list(COLUMNS["reviewers"])]
    return Community(questions, answers, verdicts, reviews, comments, truth, reviewers)


def _reviewers(groups: tuple[Group, ...]) -> pd.DataFrame:
    """reviewer, group, skill and the numbers of the group; names do not tell the group."""
    rows = [{f.name: getattr(group, f.name) for f in fields(group)} for group in groups for _ in range(group.count)]
    people = pd.DataFrame(rows).drop(columns="count").rename(columns={"name": "group"})
    order = np.random.default_rng(len(people)).permutation(len(people))
    people["reviewer"] = [f"reader {number + 1:02}" for number in order]
    return people


def _at(days: ArrayLike) -> pd.Series:
    return pd.Series(LAUNCH + pd.to_timedelta(np.asarray(days, float), unit="D")).dt.floor("s")


def _questions(rng: np.random.Generator, setting: Setting) -> pd.DataFrame:
    n = setting.questions
    sites = rng.integers(0, len(SITES), n)
    posted = pd.Series(LAUNCH - pd.to_timedelta(rng.uniform(800, 5200, n), unit="D")).dt.floor("s")
    titles = [_title(SITES[site], rng) for site in sites]
    names = [SITES[site].name for site in sites]
    return pd.DataFrame(
        dict(
            question_id=[f"q{number:04}" for number in range(1, n + 1)],
            site=names,
            category=[SITES[site].category for site in sites],
            title=titles,
            body="A made-up question.",
            score=10 + np.floor(20 * rng.lognormal(0, 0.8, n)).astype(int),
            views=300 + np.floor(2000 * rng.lognormal(0, 0.9, n)).astype(int),
            posted_at=posted,
            licence=[licence(day) for day in posted],
            link=[f"https://{name}.example/questions/{number}" for number, name in enumerate(names, 1)],
        )
    )


def _answers(rng, setting: Setting, questions: pd.DataFrame, people: pd.DataFrame) -> tuple:
    """(answers, right, tempting): one of each system to each question, and some by people."""
    n, blocks = len(questions), []
    for system in setting.systems:
        known = dict(question_id=questions["question_id"], system=system.name, organisation=system.organisation)
        known |= dict(base_model=system.base_model, prompt=PROMPT, submitted_by=system.organisation)
        day = system.day + rng.uniform(0, 2, n)
        blocks.append(pd.DataFrame(known | dict(day=day, right=rng.random(n) < system.rate)))
    chosen = rng.choice(n, min(setting.people, n), replace=False)
    own = dict(question_id=questions["question_id"].to_numpy()[chosen], system="people", organisation="")
    own |= dict(base_model="", prompt="", submitted_by=rng.choice(people["reviewer"], len(chosen)))
    day = rng.uniform(0, 0.8 * setting.days, len(chosen))
    blocks.append(pd.DataFrame(own | dict(day=day, right=rng.random(len(chosen)) < 0.5)))
    answers = pd.concat(blocks, ignore_index=True)
    right = answers.pop("right").to_numpy(bool)
    tempting = ~right & (rng.random(len(answers)) < setting.tempting)
    answers["answer_id"] = [f"a{number:05}" for number in range(1, len(answers) + 1)]
    day = answers.pop("day")
    answers["text"] = _answer_texts(len(answers), rng)
    answers["submitted_at"] = _at(day)
    gone = rng.random(len(answers)) < 0.005
    answers["withdrawn_at"] = _at(np.minimum(day + 30, setting.days)).where(gone)
    return answers[list(COLUMNS["answers"])], right, tempting


def _verdicts(rng, setting: Setting, answers: pd.DataFrame, right: np.ndarray, tempting: np.ndarray) -> pd.DataFrame:
    n, blocks = len(answers), []
    for validator in setting.validators:
        accept = rng.random(n) < accept_chance(validator, right, tempting, setting.tempting)
        unreadable = rng.random(n) < validator.unreadable
        sure = np.round(rng.uniform(0.5, 1.0, n), 2)
        known = dict(answer_id=answers["answer_id"], validator=validator.name)
        known |= dict(verdict=np.where(unreadable, "unreadable", np.where(accept, "accept", "reject")))
        known |= dict(probability=np.where(unreadable, np.nan, np.where(accept, sure, 1 - sure)))
        cost = np.round(validator.dollars * rng.uniform(0.5, 1.5, n), 4)
        decided = answers["submitted_at"] + pd.to_timedelta(rng.integers(600, 86_400, n), unit="s")
        blocks.append(pd.DataFrame(known | dict(calls=validator.calls, dollars=cost, decided_at=decided)))
    return pd.concat(blocks, ignore_index=True)[list(COLUMNS["verdicts"])]


def _human_reviews(rng, setting: Setting, people, answers, verdicts, right, tempting) -> pd.DataFrame:
    """Reviews one after another: who comes is drawn by activity, which answer by what has passed and lacks reviews."""
    accepted = passed(verdicts, setting.validators[0].name, answers["answer_id"]) | (answers["system"] == "people")
    worth = np.where(accepted, 1.0, 0.004)
    opens = ((answers["submitted_at"] - LAUNCH) / pd.Timedelta("1D")).to_numpy() + 1
    favoured = (answers["system"] == setting.favoured).to_numpy()
    poster = answers["question_id"].str[1:].astype(int).to_numpy() % 30  # poster k asked every thirtieth question
    posters = {row: k for k, row in enumerate(np.flatnonzero(people["group"] == "poster"))}
    names, groups = people["reviewer"].to_numpy(), people["group"].to_numpy()
    who = rng.choice(len(people), setting.reviews, p=people["activity"] / people["activity"].sum())
    when = np.sort(rng.uniform(1, setting.days, setting.reviews))
    free = names[:, None] != answers["submitted_by"].to_numpy()  # whom each may read: not oneself, and nothing twice
    count, rows = np.zeros(len(answers), int), []
    for person, day in zip(who, when):
        weight = np.where(free[person] & (opens <= day), worth, 0.0)
        if person in posters:
            weight = weight * (poster == posters[person])
        boosts = groups[person] == "colluding" and rng.random() < 0.5
        if boosts and (weight * favoured).any():
            weight = weight * favoured
        total = np.cumsum(weight)
        if total[-1] <= 0:
            continue
        pick = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
        free[person, pick] = False
        count[pick] += 1
        if count[pick] == setting.enough:
            worth[pick] *= 0.05
        rows.append((person, pick, day))
    person, pick, day = (np.array(column) for column in zip(*rows))
    staff = people.iloc[person].reset_index(drop=True)
    yes = rng.random(len(pick)) < yes_chance(staff["skill"], right[pick], tempting[pick], setting.fooled)
    colluding = ((staff["group"] == "colluding") & favoured[pick]).to_numpy()
    # a right answer is harder to settle than a wrong one (caption of Table S3)
    unsure = (rng.random(len(pick)) < staff["unsure"] * np.where(right[pick], 2, 1)).to_numpy() & ~colluding
    correct = np.where(unsure, "unsure", np.where(yes | colluding, "yes", "no"))
    least, most = np.array(staff["confidence"].tolist()).T
    sure = rng.integers(least, most + 1)
    written = _at(day)
    known = dict(answer_id=answers["answer_id"].to_numpy()[pick], reviewer=staff["reviewer"], kind="human")
    known |= dict(correct=correct, confidence=np.where(unsure, np.minimum(sure, 2), sure))
    known |= dict(conflict=rng.random(len(pick)) < 0.03, text=_review_texts(correct, rng))
    gone = rng.random(len(pick)) < 0.02
    later = (written + pd.to_timedelta(rng.uniform(1, 20, len(pick)), unit="D")).dt.floor("s")
    return pd.DataFrame(known | dict(written_at=written, withdrawn_at=later.where(gone)))


def _ai_reviews(rng, setting: Setting, answers, verdicts, right, tempting) -> pd.DataFrame:
    """Two systems of other people read each answer that passed; they are misled like the readers."""
    chosen = np.flatnonzero(passed(verdicts, setting.validators[0].name, answers["answer_id"]))
    blocks = []
    for name, skill in (("review system 1", 0.75), ("review system 2", 0.65)):
        yes = rng.random(len(chosen)) < yes_chance(skill, right[chosen], tempting[chosen], setting.fooled)
        correct = np.where(yes, "yes", "no")
        written = answers["submitted_at"].iloc[chosen] + pd.to_timedelta(rng.uniform(1, 3, len(chosen)), unit="D")
        known = dict(answer_id=answers["answer_id"].to_numpy()[chosen], reviewer=name, kind="ai", correct=correct)
        known |= dict(confidence=rng.integers(3, 6, len(chosen)), conflict=False)
        known |= dict(text=_review_texts(correct, rng))
        written = written.dt.floor("s").to_numpy()
        blocks.append(pd.DataFrame(known | dict(written_at=pd.to_datetime(written, utc=True), withdrawn_at=pd.NaT)))
    found = pd.concat(blocks, ignore_index=True)
    return found.assign(withdrawn_at=pd.to_datetime(found["withdrawn_at"], utc=True))


def _comments(rng, setting: Setting, questions: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    n = len(questions) // 2
    days = np.sort(rng.uniform(0, setting.days, n))
    return pd.DataFrame(
        dict(
            comment_id=[f"c{number:04}" for number in range(1, n + 1)],
            question_id=rng.choice(questions["question_id"], n),
            author=rng.choice(people["reviewer"], n),
            text=rng.choice(COMMENTS, n),
            written_at=_at(days),
        )
    )


# The words

PROMPT = "You are given a question that nobody has answered. Answer it, and give every step and reference."
COMMENTS = (
    "Is the second condition needed? It seems to follow from the first.",
    "Please name the edition of the book that you quote.",
    "A small example would make this question easier to check.",
    "The older thread that the post links to has moved.",
    "I can repeat the observation on my own device.",
)


class Site(NamedTuple):
    """A made-up site; `title` has gaps for the words."""

    name: str
    category: str
    title: str
    words: tuple[str, ...]
    others: tuple[str, ...]


SITES = (
    Site(
        "proofs",
        "Science",
        "Is every {0} with bounded {1} finite?",
        ("lattice", "loop", "tiling", "graph", "word group", "matroid"),
        ("width", "depth", "index", "degree", "torsion", "rank"),
    ),
    Site(
        "physics-lab",
        "Science",
        "Why does the {0} depend on the {1}?",
        ("noise of a coil", "drift of a clock", "glow of a tube", "friction of a bearing", "pitch of a bar"),
        ("pressure", "angle", "age of the sample", "field", "temperature"),
    ),
    Site(
        "circuits",
        "Technology",
        "Which {0} did the {1} use?",
        ("sound chip", "memory controller", "disc encoding", "character set", "boot loader"),
        ("Orion 80 terminal", "Delta board", "Kestrel home computer", "Mirage console", "Atlas printer"),
    ),
    Site(
        "stories",
        "Life & Arts",
        "A story in which {0} meets {1}",
        ("a clockmaker", "a lighthouse keeper", "a mapmaker", "a ferryman", "a botanist"),
        ("a talking river", "her younger self", "the last robot", "a silent choir", "a lost army"),
    ),
)
REVIEWS = {
    "yes": (
        "I followed every step and found no gap.",
        "The source exists and says what is claimed.",
        "I checked the small cases by hand; they agree.",
    ),
    "no": (
        "The second step does not follow from the first.",
        "I can't find the source that is cited.",
        "A case that the answer leaves out contradicts it.",
    ),
    "unsure": ("This is outside my field.", "I would need the original document to decide."),
}


def _title(site: Site, rng: np.random.Generator) -> str:
    """The title of a question."""
    words = [some[rng.integers(len(some))] for some in (site.words, site.others)]  # `choice` takes ten times as long
    return site.title.format(*words)


def _answer_texts(n: int, rng: np.random.Generator) -> list[str]:
    """The texts of n answers; they say nothing of whether the simulation has them right."""
    drawn = rng.integers([3, 30, 0], [30, 90, 4], (n, 3)).tolist()
    return [f"A made-up answer, of kind {kind}: {low} of {high}." for low, high, kind in drawn]


def _review_texts(correct: Sequence[str] | np.ndarray, rng: np.random.Generator) -> list[str]:
    """The texts of reviews that say yes, no or unsure."""
    return [REVIEWS[word][n] for word, n in zip(correct, rng.integers([len(REVIEWS[word]) for word in correct]))]
