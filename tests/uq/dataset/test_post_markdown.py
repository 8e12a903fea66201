"""A post's HTML as Markdown: what posts are made of, formulas as they are, hostile nesting."""

import mistune
import pytest
from bs4 import BeautifulSoup
from proctor.uq.dataset.post_markdown import to_markdown


@pytest.mark.parametrize(
    "html, markdown",
    [
        ("<p>one</p>\n\n<p>two</p>", "one\n\ntwo"),
        ("<p>$a_1 * b_2 &lt; c$</p>", "$a_1 * b_2 < c$"),
        ("<pre><code>x = 1\n  y</code></pre>", "```\nx = 1\n  y\n```"),
        ("<blockquote><p>said</p><p>more</p></blockquote>", "> said\n>\n> more"),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n\n   - b\n2. c"),
        ("<h2>Head</h2><hr>", "## Head\n\n---"),
        ('<p><img src="u" alt="x">a<br>b</p>', "![x](u)a  \nb"),
        ("<p><code>a_b</code> <strong>c</strong> <b></b></p><!-- no -->", "`a_b` **c**"),
        ("plain <sup>2</sup>", "plain 2"),
        ("", ""),
    ],
)
def test_what_posts_are_made_of(html, markdown):
    assert to_markdown(html) == markdown


def test_an_independent_reader_finds_the_same_words_and_links():
    html = '<p>See <a href="http://a.b/c">the <em>guide</em></a>:</p><ul><li>one</li><li><p>two</p></li></ul><p>end</p>'
    read, asked = BeautifulSoup(mistune.html(to_markdown(html)), "html.parser"), BeautifulSoup(html, "html.parser")
    assert read.get_text(" ", strip=True) == asked.get_text(" ", strip=True)
    assert [a["href"] for a in read("a")] == ["http://a.b/c"] and len(read("li")) == 2 and read.em.text == "guide"


def test_nesting_without_end_keeps_the_text():
    assert to_markdown("<div>" * 5000 + "deep" + "</div>" * 5000) == "deep"
