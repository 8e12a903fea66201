"""KINA's questions asked of real leaderboards: public outcomes of other people's systems, item by item.

A board is a DataFrame, item x system, 1 solved and 0 not (`logs.outcomes`). Repeated runs are successes and trials,
item x system (`logs.trials`). Items are resampled, never runs.
"""

import numpy as np
import pandas as pd

from proctor import logs
from proctor.stats import bootstrap, simulate
from proctor.stats.bootstrap import Interval
from proctor.stats.ranking import kendall

BOARDS = {
    "swe_bench_verified": "SWE-bench Verified",
    "swe_bench_pro": "SWE-bench Pro",
    "terminal_bench_2": "Terminal-Bench 2",
    "gso": "GSO",
    "gsm8k": "GSM8K",
    "math_level_5": "MATH, level 5",
    "crux": "CRUX",
}
TWINS = 0.9  # two systems whose outcomes correlate by this much are near twins
TOP = 10
DETECTS = 2.8016  # standard errors of a gap that is seen with chance 80 % at the 5 % level: z(0.975) + z(0.8)


def load(names: list[str]) -> dict[str, pd.DataFrame]:
    """{name: board}, the boards of `names` in that order. Raises LogsMissing, and ValueError where a cell is blank."""
    boards = {name: logs.outcomes(name) for name in names}
    for name, board in boards.items():
        if board.isna().to_numpy().any():
            raise ValueError(f"{name}: {int(board.isna().sum().sum())} blank cells; leave the item or the system out")
    return boards


def scores_of(board: pd.DataFrame) -> np.ndarray:
    """The board as scores (systems, items)."""
    return board.to_numpy(float).T


def near_twins(board: pd.DataFrame, least: float = TWINS) -> pd.DataFrame:
    """Pairs of systems whose outcomes correlate by at least `least` over the items, the most alike first.

    Columns one, other, correlation (phi), same (share of equal outcomes). By the share alone (`logs.twins`) any two
    systems would be near twins that solve nearly nothing or nearly everything. Systems that never vary are
    left out.
    """
    scores = scores_of(board.loc[:, board.nunique() > 1])
    names = board.columns[board.nunique() > 1]
    same = (scores @ scores.T + (1 - scores) @ (1 - scores).T) / scores.shape[1]
    i, j = np.triu_indices(len(same), 1)
    found = pd.DataFrame(
        dict(one=names[i], other=names[j], correlation=np.corrcoef(scores)[i, j].round(12), same=same[i, j])
    )
    found = found.sort_values("correlation", ascending=False, kind="stable")
    return found[found["correlation"] >= least].reset_index(drop=True)


def same_items(board: pd.DataFrame) -> int:
    """Items with the outcomes of an earlier item: perhaps the same task twice.

    Only items that 20 to 80 % of the systems solve: what nearly all or nearly none solve is alike by chance.
    """
    return int(board[board.mean(axis=1).between(0.2, 0.8)].duplicated().sum())


def same_id(board: pd.DataFrame) -> int:
    """Items whose name is that of an earlier one but for case and spaces."""
    return int(pd.Index(board.index.astype(str).str.lower().str.strip()).duplicated().sum())


