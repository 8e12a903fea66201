"""A community on a platform: its tables, when a question counts as resolved, and what an overview may count (UQ,
section 2.3, appendices B.3, C, F.3 and I.3).

`COLUMNS` are the tables that a review desk gives; the analyses take them from a store or from
`simulated_community` alike. Times are UTC. `truth` and `reviewers` exist in a simulation only.

The paper does not say how many reviews resolve a question: the rule is ours. A review counts if a person wrote it who
has no conflict of interest and did not write the answer, and if it is not withdrawn. AI reviews and validators never
resolve.

Systems are ranked cautiously by verified resolutions (appendices C and F.3): a system is credited with a question when
an answer of its is right by this rule. Answers that passed the screen and that people did not settle may be right or
wrong: they widen what is possible (Manski's bounds), and no number of further questions makes that range narrower.
People are an entry like any system.
"""

from dataclasses import dataclass, field

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.stats import bootstrap, checks
from proctor.stats.compare import exact_p, holm
from proctor.stats.proportions import clopper_pearson, wilson

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
LAUNCH = pd.Timestamp("2026-01-05", tz="UTC")


@dataclass(frozen=True)
class Community:
    """The tables of `COLUMNS`, one field each. `simulate` gives them all; of a desk, `Community(**read_tables())`, the
    truth and the reviewers are not known."""

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


def passed(verdicts: pd.DataFrame, validator: str, answer_ids: pd.Series) -> np.ndarray:
    """Whether the validator's last verdict on each answer is accept, shape (answers,)."""
    own = verdicts[verdicts["validator"] == validator].sort_values("decided_at", kind="stable")
    last = own.drop_duplicates("answer_id", keep="last").set_index("answer_id")["verdict"]
    return (answer_ids.map(last) == "accept").to_numpy()


def present(frame: pd.DataFrame, began: str, at: pd.Timestamp) -> pd.Series:
    """Rows that had begun and were not withdrawn at a time."""
    return (frame[began] <= at) & ~(frame["withdrawn_at"] <= at)


def independent(community: Community, at: pd.Timestamp | None = None) -> pd.DataFrame:
    """The reviews that count at a time (default: the end), the last one of each reviewer of each answer.

    With question_id and system of the answer.
    """
    at = community.end if at is None else at
    answers = community.answers[present(community.answers, "submitted_at", at)]
    reviews = community.reviews[present(community.reviews, "written_at", at)]
    reviews = reviews[(reviews["kind"] == "human") & ~reviews["conflict"].astype(bool)]
    known = reviews.merge(answers[["answer_id", "question_id", "system", "submitted_by"]], on="answer_id")
    known = known[known["reviewer"] != known["submitted_by"]].sort_values("written_at", kind="stable")
    return known.drop_duplicates(["answer_id", "reviewer"], keep="last").reset_index(drop=True)


def answer_states(community: Community, rule: Rule = RULE, at: pd.Timestamp | None = None) -> pd.DataFrame:
    """Of each present answer: answer_id, question_id, system, yes, no, unsure (independent reviews), state."""
    at = community.end if at is None else at
    answers = community.answers[present(community.answers, "submitted_at", at)]
    table = answers[["answer_id", "question_id", "system"]].reset_index(drop=True)
    reviews = independent(community, at)
    for word in ("yes", "no", "unsure"):
        count = reviews.loc[reviews["correct"] == word, "answer_id"].value_counts()
        table[word] = table["answer_id"].map(count).fillna(0).astype(int)
    return table.assign(state=rule.state(table["yes"], table["no"]))


def history(community: Community, rule: Rule = RULE, steps: int = 24) -> pd.DataFrame:
    """Over time: at, reviews (that count), answers reviewed by state, questions resolved, and false: those of them
    without a right answer among the resolving ones, where the truth is known (else NaN)."""
    start = community.answers["submitted_at"].min()
    right = community.truth.set_index("answer_id")["right"]
    rows: list[dict] = []
    if pd.isna(start):
        return pd.DataFrame(columns=["at", "reviews", *STATES, "resolved", "false"])
    for at in pd.date_range(start, community.end, steps + 1).ceil("s")[1:]:
        states = answer_states(community, rule, at)
        seen = states[states[["yes", "no", "unsure"]].sum(axis=1) > 0]
        counts = {name: int((seen["state"] == name).sum()) for name in STATES}
        resolving = states[states["state"] == "right"]
        false = np.nan
        if len(right):
            false = int((~resolving["answer_id"].map(right).astype(bool).groupby(resolving["question_id"]).any()).sum())
        reviews = int(states[["yes", "no", "unsure"]].to_numpy().sum())
        rows.append(dict(at=at, reviews=reviews, **counts, resolved=resolving["question_id"].nunique(), false=false))
    return pd.DataFrame(rows)


