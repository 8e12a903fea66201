"""Five families on plain numbers: sums, products, sequences, comparing, average.

Each function draws the numbers of one question and writes both solutions, the wrong one by carrying out its
misconception; None means that the drawn numbers will not do. Levels: 1 easy, 2 middle, 3 hard.

Four families on words, days, shapes and an invented sign: letters, weekdays, perimeter, operation.

Each function draws one question and writes both solutions, the wrong one by carrying out its misconception; None
means that the drawn numbers will not do. Levels: 1 easy, 2 middle, 3 hard.

Nine families of questions whose right answers, and whose wrong ones, are computed: those of the damaged exam
(`hle_verified.planted_defects`). All other studies ask the 27 families of `worked_families` and `more_families`.

Each has a right solution and one led astray by a named misconception, in the same style: the pair that
Consequence-Based Utility compares (CBU, section 3). `transfers` says, by design and not by measurement, whether a
worked solution holds a method that a reader can carry over to other numbers.
"""

from fractions import Fraction
from itertools import product
from statistics import median

from numpy.random import Generator

from proctor.generated.draft import DISTINCT, DOUBLED, Draft, Family, draw_integer, number_options, some

PLACES = ("ones", "tens", "hundreds", "thousands")


def numeric(question: str, answer: int, right: str, wrong: int, wrongly: str, method: str, rng: Generator) -> Draft:
    return Draft(question, str(answer), right, wrongly, str(wrong), method, number_options(answer, wrong, rng))


