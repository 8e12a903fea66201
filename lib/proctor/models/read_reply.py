"""Read a reply. Every reader has a third outcome besides right and wrong: unreadable (None)."""

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from proctor.data.schemas import LETTERS
from proctor.models.final_line import INVISIBLE, TAIL, Mark, final_mark, own_field, structured
from proctor.models.messages import Reply

_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
_NUMBER = re.compile(
    r"([-+−]?)[$£€]?\s*([-+−]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+))(\s*[%°]|\s+[a-z°%]+)?", re.IGNORECASE
)
_SCALES = {"hundred", "thousand", "million", "billion", "trillion", "dozen", "x", "i", "pi"}  # they change the value
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'t|not)|won't|must decline|decline to)|as an AI)\b",
    re.IGNORECASE,
)
_REASONS = "because|since|as|for|and|but|or|with|which|is|not|due|given|based|by|from|rather|instead"  # after a letter
_ANSWER = re.compile(r"^[ \t]*\**(?:Exact )?Answer\**:\**[ \t]*([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_CONFIDENCE = re.compile(r"^[ \t]*\**Confidence\**:[ \t*]*(\d+(?:\.\d+)?)", re.IGNORECASE | re.MULTILINE)
_EXPLANATION = re.compile(r"Explanation\**:\**", re.IGNORECASE)


def verdict(reply: Reply | str, quoted: str = "", opening: str = "") -> bool | None:
    """True (accept), False (reject) or None (unreadable): what the reply states where the protocol asks for it.

    Of a free reply the [[Y]] or [[N]] of its last line, of a reply in JSON (prompts.VERDICT) the field `accepted`,
    whatever its reasoning says. `quoted` is what the judge may repeat: the candidate answer. `opening` is the beginning
    that the request gave the reply (`Request.opening`). How they count: `final_line.final_mark` and `own_field`.
    (The public code takes the first, case-sensitive: UQ, appendix L.7; see `first_verdict`.)
    """
    found = _verdict(reply, quoted, opening)
    return None if found is None else found.mark == "Y"


def _verdict(reply: Reply | str, quoted: str, opening: str) -> Mark | None:
    text = reply.text if isinstance(reply, Reply) else reply
    found = structured(text)
    if found is None:
        return final_mark(reply, "YN", quoted, opening)
    said = (own_field(found, text, "accepted", quoted) or "").upper()
    if said not in ("Y", "N"):
        return None
    written = re.compile(rf'"accepted"\s*:\s*"\s*({said})', re.IGNORECASE)
    places = [match.span(1) for match in written.finditer(text, found.start, found.end)]
    return Mark(said, *places[-1]) if places else Mark(said, found.start, found.end)


def _end(reply: Reply | str) -> str:
    text = reply.text if isinstance(reply, Reply) else reply
    return text[-TAIL:]


def why_unreadable(reply: Reply) -> str:
    """In a few words, why `verdict` is None: empty, cut off, a refusal, or no verdict."""
    if not reply.text.strip():
        return "empty"
    if reply.cut_off:
        return "cut off"
    return "refuses" if _REFUSAL.search(_end(reply).replace("’", "'")) else "no verdict"


def first_verdict(text: str) -> bool:
    """What the public UQ code reads: the first [[Y]] or [[N]], case-sensitive; none is a rejection."""
    found = re.search(r"\[\[([YN])\]\]", text)
    return found is not None and found.group(1) == "Y"


def p_accept(reply: Reply, quoted: str = "", opening: str = "") -> float | None:
    """Probability of Y against N where `verdict` reads it; None where the reply has no token probabilities there.

    Of a reply that is its verdict, or that begins with it behind its `opening`, from the alternatives to the first
    token. Of one that reasons first, the probability that it gave to the verdict's letter once it had reasoned, or one
    minus that of an N.
    """
    said = "".join(token for token, _ in reply.tokens)
    if not reply.tokens or re.match(r"\s*[YN]\s*(?:\]|$)", said, re.IGNORECASE):
        mass = {
            word: sum(math.exp(lp) for token, lp in reply.first.items() if token.strip().upper() == word)
            for word in ("Y", "N")
        }
        total = sum(mass.values())
        return mass["Y"] / total if total > 0 else None
    found = _verdict(Reply(said, reply.finish), quoted, "")
    if found is None or found.mark != getattr(_verdict(reply, quoted, opening), "mark", None):
        return None
    p = _mean_probability(reply, found.start, found.end)
    return p if p is None or found.mark == "Y" else 1 - p


@dataclass(frozen=True)
class Stated:
    """The three fields of an exam reply (HLE, appendix C.1.1). `confidence` in [0, 1], None where missing."""

    explanation: str
    answer: str | None
    confidence: float | None


def stated(reply: Reply | str) -> Stated:
    """Explanation, answer and confidence. The last `Answer:` and `Confidence:` lines count; a stated 0 % is a value."""
    text = _end(reply)
    answer = [re.sub(r"^\*\*|\*\*$", "", found.strip()).strip() for found in _ANSWER.findall(text)]
    confidence = _CONFIDENCE.findall(text)
    opening = _EXPLANATION.search(text)
    closing = _ANSWER.search(text, opening.end()) if opening else None
    value = float(confidence[-1]) / 100 if confidence else None
    return Stated(
        text[opening.end() : closing.start() if closing else None].strip() if opening else "",
        (answer[-1] or None) if answer else None,
        value if value is not None and value <= 1 else None,
    )


def letter(text: str | None, options: int) -> str | None:
    """The letter of a multiple-choice answer: an explicit final statement wins over a letter met in prose.

    A and I are also words: "Answer: I cannot say" and "Answer: A careful look" choose nothing, "Answer: A because"
    does.
    """
    if not text:
        return None
    letters = f"[A-{LETTERS[options - 1]}]"
    ends = rf"(?!\w|['’]|(?<=[AI])[ \t]+(?!(?:{_REASONS})\b)[a-z])"
    alone = text.strip(" .()[]*\t\n").upper()
    if len(alone) == 1:
        return alone if re.fullmatch(letters, alone) else None
    for statement in (
        rf"(?i:answer|choice)(?i:\s+is|\s*:)\W*(?i:option\s+|choice\s+)?\(?({letters}){ends}",
        rf"^\W*({letters})\s*[.):\]*]",
        rf"(?i:option|choice)\s\W*({letters}){ends}",
    ):
        if found := re.findall(statement, _end(text)):
            return found[-1]
    return None


def token_probability(reply: Reply, part: str) -> float | None:
    """Geometric mean of the probabilities of the tokens that spell `part`, its last occurrence; None without tokens."""
    at = "".join(token for token, _ in reply.tokens).rfind(part) if part else -1
    return _mean_probability(reply, at, at + len(part)) if at >= 0 else None


def answer_probability(reply: Reply) -> float | None:
    """The same of the stated answer: of what stands in the last `Answer:` line, not of the like elsewhere."""
    text = "".join(token for token, _ in reply.tokens)
    found = list(_ANSWER.finditer(text, max(0, len(text) - TAIL)))
    if not found:
        return None
    start, said = found[-1].start(1), found[-1].group(1).rstrip()
    return _mean_probability(reply, start, start + len(said))


def _mean_probability(reply: Reply, first: int, last: int) -> float | None:
    logs, start = [], 0
    for token, logprob in reply.tokens:
        end = start + len(token)
        if end > first and start < last:
            logs.append(logprob)
        start = end
    return math.exp(sum(logs) / len(logs)) if logs else None


def same_answer(given: str | None, right: str) -> bool:
    """Exact comparison: numbers by value (commas, trailing zeros, and a unit that only one of them gives, aside),
    other text without case, accents' encoding, articles and outer punctuation."""
    if given is None or len(given) > len(right) + TAIL:
        return False
    one, two = _number(given), _number(right)
    if one is not None and two is not None:
        return one[0] == two[0] and (one[1] == two[1] or not one[1] or not two[1])
    return _plain(given) == _plain(right)


def _number(text: str) -> tuple[Decimal, str] | None:
    """Value and unit, or None for what is no single number."""
    found = _NUMBER.fullmatch(text.strip().rstrip(".").strip())
    if not found:
        return None
    sign, digits, unit = found.group(1), found.group(2), (found.group(3) or "").strip().casefold()
    if unit in _SCALES or sign and digits[0] in "-+−":
        return None
    return Decimal((sign + digits).replace(",", "").replace("−", "-")), unit


def _plain(text: str) -> str:
    text = " ".join(unicodedata.normalize("NFC", text).translate(_INVISIBLE).casefold().split())
    outer = " .,;:?'\"*`()"
    return re.sub(r"^(the|a|an) ", "", text.strip(outer)).strip(outer) or text
