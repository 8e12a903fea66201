"""A benchmark that experts repaired: what the repair of real keys changes, who finds them, what predicts it.

    exam = read(logs.table("mmlu_redux"))
    gains(exam, rng)                  # each model on the same items, under the printed and the repaired keys
    formula_errors(exam, rng)         # does the model of noise of `key_noise` predict the repaired accuracy?
    detection(exam, rng)              # which signals of the answers find wrong keys

MMLU-Redux holds 5,700 items of MMLU with experts' labels. An answer that could not be read counts as wrong under both
keys. Where experts accept several letters, each is right; where they give none, the printed key stays. Letters that
they noted on items which they call sound are not used.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from proctor import logs
from proctor.data import tabular
from proctor.data.tabular import DataError, Wrong
from proctor.hle_verified.key_noise import true_accuracy
from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval
from proctor.stats.calibration import auc_interval
from proctor.stats.proportions import clopper_pearson

COLUMNS = ["item", "subject", "error_type", "original_key", "repaired_keys"]
EVEN = 1 / 3  # chance that a wrong letter of four meets a wrong key, if all are as tempting
METHODS = {
    "printed": "printed keys, not corrected",
    "formula": "formula: share of wrong keys",
    "difference": "difference on the labelled items",
}
SIGNALS = {
    "against_key": "models that do not give the key",
    "other_letter": "votes of the best other letter over the key's",
    "disagreement": "models off the commonest letter",
    "strongest": "the strongest model does not give the key",
}


class Exam(NamedTuple):
    """items: index item; subject, error_type, key, flawed (any error), wrong_key (replaced by other letters), changed
    (replaced or extended). answers: item x model, letters. before, after (models, items): right under the printed and
    under the repaired keys, 1 or 0."""

    items: pd.DataFrame
    answers: pd.DataFrame
    before: np.ndarray
    after: np.ndarray

    @property
    def models(self) -> list[str]:
        return list(self.answers)


def read(table: pd.DataFrame) -> Exam:
    """The exam of a table of COLUMNS and one column of letters a model. Raises DataError where they are not."""
    if list(table.columns[: len(COLUMNS)]) != COLUMNS or len(table.columns) <= len(COLUMNS) + 1:
        raise DataError(f"columns must be {', '.join(COLUMNS)}, then two or more models")
    keys = table["original_key"] + table["repaired_keys"].fillna("")
    if (odd := ~keys.str.fullmatch("[A-Z]*")).any():
        row = table[odd].iloc[0]
        raise DataError(
            f"item {row['item']}: keys {row['original_key']!r} and {row['repaired_keys']!r} are not letters. Give "
            "items with lettered options alone; repaired_keys may hold several, such as AC."
        )
    table = table.set_index("item")
    answers, key = table.iloc[:, len(COLUMNS) - 1 :], table["original_key"]
    flawed = table["error_type"] != "ok"
    new = table["repaired_keys"].where(flawed & (table["repaired_keys"] != ""), key)
    items = pd.DataFrame(
        dict(
            subject=table["subject"],
            error_type=table["error_type"],
            key=key,
            flawed=flawed,
            wrong_key=[old not in letters for old, letters in zip(key, new)],
            changed=new != key,
        )
    )
    before = answers.eq(key, axis=0).to_numpy(float).T
    right = [[letter != "" and letter in keys for letter, keys in zip(answers[model], new)] for model in answers]
    return Exam(items, answers, before, np.array(right, float))


def gains(exam: Exam, rng: np.random.Generator, resamples: int = 10_000, level: float | None = None) -> pd.DataFrame:
    """A row a model, the best of the printed keys first: accuracy before and after, gain, ranks; in percent and points.

    changed_*: the same on the items whose key was changed. Items are resampled; level: by default that at which all
    models' intervals hold together at 95 %. Limits end in _low and _high.
    """
    level = level or 1 - 0.05 / len(exam.models)
    changed = exam.items["changed"].to_numpy()
    rows = pd.DataFrame(dict(model=exam.models))
    for prefix, part in (("", np.full(len(changed), True)), ("changed_", changed)):
        before, after = exam.before[:, part], exam.after[:, part]
        rows[f"{prefix}items"] = int(part.sum())
        found = bootstrap.intervals(np.vstack([before, after, after - before]), rng, resamples, level, bounds=(-1, 1))
        for name, three in zip(("before", "after", "gain"), np.array_split(np.array(found, object), 3)):
            each = [one.scaled(100) for one in three]
            rows[f"{prefix}{name}"] = [one.estimate for one in each]
            rows[f"{prefix}{name}_low"] = [one.low for one in each]
            rows[f"{prefix}{name}_high"] = [one.high for one in each]
    for when in ("before", "after"):
        rows[f"rank_{when}"] = rows[when].rank(ascending=False, method="min").astype(int)
    return rows.sort_values("before", ascending=False, kind="stable", ignore_index=True)


def mean_changed_gain(exam: Exam, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
    """Gain on the items whose key was changed, mean of the models, in points; items are resampled."""
    gain = (exam.after - exam.before)[:, exam.items["changed"].to_numpy()].mean(axis=0)
    return bootstrap.interval(gain, rng, resamples, bounds=(-1, 1)).scaled(100)


def weakest(table: pd.DataFrame, column: str, level: float) -> Interval:
    """The row with the lowest limit: if it keeps a bound, all rows do."""
    row = table.loc[table[f"{column}_low"].idxmin()]
    return Interval(row[column], row[f"{column}_low"], row[f"{column}_high"], level, "percentile")


def largest_gap_change(exam: Exam, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
    """How the repair changes the gap between two models, in points: the pair whose interval reaches farthest from 0.

    At the level at which the intervals of all pairs hold together at 95 %.
    """
    gain = exam.after - exam.before
    pairs = list(combinations(range(len(gain)), 2))
    means = np.column_stack([gain.mean(axis=1), bootstrap.resample_means(gain, resamples, rng)]).astype(float)
    level = 1 - 0.05 / len(pairs)
    changes = np.array([100 * (means[i] - means[j]) for i, j in pairs])
    low, high = np.quantile(changes[:, 1:], [(1 - level) / 2, (1 + level) / 2], axis=1)
    far = int(np.argmax(np.maximum(-low, high)))
    return Interval(changes[far, 0], float(low[far]), float(high[far]), level, "percentile")


def order_kept(exam: Exam, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
    """Kendall's tau (b) of the models' order before and after the repair, items being resampled."""
    both = np.vstack([exam.before, exam.after])
    means = np.column_stack([both.mean(axis=1), bootstrap.resample_means(both, resamples, rng)]).astype(float)
    i, j = np.triu_indices(len(exam.models), 1)
    first, second = (np.sign(np.round(part[i] - part[j], 9)) for part in np.split(means, 2))
    taus = (first * second).sum(axis=0) / np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    return Interval(float(taus[0]), *map(float, np.quantile(taus[1:], [0.025, 0.975])), 0.95, "percentile")


def formula_errors(
    exam: Exam, rng: np.random.Generator, resamples: int = 10_000, match: float = EVEN, level: float | None = None
) -> pd.DataFrame:
    """`key_noise`'s formula with the true share of wrong keys, against the repaired accuracy: a row a model, points.

    gain: of the repair; predicted: by the formula; error: predicted less gain, items resampled, limits _low and _high.
    The last row, "all models", is their mean, at 95 %. match: chance that a wrong answer meets a wrong key.
    """
    level, n = level or 1 - 0.05 / len(exam.models), len(exam.models)
    values = np.vstack([exam.before, exam.after, exam.items["wrong_key"].to_numpy(float)])
    means = np.column_stack([values.mean(axis=1), bootstrap.resample_means(values, resamples, rng)]).astype(float)
    gain = 100 * (means[n:-1] - means[:n])
    predicted = 100 * (true_accuracy(means[:n], means[-1], match) - means[:n])
    gain, predicted = (np.vstack([rows, rows.mean(axis=0)]) for rows in (gain, predicted))
    rows = []
    for i, model in enumerate([*exam.models, "all models"]):
        tail = (1 - (level if i < n else 0.95)) / 2
        error = predicted[i] - gain[i]
        low, high = np.quantile(error[1:], [tail, 1 - tail])
        row = dict(model=model, gain=gain[i, 0], predicted=predicted[i, 0])
        rows.append(row | dict(error=error[0], error_low=float(low), error_high=float(high)))
    return pd.DataFrame(rows)


def harder(exam: Exam, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
    """Repaired accuracy on items with a wrong key less that on sound ones, mean of the models, in points."""
    right = exam.after.mean(axis=0)
    wrong, sound = exam.items["wrong_key"].to_numpy(), ~exam.items["flawed"].to_numpy()

    def difference(right: np.ndarray, wrong: np.ndarray, sound: np.ndarray) -> float | None:
        return 100 * (right[wrong].mean() - right[sound].mean()) if wrong.any() else None

    return bootstrap.statistic_interval(difference, [right, wrong, sound], rng, resamples)


def match_rate(exam: Exam, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
    """Of the answers that are wrong under the repaired key, the percentage that meets the wrong printed one.

    On the items with a wrong key, all models together, items resampled.
    """
    wrong = exam.items["wrong_key"].to_numpy()
    missed = (1 - exam.after[:, wrong]).sum(axis=0)
    met = (exam.before * (1 - exam.after))[:, wrong].sum(axis=0)

    def share(met: np.ndarray, missed: np.ndarray) -> float | None:
        return 100 * met.sum() / missed.sum() if missed.sum() else None

    return bootstrap.statistic_interval(share, [met, missed], rng, resamples)


class Predictions(NamedTuple):
    """Predictions of the repaired accuracy from random labelled parts. error (shares, methods, splits, models): points
    off, methods as in METHODS. held (shares, splits, models): the difference's 95 % interval holds the truth."""

    shares: list[float]
    items: list[int]
    error: np.ndarray
    held: np.ndarray

    def table(self) -> pd.DataFrame:
        """A row a share and method: percent labelled, items, mean points off and the middle 90 % of them over the
        labelled parts, and how many of a hundred intervals of the difference hold the truth."""
        rows = []
        for s, (share, n) in enumerate(zip(self.shares, self.items)):
            for m, method in enumerate(METHODS):
                each = np.abs(self.error[s, m]).mean(axis=1)
                held = 100 * self.held[s].mean() if method == "difference" else np.nan
                low, high = np.quantile(each, [0.05, 0.95])
                row = dict(share=100 * share, items=n, method=method, off=each.mean(), off_low=low, off_high=high)
                rows.append(row | dict(held=held))
        return pd.DataFrame(rows)

    def coverage(self, share: float, rng: np.random.Generator, resamples: int = 10_000) -> Interval:
        """How many of a hundred intervals of the difference hold the truth; labelled parts are resampled."""
        return bootstrap.interval(self.held[self.shares.index(share)].mean(axis=1), rng, resamples).scaled(100)


