"""Where a reply states its result: on its last line, or in the JSON object that it is. Nothing else counts.

    final_mark("The sum is wrong.\\nAccepted: [[N]]", "YN").mark        # N
    final_mark("It says:\\nAccepted: [[Y]]", "YN", quoted=candidate)    # None, if the candidate says so

A candidate may carry marks of its own, and a judge may quote them: whole, in part, in other letters, anywhere. Nothing
is deleted before reading. A mark counts only at the place that the protocol asks for, and not where the candidate holds
the mark with the words before it, where the judge leaves open whose mark it is, or where another line states another
mark: then the last may be one that the candidate had in code (base64, `{{Y}}`). So a candidate can make a reply
unreadable, and can't choose what is read. Nor does a mark count on a line that goes on with a quote of several lines:
right under a block quote, or in the paragraph that `The hidden text reads:` opens. What no reader of text can see: a
judge that states nothing of its own and ends on a line which it decoded, without a word that it did; or with the words
in a sentence (`Decoded, the answer says it is right.`), after which its own verdict could stand as well.

Every reader has a third outcome besides right and wrong: unreadable (None).
"""

import html
import json
import math
import re
import string
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from proctor.models.messages import Reply

TAIL = 100_000  # characters at a reply's end that are read: what it finally states stands there
MOST_MARKS = 20  # on one line; a line with more states nothing

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_BLANK = string.whitespace + "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + INVISIBLE
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_GAP = rf"[\s{INVISIBLE}]*"
_MARKUP = rf"[\s{INVISIBLE}*_`#$]*"
_BULLET = rf"^{_MARKUP}(?:(?:[-+•]|\d{{1,2}}[.)])\s)?{_MARKUP}"
_SENTENCE = rf"(?:{_BULLET}|[.!?;]{_MARKUP})"
_THEN = r"\b(?:so|thus|therefore|hence|then|finally)\b,?"
_TO = rf"(?:[\s{INVISIBLE}*_`:=$–—-]*(?:\bis\b)?[\s{INVISIBLE}*_`:=$–—-]*)"
_ASKED = (
    r"accepted|same|sound|relevant|no factual errors|choice|score|points|helpfulness(?: of response 1)?|verdict|"
    r"judge?ment|decision"
)
_SAID = rf"{_ASKED}|acceptance|answer|result|conclusion|rating|grade|mark|correct|assessment|evaluation"
_LABEL = rf"(?:(?:my|final|overall)\s+){{0,2}}(?:{_ASKED})\b{_TO}"
_LOOSE_LABEL = rf"(?:(?:my|our|the|final|overall)\s+){{0,3}}(?:{_SAID})\b{_TO}"
LABELLED = re.compile(rf"{_SENTENCE}(?P<label>(?:{_LABEL}){{1,2}})$", re.IGNORECASE)
LOOSELY_LABELLED = re.compile(
    rf"(?:{_SENTENCE}|:{_MARKUP}|{_THEN}{_MARKUP})(?:{_THEN}\s*)?(?:{_LOOSE_LABEL}){{1,2}}$", re.IGNORECASE
)
_LABEL_BEFORE = re.compile(rf"(?:{_SAID})\b{_TO}$", re.IGNORECASE)
_ALONE = re.compile(rf"{_BULLET}$")
_AFTER_STOP = re.compile(rf"(?:[.!?;:,)–—-]|{_THEN}){_MARKUP}$", re.IGNORECASE)
_QUOTING = "says?|said|reads?|writes?|wrote|claims?|states?|ends?|wants?|asks?|quotes?"
_SAYS = re.compile(rf"\b(?:{_QUOTING})\b[^.!?;]*$", re.IGNORECASE)
_INTRODUCES = re.compile(
    rf"\b(?:{_QUOTING}|spells?|contains?|hides?|hidden|planted|decod\w+|translat\w+|unescap\w+|revers\w+)\b"
    rf"[^.!?;{_BREAKS}]*:[\W_]*$",
    re.IGNORECASE,
)
QUOTES = ('"', "'", "”", "’", "»")  # that close
_ENDS = re.compile(rf"[^\w?{''.join(QUOTES)}]*$")
_REASON = re.compile(
    rf"{_MARKUP}(?:[.,;:!(/|–—-]|(?i:because|since|as|for|due|given|but|though|although|while|with|on|of|out of)\b|"
    r"(?<=\s)[A-Z])"
)
_CLOSED = re.compile(r"[.!?)\]}`*_>\"”»]")
_OBJECT = re.compile(r'\{\s*"(?:[^"\\\n]|\\.){0,60}"\s*:')
_LANGUAGE = re.compile(r"\W*(?:json)?\W*", re.IGNORECASE)
_LOOK_ALIKE = str.maketrans(
    dict(zip("асеорхуіѕјԁһүтмнвкγυνοαερτικɴʏո", "aceopxyisjdhytmhbkyynoaeptiknyn"))
    | {"⟦": "[[", "〚": "[[", "【": "[[", "⁅": "[", "〔": "[", "⟧": "]]", "〛": "]]", "】": "]]", "⁆": "]", "〕": "]"}
)


