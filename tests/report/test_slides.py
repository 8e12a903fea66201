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


def test_without_chromium_the_pages_are_written_and_the_missing_pdf_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(slides, "CHROMIUM", None)
    assert slides.main([str(tmp_path)]) == 0
    assert "no PDF: no Chromium here" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a_term_s_project.html",
        "half_a_day.html",
        "ninety_minutes.html",
        "one_hour.html",
    ]


@pytest.mark.skipif(slides.CHROMIUM is None, reason="no Chromium here; PROCTOR_CHROMIUM names one")
def test_a_pdf_has_a_page_for_each_slide(tmp_path):
    (tmp_path / "x.html").write_text(slides.page("x", LESSONS["One hour: can a number be believed?"][:2]))
    slides.print_pdf([tmp_path / "x.html"])
    pages = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "x.pdf").read_bytes()))
    assert pages == (tmp_path / "x.html").read_text().count("<section")
