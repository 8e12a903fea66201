"""Answers in words: the same text, yes and no, days, chemical formulas.

Solutions as people write them: alternatives, unions, plus or minus, inequalities and mixed numbers.

`same_text`, `affirms` and `day` take an answer as given, the others in normal form (`answer_match.normal`); what these
do not know they leave as it is.
"""

import re
import unicodedata
from collections import Counter
from contextlib import suppress
from datetime import date, datetime

from proctor.exam.formula import GREEK
from proctor.exam.units import UNITS
from proctor.models.read_answer import NUMBERS

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_QUOTES = ("''", '""', "``", "“”", "‘’", "()", "**")
_FORMULA = re.compile(r"[\\^_=+*/<>|{}]|\d[^\W\d_]|[^\W\d_]\d")
_SHORT_WORDS = set("of in is it to by on or as an and the".split())
_CAPITALS = set("HBCNOFPSKVYIWU")  # elements of one letter
_HEDGE = r"but|unless|only|if|except|however|although"
_DOUBT = {  # what takes a yes, or a no, back
    True: re.compile(rf"\b(?:{_HEDGE}|no|not|false|never)\b|n['’]t\b", re.IGNORECASE),
    False: re.compile(rf"\b(?:{_HEDGE}|yes|true)\b", re.IGNORECASE),
}
_COMPOUND = re.compile(r"(?:[A-Z][a-z]?\d{0,3}){1,20}")
_ELEMENTS = set(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr".split()
)


def same_text(one: str, two: str) -> bool:
    """Equal but for articles, outer punctuation and quotes, and the case of words."""
    return _same_words(_plain(one), _plain(two))


def _plain(text: str) -> str:
    text = " ".join(unicodedata.normalize("NFC", text).translate(_INVISIBLE).split())
    for _ in range(4):
        before, text = text, re.sub(r"^(?:[ ,;:?]|\.(?!\d))+|[ .,;:?]+$", "", text)
        for begin, end in _QUOTES:
            if len(text) > 1 and text.startswith(begin) and text.endswith(end) and end not in text[1:-1]:
                text = text[1:-1]
        text = re.sub(r"^\*\*(.*)\*\*$", r"\1", text)
        if text == before:
            break
    return re.sub(r"^(the|a|an) (?=.)", "", text, flags=re.IGNORECASE) or text or before


def _same_words(one: str, two: str) -> bool:
    """Equal, or different in the case of words only; not of symbols: Co and CO, mW and MW, Aa and AA, n and N."""
    if one == two:
        return True
    if one.casefold() != two.casefold() or _FORMULA.search(one):
        return False
    first, second = (re.split(r"([^\W\d_]+)", text) for text in (one, two))
    return len(first) == len(second) and all(
        a == b or a.casefold() == b.casefold() and _word(a) and _word(b) for a, b in zip(first, second)
    )


def _word(text: str) -> bool:
    """Whether the case of these letters says nothing: Paris, paris and PARIS, but no short symbol."""
    plain = text.casefold()
    if plain in _SHORT_WORDS:
        return True
    if len(plain) < 3 or text in UNITS or plain in GREEK or re.fullmatch(r"(?:([a-z])\1)+", plain):
        return False
    capitals = text == text.upper()
    return text == plain or text[1:] == text[1:].lower() or capitals and not (len(text) < 5 and set(text) <= _CAPITALS)


def affirms(text: str, whole: bool = False) -> bool | None:
    """Yes and True as True, No and False as False; None for another word, and for one that goes on to doubt it."""
    found = re.match(r"\W{0,6}(yes|true|no|false)\b[\s*.\"']{0,6}(?:[,;:.!—–-]|\Z)", text, re.IGNORECASE)
    if not found:
        return None
    rest = text[found.end() :]
    said = found[1].casefold() in ("yes", "true")
    if rest.strip(" *.") and (whole or _DOUBT[said].search(rest)):
        return None
    return said


def same_compound(one: str, two: str) -> bool | None:
    """Chemical formulas: the same sequence is True, other numbers of atoms False, another order None."""
    texts = [re.sub(r"[\s_{}]", "", text) for text in (one, two)]
    if not all(_COMPOUND.fullmatch(text) for text in texts) or not any(re.search(r"\d", text) for text in texts):
        return None
    atoms: list[Counter] = [Counter(), Counter()]
    for text, count in zip(texts, atoms):
        for symbol, number in re.findall(r"([A-Z][a-z]?)(\d*)", text):
            if symbol not in _ELEMENTS:
                return None
            count[symbol] += int(number or 1)
    return True if texts[0] == texts[1] else False if atoms[0] != atoms[1] else None


