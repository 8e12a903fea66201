"""Hostile texts: nothing but the listed elements comes out, and no text is slow or ends the process."""

import time
from html.parser import HTMLParser

import pytest
from desk import render
from hypothesis import example, given
from hypothesis import strategies as st

ATTRIBUTES = {"href", "rel", "class", "tabindex", "start"} | render._MATH_ATTRIBUTES
PIECES = ("<script>", "</script>", "<img src=x onerror=alert(1)>", "$", "$$", "\\(", "\\)", "\\[", "\\]", "\n", "\n\n", "`", "```", "](", "[", "javascript:alert(1)", "&#x6a;avascript:", "&lt;", "\\text{", "}", "{", "\\begin{align}", "\\end{align}", "\\eqref{\"x", "\\tag{", "\\color{red}", "|", "|-|", "> ", "- ", "<svg/onload=alert(1)>", "</math>", "<mtext>", "<style>", "\x00", "\ud800", "\u202e", '"', "'", "=", "on", "click", " style=x", "data:text/html,", "\\href{javascript:x}{", "x", " ")  # fmt: skip


class Elements(HTMLParser):
    """What a browser would see: elements, attributes, addresses."""

    def __init__(self, html):
        super().__init__()
        self.seen, self.attributes, self.addresses = set(), set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name == "href"]


def is_harmless(html):
    found = Elements(html)
    assert found.seen <= render._TEXT | render._MATH
    assert found.attributes <= ATTRIBUTES
    assert all(address.startswith(("http://", "https://", "mailto:")) for address in found.addresses)


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
@example("[x](javascript:alert(1))")
@example("$\\text{<img src=x onerror=alert(1)>}$")
def test_nothing_but_the_listed_elements_comes_out(text):
    is_harmless(render.markdown(text))
    is_harmless(render.line(text))


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.booleans())
def test_a_formula_adds_no_element_of_its_own(latex, block):
    found = Elements(render.mathml(latex, block))
    assert not found.seen & {"script", "img", "svg", "style", "iframe"}
    assert not {name for name in found.attributes if name.startswith("on")}


@pytest.mark.parametrize(
    "piece", ["{", "[", "\\[\n", "\\(", "![", "\\begin{align}\n", "$a", "> ", "a\n===\n", "\\frac{"]
)
def test_a_hostile_text_is_quick_and_does_not_end_the_process(piece):
    start = time.process_time()
    is_harmless(render.markdown("$" + piece * 2000 + "$"))
    assert time.process_time() - start < 5


@pytest.mark.parametrize("bracket", ["{" * 200, "[", "(", "[x", "\\{", "\\langle ", "\\bigl(", "\\lbrack "])
def test_brackets_without_an_end_cost_no_time_and_no_stack_without_an_end(bracket):
    """The converter recurses and ends the process at some 20,000 braces."""
    start = time.process_time()
    assert render.mathml(bracket * 200).startswith('<code class="unread">')
    assert time.process_time() - start < 1


def test_a_formula_may_define_nothing():
    assert "<math" not in render.mathml(r"\newcommand{\a}{\a\a}\a")
    for latex in (r"\left(x\right)", "[0, 1) " * 30, "(((((((x)))))))", r"\{x\} " * 30, r"\langle x \rangle " * 30):
        assert "<math" in render.mathml(latex)  # \left only begins like \let, and brackets that end are read


@pytest.mark.parametrize(
    "text", ["$x$", r"so \(x\) is", "$$\nx\n$$", "a $$x$$ b", "\\[\nx\n\\]", "\\[ x \\]", "> \\[ x\n> \\]", "\\begin{align}\nx\n\\end{align}"]
)  # fmt: skip
def test_each_way_to_write_a_formula_is_read(text):
    assert "<mi>x</mi>" in render.markdown(text)


@pytest.mark.parametrize("text", ["it costs $5 and $6", "`$x$`", "```\n$x$\n```", r"\[ never closed", r"\$x\$"])
def test_what_is_no_formula_stays_text(text):
    assert "<math" not in render.markdown(text)


@pytest.mark.parametrize("text, shown", [
    (r"$\unheardof{x}$", '<p><code class="unread">\\unheardof{x}</code></p>\n'),  # the converter cannot read it
    ("# A\n\n## B", "<h4>A</h4>\n<h5>B</h5>\n"),  # below the page's own headings
    ("![a map](https://x.example/a.png)",  # a link, so that no other server learns who reads
     '<p><a href="https://x.example/a.png" rel="nofollow noopener noreferrer ugc">[picture: a map]</a></p>\n'),
    ("*a* " * 20_000, f'<pre tabindex="0">{"*a* " * 20_000}</pre>'),
], ids=["unread", "headings", "picture", "long"])  # fmt: skip
def test_what_is_shown_of_a_text(text, shown):
    assert render.markdown(text) == shown


def test_columns_keep_their_sides_without_styles():
    assert 'class="right"' in render.markdown("$$\n\\begin{align}a&=b\\end{align}\n$$")
    table = render.markdown("|a|b|\n|-|-:|\n|1|2|")
    assert '<td class="right">' in table and "style" not in table
