"""Printed figures as exact ranges: which numbers print as "85.40", and which counts of n do, as a percentage.

All arithmetic uses whole numbers and fractions: floats would decide some ties by accident.

A printed figure as the span of numbers that it can stand for, and arithmetic on such spans.

"48.2" stands for any number from 48.15 to 48.25. Two printed figures agree if their spans meet. All arithmetic is
exact. Spans treat their figures as independent: a figure that enters a formula twice makes the span wider than
necessary, never narrower. So a disagreement that is found is real. Only searches of counts ask which end is open.

>>> gain = rounded("48.2") - rounded("40.42")
>>> str(gain), gain.meets(rounded("7.78")), gain.meets(rounded("7.58"))
('7.725 to 7.835', True, False)
"""

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from math import inf, isinf

import numpy as np

# Ties away from zero; ties to the even last digit; everything towards zero.
MODES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
ROUNDINGS = tuple(MODES)
EITHER = "either"  # each tie up or down, since binary floats break ties by accident
MOST_DECIMALS, MOST_ITEMS = 9, 10**6  # keep every product below within 64 bits


@dataclass(frozen=True)
class Span:
    """All numbers from low to high; infinite where a figure is only bounded on one side. An end that is not closed does
    not itself belong; arithmetic makes both ends belong."""

    low: Fraction | float
    high: Fraction | float
    low_closed: bool = True
    high_closed: bool = True

    def __contains__(self, value: Fraction | int) -> bool:
        return (self.low < value or self.low_closed and self.low == value) and (
            value < self.high or self.high_closed and value == self.high
        )

    def __add__(self, other: "Span | int") -> "Span":
        other = as_span(other)
        return Span(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Span":
        return Span(-self.high, -self.low)

    def __sub__(self, other: "Span | int") -> "Span":
        return self + -as_span(other)

    def __mul__(self, other: "Span | int") -> "Span":
        other = as_span(other)
        ends = [a * b if a and b else Fraction(0) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Span(min(ends), max(ends))

    def __truediv__(self, other: "Span | int") -> "Span":
        other = as_span(other)
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError(f"division by {other}, which may be zero")
        low, high = (Fraction(0) if isinf(end) else 1 / Fraction(end) for end in (other.high, other.low))
        return self * Span(low, high)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> "Span":
        return as_span(other) - self

    def __rtruediv__(self, other: int) -> "Span":
        return as_span(other) / self

    @property
    def middle(self) -> float:
        """The figure itself for a rounded one; the finite end of a bound."""
        if isinf(self.low) or isinf(self.high):
            return float(self.high if isinf(self.low) else self.low)
        return float((self.low + self.high) / 2)

    def meets(self, other: "Span | int") -> bool:
        other = as_span(other)
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"{float(self.low):g}" if self.low == self.high else f"{float(self.low):.6g} to {float(self.high):.6g}"


ANY_PERCENT = Span(Fraction(0), Fraction(100))


@dataclass(frozen=True)
class Figure:
    """A number as printed, in whole `units` of its last decimal: "85.40" is 8540 units of 2 decimals.

    >>> found = read_printed("85.40", "accuracy").range("half_up")
    >>> float(found.low), float(found.high), Fraction(85395, 1000) in found
    (85.395, 85.405, True)
    """

    units: int
    decimals: int

    def range(self, rounding: str) -> Span:
        """All numbers that print as this figure; "either": with each tie up or down."""
        size, even = abs(self.units), rounding == "half_even" and self.units % 2 == 0
        if rounding != "truncate":
            low, high = size - Fraction(1, 2), size + Fraction(1, 2)
            # Zero has a tie on either side, and half_up moves both away from it.
            low_closed = even or rounding == EITHER or rounding == "half_up" and size > 0
            high_closed = even or rounding == EITHER
        elif size > 0:
            low, high, low_closed, high_closed = Fraction(size), Fraction(size + 1), True, False
        else:
            low, high, low_closed, high_closed = Fraction(-1), Fraction(1), False, False
        if self.units < 0:
            low, high, low_closed, high_closed = -high, -low, high_closed, low_closed
        unit = Fraction(10) ** -self.decimals
        return Span(low * unit, high * unit, low_closed, high_closed)


def read_printed(
    value: str | Decimal, name: str, decimals: int | None = None, least: int = 0, most: int = 100
) -> Figure:
    """Read a printed figure. decimals: of the print, if the text lacks them; None takes those of the text.

    Raises TypeError for a float. Raises ValueError for no number, a number outside [least, most], or more decimals.
    """
    if not isinstance(value, (str, Decimal)):
        raise TypeError(
            f"{name} is {value!r}: give the printed figure as text or Decimal, "
            f"not as a {type(value).__name__}, which may not hold it exactly"
        )
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueError(f"{name} is {value!r}: not a number as printed, such as '85.40'")
    if decimals is None:
        decimals = max(0, -int(number.as_tuple().exponent))
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"{name} is {value!r} with {decimals} decimals: must be 0 to {MOST_DECIMALS}")
    if not least <= number <= most:
        raise ValueError(f"{name} is {value!r}: must be a number from {least} to {most}")
    units = Fraction(number) * 10**decimals
    if units.denominator != 1:
        raise ValueError(f"{name} is {value!r}: has more than the {decimals} decimals stated")
    return Figure(int(units), decimals)


def show(value: Fraction, decimals: int, rounding: str) -> str:
    """`value` as it prints.

    >>> [show(Fraction(1, 8), 2, rounding) for rounding in ROUNDINGS]
    ['0.13', '0.12', '0.12']
    """
    # No fraction of counts is so near a tie that the quotient's 28 digits would take it for one.
    exact = Decimal(value.numerator) / value.denominator
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), MODES[rounding]) + 0:f}"  # + 0: no -0.00


