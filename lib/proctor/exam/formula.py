"""Read a formula, in LaTeX or plain notation, and compute its value at random points: the base of answer_match.py.

A tree is a Fraction, a name (str) or a tuple (operation, trees ...). What has two readings, such as 1/2x or CO2, is
Undecided, not guessed.
"""

import operator
import random
import re
import threading
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

DEPTH, BITS, LARGE = 40, 5_000, 10_000  # nesting; bits of an exact number; |log| and arguments of any other
POINTS = 3  # of each kind: positive, negative, whole
_FUNCTIONS = set("sqrt sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan exp ln log".split())
GREEK = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon "
    "phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega infty".split()
)
_NAMES = _FUNCTIONS | GREEK | {"pi", "frac", "binom", "infinity", "inf", "aleph"}
_CALLED = {"Gamma", "zeta", "phi", "varphi", "psi", "sigma"}  # letters that functions have
_CLOSING = {"(": ")", "{": "}", "[": "]", "|": "|"}
_BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_MPMATH = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+|\\[A-Za-z]+|[A-Za-z]+|[-+*/^_!%|(){}\[\]])", re.ASCII)
_LOCK = threading.Lock()  # mpmath changes its precision, and restores it, as it computes


class Undecided(ValueError):
    """Not mathematics, or mathematics with two readings, or out of bounds."""


def parse_formula(text: str):
    """The tree of a formula. Raises Undecided."""
    tokens, place, text = [], 0, text.rstrip()
    latex = bool(re.search(r"\\[A-Za-z]|\^", text))
    while place < len(text):
        if not (found := _TOKEN.match(text, place)):
            raise Undecided(f"not mathematics: {text[place : place + 10]!r}")
        token, place = found[1], found.end()
        if token[0].isdigit() and re.search(r"(?<![\\A-Za-z])[A-Za-z]+$", text[: found.start(1)]):
            raise Undecided("a letter before a number, as in CO2")
        tokens += _named(token, latex) if token.lstrip("\\")[0].isalpha() else [token]
    reader = _Reader(tokens)
    tree = reader.sum()
    if reader.next():
        raise Undecided(f"not mathematics from {reader.next()!r} on")
    return tree


def _named(token: str, latex: bool) -> list[str]:
    """A word as tokens: a name that mathematics has, or the letters of a product where the text is LaTeX."""
    name = token.lstrip("\\")
    if name in _NAMES:
        return ["infty" if name in ("infinity", "inf") else name]
    if not token.startswith("\\") and (len(name) == 1 or latex and len(name) <= 3 and name.islower()):
        return list(name)
    raise Undecided(f"not mathematics: {token}")


