"""Read the answer and the confidence that a reply states, as people and models write them.

An answer stands behind a label (`Answer:`, `**Exact Answer**`, `## Final answer`), on its line or below it, in
`\\boxed{}`, in a field (`<answer>`, JSON's "answer", a row of a table), or in a sentence ("the final answer is 7"). Of
labels and boxes the last one counts; a field counts only without either, a sentence only without all.
What can't be read is None, never a guess: "high" is no confidence, and a bare 1 may be 1 % or 100 %.
Every pattern is bounded and looks at the end of a reply only, so that no text holds a reader up.
"""

import json
import re
from dataclasses import dataclass

from proctor.data.schemas import LETTERS
from proctor.models.final_line import TAIL, mean_probability
from proctor.models.messages import Reply

MENTIONS = 300  # the last so many mentions of a word that are looked at
LINES = 60  # of one answer
_MARKS = r"[ \t>#*_`~•+\-]{0,12}(?:\d{1,2}[.)][ \t]{1,3})?[*_]{0,3}"  # heading, list, quotation, bold
_LABEL = re.compile(
    rf"({_MARKS})(?:(?:my|the)[ \t])?(?:(?:final|exact|correct|short)[ \t]){{0,2}}answers?"
    r"(?:[ \t](?:choice|option|letter))?(?:[ \t]?\([^()\n]{0,30}\))?"
    r"([ \t*_`]{0,8})([:：=][*_`]{0,3}|(?=\n|\Z))[ \t]{0,20}",
    re.IGNORECASE,
)
_JSON = r'"((?:[^"\\\n]|\\.){1,2000})"|([-\d.eE+]{1,40}|true|false)'
_NAMED = {  # a field's name, and how it is written around the value; the value is the group that matched
    word: re.compile(
        rf"<(?:final_|exact_)?{word}>([^<]{{1,2000}})</(?:final_|exact_)?{word}>"
        rf'|"(?:final_|exact_)?{word}"[ \t]{{0,3}}:\s{{0,9}}(?:{_JSON})'
        rf"|^[ \t]{{0,3}}\|[ \t*_]{{0,6}}(?:(?:final|exact)[ \t])?{word}[ \t*_]{{0,6}}\|[ \t*_`]{{0,6}}"
        r"([^|\n]{1,500})\|",
        re.IGNORECASE | re.MULTILINE,
    )
    for word in ("answer", "confidence")
}
_CONFIDENCE = re.compile(
    rf"{_MARKS}(?:my[ \t])?confidence(?:[ \t](?:score|level|rating|estimate))?(?:[ \t]?\([^()\n]{{0,30}}\))?"
    r"([ \t*_`]{0,8})([:：=][*_`]{0,3}|(?=\n|\Z))[ \t\n]{0,20}",
    re.IGNORECASE,
)
_FIELD = re.compile(
    rf"{_MARKS}(?:explanation|reasoning|rationale|justification|notes?|(?:(?:my|final|exact)[ \t])?answers?|"
    r"(?:my[ \t])?confidence(?:[ \t](?:score|level))?)[ \t]?(?:\([^()\n]{0,30}\))?[ \t*_`]{0,8}(?:[:：=]|\Z)"
    r"|[ \t]{0,3}#{1,6}[ \t]|[ \t]{0,3}[-*_]{3,9}[ \t]{0,9}\Z",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"[ \t]{0,3}[,;.(\[|—–-]?[ \t*_]{0,4}\bconfidence[ \t]{0,3}(?:score|level)?[ \t*_]{0,4}[:=]", re.IGNORECASE
)
_SENTENCE = re.compile(
    r"(?:\b(\w{1,20})[ \t,:]{1,3})?\b(?:the|my|our)[ \t](?:(?:final|exact|correct|short)[ \t]){0,2}answer[ \t]"
    r"(?:is|would be|must be|should be)[ \t]{0,3}:?[ \t*]{0,5}\n?([^\n]{1,300})",
    re.IGNORECASE,
)
_DOUBT = {"if", "whether", "when", "suppose", "assume", "where", "until", "unless"}
_END = re.compile(r"[.!?](?=\s|\*|$)|[,;]?\s+(?:because|since|as|where|which|so)\b|\s[—–]\s")
_EXPLANATION = re.compile(r"\bexplanation[ \t*_]{0,6}[:\n][ \t*_]{0,6}", re.IGNORECASE)
_CLOSES = {"$$": "$$", r"\[": r"\]", r"\(": r"\)", "```": "```", r"\begin{": r"\end{"}
_PAIRS = (("**", "**"), ("__", "__"), ("`", "`"), ("*", "*"), ("“", "”"))
_REASONS = "because|since|as|for|and|but|or|with|which|is|not|due|given|based|by|from|rather|instead"  # after a letter


