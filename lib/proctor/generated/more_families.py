"""The families of families-v3: eighteen more kinds of questions whose solutions take one operation a step.

Built as those of `worked_families`, and like none of them: no two share a template or the order of their operations. In
fourteen the solution holds a method that the question does not name and that carries over to other numbers; in four
(`ledger`, `machine`, `letter_values`, `word_lengths`) it holds nothing that the next question could use. Both are so by
design, before any model was asked.

Levels 1 to 3 are meant for models of 0.5 to 1.5 billion parameters. `size` makes the numbers larger, for models of
providers: `more_families(size=1000)`.
"""

from functools import partial
from math import gcd

from numpy.random import Generator

from proctor.generated import counting_families as counting
from proctor.generated.worked import (
    DISTINCT,
    DOUBLED,
    Family,
    Problem,
    Step,
    asks,
    draw_integer,
    running,
    some,
)

WORDS = tuple(sorted({*DISTINCT, *DOUBLED}))


@asks(
    """A train at a steady speed covers {way} km in {hours} hours. How many km does it cover in {other} hours?
    speed = way / hours: The km in one hour; Its speed
    answer = speed x other: The km in the time asked for; The way asked for""",
    """Two cyclists are {apart} km apart and ride towards each other, the first at {a} km an hour, the second at {b} km
    an hour. How many km has the first one ridden when they meet?
    both = a + b: The km that they come closer in an hour; Both speeds together
    hours = apart / both: The hours until they meet; The time until they meet
    answer = hours x a: The km of the first one; The way of the first one""",
    """A lorry drives at {a} km an hour. A car starts {hours} hours later at the same place and follows at {b} km an
    hour. How many km from the start does it catch up with the lorry?
    ahead = a x hours: The km that the lorry is ahead; The head start
    gain = b - a: The km that the car gains in an hour; The difference of the speeds
    time = ahead / gain: The hours that the car needs; The time until both are level
    answer = time x b: The km that the car has driven; The way of the car""",
)
def speed(level: int, rng: Generator, size: int = 1) -> dict | None:
    """A steady speed, two who meet, or one who catches up."""
    a, b, hours = draw_integer(rng, 11, 29), draw_integer(rng, 11, 29), draw_integer(rng, 3, 9 * size)
    if level == 1:
        other = draw_integer(rng, 3, 19 * size)
        return {"way": 4 * a * hours, "hours": hours, "other": other} if other != hours else None
    if level == 2:
        return {"apart": (a + b) * hours, "a": a, "b": b} if a != b else None
    a, b = a + 30, a + 30 + b
    return None if a * hours % (b - a) else {"a": a, "hours": hours, "b": b}


@asks(
    """{n} painters need {days} days for a hall. How many days do {m} painters need, each as fast as these?
    all = n x days: The days of work for one painter; All the work in days of one painter
    answer = all / m: The days of the others; Shared among the others""",
    """{n} painters were to paint a hall in {days} days. After {early} days {m} more join them. How many days does the
    rest take?
    all = n x days: The days of work for one painter; All the work in days of one painter
    done = n x early: What is done when the others come; The work done so far
    rest = all - done: What is left to do; The work left
    now = n + m: The painters from then on; All painters
    answer = rest / now: The days that the rest takes; The work left, shared""",
    """{n} painters who work {hours} hours a day need {days} days for a hall. How many days do {m} painters need who
    work {other} hours a day?
    day = n x hours: The hours of work in one day; A day's hours of all painters
    all = day x days: All hours of work; The hours of the whole hall
    new day = m x other: The hours of the others in one day; A day's hours of the others
    answer = all / new day: The days of the others; The days that these take""",
)
def painters(level: int, rng: Generator, size: int = 1) -> dict | None:
    """Days of work for another number of people, after some have joined, or with other hours a day."""
    n, m, days = (draw_integer(rng, 3, 12) for _ in range(3))
    days *= draw_integer(rng, 1, size)
    if level == 1:
        return None if n == m or n * days % m else {"n": n, "days": days, "m": m}
    if level == 2:
        early = draw_integer(rng, 1, days - 1)
        return None if n * (days - early) % (n + m) else {"n": n, "days": days, "early": early, "m": m}
    hours, other = draw_integer(rng, 4, 10), draw_integer(rng, 4, 10)
    if hours == other or n * hours * days % (m * other):
        return None
    return {"n": n, "hours": hours, "days": days, "m": m, "other": other}


