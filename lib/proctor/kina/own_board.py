"""For what population the results of one's own leaderboard hold (ranks: `ranked_models`)."""

from dataclasses import dataclass

from proctor.kina.leaderboard import Leaderboard

LEAST = 6  # labels from which on Student's interval over them was shown to hold its level
POPULATIONS = ("auto", "items", "disciplines")


@dataclass(frozen=True)
class Population:
    """What a board's results are to hold for. clusters: the labels that are the units, None where single items are.

    n, of: how many of what are the units. says: the population in a sentence."""

    clusters: tuple[str, ...] | None
    n: int
    of: str
    says: str


def population_of(board: Leaderboard, population: str = "auto") -> Population:
    """Items like these in these very disciplines ("items"), or also other disciplines like these ("disciplines").

    auto: disciplines where there are six or more, else items. Items of one discipline rise and fall together: taken one
    by one they say nothing of other disciplines, and fewer than six labels hardly say anything either."""
    if population not in POPULATIONS:
        raise ValueError(f"population is {population!r}: choose one of {', '.join(POPULATIONS)}")
    n = len(set(board.clusters or ()))
    if population == "disciplines" and n < 2:
        raise ValueError("population is disciplines, and there are none: give each item one, or choose items")
    if n >= LEAST and population == "auto" or population == "disciplines":
        says = f"other disciplines like these: the {n} disciplines are the units"
        return Population(board.clusters, n, "disciplines", says)
    n_items = len(board.items)
    says = (
        f"other items like these{', of these very disciplines' if n > 1 else ''}: the {n_items:,} items are the units"
    )
    return Population(None, n_items, "items", says)