def statistics(community: Community, validator: str, rule: Rule = RULE) -> pd.DataFrame:
    """The overview of a platform: measure, count, of, share with Wilson's limits where it is a share."""
    states = answer_states(community, rule)
    accepted = passed(community.verdicts, validator, states["answer_id"])
    answers = community.answers[community.answers["answer_id"].isin(states["answer_id"])]
    machines = answers[answers["base_model"] != ""]
    seen = states[["yes", "no", "unsure"]].sum(axis=1) > 0
    people, reviews = independent(community), community.reviews
    ai = reviews[(reviews["kind"] == "ai") & reviews["withdrawn_at"].isna()]
    questions, total = len(community.questions), len(states)
    rows: list[tuple] = [("questions with an answer", states["question_id"].nunique(), questions)]
    rows += [("questions with an answer that passed", states["question_id"][accepted].nunique(), questions)]
    resolved = states.loc[states["state"] == "right", "question_id"].nunique()
    rows += [("questions resolved", resolved, questions), ("answers that passed", int(accepted.sum()), total)]
    rows += [("passed answers that people reviewed", int((accepted & seen).sum()), int(accepted.sum()))]
    rows += [
        (f"reviewed answers {name}", int((states["state"][seen] == name).sum()), int(seen.sum())) for name in STATES
    ]
    counts = [("systems", machines["system"].nunique()), ("base models", machines["base_model"].nunique())]
    counts += [("human reviews that count", len(people)), ("human reviewers", people["reviewer"].nunique())]
    counts += [("AI reviews", len(ai)), ("comments", len(community.comments))]
    table = pd.DataFrame(rows + [(*row, np.nan) for row in counts], columns=["measure", "count", "of"])
    known = table["of"] > 0
    table["share"] = (table["count"] / table["of"]).where(known)
    pairs = zip(table["count"], table["of"])
    table[["low", "high"]] = [wilson(int(k), int(n)) if n > 0 else (np.nan, np.nan) for k, n in pairs]
    return table


def pass_rates(community: Community, level: float = 0.95) -> pd.DataFrame:
    """Of each system and validator: passed, of, share with Wilson's limits, unreadable verdicts, which do not pass."""
    answers = community.answers[community.answers["base_model"] != ""]
    last = community.verdicts.sort_values("decided_at", kind="stable")
    last = last.drop_duplicates(["answer_id", "validator"], keep="last")
    known = last.merge(answers[["answer_id", "system"]], on="answer_id")
    rows = []
    for (system, validator), part in known.groupby(["system", "validator"]):
        k, n = int((part["verdict"] == "accept").sum()), len(part)
        low, high = wilson(k, n, level)
        unreadable = int((part["verdict"] == "unreadable").sum())
        rows.append((system, validator, k, n, k / n, low, high, unreadable))
    return pd.DataFrame(rows, columns="system validator passed of share low high unreadable".split())


PEOPLE = "people"


