"""All methods on one bench: how well each ranks and accepts the same candidates, which agree, and which go together.

    for bench in benches(table):
        quality(bench), agreement(bench), combinations(nested_cv(bench, subsets), budgets=[1, 2, 4])

Ranking *within* questions: the chance that a right candidate scores above a wrong one of the same question, ties half,
averaged over the questions that have both. *Over* questions: the same of any right and any wrong candidate. A score
that could not be read counts as the lowest that the method gave.

A table has one row per candidate and method: set, model (who judges; blank where nobody is asked), question, family of
the question, candidate, correct (1 or 0), paper, method, score (higher is better; NaN where it could not be read),
accept (the method's own verdict, 1, 0 or NaN), calls per candidate, and reads: methods that read the same calls share
its name.

Intervals are Student's with whole families of questions as units (`compare.cluster_t_interval`); for an AUC
over questions on its influence values (Obuchowski, Biometrics 1997), for correlations on the jackknife over families.
Nothing is drawn at random.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations as choose
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from proctor.stats import checks
from proctor.stats.bootstrap import Interval, jackknife_interval
from proctor.stats.calibration import positive_logistic
from proctor.stats.compare import cluster_t_interval
from proctor.stats.power import needed_by

FOLDS = 10  # of families, where there are more than so many
Subset = tuple[int, ...]


@dataclass(frozen=True)
class Bench:
    """The candidates of one set and the methods of one judge (and of nobody) that scored all of them.

    question, family (n,): of each candidate; correct (n,): 1 or 0. scores (n, methods): higher is better, none
    missing. accept (n, methods): 1, 0, or NaN for a method without a verdict of its own. methods: index method;
    paper, reads (methods that read the same calls share its name), calls a candidate, unreadable scores.
    """

    set: str
    model: str
    question: np.ndarray
    family: np.ndarray
    correct: np.ndarray
    scores: pd.DataFrame
    accept: pd.DataFrame
    methods: pd.DataFrame

    def calls(self, subset: Subset) -> float:
        """Calls a candidate of these methods (columns of `scores`) together: what several read is asked once."""
        reads, calls = self.methods["reads"].to_numpy(), self.methods["calls"].to_numpy(float)
        return float(sum({reads[i]: calls[i] for i in subset}.values()))


def benches(table: pd.DataFrame) -> list[Bench]:
    """A bench for each set and model of a table, in its order; rows of model "" go to all models.

    Raises ValueError for a method that scored a candidate twice or not at all, or a candidate with two truths.
    """
    found = []
    for name, part in table.groupby("set", sort=False):
        models = [model for model in part["model"].unique() if model] or [""]
        found += [_bench(str(name), model, part[part["model"].isin(["", model])]) for model in models]
    return found


def _bench(name: str, model: str, part: pd.DataFrame) -> Bench:
    who, keys = f"set {name}, {model or 'no model'}", ["question", "candidate"]
    if part.duplicated([*keys, "method"]).any():
        twice = part[part.duplicated([*keys, "method"])].iloc[0]
        raise ValueError(f"{who}: {twice['method']} scored {twice['candidate']} twice: keep one")
    truth = part.groupby(keys, sort=False)[["correct", "family"]].agg(["first", "nunique"])
    if (truth.xs("nunique", axis=1, level=1) > 1).any(axis=None):
        raise ValueError(f"{who}: a candidate has two truths, or a question two families")
    order = list(part["method"].unique())
    counts = part["method"].value_counts()
    if short := [method for method in order if counts[method] < len(truth)]:
        raise ValueError(f"{who}: {short[0]} scored {counts[short[0]]} of {len(truth)} candidates: let it score all")
    wide = part.pivot(index=keys, columns="method", values=["score", "accept"]).reindex(truth.index)
    score, accept = wide["score"][order].astype(float), wide["accept"][order].astype(float)
    methods = part.groupby("method", sort=False).agg(
        calls=("calls", "mean"), paper=("paper", "first"), reads=("reads", "first")
    )
    methods["reads"] = methods["reads"].where(methods["reads"].astype(bool), methods.index)
    methods["unreadable"] = score.isna().sum()
    return Bench(
        name,
        model,
        truth.index.get_level_values(0).to_numpy(str),
        truth["family", "first"].to_numpy(str),
        truth["correct", "first"].to_numpy(int),
        score.fillna(score.min()).fillna(0.0).reset_index(drop=True),
        accept.reset_index(drop=True),
        methods,
    )


@dataclass(frozen=True)
class Pairs:
    """Every pair of a right and a wrong candidate of one question: their places (pairs,), and its question's (pairs,)
    among `questions`, which have both; families (questions,)."""

    right: np.ndarray
    wrong: np.ndarray
    place: np.ndarray
    questions: np.ndarray
    families: np.ndarray

    def wins(self, score: np.ndarray) -> np.ndarray:
        """1 where the right one scores higher, 1/2 for a tie, of scores (n, columns): shape (pairs, columns)."""
        return (np.sign(score[self.right] - score[self.wrong]) + 1) / 2

    def by_question(self, score: np.ndarray) -> np.ndarray:
        """AUC of each question, of scores (n, columns): shape (questions, columns)."""
        return pd.DataFrame(self.wins(score)).groupby(self.place).mean().to_numpy(copy=True)


def pairs(bench: Bench) -> Pairs:
    """Raises ValueError where no question has a right and a wrong candidate."""
    i, j = _of_one_question(bench.question)
    mixed = bench.correct[i] != bench.correct[j]
    first_right = bench.correct[i[mixed]] == 1
    one, other = np.where(first_right, i[mixed], j[mixed]), np.where(first_right, j[mixed], i[mixed])
    if not len(one):
        raise ValueError(f"set {bench.set}: no question has a right and a wrong candidate, so that nothing is ranked")
    names, place = np.unique(bench.question[one], return_inverse=True)
    first = np.unique(place, return_index=True)[1]
    return Pairs(one, other, place, names, bench.family[one][first])


def _of_one_question(question: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of every two candidates of one question."""
    by_question = pd.Series(np.arange(len(question))).groupby(question, sort=False).apply(np.asarray)
    both = [places[np.array(np.triu_indices(len(places), 1))] for places in by_question]
    found = np.concatenate([*both, np.empty((2, 0), int)], axis=1)
    return found[0], found[1]