def repeated(successes: pd.DataFrame, trials: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(successes, trials) of the systems that have two runs or more of every task."""
    kept = (trials >= 2).all()
    return successes.loc[:, kept], trials.loc[:, kept]


def visible_gap(scores: np.ndarray, items: int | None = None, top: int = TOP) -> float:
    """Points by which two of the `top` best must differ to be told apart with chance 80 % (one pair, 5 %).

    From the median over pairs of the spread of their differences. items: of the exam (default: as many as there are).
    """
    return float(100 * DETECTS * difference_sd(scores, top) / np.sqrt(items or scores.shape[1]))


def visible_gap_interval(scores: np.ndarray, rng: np.random.Generator, resamples: int, top: int = TOP) -> Interval:
    """`visible_gap` with an interval over items, the `top` best being those of the whole board."""
    rows = np.argsort(-scores.mean(axis=1), kind="stable")[:top]
    return bootstrap.statistic_interval(lambda best: visible_gap(best.T, top=top), [scores[rows].T], rng, resamples)


def difference_sd(scores: np.ndarray, top: int = TOP) -> float:
    """Median over the pairs of the `top` best of the standard deviation of their difference, item by item."""
    best = scores[np.argsort(-scores.mean(axis=1), kind="stable")[:top]]
    i, j = np.triu_indices(len(best), 1)
    return float(np.median((best[i] - best[j]).std(axis=1, ddof=1)))


def by_date(board: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """(earlier, later): columns of the systems by the date that their names begin with, cut in the middle.

    Raises ValueError for a name without a date.
    """
    dates = board.columns.astype(str).str.extract(r"^(\d{8})", expand=False)
    if dates.isna().any():
        raise ValueError(f"system {board.columns[dates.isna()][0]!r} does not begin with a date, such as 20250131_")
    order = np.argsort(dates.to_numpy(), kind="stable")
    earlier, later = np.array_split(order, 2)
    return earlier, later


def choose_on_earlier(
    board: pd.DataFrame, sizes: list[int], rng: np.random.Generator, sets: int, level: float = 0.95
) -> pd.DataFrame:
    """Items chosen on earlier systems, used to rank later ones: Kendall's tau with the later ones' order on all items.

    One row a size: tau of the items with most information (a 2PL fit) at all earlier systems (`information`), at the
    best quarter and at the best tenth of them (`best_quarter`, `best_tenth`), of those solved by about half
    (`middling`), and of `random` ones (mean of `sets` choices) with random_low and random_high, the middle `level` of
    them. gain_<rule> with _low and _high: its tau minus that of random items.
    """
    scores, (earlier, later) = scores_of(board), by_date(board)
    orders = {rule: simulate.choose(scores[earlier], "information", rng, ablest=share) for rule, share in TARGETS}
    orders["middling"] = simulate.choose(scores[earlier], "middling", rng)
    truth = scores[later].mean(axis=1)[:, None]
    rows = []
    for size in sizes:
        tau = {
            rule: float(kendall(truth, scores[np.ix_(later, order[:size])].sum(axis=1)[:, None])[0])
            for rule, order in orders.items()
        }
        chance = np.array([rng.choice(scores.shape[1], size, replace=False) for _ in range(sets)])  # (sets, size)
        by_chance = kendall(truth, scores[later][:, chance].sum(axis=2))
        low, high = np.quantile(by_chance, [(1 - level) / 2, (1 + level) / 2])
        row = dict(items=size, **tau, random=by_chance.mean(), random_low=low, random_high=high)
        for rule, _ in TARGETS:
            row |= {
                f"gain_{rule}": tau[rule] - by_chance.mean(),
                f"gain_{rule}_low": tau[rule] - high,
                f"gain_{rule}_high": tau[rule] - low,
            }
        rows.append(row)
    return pd.DataFrame(rows)


TARGETS = (("information", 1.0), ("best_quarter", 0.25), ("best_tenth", 0.1))  # whose abilities the items are to tell


def gain_on_halves(
    scores: np.ndarray, size: int, rng: np.random.Generator, splits: int, rule: str = "information"
) -> Interval:
    """Gain in Kendall's tau of `size` chosen items over random ones, on systems that chose none of them.

    Each split halves the systems at random, chooses on one half, and ranks the other by the chosen and by as many
    random items; the middle 95 % of the splits.
    """
    gains = []
    for _ in range(splits):
        one, other = np.array_split(rng.permutation(len(scores)), 2)
        truth = scores[other].mean(axis=1)[:, None]
        chosen = [simulate.choose(scores[one], each, rng)[:size] for each in (rule, "random")]
        sums = np.stack([scores[np.ix_(other, items)].sum(axis=1) for items in chosen], axis=1)
        gains.append(-float(np.diff(kendall(truth, sums))[0]))
    low, high = np.quantile(gains, [0.025, 0.975])
    return Interval(float(np.mean(gains)), float(low), float(high), 0.95, "middle of the splits")


def short_name(system: str, length: int = 30) -> str:
    """A system's name without its date, at most `length` characters.

    >>> short_name("20251215_livesweagent_claude-opus-4-5")
    'livesweagent claude-opus-4-5'
    """
    name = system[9:] if system[:8].isdigit() and system[8:9] == "_" else system
    name = name.replace("_", " ")
    return name if len(name) <= length else name[: length - 1].rstrip() + "…"
