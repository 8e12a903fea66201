"""UQ's validators on the scores that strong judges gave to candidates whose truth is known.

The source scores each of four candidates to a prompt, one right and three wrong, eight times with each judge. A score
becomes a vote by a threshold of its judge, chosen on other items (cross-fitting). `V` is the judge's plain prompt, `C`
the one with criteria. The votes then go through `notation.decide`, as calls would. Repeats of one judge on one
candidate are no new items: items are resampled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, resample_means
from proctor.uq.notation import Node, Vote, all_votes, decide, parse

ONE, PIPELINE = "V", "(V x3 |U) => (C x3 |U)"
Key = tuple[str, str]  # (who judges, the validator)
PROMPTS = {"V": "", "C": "+criteria"}  # UQ's check: what the source writes behind the judge's name
THRESHOLDS = np.arange(2, 11)  # of scores from 1 to 10
RIGHT = 0  # the place of the right candidate


@dataclass(frozen=True)
class Scores:
    """By (judge, check): scores of shape (n, candidates, repeats), the right candidate first, NaN missing."""

    items: np.ndarray
    by: dict[Key, np.ndarray]

    def votes(self, folds: int, rng: np.random.Generator) -> "Votes":
        """Accept where the score reaches the judge's threshold, which the other folds of items have chosen."""
        fold = rng.permutation(len(self.items)) % folds
        limits = {key: thresholds(scores, fold) for key, scores in self.by.items()}
        votes = {key: scores >= limits[key][fold][:, None, None] for key, scores in self.by.items()}
        return Votes(votes, limits)


@dataclass(frozen=True)
class Votes:
    """By (judge, check): votes of shape (n, candidates, repeats), and the threshold of each fold."""

    by: dict[Key, np.ndarray]
    thresholds: dict[Key, np.ndarray]


class Verdicts(NamedTuple):
    """What a validator gave each candidate: share of acceptances and mean calls, each of shape (n, candidates)."""

    accepted: np.ndarray
    calls: np.ndarray


def gather(verdicts: pd.DataFrame, judges: Sequence[str], prompts: Mapping[str, str] = PROMPTS) -> Scores:
    """The scores of each judge and prompt on the items that all of them scored.

    verdicts: as `logs.verdicts("judge_scores")`. A prompt that a judge was not given is left out. Raises ValueError
    for items without exactly one right candidate, with fewer candidates than others, and where no item is shared.
    """
    wide = {}
    for judge in judges:
        for check, suffix in prompts.items():
            part = verdicts[verdicts["judge"] == judge + suffix]
            if len(part):
                wide[judge, check] = _wide(part, judge + suffix)
    shared = None
    for table in wide.values():
        shared = table.index if shared is None else shared.intersection(table.index)
    if shared is None or not len(shared):
        raise ValueError(f"no item was scored by all of {', '.join(judges)}")
    candidates = next(iter(wide.values())).columns.get_level_values(0).nunique()
    return Scores(
        shared.to_numpy(),
        {key: table.loc[shared].to_numpy(float).reshape(len(shared), candidates, -1) for key, table in wide.items()},
    )


