"""The families of families-v2: nine kinds of questions whose solutions take one operation a step.

Each builder draws one question at a level (1 easy, 2 middle, 3 hard) and returns a `Problem`, or None where the drawn
numbers will not do. In seven families the solution holds a method that carries over to other numbers; in two it holds
nothing that the next question could use. Both are so by design, before any model was asked.
"""

from functools import partial

from numpy.random import Generator

from proctor.generated.draft import DOUBLED, Draft, Family, draw_integer, number_options, some
from proctor.generated.worked import Problem, Step, spoil, written

WRONG_SOLUTIONS = 3


def invented_sign(level: int, rng: Generator) -> Problem:
    """An invented sign: used once, used twice, or with a rule that uses one number twice."""
    p, q = draw_integer(rng, 2, 5), draw_integer(rng, 2, 5)
    x, y, z = (draw_integer(rng, 2, 12) for _ in range(3))
    given = {"p": p, "q": q, "x": x, "y": y}
    if level == 3:
        steps = (
            one_step("product", "x", "x", "y", "a times b"),
            one_step("first", "p", "x", "x", f"{p} times a"),
            one_step("second", "q", "x", "y", f"{q} times b"),
            one_step("both", "product", "+", "first", "The first two parts"),
            one_step("all", "both", "+", "second", "With the last part"),
        )
        return Problem(f"Let a # b mean ab + {p}a + {q}b. What is {x} # {y}?", given, steps)
    rule = f"Let a # b mean {p}a + {q}b."
    once = _apply("x", "y", p, q, "")
    if level == 1:
        return Problem(f"{rule} What is {x} # {y}?", given, once)
    return Problem(f"{rule} What is ({x} # {y}) # {z}?", given | {"z": z}, once + _apply("sum", "z", p, q, "again "))


def _apply(a: str, b: str, p: int, q: int, when: str) -> tuple[Step, ...]:
    return (
        one_step(f"{when}first", "p", "x", a, f"{p} times the number before the sign"),
        one_step(f"{when}second", "q", "x", b, f"{q} times the number after the sign"),
        one_step(f"{when}sum", f"{when}first", "+", f"{when}second", "The two parts together"),
    )


def rectangle(level: int, rng: Generator) -> Problem:
    """From the perimeter and one more length: the width, the longer side, or the area."""
    width = draw_integer(rng, 4, 20)
    more = draw_integer(rng, 2, 12)
    length = width + more
    around = 2 * (length + width)
    half = one_step("half", "around", "/", 2, "Length and width together", "Half of the perimeter")
    if level == 1:
        return Problem(
            f"A rectangle has a perimeter of {around} m and a length of {length} m. What is its width in metres?",
            {"around": around, "length": length},
            (half, one_step("width", "half", "-", "length", "The width", "Without the length, the width is left")),
        )
    steps = (
        half,
        one_step("twice", "half", "-", "more", "Twice the width", "Two equal widths"),
        one_step("width", "twice", "/", 2, "The width", "One width"),
        one_step("length", "width", "+", "more", "The length", "The longer side"),
    )
    question = f"A rectangle has a perimeter of {around} m, and it is {more} m longer than it is wide."
    given = {"around": around, "more": more}
    if level == 2:
        return Problem(f"{question} What is its length in metres?", given, steps)
    area = one_step("area", "length", "x", "width", "The area", "Length times width")
    return Problem(f"{question} What is its area in square metres?", given, (*steps, area))