def scores(community: Community, validator: str, rule: Rule = RULE) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(sure, possible), 0/1 (systems, questions): solved by a right answer, and by one that is right or unsettled.

    Unsettled: passed the validator and is neither right nor wrong by the reviews. Answers of people need not pass.
    """
    states = answer_states(community, rule)
    is_system = states["answer_id"].map(community.answers.set_index("answer_id")["base_model"]) != ""
    states["system"] = states["system"].where(is_system, PEOPLE)
    right = states["state"] == "right"
    screened = passed(community.verdicts, validator, states["answer_id"]) | ~is_system
    unsettled = states["state"].isin(["open", "disputed"]) & screened
    tables = []
    for mask in (right, right | unsettled):
        table = mask.groupby([states["system"], states["question_id"]]).any().unstack(fill_value=False)
        tables.append(table.reindex(columns=community.questions["question_id"], fill_value=False).astype(float))
    return tables[0], tables[1]


def ranking(sure: pd.DataFrame, possible: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """One row a system, most resolutions first: right and unsettled (questions), of, share and its exact limits.

    share_most: if all unsettled answers are right. low, high: limits of the share of such questions that the system
    solves with a right and passed answer, whatever the unsettled ones are: Clopper and Pearson's for the two extremes.
    rank_low, rank_high: the ranks that it can have, by the pairs that `apart` tells apart whatever the unsettled are.
    """
    above = apart(sure, possible)
    rows = []
    for name in sure.index:
        k, most, n = int(sure.loc[name].sum()), int(possible.loc[name].sum()), sure.shape[1]
        low, high = clopper_pearson(k, n, level)
        at_most = clopper_pearson(most, n, level)[1]
        beaten_by = int(((above["lower"] == name) & above["surely_apart"]).sum())
        beats = int(((above["higher"] == name) & above["surely_apart"]).sum())
        row = dict(system=name, right=k, unsettled=most - k, of=n, share=k / n, low=low, high_by_count=high)
        row |= dict(share_most=most / n, high=at_most, rank_low=1 + beaten_by, rank_high=len(sure) - beats)
        rows.append(row)
    columns = "system right unsettled of share low high_by_count share_most high rank_low rank_high".split()
    table = pd.DataFrame(rows, columns=columns).sort_values("right", ascending=False, kind="stable", ignore_index=True)
    table.insert(1, "rank", table["right"].rank(ascending=False, method="min").astype(int))
    return table


def apart(sure: pd.DataFrame, possible: pd.DataFrame) -> pd.DataFrame:
    """Each pair, the one with more resolutions first: p by count, and at worst, corrected for all pairs (Holm).

    p_by_count: McNemar's exact test, as if unsettled answers were wrong. p_at_worst: the higher one's unsettled answers
    all wrong and the lower one's all right; 1 where that turns the order.
    """
    order = sure.sum(axis=1).sort_values(ascending=False, kind="stable").index
    higher, lower = np.triu_indices(len(order), 1)
    if not len(higher):
        return pd.DataFrame(columns="higher lower p_by_count p_at_worst apart surely_apart".split())
    right, may_be = (table.loc[order].to_numpy(float) for table in (sure, possible))
    only = right @ (1 - right).T  # answers that the row's system has right and the column's has not
    by_count = holm(exact_p(only[higher, lower], only[lower, higher]))
    mine, theirs = (right @ (1 - may_be).T)[higher, lower], ((1 - right) @ may_be.T)[higher, lower]
    at_worst = holm(np.where(mine > theirs, exact_p(mine, theirs), 1.0))
    found = dict(higher=order[higher], lower=order[lower], p_by_count=by_count, p_at_worst=at_worst)
    return pd.DataFrame(found | dict(apart=by_count < 0.05, surely_apart=at_worst < 0.05))


LABELS = ("yes", "no", "unsure")


def label_alpha(counts: np.ndarray) -> float:
    """Krippendorff's alpha of unordered labels, from how often each answer got each: counts (answers, labels).

    NaN where no two labels that can be paired differ.
    """
    paired = counts[counts.sum(axis=1) > 1]
    if (paired.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=paired, level_of_measurement="nominal"))


def reviewer_agreement(
    community: Community, rng: np.random.Generator, resamples: int = 1_000, level: float = 0.95
) -> pd.DataFrame:
    """People, AI reviewers, and both: reviews, answers with two or more, pairs that agree, alpha with limits.

    Answers are resampled with all their reviews. people, surest: those with confidence 4 or 5.
    """
    people = independent(community)
    ai = community.reviews[(community.reviews["kind"] == "ai") & community.reviews["withdrawn_at"].isna()]
    parts = {"people": people, "people, surest": people[people["confidence"] >= 4], "AI reviewers": ai}
    parts["people and AI"] = pd.concat([people, ai])
    rows = []
    for name, part in parts.items():
        if part.empty:
            continue
        counts = part.pivot_table(
            index="answer_id", columns="correct", values="review_id", aggfunc="count", fill_value=0
        )
        counts = counts.reindex(columns=list(LABELS), fill_value=0).to_numpy()
        counts = counts[counts.sum(axis=1) > 1]
        if not len(counts):
            continue
        n = counts.sum(axis=1)
        agree = float((counts * (counts - 1)).sum() / (n * (n - 1)).sum())
        found = bootstrap.statistic_interval(label_alpha, [counts], rng, resamples, level)
        row = dict(reviewers=name, reviews=int(n.sum()), answers=len(counts), agreement=agree)
        rows.append(row | dict(alpha=found.estimate, low=found.low, high=found.high))
    return pd.DataFrame(rows)
