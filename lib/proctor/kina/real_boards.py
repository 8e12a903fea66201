"""KINA's questions asked of real leaderboards: public outcomes of other people's systems, item by item.

A board is a DataFrame, item x system, 1 solved and 0 not (`logs.outcomes`). Repeated runs are successes and trials,
item x system (`logs.trials`). Items are resampled, never runs.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proctor import logs
from proctor.stats import bootstrap, item_response
from proctor.stats.bootstrap import Interval
from proctor.stats.compare import pairwise
from proctor.stats.power import items_needed
from proctor.stats.rank_sets import LARGEST, possible_winners, rank_sets
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


def overview(boards: dict[str, pd.DataFrame], seed: int, resamples: int) -> pd.DataFrame:
    """One row a board. not_told: systems that the rank sets (all at once, 95 %) do not tell from the leader.

    first: systems that may be the best, at 95 % for this board alone; first_of_all: at 95 % for all boards. told_pairs:
    share of all pairs that exact tests with Holm's correction tell apart. solved_by_none, by_all: items. near_twins:
    pairs of systems whose outcomes correlate by 0.9 or more; same_items: items with the outcomes of an earlier one that
    20 to 80 % of the systems solve. gap: points between two of the ten best that these items show with chance 80 %.
    """
    rows = []
    for name, board in boards.items():
        scores = scores_of(board)
        sets = rank_sets(scores, np.random.default_rng(seed), resamples)
        leader, p = int(sets.mean.argmax()), pairwise(scores)
        solved = board.mean(axis=1)
        rows.append(
            dict(
                board=BOARDS.get(name, name),
                items=len(board),
                systems=board.shape[1],
                leader=100 * sets.mean[leader],
                not_told=int(sets.rank_high[leader]) - 1,
                first=int(possible_winners(scores, np.random.default_rng(seed), resamples).sum()),
                first_of_all=int(
                    possible_winners(scores, np.random.default_rng(seed), resamples, level=1 - 0.05 / len(boards)).sum()
                ),
                told_pairs=float((p[np.triu_indices(len(p), 1)] < 0.05).mean()),
                tiers=int(sets.tier.max()),
                solved_by_none=int((solved == 0).sum()),
                solved_by_all=int((solved == 1).sum()),
                near_twins=len(near_twins(board)),
                same_items=same_items(board),
                gap=visible_gap(scores),
            )
        )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Lead:
    """The lead of a board's first over its second, in points, with limits that hold for all pairs of the board."""

    board: str
    items: int
    estimate: float
    low: float
    high: float
    level: float


def widest_lead(boards: dict[str, pd.DataFrame], seed: int, resamples: int) -> Lead:
    """Of the leads on several boards the one largest beside its half-width: the first to be seen.

    The level is that of one board among all of them, so that the limits hold on all boards at once.
    """
    level, found = 1 - 0.05 / len(boards), []
    for name, board in boards.items():
        scores = scores_of(board)
        sets = rank_sets(scores, np.random.default_rng(seed), resamples, level=level)
        first, second = np.argsort(-sets.mean, kind="stable")[:2]
        gap, low, high = sets.mean[first] - sets.mean[second], sets.low[first, second], sets.high[first, second]
        found.append(Lead(BOARDS.get(name, name), len(board), 100 * gap, 100 * low, 100 * high, level))
    return max(found, key=lambda lead: lead.estimate / max(lead.high - lead.estimate, 1e-12))