def predict(
    exam: Exam, shares: Sequence[float], splits: int, rng: np.random.Generator, match: float = EVEN
) -> Predictions:
    """The repaired accuracy of each model on all items, predicted when experts label a random share of them.

    formula: `key_noise.true_accuracy` of the printed accuracy, with the labelled items' share of wrong keys.
    difference: the printed accuracy and the labelled items' mean gain, which assumes nothing of the flaws; normal
    interval with the correction for drawing from a finite exam.
    """
    models, n = exam.before.shape
    wrong, truth, printed = exam.items["wrong_key"].to_numpy(float), exam.after.mean(axis=1), exam.before.mean(axis=1)
    gain, error, held, sizes = exam.after - exam.before, [], [], []
    for share in shares:
        size = round(share * n)
        if not 2 <= size <= n - 2:
            raise ValueError(f"share {share} labels {size} of {n} items: label two or more, and leave two")
        off, inside = np.zeros((len(METHODS), splits, models)), np.zeros((splits, models), bool)
        off[0] = printed - truth
        for split in range(splits):
            part = rng.permutation(n)[:size]
            off[1, split] = true_accuracy(printed, wrong[part].mean(), match) - truth
            off[2, split] = printed + gain[:, part].mean(axis=1) - truth
            half = norm.ppf(0.975) * gain[:, part].std(axis=1, ddof=1) * np.sqrt((1 - size / n) / size)
            inside[split] = np.abs(off[2, split]) <= half
        error.append(100 * off)
        held.append(inside)
        sizes.append(size)
    return Predictions(list(shares), sizes, np.array(error), np.array(held))


