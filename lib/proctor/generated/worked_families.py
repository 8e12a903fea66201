"""The families of families-v2: nine kinds of questions whose solutions take one operation a step.

Above each family stand its texts, one per level (1 easy, 2 middle, 3 hard): question and steps (`worked.asks`). Below
them its numbers are drawn; None where they will not do. In seven families the solution holds a method that carries over
to other numbers; in two it holds nothing that the next question could use. Both are so by design, before any model was
asked.
"""

from numpy.random import Generator

from proctor.generated.worked import DOUBLED, asks, draw_integer, named, running, some


@asks(
    """Let a # b mean {p}a + {q}b. What is {x} # {y}?
    first = p x x: {p} times the number before the sign
    second = q x y: {q} times the number after the sign
    sum = first + second: The two parts together""",
    """Let a # b mean {p}a + {q}b. What is ({x} # {y}) # {z}?
    ...
    again first = p x sum: {p} times the number before the sign
    again second = q x z: {q} times the number after the sign
    again sum = again first + again second: The two parts together""",
    """Let a # b mean ab + {p}a + {q}b. What is {x} # {y}?
    product = x x y: a times b
    first = p x x: {p} times a
    second = q x y: {q} times b
    both = product + first: The first two parts
    all = both + second: With the last part""",
)
def invented_sign(level: int, rng: Generator) -> dict:
    """An invented sign: used once, used twice, or with a rule that uses one number twice."""
    p, q = draw_integer(rng, 2, 5), draw_integer(rng, 2, 5)
    x, y, z = (draw_integer(rng, 2, 12) for _ in range(3))
    given = {"p": p, "q": q, "x": x, "y": y}
    return given | {"z": z} if level == 2 else given


@asks(
    """A rectangle has a perimeter of {around} m and a length of {length} m. What is its width in metres?
    half = around / 2: Length and width together; Half of the perimeter
    width = half - length: The width; Without the length, the width is left""",
    """A rectangle has a perimeter of {around} m, and it is {more} m longer than it is wide. What is its length in
    metres?
    half = around / 2: Length and width together; Half of the perimeter
    twice = half - more: Twice the width; Two equal widths
    width = twice / 2: The width; One width
    length = width + more: The length; The longer side""",
    """A rectangle has a perimeter of {around} m, and it is {more} m longer than it is wide. What is its area in square
    metres?
    ...
    area = length x width: The area; Length times width""",
)
def rectangle(level: int, rng: Generator) -> dict:
    """From the perimeter and one more length: the width, the longer side, or the area."""
    width, more = draw_integer(rng, 4, 20), draw_integer(rng, 2, 12)
    around = 2 * (width + more + width)
    return {"around": around} | ({"length": width + more} if level == 1 else {"more": more})


@asks(
    """What is the mean of {number 0}, {number 1}, {number 2}, {number 3}?
    sum 1 = number 0 + number 1: The first two numbers
    sum 2 = sum 1 + number 2: And the next number
    sum 3 = sum 2 + number 3: And the next number
    mean = sum 3 / 4: The mean of the four numbers; A fourth of the total""",
    """Four numbers have a mean of {average}. Three of them are {number 0}, {number 1}, {number 2}. What is the fourth?
    all = 4 x average: All four numbers add up to; The total of four numbers
    sum 1 = number 0 + number 1: The first two numbers
    sum 2 = sum 1 + number 2: And the next number
    missing = all - sum 2: The fourth number; What is missing""",
    """A group of {n} pupils has a mean score of {average}, another group of {m} pupils has a mean score of {other}.
    What is the mean score of all pupils together?
    first = n x average: All scores of the first group
    second = m x other: All scores of the second group
    total = first + second: All scores
    pupils = n + m: All pupils
    mean = total / pupils: The mean score""",
)
def mean(level: int, rng: Generator) -> dict | None:
    """The mean of four numbers, a number missing from a mean, or the mean of two groups together."""
    average = draw_integer(rng, 12, 40)
    if level == 3:
        n, m, other = draw_integer(rng, 4, 12), draw_integer(rng, 4, 12), draw_integer(rng, 12, 40)
        if (n * average + m * other) % (n + m) or other == average or n == m:
            return None
        return {"n": n, "m": m, "average": average, "other": other}
    count = 4 if level == 1 else 3
    given = {f"number {i}": draw_integer(rng, max(1, average - 11), average + 11) for i in range(count)}
    total = sum(given.values())
    if len(set(given.values())) < count or (total % 4 if level == 1 else 4 * average <= total):
        return None
    return given if level == 1 else {"average": average} | given


