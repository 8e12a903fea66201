"""Eight families of families-v3 on counting and on whole numbers; see `more_families`."""

from numpy.random import Generator

from proctor.generated.draft import draw_integer
from proctor.generated.worked import Problem
from proctor.generated.worked_families import one_step


def fence(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """Lamps along a path, on both sides of it, or the way between two trees of a row."""
    gap, gaps = draw_integer(rng, 3, 15), draw_integer(rng, 8, 40 * size)
    count = (
        one_step("gaps", "length", "/", "gap", "The gaps between lamps", "The number of gaps"),
        one_step("lamps", "gaps", "+", 1, "The lamps in that line", "One more lamp than gaps"),
    )
    given = {"length": gap * gaps, "gap": gap}
    if level == 1:
        question = (
            f"Along a straight path of {gap * gaps} m there is a lamp every {gap} m, and one at each end. How many "
            "lamps are there?"
        )
        return Problem(question, given, count)
    if level == 2:
        question = (
            f"On both sides of a straight road of {gap * gaps} m there is a lamp every {gap} m, and one at each end. "
            "How many lamps does the road have?"
        )
        return Problem(question, given, (*count, one_step("both", "lamps", "x", 2, "The lamps of both sides")))
    first = draw_integer(rng, 2, gaps - 4)
    second = draw_integer(rng, first + 2, gaps)
    steps = (
        one_step("gaps", "trees", "-", 1, "The gaps in the whole row", "One gap less than trees"),
        one_step("gap", "length", "/", "gaps", "The m of one gap", "The distance of neighbours"),
        one_step("between", "second", "-", "first", "The gaps between the two trees", "From the one to the other"),
        one_step("way", "between", "x", "gap", "The m between them", "The distance of the two"),
    )
    question = (
        f"{gaps + 1} trees stand in a row at equal distances; from the first to the last it is {gap * gaps} m. How "
        f"many m is it from tree number {first} to tree number {second}?"
    )
    return Problem(question, {"trees": gaps + 1, "length": gap * gaps, "first": first, "second": second}, steps)


def handshakes(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """Pairs among one group, among one and with another, or without those who know each other."""
    n, m = draw_integer(rng, 6, 60 * size), draw_integer(rng, 3, 20 * size)
    pairs = (
        one_step("others", "n", "-", 1, "The hands that each one shakes", "The others of each one"),
        one_step("twice", "n", "x", "others", "Each handshake counted twice", "Over all of them"),
        one_step("pairs", "twice", "/", 2, "The handshakes among them", "Each pair once"),
    )
    if level == 1:
        question = (
            f"At a meeting each of {n} people shakes hands once with each other one. How many handshakes are there?"
        )
        return Problem(question, {"n": n}, pairs)
    if level == 2:
        question = (
            f"A team of {n} greets a team of {m}: each player of the first team shakes hands with everybody else in "
            "both teams, players of the second team shake no hands among themselves. How many handshakes are there?"
        )
        steps = (
            *pairs,
            one_step("between", "n", "x", "m", "The handshakes between the teams", "From team to team"),
            one_step("all", "pairs", "+", "between", "All handshakes"),
        )
        return Problem(question, {"n": n, "m": m}, steps)
    if m >= n - 1:
        return None
    steps = (
        *pairs,
        one_step("known others", "m", "-", 1, "Those whom each of the friends knows", "The other friends of each"),
        one_step("known twice", "m", "x", "known others", "Their pairs counted twice", "Over all friends"),
        one_step("known", "known twice", "/", 2, "The pairs of friends", "Each pair of friends once"),
        one_step("all", "pairs", "-", "known", "The handshakes that are left"),
    )
    question = (
        f"Of {n} guests {m} are friends. Each guest shakes hands once with each other one, but friends do not shake "
        "hands with friends. How many handshakes are there?"
    )
    return Problem(question, {"n": n, "m": m}, steps)


def box(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """The edges of a box, its surface, or that of an open one."""
    a, b, c = (draw_integer(rng, 3, 19 * size) for _ in range(3))
    if len({a, b, c}) < 3:
        return None
    given = {"a": a, "b": b, "c": c}
    measures = f"{a} cm long, {b} cm wide and {c} cm high"
    if level == 1:
        steps = (
            one_step("two", "a", "+", "b", "Length and width", "Two edges at a corner"),
            one_step("three", "two", "+", "c", "With the height", "The three edges at a corner"),
            one_step("all", "three", "x", 4, "All edges", "Four of each"),
        )
        question = f"A box of wire is {measures}. How many cm of wire do its edges take?"
        return Problem(question, given, steps)
    bottom, front, side = (
        one_step("bottom", "a", "x", "b", "The bottom", "Length times width"),
        one_step("front", "a", "x", "c", "The front", "Length times height"),
        one_step("side", "b", "x", "c", "One side", "Width times height"),
    )
    if level == 2:
        steps = (
            bottom,
            front,
            side,
            one_step("two", "bottom", "+", "front", "Two of the faces", "The first two faces"),
            one_step("three", "two", "+", "side", "Three different faces", "With the third face"),
            one_step("all", "three", "x", 2, "All six faces", "Each face twice"),
        )
        question = f"A closed box is {measures}. How many square cm of paper cover it?"
        return Problem(question, given, steps)
    steps = (
        front,
        side,
        one_step("half", "front", "+", "side", "Two walls", "Front and side"),
        one_step("walls", "half", "x", 2, "All four walls", "The walls"),
        bottom,
        one_step("all", "walls", "+", "bottom", "The walls and the bottom"),
    )
    question = f"A tray without a lid is {measures}. How many square cm is its outside, bottom and walls?"
    return Problem(question, given, steps)


def angles(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """Inner angles of a polygon: all of them, the last one, or the equal ones next to two others."""
    n = draw_integer(rng, 5, 80 * size) if level == 1 else draw_integer(rng, 5, 14 * size)
    steps = (
        one_step("triangles", "n", "-", 2, "The triangles that it is made of", "Cut into triangles"),
        one_step("all", "triangles", "x", 180, "All angles in degrees", "The angles of all triangles"),
    )
    if level == 1:
        question = f"How many degrees do the inner angles of a polygon with {n} corners have together?"
        return Problem(question, {"n": n}, steps)
    if level == 2:
        last = draw_integer(rng, 40, 170)
        known = (n - 2) * 180 - last
        question = (
            f"All inner angles of a polygon with {n} corners but one add up to {known} degrees. How many degrees has "
            "the last one?"
        )
        left = one_step("last", "all", "-", "known", "The last angle", "Without those that are known")
        return Problem(question, {"n": n, "known": known}, (*steps, left))
    angle = draw_integer(rng, 60, 150)
    if ((n - 2) * 180 - 2 * angle) % (n - 2):
        return None
    more = (
        one_step("two", "angle", "x", 2, "The two equal ones", "Twice that angle"),
        one_step("rest", "all", "-", "two", "What the others have together", "Without these two"),
        one_step("others", "n", "-", 2, "The number of the others", "The corners left"),
        one_step("each", "rest", "/", "others", "Each of the others", "Shared equally"),
    )
    question = (
        f"In a polygon with {n} corners two inner angles have {angle} degrees each, and all others are equal. How many "
        "degrees has each of the others?"
    )
    return Problem(question, {"n": n, "angle": angle}, (*steps, *more))


def series(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """The sum of whole numbers from 1 on, of those between two numbers, or of multiples."""
    n, first, times = draw_integer(rng, 12, 90 * size), draw_integer(rng, 4, 30), draw_integer(rng, 3, 9)
    if level == 1:
        steps = (
            one_step("ends", "n", "+", 1, "The first and the last number", "The two ends"),
            one_step("twice", "n", "x", "ends", "All such pairs", "That many times"),
            one_step("sum", "twice", "/", 2, "The sum", "Half of it"),
        )
        return Problem(f"What is the sum of all whole numbers from 1 to {n}?", {"n": n}, steps)
    if level == 2:
        last = first + draw_integer(rng, 8, 40 * size)
        steps = (
            one_step("gap", "last", "-", "first", "From the first to the last", "The distance of the ends"),
            one_step("count", "gap", "+", 1, "How many numbers there are", "The number of numbers"),
            one_step("ends", "first", "+", "last", "The first and the last number", "The two ends"),
            one_step("twice", "ends", "x", "count", "All such pairs", "That many times"),
            one_step("sum", "twice", "/", 2, "The sum", "Half of it"),
        )
        question = f"What is the sum of all whole numbers from {first} to {last}, both included?"
        return Problem(question, {"first": first, "last": last}, steps)
    steps = (
        one_step("count", "last", "/", "times", "How many multiples there are", "The number of multiples"),
        one_step("ends", "times", "+", "last", "The first and the last one", "The two ends"),
        one_step("twice", "ends", "x", "count", "All such pairs", "That many times"),
        one_step("sum", "twice", "/", 2, "The sum", "Half of it"),
    )
    question = f"What is the sum of all multiples of {times} from {times} to {times * n}?"
    return Problem(question, {"times": times, "last": times * n}, steps)


def divisor(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """The largest common divisor of two numbers, by taking the smaller from the larger: 2 to 7 times."""
    shared = draw_integer(rng, 4, 29 * size)
    a, b = (shared * draw_integer(rng, 2, 3 + 5 * level) for _ in range(2))
    if a <= b:
        return None
    names, values, steps = ["a", "b"], [a, b], []
    while values[0] != values[1]:
        large = int(values[1] > values[0])
        name = f"rest {len(steps) + 1}"
        less = ("The larger minus the smaller", "Take the smaller from the larger")
        steps.append(one_step(name, names[large], "-", names[1 - large], *less))
        names[large], values[large] = name, values[large] - values[1 - large]
    if not 2 * level <= len(steps) <= 2 * level + 1:
        return None
    return Problem(f"What is the largest number that divides both {a} and {b}?", {"a": a, "b": b}, tuple(steps))


def base(level: int, rng: Generator, size: int = 1) -> Problem:
    """A number written in another base, of three, four or five digits."""
    radix = draw_integer(rng, 3, 9)
    digits = [draw_integer(rng, 1, radix - 1) for _ in range(level + 2 + len(str(size)) - 1)]
    names = [f"digit {i}" for i in range(1, len(digits) + 1)]
    steps, value = [], names[0]
    for name in names[1:]:
        steps.append(one_step(f"{name} times", value, "x", "radix", f"Times {radix}", "Times the base"))
        steps.append(one_step(f"{name} sum", f"{name} times", "+", name, "And the next digit", "With the next digit"))
        value = steps[-1].name
    question = f"In base {radix} a number is written {''.join(map(str, digits))}. Which number is it in base ten?"
    return Problem(question, {"radix": radix, **dict(zip(names, digits))}, tuple(steps))


def choices(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """Ways to choose: one of each kind, different ones in a row, or with a rule for one place."""
    n, m, k = draw_integer(rng, 5, 45 * size), draw_integer(rng, 3, 15 * size), draw_integer(rng, 2, 9)
    if level == 1:
        steps = (
            one_step("two", "n", "x", "m", "Starters with main courses", "The first two choices"),
            one_step("all", "two", "x", "k", "With the desserts", "All three choices"),
        )
        question = (
            f"A menu has {n} starters, {m} main courses and {k} desserts. How many different meals of one of each are "
            "there?"
        )
        return Problem(question, {"n": n, "m": m, "k": k}, steps)
    after = (
        one_step("second", "n", "-", 1, "Those left for the second", "For the second"),
        one_step("third", "n", "-", 2, "Those left for the third", "For the third"),
    )
    if level == 2:
        steps = (
            *after,
            one_step("two", "n", "x", "second", "Ways for two places", "The first two places"),
            one_step("all", "two", "x", "third", "Ways for three places", "All places"),
        )
        question = f"In how many ways can the first three places of a race of {n} runners be taken?"
        return Problem(question, {"n": n}, steps)
    if k > n - 3:
        return None
    steps = (
        one_step("first", "n", "-", "k", "Those who may be chair", "For the chair"),
        *after,
        one_step("two", "first", "x", "second", "Ways for chair and secretary", "The first two posts"),
        one_step("all", "two", "x", "third", "Ways for all three posts", "All posts"),
    )
    question = (
        f"A club of {n} members chooses a chair, a secretary and a treasurer, three different people. {k} of the "
        "members are too young to be chair. In how many ways can it choose?"
    )
    return Problem(question, {"n": n, "k": k}, steps)