# each method


def quality(bench: Bench, level: float = 0.95) -> pd.DataFrame:
    """A row a method: set, model, paper, method, calls; within, over (AUC), precision, recall (shares), each
    with _low and _high of `level`; accepted (a count), verdict (own or cross-fitted), unreadable, candidates,
    questions (with both classes), families.

    A method without a verdict of its own accepts from a threshold on, the one with the best balanced accuracy on the
    other folds of families.
    """
    ranked, yes = pairs(bench), decisions(bench)
    each = ranked.by_question(bench.scores.to_numpy())
    rows = []
    for i, method in enumerate(bench.scores):
        known, took, right = bench.methods.loc[method], yes[:, i] == 1, bench.correct == 1
        figures = dict(
            within=_t(each[:, i], ranked.families, level),
            over=auc_over_questions(bench.scores.iloc[:, i].to_numpy(), bench, level),
            precision=_t(bench.correct[took], bench.family[took], level),
            recall=_t(yes[right, i], bench.family[right], level),
        )
        row = dict(set=bench.set, model=bench.model, paper=known["paper"], method=method, calls=known["calls"])
        for name, found in figures.items():
            row |= found.columns(name)
        own = "own" if bench.accept[method].notna().all() else "cross-fitted"
        row |= dict(accepted=int(took.sum()), verdict=own, unreadable=int(known["unreadable"]))
        row |= dict(candidates=len(bench.correct), questions=len(ranked.questions))
        rows.append(row | dict(families=len(np.unique(ranked.families))))
    return pd.DataFrame(rows)


