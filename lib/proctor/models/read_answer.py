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

LINES = 60  # of one answer
_MARKS = r"[ \t>#*_`~•+\-]{0,12}(?:\d{1,2}[.)][ \t]{1,3})?[*_]{0,3}"  # heading, list, quotation, bold


def _label(words: str) -> re.Pattern:
    """A label that begins a line: its marks, its word, what closes it, and its colon."""
    closed = r"(?:[ \t]?\([^()\n]{0,30}\))?([ \t*_`]{0,8})([:：=][*_`]{0,3}|(?=\n|\Z))[ \t]{0,20}"
    return re.compile(rf"^({_MARKS}){words}{closed}", re.IGNORECASE | re.MULTILINE)


_AN_ANSWER = (
    r"(?:(?:my|the)[ \t])?(?:(?:final|exact|correct|short)[ \t]){0,2}(answer)s?(?:[ \t](?:choice|option|letter))?"
)
_A_CONFIDENCE = r"(?:my[ \t])?(confidence)(?:[ \t](?:score|level|rating|estimate))?"
_ANSWER, _CONFIDENCE = _label(_AN_ANSWER), _label(_A_CONFIDENCE)
_NEXT = _label(rf"(?:explanation|reasoning|rationale|justification|notes?|{_AN_ANSWER}|{_A_CONFIDENCE})")
_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]|[-*_]{3,9}[ \t]{0,9}\Z)")
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
_INLINE = re.compile(  # a confidence behind something else on its line
    r"[ \t]{0,3}+([,;.(\[|—–-]?+)[ \t*_]{0,4}+(?<![^\W_])confidence[ \t]{0,3}(?:score|level)?[ \t*_]{0,4}[:=]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:\b(\w{1,20})[ \t,:]{1,3})?\b(?:the|my|our)[ \t](?:(?:final|exact|correct|short)[ \t]){0,2}answer[ \t]"
    r"(?:is|would be|must be|should be)[ \t]{0,3}:?[ \t*]{0,5}\n?(?=([^\n]{1,300}))",
    re.IGNORECASE,
)
_DOUBT = {"if", "whether", "when", "suppose", "assume", "where", "until", "unless"}
_END = re.compile(r"[.!?](?=\s|\*|$)|[,;]?\s+(?:because|since|as|where|which|so)\b|\s[—–]\s")
_CLOSES = {"$$": "$$", r"\[": r"\]", r"\(": r"\)", "```": "```", r"\begin{": r"\end{"}
_WRAPPED = re.compile(r"(\*\*|__|[`*])(?P<inner>(?:(?!\1).)+)\1|“(?P<quoted>[^“]+)”", re.DOTALL)
_INNER = r"(?:[^{}\\]|\\.)"
for _ in range(20):  # braces in braces
    _INNER = rf"(?:[^{{}}\\]|\\.|\{{{_INNER}*+\}})"
_BOX = re.compile(rf"\\boxed[ \t]?\{{({_INNER}*+)\}}", re.DOTALL)
_REASONS = "because|since|as|for|and|but|or|with|which|is|not|due|given|based|by|from|rather|instead"  # after a letter


@dataclass(frozen=True)
class Stated:
    """What an exam reply states (HLE, appendix C.1.1). `confidence` in [0, 1], None where missing."""

    answer: str | None
    confidence: float | None


def stated(reply: Reply | str) -> Stated:
    """Answer and confidence; the last of each counts, and a stated 0 % is a value.

    Where a reply was cut off, its last line is not read: "Confidence: 9" may have been about to say 95.

    >>> stated("## Explanation\\nHalf of 14.\\n\\n## Exact Answer\\n$7$\\n\\n**Confidence:** about seventy percent")
    Stated(answer='$7$', confidence=0.7)
    """
    text = _end(_whole_lines(reply.text, reply) if isinstance(reply, Reply) else reply)
    span = _answer_span(text)
    return Stated(_cleaned(_unquoted(text, *span)) or None if span else None, _confidence(text))


def answer_probability(reply: Reply) -> float | None:
    """Geometric mean of the probabilities of the tokens that spell the stated answer, not the like elsewhere.

    None where no answer or no probability is known."""
    text = _whole_lines("".join(token for token, _ in reply.tokens), reply)
    tail = _end(text)
    span = _answer_span(tail)
    if span is None:
        return None
    first, last = (len(text) - len(tail) + place for place in span)
    return mean_probability(reply, first, last)


