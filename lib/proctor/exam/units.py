"""Read a quantity, 9.8 m/s^2, by a closed list of units; `pint` says how units relate. A word that is no unit is None.

Case counts (mW and MW). A letter glued to a number may be a variable, and K, M, C, F, T may be thousands, millions or
temperatures: such a unit is `loose` and is met by the like only, never by a bare number.
"""

import re
import threading
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_PREFIXED = {  # symbols by the prefixes that they are written with
    "k M G T m µ n": "Hz W V J eV N Ω bar Da pc Wh Bq",
    "k h M G m": "Pa",
    "k m µ n p f": "g mol A cal",
    "m µ n p f": "s C F T M K H Sv rad Wb",
    "k c d m µ n p f": "m",
    "d m µ": "L l",
}
_WORDS = (
    "meter gram second hertz watt volt ampere joule newton pascal coulomb farad tesla liter mole kelvin ohm henry "
    "calorie radian parsec dalton electronvolt metre litre"
).split()
_WORD_PREFIXES = " kilo mega giga tera hecto deci centi milli micro nano pico femto".split(" ")
_OTHERS = (
    "° deg degree degrees min minute minutes h hr hrs hour hours day days week weeks month months yr yrs year years "
    "sec secs in inch inches ft foot feet yd yard yards mi mile miles mph kph Å angstrom angstroms ångström au ly "
    "lightyears t tonne tonnes lb lbs oz ounce ounces gal gallon gallons u amu atm atmosphere atmospheres torr mmHg "
    "psi amp dollar euro"
).split()
_OWN = {  # pint's name for what it spells otherwise, or reads as another unit
    "degree_Celsius": "°C celsius",
    "degree_Fahrenheit": "°F fahrenheit",
    "kilometer/hour": "kmh",
    "astronomical_unit": "AU",
    "light_year": "light-year light-years",
    "torr": "Torr",
    "newton*meter": "Nm",
    "ampere": "amps",
    "dollar": "$ dollars USD",
    "euro": "€ euros EUR",
    "sterling": "£ GBP",
    "cent_piece": "cents",
}
COUNTED = set(  # nouns that a bare number stands for as well
    "times people persons men women children students workers items things objects ways pieces points steps moves "
    "apples oranges coins books cards eggs boxes marbles balls cats dogs letters words digits sides edges vertices "
    "faces atoms electrons protons neutrons molecules species genes solutions roots states cities countries".split()
)
LOOSE = set("K M C F T H A u d l".split())  # thousands, millions, temperatures, variables
OFFSET = {"degree_Celsius", "degree_Fahrenheit"}
_LOCK = threading.Lock()  # pint's registry fills its caches as it computes


def _closed_list() -> dict[str, str]:
    spelt = {prefix + symbol for prefixes, symbols in _PREFIXED.items() for symbol in symbols.split()
             for prefix in ("", *prefixes.split())}  # fmt: skip
    spelt |= {prefix + word + end for prefix in _WORD_PREFIXES for word in _WORDS for end in ("", "s")} | {*_OTHERS}
    return {text: text for text in spelt} | {text: name for name, texts in _OWN.items() for text in texts.split()}


UNITS = _closed_list()  # as an answer spells it: as pint does
_NAME = re.compile(r"°?[^\W\d_]+(?:-years?)?|[°$€£]")
_SHAPE = re.compile(r"\(?u(\^-?\d)?(\)?[*/ ]\(?u(\^-?\d)?)*\)?(\^-?\d)?")
_SPLIT = re.compile(  # before the first letter that is of no number
    r"((?:\\(?:pi|frac|sqrt)|(?<=\d)[eE](?=-?\d)|(?![°$€£])[\W\d_])*[\d *})%])(\(?(?:[^\W\d_]|[°$€£]).*)"
)
_SPACED = {"N m", "kW h", "W h", "kN m"}  # products written with a space; others need a power or a stroke: 2 g h


class Quantity(NamedTuple):
    """A number as text and a unit as pint spells it. `loose`: a bare number is not the same."""

    number: str
    unit: str
    loose: bool = False


def quantity(text: str) -> Quantity | None:
    """A text in normal form (`answer_match.normal`) as number and unit; None without a unit of the list.

    >>> quantity("9.8 m/s^2"), quantity("2 n"), quantity("2 g h")
    (Quantity(number='9.8', unit='m/s^2', loose=False), None, None)
    """
    text = text.replace("μ", "µ").replace("Ω", "Ω").replace(r"\Omega", "Ω")
    text = re.sub(r"\\mu\s*(?=[mgsLlAVFCMH])", "µ", text)
    if len(text) > 80:
        return None
    if money := re.fullmatch(r"(-?)([$€£])\s?(-?\d.*)", text):
        return Quantity(money[1] + money[3], UNITS[money[2]])
    if (split := _SPLIT.fullmatch(text)) and (name := _unit(unit := split[2].strip())):
        glued = split[1][-1] not in " *" and re.match(r"[A-Za-z](?![A-Za-z])", unit) and "/s" not in name
        return Quantity(split[1].rstrip("* "), name, bool(glued) or unit in LOOSE)
    noun = re.fullmatch(r"([-+]?[\d.,]+)\s([a-zA-Z]+)", text)
    return Quantity(noun[1], noun[2].casefold()) if noun and noun[2].casefold() in COUNTED else None


def _unit(text: str) -> str | None:
    """A unit as pint writes it, None for what is none."""
    text = re.sub(r"\^\{(-?\d)\}", r"^\1", re.sub(r"\s?\bper\s", "/", text))
    shape = _NAME.sub(lambda name: "u" if _spelt(name[0]) else "?", text)
    if not _SHAPE.fullmatch(shape) or shape.count("(") != shape.count(")"):
        return None
    if " " in text and text not in _SPACED and not set("/^") & set(shape):
        return None
    return _NAME.sub(lambda name: _spelt(name[0]), text).replace(" ", "*")


def _spelt(name: str) -> str:
    return UNITS.get(name) or len(name) > 3 and UNITS.get(name.casefold()) or ""


@lru_cache
def _registry():
    """pint's units, imported by who first compares two that differ: it takes half a second."""
    import pint

    registry = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    for name in ("dollar", "euro", "sterling"):
        registry.define(f"{name} = [{name}]")
    registry.define("cent_piece = dollar / 100")
    return registry


def factor(unit: str, other: str) -> Fraction | None:
    """How many `other` one `unit` is; 0 where they measure different things, None where that can't be told.

    >>> factor("kilometer", "meter"), factor("meter", "second"), factor("apples", "meter")
    (Fraction(1000, 1), Fraction(0, 1), None)
    """
    if unit == other:
        return Fraction(1)
    if {unit, other} & (COUNTED | OFFSET):
        return None
    import pint

    with _LOCK:
        registry = _registry()
        try:
            return Fraction(registry.Quantity(Fraction(1), registry.parse_units(unit)).to(other).magnitude)
        except pint.DimensionalityError:
            return Fraction(0)
        except (pint.PintError, ArithmeticError, LookupError, ValueError, TypeError, AssertionError):
            return None