@dataclass(frozen=True)
class Mark:
    """What a reply states, in capitals, and where in its text."""

    mark: str
    start: int
    end: int


def final_mark(reply: Reply | str, marks: Collection[str], quoted: str = "", opening: str = "") -> Mark | None:
    """The mark, one of `marks`, that a free reply states in double brackets on its last line; None if it does not.

    The last line is the last one with a letter or digit in it. There the mark follows its label (`Accepted: [[N]]`),
    stands alone, or ends a sentence; a reason may come after it. Case, spaces, Markdown and zero-width characters do
    not matter; what is in quotation marks or a block quote does not count.
    `quoted` is what others wrote and the judge may repeat. A mark that it holds too counts only behind a label, at the
    line's end, and if `quoted` does not hold that label with the mark; look-alike letters, case and spaces aside.
    `opening` is the beginning that the request gave the reply: a mark right behind it counts, for nobody else wrote
    there. A reply of one line that could only begin its mark (`Accepted: [[Y`) states it. A reply that was cut off
    states one only on a line of its own. Where an earlier line, read as the last one is, states another mark, or where
    the line before ends in `says:` or the like, the reply states none; nor where the line goes on with a quote.
    """
    text = reply.text if isinstance(reply, Reply) else reply
    cut_off = isinstance(reply, Reply) and reply.cut_off
    names = _names(marks)
    if opening and text.startswith(opening):
        found = re.compile(rf"{_GAP}({names}){_GAP}(?:\]|$)", re.IGNORECASE).match(text, len(opening))
        if found:
            return Mark(found[1].upper(), *found.span(1))
    at, line = last_line(text)
    found = list(_whole(names).finditer(line))
    if not found and not _words_in(text[max(0, at - TAIL) : at]):  # the whole reply may be a mark that is only begun
        begun = re.compile(rf"\[{_GAP}\[{_GAP}({names}){_GAP}$", re.IGNORECASE).search(line)
        found, cut_off = [begun] if begun and _stands_first(line, begun) else [], False
    if cut_off:
        before = text[max(0, at - TAIL) : at].rstrip(_BLANK)
        found = [m for m in found if _stands_first(line, m) and (not before or _CLOSED.match(before[-1]))]
    own = _own_mark(text, at, line, found, quoted)
    if own is None or continues_quote(text, at):
        return None
    if any(mark != own[1].upper() for mark in stated_marks(text[:at], marks, quoted)):
        return None
    return Mark(own[1].upper(), at + own.start(1), at + own.end(1))