_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y")


def day(text: str) -> date | None:
    """The day that the whole text names, year first or with the month in words; None for any other text.

    >>> day("2024-03-05") == day("March 5th, 2024"), day("05/03/2024")
    (True, None)
    """
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|[.,]", "", text).strip()
    for form in _DAYS if re.search(r"\b\d{4}\b", text) else ():
        with suppress(ValueError):
            return datetime.strptime(text, form).date()
    return None


def counted(text: str) -> str:
    """A number below a hundred in words as digits; any other text as it is.

    >>> counted("Forty-two"), counted("forty winks")
    ('42', 'forty winks')
    """
    return str(NUMBERS.get(text.strip().casefold().replace(" ", "-"), text))


def mixed(text: str) -> str:
    """2 1/2, 2½ and 2\\frac{1}{2} as a fraction."""
    plain = re.sub(r"\s?\\frac\s?(?:\{(\d+)\}\{(\d+)\}|(\d)\s?(\d))", r" \1\3/\2\4", text)
    found = re.fullmatch(r"([-+]?)(\d{1,6}) (\d{1,4})/(\d{1,4})\s?", plain)
    if not found or not 0 < int(found[3]) < int(found[4]):
        return text
    return f"{found[1].strip('+')}{int(found[2]) * int(found[4]) + int(found[3])}/{int(found[4])}"


def unknown(text: str) -> str:
    """The name that an inequality or a membership is about."""
    patterns = (r"([A-Za-z])\s?\\in(?![a-z])", r".*?[<>]=?([A-Za-z])(?![A-Za-z])", r"([A-Za-z])[<>]")
    return next((found[1] for pattern in patterns if (found := re.match(pattern, text))), "")


def solutions(text: str) -> str:
    """Alternatives, unions, ± and inequalities as sets and intervals; anything else as it is."""
    text = re.sub(r"^[A-Za-z]\s?\\in(?![a-z])\s?", "", text)
    text = re.sub(r"^\{([^{}]*)\}$", r"⦃\1⦄", text)
    if french := re.fullmatch(r"([\[\]])([^\[\]]*,[^\[\]]*)([\[\]])", text):  # ]0, 1] is (0, 1]
        text = ("(" if french[1] == "]" else "[") + french[2] + (")" if french[3] == "[" else "]")
    alternatives = re.split(r",?\s+or\s+|\s?\\(?:lor|cup)(?![a-z])\s?", text)
    if len(alternatives) > 1:
        found = [solutions(part.strip()) for part in alternatives]
        sides = [re.fullmatch(r"([A-Za-z](?:_\w)?)=(.+)", part) for part in found]
        if len({side and side[1] for side in sides}) == 1:  # of one name, or none is an equation
            found = [side[2] if side else part for side, part in zip(sides, found)]
        return "⦃" + ",".join(part.strip("⦃⦄") for part in found) + "⦄"
    both = re.fullmatch(r"(?:[A-Za-z](?:_\w)?=)?(\\pm(?![a-z]).*)", text)
    if text.count(r"\pm") == 1 and "," not in text and (both or "/" not in text):
        value = both[1] if both else text
        return "⦃" + value.replace(r"\pm", "+") + "," + value.replace(r"\pm", "-") + "⦄"
    return _interval(text)


def _interval(text: str) -> str:
    """0 < x <= 1 as (0, 1], x > 3 as (3, infinity)."""
    parts = re.split("([<>]=?)", text)
    if len(parts) == 3 and re.fullmatch("[A-Za-z]", parts[2]):  # 3 > x
        parts = [parts[2], parts[1].translate(str.maketrans("<>", "><")), parts[0]]
    if len(parts) == 3 and ("\\" in parts[2] or not re.search("[A-Za-z]", parts[2])):  # x > 3
        name, sign, bound = parts
        upper = sign.startswith("<")
        parts = [r"-\infty ", "<", *parts] if upper else [bound, sign.replace(">", "<"), name, "<", r"\infty "]
    if len(parts) != 5 or not re.fullmatch("[A-Za-z]", parts[2]) or {parts[1][0], parts[3][0]} != {"<"}:
        return text
    return ("[" if "=" in parts[1] else "(") + f"{parts[0]},{parts[4]}" + ("]" if "=" in parts[3] else ")")
