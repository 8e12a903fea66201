"""The words of a simulated community: titles of questions of made-up sites, answers, reviews."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

PROMPT = "You are given a question that nobody has answered. Answer it, and give every step and reference."
COMMENTS = (
    "Is the second condition needed? It seems to follow from the first.",
    "Please name the edition of the book that you quote.",
    "A small example would make this question easier to check.",
    "The older thread that the post links to has moved.",
    "I can repeat the observation on my own device.",
)


class Site(NamedTuple):
    """A made-up site; `title` has gaps for the words."""

    name: str
    category: str
    title: str
    words: tuple[str, ...]
    others: tuple[str, ...]


SITES = (
    Site(
        "proofs",
        "Science",
        "Is every {0} with bounded {1} finite?",
        ("lattice", "loop", "tiling", "graph", "word group", "matroid"),
        ("width", "depth", "index", "degree", "torsion", "rank"),
    ),
    Site(
        "physics-lab",
        "Science",
        "Why does the {0} depend on the {1}?",
        ("noise of a coil", "drift of a clock", "glow of a tube", "friction of a bearing", "pitch of a bar"),
        ("pressure", "angle", "age of the sample", "field", "temperature"),
    ),
    Site(
        "circuits",
        "Technology",
        "Which {0} did the {1} use?",
        ("sound chip", "memory controller", "disc encoding", "character set", "boot loader"),
        ("Orion 80 terminal", "Delta board", "Kestrel home computer", "Mirage console", "Atlas printer"),
    ),
    Site(
        "stories",
        "Life & Arts",
        "A story in which {0} meets {1}",
        ("a clockmaker", "a lighthouse keeper", "a mapmaker", "a ferryman", "a botanist"),
        ("a talking river", "her younger self", "the last robot", "a silent choir", "a lost army"),
    ),
)
REVIEWS = {
    "yes": (
        "I followed every step and found no gap.",
        "The source exists and says what is claimed.",
        "I checked the small cases by hand; they agree.",
    ),
    "no": (
        "The second step does not follow from the first.",
        "I can't find the source that is cited.",
        "A case that the answer leaves out contradicts it.",
    ),
    "unsure": ("This is outside my field.", "I would need the original document to decide."),
}


def title(site: Site, rng: np.random.Generator) -> str:
    """The title of a question."""
    words = [some[rng.integers(len(some))] for some in (site.words, site.others)]  # `choice` takes ten times as long
    return site.title.format(*words)


def answers(n: int, rng: np.random.Generator) -> list[str]:
    """The texts of n answers; they say nothing of whether the simulation has them right."""
    drawn = rng.integers([3, 30, 0], [30, 90, 4], (n, 3)).tolist()
    return [f"A made-up answer, of kind {kind}: {low} of {high}." for low, high, kind in drawn]


def reviews(correct: Sequence[str] | np.ndarray, rng: np.random.Generator) -> list[str]:
    """The texts of reviews that say yes, no or unsure."""
    return [REVIEWS[word][n] for word, n in zip(correct, rng.integers([len(REVIEWS[word]) for word in correct]))]