def count_limits(percent: Span, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each number of items m, the smallest and largest k from 0 to m with 100 k / m in `percent`.

    If there is no such k, the first result is larger than the second.

    sizes: int64 of shape (S,), up to MOST_ITEMS. Returns two of the same shape.
    """
    low, high = Fraction(percent.low) / 100, Fraction(percent.high) / 100
    below, above = low.numerator * sizes, high.numerator * sizes  # k lies between these, once divided
    first = -(-below // low.denominator) if percent.low_closed else below // low.denominator + 1
    last = above // high.denominator if percent.high_closed else -(-above // high.denominator) - 1
    return np.maximum(first, 0), np.minimum(last, sizes)


def count_pairs(percent: Span, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All (k, m), m among sizes and 0 <= k <= m, with 100 k / m in `percent`, as two arrays."""
    first, last = count_limits(percent, sizes)
    number = np.maximum(last - first + 1, 0)
    m = np.repeat(sizes, number)
    step = np.arange(len(m)) - np.repeat(np.cumsum(number) - number, number)
    return np.repeat(first, number) + step, m


def as_span(value: "Span | int | Fraction") -> Span:
    return value if isinstance(value, Span) else Span(Fraction(value), Fraction(value))


def rounded(text: str, relation: str = "=") -> Span:
    """A figure rounded to its last printed digit: "48.2" is 48.15 to 48.25, whichever way ties were rounded.

    relation: "~", about, rounded at its last digit that is not a zero ("3,000" is 2,500 to 3,500); < and <= leave
    everything below it, > and >= everything above.
    """
    number = Decimal(text.replace(",", "").lstrip("+"))
    value, digits = Fraction(number), number.normalize() if relation == "~" else number
    if relation in ("<", "<="):
        return Span(-inf, value)
    if relation in (">", ">="):
        return Span(value, inf)
    half = Fraction(Decimal(5).scaleb(int(digits.as_tuple().exponent) - 1))
    return Span(value - half, value + half)