def mean(level: int, rng: Generator) -> Problem | None:
    """The mean of four numbers, a number missing from a mean, or the mean of two groups together."""
    average = draw_integer(rng, 12, 40)
    if level == 3:
        n, m, other = draw_integer(rng, 4, 12), draw_integer(rng, 4, 12), draw_integer(rng, 12, 40)
        if (n * average + m * other) % (n + m) or other == average or n == m:
            return None
        steps = (
            one_step("first", "n", "x", "average", "All scores of the first group"),
            one_step("second", "m", "x", "other", "All scores of the second group"),
            one_step("total", "first", "+", "second", "All scores"),
            one_step("pupils", "n", "+", "m", "All pupils"),
            one_step("mean", "total", "/", "pupils", "The mean score"),
        )
        return Problem(
            f"A group of {n} pupils has a mean score of {average}, another group of {m} pupils has a mean score of "
            f"{other}. What is the mean score of all pupils together?",
            {"n": n, "m": m, "average": average, "other": other},
            steps,
        )
    count = 4 if level == 1 else 3
    numbers = [draw_integer(rng, max(1, average - 11), average + 11) for _ in range(count)]
    names = [f"number {i}" for i in range(count)]
    given = dict(zip(names, numbers))
    adding = running(names, "The first two numbers", "And the next number")
    listed = ", ".join(map(str, numbers))
    if len(set(numbers)) < count:
        return None
    if level == 1:
        if sum(numbers) % 4:
            return None
        last = one_step("mean", adding[-1].name, "/", 4, "The mean of the four numbers", "A fourth of the total")
        return Problem(f"What is the mean of {listed}?", given, (*adding, last))
    if 4 * average <= sum(numbers):
        return None
    steps = (
        one_step("all", 4, "x", "average", "All four numbers add up to", "The total of four numbers"),
        *adding,
        one_step("missing", "all", "-", adding[-1].name, "The fourth number", "What is missing"),
    )
    question = f"Four numbers have a mean of {average}. Three of them are {listed}. What is the fourth?"
    return Problem(question, {"average": average} | given, steps)


def sequence(level: int, rng: Generator) -> Problem:
    """A later term of equal steps, the next term of growing steps, or the one after it."""
    start, step = draw_integer(rng, 2, 20), draw_integer(rng, 3, 9)
    if level == 1:
        place = draw_integer(rng, 8, 15)
        terms = [start + step * i for i in range(4)]
        return Problem(
            f"A sequence goes on in equal steps: {', '.join(map(str, terms))}, ... What is its term number {place}?",
            {"start": start, "second": terms[1], "place": place},
            (
                one_step("step", "second", "-", "start", "The step from term to term"),
                one_step("steps", "place", "-", 1, "The number of steps from the first term"),
                one_step("way", "steps", "x", "step", "All these steps together"),
                one_step("term", "start", "+", "way", "The term asked for"),
            ),
        )
    growth = draw_integer(rng, 2, 6)
    steps = [step + growth * i for i in range(4)]
    terms = [start + sum(steps[:i]) for i in range(4)]
    given = {f"term {i}": term for i, term in enumerate(terms, 1)}
    solved = (
        one_step("step 2", "term 3", "-", "term 2", "The step to the third term"),
        one_step("step 3", "term 4", "-", "term 3", "The step to the fourth term"),
        one_step("growth", "step 3", "-", "step 2", "The steps grow by"),
        one_step("step 4", "step 3", "+", "growth", "The next step"),
        one_step("term 5", "term 4", "+", "step 4", "The next term"),
    )
    question = (
        f"In a sequence each step is larger than the one before by the same amount: {', '.join(map(str, terms))}."
    )
    if level == 2:
        return Problem(f"{question} Which number comes next?", given, solved)
    more = (
        one_step("step 5", "step 4", "+", "growth", "The step after it"),
        one_step("term 6", "term 5", "+", "step 5", "The term after it"),
    )
    return Problem(f"{question} Which number comes after the next one?", given, solved + more)


def change(level: int, rng: Generator) -> Problem | None:
    """Money back after buying one kind of goods, two kinds, or two kinds with some percent off."""
    n, price, m, other = (draw_integer(rng, *limits) for limits in ((3, 9), (11, 39), (3, 9), (11, 39)))
    first = one_step("pens", "n", "x", "price", "The pens cost", "For the pens")
    if level == 1:
        paid = _round_up(n * price)
        return Problem(
            f"A pen costs {price} cents. You buy {n} pens and pay with {paid} cents. How many cents do you get back?",
            {"n": n, "price": price, "paid": paid},
            (first, one_step("back", "paid", "-", "pens", "You get back", "What is left")),
        )
    total, percent = n * price + m * other, 10 * draw_integer(rng, 1, 4)
    goods = f"A pen costs {price} cents and a pad costs {other} cents. You buy {n} pens and {m} pads"
    given = {"n": n, "price": price, "m": m, "other": other}
    both = (
        first,
        one_step("pads", "m", "x", "other", "The pads cost", "For the pads"),
        one_step("total", "pens", "+", "pads", "All goods cost", "Together"),
    )
    if level == 2:
        paid = _round_up(total)
        last = one_step("back", "paid", "-", "total", "You get back", "What is left")
        question = f"{goods} and pay with {paid} cents. How many cents do you get back?"
        return Problem(question, given | {"paid": paid}, (*both, last))
    if total % 10:
        return None
    steps = (
        *both,
        one_step("parts", "total", "x", "percent", "The price times the percent"),
        one_step("off", "parts", "/", 100, "The amount taken off"),
        one_step("pay", "total", "-", "off", "You pay"),
    )
    question = f"{goods}, and {percent} percent are taken off the whole price. How many cents do you pay?"
    return Problem(question, given | {"percent": percent}, steps)


