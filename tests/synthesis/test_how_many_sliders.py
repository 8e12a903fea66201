"""The sliders without a front end: they answer when they are moved, and a saved page says where they are."""

import pytest
from proctor.report import sliders as report_sliders
from proctor.synthesis import how_many_sliders as sliders


@pytest.fixture
def panel():
    return sliders.items_panel()


def test_a_moved_slider_changes_the_answer_and_the_picture(panel):
    text, picture = panel.children[-2:]
    assert "237 items" in text.value and bytes(picture.value[:4]) == b"\x89PNG"
    before = bytes(picture.value)
    panel.children[1].value = 0.05
    assert "items" in text.value and "237" not in text.value and bytes(picture.value) != before


def test_what_can_t_be_is_told_in_place_of_a_picture(panel):
    panel.children[2].value = 0.9
    assert "allow from" in panel.children[-2].value and panel.children[-1].layout.display == "none"
    panel.children[2].value = 0.4
    assert "237 items" in panel.children[-2].value and panel.children[-1].layout.display is None


def test_a_run_without_a_front_end_shows_one_line(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(report_sliders, "display", lambda *args, **how: shown.append(args[0]))
    monkeypatch.setenv("PROCTOR_NOTEBOOK", "synthesis/5_how_many")
    sliders.planner()
    monkeypatch.delenv("PROCTOR_NOTEBOOK")
    sliders.planner()
    assert shown[0]["text/markdown"].startswith("Sliders: open") and shown[1].titles == ("Difference", "Budget")
    assert "repeats" in shown[1].children[1].children[-2].value