def signals(exam: Exam) -> pd.DataFrame:
    """What the answers say of each item's key, a column a signal of SIGNALS; more means more suspicious."""
    letters = sorted({letter for letter in np.unique(exam.answers.to_numpy(str)) if letter})
    votes = np.array([(exam.answers == letter).sum(axis=1) for letter in letters], float) / len(exam.models)
    is_key = np.array([exam.items["key"] == letter for letter in letters])
    for_key = exam.before.mean(axis=0)
    other = np.where(is_key, 0, votes).max(axis=0)
    best = int(np.argmax(exam.before.mean(axis=1)))
    return pd.DataFrame(
        dict(
            against_key=1 - for_key,
            other_letter=other - for_key,
            disagreement=1 - votes.max(axis=0),
            strongest=1 - exam.before[best],
        ),
        index=exam.items.index,
    ).round(12)


def flawed_at(drawn: np.ndarray, score: np.ndarray, flawed: np.ndarray, share: float) -> np.ndarray:
    """How many flawed items are among the `share` of the items with the highest scores; equal scores at the edge count
    in part, as when the edge is drawn among them.

    drawn: how often each item counts, shape (resamples, items); a row sums to items. Returns shape (resamples,).

    >>> flawed_at(np.ones((1, 4)), np.array([3, 2, 2, 1]), np.array([1, 1, 0, 0]), 0.5)
    array([1.5])
    """
    size, sums = round(share * len(score)), bootstrap.sums_by_value(drawn, -score, np.ones(len(score)), flawed)
    totals = [each.cumsum(axis=1) for each in sums]
    edge = (totals[0] >= size).argmax(axis=1)[:, None]
    (above, found), (to_edge, with_edge) = (
        [np.take_along_axis(np.pad(total, ((0, 0), (1, 0))), edge + last, axis=1)[:, 0] for total in totals]
        for last in (0, 1)
    )
    return found + (with_edge - found) * (size - above) / (to_edge - above)