@dataclass(frozen=True)
class Stated:
    """The three fields of an exam reply (HLE, appendix C.1.1). `confidence` in [0, 1], None where missing."""

    explanation: str
    answer: str | None
    confidence: float | None


def stated(reply: Reply | str) -> Stated:
    """Explanation, answer and confidence; the last of each counts, and a stated 0 % is a value.

    >>> stated("## Explanation\\nHalf of 14.\\n\\n## Exact Answer\\n$7$\\n\\n**Confidence:** about seventy percent")
    Stated(explanation='Half of 14.', answer='$7$', confidence=0.7)
    """
    text = _end(reply.text if isinstance(reply, Reply) else reply)
    span = _answer_span(text)
    opening = _EXPLANATION.search(text)
    closing = _first_label(text, opening.end()) if opening else None
    return Stated(
        text[opening.end() : closing].strip() if opening else "",
        _cleaned(_unquoted(text, *span)) or None if span else None,
        _confidence(text),
    )


def answer_probability(reply: Reply) -> float | None:
    """Geometric mean of the probabilities of the tokens that spell the stated answer, not the like elsewhere.

    None where no answer or no probability is known."""
    text = "".join(token for token, _ in reply.tokens)
    tail = _end(text)
    span = _answer_span(tail)
    if span is None:
        return None
    first, last = (len(text) - len(tail) + place for place in span)
    return mean_probability(reply, first, last)


def _end(text: str) -> str:
    """The end of a reply, after what a model thought aloud; nothing of a thought that was cut off."""
    thought = text.rfind("</think>")
    if thought >= 0:
        text = text[thought + len("</think>") :]
    elif "<think>" in text[:200]:
        text = ""
    return text[-TAIL:]


# Where the answer stands


def _answer_span(text: str) -> tuple[int, int] | None:
    """First and last place of the answer in `text`; None if it states none."""
    label, box = _last_label(text), _last_boxes(text)
    if not label or label[0] == label[1]:
        return box or _field(text, "answer") or _sentence(text)
    start, end = label
    if inside := _last_boxes(text[start:end]):
        return start + inside[0], start + inside[1]
    return box if box and box[0] >= end else label


def _field(text: str, name: str) -> tuple[int, int] | None:
    """Start and end of the value of the last field of that name: between tags, in JSON, in a row of a table."""
    found = None
    for match in _NAMED[name].finditer(text[-5_000:]):
        found = match
    if found is None:
        return None
    start, end = found.span(found.lastindex or 0)
    said, shift = found[found.lastindex or 0], max(0, len(text) - 5_000)
    start, end = start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip(" \t\n*_`"))
    return (start + shift, end + shift) if start < end else None


def _last_label(text: str) -> tuple[int, int] | None:
    """Start and end of what stands behind the last label; both the same where nothing does."""
    for mention in reversed(_last(r"answer", text)):
        line = text.rfind("\n", max(0, mention - 60), mention) + 1
        found = _LABEL.match(text, line) if line or mention < 60 else None
        if not found or found.end() < mention:
            continue
        marks, closed, sign = found.groups()
        if sign or "#" in marks or "*" in marks + closed or "_" in marks or text[mention] == "A":
            return _block(text, found.end())  # else the word at the end of a line
    return None


def _first_label(text: str, start: int) -> int | None:
    for mention in re.finditer("answer", text[start:], re.IGNORECASE):
        at = start + mention.start()
        line = text.rfind("\n", max(start, at - 60), at) + 1 or start
        found = _LABEL.match(text, line)
        if found and found.end() >= at:
            return line
        if at - start > 20_000:
            break
    return None


def _last(word: str, text: str) -> list[int]:
    """Where the last mentions of a word begin. The text is cut until there are few, so that the search is short."""
    for size in (5_000, TAIL):
        start = max(0, len(text) - size)
        found = [match.start() + start for match in re.finditer(word, text[start:], re.IGNORECASE)]
        if found:
            return found[-MENTIONS:]
    return []