@asks(
    """A film begins at {begin}:{late} and ends at {end}:{early}. How many minutes does it last?
    hours = end - begin: From hour to hour; The hours by the clock
    minutes = hours x 60: In minutes; These hours in minutes
    more = minutes + early: With the minutes at the end; And the minutes after the last hour
    lasts = more - late: Without the minutes at the beginning; Less the first minutes""",
    """A lesson begins at {begin}:{late} and ends at {end}:{early}, with a break of {pause} minutes. How many minutes
    are taught?
    ...
    shown = lasts - pause: Without the break; Less the break""",
    """A shift begins at {begin}:{late} and ends at {end}:{early}, with a break of {pause} minutes. How many minutes of
    work do {days} such shifts have?
    ...
    all = shown x days: On all days; All days together""",
)
def clock(level: int, rng: Generator, size: int = 1) -> dict:
    """Minutes between two times of a day, without a break, or on several days."""
    begin = draw_integer(rng, 8, 18)
    end = begin + draw_integer(rng, 2, 4)
    late, early, pause, days = (draw_integer(rng, *limits) for limits in ((10, 55), (10, 55), (15, 50), (3, 6 * size)))
    given = {"begin": begin, "late": late, "end": end, "early": early}
    return given | ({}, {"pause": pause}, {"pause": pause, "days": days})[level - 1]


@asks(
    """Two friends share a prize in the ratio {a} to {b}. The first gets {more} euros more than the second. How many
    euros does the first get?
    parts more = a - b: The parts that the first has more; The difference in parts
    part = more / parts more: One part in euros; The euros of a part
    first = part x a: The share of the first""",
    """A sum is shared in the ratio {a} to {b}, and the larger share is {more} euros more than the smaller one. How many
    euros are shared?
    parts more = a - b: The parts that the first has more; The difference in parts
    part = more / parts more: One part in euros; The euros of a part
    two = a + b: The parts of both together; Both in parts
    all = part x two: The whole sum""",
    """Three heirs share in the ratio {a} to {b} to {c}. The first gets {more} euros more than the second. How many
    euros do the three get together?
    parts more = a - b: The parts that the first has more; The difference in parts
    part = more / parts more: One part in euros; The euros of a part
    two = a + b: The parts of both together; Both in parts
    three = two + c: All parts; With the third
    all = part x three: All shares""",
)
def ratio(level: int, rng: Generator, size: int = 1) -> dict | None:
    """Shares from the ratio and the difference of two of them: one share, two together, or three."""
    a, b, c = draw_integer(rng, 3, 9), draw_integer(rng, 2, 8), draw_integer(rng, 2, 9)
    one = draw_integer(rng, 6, 30 * size)
    if a - b < 2 or gcd(a, b) > 1:
        return None
    return {"a": a, "b": b, "more": (a - b) * one} | ({"c": c} if level == 3 else {})