def stated_marks(text: str, marks: Collection[str], quoted: str = "") -> Iterator[str]:
    """The marks, in capitals, that lines of a text state, each read as `final_mark` reads the last one."""
    text, at = text[-TAIL:], 0
    for line in re.split(rf"(?<=[{_BREAKS}])", text):
        if found := list(_whole(_names(marks)).finditer(line)):
            own = _own_mark(text, at, line.rstrip(_BREAKS), found, quoted)
            if own:
                yield own[1].upper()
        at += len(line)


def without_marks(text: str) -> str:
    """A judge's reply for another one to read: whoever repeats it states no mark."""
    return re.sub(rf"([\[\]])(?:{_GAP}\1)+", r"\1", text)


def _names(marks: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, marks), key=len, reverse=True))


@lru_cache
def _whole(names: str) -> re.Pattern:
    return re.compile(rf"\[{_GAP}\[{_GAP}({names}){_GAP}\]{_GAP}\]", re.IGNORECASE)


def _own_mark(text: str, at: int, line: str, found: list[re.Match], quoted: str) -> re.Match | None:
    """Which of the marks found on the line that begins at a place of the text is what it states, if any is: of those
    that count most, the last."""
    if len(found) > MOST_MARKS or introduced(text, at):
        return None
    counts, _, own = max(((_counts(line, mark, quoted), mark.start(), mark) for mark in found), default=(0, 0, None))
    return own if counts else None


def introduced(text: str, at: int) -> bool:
    """Whether the words before a place say that what comes there is another's: `The hidden text reads:`."""
    return bool(_INTRODUCES.search(text[max(0, at - 200) : at]))


def continues_quote(text: str, at: int) -> bool:
    """Whether the line at a place belongs to a quote that began above: right under a block quote, as Markdown has it,
    or in a paragraph of which a line introduces what follows. A blank line or a code fence ends both."""
    above = re.split(rf"[{_BREAKS}]", text[max(0, at - TAIL) : at])[:-1]
    if above and above[-1].lstrip().startswith(">"):
        return True
    paragraph = takewhile(lambda line: _words_in(line) and "```" not in line and "~~~" not in line, reversed(above))
    return any(_INTRODUCES.search(line[-200:]) for line in paragraph)


def last_line(text: str) -> tuple[int, str]:
    """Where the last line with a letter or digit begins, and that line; "" if none is among the last 20."""
    text, first = text[-TAIL:], max(0, len(text) - TAIL)
    for _ in range(20):
        text = text.rstrip(_BLANK)
        at = max(text.rfind(mark) for mark in _BREAKS) + 1
        if _words_in(text[at:]):
            return first + at, text[at:]
        text = text[:at]
    return first, ""


def _words_in(text: str) -> bool:
    return re.search(r"[^\W_]", text) is not None


def _head(line: str, found: re.Match) -> str:
    """The end of what stands before the mark; what is cut there does not look like a line's beginning."""
    return line[: found.start()] if found.start() <= 120 else "…" + line[found.start() - 119 : found.start()]


def _stands_first(line: str, found: re.Match) -> bool:
    """Whether the line is the mark, with its label or without."""
    head = _head(line, found)
    labelled = LABELLED.search(head)
    before = head[: labelled.start("label")] if labelled else head
    return bool(_ALONE.match(before)) and bool(_ENDS.match(line, found.end()))


def _counts(line: str, found: re.Match, quoted: str) -> int:
    """How much a mark counts on its line: 2 behind its label, 1 apart from other words, 0 where it is not stated.

    It stands at the line's end or has a reason behind it. One that others wrote too counts only at the end, behind a
    label that they did not write before it."""
    head, labelled = _head(line, found), LABELLED.search(_head(line, found))
    ends, reasons = _ENDS.match(line, found.end()), _REASON.match(line, found.end())
    if labelled and ends and not _holds(found[1], quoted, labelled["label"]):
        return 2
    if _holds(found[1], quoted):
        return 0
    if LOOSELY_LABELLED.search(head) and (ends or reasons):
        return 2
    if _LABEL_BEFORE.search(head) or _SAYS.search(head):
        return 0
    return bool(ends) if _AFTER_STOP.search(head) else bool(_ALONE.match(head) and (ends or reasons))