@asks(
    """A sequence goes on in equal steps: {terms}, ... What is its term number {place}?
    step = second - start: The step from term to term
    steps = place - 1: The number of steps from the first term
    way = steps x step: All these steps together
    term = start + way: The term asked for""",
    """In a sequence each step is larger than the one before by the same amount: {term 1}, {term 2}, {term 3}, {term 4}.
    Which number comes next?
    step 2 = term 3 - term 2: The step to the third term
    step 3 = term 4 - term 3: The step to the fourth term
    growth = step 3 - step 2: The steps grow by
    step 4 = step 3 + growth: The next step
    term 5 = term 4 + step 4: The next term""",
    """In a sequence each step is larger than the one before by the same amount: {term 1}, {term 2}, {term 3}, {term 4}.
    Which number comes after the next one?
    ...
    step 5 = step 4 + growth: The step after it
    term 6 = term 5 + step 5: The term after it""",
)
def sequence(level: int, rng: Generator) -> dict:
    """A later term of equal steps, the next term of growing steps, or the one after it."""
    start, step = draw_integer(rng, 2, 20), draw_integer(rng, 3, 9)
    if level == 1:
        terms = [start + step * i for i in range(4)]
        given = {"start": start, "second": terms[1], "place": draw_integer(rng, 8, 15)}
        return given | {"terms": ", ".join(map(str, terms))}
    growth = draw_integer(rng, 2, 6)
    steps = [step + growth * i for i in range(4)]
    return {f"term {i + 1}": start + sum(steps[:i]) for i in range(4)}


@asks(
    """A pen costs {price} cents. You buy {n} pens and pay with {paid} cents. How many cents do you get back?
    pens = n x price: The pens cost; For the pens
    back = paid - pens: You get back; What is left""",
    """A pen costs {price} cents and a pad costs {other} cents. You buy {n} pens and {m} pads and pay with {paid} cents.
    How many cents do you get back?
    pens = n x price: The pens cost; For the pens
    pads = m x other: The pads cost; For the pads
    total = pens + pads: All goods cost; Together
    back = paid - total: You get back; What is left""",
    """A pen costs {price} cents and a pad costs {other} cents. You buy {n} pens and {m} pads, and {percent} percent are
    taken off the whole price. How many cents do you pay?
    ... 3
    parts = total x percent: The price times the percent
    off = parts / 100: The amount taken off
    pay = total - off: You pay""",
)
def change(level: int, rng: Generator) -> dict | None:
    """Money back after buying one kind of goods, two kinds, or two kinds with some percent off."""
    n, price, m, other = (draw_integer(rng, *limits) for limits in ((3, 9), (11, 39), (3, 9), (11, 39)))
    if level == 1:
        return {"n": n, "price": price, "paid": _round_up(n * price)}
    total, percent = n * price + m * other, 10 * draw_integer(rng, 1, 4)
    if level == 3 and total % 10:
        return None
    last = {"paid": _round_up(total)} if level == 2 else {"percent": percent}
    return {"n": n, "price": price, "m": m, "other": other} | last