def sums(level: int, rng: Generator) -> Draft:
    """Three, four or six numbers; the wrong method adds the columns and drops what is carried."""
    count, low, high = ((3, 12, 99), (4, 102, 999), (6, 102, 9999))[level - 1]
    numbers = [draw_integer(rng, low, high) for _ in range(count)]
    width = len(str(max(numbers)))
    carry, right, wrongly, wrong = 0, [], [], 0
    for place in range(width):
        column = sum(n // 10**place % 10 for n in numbers)
        total, last = column + carry, place == width - 1
        made = f"{column} + {carry} = {total}" if carry else f"{total}"
        kept = column if last else column % 10
        wrong += kept * 10**place
        wrongly.append(f"the {PLACES[place]} make {column} (write {kept})")
        carry = total // 10
        right.append(f"the {PLACES[place]} make {made} (write {total if last else f'{total % 10}, carry {carry}'})")
    return numeric(
        f"What is {' + '.join(map(str, numbers))}?",
        sum(numbers),
        f"Column by column: {', '.join(right)}.",
        wrong,
        f"Column by column: {', '.join(wrongly)}.",
        "carries dropped",
        rng,
    )


def products(level: int, rng: Generator) -> Draft | None:
    """One by two digits, two by two, two by three; the wrong method multiplies only part with like part."""
    a = draw_integer(rng, 3, 9) if level == 1 else draw_integer(rng, 12, 99)
    b = draw_integer(rng, 102, 999) if level == 3 else draw_integer(rng, 12, 99)
    split, other = (b, a) if level == 1 else (a, b)
    tens, ones = split - split % 10, split % 10
    head = 10 ** (len(str(other)) - 1)
    high, rest = other - other % head, other % head
    if not ones or (level > 1 and not rest):
        return None
    right = (
        f"Split {split} into {tens} and {ones}. {tens} x {other} = {tens * other} and {ones} x {other} = "
        f"{ones * other}. {tens * other} + {ones * other} = {a * b}."
    )
    if level == 1:
        method, parts = "place value lost", ((tens // 10, other), (ones, other))
        split_text = f"Split {split} into {tens // 10} and {ones}."
    else:
        method, parts = "no cross terms", ((tens, high), (ones, rest))
        split_text = f"Split into {tens} and {ones}, {high} and {rest}."
    (p, q), (r, s) = parts
    wrong = p * q + r * s
    wrongly = f"{split_text} {p} x {q} = {p * q} and {r} x {s} = {r * s}. {p * q} + {r * s} = {wrong}."
    return numeric(f"What is {a} times {b}?", a * b, right, wrong, wrongly, method, rng)


def sequences(level: int, rng: Generator) -> Draft:
    """Equal steps, growing steps, or two sequences in turn; the wrong method misreads the step."""
    start, step = draw_integer(rng, 2, 20), draw_integer(rng, 3, 9)
    if level == 1:
        terms = [start + step * i for i in range(5)]
        answer, wrong, method = terms[-1] + step, terms[-1] + step - 1, "step counted as the numbers between"
        fourth, last = terms[3:]
        right = f"From {fourth} to {last} is a step of {step}, and so is every other. {last} + {step} = {answer}."
        wrongly = f"Between {fourth} and {last} lie {step - 1} numbers, the step. {last} + {step - 1} = {wrong}."
    elif level == 2:
        growth = draw_integer(rng, 2, 6)
        steps = [step + growth * i for i in range(5)]
        terms = [start + sum(steps[:i]) for i in range(5)]
        answer, wrong, method = terms[-1] + steps[4], terms[-1] + steps[3], "last step repeated"
        listed = "The steps are " + ", ".join(map(str, steps[:4]))
        right = f"{listed}, and grow by {growth}. The next step is {steps[4]}. {terms[-1]} + {steps[4]} = {answer}."
        wrongly = f"{listed}. The next step is {steps[3]} again. {terms[-1]} + {steps[3]} = {wrong}."
    else:
        above, stride = start + draw_integer(rng, 30, 60), draw_integer(rng, 3, 9)
        odd = [start + step * i for i in range(4)]
        even = [above + stride * i for i in range(4)]
        terms = [term for pair in zip(odd, even) for term in pair]
        last = even[3] - odd[3]
        answer, wrong, method = odd[3] + step, even[3] + last, "last step repeated"
        right = (
            f"Two sequences take turns, and the next term belongs to {', '.join(map(str, odd))}. "
            f"It has steps of {step}. {odd[3]} + {step} = {answer}."
        )
        wrongly = (
            f"The last step is the one that counts, and it leads from {odd[3]} to {even[3]}. "
            f"It is a step of {last}. {even[3]} + {last} = {wrong}."
        )
    question = f"Which number comes next in the sequence {', '.join(map(str, terms))}?"
    return numeric(question, answer, right, wrong, wrongly, method, rng)


def comparing(level: int, rng: Generator) -> Draft | None:
    """Ten numbers are drawn; the question lists a few, always the largest and the one the wrong method takes."""
    ten: set[str] = set()
    top, front = draw_integer(rng, 3, 9), 0 if level == 1 else draw_integer(rng, 1, 9)
    while len(ten) < 10:
        if level == 3:
            lower = draw_integer(rng, 5, 19)
            upper = draw_integer(rng, lower // 3 + 1, lower - 1)
            if Fraction(upper, lower).denominator == lower:
                ten.add(f"{upper}/{lower}")
        else:
            first = draw_integer(rng, 1, top) if level == 1 else draw_integer(rng, top - 1, top)
            tail = [draw_integer(rng, 0, 9) for _ in range(draw_integer(rng, 0, 2))]
            if not tail or tail[-1]:
                ten.add(f"{front}.{first}{''.join(map(str, tail))}")

    def reading(text: str) -> int:
        return int(text.split("/")[0]) if level == 3 else int(text.split(".")[1])

    best = max(sorted(ten), key=Fraction)
    misread = max(sorted(ten), key=reading)
    shown = some(rng, {best, misread, *some(rng, ten - {best, misread}, level)}, 10)
    listed = ", ".join(shown)
    if level == 3:
        too_close = len({round(float(Fraction(text)), 2) for text in shown}) < len(shown)
        if too_close or sorted(map(reading, ten))[-2] == reading(misread):
            return None
        right = f"As decimals they are {', '.join(f'{float(Fraction(text)):.3f}' for text in shown)}."
        wrongly = f"The numerators are {', '.join(str(reading(text)) for text in shown)}."
        method = "numerators compared"
    else:
        right = f"With three decimals they are {', '.join(f'{float(text):.3f}' for text in shown)}."
        wrongly = f"After the point they have {', '.join(str(reading(text)) for text in shown)}."
        method = "longer decimal taken for larger"
    right = f"{right} The largest is {float(Fraction(best)):.3f}."
    wrongly = f"{wrongly} The largest is {reading(misread)}."
    options = (best, misread, *sorted(ten - {best, misread}))
    return Draft(
        f"Which of these numbers is the largest: {listed}?",
        best,
        right,
        wrongly,
        misread,
        method,
        options,
        "Which of the ten numbers is the largest?",
    )


def average(level: int, rng: Generator) -> Draft | None:
    """The mean, a number missing from it, or the mean of two groups together; the wrong method skips the total."""
    mean = draw_integer(rng, 12, 60)
    if level == 3:
        first, second, n, m = mean, draw_integer(rng, 12, 60), draw_integer(rng, 4, 24), draw_integer(rng, 4, 24)
        total = n * first + m * second
        if total % (n + m) or (first + second) % 2:
            return None
        answer, wrong = total // (n + m), (first + second) // 2
        question = (
            f"One group of {n} pupils has a mean score of {first}, another group of {m} pupils has a mean "
            f"score of {second}. What is the mean score of all {n + m} pupils?"
        )
        right = f"All scores add up to {n} x {first} + {m} x {second} = {total}. {total} / {n + m} = {answer}."
        wrongly = f"The two means add up to {first} + {second} = {first + second}. {first + second} / 2 = {wrong}."
        return numeric(question, answer, right, wrong, wrongly, "mean of the means", rng)
    count = 5 if level == 1 else 4
    numbers = [mean + draw_integer(rng, -9, 9) for _ in range(count - 1)]
    numbers.append(count * mean - sum(numbers))
    if len(set(numbers)) < count or min(numbers) < 1:
        return None
    listed = ", ".join(map(str, numbers))
    if level == 1:
        total, middle = sum(numbers), median(numbers)
        right = f"The five numbers add up to {total}. Divide by five: {total} / 5 = {mean}."
        wrongly = f"In order they are {', '.join(map(str, sorted(numbers)))}. The middle one is {middle}."
        return numeric(f"What is the mean of {listed}?", mean, right, middle, wrongly, "median for mean", rng)
    target = mean + draw_integer(rng, -6, 6)
    answer, wrong = 5 * target - 4 * mean, 2 * target - mean
    if answer < 1 or wrong < 1:
        return None
    gap = f"{abs(target - mean)} {'more' if target > mean else 'less'}"
    question = f"Five numbers have a mean of {target}. Four of them are {listed}. What is the fifth?"
    right = (
        f"All five add up to 5 x {target} = {5 * target}. The four add up to {4 * mean}. "
        f"{5 * target} - {4 * mean} = {answer}."
    )
    wrongly = (
        f"The four have a mean of {mean}. The mean of all is {gap}, so the fifth is {gap} than {target}. It is {wrong}."
    )
    return numeric(question, answer, right, wrong, wrongly, "gap of the means added once", rng)


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th")


def letters(level: int, rng: Generator) -> Draft:
    """Count a letter, pick letters by their places, or write a word backwards."""
    return (_count, _pick, _reverse)[level - 1](rng)


def _count(rng: Generator) -> Draft:
    text = " ".join(some(rng, DOUBLED, 2))
    letter = some(rng, {a for a, b in zip(text, text[1:]) if a == b}, 1)[0]
    groups = [len(group) for group in "".join(c if c == letter else " " for c in text).split()]
    count, runs = sum(groups), len(groups)
    question = f"How many times does the letter '{letter}' occur in '{text}'? Answer with a number."
    right = f"Reading letter by letter, '{letter}' comes in groups of {', '.join(map(str, groups))}. Together {count}."
    wrongly = f"Reading by groups, '{letter}' or a double '{letter}' comes {runs} times. Together {runs}."
    return numeric(question, count, right, runs, wrongly, "double letters counted once", rng)


def _pick(rng: Generator) -> Draft:
    word = some(rng, DISTINCT, 1)[0]
    places = some(rng, range(1, len(word)), 3)
    answer, wrong = "".join(word[p - 1] for p in places), "".join(word[p] for p in places)
    numbered = " ".join(f"{i}{c}" for i, c in enumerate(word, 1))
    from_zero = " ".join(f"{i}{c}" for i, c in enumerate(word))
    asked = "the {}, {} and {} letters".format(*(ORDINALS[p - 1] for p in places))
    question = f"Write {asked} of the word '{word}', in that order and without spaces. What do you get?"
    hold = "Places {}, {} and {} hold".format(*places)
    right = f"Numbered, the word is {numbered}. {hold} {', '.join(answer)}."
    wrongly = f"Numbered, the word is {from_zero}. {hold} {', '.join(wrong)}."
    # The window moves, so that the right letters are not the middle ones of the options.
    shift = draw_integer(rng, -2, 0)
    near = [[word[(p - 1 + shift + i) % len(word)] for i in range(3)] for p in places]
    others = {"".join(chosen) for chosen in product(*near)} - {answer, wrong}
    return Draft(question, answer, right, wrongly, wrong, "counted from zero", (answer, wrong, *some(rng, others, 8)))


def _reverse(rng: Generator) -> Draft:
    word = some(rng, DISTINCT, 1)[0]
    letter = some(rng, word, 1)[0]
    kept = word.replace(letter, "")
    half = len(kept) // 2
    answer, wrong = kept[::-1], kept[:half][::-1] + kept[half:][::-1]
    question = f"Leave out the letter '{letter}' from the word '{word}' and write the rest backwards. What do you get?"
    right = f"Without '{letter}' it is {kept}. From the last letter to the first: {'-'.join(answer)}."
    wrongly = f"Without '{letter}' it is {kept}. Turning each half round: {'-'.join(wrong)}."
    others = {_swapped(text, i, j) for text in (answer, wrong) for j in range(len(kept)) for i in range(j)}
    options = (answer, wrong, *some(rng, others - {answer, wrong}, 8))
    return Draft(question, answer, right, wrongly, wrong, "halves turned round apart", options)


def _swapped(text: str, i: int, j: int) -> str:
    return text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]


def weekdays(level: int, rng: Generator) -> Draft | None:
    """The answer is one of seven days, so the ten options pair the day with the number of full weeks."""
    today, days = draw_integer(rng, 0, 6), draw_integer(rng, *((9, 27), (30, 97), (100, 365))[level - 1])
    weeks, rest = divmod(days, 7)
    if rest < 2:
        return None
    sign, way = (-1, "back") if level == 3 else (1, "on")
    walk = [DAYS[(today + sign * i) % 7] for i in range(rest + 1)]
    asked = f"was it {days} days ago" if level == 3 else f"will it be in {days} days"
    question = f"Today is {DAYS[today]}. Which day of the week {asked}?"
    split = f"{days} days are {weeks} weeks and {rest} days."
    right = f"{split} Counting {rest} days {way} from {walk[0]}: {', '.join(walk[1:])}."
    wrongly = f"{split} Counting {rest} days {way} with {walk[0]}: {', '.join(walk[:-1])}."
    first = max(0, weeks - draw_integer(rng, 0, 2))
    pairs = {(day, n) for day in DAYS for n in range(first, first + 3)} - {(walk[-1], weeks), (walk[-2], weeks)}
    ten = [(walk[-1], weeks), (walk[-2], weeks), *some(rng, pairs, 8)]
    options = tuple(f"{day}, {n} full week{'s' if n != 1 else ''}" for day, n in ten)
    return Draft(
        f"{question} Answer with the name of the day.",
        walk[-1],
        right,
        wrongly,
        walk[-2],
        "today counted as the first day",
        options,
        f"{question} And how many full weeks lie between?",
    )


def perimeter(level: int, rng: Generator) -> Draft | None:
    """A rectangle, an L-shape, or a side from the perimeter."""
    length = draw_integer(rng, 6, 30)
    width = draw_integer(rng, 4, length - 1)
    around = 2 * (length + width)
    ring = f"{length} + {width} = {length + width}, and 2 x {length + width} = {around}."
    if level == 1:
        question = f"A rectangle is {length} m long and {width} m wide. What is its perimeter in metres?"
        area = length * width
        right = f"The perimeter is twice the length and width together. {ring}"
        wrongly = f"The perimeter is the length times the width of the rectangle. {length} x {width} = {area}."
        return numeric(question, around, right, area, wrongly, "area for perimeter", rng)
    if level == 2:
        cut_long, cut_wide = draw_integer(rng, 2, length - 3), draw_integer(rng, 1, width - 2)
        cut = 2 * (cut_long + cut_wide)
        question = (
            f"From a rectangle {length} m long and {width} m wide, a rectangle {cut_long} m by {cut_wide} m is "
            "cut off at one corner. What is the perimeter of the L-shape that is left, in metres?"
        )
        right = f"The cut makes two new sides as long as those that it takes away, so nothing changes. {ring}"
        wrongly = (
            f"The perimeter of the whole is {around}. The corner has 2 x {cut_long + cut_wide} = {cut}, which "
            f"is taken away. {around} - {cut} = {around - cut}."
        )
        return numeric(question, around, right, around - cut, wrongly, "cut piece's perimeter subtracted", rng)
    more = length - width
    if more % 2:
        return None
    sides, wrong = length + width, (around + more) // 2
    question = (
        f"A rectangle has a perimeter of {around} m, and it is {more} m longer than it is wide. "
        "What is its length in metres?"
    )
    right = (
        f"Length and width together are {around} / 2 = {sides}. Twice the length is {sides} + {more} = "
        f"{sides + more}. {sides + more} / 2 = {length}."
    )
    wrongly = (
        f"Length and width together are {around}. Twice the length is {around} + {more} = {around + more}. "
        f"{around + more} / 2 = {wrong}."
    )
    return numeric(question, length, right, wrong, wrongly, "perimeter not halved", rng)


def operation(level: int, rng: Generator) -> Draft | None:
    """An invented sign: used once, nested, or with a rule of two cases."""
    p, q = draw_integer(rng, 2, 5), draw_integer(rng, 2, 5)
    x, y, z = (draw_integer(rng, 2, 12) for _ in range(3))
    if level == 3:
        return _two_cases(p, q, min(x, y), max(x, y), rng)
    rule = f"Let a # b mean {p}a + {q}b."

    def apply(a: int, b: int) -> int:
        return p * a + q * b

    def shown(a: int, b: int) -> str:
        return f"{p} x {a} + {q} x {b} = {apply(a, b)}"

    if level == 1:
        return numeric(
            f"{rule} What is {x} # {y}?",
            apply(x, y),
            f"Put a = {x} and b = {y}. Then {shown(x, y)}.",
            apply(y, x),
            f"Put a = {y} and b = {x}. Then {shown(y, x)}.",
            "operands swapped",
            rng,
        )
    left, back = apply(x, y), apply(y, z)
    return numeric(
        f"{rule} What is ({x} # {y}) # {z}?",
        apply(left, z),
        f"First {x} # {y}: {shown(x, y)}. Then {left} # {z}: {shown(left, z)}.",
        apply(x, back),
        f"First {y} # {z}: {shown(y, z)}. Then {x} # {back}: {shown(x, back)}.",
        "brackets moved",
        rng,
    )


def _two_cases(p: int, q: int, x: int, y: int, rng: Generator) -> Draft | None:
    """x is not larger than y, so that the first step always needs the second case."""
    z = draw_integer(rng, 2, 60)
    inner, misread = x + q * y, p * x - y
    if misread < 1 or p * misread <= z:
        return None
    bigger = inner > z
    answer, wrong = p * inner - z if bigger else inner + q * z, p * misread - z
    last = f"{p} x {inner} - {z}" if bigger else f"{inner} + {q} x {z}"
    question = (
        f"Let a # b mean {p}a - b when a is larger than b, and a + {q}b when it is not. What is ({x} # {y}) # {z}?"
    )
    right = f"First {x} # {y}: {x} is not larger, so {x} + {q} x {y} = {inner}. Then {inner} # {z}: {last} = {answer}."
    wrongly = (
        f"First {x} # {y}: by the rule, {p} x {x} - {y} = {misread}. "
        f"Then {misread} # {z}: {p} x {misread} - {z} = {wrong}."
    )
    return numeric(question, answer, right, wrong, wrongly, "first rule for every case", rng)


# The worked solution carries over where it holds a step that the question does not name and that works on any numbers.
FAMILIES: dict[str, Family] = {
    "sums": Family(sums, False, "The question already says all that is to be done; every column has to be added anew."),
    "products": Family(products, True, "Splitting one factor into tens and ones works for any other product."),
    "sequences": Family(sequences, True, "Which steps to look at, and what they do, is the same for other terms."),
    "comparing": Family(comparing, True, "Writing all numbers in one form before comparing works for any list."),
    "letters": Family(letters, False, "How one word is spelled says nothing of how another one is."),
    "weekdays": Family(weekdays, False, "The remainder and the walk through the week belong to this day and number."),
    "perimeter": Family(perimeter, True, "The relation between sides and perimeter is the same for other lengths."),
    "average": Family(average, True, "Going through the total is the same for other numbers."),
    "operation": Family(operation, True, "How to read the invented sign is the same for other numbers."),
}