def _whole_lines(text: str, reply: Reply) -> str:
    return text[: text.rfind("\n") + 1] if reply.cut_off else text


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
    label, box = _last(_ANSWER, text), _last_boxes(text)
    start, end = _block(text, label.end()) if label else (0, 0)
    if start == end:
        return box or _field(text, "answer") or _sentence(text)
    if inside := _last_boxes(text[start:end]):
        return start + inside[0], start + inside[1]
    return box if box and box[0] >= end else (start, end)


def _last(label: re.Pattern, text: str) -> re.Match | None:
    """The last label: with a colon, in a heading, bold or with a capital; others are words at the end of a line."""
    found = None
    for match in label.finditer(text):
        marks, word, closed, colon = match.groups()
        if colon or set("#*_") & set(marks) or "*" in closed or word[0].isupper():
            found = match
    return found


def _field(text: str, name: str) -> tuple[int, int] | None:
    """Start and end of the value of the last field of that name: between tags, in JSON, in a row of a table."""
    found = [match.span(match.lastindex or 0) for match in _NAMED[name].finditer(text, max(0, len(text) - 5_000))]
    return _trimmed(text, *found[-1], "*_`") if found else None


def _trimmed(text: str, start: int, end: int, marks: str = "") -> tuple[int, int] | None:
    """The place of what stands there, without space around it and marks behind it; None for nothing."""
    end = start + len(text[start:end].rstrip(" \t\n" + marks))
    start = end - len(text[start:end].lstrip())
    return (start, end) if start < end else None


def _block(text: str, start: int) -> tuple[int, int]:
    """The lines from `start` to an empty line or the next field; further where a formula, code or list is open.

    Where nothing stands on the label's own line, the first line with something on it begins the answer."""
    behind, start = start, len(text) - len(text[start:].lstrip(" \t\n"))
    its_line = "\n" not in text[behind:start]
    if underline := re.match(r"[=-]{3,80}\s{1,9}", text[start : start + 90]):
        start += underline.end()
    end = place = start
    for _ in range(LINES):
        stop = text.find("\n", place)
        stop = len(text) if stop < 0 else stop
        line = text[place:stop]
        number = its_line and place == start and line[:1].isdigit()  # "7. Confidence": 7 numbers no list
        if (_NEXT.match(line) or _HEADING.match(line)) and not number:
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
    boxes = list(_BOX.finditer(text))
    if not boxes or r"\boxed" in text[boxes[-1].end() :]:  # one that does not end
        return None
    line = text.rfind("\n", 0, boxes[-1].start())
    boxes = [box for box in boxes if box.start() > line]
    return boxes[-1].span(1) if len({box[1] for box in boxes}) == 1 else (boxes[0].start(), boxes[-1].end())


def _sentence(text: str) -> tuple[int, int] | None:
    """What "the answer is" is followed by, to the end of the sentence; not behind "if" and other doubts."""
    sure = [found for found in _SENTENCE.finditer(text) if (found[1] or "").casefold() not in _DOUBT]
    if not sure:
        return None
    start, said = sure[-1].start(2), sure[-1][2]
    said = said[: end.start()] if (end := _END.search(said)) else said
    return _trimmed(text, start, start + len(said)) if said.strip(" *_`") else None


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
        if found := _WRAPPED.fullmatch(text):
            text = (found["inner"] or found["quoted"]).strip()
    for mark in ("**", "__"):  # the label stands in the bold too
        if text.count(mark) == 1:
            text = text.removeprefix(mark).removesuffix(mark).strip()
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
    """The share that the last label states, or what stands behind the answer on its line; None for none, for words that
    are no number, and for two readings."""
    label = _last(_CONFIDENCE, text)
    places = [len(text) - len(text[label.end() :].lstrip(" \t\n"))] if label else []
    for found in _INLINE.finditer(text):
        line = text[max(0, found.start() - 200) : found.start()].rpartition("\n")[2]
        if found[1] or _ANSWER.match(line):
            places.append(found.end())
    if places:
        start = max(places)
        return _share(text[start : start + 200].partition("\n")[0])
    field = _field(text, "confidence")
    return _share(text[slice(*field)]) if field else None


def _share(text: str) -> float | None:
    """A confidence in [0, 1] as it is written behind its label.

    >>> [_share(text) for text in ("70", "70 %", "0.7", "7/10", "about seventy percent", "high", "1", "60-80%")]
    [0.7, 0.7, 0.7, 0.7, 0.7, None, None, None]
    """
    if found := _IN_WORDS.match(text):
        said = found[1].casefold().removeprefix("a ").replace("one hundred", "hundred").replace(" ", "-")
        return 1.0 if said == "hundred" else NUMBERS[said] / 100 if said in NUMBERS else None
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