def _round_up(cents: int) -> int:
    return 50 * (cents // 50 + 1)


@asks(
    """One pipe brings {a} litres a minute, another one {b} litres a minute. How many minutes do both together take
    to fill a tank of {volume} litres?
    both = a + b: Both pipes together bring in a minute; In a minute the two pipes bring
    minutes = volume / both: The minutes that it takes; The time in minutes""",
    """One pipe brings {a} litres a minute, another one {b} litres a minute, and {c} litres a minute leak out.
    How many minutes do both pipes together take to fill a tank of {volume} litres?
    both = a + b: Both pipes together bring in a minute; In a minute the two pipes bring
    net = both - c: What stays in the tank a minute; Without what leaks out a minute
    minutes = volume / net: The minutes that it takes; The time in minutes""",
    """One pipe brings {a} litres a minute, another one {b} litres a minute. The first pipe runs alone for {alone}
    minutes, then both run. After how many minutes in all is a tank of {volume} litres full?
    before = alone x a: The first pipe alone brings; In the time alone
    rest = volume - before: What is missing then; Still to fill
    both = a + b: Both pipes together bring in a minute; In a minute the two pipes bring
    minutes = rest / both: The minutes with both pipes; The time together
    all = alone + minutes: All minutes; The whole time""",
)
def tank(level: int, rng: Generator) -> dict | None:
    """Minutes to fill a tank: with two pipes, with two pipes and a leak, or with one pipe alone at first."""
    a, b, c = draw_integer(rng, 5, 19), draw_integer(rng, 5, 19), draw_integer(rng, 2, 8)
    minutes, alone = draw_integer(rng, 6, 25), draw_integer(rng, 3, 12)
    if a == b:
        return None
    given = {"a": a, "b": b} | ({"c": c} if level == 2 else {"alone": alone} if level == 3 else {})
    volume = (a + b) * minutes + (0, -c * minutes, a * alone)[level - 1]
    return given | {"volume": volume}


@asks(
    """Anna is {more} years older than Ben. Together they are {together} years old. How old is Anna?
    twice = together + more: Twice Anna's age; Two times the age of Anna
    anna = twice / 2: Anna's age; The age of Anna""",
    """Anna is {times} times as old as Ben. Together they are {together} years old. How old is Anna?
    parts = times + 1: Both ages in parts as large as Ben's age
    ben = together / parts: One part, Ben's age; Ben's age
    anna = ben x times: Anna's age; The age of Anna""",
    """Ben is {young} years old. In {years} years Anna will be {times} times as old as Ben will be then. How old is
    Anna now?
    then = young + years: Ben's age then; The age of Ben at that time
    anna then = then x times: Anna's age then; The age of Anna at that time
    anna = anna then - years: Anna's age now; The age of Anna today""",
)
def ages(level: int, rng: Generator) -> dict:
    """Two ages from their sum and difference, from their sum and ratio, or from a ratio in some years."""
    young, times, years = draw_integer(rng, 4, 20), draw_integer(rng, 2, 5), draw_integer(rng, 2, 9)
    if level == 1:
        more = draw_integer(rng, 2, 20)
        return {"together": 2 * young + more, "more": more}
    if level == 2:
        return {"together": young * (times + 1), "times": times}
    return {"young": young, "years": years, "times": times}


@asks("""What is {numbers}?
    {steps}""")
def long_sum(level: int, rng: Generator) -> dict:
    """Four, five or six numbers to add: the question says all that is to be done."""
    count, low, high = ((4, 102, 999), (5, 1002, 9999), (6, 10002, 99999))[level - 1]
    given = {f"number {i}": draw_integer(rng, low, high) for i in range(count)}
    steps = running([*given], "The first two numbers", "And the next number")
    return {**given, "numbers": " + ".join(map(str, given.values())), "steps": steps}


@asks("""How many times does the letter '{letter}' occur in '{text}'?
    {steps}""")
def letter_count(level: int, rng: Generator) -> dict | None:
    """How often a letter occurs in two, three or four words: nothing carries over to other words."""
    words = some(rng, DOUBLED, level + 1)
    text = " ".join(words)
    repeated = [letter for letter in sorted(set(text) - {" "}) if text.count(letter) >= level + 1]
    if not repeated:
        return None
    letter = some(rng, repeated, 1)[0]
    steps, before = [], "0"
    for word in words:
        for place, character in enumerate(word, 1):
            if character == letter:
                says = f"Letter {place} of '{word}' is '{letter}'; '{word}' has '{letter}' at {place}"
                steps.append(f"{word} {place} = {before} + 1: {says}")
                before = f"{word} {place}"
    return {"letter": letter, "text": text, "steps": "\n".join(steps)}


WORKED_FAMILIES = named(invented_sign, rectangle, mean, sequence, change, tank, ages, long_sum, letter_count)