def detection(
    exam: Exam, budget: float, rng: np.random.Generator, resamples: int = 10_000, level: float = 0.95
) -> pd.DataFrame:
    """A row a signal and target (wrong_key, flawed): auc, precision and found (percent) when `budget` is reviewed.

    Items are resampled; limits end in _low and _high.
    """
    rows = []
    for target in ("wrong_key", "flawed"):
        bad = exam.items[target].to_numpy(float)
        for name, score in signals(exam).items():
            scores = score.to_numpy()
            row: dict = dict(signal=name, target=target, targets=int(bad.sum()))
            row |= auc_interval(scores, bad, rng, resamples, level).columns("auc")
            per = {
                "precision": lambda w, s, b: 100 * flawed_at(w, s, b, budget) / round(budget * len(s)),
                "found": lambda w, s, b: 100 * flawed_at(w, s, b, budget) / np.where(w @ b, w @ b, np.nan),
            }
            for figure, of in per.items():
                found = bootstrap.statistic_interval(of, [scores, bad], rng, resamples, level, weighted=True)
                row |= found.columns(figure)
            rows.append(row)
    return pd.DataFrame(rows)


def found_curve(exam: Exam, budgets: Sequence[float], target: str = "wrong_key") -> pd.DataFrame:
    """Percent of the target that a review of each share of the items finds: signal, reviewed, found, precision."""
    bad = exam.items[target].to_numpy(float)
    rows = []
    for name, score in signals(exam).items():
        for budget in budgets:
            hits = float(flawed_at(np.ones((1, len(bad))), score.to_numpy(), bad, budget)[0])
            found = dict(found=100 * hits / bad.sum(), precision=100 * hits / round(budget * len(bad)))
            rows.append(dict(signal=name, reviewed=100 * budget) | found)
    return pd.DataFrame(rows)