def auc_over_questions(
    score: np.ndarray, bench: Bench, level: float = 0.95, less: np.ndarray | None = None
) -> Interval:
    """AUC over all candidates, with whole families as units; of `score` less that of `less`, paired, if given."""
    value, influence = _auc(score, bench.correct)
    bounds = (0.0, 1.0)
    if less is not None:
        other, its = _auc(less, bench.correct)
        most = 1.0 if np.ptp(less) else 0.5  # scores that never differ have an AUC of one half
        value, influence, bounds = value - other, influence - its, (-most, most)
    return _t(value + influence, bench.family, level, bounds)


def _auc(score: np.ndarray, correct: np.ndarray) -> tuple[float, np.ndarray]:
    """The AUC, and n times each candidate's influence on it: its share of won comparisons less the AUC, by class."""
    right = correct == 1
    n = np.array([right.sum(), (~right).sum()])
    rank = rankdata(score)
    beaten = (rank[right] - rankdata(score[right])) / n[1]  # share of the wrong that each right one beats
    lost = 1 - (rank[~right] - rankdata(score[~right])) / n[0]  # share of the right that beat each wrong one
    value, influence = float(beaten.mean()), np.empty(len(score))
    influence[right], influence[~right] = (beaten - value) / n[0], (lost - value) / n[1]
    return value, len(score) * influence


def decisions(bench: Bench) -> np.ndarray:
    """Whether each method accepts each candidate (n, methods), 1 or 0; `quality` says how."""
    found, fold = bench.accept.to_numpy(copy=True), folds(bench.family)
    for i in np.flatnonzero(np.isnan(found).any(axis=0)):
        score = bench.scores.iloc[:, i].to_numpy()
        limits = np.r_[np.unique(score), np.inf]
        reached = score[:, None] >= limits
        for part in range(fold.max() + 1):
            rest, right = fold != part, bench.correct == 1
            gain = reached[rest & right].mean(axis=0) - reached[rest & ~right].mean(axis=0)
            found[~rest, i] = reached[~rest, np.argmax(gain)]
    return found


def folds(family: np.ndarray, most: int = FOLDS) -> np.ndarray:
    """The fold of each candidate, from 0: a family each; more than `most` families are dealt out in their order."""
    return checks.cluster_index(family, len(family))[0] % most if len(family) else np.zeros(0, int)


def difference(gap: np.ndarray, families: np.ndarray, level: float, most: float = 1.0) -> dict[str, Any]:
    """Mean of paired differences in AUC, one per question, with families as units: difference, low, high, questions,
    families, needed (families for 80 % power at this level if it were true). most: the largest possible."""
    found = _t(gap, families, level, (-most, most))
    n = len(np.unique(families))
    row = dict(difference=found.estimate, low=found.low, high=found.high, questions=len(gap), families=n)
    return row | dict(needed=needed_by(found, n))


# several methods


def agreement(bench: Bench) -> pd.DataFrame:
    """A row a pair of methods: one, other, same_paper; tau (Kendall's b over all pairs of candidates of a question),
    errors (correlation of wrongly ordered pairs of right and wrong), one_right (of these pairs, the share that at least
    one orders rightly) and rescued (that share less the better one's own)."""
    score, names, papers = bench.scores.to_numpy(), list(bench.scores), bench.methods["paper"]
    i, j = _of_one_question(bench.question)
    order, wins = np.sign(score[i] - score[j]), pairs(bench).wins(score)
    tau, errors = _correlations(order), _correlations(wins - wins.mean(axis=0))
    rows = []
    for i, j in choose(range(len(names)), 2):
        both = float(np.maximum(wins[:, i], wins[:, j]).mean())
        row = dict(set=bench.set, model=bench.model, one=names[i], other=names[j])
        row |= dict(same_paper=bool(papers[names[i]] == papers[names[j]]), tau=tau[i, j], errors=errors[i, j])
        rows.append(row | dict(one_right=both, rescued=both - float(wins[:, [i, j]].mean(axis=0).max())))
    return pd.DataFrame(rows)


