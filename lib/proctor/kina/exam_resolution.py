"""Which gaps between two models an exam can see, printed ones and simulated ones, and when it may stop.

Two models sit the same items. On single answers all depends on the share of items that only one of the two has right:
they *differ* there and *agree* on the rest. For a true gap g and a share q the difference of one item has variance
q - g^2. The gap is seen (two-sided, 5 %) with chance `power` if it is z(.975) + z(power) standard errors wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from proctor.data.published import load_published
from proctor.kina.simulated_boards import simulate_board
from proctor.stats import checks
from proctor.stats.power import corridor, neighbours, settle
from proctor.stats.simulate import few_items, fit, item_responses

EACH_LOOK, CORRIDOR = ("1.96 at each look", "corridor")


def smallest_gap(n: ArrayLike, differ: ArrayLike, power: float = 0.8, level: float = 0.95) -> np.ndarray:
    """Smallest true gap in points that n items show with chance `power`, if two models differ on the share `differ`.

    >>> smallest_gap([500, 899, 2500], differ=0.5).round(1).tolist()
    [8.8, 6.6, 4.0]
    """
    n, differ, reach = np.asarray(n, float), np.asarray(differ, float), _reach(power, level)
    return 100 * reach * np.sqrt(differ / (n + reach**2))


def most_differing(gap: ArrayLike, n: ArrayLike, power: float = 0.8, level: float = 0.95) -> np.ndarray:
    """The largest share of items on which two models may differ, so that n items still show a gap in points.

    The inverse of `smallest_gap`. Models of accuracies p and r can't differ on more than min(p + r, 2 - p - r).
    """
    return (np.asarray(gap, float) / 100) ** 2 * (np.asarray(n, float) / _reach(power, level) ** 2 + 1)


def printed_gaps(power: float = 0.8) -> pd.DataFrame:
    """The gaps between the first three of each printed list of scores on one exam, and what would show them.

    Columns: exam, items, upper, lower (models), gap (points), agree (percent of the items on which the two must agree
    at least, so that the exam shows the gap with chance `power`), agree_surely (percent on which models of these scores
    agree in any case), seen ("in any case", or "only if they agree on that many").
    """
    rows = []
    for exam, items, scores in _printed_lists():
        best = scores.sort_values(ascending=False, kind="stable").head(3)
        for (upper, one), (lower, other) in zip(best.items(), best.iloc[1:].items()):
            gap = round(one - other, 2)
            agree = 100 * (1 - float(most_differing(gap, items, power)))
            surely = 100 - min(one + other, 200 - one - other)
            rows.append(
                dict(
                    exam=exam,
                    items=items,
                    upper=upper,
                    lower=lower,
                    gap=gap,
                    agree=max(agree, 0.0),
                    agree_surely=surely,
                    seen="in any case" if agree <= surely else "only if they agree on that many",
                )
            )
    return pd.DataFrame(rows)


def pair_exams(
    gap: float, n: int, trials: int, rng: np.random.Generator, middle: float = 0.45, **settings: float
) -> np.ndarray:
    """Item differences (trials, n) of two simulated models that differ by `gap` (a share) around the accuracy `middle`.

    The items of all exams are dealt from one field, on which the models have exactly these accuracies.
    """
    accuracy = [middle + gap / 2, middle - gap / 2]
    scores = item_responses(accuracy, trials * n, rng, **settings).scores  # type: ignore[arg-type]
    return (scores[0] - scores[1]).reshape(trials, n)


def shown(differences: ArrayLike) -> np.ndarray:
    """Whether each exam shows that the first model is better, bool (exams,): 1.96 standard errors. (exams, items)."""
    differences = checks.finite(differences, "differences", 2)
    error = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    return differences.mean(axis=1) > 1.96 * error


def spreads(exams: ArrayLike) -> np.ndarray:
    """Standard deviation of a difference, item by item, shape (exams,): the median over neighbours in each exam's list.

    exams: scores (exams, models, items), of models that are near each other.
    """
    return np.array([float(np.median(neighbours(scores).sd)) for scores in checks.finite(exams, "exams", 3)])


def named_winner(differences: ArrayLike, rule: str, looks: int) -> np.ndarray:
    """Whether each exam names a winner at one of its looks, bool (exams,). rule: EACH_LOOK or CORRIDOR."""
    bars = {EACH_LOOK: np.full(looks, 1.96), CORRIDOR: corridor(looks)}[rule]
    return settle(differences, bars).winner != 0


@dataclass(frozen=True)
class Stopping:
    """Many exams of one gap that may stop at each look. All of shape (exams,); see `stop_early`."""

    asked: np.ndarray
    settled: np.ndarray
    wrong: np.ndarray
    settled_by_all: np.ndarray


def stop_early(differences: ArrayLike, looks: int) -> Stopping:
    """Items asked until the corridor is left, and the outcome: settled for the first model, wrongly for the second.

    differences (exams, items) of two models of which the first is better. settled_by_all: one look at all items.
    """
    early, once = settle(differences, corridor(looks)), settle(differences, [1.96])
    return Stopping(early.asked, early.winner == 1, early.winner == -1, once.winner == 1)


def few_items_by_board(
    accuracy: ArrayLike, sizes: Sequence[int], boards: int, seed: int, **settings: float
) -> tuple[np.ndarray, np.ndarray]:
    """How well few items rank models that had no part in choosing them, on `boards` simulated exams.

    Returns tau (boards, rules, sizes), Kendall's with the true order, rules as in `stats.simulate.RULES`, and
    recovered (boards, 3): correlation of the fitted abilities, difficulties and log discriminations with the true ones.
    """
    tau, recovered = [], []
    samples = int(settings.get("samples", 1))
    for number in range(boards):
        rng = np.random.default_rng([seed, number])
        board = simulate_board(accuracy, rng, **settings)
        tau.append(few_items(board.scores, sizes, rng, 1, samples, truth=accuracy).tau)
        found = fit(board.scores, samples)
        pairs = (
            (found.ability, board.ability),
            (found.difficulty, board.difficulty),
            (np.log(found.discrimination), np.log(board.discrimination)),
        )
        recovered.append([np.corrcoef(*pair)[0, 1] for pair in pairs])
    return np.array(tau), np.array(recovered)


def _printed_lists() -> list[tuple[str, int, pd.Series]]:
    """(exam, items, scores in percent by model) of the printed lists: all models on all items of one exam."""
    uq, hle = load_published("uq/table_S3"), load_published("hle/table_1")
    kina, verified = load_published("kina/leaderboard"), load_published("hle_verified/table_2")
    facts = {
        paper: load_published(f"{paper}/facts").set_index("fact")["value_value"] for paper in ("kina", "hle", "uq")
    }
    uq = uq[(uq["questions_of"] == "full set") & (uq["answer_model"] != "all")]
    hle, kina = hle[hle["text_only"] == "no"], kina.dropna(subset="accuracy_value")
    text_items = int(facts["uq"]["hle_text_questions"])  # HLE-Verified's tables are about the text part
    return [
        ("UQ", int(uq["questions_value"].iloc[0]), uq.set_index("answer_model")["pass_rate_value"]),
        ("KINA", int(facts["kina"]["items"]), kina.set_index("model")["accuracy_value"]),
        ("HLE", int(facts["hle"]["questions"]), hle.set_index("model")["accuracy_value"]),
        ("HLE-Verified", text_items, verified.set_index("model")["full_verified_accuracy_value"]),
    ]


def _reach(power: float, level: float) -> float:
    """Standard errors that a gap must be wide to be seen with chance `power`."""
    checks.share(level, "level")
    if not 0.5 <= power < 1:
        raise ValueError(f"power is {power}: must be a share from 0.5 to below 1 (0.8, not 80)")
    return float(ndtri((1 + level) / 2) + ndtri(power))