def _round_up(cents: int) -> int:
    return 50 * (cents // 50 + 1)


def tank(level: int, rng: Generator) -> Problem | None:
    """Minutes to fill a tank: with two pipes, with two pipes and a leak, or with one pipe alone at first."""
    a, b, c = draw_integer(rng, 5, 19), draw_integer(rng, 5, 19), draw_integer(rng, 2, 8)
    minutes, alone = draw_integer(rng, 6, 25), draw_integer(rng, 3, 12)
    both = one_step("both", "a", "+", "b", "Both pipes together bring in a minute", "In a minute the two pipes bring")
    pipes = f"One pipe brings {a} litres a minute, another one {b} litres a minute"
    if a == b:
        return None
    if level == 1:
        volume = (a + b) * minutes
        return Problem(
            f"{pipes}. How many minutes do both together take to fill a tank of {volume} litres?",
            {"a": a, "b": b, "volume": volume},
            (both, one_step("minutes", "volume", "/", "both", "The minutes that it takes", "The time in minutes")),
        )
    if level == 2:
        volume = (a + b - c) * minutes
        steps = (
            both,
            one_step("net", "both", "-", "c", "What stays in the tank a minute", "Without what leaks out a minute"),
            one_step("minutes", "volume", "/", "net", "The minutes that it takes", "The time in minutes"),
        )
        question = (
            f"{pipes}, and {c} litres a minute leak out. How many minutes do both pipes together take to fill a tank "
            f"of {volume} litres?"
        )
        return Problem(question, {"a": a, "b": b, "c": c, "volume": volume}, steps)
    volume = a * alone + (a + b) * minutes
    steps = (
        one_step("before", "alone", "x", "a", "The first pipe alone brings", "In the time alone"),
        one_step("rest", "volume", "-", "before", "What is missing then", "Still to fill"),
        both,
        one_step("minutes", "rest", "/", "both", "The minutes with both pipes", "The time together"),
        one_step("all", "alone", "+", "minutes", "All minutes", "The whole time"),
    )
    question = (
        f"{pipes}. The first pipe runs alone for {alone} minutes, then both run. After how many minutes in all is a "
        f"tank of {volume} litres full?"
    )
    return Problem(question, {"a": a, "b": b, "alone": alone, "volume": volume}, steps)


def ages(level: int, rng: Generator) -> Problem:
    """Two ages from their sum and difference, from their sum and ratio, or from a ratio in some years."""
    young, times, years = draw_integer(rng, 4, 20), draw_integer(rng, 2, 5), draw_integer(rng, 2, 9)
    if level == 1:
        more = draw_integer(rng, 2, 20)
        return Problem(
            f"Anna is {more} years older than Ben. Together they are {2 * young + more} years old. How old is Anna?",
            {"together": 2 * young + more, "more": more},
            (
                one_step("twice", "together", "+", "more", "Twice Anna's age", "Two times the age of Anna"),
                one_step("anna", "twice", "/", 2, "Anna's age", "The age of Anna"),
            ),
        )
    if level == 2:
        return Problem(
            f"Anna is {times} times as old as Ben. Together they are {young * (times + 1)} years old. How old is Anna?",
            {"together": young * (times + 1), "times": times},
            (
                one_step("parts", "times", "+", 1, "Both ages in parts as large as Ben's age"),
                one_step("ben", "together", "/", "parts", "One part, Ben's age", "Ben's age"),
                one_step("anna", "ben", "x", "times", "Anna's age", "The age of Anna"),
            ),
        )
    return Problem(
        f"Ben is {young} years old. In {years} years Anna will be {times} times as old as Ben will be then. How old is "
        "Anna now?",
        {"young": young, "years": years, "times": times},
        (
            one_step("then", "young", "+", "years", "Ben's age then", "The age of Ben at that time"),
            one_step("anna then", "then", "x", "times", "Anna's age then", "The age of Anna at that time"),
            one_step("anna", "anna then", "-", "years", "Anna's age now", "The age of Anna today"),
        ),
    )


def long_sum(level: int, rng: Generator) -> Problem:
    """Four, five or six numbers to add: the question says all that is to be done."""
    count, low, high = ((4, 102, 999), (5, 1002, 9999), (6, 10002, 99999))[level - 1]
    names = [f"number {i}" for i in range(count)]
    given = {name: draw_integer(rng, low, high) for name in names}
    question = f"What is {' + '.join(map(str, given.values()))}?"
    return Problem(question, given, running(names, "The first two numbers", "And the next number"))


def letter_count(level: int, rng: Generator) -> Problem | None:
    """How often a letter occurs in two, three or four words: nothing carries over to other words."""
    words = some(rng, DOUBLED, level + 1)
    text = " ".join(words)
    repeated = [letter for letter in sorted(set(text) - {" "}) if text.count(letter) >= level + 1]
    if not repeated:
        return None
    letter = some(rng, repeated, 1)[0]
    steps, before = [], 0
    for word in words:
        for place, character in enumerate(word, 1):
            if character == letter:
                where = f"Letter {place} of '{word}' is '{letter}'"
                steps.append(one_step(f"{word} {place}", before, "+", 1, where, f"'{word}' has '{letter}' at {place}"))
                before = steps[-1].name
    return Problem(f"How many times does the letter '{letter}' occur in '{text}'?", {}, tuple(steps))


def running(names: list[str], first: str, then: str) -> tuple[Step, ...]:
    """The steps that add up the numbers of these names one by one."""
    steps = [one_step("sum 1", names[0], "+", names[1], first)]
    for i, name in enumerate(names[2:], 2):
        steps.append(one_step(f"sum {i}", f"sum {i - 1}", "+", name, then))
    return tuple(steps)


def one_step(name: str, left: str | int, operator: str, right: str | int, says: str, again: str = "") -> Step:
    return Step(name, left, operator, right, says, again or f"Next, {says[0].lower()}{says[1:]}")


def draft(build, level: int, rng: Generator) -> Draft | None:
    """One question with its right solution in two wordings and WRONG_SOLUTIONS wrong ones of different answers."""
    problem = build(level, rng)
    if problem is None:
        return None
    slips = spoil(problem, rng, WRONG_SOLUTIONS)
    if len(slips) < WRONG_SOLUTIONS:
        return None
    wrongs = [
        {"solution": written(slip.lines), "answer": str(slip.answer), "slip": slip.kind, "step": slip.at}
        for slip in slips
    ]
    return Draft(
        question=problem.question,
        answer=str(problem.answer),
        right=written(problem.lines),
        wrong=wrongs[0]["solution"],
        wrong_answer=wrongs[0]["answer"],
        wrong_method=wrongs[0]["slip"],
        options=number_options(problem.answer, slips[0].answer, rng),
        extra={"right_again": written(problem.lines, again=True), "wrongs": wrongs},
    )


def _family(build, transfers: bool, why: str) -> Family:
    return Family(partial(draft, build), transfers, why)


WORKED_FAMILIES: dict[str, Family] = {
    "invented_sign": _family(invented_sign, True, "How to read the invented sign is the same for other numbers."),
    "rectangle": _family(rectangle, True, "Halving the perimeter first works for any rectangle."),
    "mean": _family(mean, True, "Going through the total is the same for other numbers."),
    "sequence": _family(sequence, True, "Which steps to look at, and what they do, is the same for other terms."),
    "change": _family(change, True, "The order of the payments is the same for other prices."),
    "tank": _family(tank, True, "Adding the rates before dividing works for other rates."),
    "ages": _family(ages, True, "How the two ages are taken apart is the same for other ages."),
    "long_sum": _family(long_sum, False, "The question already says all that is to be done; every sum is made anew."),
    "letter_count": _family(letter_count, False, "How one word is spelled says nothing of how another one is."),
}