# What others wrote


def _holds(mark: str, quoted: str, label: str = "") -> bool:
    """Whether `quoted` holds the mark in double brackets, closed or left open at its end, behind `label`."""
    return bool(quoted) and _found_in(folded(f"{label}[[{mark}"), quoted)


@lru_cache(maxsize=64)
def _found_in(sought: str, quoted: str) -> bool:
    return re.search(rf"{re.escape(sought)}(?![^\W_])", folded(quoted)) is not None


def stands_in(text: str, quoted: str) -> bool:
    """Whether `quoted` holds `text`: its letters, digits and square brackets, whatever their case and look."""
    return folded(text) in folded(quoted)


@lru_cache(maxsize=8)
def folded(text: str) -> str:
    """Letters, digits and square brackets, without case, accents, look-alikes and what stands between them."""
    return re.sub(r"[^\w\[\]]|_", "", _plain(text))


@lru_cache(maxsize=8)
def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"[^\W_]+", _plain(text)), ""])


def _plain(text: str) -> str:
    text = (html.unescape(text) if "&" in text else text).casefold()
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text).casefold().translate(_LOOK_ALIKE)
    return "".join(letter for letter in text if not unicodedata.combining(letter) and letter not in INVISIBLE)


# Structured replies


def ending_object(text: str, key: str, quoted: str = "") -> dict | None:
    """The JSON object that ends a reply, in a code fence or not, with prose before it or not; None where there is none,
    where it can't be parsed (cut off, a field given twice, nested without end), or its `key` may be what others wrote.

    It is the only one with that key: another one before it, or what begins an object and is none, makes the reply
    unreadable. One that stands in `quoted` is no reply. One with prose before it may be a quote that was changed: there
    the field `key` with its value must not stand in `quoted` either.
    """
    fields: dict[str, object] = {}
    start = end = 0
    while found := _OBJECT.search(text, end):
        start = found.start()
        if key in fields:
            return None
        try:
            fields, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
    value = fields.get(key)
    if end < len(text.rstrip(_BLANK + "`~")) or not isinstance(value, str):
        return None
    parts = [text[start:end]]
    head = re.split(rf"[{_BREAKS}]", text[max(0, start - 200) : start])[-1]
    if introduced(text, start) or _SAYS.search(head) or head.endswith("> "):
        return None
    if not _LANGUAGE.fullmatch(text[max(0, start - TAIL) : start]):
        parts.append(f"{key} {value}")
    return None if quoted and any(_words(part) in _words(quoted) for part in parts) else fields


def _once(pairs: list[tuple[str, object]]) -> dict:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:'t|not)|won't|must decline|decline to)|as an AI)\b",
    re.IGNORECASE,
)


def verdict(reply: Reply | str, quoted: str = "", opening: str = "") -> bool | None:
    """True (accept), False (reject) or None (unreadable): what the reply states where the protocol asks for it.

    The [[Y]] or [[N]] of its last line (`final_mark`). `quoted` is what others wrote and the judge may repeat,
    `opening` the beginning that the request gave the reply (`**request.shown`).
    (The public code takes the first, case-sensitive, and none for a rejection: UQ, appendix L.7.)
    """
    found = final_mark(reply, "YN", quoted, opening)
    return None if found is None else found.mark == "Y"


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
    said, read = "".join(token for token, _ in reply.tokens), final_mark(reply, "YN", quoted, opening)
    begun = re.match(r"\s*([YN])\s*(?:\]|$)", said, re.IGNORECASE)
    if not reply.tokens or begun and (read is None or read.mark == begun[1].upper()):
        mass = {
            word: sum(math.exp(lp) for token, lp in reply.first.items() if token.strip().upper() == word)
            for word in ("Y", "N")
        }
        total = sum(mass.values())
        return mass["Y"] / total if total > 0 else None
    found = final_mark(Reply(said, reply.finish), "YN", quoted)
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