def mean_agreement(bench: Bench, weigh: Callable[[np.ndarray], np.ndarray], level: float = 0.95) -> Interval:
    """A weighted sum of methods' correlations of errors (`agreement`) with its interval: the jackknife over families,
    Student's t.

    weigh: papers (methods,) to weights (methods, methods), of which the upper triangle counts; pairs whose correlation
    does not exist are left out, and the others' weights of each sign grow.
    """
    ranked = pairs(bench)
    wins, weights = ranked.wins(bench.scores.to_numpy()), np.triu(weigh(bench.methods["paper"].to_numpy()), 1)

    def value(keep: np.ndarray) -> float:
        related = _correlations(wins[keep] - wins[keep].mean(axis=0))
        there, total = np.isfinite(related), 0.0
        for sign in (1, -1):
            side = np.where(there, np.maximum(sign * weights, 0), 0.0)
            if np.maximum(sign * weights, 0).any():
                total += sign * np.nansum(side * related) / side.sum() if side.any() else np.nan
        return total

    return jackknife_interval(value, bench.family[ranked.right], level, (-2.0, 2.0))


def _correlations(values: np.ndarray) -> np.ndarray:
    """Correlations (methods, methods) of columns about 0, values (pairs, methods); NaN where a method never varies."""
    total = values.T @ values
    spread = np.sqrt(np.where(np.diag(total) > 1e-12 * len(values), np.diag(total), np.nan))
    return total / np.outer(spread, spread)


def across_papers(papers: np.ndarray) -> np.ndarray:
    """Weights of `mean_agreement`: the mean over the pairs of methods of different papers; "none" is no paper."""
    known = papers != "none"
    return ((papers[:, None] != papers) & known[:, None] & known).astype(float)


def same_less_across(papers: np.ndarray) -> np.ndarray:
    """Weights of `mean_agreement`: the mean over pairs of one paper, less that over pairs of different papers."""
    known = papers != "none"
    return ((papers[:, None] == papers) & known[:, None] & known).astype(float) - across_papers(papers)


# combinations


