"""Eight families of families-v3 on counting and on whole numbers; see `more_families`."""

from numpy.random import Generator

from proctor.generated.worked import asks, draw_integer


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
    others = n - 1: The hands that each one shakes; The others of each one
    twice = n x others: Each handshake counted twice; Over all of them
    pairs = twice / 2: The handshakes among them; Each pair once
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
    triangles = n - 2: The triangles that it is made of; Cut into triangles
    all = triangles x 180: All angles in degrees; The angles of all triangles
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