def _block(text: str, start: int) -> tuple[int, int]:
    """The lines from `start` to an empty line or the next field; further where a formula, code or list is open.

    Where nothing stands on the label's own line, the first line with something on it begins the answer."""
    while start < len(text) and text[start] in " \t\n":
        start += 1
    if underline := re.match(r"[=-]{3,80}\s{1,9}", text[start : start + 90]):
        start += underline.end()
    end = place = start
    for _ in range(LINES):
        stop = text.find("\n", place)
        stop = len(text) if stop < 0 else stop
        line = text[place:stop]
        if _FIELD.match(line):
            break
        if inline := _INLINE.search(line[:2_000]):
            return start, place + inline.start()
        if line.strip():
            end = place + len(line.rstrip())
        elif not (_open(text[start:end]) or text[start:end].rstrip(" *").endswith(":")):
            break
        if stop == len(text):
            break
        place = stop + 1
    return start, end


def _open(text: str) -> bool:
    """Whether a formula, an environment or a block of code has begun in `text` and not ended."""
    return any(
        text.count(begin) % 2 if begin == end else text.count(begin) > text.count(end) for begin, end in _CLOSES.items()
    )


def _last_boxes(text: str) -> tuple[int, int] | None:
    """The inside of the last \\boxed{...}, or all boxes of its line where they are several, from first to last."""
    at = text.rfind(r"\boxed")
    if at < 0:
        return None
    line = max(text.rfind("\n", 0, at) + 1, at - 2_000)
    places = [found.start() for found in re.finditer(r"\\boxed[ \t]?\{", text[line : at + 8])]
    if not places:
        return None
    first, last = line + places[0], line + places[-1]
    end = _closing(text, text.index("{", last))
    if end is None:
        return None
    contents = {text[text.index("{", line + p) + 1 : _closing(text, text.index("{", line + p))] for p in places[:20]}
    return (first, end + 1) if len(contents) > 1 else (text.index("{", last) + 1, end)


def _closing(text: str, start: int) -> int | None:
    """Where the brace at `start` closes, within 4,000 characters."""
    depth = 0
    for brace in re.finditer(r"\\.|[{}]", text[start : start + 4_000]):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if depth == 0 and brace[0] == "}":
            return start + brace.start()
    return None


def _sentence(text: str) -> tuple[int, int] | None:
    """What "the answer is" is followed by, to the end of the sentence; not behind "if" and other doubts."""
    for mention in reversed(_last(r"answer[ \t](?:is|would|must|should)", text)):
        found = None
        for begin in range(max(0, mention - 40), mention):  # the sentence that this mention belongs to
            if (match := _SENTENCE.match(text, begin)) and match.start(2) > mention:
                found = match
                break
        if not found or (found[1] or "").casefold() in _DOUBT:
            continue
        said, start = found[2], found.start(2)
        said = said[: end.start()] if (end := _END.search(said)) else said
        start += len(said) - len(said.lstrip())
        return (start, start + len(said.strip())) if said.strip(" *_`") else None
    return None


def _unquoted(text: str, start: int, end: int) -> str:
    """The value between two places; in the quotes of JSON a backslash is written twice."""
    said = text[start:end]
    if text[start - 1 : start] == '"' == text[end : end + 1]:
        try:
            value = json.loads(f'"{said}"')
        except ValueError:
            return said
        return said if any(sign < " " for sign in value) else value  # "\\frac" with one backslash: LaTeX as it stands
    return said


def _cleaned(text: str) -> str:
    """Without the marks around it: bold, code, a fence, a whole box."""
    text = text.strip()
    if fence := re.fullmatch(r"```\w{0,20}\n(.{0,5000}?)\n?```", text, re.DOTALL):
        text = fence[1].strip()
    for _ in range(3):
        for begin, end in _PAIRS:
            if len(text) > len(begin + end) and text.startswith(begin) and text.endswith(end):
                inner = text[len(begin) : -len(end)]
                text = inner.strip() if begin not in inner else text
    for mark in ("**", "__"):  # the label stands in the bold too
        if text.count(mark) == 1 and text.endswith(mark):
            text = text[:-2].strip()
        elif text.count(mark) == 1 and text.startswith(mark):
            text = text[2:].strip()
    return text.strip("`").strip() if text.endswith("```") else text


