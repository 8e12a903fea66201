"""Are two answers the same? Exact, then by number, then as mathematics; None where only a judge can say.

HLE asks for short answers that a computer can compare (section 3.1) and lets a model compare them (C.1.1). What needs
no opinion should not be left to one. Nothing is evaluated as code and nothing is simplified: a small reader turns LaTeX
or plain notation into a tree, and two trees are the same if their values agree at random points, in exact fractions as
long as the operations allow, else with 60 digits (mpmath). Who wants to hang the comparison by a tower of powers meets
a bound: what is too long, too deep or too large can't be decided.

What users expect, decided here: 5 km is 5000 m and not 5 m; a unit that only one of the two gives is no difference, if
it is on the list of `exam.units` (2 n is not 2); 12.5 % is 1/8 and 12.5; 2 1/2 is two and a half; "x = -1 or x = 1" is
{-1, 1}; 0 < x <= 1 is (0, 1]; matrices compare entry by entry; Yes is True; H_2O is H2O and Co is not CO, since case is
no difference between words only. What is not certainly different is None: a lone K or A may be a unit or a name, C_2
and Z_2 one group, x y and y x two words of a group, {2, 2} one set with {2} and another list; a day is no difference of
numbers, and 1e-3 no multiple of Euler's number.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from proctor.data.schemas import LETTERS
from proctor.exam.formula import GREEK, Undecided, close, constant, indexed, is_word, parse_formula, uses, values
from proctor.exam.units import Quantity, factor, quantity
from proctor.exam.words import affirms, counted, day, mixed, same_compound, same_text, solutions, unknown
from proctor.models.read_answer import letter

LONGEST = 400  # characters of an answer that is read as mathematics
MOST_PAIRS = 400  # entries of one list times those of the other
_SIGNS = str.maketrans("−–×·⋅∙∗÷⁄", "--*****//", "≈")
_SIGNS |= {ord(sign): rf"\{name} " for sign, name in zip("π√∞½¼¾", "pi sqrt infty frac12 frac14 frac34".split())}
_SIGNS |= {ord(sign): rf"\{name} " for sign, name in zip("≤≥∈∪±", "le ge in cup pm".split())}
_SIGNS |= {ord("∨"): " or ", ord("‰"): "/1000", ord("ℵ"): r"\aleph "}
for _name in GREEK - {"infty", "varepsilon", "varphi", "mu", "Omega"}:  # μ and Ω are of units, before and after numbers
    _case, _letter = "CAPITAL" if _name[0].isupper() else "SMALL", _name.replace("ambda", "amda").upper()
    _SIGNS[ord(unicodedata.lookup(f"GREEK {_case} LETTER {_letter}"))] = rf"\{_name} "
_UP = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_DOWN = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SCALES = {"thousand": "*10^3", "million": "*10^6", "billion": "*10^9", "trillion": "*10^12"}
_MATRIX = re.compile(
    r"(?:(?:\\left)?[\[(]\s*)?\\begin\{([pb]?matrix|array)\}(?:\{[clr|]*\})?(.{0,400}?)\\end\{\1\}(?:\s*(?:\\right)?[\])])?",
    re.DOTALL,
)
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?|\.\d+)[eE]([-+]?\d{1,3})(?![\w.])", re.ASCII)
_THOUSANDS = re.compile(r"(?<!\d)[1-9]\d{0,2}(,\d{3})+(?!\d)")
_RANGE = re.compile(r"\d[\d.]*-\d[\d.]*")  # 5-7 may be -2 or from five to seven
_LITERAL = re.compile(
    r"([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:(?:e|\*10\^)\(?\{?([-+]?\d{1,3})\}?\)?)?(%)?", re.IGNORECASE | re.ASCII
)


@lru_cache(maxsize=10_000)
def same(given: str | None, right: str) -> bool | None:
    """Whether `given` is the answer `right`: True, False, or None where it can't be decided without a judge.

    exact: the same text, whatever the case of words, articles and outer punctuation (`same_text`).
    yes or no: yes and true are one, no and false the other.
    letter: a key that is a lone letter A to J is met by the letter that the answer states.
    quantity: in whatever unit of the list; of two that measure different things, False.
    number: by value, with no tolerance: of two numbers where one is the other rounded (0.374 for the key 0.4, 3.14 for
        pi), whether that will do depends on the question. So it is None.
    mathematics: equal values at random points, also for the entries of lists (), [], {} and for equations.
    Words against other words are None: they may be synonyms. No answer at all is False. Raises nothing.
    """
    if given is None or not given.strip():
        return False
    if same_text(given, right):
        return True
    if (affirmed := affirms(right, whole=True)) is not None and (said := affirms(given)) is not None:
        return said == affirmed
    if len(right.strip()) == 1 and right.strip() in LETTERS:
        found = None if re.search(r"^[^*'\"]{0,9}[A-J]['′’*+\"-]", given) else letter(given, len(LETTERS))
        return None if found is None else found == right.strip()
    if max(len(given), len(right)) > LONGEST:
        return None
    number, other = literal(given.strip()), literal(right.strip())
    if number and other and "%" not in given + right:  # most answers of an exam: quick, and where they differ too
        if number.value == other.value or number.step == other.step == 0:
            return number.value == other.value
    if (days := [day(text) for text in (given, right)]) != [None, None]:
        return days[0] == days[1] if None not in days else None  # a difference of numbers is meant by nobody
    one, two = normal(given), normal(right)
    if one and same_text(one, two):
        return True
    if (decided := same_compound(one, two)) is not None:
        return decided
    one, two = counted(one), counted(two)
    try:
        names = {name for name in (unknown(one), unknown(two)) if name}
        found = _same(solutions(one), solutions(two))
        return found if len(names) < 2 else None  # x > 3 and y > 3
    except (Undecided, RecursionError):
        return None


def plain_text(text: str) -> str:
    """A text without case, spacing and a full stop at its end, to tell whether two say the same in the same words."""
    return " ".join(text.casefold().split()).rstrip(".")


def classes(answers: Iterable[str | None], alike: Callable[[str, str], bool | None] = same) -> list[list[str]]:
    """The readable answers in groups, in order of their first: each joins the first group whose first is `alike`."""
    found: list[list[str]] = []
    for answer in answers:
        if isinstance(answer, str):
            mine = next((group for group in found if alike(answer, group[0])), None)
            found.append([answer]) if mine is None else mine.append(answer)
    return found


def _same(given: str, right: str) -> bool | None:
    """`same` for answers in normal form. Raises Undecided."""
    (brackets, one), (closing, two) = parts(given), parts(right)
    if len(one) > 1 or len(two) > 1 or "⦃" in brackets + closing:
        return _same_list(brackets, one, closing, two)
    (left, one), (side, two) = _equation(one[0]), _equation(two[0])
    if left and side and left != side:
        return _same_equation(parse_formula(f"{left}-({one})"), parse_formula(f"{side}-({two})"))
    if left and not side and not _symbol(left) or side and not left and not _symbol(side):
        return None  # a formula with its own left side against a value
    of_one, of_two = quantity(one), quantity(two)
    if (of_one or of_two) and (found := _same_quantity(of_one, of_two, one, two)) is not NotImplemented:
        return found
    if _RANGE.fullmatch(one) or _RANGE.fullmatch(two):
        return None
    one, two = mixed(one), mixed(two)
    if one.endswith("%") != two.endswith("%"):  # 50 % is 50; 0.05 % may be 0.05 or not
        bare = one.rstrip("%"), two.rstrip("%")
        number, other = map(literal, bare)
        if bare[0] == bare[1] or number and other and number.value == other.value:
            return True if number and (abs(number.value) > 1 or number.value == 0) else None
    return _one_number(one, two) or _same_value(parse_formula(one), parse_formula(two))


def _same_list(brackets: str, one: list[str], closing: str, two: list[str]) -> bool | None:
    """Entry by entry; sets in any order. A list without brackets in another order is None: nobody says what it is."""
    if len(one) * len(two) > MOST_PAIRS:
        raise Undecided("too long a list")
    if any(len(entries) == 1 and _symbol(entries[0]) for entries in (one, two)):
        return None  # I_2 and the matrix that it names
    matrix = [[_entry(a, b) for b in two] for a in one]
    unordered = all(map(any, matrix)) and all(map(any, zip(*matrix)))
    known = not any(None in row for row in matrix)
    kinds = {brackets, closing} - {""}
    if kinds == {"⦃⦄"}:
        if unordered and not all(row.count(True) == matrix.count(row) for row in matrix):
            return None  # {2, 2, 4} and {2, 4, 4}: one set, and two lists of what there is
        return unordered or (False if known else None)
    if len(one) != len(two):
        return False if known else None
    in_order = [matrix[place][place] for place in range(len(one))]
    if len(kinds) > 1:  # (0, 1) may be a pair or an interval, [0, 1] a list or an interval
        possible = unordered if "⦃⦄" in kinds else all(in_order) and not kinds & {"(]", "[)"}
        return None if possible or not known else False
    if False in in_order:
        return None if unordered and not (brackets and closing) else False
    return all(in_order) or None


def _entry(given: str, right: str) -> bool | None:
    if same_text(given, right):
        return True
    try:
        return _same(given, right)
    except Undecided:
        return None


def _equation(text: str) -> tuple[str, str]:
    """Left and right side; the left one is empty where there is no `=`. Raises Undecided."""
    left, found, right = text.partition("=")
    if found and (not left.strip() or not right.strip() or "=" in right):
        raise Undecided("not one equation")
    return (left.strip(), right.strip()) if found else ("", text)


def _symbol(left: str) -> bool:
    """Whether a left side only names the answer: x, x_1 or f(x)."""
    return bool(re.fullmatch(r"\\?[A-Za-z]+(_\w|_\{\w+\})?(\(\w\))?", left))


def _one_number(given: str, right: str) -> bool:
    """Whether both are one number, one of them a decimal. Raises Undecided where one is the other rounded."""
    if not any(found and found.step for found in (literal(given), literal(right))):
        return False
    (value, step), (exact, last) = _measured(given), _measured(right)
    if value is None or exact is None or 2 * abs(exact - value) > max(step, last):
        return False
    if exact != value:
        raise Undecided("one is the other rounded")
    return True


def _measured(text: str) -> "Literal":
    """The value of a text, None if it has names, and the step of its last digit. Raises Undecided."""
    return literal(text) or Literal(constant(parse_formula(mixed(text))), Fraction(0))


def _same_value(one, two) -> bool | None:
    """All points agree: True; none: False; some (positive numbers, or whole ones): None."""
    if _quantity(one) and _quantity(two) and one[2] != two[2]:
        return None  # 1 t and 1000 g
    agree = {close(a, b) for a, b in values(one, two)}
    if agree == {True} and one != two and _order_may_count(one, two):
        return None
    alephs = all(isinstance(tree, str) and tree.startswith("aleph_") for tree in (one, two))
    if agree == {False} and not alephs and (indexed(one) or indexed(two)) and indexed(one) != indexed(two):
        return None  # C_2 and Z_2 name one group
    if agree == {False} and uses(one, "log") != uses(two, "log"):
        return None  # to base ten, perhaps
    return agree.pop() if len(agree) == 1 else None


def _order_may_count(one, two) -> bool:
    """Whether two trees of one value may yet differ: words of a group (x y and y x), and sums of ordinals."""
    names = indexed(one, every=True) | indexed(two, every=True)
    if is_word(one) and is_word(two):
        return len(names) > 1
    return bool(names) and {name.partition("_")[0] for name in names} <= {"omega", "aleph"}


def _quantity(tree) -> bool:
    return isinstance(tree, tuple) and tree[0] == "*" and isinstance(tree[1], Fraction) and isinstance(tree[2], str)


def _same_equation(one, two) -> bool | None:
    """The same up to a factor: True. Else None, since the same solutions may still follow."""
    first = None
    for a, b in values(one, two):
        if a == 0 or b == 0:
            return None
        first = first or a / b
        if not close(a, first * b):
            return None
    return True


# Quantities


def _same_quantity(one: Quantity | None, two: Quantity | None, given: str, right: str):
    """Two answers of which at least one has a unit. NotImplemented where the unit may be a variable."""
    if one and two:
        if not (scale := factor(one.unit, two.unit)):
            return None if scale is None else False
        if one.unit == two.unit:
            return _same(one.number, two.number)
        (first, step), (second, last) = _measured(one.number), _measured(two.number)
        if first is None or second is None:
            return None
        gap = abs(first * scale - second)
        if gap <= abs(second) / 10**12:
            return True
        return None if 2 * gap <= max(step * scale, last) else False
    unit, bare = (one, right) if one else (two, given)
    assert unit is not None
    if factor(unit.unit, "degree") == 1 and re.search(r"\\pi|\bpi\b", bare):
        return _same_value(parse_formula(f"({unit.number})*\\pi/180"), parse_formula(bare))
    if "%" in bare:
        return None  # 5 cm and 5 %
    if not unit.loose:
        alike = None if re.search(r"[A-Za-z]", re.sub(r"\\[a-z]+", "", bare)) else _same(unit.number, bare)
        if alike is not False:
            return alike
    first, second = _measured(unit.number).value, _measured(bare).value
    ratio = first / second if first and second else None  # 500 cm for a key in metres, 300 K and 300 or 300000
    if ratio and any(ratio == Fraction(10) ** power for power in range(-12, 13)):
        return None
    return NotImplemented if unit.loose else False


# Notation


class Literal(NamedTuple):
    """A number as written: its value, and the step of its last decimal (0: an integer)."""

    value: Fraction | None
    step: Fraction


def normal(text: str) -> str:
    """One notation for what answers are wrapped in: dollars, boxes, spacing commands, signs outside ASCII."""
    if "matrix" in text or "array" in text:
        text = _MATRIX.sub(_rows, text)
    if text.count("$") % 2:  # money, not LaTeX
        text = re.sub(r"^([-−]?)\$\s?(\d[\d.,]*(?:\s[a-z]+)?)\.?$", r"\1\2 dollars", text.strip())
    text = re.sub(r"(?<=\d)(?:\\[,!]|\{,\})(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"[⁰¹²³⁴-⁹⁻⁺ⁿ]+", lambda up: "^{" + up[0].translate(_UP) + "}", text)
    text = re.sub(r"[₀-₉]+", lambda down: "_{" + down[0].translate(_DOWN) + "}", text)
    text = text.translate(_SIGNS)
    text = _SCIENTIFIC.sub(r"\1*10^{\2}", text)  # before spaces go: 2e - 3 is a difference
    text = re.sub(r"\\(left|right|displaystyle|quad|qquad|limits)(?![A-Za-z])|\\[!,;: ]|\{,\}|~", " ", text)
    text = re.sub(r"\\(text|mathrm|operatorname|mathbf|mbox|textbf)\s*\{([^{}]*)\}", r" \2 ", text)
    text = re.sub(r"\\ce\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\s*(?<=[\d\s])(?:percent|per cent)\b", "%", text)
    text = re.sub(r"(?<=\d)\s?(thousand|million|billion|trillion)s?\b", lambda word: _SCALES[word[1]], text)
    text = re.sub(r"\\(cdot|times|ast)(?![A-Za-z])", "*", text).replace(r"\div", "/")
    text = re.sub(r"\s*\\?%", "%", text)
    text = re.sub(r"\\[dt]frac(?![A-Za-z])", r"\\frac", text).replace(r"\{", "⦃").replace(r"\}", "⦄")
    text = re.sub(r"\\?\^\s*(\\circ|\{\\circ\})", "°", text)
    text = re.sub(r"\\approx(?![A-Za-z])|^\s*(approximately|about|roughly)\b", "", text, flags=re.IGNORECASE)
    if ";" in text and "," not in text:
        text = text.rstrip("; ").replace(";", ",")
    text = re.sub(r",?\s+and\s+", ", ", re.sub(r"(?<=\d)\s*x\s*(?=10\s*\^)", "*", text))
    text = re.sub(r"\\[()\[\]]|\$|^\s*\*\*|\*\*\s*$", " ", text).replace("**", "^").strip().rstrip(".;,").strip()
    if (boxed := re.fullmatch(r"\\boxed\s*(\{.*\})", text)) and _wrapped(boxed[1]):
        text = boxed[1][1:-1].strip()
    if text.startswith("{") and _wrapped(text):
        text = f"⦃{text[1:-1]}⦄"
    text = re.sub(r"\\([lg])(eq?|t)(?![A-Za-z])", lambda sign: "<>"[sign[1] == "g"] + "=" * (sign[2] != "t"), text)
    return re.sub(r"\s*([-+*/^=<>])\s*", r"\1", " ".join(text.split()))


def _rows(found: re.Match) -> str:
    """A matrix of LaTeX as a list of its rows."""
    rows = [row.strip() for row in re.split(r"\\\\|\\cr", found[2]) if row.strip()]
    return "[" + ",".join("[" + ",".join(cell.strip() for cell in row.split("&")) + "]" for row in rows) + "]"


def _depths(text: str) -> list[int]:
    """How many brackets are open after each sign; an interval may open with one kind and close with another."""
    return list(accumulate((sign in "([{⦃") - (sign in ")]}⦄") for sign in text))


def _wrapped(text: str) -> bool:
    """Whether the bracket that opens a text closes at its end."""
    return 0 not in _depths(text)[:-1] and _depths(text)[-1] == 0


def parts(text: str) -> tuple[str, list[str]]:
    """The outer brackets ("" if none hold a list) and the entries between top-level commas.

    A comma before exactly three digits separates thousands outside brackets; within, it has two readings.
    """
    inner, brackets = text, ""
    if text[:1] in ("(", "[", "⦃") and _wrapped(text) and text[-1] in ")]⦄":
        inner, brackets = text[1:-1], text[0] + text[-1]
    if brackets and _THOUSANDS.search(inner):
        raise Undecided("a comma that separates entries or thousands")
    if not brackets:
        inner = _joined(inner)
    commas = [place for place, depth in enumerate(_depths(inner)) if inner[place] == "," and depth == 0]
    entries = [inner[after + 1 : end].strip() for after, end in zip([-1, *commas], [*commas, len(inner)])]
    if len(entries) == 1:
        return (brackets, entries) if brackets == "⦃⦄" else ("", [text if brackets else inner])
    if not all(entries):
        raise Undecided("a list with an empty entry")
    return brackets, entries


def _joined(text: str) -> str:
    """The text without commas between thousands."""
    return _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)


def literal(text: str) -> Literal | None:
    """The number that the whole text writes down, None for anything else."""
    if not (found := _LITERAL.fullmatch(_joined(text))):
        return None
    sign, digits, power, percent = found.groups()
    scale = Fraction(10) ** int(power or 0) / (100 if percent else 1)
    whole, _, decimals = digits.partition(".")
    step = Fraction(0) if not decimals and power is None else Fraction(1, 10 ** len(decimals)) * scale
    value = Fraction(digits if decimals else whole) * scale
    return Literal(-value if sign == "-" else value, step)