@dataclass(frozen=True)
class Nested:
    """Every single method as it is, and logistic regressions on every two or three, judged on other families.

    subsets: columns of each. calls (subsets,): a candidate. held, full (questions, subsets): AUC within each question,
    by the fit without its fold, and by the fit to all. inner (folds, subsets): mean AUC by cross-validation within the
    other folds, which is what a choice may look at. fold, families (questions,).
    """

    bench: Bench
    subsets: list[Subset]
    calls: np.ndarray
    held: np.ndarray
    full: np.ndarray
    inner: np.ndarray
    fold: np.ndarray
    families: np.ndarray

    def chosen(self, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(held-out AUC of each question by the subset that its fold chose, that subset, the AUC of each question by
        the subset that is best in sample). allowed (subsets,): bool."""
        places = np.flatnonzero(allowed)
        choice = places[self.inner[:, places].argmax(axis=1)][self.fold]
        best = places[self.full[:, places].mean(axis=0).argmax()]
        return self.held[np.arange(len(choice)), choice], choice, self.full[:, best]

    def name(self, subset: int) -> str:
        return " + ".join(self.bench.scores.columns[list(self.subsets[subset])])


def nested_cv(bench: Bench, subsets: Sequence[Subset], weights: str = "positive", most_folds: int = FOLDS) -> Nested:
    """Fit every subset of two or more for each pair of folds without these two, for each fold without it, and to all.

    weights: "positive", a method may only add in its own direction; "equal", the plain sum of standard scores, which
    fits nothing. Scores are brought to mean 0 and standard deviation 1 over what is fitted to. Ties of a choice go to
    the subset that comes first. most_folds: of `folds`. Raises ValueError without a subset or with fewer than three
    families.
    """
    if not subsets:
        raise ValueError(f"set {bench.set}: no method is cheap enough; raise the budget")
    ranked, fold = pairs(bench), folds(bench.family, most_folds)
    n_folds, score, correct = int(fold.max()) + 1, bench.scores.to_numpy(), bench.correct
    if n_folds < 3:
        raise ValueError(f"set {bench.set} has {n_folds} families: a choice and its test need three")
    of_question = np.unique(ranked.place, return_index=True)[1]
    question_fold = fold[ranked.right][of_question]
    single, alone = ranked.by_question(score), np.array([len(subset) == 1 for subset in subsets])

    fit = {"positive": positive_logistic, "equal": _equal}[weights]
    start = None

    def auc(kept: np.ndarray) -> np.ndarray:
        nonlocal start
        design = designs(score, kept, subsets)
        start = fit(design[:, kept], correct[kept].astype(float), start)
        found = ranked.by_question(np.einsum("snk,sk->ns", design, start))
        found[:, alone] = single[:, [subset[0] for subset in subsets if len(subset) == 1]]
        return found

    inner, held = np.zeros((n_folds, len(subsets))), np.empty((len(ranked.questions), len(subsets)))
    for i, j in choose(range(n_folds), 2):
        found = auc((fold != i) & (fold != j))
        inner[i] += found[question_fold == j].sum(axis=0)
        inner[j] += found[question_fold == i].sum(axis=0)
    for i in range(n_folds):
        held[question_fold == i] = auc(fold != i)[question_fold == i]
    inner /= np.array([(question_fold != i).sum() for i in range(n_folds)])[:, None]
    total = np.array([bench.calls(subset) for subset in subsets])
    full = auc(np.ones(len(correct), bool))
    return Nested(bench, list(subsets), total, held, full, inner, question_fold, ranked.families)


def combinations(found: Nested, budgets: Sequence[float], level: float = 0.95) -> pd.DataFrame:
    """A row a budget (calls a candidate, at most): the best single method and the best combination, each chosen and
    fitted without the families that it is judged on.

    Columns: set, model, budget, single, combination (mean AUC within questions), single_method, members (what most
    folds chose), difference, low, high, questions, families, needed (families for 80 % power); in_sample: the
    difference of the best of each on the candidates that they were chosen by; flattery: that less the difference, with
    _low and _high.
    """
    rows, sizes = [], np.array([len(subset) for subset in found.subsets])
    for budget in budgets:
        within = found.calls <= budget + 1e-9
        if not (within & (sizes == 1)).any() or not (within & (sizes > 1)).any():
            continue
        alone, one, alone_full = found.chosen(within & (sizes == 1))
        together, several, together_full = found.chosen(within & (sizes > 1))
        gap, flattered = together - alone, together_full - alone_full
        excess = _t(flattered - gap, found.families, level, (-2.0, 2.0))
        row = dict(set=found.bench.set, model=found.bench.model, budget=budget, single=alone.mean())
        row |= dict(combination=together.mean(), single_method=_often(found, one), members=_often(found, several))
        row |= difference(gap, found.families, level) | dict(in_sample=flattered.mean())
        rows.append(row | dict(flattery=excess.estimate, flattery_low=excess.low, flattery_high=excess.high))
    return pd.DataFrame(rows)


def _often(found: Nested, choice: np.ndarray) -> str:
    """The subset that most folds chose, and how many of them."""
    by_fold = pd.Series(choice).groupby(found.fold).first().value_counts()
    return f"{found.name(int(by_fold.index[0]))} ({by_fold.iloc[0]} of {by_fold.sum()} folds)"


def designs(score: np.ndarray, kept: np.ndarray, subsets: Sequence[Subset]) -> np.ndarray:
    """A constant and the standard scores of each subset, (subsets, n, 1 + most methods); short ones end in zeros.

    Means and standard deviations are those of the candidates kept."""
    middle, spread = score[kept].mean(axis=0), score[kept].std(axis=0)
    spread = np.where(spread > 1e-12 * np.maximum(1, np.abs(middle)), spread, np.inf)  # a constant weighs nothing
    width = max(map(len, subsets))
    filled = np.column_stack([(score - middle) / spread, np.zeros(len(score))])
    places = np.array([[*subset, *[-1] * (width - len(subset))] for subset in subsets])
    return np.concatenate([np.ones((len(subsets), len(score), 1)), filled.T[places].transpose(0, 2, 1)], axis=2)


def _equal(design: np.ndarray, *_) -> np.ndarray:
    return np.ones((len(design), design.shape[2]))


def _t(values: np.ndarray, families: np.ndarray, level: float, bounds: tuple[float, float] = (0.0, 1.0)) -> Interval:
    return cluster_t_interval(values, families, level, bounds)
