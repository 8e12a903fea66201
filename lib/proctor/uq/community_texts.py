"""The words of a simulated community: questions of made-up sites with Markdown and mathematics, answers, reviews."""

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
    """A made-up site; `title` and `body` have gaps for the words."""

    name: str
    category: str
    title: str
    body: str
    words: tuple[str, ...]
    others: tuple[str, ...]


SITES = (
    Site(
        "proofs",
        "Science",
        "Is every {0} with bounded {1} finite?",
        "Let $G$ be a {0} whose {1} satisfies $d(G) \\le k$ for a fixed $k$.\n\n"
        "For $k = 1$ this is easy. **Does it hold for all $k$?** The usual bound\n\n"
        "$$\\sum_{{i=1}}^{{n}} d_i \\le k n^2$$\n\nis too weak.",
        ("lattice", "loop", "tiling", "graph", "word group", "matroid"),
        ("width", "depth", "index", "degree", "torsion", "rank"),
    ),
    Site(
        "physics-lab",
        "Science",
        "Why does the {0} depend on the {1}?",
        "I measure the {0} while I change the {1}, and find $f \\propto T^{{1/3}}$.\n\n"
        "- The device was calibrated twice.\n- The effect vanishes below 4 K.\n\nThe usual model gives no such law.",
        ("noise of a coil", "drift of a clock", "glow of a tube", "friction of a bearing", "pitch of a bar"),
        ("pressure", "angle", "age of the sample", "field", "temperature"),
    ),
    Site(
        "circuits",
        "Technology",
        "Which {0} did the {1} use?",
        "The manual of the {1} names a {0}, but not its type. The code at the entry is\n\n"
        "```\nLD A, 3\nOUT (7), A\n```\n\nIs there a schematic, or another device with the same part?",
        ("sound chip", "memory controller", "disc encoding", "character set", "boot loader"),
        ("Orion 80 terminal", "Delta board", "Kestrel home computer", "Mirage console", "Atlas printer"),
    ),
    Site(
        "stories",
        "Life & Arts",
        "A story in which {0} meets {1}",
        "I read this as a child, before 1985, in a collection of short stories.\n\n"
        "> The last scene: {0} leaves a letter for {1}.\n\nThe cover was green. *Who wrote it?*",
        ("a clockmaker", "a lighthouse keeper", "a mapmaker", "a ferryman", "a botanist"),
        ("a talking river", "her younger self", "the last robot", "a silent choir", "a lost army"),
    ),
)
ANSWERS = (
    "**Claim.** Yes. Take the smallest counterexample with $n \\ge {0}$ parts and remove one; the bound then gives "
    "$n \\le {1}$, a contradiction.",
    "It is the type {0} of the first series. The service manual, chapter {1}, lists it.",
    "The effect is that of a surface layer about {0} nm thick. With a spacer of {1} mm it should vanish.",
    "This is the story number {0} of a collection of {1} tales. The letter is read in its last paragraph.",
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


def question(site: Site, rng: np.random.Generator) -> tuple[str, str]:
    """(title, body in Markdown) of a question."""
    words = [some[rng.integers(len(some))] for some in (site.words, site.others)]  # `choice` takes ten times as long
    return site.title.format(*words), site.body.format(*words)


def answers(n: int, rng: np.random.Generator) -> list[str]:
    """The texts of n answers; they say nothing of whether the simulation has them right."""
    drawn = rng.integers([3, 30, 0], [30, 90, len(ANSWERS)], (n, 3)).tolist()
    return [ANSWERS[form].format(low, high) for low, high, form in drawn]


def reviews(correct: Sequence[str] | np.ndarray, rng: np.random.Generator) -> list[str]:
    """The texts of reviews that say yes, no or unsure."""
    return [REVIEWS[word][n] for word, n in zip(correct, rng.integers([len(REVIEWS[word]) for word in correct]))]