class _Reader:
    """Recursive descent over tokens: sum, product, sign, power, atom."""

    def __init__(self, tokens: list[str]):
        self.tokens, self.place, self.depth = tokens, 0, 0

    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.next()
        if not token or wanted and token != wanted:
            raise Undecided(f"{wanted or 'something'} is missing")
        self.place += 1
        return token

    def sum(self):
        self.depth += 1
        if self.depth > DEPTH:
            raise Undecided("nested too deeply")
        tree = self.product()
        while self.next() in ("+", "-"):
            tree = (self.take(), tree, self.product())
        self.depth -= 1
        return tree

    def product(self):
        tree, divided = self.signed(), False
        while (token := self.next()) and (token in "*/({" or token[0].isalpha()):
            if token in "*/":
                tree, divided = (self.take(), tree, self.signed()), token == "/"
                continue
            if divided or token == "frac" and isinstance(tree, Fraction) or self._two_readings(token):
                raise Undecided("1/2x, 2 1/2, f(x) and HO have two readings")
            tree = ("*", tree, self.power())
        return tree

    def _two_readings(self, token: str) -> bool:
        """Whether the name before `token` may be a function that is called, or a chemical symbol."""
        before = self.tokens[self.place - 1]
        if token == "(" and before in _CALLED:
            return True
        if token == "(":
            return before not in ("pi", "e", "i") and before.isalpha() and self.tokens[self.place + 2 :][:1] == [")"]
        return len(before) == len(token) == 1 and before.isalpha() and not (before + token).islower()

    def signed(self):
        if self.next() not in ("+", "-"):
            return self.power()
        return ("-", Fraction(0), self.signed()) if self.take() == "-" else self.signed()

    def power(self):
        tree = self.atom()
        while self.next() in ("!", "%"):
            tree = ("!", tree) if self.take() == "!" else ("/", tree, Fraction(100))
        if self.next() == "^":
            self.take()
            tree = ("^", tree, self.signed())
        return tree

    def atom(self):
        token = self.take()
        if token[0].isdigit() or token[0] == ".":
            return Fraction(token)
        if token in _CLOSING:
            tree = self.sum()
            self.take(_CLOSING[token])
            return ("abs", tree) if token == "|" else tree
        if token in ("frac", "binom"):
            return ("/" if token == "frac" else token, self.argument(), self.argument())
        if token in _FUNCTIONS:
            return self.function(token)
        if not token[0].isalpha():
            raise Undecided(f"unexpected {token}")
        return token + self.index() if self.next() == "_" else token

    def index(self) -> str:
        """What stands below a name, x_1 or x_{12}, as a part of the name."""
        self.take("_")
        if self.next() != "{":
            return "_" + self.take()
        self.take()
        below = "_"
        while self.next() != "}":
            below += self.take()
        self.take()
        return below

    def argument(self):
        """What \\frac and \\binom take: a group, one letter or one digit."""
        token = self.next()
        if token.isdigit() and len(token) > 1:  # \frac12 is one half
            self.tokens[self.place] = token[1:]
            return Fraction(token[0])
        return self.atom()

    def function(self, name: str):
        """A function with its argument, \\sqrt[n]{x}, \\log_b x and \\sin^2 x."""
        if name == "sqrt" and self.next() == "[":
            root = self.atom()
            return ("^", self.atom(), ("/", Fraction(1), root))
        if name == "log" and self.next() == "_":
            self.take()
            base = self.argument()
            return ("/", ("ln", self.inner(name)), ("ln", base))
        if self.next() != "^":
            return (name, self.inner(name))
        self.take()
        raised = self.signed()
        if raised == ("-", Fraction(0), Fraction(1)):
            raise Undecided("an inverse function or a reciprocal")
        return ("^", (name, self.inner(name)), raised)

    def inner(self, name: str):
        """The argument of a function: a group, a number with the letters after it (not of a root), or one factor."""
        if self.next() in _CLOSING:
            return self.atom()
        tree = self.atom() if name == "sqrt" else self.power()
        number = isinstance(tree, Fraction) and name != "sqrt"
        while (token := self.next()) and token[0].isalpha() and token not in _FUNCTIONS and token != "frac":
            if not number:
                raise Undecided("where the argument ends is open")
            tree = ("*", tree, self.power())
        return tree


@lru_cache
def _digits():
    """mpmath with 60 digits, in a context of its own. Imported by who first compares, since a replay needs none."""
    import mpmath

    context = mpmath.MPContext()
    context.dps = 60
    return context


def values(one, two) -> Iterator[tuple]:
    """The values of two trees at the same random points: positive, negative and whole. Raises Undecided."""
    mp, names = _digits(), sorted((_names(one) | _names(two)) - {"pi", "e", "i"})
    rng = random.Random(20260101)
    for _ in range(POINTS if names else 1):
        positive = [Fraction(rng.randint(500, 3000), 1009) for _ in names]
        for point in (positive, [-x for x in positive], rng.sample(range(2, 60 + len(names)), len(names))):
            known = {"pi": +mp.pi, "e": +mp.e, "i": mp.mpc(0, 1)} | dict(zip(names, map(Fraction, point)))
            try:
                with _LOCK:
                    pair = _value(one, known, mp), _value(two, known, mp)
            except (ArithmeticError, ValueError, mp.NoConvergence) as error:  # outside a domain
                raise Undecided(str(error)) from error
            yield pair


