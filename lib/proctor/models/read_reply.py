"""Read a reply. Every reader has a third outcome besides right and wrong: unreadable (None)."""

import math
import re

from proctor.models.final_line import TAIL, Mark, final_mark, own_field, own_values, stated_marks, structured
from proctor.models.messages import Reply

_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'t|not)|won't|must decline|decline to)|as an AI)\b",
    re.IGNORECASE,
)


def verdict(reply: Reply | str, quoted: str = "", opening: str = "") -> bool | None:
    """True (accept), False (reject) or None (unreadable): what the reply states where the protocol asks for it.

    Of a free reply the [[Y]] or [[N]] of its last line, of a reply in JSON (prompts.VERDICT) the field `accepted`,
    whatever its reasoning says; None where it states both. `quoted` is what others wrote and the judge may repeat,
    `opening` the beginning that the request gave the reply (`**request.shown`). How they count: `final_line.final_mark`
    and `own_field`.
    (The public code takes the first, case-sensitive, and none for a rejection: UQ, appendix L.7.)
    """
    found = _verdict(reply, quoted, opening)
    return None if found is None else found.mark == "Y"


def _verdict(reply: Reply | str, quoted: str, opening: str) -> Mark | None:
    text = reply.text if isinstance(reply, Reply) else reply
    found = structured(text)
    if found is None:
        mark = final_mark(reply, "YN", quoted, opening)
        return mark if mark and own_values(text, "accepted", quoted) <= {mark.mark} else None
    said = (own_field(found, text, "accepted", quoted) or "").upper()
    if said not in ("Y", "N") or not {said}.issuperset(stated_marks(text[: found.start], "YN", quoted)):
        return None
    written = re.compile(rf'"accepted"\s*:\s*"\s*({said})', re.IGNORECASE)
    places = [match.span(1) for match in written.finditer(text, found.start, found.end)]
    return Mark(said, *places[-1]) if places else Mark(said, found.start, found.end)


def why_unreadable(reply: Reply) -> str:
    """In a few words, why `verdict` is None: empty, cut off, a refusal, or no verdict."""
    if not reply.text.strip():
        return "empty"
    if reply.cut_off:
        return "cut off"
    return "refuses" if _REFUSAL.search(reply.text[-TAIL:].replace("’", "'")) else "no verdict"


def p_accept(reply: Reply, quoted: str = "", opening: str = "") -> float | None:
    """Probability of Y against N where `verdict` reads it; None where the reply has no token probabilities there.

    Of a reply that is its verdict, or that begins with it behind its `opening`, from the alternatives to the first
    token. Of one that reasons first, the probability that it gave to the verdict's letter once it had reasoned, or one
    minus that of an N.
    """
    said, read = "".join(token for token, _ in reply.tokens), _verdict(reply, quoted, opening)
    begun = re.match(r"\s*([YN])\s*(?:\]|$)", said, re.IGNORECASE)
    if not reply.tokens or begun and (read is None or read.mark == begun[1].upper()):
        mass = {
            word: sum(math.exp(lp) for token, lp in reply.first.items() if token.strip().upper() == word)
            for word in ("Y", "N")
        }
        total = sum(mass.values())
        return mass["Y"] / total if total > 0 else None
    found = _verdict(Reply(said, reply.finish), quoted, "")
    if found is None or read is None or found.mark != read.mark:
        return None
    p = mean_probability(reply, found.start, found.end)
    return p if p is None or found.mark == "Y" else 1 - p


def mean_probability(reply: Reply, first: int, last: int) -> float | None:
    logs, start = [], 0
    for token, logprob in reply.tokens:
        end = start + len(token)
        if end > first and start < last:
            logs.append(logprob)
        start = end
    return min(1.0, math.exp(sum(logs) / len(logs))) if logs else None
