"""Read a quantity, 9.8 m/s^2, by a closed list of units; `pint` says how units relate. A word that is no unit is None.

Case counts (mW and MW). A letter glued to a number may be a variable, and K, M, C, F, T may be thousands, millions or
temperatures: such a unit is `loose` and is met by the like only, never by a bare number.
"""

import re
import threading
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

# Symbol: (pint's name, prefixes that it is written with)
_SYMBOLS = {
    "m": ("meter", "k c d m µ n f"),
    "g": ("gram", "k m µ n"),
    "s": ("second", "m µ n p f"),
    "Hz": ("hertz", "k M G T"),
    "W": ("watt", "m µ k M G T"),
    "V": ("volt", "m µ k M"),
    "A": ("ampere", "m µ n k"),
    "J": ("joule", "m k M G"),
    "eV": ("electron_volt", "m k M G T"),
    "N": ("newton", "m k M"),
    "Pa": ("pascal", "h k M G"),
    "C": ("coulomb", "m µ n p"),
    "F": ("farad", "m µ n p"),
    "T": ("tesla", "m µ n"),
    "L": ("liter", "m µ d"),
    "l": ("liter", "m µ d"),
    "mol": ("mole", "m µ n k"),
    "M": ("molar", "m µ n p"),
    "K": ("kelvin", "m µ n"),
    "Ω": ("ohm", "m k M"),
    "H": ("henry", "m µ"),
    "cal": ("calorie", "k"),
    "bar": ("bar", "m k"),
    "Da": ("dalton", "k M"),
    "pc": ("parsec", "k M G"),
    "Wh": ("watt_hour", "k M G T"),
    "Bq": ("becquerel", "k M G"),
    "Sv": ("sievert", "m µ"),
    "rad": ("radian", "m"),
    "Wb": ("weber", "m"),
}
_WORDS = (
    "meter gram second hertz watt volt ampere joule newton pascal coulomb farad tesla liter mole kelvin ohm henry "
    "calorie radian parsec dalton electronvolt metre litre"
).split()
_SPELT = {"electronvolt": "electron_volt", "metre": "meter", "litre": "liter"}  # otherwise than pint does
_PREFIXES = {"k": "kilo", "c": "centi", "d": "deci", "m": "milli", "µ": "micro", "n": "nano", "p": "pico", "f": "femto"}
_PREFIXES |= {"h": "hecto", "M": "mega", "G": "giga", "T": "tera"}
_OTHERS = {
    "degree": "° deg degree degrees",
    "degree_Celsius": "°C celsius",
    "degree_Fahrenheit": "°F fahrenheit",
    "minute": "min minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "yr yrs year years",
    "second": "sec secs",
    "inch": "in inch inches",
    "foot": "ft foot feet",
    "yard": "yd yard yards",
    "mile": "mi mile miles",
    "mile/hour": "mph",
    "kilometer/hour": "kph kmh",
    "angstrom": "Å angstrom angstroms ångström",
    "astronomical_unit": "au AU",
    "light_year": "ly light-year light-years lightyears",
    "metric_ton": "t tonne tonnes",
    "pound": "lb lbs",
    "ounce": "oz ounce ounces",
    "gallon": "gal gallon gallons",
    "unified_atomic_mass_unit": "u amu",
    "atmosphere": "atm atmosphere atmospheres",
    "torr": "Torr torr",
    "millimeter_Hg": "mmHg",
    "psi": "psi",
    "ampere": "amp amps",
    "newton*meter": "Nm",
    "dollar": "$ dollar dollars USD",
    "euro": "€ euro euros EUR",
    "sterling": "£ GBP",
    "cent_piece": "cents",
}
COUNTED = set(  # nouns that a bare number stands for as well
    "times people persons men women children students workers items things objects ways pieces points steps moves "
    "apples oranges coins books cards eggs boxes marbles balls cats dogs letters words digits sides edges vertices "
    "faces atoms electrons protons neutrons molecules species genes solutions roots states cities countries".split()
)
LOOSE = set("K M C F T H N A u d l".split())
OFFSET = {"degree_Celsius", "degree_Fahrenheit"}
_LOCK = threading.Lock()  # pint's registry fills its caches as it computes


