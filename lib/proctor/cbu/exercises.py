"""What the exercises of `notebooks/cbu/exercises.ipynb` expect, each computed another way than the solution there."""

from itertools import combinations_with_replacement, count

import numpy as np

from proctor.report.exercises import Exercise

RIGHT, WRONG, GOAL = 0.7, 0.4, 0.95  # success after a right and a wrong candidate; chance of the right order
COMPARISONS, LEVEL = 15, 0.05  # in one family


def exercises() -> dict[str, Exercise]:
    """The three exercises by name, for a `report.exercises.Checker`."""
    return {
        "cbu/1": Exercise(
            lambda: rollouts_for(ties=0.5),
            "Count upwards until `order_chance` reaches 0.95. A tie counts half.",
            unit="rollouts",
            mistakes={
                "So many it takes if a tie counts as a wrong order; here it counts half.": lambda: rollouts_for(0.0)
            },
        ),
        "cbu/2": Exercise(
            lambda: families_for(COMPARISONS),
            "With n families the least p is 2 / 2^n, when all differences have one sign. It must reach 0.05 / 15.",
            unit="families",
            mistakes={"That is enough for one comparison; here it is one of 15.": lambda: families_for(1)},
        ),
        "cbu/3": Exercise(
            lambda: 100 * most_above_mean(),
            "One candidate far below all others pulls the mean down. How many wrong ones can then be above it?",
            tolerance=0.1,
            unit="percent",
            mistakes={"Not all five: the one that pulls the mean down is below it.": lambda: 100.0},
        ),
    }


def rollouts_for(ties: float) -> int:
    """Fewest rollouts that order a right and a wrong candidate rightly with a chance of 95 %: all pairs of counts.

    ties: what an equal number of successes counts."""
    for n in count(1):
        right, wrong = (_successes(chance, n) for chance in (RIGHT, WRONG))
        if np.tril(np.outer(right, wrong), -1).sum() + ties * (right * wrong).sum() >= GOAL:
            return n
    raise AssertionError("unreachable: the chance rises to 1")


def families_for(comparisons: int) -> int:
    """Fewest families with which a two-sided sign-flip test can reach 5 % over so many comparisons, by its formula."""
    return int(np.ceil(np.log2(2 * comparisons / LEVEL)))


def most_above_mean() -> float:
    """Largest share of five wrong candidates above the mean, if five right ones score higher: all whole scores to 11.

    The right ones stand just above the best wrong one, where they raise the mean least."""
    scores = np.array(list(combinations_with_replacement(range(12), 5)))
    mean = (scores.sum(axis=1) + 5 * (scores.max(axis=1) + 0.1)) / 10
    return float((scores > mean[:, None]).mean(axis=1).max())


def _successes(chance: float, n: int) -> np.ndarray:
    """Chances of 0, 1, ..., n successes, built up one rollout at a time."""
    found = np.ones(1)
    for _ in range(n):
        found = np.convolve(found, [1 - chance, chance])
    return found