# Confidence

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_ONES += "seventeen eighteen nineteen".split()
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10)))
NUMBERS = {word: n for n, word in enumerate(_ONES)} | _TENS  # in words, below a hundred
NUMBERS |= {f"{ten}-{_ONES[n]}": value + n for ten, value in _TENS.items() for n in range(1, 10)}
_ABOUT = (
    r"[ \t*_`~≈(\[$]{0,8}(?:(?:about|around|roughly|approximately|approx\.?|circa|i[ ]am|i'm)[ \t]{1,3}"
    r"|(?:very[ ])?(?:high|low|medium|moderate)[ ,:(–—-]{1,4})?[~≈*]{0,3}"
)
_PERCENT = r"[ \t]{0,2}(?:\\?%|per[ ]?cents?\b|percent\b)"
_SHARE = re.compile(
    rf"{_ABOUT}(\d{{1,3}}(?:[.,]\d{{1,6}})?|0?\.\d{{1,6}})(?:({_PERCENT})|[ \t]{{0,2}}(?:/|out[ ]of|\(out[ ]of)"
    r"[ \t]{0,2}(10|100)(?!\d)\)?)?(.{0,80})",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(rf"{_ABOUT}((?:a[ ])?[a-z]{{2,10}}(?:[ -][a-z]{{2,10}}){{0,2}}?){_PERCENT}", re.IGNORECASE)
_RANGE = re.compile(r"[ \t]{0,2}(?:-|–|—|to|±|\+/-|or)[ \t]{0,2}\.?\d", re.IGNORECASE)


def _confidence(text: str) -> float | None:
    """The share that the last label states; None for none, for words that are no number, and for two readings."""
    for mention in reversed(_last("confidence", text)):
        line = text.rfind("\n", max(0, mention - 60), mention) + 1
        found = _CONFIDENCE.match(text, line) if line or mention < 60 else None
        if found and found.end() > mention and (found[2] or "*" in found[0] or "#" in found[0] or text[mention] == "C"):
            return _share(text[found.end() : found.end() + 200].partition("\n")[0])
        before = text[max(0, mention - 200) : mention].rpartition("\n")[2]
        if re.search(r"[,;.(\[|—–-][ \t*_]{0,4}\Z", before) or _LABEL.match(before):  # behind the answer, on its line
            if inline := re.match(r"confidence[ \t]{0,3}(?:score|level)?[ \t*_]{0,4}[:=]", text[mention:], re.I):
                start = mention + inline.end()
                return _share(text[start : start + 200].partition("\n")[0].rstrip(")] "))
    field = _field(text, "confidence")
    return _share(text[slice(*field)]) if field else None


def _share(text: str) -> float | None:
    """A confidence in [0, 1] as it is written behind its label.

    >>> [_share(text) for text in ("70", "70 %", "0.7", "7/10", "about seventy percent", "high", "1", "60-80%")]
    [0.7, 0.7, 0.7, 0.7, 0.7, None, None, None]
    """
    if found := _IN_WORDS.match(text):
        return _word_share(found[1].casefold())
    if not (found := _SHARE.match(text)):
        return None
    digits, percent, scale, rest = found.groups()
    if _RANGE.match(rest) or rest[:1].isalnum() or re.match(r"[.,]\d|\\?%", rest):
        return None
    value = float(digits.replace(",", "."))
    if percent or scale:
        value /= float(scale or 100)
    elif rest.strip(" \t*_`~).]\\$"):
        return None  # "8 on a scale of ten"
    elif value > 1:
        value = value / 100
    elif value == 1 and not re.search(r"[.,]", digits):
        return None  # 1 % or 100 %
    return value if 0 <= value <= 1 else None


def _word_share(words: str) -> float | None:
    said = words.removeprefix("a ").replace("one hundred", "hundred").replace(" ", "-")
    number = 100 if said == "hundred" else NUMBERS.get(said)
    return None if number is None else number / 100


# Letters


def letter(text: str | None, options: int) -> str | None:
    """The letter of a multiple-choice answer: an explicit final statement wins over a letter met in prose.

    A and I are also words: "Answer: I cannot say" and "Answer: A careful look" choose nothing, "Answer: A because"
    does.
    """
    if not text:
        return None
    letters = f"[A-{LETTERS[options - 1]}]"
    ends = rf"(?!\w|['’]|(?<=[AI])[ \t]+(?!(?:{_REASONS})\b)[a-z])"
    alone = re.sub(r"\\(?:boxed|text|mathrm|textbf|mathbf)|[{}$]", "", text[:200]).strip(" .()[]*\t\n").upper()
    if len(alone) == 1 and len(text) <= 200:
        return alone if re.fullmatch(letters, alone) else None
    for statement in (
        rf"(?i:answer|choice)(?i:\s+is|\s*:)\W*(?i:option\s+|choice\s+)?\(?({letters}){ends}",
        rf"^\W*({letters})\s*[.):\]*]",
        rf"(?i:option|choice)\s\W*({letters}){ends}",
    ):
        if found := re.findall(statement, text[-TAIL:]):
            return found[-1]
    return None