def close(a, b) -> bool:
    """Whether two values are equal: as fractions exactly, else to 30 digits. Raises Undecided for two near zero."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    mp = _digits()
    with _LOCK:
        a, b = _inexact(a, mp), _inexact(b, mp)
        larger = max(abs(a), abs(b))
        if larger < mp.mpf("1e-45"):
            raise Undecided("both all but zero")
        return bool(abs(a - b) <= larger * mp.mpf("1e-30"))


def constant(tree) -> Fraction | None:
    """The value of a tree without names, to 50 digits; None if it has names or is not real. Raises Undecided."""
    if _names(tree) - {"pi", "e"}:
        return None
    value, _ = next(values(tree, tree))
    if isinstance(value, Fraction):
        return value
    return Fraction(_digits().nstr(value, 50)) if isinstance(value, _digits().mpf) else None


def _inexact(x, mp):
    return mp.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def uses(tree, operation: str) -> bool:
    return isinstance(tree, tuple) and (tree[0] == operation or any(uses(part, operation) for part in tree[1:]))


def indexed(tree, every: bool = False) -> set[str]:
    """The names with an index, such as x_1 and C_2; every: all names but pi, e and i."""
    return {name for name in _names(tree) - {"pi", "e", "i"} if every or "_" in name}


def is_word(tree) -> bool:
    """Whether a tree is a product of names and their powers, as a word of a group is: x y x^-1."""
    if not isinstance(tree, tuple):
        return isinstance(tree, str)
    operation, one, *other = tree
    powered = operation == "^" and isinstance(one, str) and not _names(other[0])
    return powered or operation == "*" and is_word(one) and is_word(other[0])


def _names(tree) -> set[str]:
    if isinstance(tree, tuple):
        return set().union(*map(_names, tree[1:]))
    return {tree} if isinstance(tree, str) else set()


def _value(tree, known: dict, mp):
    """A Fraction as long as the operations allow, else a number of mpmath. Raises Undecided for what is too large."""
    if isinstance(tree, Fraction):
        return tree
    if isinstance(tree, str):
        return known[tree]
    operation, *inner = tree
    a, *rest = (_value(part, known, mp) for part in inner)
    exact = all(isinstance(x, Fraction) for x in (a, *rest))
    if operation == "^" and exact and rest[0].denominator == 1:
        size = max(a.numerator.bit_length(), a.denominator.bit_length())
        if abs(rest[0]) * size > BITS:
            raise Undecided("a power too large to compute")
        return a ** int(rest[0])
    if not (exact and operation in "+-*/"):
        a, *rest = (_inexact(x, mp) for x in (a, *rest))
    result = _compute(operation, a, rest[0] if rest else None, mp)
    if isinstance(result, Fraction):
        if max(result.numerator.bit_length(), result.denominator.bit_length()) > BITS:
            raise Undecided("a fraction too large to compute")
    elif not mp.isfinite(result) or result != 0 and abs(mp.log(abs(result))) > LARGE:
        raise Undecided("a number too large to compute")
    return result


def _compute(operation: str, a, b, mp):
    if operation in _BINARY:
        return _BINARY[operation](a, b)
    if operation == "^":
        if a != 0 and abs(b * mp.log(a)) > LARGE:
            raise Undecided("a power too large to compute")
        return mp.power(a, b)
    if abs(a) > LARGE or b is not None and abs(b) > LARGE:
        raise Undecided("an argument too large to compute")
    if operation == "binom":
        return mp.binomial(a, b)
    if operation == "!":
        return mp.factorial(a)
    if operation == "abs":
        return abs(a)
    return getattr(mp, _MPMATH.get(operation, operation))(a)
