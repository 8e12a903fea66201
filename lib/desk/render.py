"""What people wrote, as HTML that is safe to show: Markdown without HTML, mathematics as MathML made here.

Two walls, either of which would do: markdown-it lets no HTML through, and nh3 keeps only the elements and attributes
listed below. Pictures become links, so that no reader's browser calls another server.
"""

import re
from functools import lru_cache

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.dollarmath import dollarmath_plugin

LONGEST = 60_000  # characters; longer texts are shown as they were typed
MOST_LINES = 80  # of one formula; a bracket that is never closed is looked for no further
LONGEST_FORMULA = 3_000  # characters: the converter recurses, and 3,000 open braces are far from its stack's end
MOST_UNCLOSED = 8  # brackets: the converter's time doubles with each that it finds no end of
_BRACKETS = re.compile(
    r"\\\\|(?P<opens>[\[(]|\\\{|\\l(?:angle|brace|brack|ceil|floor|vert|Vert|group)(?![a-zA-Z]))"
    r"|(?P<closes>[\])]|\\\}|\\r(?:angle|brace|brack|ceil|floor|vert|Vert|group)(?![a-zA-Z]))"
)
_DEFINES = re.compile(r"\\(?:(?:new|renew|provide)command|DeclareMathOperator|[egx]?def|let)(?![A-Za-z])")
_FORMULAS = LatexToMathML(
    fancy_error=False,
    allow_unreliable_rendering=True,
    macros={"mbox": r"\text{#1}", "varprojlim": r"\lim", "bold": r"\mathbf{#1}", "mathds": r"\mathbb{#1}"},
)
_LEVELS = {f"h{level}": f"h{min(level + 3, 6)}" for level in range(1, 7)}  # a text's headings stand below the page's
_TEXT = {"a", "blockquote", "br", "code", "div", "em", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "span"} | {
    "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_MATH = {"math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"} | {
    "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd",
    "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
_MATH_ATTRIBUTES = {"accent", "accentunder", "depth", "display", "displaystyle", "fence", "form", "height"} | {
    "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rspace",
    "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
}  # fmt: skip
_STYLES = {  # what the converter writes as style, which the page's policy forbids: classes of desk.css
    "text-align: left": "left",
    "text-align: right": "right",
    "border-right": "ruled-right",
    "border-left": "ruled-left",
    "border-top": "ruled-top",
    "border-bottom": "ruled-bottom",
    "width: 100%": "wide",
}
_CLASSES = {"formula", "unread", "center", *_STYLES.values()}
_CLEANER = nh3.Cleaner(
    tags=_TEXT | _MATH,
    attributes={"a": {"href"}, "ol": {"start"}, **{name: _MATH_ATTRIBUTES for name in _MATH}},
    allowed_classes={name: _CLASSES for name in ("span", "div", "code", "td", "th", "mtable", "mtd", "mrow", "math")},
    tag_attribute_values={name: {"tabindex": {"0"}} for name in ("div", "pre", "span")},
    set_tag_attribute_values={"pre": {"tabindex": "0"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="nofollow noopener noreferrer ugc",
)


@lru_cache(maxsize=4096)
def markdown(text: str) -> SafeString:
    """A text's Markdown as safe HTML.

    >>> markdown("Is $x^2 > 0$? <b>")
    '<p>Is <math><msup><mi>x</mi><mn>2</mn></msup><mo>&gt;</mo><mn>0</mn></math>? &lt;b&gt;</p>\\n'
    """
    if len(text) > LONGEST:
        return mark_safe(f'<pre tabindex="0">{escape(_printable(text))}</pre>')
    return mark_safe(_CLEANER.clean(_MARKDOWN.render(_printable(text))))


@lru_cache(maxsize=16384)
def line(text: str) -> SafeString:
    """A title as safe HTML: its formulas and nothing else.

    >>> line("Is $x$ *odd*?")
    'Is <math><mi>x</mi></math> *odd*?'
    """
    return mark_safe(_CLEANER.clean(_LINE.renderInline(_printable(text))))


def mathml(latex: str, block: bool = False) -> str:
    """A formula as MathML; what the converter cannot read stands as it was typed."""
    if len(latex) > LONGEST_FORMULA or _DEFINES.search(latex) or _unclosed(latex) > MOST_UNCLOSED:
        return _unread(latex)
    try:
        made = _FORMULAS.convert_with_local_state(latex, displaystyle=block)
    except (LatexError, UnicodeEncodeError):
        return _unread(latex)
    return re.sub(r'style="([^"]*)"', _as_classes, made)


def _unclosed(latex: str) -> int:
    """How many brackets stand open at once at most.

    >>> _unclosed("f([0, 1)) + (x"), _unclosed(r"\\{(x")
    (2, 2)
    """
    depth = most = 0
    for found in _BRACKETS.finditer(latex):
        depth = max(0, depth + bool(found["opens"]) - bool(found["closes"]))
        most = max(most, depth)
    return most


def _unread(latex: str) -> str:
    return f'<code class="unread">{escape(latex)}</code>'


def _as_classes(style: re.Match) -> str:
    return f'class="{" ".join(name for start, name in _STYLES.items() if start in style[1])}"'


def _printable(text: str) -> str:
    """The text without what no page may hold: control characters and halves of characters."""
    return "".join(c for c in text if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff" and c != "\x7f"))


def _rule_for_brackets(state: StateInline, silent: bool) -> bool:
    r"""Inline `\( \)` and `\[ \]`, which models write instead of dollars."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in (r"\(", r"\["):
        return False
    closing = {r"\(": r"\)", r"\[": r"\]"}[opening]
    end = state.src.find(closing, state.pos + 2, state.pos + 2 + LONGEST_FORMULA)
    if end <= state.pos + 2:
        return False
    if not silent:
        token = state.push("math_inline" if opening == r"\(" else "math_inline_double", "math", 0)
        token.content = state.src[state.pos + 2 : end]
    state.pos = end + 2
    return True


_OPENS = re.compile(r"\\\[|\\begin\{((?:equation|align|gather|multline|eqnarray|alignat|flalign)\*?)\}")


def _rule_for_blocks(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    r"""A block from a line that starts with `\[` or `\begin{align}` to the line that ends with its other half."""
    start = state.bMarks[first] + state.tShift[first]
    opening = _OPENS.match(state.src, start, state.eMarks[first])
    if opening is None:
        return False
    closing = rf"\end{{{opening[1]}}}" if opening[1] else r"\]"
    lines: list[str] = []
    for at in range(first, min(last, first + MOST_LINES)):
        lines.append(state.src[state.bMarks[at] + state.tShift[at] : state.eMarks[at]].rstrip())
        if lines[-1].endswith(closing):
            break
        if not lines[-1]:
            return False
    else:
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.block = True
        whole = "\n".join(lines)
        token.content = whole if opening[1] else whole[2:-2]
        state.line = at + 1
    return True


def _render_formula(tokens, index, options, env) -> str:
    token = tokens[index]
    latex = token.content.strip()
    if token.type == "math_inline":
        return mathml(latex)
    element = "div" if token.type == "math_block" else "span"
    reach = ' tabindex="0"' if len(latex) > 50 else ""  # a wide formula scrolls, also by key
    return f'<{element} class="formula"{reach}>{mathml(latex, block=True)}</{element}>'


def _render_picture(tokens, index, options, env) -> str:
    picture = tokens[index]
    words = escape(picture.content or "picture")
    return f'<a href="{escape(picture.attrGet("src") or "")}">[picture: {words}]</a>'


def _with_formulas(reader: MarkdownIt) -> MarkdownIt:
    reader.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    reader.inline.ruler.before("escape", "brackets", _rule_for_brackets)
    reader.block.ruler.before(
        "fence", "formula_blocks", _rule_for_blocks, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    for kind in ("math_inline", "math_inline_double", "math_block"):
        reader.renderer.rules[kind] = _render_formula
    reader.renderer.rules["image"] = _render_picture
    return reader


def _fit_page(state) -> None:
    """Headings below the page's own, columns aligned by class, code that scrolls by key."""
    for token in state.tokens:
        token.tag = _LEVELS.get(token.tag, token.tag)
        if token.type in ("th_open", "td_open"):
            token.attrs = {"class": str(token.attrs.get("style", "")).removeprefix("text-align:")}


_MARKDOWN = _with_formulas(MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]))
_MARKDOWN.core.ruler.push("fit_page", _fit_page)
_LINE = _with_formulas(MarkdownIt("zero", {"html": False})).enable(["brackets", "math_inline"])
