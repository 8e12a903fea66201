"""Slides of the lessons: two for each question, with the committed figure inside, and nothing from elsewhere."""

import base64
import re

import pytest
from proctor import paths
from proctor.report import slides

TEXT = (paths.ROOT / "docs/teaching.md").read_text(encoding="utf-8")
LESSONS = slides.lessons(TEXT)


@pytest.mark.parametrize("title", LESSONS)
def test_a_page_asks_then_shows_the_committed_figure_and_needs_no_other_file(title):
    steps = LESSONS[title]
    text = slides.page(title, steps)
    asked = [step for step in steps if step["question to the class"]]
    assert text.count("<section") == 1 + 2 * len(asked) + len(steps) - len(asked)
    assert not re.search(r"https?://|<script|<link|@import|url\(", text)
    pictures = re.findall(r'src="data:image/png;base64,([^"]+)"', text)
    named = [name for step in asked for name in re.findall(r"figure \[?`([\w/]+)`", step["notebook, place"])]
    assert [base64.b64decode(data) for data in pictures] == [(paths.FIGURES / f"{n}.png").read_bytes() for n in named]


def test_there_is_a_page_for_each_lesson_that_prints_a_page_for_each_slide(tmp_path, browser):
    written = slides.write(tmp_path)
    names = ["a_term_s_project", "half_a_day", "ninety_minutes", "one_hour"]
    assert sorted(path.stem for path in written) == names
    window = browser.new_page()
    window.goto(written[0].as_uri())
    pdf = window.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == written[0].read_text().count("<section")
