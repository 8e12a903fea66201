"""Who reviews well: agreement of reviewers, and statistics that show a careless one or a group that keeps together.

Votes are a table (reviewers, answers): 1 yes, 0 no, NaN for no vote or unsure. Nothing here knows the truth, except
what compares a method with it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import krippendorff
import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import hypergeom

from proctor.stats import bootstrap
from proctor.stats.agreement import agreement
from proctor.stats.compare import holm
from proctor.stats.proportions import clopper_pearson
from proctor.uq.community import Community, Group, yes_chance
from proctor.uq.resolution import independent

LABELS = ("yes", "no", "unsure")


def votes_of(reviews: pd.DataFrame) -> pd.DataFrame:
    """Votes (reviewer, answer_id) of reviews that count (`resolution.independent`); unsure is no vote."""
    decided = reviews[reviews["correct"] != "unsure"]
    if decided.empty:
        return pd.DataFrame(dtype=float)
    return decided.assign(vote=(decided["correct"] == "yes") * 1.0).pivot(
        index="reviewer", columns="answer_id", values="vote"
    )


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


def ai_against_people(community: Community, states: pd.DataFrame) -> pd.DataFrame:
    """Each AI reviewer beside the answers that people settled: n, agreement, that expected by chance, kappa."""
    settled = states[states["state"].isin(["right", "wrong"])]
    ai = community.reviews[community.reviews["kind"] == "ai"].merge(settled[["answer_id", "state"]], on="answer_id")
    ai = ai[ai["correct"] != "unsure"]
    rows = []
    for name, part in ai.groupby("reviewer"):
        found = agreement(np.where(part["correct"] == "yes", "right", "wrong"), part["state"])
        rows.append((name, found.n, found.agreement, found.expected, np.nan if found.kappa is None else found.kappa))
    return pd.DataFrame(rows, columns="reviewer answers agreement expected kappa".split())


def against_others(votes: np.ndarray) -> dict[str, np.ndarray]:
    """Each reviewer against the others of the same answers, arrays of shape (reviewers,).

    n: answers shared with another vote; agreement: mean share of the others who voted likewise; corrected: beyond
    chance, from the reviewer's own rate of yes and the others' (0 for one who votes without reading, whatever the
    rate); error: its jackknife standard error over answers. NaN with fewer than three shared answers.
    """
    known = ~np.isnan(votes)
    vote = np.where(known, votes, 0.0)
    others = known.sum(axis=0) - known
    use = known & (others > 0)
    share = np.divide(vote.sum(axis=0) - vote, others, out=np.zeros(votes.shape), where=use)
    vote = np.where(use, vote, 0.0)
    alike = np.where(use, vote * share + (1 - vote) * (1 - share), 0.0)
    n = use.sum(axis=1)
    sums = [each.sum(axis=1)[:, None] for each in (alike, vote, share)]
    with np.errstate(invalid="ignore", divide="ignore"):
        raw, kappa = _corrected(*sums, n[:, None])
        left = np.maximum(n[:, None] - 1, 1)
        _, without = _corrected(*(total - each for total, each in zip(sums, (alike, vote, share))), left)
        without = np.where(use & np.isfinite(without), without, np.nan)
        mean = np.nansum(without, axis=1) / n
        spread = np.nansum((without - mean[:, None]) ** 2, axis=1)
        error = np.sqrt((n - 1) / n * spread)
    few = n < 3
    shape = (raw[:, 0], kappa[:, 0], error)
    raw, kappa, error = (np.where(few, np.nan, each) for each in shape)
    return dict(n=n, agreement=raw, corrected=kappa, error=error)


def _corrected(alike: np.ndarray, vote: np.ndarray, share: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    raw, own, their = alike / n, vote / n, share / n
    chance = own * their + (1 - own) * (1 - their)
    return raw, (raw - chance) / (1 - chance)


def careless(votes: np.ndarray, level: float = 0.95, least: int = 20) -> np.ndarray:
    """Whether each reviewer agrees with the others less than is usual here, shape (reviewers,).

    Less: by more of its own standard errors below the community's median than chance gives the lowest of so many
    reviewers (Student's, `level` for all of them together). With fewer than `least` shared answers nobody is flagged.
    """
    found = against_others(votes)
    return _below_median(found["corrected"], found["error"], found["n"], level, least)


def by_raw_agreement(votes: np.ndarray, level: float = 0.95, least: int = 20) -> np.ndarray:
    """The same from agreement that is not corrected for chance, with its binomial standard error: for comparison."""
    found = against_others(votes)
    middle = np.nanmedian(found["agreement"]) if np.isfinite(found["agreement"]).any() else np.nan
    error = np.sqrt(middle * (1 - middle) / np.maximum(found["n"], 1))
    return _below_median(found["agreement"], error, found["n"], level, least)


def _below_median(value: np.ndarray, error: np.ndarray, n: np.ndarray, level: float, least: int) -> np.ndarray:
    judged = np.isfinite(value) & (n >= least)
    if judged.sum() < 3:
        return np.zeros(len(value), bool)
    bar = stdtrit(np.maximum(n - 1, 1), 1 - (1 - level) / judged.sum())
    return judged & (value + bar * np.maximum(error, 0.02) < np.median(value[judged]))


def together_against_others(votes: np.ndarray, least: int = 5) -> pd.DataFrame:
    """Each pair of reviewers: do they contradict the rest together more often than chance has it?

    shared: answers that both voted on and on which the rest has a majority. one, other, both: how often each, and both,
    vote against it. p: chance of so many joint ones if the two erred independently (hypergeometric, one-sided), holm:
    corrected for all pairs with `least` shared answers.
    """
    known, (i, j) = ~np.isnan(votes), np.triu_indices(len(votes), 1)
    vote = np.where(known, votes, 0.0)
    both = known[i] & known[j]
    rest = known.sum(axis=0) - known[i] - known[j]
    yes = vote.sum(axis=0) - vote[i] - vote[j]
    use = both & (2 * yes != rest) & (rest > 0)
    majority = 2 * yes > rest
    one, other = use & ((vote[i] == 1) != majority), use & ((vote[j] == 1) != majority)
    table = pd.DataFrame(dict(a=i, b=j, shared=use.sum(axis=1), one=one.sum(axis=1), other=other.sum(axis=1)))
    table["both"] = (one & other).sum(axis=1)
    table = table[table["shared"] >= least].reset_index(drop=True)
    table["p"] = hypergeom.sf(table["both"] - 1, table["shared"], table["one"], table["other"])
    table["holm"] = holm(table["p"].to_numpy()) if len(table) else table["p"]
    return table


def keeps_together(votes: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Whether each reviewer is in a pair that contradicts the rest together too often, shape (reviewers,)."""
    pairs = together_against_others(votes)
    pairs = pairs[pairs["holm"] < 1 - level]
    return np.isin(np.arange(len(votes)), np.concatenate([pairs["a"], pairs["b"]]))


def favours(votes: np.ndarray, systems: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Whether each reviewer calls answers of some system right against the others' no more often than other systems'.

    systems (answers,): whose each answer is. Fisher's exact test, one-sided, of a reviewer's own votes on answers to
    which most of the others say no; Holm for all reviewers and systems. Skill and misleading answers do not matter, as
    long as they are the same for all systems. Shape (reviewers,).
    """
    known = ~np.isnan(votes)
    vote = np.where(known, votes, 0.0)
    rest, yes = known.sum(axis=0) - known, vote.sum(axis=0) - vote
    use = known & (rest > 0) & (2 * yes < rest)
    alone = use & (vote == 1)
    p = []
    for system in np.unique(systems):
        own = systems == system
        counts = alone[:, own].sum(axis=1), use.sum(axis=1), alone.sum(axis=1), use[:, own].sum(axis=1)
        p.append(np.where(counts[1] > 0, hypergeom.sf(counts[0] - 1, *counts[1:]), 1.0))
    if not np.size(p):
        return np.zeros(len(votes), bool)
    return (holm(np.ravel(p)).reshape(np.shape(p)) < 1 - level).any(axis=0)


@dataclass(frozen=True)
class DawidSkene:
    """Posterior chance that each answer is right; each reviewer's estimated chances to call a right one right
    (sensitivity) and a wrong one wrong (specificity); the share of right answers; log likelihood, by step."""

    right: np.ndarray
    sensitivity: np.ndarray
    specificity: np.ndarray
    base_rate: float
    likelihood: tuple[float, ...]


def dawid_skene(votes: np.ndarray, pseudo: float = 1.0, steps: int = 200, tolerance: float = 1e-8) -> DawidSkene:
    """Truth and reviewers' error rates together, by expectation and maximisation (Dawid and Skene 1979, yes or no).

    pseudo: votes of each kind added to each reviewer's, half of them mistaken times one half, so that few votes decide
    little; 0 is maximum likelihood. Starts at the share of yes, which says that most reviewers are better than chance.
    """
    known = ~np.isnan(votes)
    yes, no = known & (votes == 1), known & (votes == 0)
    right = yes.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    seen: list[float] = []
    for _ in range(steps):
        weight = [each.sum() for each in (right, 1 - right)]
        base = (weight[0] + pseudo) / (sum(weight) + 2 * pseudo)
        sensitivity = _rate(yes @ right, known @ right, pseudo)
        specificity = _rate(no @ (1 - right), known @ (1 - right), pseudo)
        right, value = posterior(votes, sensitivity, specificity, base)
        seen.append(value)
        if len(seen) > 1 and abs(seen[-1] - seen[-2]) < tolerance:
            break
    return DawidSkene(right, sensitivity, specificity, float(base), tuple(seen))


def _rate(hits: np.ndarray, of: np.ndarray, pseudo: float) -> np.ndarray:
    """Hits of votes with 3 : 1 pseudo-votes for being right, kept off 0 and 1."""
    return np.clip((hits + 3 * pseudo) / np.maximum(of + 4 * pseudo, 1e-12), 1e-9, 1 - 1e-9)


def posterior(votes: np.ndarray, sensitivity: np.ndarray, specificity: np.ndarray, base: float) -> tuple:
    """(chance that each answer is right, log likelihood of all votes), reviewers independent given the truth."""
    yes, no = votes == 1, votes == 0
    if_right = np.log(base) + np.log(sensitivity) @ yes + np.log(1 - sensitivity) @ no
    if_wrong = np.log(1 - base) + np.log(1 - specificity) @ yes + np.log(specificity) @ no
    total = np.logaddexp(if_right, if_wrong)
    return np.exp(if_right - total), float(total.sum())


def majority(votes: np.ndarray) -> np.ndarray:
    """Share of yes of each answer, 1/2 where nobody voted."""
    known = (~np.isnan(votes)).sum(axis=0)
    return np.where(known > 0, np.nansum(votes, axis=0) / np.maximum(known, 1), 0.5)


@dataclass(frozen=True)
class Panel:
    """A simulated set of votes: groups of reviewers, answers, votes of an answer; the rest as in `community.Setting`.

    Groups named "coin", "always no" and "colluding" toss a coin, vote no, and call right whatever the first of the
    `systems` hands in; a sixth of the answers is each system's.
    """

    groups: tuple[Group, ...]
    answers: int = 200
    per_answer: int = 5
    base_rate: float = 0.25
    tempting: float = 0.0
    fooled: float = 0.3
    systems: int = 6

    @property
    def names(self) -> np.ndarray:
        """The group of each reviewer."""
        return np.array([group.name for group in self.groups for _ in range(group.count)])

    @property
    def reviews_each(self) -> float:
        return self.answers * self.per_answer / len(self.names)


@dataclass(frozen=True)
class Ballot:
    """Drawn votes (reviewers, answers), whether each answer is right, and whose it is."""

    votes: np.ndarray
    right: np.ndarray
    systems: np.ndarray


def draw_votes(panel: Panel, rng: np.random.Generator) -> Ballot:
    """`per_answer` reviewers by lot for each answer; colluding ones come to their system's twice as eagerly."""
    names = panel.names
    skill = np.array([group.skill for group in panel.groups for _ in range(group.count)])
    right = rng.random(panel.answers) < panel.base_rate
    tempting = ~right & (rng.random(panel.answers) < panel.tempting)
    systems = rng.integers(0, panel.systems, panel.answers)
    boosted = (names == "colluding")[:, None] & (systems == 0)
    chance = yes_chance(skill[:, None], right, tempting, panel.fooled)
    chance[names == "always no"], chance[names == "coin"] = 0.0, 0.5
    chance = np.where(boosted, 1.0, chance)
    arrival = rng.exponential(size=chance.shape) / np.where(boosted, 2.0, 1.0)
    chosen = np.argsort(np.argsort(arrival, axis=0), axis=0) < panel.per_answer
    return Ballot(np.where(chosen, (rng.random(chance.shape) < chance) * 1.0, np.nan), right, systems)


TESTS: Mapping[str, Callable[[Ballot], np.ndarray]] = {
    "raw agreement": lambda ballot: by_raw_agreement(ballot.votes),
    "beyond chance": lambda ballot: careless(ballot.votes),
    "pairs": lambda ballot: keeps_together(ballot.votes),
    "favour": lambda ballot: favours(ballot.votes, ballot.systems),
}
SEEN_BY = {"coin": ("raw agreement", "beyond chance"), "always no": ("raw agreement", "beyond chance")}
SEEN_BY |= {"colluding": ("pairs", "favour"), "honest": tuple(TESTS)}


def detection(panels: Mapping[str, Panel], trials: int, rng: np.random.Generator, level: float = 0.95) -> pd.DataFrame:
    """How often the tests flag whom they are meant for: one row a panel, test and group, exact limits over communities.

    flagged: share of communities in which some reviewer of the group is flagged; of "honest" (all but the groups named
    in `Panel`) that is the false alarm. each: mean share of the group's reviewers flagged. In a panel without a
    dishonest group all tests are held against the honest ones.
    """
    rows = []
    for name, panel in panels.items():
        kind = np.where(np.isin(panel.names, list(SEEN_BY)), panel.names, "honest")
        groups = [group for group in SEEN_BY if group in kind]
        tests = [test for test in TESTS if any(test in SEEN_BY[group] for group in groups if group != "honest")]
        flags = {test: np.empty((trials, len(kind)), bool) for test in tests or TESTS}
        for trial in range(trials):
            ballot = draw_votes(panel, rng)
            for test, found in flags.items():
                found[trial] = TESTS[test](ballot)
        for test, found in flags.items():
            for group in groups:
                part = found[:, kind == group]
                k = int(part.any(axis=1).sum())
                low, high = clopper_pearson(k, trials, level)
                row = dict(panel=name, reviews_each=panel.reviews_each, test=test, group=group, each=part.mean())
                rows.append(row | dict(flagged=k / trials, low=low, high=high, trials=trials))
    return pd.DataFrame(rows)


def compared_panels(honest: tuple[Group, ...]) -> dict[str, Panel]:
    """Communities on which a model of the reviewers may gain or lose: 400 answers, or 40, and five reviews each."""
    apart = (Group("expert", 6, 0.95), Group("careful", 14, 0.65))
    return {
        "all good": Panel(honest, 400),
        "skills far apart": Panel(apart, 400),
        "the same, 10 reviews each": Panel(apart, 40),
        "6 coins": Panel((*honest, Group("coin", 6, 0.5)), 400),
        "4 collude": Panel((*honest, Group("colluding", 4, 0.85)), 400),
        "20 collude": Panel((*honest, Group("colluding", 20, 0.85)), 400),
    }


def compare_with_majority(
    panels: Mapping[str, Panel], trials: int, rng: np.random.Generator, resamples: int = 1_000, level: float = 0.95
) -> pd.DataFrame:
    """Mistaken answers (percent) of the majority and of Dawid and Skene's model on the same votes, and the difference.

    A tie of the majority counts as half a mistake. Communities are resampled.
    """
    rows = []
    for name, panel in panels.items():
        errors = np.empty((trials, 2))
        for trial in range(trials):
            ballot = draw_votes(panel, rng)
            for k, belief in enumerate((majority(ballot.votes), dawid_skene(ballot.votes).right)):
                wrong = np.where(np.abs(belief - 0.5) < 1e-9, 0.5, (belief > 0.5) != ballot.right)
                errors[trial, k] = 100 * wrong.mean()
        found = bootstrap.interval(errors[:, 1] - errors[:, 0], rng, resamples, level, bounds=(-100, 100))
        row = dict(panel=name, reviews_each=panel.reviews_each, majority=errors[:, 0].mean())
        row |= dict(dawid_skene=errors[:, 1].mean(), difference=found.estimate, low=found.low, high=found.high)
        rows.append(row | dict(trials=trials))
    return pd.DataFrame(rows)


def flags_of(community: Community) -> pd.DataFrame:
    """Every reviewer: shared answers, agreement, corrected with its error, flags, and the group where it is known."""
    reviews = independent(community)
    votes = votes_of(reviews)
    systems = votes.columns.map(reviews.drop_duplicates("answer_id").set_index("answer_id")["system"]).to_numpy(str)
    table = pd.DataFrame(dict(reviewer=votes.index) | against_others(votes.to_numpy()))
    table["careless"] = careless(votes.to_numpy())
    table["favours"] = favours(votes.to_numpy(), systems)
    if len(community.reviewers):
        table["group"] = table["reviewer"].map(community.reviewers.set_index("reviewer")["group"])
    return table.sort_values("corrected", kind="stable", ignore_index=True)
