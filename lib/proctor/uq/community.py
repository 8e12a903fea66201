"""A community on a platform: its tables, and one that is simulated, whose truth is known (UQ, section 2.3, appendix C).

`COLUMNS` are the tables that a review desk exports and imports; the analyses (`resolution`, `reviewers`) take them from
a store or from `simulate` alike. Times are UTC. `truth` and `reviewers` exist in a simulation only. Simulated: systems,
sites and people are made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.data.tabular import DataError
from proctor.stats import checks
from proctor.uq import community_texts as texts
from proctor.uq.dataset.posts import licence

COLUMNS = {
    "questions": "question_id site category title body score views posted_at licence link",
    "answers": "answer_id question_id system organisation base_model prompt text submitted_at submitted_by "
    "withdrawn_at",
    "verdicts": "answer_id validator verdict probability calls dollars decided_at",
    "reviews": "review_id answer_id reviewer kind correct confidence conflict text written_at withdrawn_at",
    "comments": "comment_id question_id author text written_at",
    "truth": "answer_id right",
    "reviewers": "reviewer group skill",
}
COLUMNS = {name: tuple(columns.split()) for name, columns in COLUMNS.items()}
SIMULATED_ONLY = ("truth", "reviewers")
WORDS = {  # (table, column) -> what it may hold
    ("verdicts", "verdict"): ("accept", "reject", "unreadable"),
    ("reviews", "kind"): ("human", "ai"),
    ("reviews", "correct"): ("yes", "no", "unsure"),
    ("reviews", "confidence"): (1, 2, 3, 4, 5),
}
KEYS = {"questions": "question_id", "answers": "answer_id", "reviews": "review_id", "comments": "comment_id"}
LAUNCH = pd.Timestamp("2026-01-05", tz="UTC")


@dataclass(frozen=True)
class Community:
    """The tables of `COLUMNS`, one field each; `truth` and `reviewers` are empty where a store was read."""

    questions: pd.DataFrame
    answers: pd.DataFrame
    verdicts: pd.DataFrame
    reviews: pd.DataFrame
    comments: pd.DataFrame
    truth: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS["truth"])))
    reviewers: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS["reviewers"])))

    @property
    def end(self) -> pd.Timestamp:
        """The time of the last thing that happened; `LAUNCH` where nothing did."""
        times = [self.answers["submitted_at"], self.verdicts["decided_at"], self.reviews["written_at"]]
        times += [self.answers["withdrawn_at"], self.reviews["withdrawn_at"], self.comments["written_at"]]
        return max((column.max() for column in times if column.notna().any()), default=LAUNCH)


STATES = ("right", "disputed", "open", "wrong")


@dataclass(frozen=True)
class Rule:
    """An answer is right, or wrong, when `needed` reviews say so and they are at least `share` of those that decide.

    An unsure review decides nothing. disputed: `needed` reviews decide and do not agree. open: too few do.

    >>> Rule(needed=3, share=0.75).state([3, 3, 0, 1, 1], [0, 2, 4, 0, 2]).tolist()
    ['right', 'disputed', 'wrong', 'open', 'disputed']
    """

    needed: int = 3
    share: float = 0.75

    def __post_init__(self):
        checks.at_least_one(self.needed, "needed")
        if not 0.5 < self.share <= 1:
            raise ValueError(f"share is {self.share}: above 0.5 and at most 1, or an answer could be right and wrong")

    def state(self, yes: ArrayLike, no: ArrayLike) -> np.ndarray:
        """One of `STATES` for each pair of counts."""
        yes, no = np.asarray(yes), np.asarray(no)
        decided = yes + no
        enough = self.share * decided - 1e-9
        found = np.where(decided >= self.needed, "disputed", "open")
        found = np.where((yes >= self.needed) & (yes >= enough), "right", found)
        return np.where((no >= self.needed) & (no >= enough), "wrong", found)


RULE = Rule()


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


def checked(tables: Mapping[str, pd.DataFrame]) -> Community:
    """A community of tables that were read from a store, times as UTC. DataError names table, column, row and mend."""
    frames = {}
    for name, columns in COLUMNS.items():
        if name not in tables and name in SIMULATED_ONLY:
            continue
        if name not in tables:
            raise DataError(
                f"no table {name}: export all of {', '.join(n for n in COLUMNS if n not in SIMULATED_ONLY)}"
            )
        if missing := [column for column in columns if column not in tables[name]]:
            raise DataError(f"{name}: no column {', '.join(missing)}; it needs {', '.join(columns)}")
        frame = tables[name][list(columns)].reset_index(drop=True)
        for column in columns:
            if column.endswith("_at"):
                frame[column] = _times(frame[column], name)
        frames[name] = frame
    for (name, column), allowed in WORDS.items():
        _refuse(frames[name], name, column, ~frames[name][column].isin(allowed), f"is none of {allowed}")
    for name, key in KEYS.items():
        _refuse(frames[name], name, key, frames[name][key].duplicated(), "stands twice; ids are unique")
    for name, key, home in (("answers", "question_id", "questions"), ("comments", "question_id", "questions"),
                            ("verdicts", "answer_id", "answers"), ("reviews", "answer_id", "answers")):  # fmt: skip
        unknown = ~frames[name][key].isin(frames[home][key])
        _refuse(frames[name], name, key, unknown, f"is not in {home}; export both at one time")
    return Community(**frames)


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


def _times(column: pd.Series, name: str) -> pd.Series:
    try:
        known = pd.api.types.is_datetime64_any_dtype(column)
        return pd.to_datetime(column.replace("", None), utc=True, format=None if known else "ISO8601")
    except (ValueError, TypeError) as error:
        what = " ".join(str(error).split())[:120]
        raise DataError(f"{name}, column {column.name}: not a time ({what}); write 2026-01-31T12:00:00Z") from None


def _refuse(frame: pd.DataFrame, name: str, column: str, bad: pd.Series, why: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"{name}, row {row + 1}, {column}: {frame[column].iloc[row]!r} {why} ({bad.sum()} such rows)")


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
    sites = rng.integers(0, len(texts.SITES), n)
    posted = pd.Series(LAUNCH - pd.to_timedelta(rng.uniform(800, 5200, n), unit="D")).dt.floor("s")
    titles = [texts.title(texts.SITES[site], rng) for site in sites]
    names = [texts.SITES[site].name for site in sites]
    return pd.DataFrame(
        dict(
            question_id=[f"q{number:04}" for number in range(1, n + 1)],
            site=names,
            category=[texts.SITES[site].category for site in sites],
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
        known |= dict(base_model=system.base_model, prompt=texts.PROMPT, submitted_by=system.organisation)
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
    answers["text"] = texts.answers(len(answers), rng)
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


def passed(verdicts: pd.DataFrame, validator: str, answer_ids: pd.Series) -> np.ndarray:
    """Whether the validator's last verdict on each answer is accept, shape (answers,)."""
    own = verdicts[verdicts["validator"] == validator].sort_values("decided_at", kind="stable")
    last = own.drop_duplicates("answer_id", keep="last").set_index("answer_id")["verdict"]
    return (answer_ids.map(last) == "accept").to_numpy()


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
    known |= dict(conflict=rng.random(len(pick)) < 0.03, text=texts.reviews(correct, rng))
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
        known |= dict(text=texts.reviews(correct, rng))
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
            text=rng.choice(texts.COMMENTS, n),
            written_at=_at(days),
        )
    )