def _closed_list() -> dict[str, str]:
    names = {}
    for symbol, (name, prefixes) in _SYMBOLS.items():
        names[symbol] = name
        names |= {prefix + symbol: _PREFIXES[prefix] + name for prefix in prefixes.split()}
    for word in _WORDS:
        name = _SPELT.get(word, word)
        for prefix in ("", *_PREFIXES.values()):
            names |= {prefix + word: prefix + name, prefix + word + "s": prefix + name}
    for name, written in _OTHERS.items():
        names |= dict.fromkeys(written.split(), name)
    return names


UNITS = _closed_list()
_SPACED = {"N m", "kW h", "W h", "kN m"}  # products written with a space; others need a power or a stroke: 2 g h


class Quantity(NamedTuple):
    """A number as text and a unit: its name in pint, "" for none. `loose`: a bare number is not the same."""

    number: str
    unit: str
    loose: bool = False


def unit_name(text: str) -> str | None:
    """The one name of a unit or of a thing that is counted; None for any other word.

    >>> [unit_name(text) for text in ("km", "Meters", "apples", "KM", "squared")]
    ['kilometer', 'meter', 'apples', None, None]
    """
    if text in UNITS:
        return UNITS[text]
    plain = text.casefold()
    if plain in COUNTED:
        return plain
    return UNITS.get(plain) if len(text) > 3 else None


def quantity(text: str) -> Quantity | None:
    """A text in normal form (`answer_match.normal`) as number and unit; None without a unit of the list.

    >>> quantity("9.8 m/s^2"), quantity("2 n"), quantity("2 g h")
    (Quantity(number='9.8', unit='meter/second^2', loose=False), None, None)
    """
    text = text.replace("μ", "µ").replace("Ω", "Ω").replace(r"\Omega", "Ω")
    text = re.sub(r"\\mu\s*(?=[mgsLlAVFCMH])", "µ", text)
    if len(text) > 80:
        return None
    if money := re.fullmatch(r"([$€£])\s?(\d.*)", text):
        return Quantity(money[2], UNITS[money[1]])
    for start in range(1, len(text)):
        number, unit = text[:start].rstrip("* "), text[start:]
        if text[start].isspace() or not (text[start - 1] in " *})%" or text[start - 1].isdigit()):
            continue
        if re.search(r"[A-Za-z]", re.sub(r"\\(?:pi|frac|sqrt)|(?<=\d)[eE](?=-?\d)", "", number)):
            return None
        if name := _unit(unit.strip()):
            alone = re.match(r"[A-Za-z](?![A-Za-z])", unit)
            glued = text[start - 1] not in " *" and alone is not None and "/second" not in name
            return Quantity(number, name, glued or unit.strip() in LOOSE)
    noun = re.fullmatch(r"([-+]?[\d.,]+)\s([a-zA-Z]+)", text)
    return Quantity(noun[1], noun[2].casefold()) if noun and noun[2].casefold() in COUNTED else None


@lru_cache
def _token() -> re.Pattern[str]:
    """A part of a unit: compiled when the first is read, as few who import this read one and it takes long."""
    name = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
    return re.compile(
        rf"(?P<name>(?:{name})(?![^\W\d_]))|(?P<power>\^\{{?-?\d\}}?)|(?P<sign>\s?per\s|[*/()])|(?P<gap>\s)"
    )


def _unit(text: str) -> str | None:
    """A unit as pint writes it, None for what is none."""
    if text.casefold() in UNITS and len(text) > 3 and text not in UNITS:
        text = text.casefold()
    place, found, gaps = 0, [], 0
    while place < len(text):
        token = _token().match(text, place)
        if not token:
            return None
        if token["name"]:
            found.append(UNITS[token["name"]])
        elif token["power"]:
            found.append("^" + token["power"].strip("^{}"))
        else:
            found.append("/" if (token["sign"] or "").strip() == "per" else token["sign"] or "*")
            gaps += token["gap"] is not None
        place = token.end()
    if not found or found[0] in ("*", "/", ")") or found[0][0] == "^" or found.count("(") != found.count(")"):
        return None
    if gaps and text not in _SPACED and not set("/^") & set("".join(found)):
        return None
    return "".join(found)


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
        except (pint.PintError, ArithmeticError, ValueError, TypeError, AssertionError):
            return None
