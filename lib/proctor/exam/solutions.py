"""Solutions as people write them: alternatives, unions, plus or minus, inequalities and mixed numbers.

All take and give an answer in normal form (`answer_match.normal`); what they do not know they leave as it is.
"""

import re

_MIXED = re.compile(
    r"([-+]?\d{1,6})(?:\s(\d{1,4})/(\d{1,4})|\s?\\frac\s?(?:\{(\d{1,4})\}\{(\d{1,4})\}|(\d)\s?(\d)))\s?"
)
_SIGN = r"\s?(<=?|>=?|\\leq?(?![a-z])|\\geq?(?![a-z])|\\lt(?![a-z])|\\gt(?![a-z]))\s?"
_CHAIN = re.compile(rf"([^<>]{{1,60}}?){_SIGN}([A-Za-z]){_SIGN}([^<>]{{1,60}})")
_ONE_SIDE = re.compile(rf"([A-Za-z]){_SIGN}([^<>A-Za-z]{{1,60}}|[^<>]{{0,30}}\\[^<>]{{1,30}})")
_ASIDE = re.compile(rf"([^<>A-Za-z]{{1,60}}?){_SIGN}([A-Za-z])")


def mixed(text: str) -> str:
    """2 1/2, 2½ and 2\\frac{1}{2} as a fraction."""
    found = _MIXED.fullmatch(text)
    if not found:
        return text
    whole, *of = found.groups()
    above, below = (int(part) for part in of if part)
    if not 0 < above < below:
        return text
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{abs(int(whole)) * below + above}/{below}"


def unknown(text: str) -> str:
    """The name that an inequality or a membership is about."""
    found = re.match(r"([A-Za-z])\s?\\in(?![a-z])", text) or re.search(rf"{_SIGN}([A-Za-z])(?![A-Za-z])", text)
    found = found if found else re.match(rf"([A-Za-z]){_SIGN}", text)
    return next((part for part in found.groups() if part and len(part) == 1 and part.isalpha()), "") if found else ""


def solutions(text: str) -> str:
    """Alternatives, unions, ± and inequalities as sets and intervals; anything else as it is."""
    text = re.sub(r"^[A-Za-z]\s?\\in(?![a-z])\s?", "", text)
    text = re.sub(r"^\{([^{}]*)\}$", r"⦃\1⦄", text)
    text = re.sub(r"^\](.*,.*)([\[\]])$", lambda m: f"({m[1]}" + (")" if m[2] == "[" else "]"), text)
    text = re.sub(r"^\[([^\[\]]*,[^\[\]]*)\[$", r"[\1)", text)
    alternatives = re.split(r",?\s+or\s+|\s?\\(?:lor|cup)(?![a-z])\s?", text)
    if len(alternatives) > 1:
        found = [solutions(part.strip()) for part in alternatives]
        if all(re.fullmatch(r"[A-Za-z](_\w)?=.+", part) for part in found):
            found = (
                [part.partition("=")[2] for part in found] if len({p.partition("=")[0] for p in found}) == 1 else found
            )
        return "⦃" + ",".join(part.strip("⦃⦄") for part in found) + "⦄"
    if re.match(r"(?:[A-Za-z](?:_\w)?=)?\\pm(?![a-z])", text) and text.count(r"\pm") == 1 and "," not in text:
        value = text.partition(r"\pm")[2].strip()
        return f"⦃{value},-({value})⦄"
    if text.count(r"\pm") == 1 and "," not in text and "/" not in text:
        return "⦃" + text.replace(r"\pm", "+") + "," + text.replace(r"\pm", "-") + "⦄"
    return _interval(text)


def _interval(text: str) -> str:
    """0 < x <= 1 as (0, 1], x > 3 as (3, infinity)."""
    if found := _CHAIN.fullmatch(text):
        low, first, _, second, high = found.groups()
        if _less(first) and _less(second):
            return ("[" if _weak(first) else "(") + f"{low},{high}" + ("]" if _weak(second) else ")")
        return text
    if found := _ONE_SIDE.fullmatch(text):
        sign, bound = found[2], found[3]
    elif found := _ASIDE.fullmatch(text):
        sign, bound = {"<": ">", ">": "<"}.get(found[2][0], found[2]), found[1]
        if found[2].startswith("\\"):
            sign = found[2].replace("l", "G").replace("g", "l").replace("G", "g")
        elif found[2].endswith("="):
            sign += "="
    else:
        return text
    if _less(sign):
        return rf"(-\infty ,{bound}" + ("]" if _weak(sign) else ")")
    return ("[" if _weak(sign) else "(") + rf"{bound},\infty )"


def _less(sign: str) -> bool:
    return sign.startswith(("<", r"\l"))


def _weak(sign: str) -> bool:
    return "=" in sign or "e" in sign
