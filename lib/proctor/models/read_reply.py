"""Read a reply. Every reader has a third outcome besides right and wrong: unreadable (None)."""

import json
import math
import re

from proctor.models.messages import Reply

_VERDICT = re.compile(r"\[\[\s*([YN])\s*\]\]", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'t|not)|won't|must decline|decline to)|as an AI)\b",
    re.IGNORECASE,
)
TAIL = 100_000  # characters at a reply's end that are read: what it finally states stands there


def verdict(reply: Reply | str, quoted: str = "") -> bool | None:
    """True (accept), False (reject) or None (unreadable): the last well-formed [[Y]] or [[N]].

    Tolerates case, spaces and zero-width characters; leaves out what the judge repeats from `quoted`, the
    candidate answer. (The public code takes the first, case-sensitive: UQ, appendix L.7; see `first_verdict`.)
    A verdict that the reply could only begin, `[[Y` at its very end, counts: the model was bound to one token.
    Of a reply in JSON (prompts.VERDICT) the field `accepted` counts, whatever the reasoning says.
    """
    text = _end(reply)
    if (fields := _json_fields(text)) is not None:
        return {"Y": True, "N": False}.get(str(fields.get("accepted")))
    text = text.translate(_INVISIBLE)
    text, quoted = " ".join(text.split()), " ".join(quoted.translate(_INVISIBLE).split())
    if quoted and _VERDICT.search(quoted):
        text = text.replace(quoted, " ")
    found = _VERDICT.findall(text)
    if not found:
        begun = re.search(r"\[\[\s*([YN])\s*$", text, re.IGNORECASE)
        found = [begun.group(1)] if begun else []
    return found[-1].upper() == "Y" if found else None


def _json_fields(text: str) -> dict | None:
    """The object that the whole text is, as JSON; None for any other text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _end(reply: Reply | str) -> str:
    text = reply.text if isinstance(reply, Reply) else reply
    return text[-TAIL:]


def why_unreadable(reply: Reply) -> str:
    """In a few words, why `verdict` is None: empty, cut off, a refusal, or no verdict."""
    if not reply.text.strip():
        return "empty"
    if reply.cut_off:
        return "cut off"
    return "refuses" if _REFUSAL.search(reply.text.replace("’", "'")) else "no verdict"


def first_verdict(text: str) -> bool:
    """What the public UQ code reads: the first [[Y]] or [[N]], case-sensitive; none is a rejection."""
    found = re.search(r"\[\[([YN])\]\]", text)
    return found is not None and found.group(1) == "Y"


def p_accept(reply: Reply, yes: str = "Y", no: str = "N") -> float | None:
    """Probability of `yes` against `no`; None where the reply has no token probabilities or no verdict.

    Of a reply that is its verdict, from the alternatives to the first token. Of one that reasons first, the
    probability that it gave to the verdict's letter once it had reasoned, or one minus that of a `no`.
    """
    if not reply.tokens or reply.tokens[0][0].strip().upper() in (yes, no):
        mass = {
            word: sum(math.exp(lp) for token, lp in reply.first.items() if token.strip().upper() == word)
            for word in (yes, no)
        }
        total = sum(mass.values())
        return mass[yes] / total if total > 0 else None
    text = "".join(token for token, _ in reply.tokens)
    found = list(re.finditer(rf'(?:\[\[\s*|"accepted":\s*")({yes}|{no})(?:\s*\]\]|")', text, re.IGNORECASE))
    if not found:
        return None
    p = _mean_probability(reply, *found[-1].span(1))
    return p if p is None or found[-1][1].upper() == yes else 1 - p


def _mean_probability(reply: Reply, first: int, last: int) -> float | None:
    logs, start = [], 0
    for token, logprob in reply.tokens:
        end = start + len(token)
        if end > first and start < last:
            logs.append(logprob)
        start = end
    return math.exp(sum(logs) / len(logs)) if logs else None