@asks(
    """Hens and rabbits have {heads} heads and {legs} legs together. How many rabbits are there?
    low = heads x 2: The legs if all were hens; Two legs each
    extra = legs - low: The legs that are more than that; What the rabbits have more
    rabbits = extra / 2: The rabbits; Two more for each rabbit""",
    """A ticket costs {child} euros for children and {adult} euros for adults. A group pays {paid} euros for {tickets}
    tickets. How many adults are in it?
    low = tickets x child: The price if all were of the cheaper kind; All at the lower price
    extra = paid - low: What was paid above that; The rest of the money
    more = adult - child: What one of the dearer kind costs more; The difference in price
    adults = extra / more: How many are of the dearer kind; The number of the dearer ones""",
    """Seats cost {child} euros upstairs and {adult} euros downstairs. For {tickets} seats {paid} euros were paid. How
    many euros of these were paid for seats downstairs?
    ...
    cost = adults x adult: What the dearer ones cost together""",
)
def two_kinds(level: int, rng: Generator, size: int = 1) -> dict:
    """How many of two kinds, from their number and a total: animals, tickets, or what one kind of ticket cost."""
    many, few = draw_integer(rng, 4, 25 * size), draw_integer(rng, 4, 25 * size)
    if level == 1:
        return {"heads": many + few, "legs": 2 * many + 4 * few}
    child, adult = draw_integer(rng, 3, 8), draw_integer(rng, 9, 17)
    return {"tickets": many + few, "child": child, "adult": adult, "paid": child * many + adult * few}


@asks(
    """A rent of {price} euros rises by {up} percent. How many euros is it then?
    parts = price x up: The price times the percent; First times the percent
    more = parts / 100: What it rises by; The rise in euros
    new = price + more: The new price; After the rise""",
    """The price of a bike is {price} euros. It rises by {up} percent, and then falls by {down} percent of the new
    price. How many euros is it at last?
    ...
    new parts = new x down: The new price times the percent; Times the second percent
    less = new parts / 100: What it falls by; The fall in euros
    last = new - less: The last price; After the fall""",
    """After a rise by {up} percent a course costs {new} euros. How many euros did it cost before?
    whole = 100 + up: The new price in percent of the old one; With the rise, in percent
    times = new x 100: The new price times 100; First times 100
    old = times / whole: The price before; The old price""",
)
def percent(level: int, rng: Generator, size: int = 1) -> dict | None:
    """A price that rises by some percent, then falls by some, or the price before it rose."""
    price, up, down = 20 * draw_integer(rng, 3, 45 * size), 5 * draw_integer(rng, 1, 8), 5 * draw_integer(rng, 1, 8)
    new = price + price * up // 100
    if price * up % 100 or up == down or (level == 2 and new * down % 100):
        return None
    return ({"price": price, "up": up}, {"price": price, "up": up, "down": down}, {"up": up, "new": new})[level - 1]


