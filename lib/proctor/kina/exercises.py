"""What the exercises of `notebooks/kina/exercises.ipynb` expect, each computed another way than the solution there."""

from itertools import combinations, count, product

from proctor.data.published import load_published
from proctor.report.exercises import Exercise
from proctor.stats.power import power_of

COSTS = (1.0, 2.0)  # of a hasty and a diligent review, hours
HASTY, DILIGENT = (0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)  # chances of wrong, thin, sound, thorough
BAR = 3  # only a thorough review earns the bonus
DIFFER, POWER = 0.3, 0.95  # share of items on which two models differ; chance to see the gap
COVERS = (  # items x topics
    (1, 1, 1, 1, 0, 0, 0),
    (1, 1, 0, 0, 1, 0, 0),
    (0, 0, 1, 1, 0, 1, 0),
    (0, 0, 0, 1, 0, 0, 1),
)
CHOSEN = 2  # items


def exercises() -> dict[str, Exercise]:
    """The three exercises by name, for a `report.exercises.Checker`."""
    return {
        "kina/1": Exercise(
            lambda: max(threshold(HASTY, BAR), threshold(DILIGENT, BAR)),
            "Effort must pay against a hasty and against a diligent other: the larger of the two thresholds counts.",
            tolerance=0.02,
            unit="hours",
            mistakes={
                "That is the threshold against a hasty other alone.": lambda: threshold(HASTY, BAR),
                "That is the threshold with the bar at 2.": lambda: threshold(DILIGENT, 2),
            },
        ),
        "kina/2": Exercise(
            lambda: items_for(POWER),
            "The gap is a share (1.37 points are 0.0137), and `sd` is that of the difference: sqrt(differ - gap^2).",
            tolerance=25,
            unit="items",
            mistakes={"That is enough for a power of 80 %.": lambda: items_for(0.8)},
        ),
        "kina/3": Exercise(
            lambda: 100 * greedy_share(),
            "Greedy takes the item with the most new topics at each step. Compare with the best of all pairs of items.",
            tolerance=0.1,
            unit="percent",
            mistakes={
                "That is greedy's share of all topics. Divide by what the best pair covers.": (
                    lambda: 100 * len(greedy_topics()) / len(COVERS[0])
                )
            },
        ),
    }


def threshold(other: tuple[float, ...], bar: int) -> float:
    """Bonus above which diligence pays against `other` in a tournament: all pairs of qualities, one by one."""

    def bonus_chance(own: tuple[float, ...]) -> float:
        levels = range(len(own))
        return sum(own[x] * other[y] * (1 if x > y else 0.5) for x, y in product(levels, levels) if x >= max(bar, y))

    return (COSTS[1] - COSTS[0]) / (bonus_chance(DILIGENT) - bonus_chance(HASTY))


def items_for(power: float) -> int:
    """Fewest items, to ten, that show the printed gap of ranks 2 and 3 with this power: tried one by one."""
    scores = load_published("kina/leaderboard").set_index("rank")["accuracy_value"]
    gap = (scores["2"] - scores["3"]) / 100
    sd = (DIFFER - gap**2) ** 0.5
    return next(n for n in count(10, 10) if power_of(gap, sd, n) >= power)


def greedy_share() -> float:
    """What greedy covers over what the best pair covers: all pairs."""
    return len(greedy_topics()) / max(len(set.union(*pair)) for pair in combinations(_topics(), CHOSEN))


def greedy_topics() -> set[int]:
    """The topics that greedy covers, by sets."""
    covered: set[int] = set()
    for _ in range(CHOSEN):
        covered |= max(_topics(), key=lambda item: len(item - covered))
    return covered


def _topics() -> list[set[int]]:
    return [{topic for topic, covered in enumerate(row) if covered} for row in COVERS]