def twin_table(boards: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """`near_twins` of all boards, with short names."""
    found = [near_twins(board).assign(board=BOARDS.get(name, name)) for name, board in boards.items()]
    table = pd.concat(found, ignore_index=True)
    named = {column: [short_name(name, 40) for name in table[column]] for column in ("one", "other")}
    return table.assign(**named)[["board", "one", "other", "correlation", "same"]]


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


def most_alike(boards: dict[str, pd.DataFrame]) -> tuple[float, int]:
    """The largest correlation of two systems' outcomes on one board, and how many pairs of systems there are."""
    best = max(near_twins(board, 0.0)["correlation"].iloc[0] for board in boards.values())
    return float(best), sum(board.shape[1] * (board.shape[1] - 1) // 2 for board in boards.values())


def split_half(scores: np.ndarray, rng: np.random.Generator, splits: int, top: int | None = None) -> Interval:
    """Kendall's tau of the rankings on two random halves of the items: its mean, and the middle 95 % of the splits.

    top: only among the best `top`, chosen on the first half and compared on halves of the second, so that choosing
    them does not flatter the agreement.
    """
    n_items, found = scores.shape[1], []
    for _ in range(splits):
        chosen, one, other = np.split(rng.permutation(n_items), [n_items // 3, 2 * (n_items // 3)])
        if top is None:
            rows = np.arange(len(scores))
            one, other = np.split(np.concatenate([chosen, one, other]), [n_items // 2])
        else:
            rows = np.argsort(-scores[:, chosen].mean(axis=1), kind="stable")[:top]
        first, second = (scores[np.ix_(rows, half)].mean(axis=1) for half in (one, other))
        found.append(float(kendall(first[:, None], second[:, None])[0]))
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(float(np.mean(found)), float(low), float(high), 0.95, "middle of the splits")


def repeated(successes: pd.DataFrame, trials: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(successes, trials) of the systems that have two runs or more of every task."""
    kept = (trials >= 2).all()
    return successes.loc[:, kept], trials.loc[:, kept]


def run_luck(
    successes: pd.DataFrame, trials: pd.DataFrame, rng: np.random.Generator, resamples: int
) -> tuple[Interval, Interval]:
    """Share of an outcome's variance that is luck of the run, and how much narrower five runs make an accuracy.

    An outcome of one system varies between tasks and, on one task, between runs. The second is estimated without bias
    by s (t - s) / (t (t - 1)) in each cell of t runs; the first share is its mean over that of m (1 - m), m being the
    system's mean. Both in percent, with an interval over tasks.
    """
    s, t = successes.to_numpy(float), trials.to_numpy(float)
    if (t < 2).any():
        raise ValueError("a cell has fewer than two runs: take `repeated` first")
    within, rate = s * (t - s) / (t * (t - 1)), s / t

    def share(within: np.ndarray, rate: np.ndarray) -> float:
        total = (rate.mean(axis=0) * (1 - rate.mean(axis=0))).mean()
        return 100 * within.mean() / total if total > 0 else np.nan

    def narrower(within: np.ndarray, rate: np.ndarray) -> float:
        return 100 * (1 - np.sqrt(1 - 0.8 * share(within, rate) / 100))

    seed = int(rng.integers(2**32))
    luck, saved = (
        bootstrap.statistic_interval(each, [within, rate], np.random.default_rng(seed), resamples)
        for each in (share, narrower)
    )
    return luck, saved


def runs_on_ranks(
    successes: pd.DataFrame, trials: pd.DataFrame, rng: np.random.Generator, resamples: int, draws: int = 10
) -> pd.DataFrame:
    """What repeats do to rank sets: not_told and tiers by one run a task (mean of `draws`), and by the mean of all."""
    rate = (successes / trials).to_numpy(float).T
    same = dict(method=LARGEST)  # one test for both: the exact one of single runs is more cautious
    one = [rank_sets((rng.random(rate.shape) < rate).astype(float), rng, resamples, **same) for _ in range(draws)]
    everything = rank_sets(rate, rng, resamples, **same)
    rows = {"one run a task": one, "all runs of a task": [everything]}
    return pd.DataFrame(
        {
            "runs": list(rows),
            "not_told": [np.mean([sets.rank_high[sets.mean.argmax()] - 1 for sets in each]) for each in rows.values()],
            "tiers": [np.mean([sets.tier.max() for sets in each]) for each in rows.values()],
            "mean_set": [
                np.mean([(sets.rank_high - sets.rank_low + 1).mean() for sets in each]) for each in rows.values()
            ],
        }
    )


def visible_gap(scores: np.ndarray, items: int | None = None, top: int = TOP) -> float:
    """Points by which two of the `top` best must differ to be told apart with chance 80 % (one pair, 5 %).

    From the median over pairs of the spread of their differences. items: of the exam (default: as many as there are).
    """
    return float(100 * DETECTS * _spread(scores, top) / np.sqrt(items or scores.shape[1]))


def visible_gap_interval(scores: np.ndarray, rng: np.random.Generator, resamples: int, top: int = TOP) -> Interval:
    """`visible_gap` with an interval over items, the `top` best being those of the whole board."""
    rows = np.argsort(-scores.mean(axis=1), kind="stable")[:top]
    return bootstrap.statistic_interval(lambda best: visible_gap(best.T, top=top), [scores[rows].T], rng, resamples)


def items_for_gaps(scores: np.ndarray, gaps: tuple[float, ...] = (1, 2, 5, 10)) -> pd.DataFrame:
    """Items that show a gap (points) between two of the ten best with chance 80 %: one pair, and all pairs at once."""
    pairs, spread = len(scores) * (len(scores) - 1) // 2, _spread(scores, TOP)
    rows = [
        dict(gap=gap, **{key: items_needed(gap / 100, spread, level=level).item() for key, level in levels.items()})
        for levels in [{"one_pair": 0.95, "all_pairs": 1 - 0.05 / pairs}]
        for gap in gaps
    ]
    return pd.DataFrame(rows)


def _spread(scores: np.ndarray, top: int) -> float:
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
    orders = {rule: item_response.choose(scores[earlier], "information", rng, ablest=share) for rule, share in TARGETS}
    orders["middling"] = item_response.choose(scores[earlier], "middling", rng)
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
        chosen = [item_response.choose(scores[one], each, rng)[:size] for each in (rule, "random")]
        sums = np.stack([scores[np.ix_(other, items)].sum(axis=1) for items in chosen], axis=1)
        gains.append(-float(np.diff(kendall(truth, sums))[0]))
    low, high = np.quantile(gains, [0.025, 0.975])
    return Interval(float(np.mean(gains)), float(low), float(high), 0.95, "middle of the splits")


def leader_rank(table: pd.DataFrame) -> Interval:
    """The rank of the first row of `ranked_models.rank_models`, with its rank set."""
    return Interval(*(float(table.loc[0, column]) for column in ("rank", "set_low", "set_high")), 0.95, "rank set")


def quantity(found: Interval, n: int, of: str, unit: str = "") -> dict:
    """The keywords of `Output.claim` for an interval."""
    return dict(estimate=found.estimate, interval=found, n=n, of=of, unit=unit)


def no_double(boards: dict[str, pd.DataFrame], overview: pd.DataFrame, systems: int = 40) -> tuple[bool, str]:
    """Whether no two systems of a board have the same outcomes and no item stands twice, and what was looked at.

    Items: equal names; on boards of at least `systems` systems also equal outcomes (`same_items`).
    """
    closest, pairs = most_alike(boards)
    double = sum(map(same_id, boards.values())) + overview.loc[overview["systems"] >= systems, "same_items"].sum()
    return bool(closest < 1 and double == 0), f"all {pairs:,} pairs of systems, names and outcomes of items"


def short_name(system: str, length: int = 30) -> str:
    """A system's name without its date, at most `length` characters.

    >>> short_name("20251215_livesweagent_claude-opus-4-5")
    'livesweagent claude-opus-4-5'
    """
    name = system[9:] if system[:8].isdigit() and system[8:9] == "_" else system
    name = name.replace("_", " ")
    return name if len(name) <= length else name[: length - 1].rstrip() + "…"