def thresholds(scores: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """The threshold of each fold: the one with the best balanced accuracy of one call on all other folds.

    scores: shape (items, candidates, repeats). fold: (items,), from 0. A missing score accepts at no threshold.
    """
    reached = scores[..., None] >= THRESHOLDS
    right = reached[:, RIGHT].mean(axis=1)
    wrong = reached[:, RIGHT + 1 :].mean(axis=(1, 2))
    return np.array(
        [THRESHOLDS[np.argmax((right - wrong)[fold != part].mean(axis=0))] for part in range(int(fold.max()) + 1)]
    )


def run_on_votes(validator: str | Node, judges: Sequence[str], votes: Votes) -> Verdicts:
    """A validator's verdicts on votes that are there already; calls are counted with early exit.

    Each candidate is judged once from each repeat on (the k-th vote of a check is repeat k, k + 1, ... in turn), and
    the verdicts are averaged: all repeats count alike. Raises ValueError for a judge, check or repeat without votes.
    """
    node = parse(validator) if isinstance(validator, str) else validator
    asked = all_votes(node, len(judges))
    columns = []
    for vote in asked:
        key = judges[vote.judge], vote.check
        if key not in votes.by:
            raise ValueError(f"{node}: there are no votes of {key[0]} with check {key[1]}")
        if vote.turn or vote.sample >= votes.by[key].shape[2]:
            raise ValueError(f"{node}: asks {key[0]} for more than the repeats that there are")
        columns.append((votes.by[key], vote.sample))
    repeats = columns[0][0].shape[2]
    accepted = np.zeros(columns[0][0].shape[:2])
    calls = np.zeros_like(accepted)
    for start in range(repeats):
        code = np.zeros(accepted.shape, int)  # the votes of a candidate as one number, a bit each
        for bit, (cast, sample) in enumerate(columns):
            code += cast[:, :, (start + sample) % repeats].astype(int) << bit
        unique, place = np.unique(code, return_inverse=True)
        found = np.array([_decided(node, len(judges), asked, number) for number in unique.tolist()], float)
        accepted += found[place, 0].reshape(accepted.shape)
        calls += found[place, 1].reshape(calls.shape)
    return Verdicts(accepted / repeats, calls / repeats)


class Resampled:
    """Several validators on the same resamples of the items: figures with intervals, and paired differences.

    share: of right answers among those judged; the source has one in four, the paper's Table S10 has 13 %.
    """

    FIGURES = ("precision", "recall", "balanced_accuracy", "lr_positive", "accuracy", "calls")

    def __init__(
        self, verdicts: Mapping[Key, Verdicts], share: float, rng: np.random.Generator, resamples: int = 2_000
    ):
        self.share, self.keys = share, list(verdicts)
        rows = [
            part
            for each in verdicts.values()
            for table in (each.accepted, each.calls)
            for part in (table[:, RIGHT], table[:, RIGHT + 1 :].mean(axis=1))
        ]
        values = np.array(rows)
        means = np.column_stack([values.mean(axis=1), resample_means(values, resamples, rng)]).astype(float)
        self.items = values.shape[1]
        self._means = {key: means[4 * i : 4 * i + 4] for i, key in enumerate(self.keys)}

    def values(self, key: Key, figure: str) -> np.ndarray:
        """A figure of a validator: on the data, then on each resample. Percent, but for calls and likelihood ratio."""
        recall, wrong, calls_right, calls_wrong = self._means[key]
        if figure == "recall":
            return 100 * recall
        if figure == "balanced_accuracy":
            return 50 * (recall + 1 - wrong)
        if figure == "accuracy":
            return 100 * (self.share * recall + (1 - self.share) * (1 - wrong))
        if figure == "calls":
            return self.share * calls_right + (1 - self.share) * calls_wrong
        with np.errstate(divide="ignore", invalid="ignore"):  # a validator that accepts nothing has neither
            if figure == "lr_positive":
                return recall / wrong
            return 100 * self.share * recall / (self.share * recall + (1 - self.share) * wrong)

    def interval(self, key: Key, figure: str, family: int = 1) -> Interval:
        """A figure of one validator; the level is that of `family` comparisons together at 95 %."""
        return self.estimate(self.values(key, figure), "%", family)

    def gain(self, one: Key, other: Key, figure: str, family: int = 1) -> Interval:
        """`one` minus `other`, paired by item."""
        return self.estimate(self.values(one, figure) - self.values(other, figure), "points", family)

    def gains(self, one: str, other: str, figure: str) -> list[Interval]:
        """Validator `one` minus `other` by each judge who ran both, a family of comparisons."""
        who = self.who(one, other)
        return [self.gain((judge, one), (judge, other), figure, len(who)) for judge in who]

    def mean_gain(self, one: str, other: str, figure: str, family: int = 1) -> Interval:
        """Validator `one` minus `other`, the mean of all judges who ran both."""
        who = self.who(one, other)
        each = [self.values((judge, one), figure) - self.values((judge, other), figure) for judge in who]
        return self.estimate(np.mean(each, axis=0), "points", family)

    def who(self, one: str, other: str) -> list[str]:
        """The judges who ran both validators."""
        return [judge for judge, text in self.keys if text == one and (judge, other) in self.keys]

    def estimate(self, values: np.ndarray, unit: str, family: int = 1) -> Interval:
        """The interval of a statistic of `values`: on the data, then on each resample."""
        known = dict(n=self.items, of="items", unit=unit, family=family)
        return replace(percentile(values, 1 - 0.05 / family), **known)

    def table(self) -> pd.DataFrame:
        """One row per validator: judges, validator, each of FIGURES with its limits (_low, _high)."""
        rows = []
        for judges, validator in self.keys:
            row: dict[str, Any] = {"judges": judges, "validator": validator}
            for figure in self.FIGURES:
                row |= self.interval((judges, validator), figure).columns(figure)
            rows.append(row)
        return pd.DataFrame(rows)


def percentile(values: np.ndarray, level: float = 0.95) -> Interval:
    """The interval of a statistic: values[0] on the data, the rest on resamples; undefined ones are left out.

    NaN throughout where the statistic does not exist on the data.
    """
    rest = values[1:][np.isfinite(values[1:])]
    if not np.isfinite(values[0]):
        return Interval(np.nan, np.nan, np.nan, level, "none", len(values) - 1 - len(rest))
    low, high = np.quantile(rest, [(1 - level) / 2, (1 + level) / 2])
    estimate = float(values[0])
    return Interval(estimate, min(low, estimate), max(high, estimate), level, "percentile", len(values) - 1 - len(rest))


def best_of_four(groups: Sequence[np.ndarray], fair: bool = True) -> np.ndarray:
    """Credit of each item for picking the candidate with the highest mean score, shape (items,).

    groups: scores of shape (items, candidates, repeats) that are taken together; a missing score is left out of its
    candidate's mean, a candidate without any comes last. fair: a tie at the top earns the right candidate's share
    of it (1 of 2, ...); else it is an error, as the source counts.
    """
    scores = np.concatenate(groups, axis=2)
    given = np.isfinite(scores).sum(axis=2)
    total = np.where(np.isfinite(scores), scores, 0).sum(axis=2)
    mean = np.where(given > 0, total / np.maximum(given, 1), -np.inf)
    top = np.isclose(mean, mean.max(axis=1, keepdims=True), rtol=0, atol=1e-9)
    tied = top.sum(axis=1)
    return top[:, RIGHT] * (1 / tied if fair else tied == 1)


def picks(groups: Sequence[np.ndarray], calls: int, fair: bool = True) -> np.ndarray:
    """Mean credit of `best_of_four` with `calls` calls in all, shared equally by the groups; shape (items,).

    Averaged over the runs of repeats that begin at each place, so that no repeat counts more than another. Raises
    ValueError when the calls can't be shared or exceed the repeats.
    """
    each, left = divmod(calls, len(groups))
    repeats = groups[0].shape[2]
    if left or not 1 <= each <= repeats:
        raise ValueError(f"{calls} calls can't be shared by {len(groups)} judges with {repeats} repeats")
    starts = range(1 if each == repeats else repeats)
    runs = [[(start + i) % repeats for i in range(each)] for start in starts]
    return np.mean([best_of_four([scores[:, :, run] for scores in groups], fair) for run in runs], axis=0)


class Reliability(NamedTuple):
    """correlation: of two repeats on one candidate, right and wrong ones apart. effective: what all repeats are worth
    in independent judgements."""

    correlation: Interval
    effective: Interval


def reliability(
    scores: np.ndarray, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Reliability:
    """Intraclass correlation of repeats (one-way random effects) within right and within wrong candidates.

    scores: shape (items, candidates, repeats); items with a missing score are left out. k repeats with correlation r
    are worth k / (1 + (k - 1) r) judgements whose errors are independent (Kish's design effect).
    """
    whole = scores[np.isfinite(scores).all(axis=(1, 2))]
    k, mean, within = whole.shape[2], whole.mean(axis=2), whole.var(axis=2, ddof=1)
    rows = np.array(
        [part.mean(axis=1) for table in (mean, mean**2, within) for part in (table[:, :1], table[:, RIGHT + 1 :])]
    )
    means = np.column_stack([rows.mean(axis=1), resample_means(rows, resamples, rng)]).astype(float)
    wrongs = whole.shape[1] - 1
    share = np.array([1, wrongs]) / (1 + wrongs)
    between = share @ (means[2:4] - means[:2] ** 2)  # variance of means: true variance + within / k
    noise = share @ means[4:6]
    correlation = (k * between - noise) / (k * between + (k - 1) * noise)
    effective = k / (1 + (k - 1) * correlation)
    return Reliability(percentile(correlation, level), percentile(effective, level))


def _wide(part: pd.DataFrame, name: str) -> pd.DataFrame:
    """Index item; columns (candidate, repeat), the right candidate first."""
    truth = part.drop_duplicates(["item", "candidate"])
    wrong = truth.groupby("item", observed=True)["truth"].agg(["sum", "count"])
    if (wrong["sum"] != 1).any() or wrong["count"].nunique() != 1:
        raise ValueError(f"{name}: each item needs one right candidate, and as many wrong ones as the others")
    right = truth[truth["truth"] == 1]["candidate"].astype(str).unique()
    names = part["candidate"].astype(str)
    order = [*right, *sorted(set(names) - set(right))]
    if len(right) != 1:
        raise ValueError(f"{name}: call the right candidate alike in all items; found {', '.join(right)}")
    table = part.assign(candidate=names).pivot(index="item", columns=["candidate", "repeat"], values="score")
    return table.reindex(columns=pd.MultiIndex.from_product([order, sorted(part["repeat"].unique())]))


def _decided(node: Node, judges: int, asked: Sequence[Vote], code: int) -> tuple[bool, int]:
    """(accepted, calls) where bit k of `code` is the vote asked[k]; early exit included."""
    votes = {vote: bool(code >> bit & 1) for bit, vote in enumerate(asked)}
    run, calls = decide(node, judges), 0
    try:
        vote = next(run)
        while True:
            calls += 1
            vote = run.send(votes[vote])
    except StopIteration as end:
        return end.value is True, calls