def ledger(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """Goods that come and go, three, five or seven times: the question says all that is to be done."""
    stock, steps, told = draw_integer(rng, 200, 900 * size), [], []
    given, before = {"stock": stock}, "stock"
    for place in range(1, 2 * level + 2):
        goes, number = place % 2 == 1, draw_integer(rng, 21, 190 * size)
        given[f"move {place}"] = number
        told.append(f"sells {number}" if goes else f"receives {number}")
        says = "After the sale" if goes else "After the delivery"
        steps.append(Step(f"stock {place}", before, "-" if goes else "+", f"move {place}", says))
        before, stock = f"stock {place}", stock - number if goes else stock + number
        if stock < 0:
            return None
    question = (
        f"A shop has {given['stock']} chairs. It {', '.join(told[:-1])} and {told[-1]}. How many chairs has it then?"
    )
    return Problem(question, given, tuple(steps))


def machine(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """A chain of operations on one number, three, four or six of them: the question says all that is to be done."""
    value = draw_integer(rng, 3, 19 * size)
    given, before, steps, told = {"start": value}, "start", [], []
    for place in range(1, (3, 4, 6)[level - 1] + 1):
        operator = "x+-"[draw_integer(rng, 0, 2)]
        number = draw_integer(rng, 2, 6) if operator == "x" else draw_integer(rng, 5, 60 * size)
        value = {"x": value * number, "+": value + number, "-": value - number}[operator]
        if value < 1 or value > 9_999 * size**2:
            return None
        given[f"number {place}"] = number
        told.append({"x": f"multiply by {number}", "+": f"add {number}", "-": f"subtract {number}"}[operator])
        steps.append(
            Step(f"value {place}", before, operator, f"number {place}", f"{told[-1][0].upper()}{told[-1][1:]}")
        )
        before = f"value {place}"
    if len({line.operator for line in steps}) < 2:
        return None
    return Problem(f"Start with {given['start']}. Then {', '.join(told)}. Which number comes out?", given, tuple(steps))


def letter_values(level: int, rng: Generator, size: int = 1) -> Problem:
    """The sum of the places that letters have in the alphabet: nothing carries over to other words."""
    word, count = some(rng, WORDS, 1)[0], (3, 4, 5)[level - 1] + len(str(size)) - 1
    names = [f"letter {place}" for place in range(1, min(count, len(word)) + 1)]
    given = {name: ord(letter) - ord("a") + 1 for name, letter in zip(names, word)}
    places = ", ".join(f"{letter} is {value}" for letter, value in zip(word, given.values()))
    steps = running(names, f"In the alphabet {places}. The first two", "Plus the next letter")
    question = (
        f"Each letter counts as its place in the alphabet, from a = 1 to z = 26. What do the first {len(names)} "
        f"letters of '{word}' add up to?"
    )
    return Problem(question, given, steps)


def word_lengths(level: int, rng: Generator, size: int = 1) -> Problem | None:
    """How many letters some words have more than others: nothing carries over to other words."""
    count = level + len(str(size)) - 1
    words = some(rng, WORDS, 2 * count + 1)
    more, less = words[: count + 1], words[count + 1 :]
    if len("".join(more)) < len("".join(less)):
        return None
    steps, totals = [], []
    for side, names in (("more", more), ("less", less)):
        totals.append(names[0])
        for place, word in enumerate(names[1:], 1):
            says = f"With the letters of '{word}'" if place > 1 else f"'{names[0]}' and '{word}' have together"
            steps.append(Step(f"{side} {place}", totals[-1], "+", word, says))
            totals[-1] = f"{side} {place}"
    steps.append(Step("left", totals[0], "-", totals[1], "The difference of the two", "Less the other letters"))
    question = f"How many more letters are in '{' '.join(more)}' than in '{' '.join(less)}', spaces not counted?"
    return Problem(question, {word: len(word) for word in words}, tuple(steps))


BUILDERS = {
    speed: "Going through the speed, or the difference of speeds, works for other speeds.",
    painters: "Going through the work of one painter is the same for other crews.",
    clock: "Hours first, then minutes before and after them, works for other times.",
    ratio: "What one part is worth follows in the same way from other differences.",
    two_kinds: "Taking all for the cheaper kind first works for other numbers.",
    counting.fence: "One more post than gaps, and one gap less, holds for other lengths.",
    counting.handshakes: "Counting each pair twice and halving works for other groups.",
    counting.box: "Which faces or edges there are, and how often, is the same for other boxes.",
    counting.angles: "Cutting a polygon into triangles works for other numbers of corners.",
    counting.series: "Pairing the first with the last number works for other sums.",
    counting.divisor: "Taking the smaller from the larger works for other numbers.",
    percent: "Of which price the percent are taken is the same for other prices.",
    counting.base: "Times the base and plus the next digit works for other digits.",
    counting.choices: "How many are left for each place is the same for other numbers.",
    ledger: "",
    machine: "",
    letter_values: "How one word is spelled says nothing of how another one is.",
    word_lengths: "How long one word is says nothing of how long another one is.",
}
SAID = "The question already says all that is to be done; every step is made anew."
STAY = ("ledger", "machine", "letter_values", "word_lengths")  # nothing carries over, by design


def more_families(size: int = 1) -> dict[str, Family]:
    """The eighteen families by name; size: how many times larger the largest numbers are. Raises ValueError below 1."""
    if size < 1:
        raise ValueError(f"size {size}: give 1 or more")
    return {
        build.__name__: Family(partial(build, size=size), build.__name__ not in STAY, why or SAID)
        for build, why in BUILDERS.items()
    }


MORE_FAMILIES = more_families()