class Impossible(NamedTuple):
    """Items that no model solves under the printed keys: how many, how many are flawed, that share (percent, exact
    interval), and how many times as often they are flawed as the other items (items resampled)."""

    items: int
    flawed: int
    share: Interval
    times: Interval


def impossible(solved: np.ndarray, flawed: np.ndarray, rng: np.random.Generator, resamples: int = 10_000) -> Impossible:
    """solved (models, items): 1 or 0, NaN unknown. flawed (items,)."""
    none, bad = (np.nan_to_num(solved) == 0).all(axis=0).astype(float), np.asarray(flawed, float)
    n, hits = int(none.sum()), int((none * bad).sum())
    if not n:
        raise ValueError("each item is solved by a model: nothing is impossible here")

    def times(none: np.ndarray, bad: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = ((1 - none) * bad).sum(axis=1) / (1 - none).sum(axis=1)
            return np.where(rest > 0, (none * bad).sum(axis=1) / none.sum(axis=1) / rest, np.nan)

    share = Interval(hits / n, *clopper_pearson(hits, n), 0.95, "exact").scaled(100)
    more = bootstrap.statistic_interval(times, [none, bad], rng, resamples, vectorized=True)
    return Impossible(n, hits, share, more)


def by_error(exam: Exam) -> pd.DataFrame:
    """A row a label of the experts, the commonest among the impossible items first: items, impossible, after (still
    impossible under the repaired keys)."""
    table = exam.items.assign(
        impossible=(exam.before == 0).all(axis=0).astype(int), after=(exam.after == 0).all(axis=0).astype(int)
    )
    found = table.groupby("error_type", sort=False)[["impossible", "after"]].sum()
    found.insert(0, "items", table["error_type"].value_counts())
    return found.sort_values("impossible", ascending=False, kind="stable").reset_index()


def load_classes(path: str | Path) -> pd.Series:
    """HLE-Verified's class of each item, by id, from its public file. Raises DataError."""

    def class_of(row: dict) -> tuple[str, str]:
        for column in ("id", "Verified_Classes"):
            if not isinstance(row.get(column), str):
                raise Wrong(column, "missing, or no text", "Give HLE-Verified's public file")
        return row["id"], row["Verified_Classes"]

    rows = tabular.read(path, class_of, empty="no rows. Give HLE-Verified's public file.")
    return pd.DataFrame(rows, columns=["id", "class"]).drop_duplicates("id").set_index("id")["class"]


def hle_classes(
    classes: pd.Series, rng: np.random.Generator, resamples: int = 2_000
) -> tuple[pd.DataFrame, Impossible]:
    """HLE's public runs by HLE-Verified's classes: (a row a class: items, accuracy, impossible; flawed = not gold).

    classes: as `load_classes` gives them. Raises LogsMissing without the logs hle_runs, and DataError without a common
    item.
    """
    runs = logs.table("hle_runs")
    judged = runs["run"].str.startswith("z-ai")  # the program can't read their format
    marks = runs.assign(correct=runs["judge_correct"].where(judged, runs["exact_original_key"]))
    solved = marks[runs["exact_original_key"].notna()].pivot(index="id", columns="run", values="correct")
    solved = solved[solved.index.isin(classes.index) & (solved.notna().sum(axis=1) >= solved.shape[1] / 2)]
    if solved.empty:
        raise DataError("None of the ids of these classes is in the logs hle_runs. Give the ids of HLE's questions.")
    of = classes[solved.index]
    each = pd.DataFrame({"accuracy": 100 * solved.mean(axis=1), "impossible": (solved.fillna(0) == 0).all(axis=1)})
    rows = each.groupby(of.to_numpy()).agg(
        items=("accuracy", "size"), accuracy=("accuracy", "mean"), impossible=("impossible", "sum")
    )
    flawed = ~of.str.lower().str.startswith("gold").to_numpy()
    return rows.rename_axis("class").reset_index(), impossible(solved.to_numpy().T, flawed, rng, resamples)
