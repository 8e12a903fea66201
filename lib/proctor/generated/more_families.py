"""The families of families-v3: eighteen more kinds of questions whose solutions take one operation a step.

Built as those of `worked_families`, and like none of them: no two share a template or the order of their operations. In
fourteen the solution holds a method that the question does not name and that carries over to other numbers; in four
(`ledger`, `machine`, `letter_values`, `word_lengths`) it holds nothing that the next question could use. Both are so by
design, before any model was asked.

Levels 1 to 3 are meant for models of 0.5 to 1.5 billion parameters.
"""

from math import gcd

from numpy.random import Generator

from proctor.generated.worked import DISTINCT, DOUBLED, OPERATIONS, asks, draw_integer, named, running, some

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
def speed(level: int, rng: Generator) -> dict | None:
    """A steady speed, two who meet, or one who catches up."""
    a, b, hours = draw_integer(rng, 11, 29), draw_integer(rng, 11, 29), draw_integer(rng, 3, 9)
    if level == 1:
        other = draw_integer(rng, 3, 19)
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
def painters(level: int, rng: Generator) -> dict | None:
    """Days of work for another number of people, after some have joined, or with other hours a day."""
    n, m, days = (draw_integer(rng, 3, 12) for _ in range(3))
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
def clock(level: int, rng: Generator) -> dict:
    """Minutes between two times of a day, without a break, or on several days."""
    begin = draw_integer(rng, 8, 18)
    end = begin + draw_integer(rng, 2, 4)
    late, early, pause, days = (draw_integer(rng, *limits) for limits in ((10, 55), (10, 55), (15, 50), (3, 6)))
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
    ... 2
    two = a + b: The parts of both together; Both in parts
    all = part x two: The whole sum""",
    """Three heirs share in the ratio {a} to {b} to {c}. The first gets {more} euros more than the second. How many
    euros do the three get together?
    ... 3
    three = two + c: All parts; With the third
    all = part x three: All shares""",
)
def ratio(level: int, rng: Generator) -> dict | None:
    """Shares from the ratio and the difference of two of them: one share, two together, or three."""
    a, b, c = draw_integer(rng, 3, 9), draw_integer(rng, 2, 8), draw_integer(rng, 2, 9)
    one = draw_integer(rng, 6, 30)
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
def two_kinds(level: int, rng: Generator) -> dict:
    """How many of two kinds, from their number and a total: animals, tickets, or what one kind of ticket cost."""
    many, few = draw_integer(rng, 4, 25), draw_integer(rng, 4, 25)
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
def percent(level: int, rng: Generator) -> dict | None:
    """A price that rises by some percent, then falls by some, or the price before it rose."""
    price, up, down = 20 * draw_integer(rng, 3, 45), 5 * draw_integer(rng, 1, 8), 5 * draw_integer(rng, 1, 8)
    new = price + price * up // 100
    if price * up % 100 or up == down or (level == 2 and new * down % 100):
        return None
    return ({"price": price, "up": up}, {"price": price, "up": up, "down": down}, {"up": up, "new": new})[level - 1]


@asks(
    """Along a straight path of {length} m there is a lamp every {gap} m, and one at each end. How many lamps are there?
    gaps = length / gap: The gaps between lamps; The number of gaps
    lamps = gaps + 1: The lamps in that line; One more lamp than gaps""",
    """On both sides of a straight road of {length} m there is a lamp every {gap} m, and one at each end. How many lamps
    does the road have?
    ...
    both = lamps x 2: The lamps of both sides""",
    """{trees} trees stand in a row at equal distances; from the first to the last it is {length} m. How many m is it
    from tree number {first} to tree number {second}?
    gaps = trees - 1: The gaps in the whole row; One gap less than trees
    gap = length / gaps: The m of one gap; The distance of neighbours
    between = second - first: The gaps between the two trees; From the one to the other
    way = between x gap: The m between them; The distance of the two""",
)
def fence(level: int, rng: Generator) -> dict:
    """Lamps along a path, on both sides of it, or the way between two trees of a row."""
    gap, gaps = draw_integer(rng, 3, 15), draw_integer(rng, 8, 40)
    if level < 3:
        return {"length": gap * gaps, "gap": gap}
    first = draw_integer(rng, 2, gaps - 4)
    second = draw_integer(rng, first + 2, gaps)
    return {"trees": gaps + 1, "length": gap * gaps, "first": first, "second": second}


@asks(
    """At a meeting each of {n} people shakes hands once with each other one. How many handshakes are there?
    others = n - 1: The hands that each one shakes; The others of each one
    twice = n x others: Each handshake counted twice; Over all of them
    pairs = twice / 2: The handshakes among them; Each pair once""",
    """A team of {n} greets a team of {m}: each player of the first team shakes hands with everybody else in both teams,
    players of the second team shake no hands among themselves. How many handshakes are there?
    ...
    between = n x m: The handshakes between the teams; From team to team
    all = pairs + between: All handshakes""",
    """Of {n} guests {m} are friends. Each guest shakes hands once with each other one, but friends do not shake hands
    with friends. How many handshakes are there?
    ... 3
    known others = m - 1: Those whom each of the friends knows; The other friends of each
    known twice = m x known others: Their pairs counted twice; Over all friends
    known = known twice / 2: The pairs of friends; Each pair of friends once
    all = pairs - known: The handshakes that are left""",
)
def handshakes(level: int, rng: Generator) -> dict | None:
    """Pairs among one group, among one and with another, or without those who know each other."""
    n, m = draw_integer(rng, 6, 60), draw_integer(rng, 3, 20)
    if level == 3 and m >= n - 1:
        return None
    return {"n": n} if level == 1 else {"n": n, "m": m}


@asks(
    """A box of wire is {a} cm long, {b} cm wide and {c} cm high. How many cm of wire do its edges take?
    two = a + b: Length and width; Two edges at a corner
    three = two + c: With the height; The three edges at a corner
    all = three x 4: All edges; Four of each""",
    """A closed box is {a} cm long, {b} cm wide and {c} cm high. How many square cm of paper cover it?
    bottom = a x b: The bottom; Length times width
    front = a x c: The front; Length times height
    side = b x c: One side; Width times height
    two = bottom + front: Two of the faces; The first two faces
    three = two + side: Three different faces; With the third face
    all = three x 2: All six faces; Each face twice""",
    """A tray without a lid is {a} cm long, {b} cm wide and {c} cm high. How many square cm is its outside, bottom and
    walls?
    front = a x c: The front; Length times height
    side = b x c: One side; Width times height
    half = front + side: Two walls; Front and side
    walls = half x 2: All four walls; The walls
    bottom = a x b: The bottom; Length times width
    all = walls + bottom: The walls and the bottom""",
)
def box(level: int, rng: Generator) -> dict | None:
    """The edges of a box, its surface, or that of an open one."""
    a, b, c = (draw_integer(rng, 3, 19) for _ in range(3))
    return {"a": a, "b": b, "c": c} if len({a, b, c}) == 3 else None


@asks(
    """How many degrees do the inner angles of a polygon with {n} corners have together?
    triangles = n - 2: The triangles that it is made of; Cut into triangles
    all = triangles x 180: All angles in degrees; The angles of all triangles""",
    """All inner angles of a polygon with {n} corners but one add up to {known} degrees. How many degrees has the last
    one?
    ...
    last = all - known: The last angle; Without those that are known""",
    """In a polygon with {n} corners two inner angles have {angle} degrees each, and all others are equal. How many
    degrees has each of the others?
    ... 2
    two = angle x 2: The two equal ones; Twice that angle
    rest = all - two: What the others have together; Without these two
    others = n - 2: The number of the others; The corners left
    each = rest / others: Each of the others; Shared equally""",
)
def angles(level: int, rng: Generator) -> dict | None:
    """Inner angles of a polygon: all of them, the last one, or the equal ones next to two others."""
    n = draw_integer(rng, 5, 80) if level == 1 else draw_integer(rng, 5, 14)
    if level == 1:
        return {"n": n}
    if level == 2:
        return {"n": n, "known": (n - 2) * 180 - draw_integer(rng, 40, 170)}
    angle = draw_integer(rng, 60, 150)
    return None if ((n - 2) * 180 - 2 * angle) % (n - 2) else {"n": n, "angle": angle}


@asks(
    """What is the sum of all whole numbers from 1 to {n}?
    ends = n + 1: The first and the last number; The two ends
    twice = n x ends: All such pairs; That many times
    sum = twice / 2: The sum; Half of it""",
    """What is the sum of all whole numbers from {first} to {last}, both included?
    gap = last - first: From the first to the last; The distance of the ends
    count = gap + 1: How many numbers there are; The number of numbers
    ends = first + last: The first and the last number; The two ends
    twice = ends x count: All such pairs; That many times
    sum = twice / 2: The sum; Half of it""",
    """What is the sum of all multiples of {times} from {times} to {last}?
    count = last / times: How many multiples there are; The number of multiples
    ends = times + last: The first and the last one; The two ends
    twice = ends x count: All such pairs; That many times
    sum = twice / 2: The sum; Half of it""",
)
def series(level: int, rng: Generator) -> dict:
    """The sum of whole numbers from 1 on, of those between two numbers, or of multiples."""
    n, first, times = draw_integer(rng, 12, 90), draw_integer(rng, 4, 30), draw_integer(rng, 3, 9)
    if level == 2:
        return {"first": first, "last": first + draw_integer(rng, 8, 40)}
    return {"n": n} if level == 1 else {"times": times, "last": times * n}


@asks("""What is the largest number that divides both {a} and {b}?
    {steps}""")
def divisor(level: int, rng: Generator) -> dict | None:
    """The largest common divisor of two numbers, by taking the smaller from the larger: 2 to 7 times."""
    shared = draw_integer(rng, 4, 29)
    a, b = (shared * draw_integer(rng, 2, 3 + 5 * level) for _ in range(2))
    if a <= b:
        return None
    names, values, steps = ["a", "b"], [a, b], list[str]()
    while values[0] != values[1]:
        large, rest = int(values[1] > values[0]), f"rest {len(steps) + 1}"
        says = "The larger minus the smaller; Take the smaller from the larger"
        steps.append(f"{rest} = {names[large]} - {names[1 - large]}: {says}")
        names[large], values[large] = rest, values[large] - values[1 - large]
    return {"a": a, "b": b, "steps": "\n".join(steps)} if 2 * level <= len(steps) <= 2 * level + 1 else None


@asks("""In base {radix} a number is written {number}. Which number is it in base ten?
    {steps}""")
def base(level: int, rng: Generator) -> dict:
    """A number written in another base, of three, four or five digits."""
    radix = draw_integer(rng, 3, 9)
    digits = {f"digit {i}": draw_integer(rng, 1, radix - 1) for i in range(1, level + 3)}
    steps, value = [], "digit 1"
    for name in list(digits)[1:]:
        steps.append(f"{name} times = {value} x radix: Times {radix}; Times the base")
        steps.append(f"{name} sum = {name} times + {name}: And the next digit; With the next digit")
        value = f"{name} sum"
    number = "".join(map(str, digits.values()))
    return {"radix": radix, **digits, "number": number, "steps": "\n".join(steps)}


@asks(
    """A menu has {n} starters, {m} main courses and {k} desserts. How many different meals of one of each are there?
    two = n x m: Starters with main courses; The first two choices
    all = two x k: With the desserts; All three choices""",
    """In how many ways can the first three places of a race of {n} runners be taken?
    second = n - 1: Those left for the second; For the second
    third = n - 2: Those left for the third; For the third
    two = n x second: Ways for two places; The first two places
    all = two x third: Ways for three places; All places""",
    """A club of {n} members chooses a chair, a secretary and a treasurer, three different people. {k} of the members
    are too young to be chair. In how many ways can it choose?
    first = n - k: Those who may be chair; For the chair
    second = n - 1: Those left for the second; For the second
    third = n - 2: Those left for the third; For the third
    two = first x second: Ways for chair and secretary; The first two posts
    all = two x third: Ways for all three posts; All posts""",
)
def choices(level: int, rng: Generator) -> dict | None:
    """Ways to choose: one of each kind, different ones in a row, or with a rule for one place."""
    n, m, k = draw_integer(rng, 5, 45), draw_integer(rng, 3, 15), draw_integer(rng, 2, 9)
    if level == 3 and k > n - 3:
        return None
    return ({"n": n, "m": m, "k": k}, {"n": n}, {"n": n, "k": k})[level - 1]


@asks("""A shop has {stock} chairs. It {moves} and {last}. How many chairs has it then?
    {steps}""")
def ledger(level: int, rng: Generator) -> dict | None:
    """Goods that come and go, three, five or seven times: the question says all that is to be done."""
    stock, before, steps, moves = draw_integer(rng, 200, 900), "stock", [], []
    given = {"stock": stock}
    for place in range(1, 2 * level + 2):
        goes, number = place % 2 == 1, draw_integer(rng, 21, 190)
        given[f"move {place}"] = number
        moves.append(f"sells {number}" if goes else f"receives {number}")
        operator, says = ("-", "After the sale") if goes else ("+", "After the delivery")
        steps.append(f"stock {place} = {before} {operator} move {place}: {says}")
        before, stock = f"stock {place}", stock - number if goes else stock + number
        if stock < 0:
            return None
    return {**given, "moves": ", ".join(moves[:-1]), "last": moves[-1], "steps": "\n".join(steps)}


@asks("""Start with {start}. Then {orders}. Which number comes out?
    {steps}""")
def machine(level: int, rng: Generator) -> dict | None:
    """A chain of operations on one number, three, four or six of them: the question says all that is to be done."""
    value = draw_integer(rng, 3, 19)
    given, before, used, steps, orders = {"start": value}, "start", set[str](), [], []
    for place in range(1, (3, 4, 6)[level - 1] + 1):
        operator = "x+-"[draw_integer(rng, 0, 2)]
        number = draw_integer(rng, 2, 6) if operator == "x" else draw_integer(rng, 5, 60)
        value = OPERATIONS[operator](value, number)
        if value < 1 or value > 9_999:
            return None
        given[f"number {place}"] = number
        orders.append({"x": f"multiply by {number}", "+": f"add {number}", "-": f"subtract {number}"}[operator])
        steps.append(f"value {place} = {before} {operator} number {place}: {orders[-1].capitalize()}")
        before, used = f"value {place}", used | {operator}
    return {**given, "orders": ", ".join(orders), "steps": "\n".join(steps)} if len(used) > 1 else None


@asks("""Each letter counts as its place in the alphabet, from a = 1 to z = 26. What do the first {count} letters of
    '{word}' add up to?
    {steps}""")
def letter_values(level: int, rng: Generator) -> dict:
    """The sum of the places that letters have in the alphabet: nothing carries over to other words."""
    word, count = some(rng, WORDS, 1)[0], level + 2
    given = {f"letter {place}": ord(letter) - ord("a") + 1 for place, letter in enumerate(word[:count], 1)}
    places = ", ".join(f"{letter} is {value}" for letter, value in zip(word, given.values()))
    steps = running([*given], f"In the alphabet {places}. The first two", "Plus the next letter")
    return {**given, "count": str(len(given)), "word": word, "steps": steps}


@asks("""How many more letters are in '{more}' than in '{less}', spaces not counted?
    {steps}""")
def word_lengths(level: int, rng: Generator) -> dict | None:
    """How many letters some words have more than others: nothing carries over to other words."""
    words = some(rng, WORDS, 2 * level + 1)
    more, less = words[: level + 1], words[level + 1 :]
    if len("".join(more)) < len("".join(less)):
        return None
    steps, totals = [], []
    for side, names in (("more", more), ("less", less)):
        totals.append(names[0])
        for place, word in enumerate(names[1:], 1):
            says = f"With the letters of '{word}'" if place > 1 else f"'{names[0]}' and '{word}' have together"
            steps.append(f"{side} {place} = {totals[-1]} + {word}: {says}")
            totals[-1] = f"{side} {place}"
    steps.append(f"left = {totals[0]} - {totals[1]}: The difference of the two; Less the other letters")
    lengths = {word: len(word) for word in words}
    return {**lengths, "more": " ".join(more), "less": " ".join(less), "steps": "\n".join(steps)}


MORE_FAMILIES = named(
    speed, painters, clock, ratio, two_kinds, fence, handshakes, box, angles, series, divisor, percent, base, choices,
    ledger, machine, letter_values, word_lengths,
)  # fmt: skip
