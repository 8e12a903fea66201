"""The titles that a mouse shows on the marks of a saved figure."""

import re

import pytest
from proctor.report import figures
from proctor.report.figures import axes, save

pytestmark = pytest.mark.usefixtures("house")


def drawn(fig, folder, name):
    save(fig, f"uq/{name}", claim="It rises", alt="Some marks", evidence="measured", inputs=["catalog.csv"], out=folder)
    return (folder / f"uq/{name}.svg").read_text(), (folder / f"uq/{name}.png").read_bytes()


def test_each_dot_and_bar_shows_its_row_and_value(tmp_path):
    fig, ax = axes()
    ax.barh([0, 1], [3.25, 4], left=[1, 0])
    ax.plot([2.5, float("nan")], [0, 1], "o", label="paper")
    ax.set_yticks([0, 1], ["GPT-5 & co", "o3"])
    svg, _ = drawn(fig, tmp_path, "rows")
    titles = re.findall("<title>(.*?)</title>", svg)
    assert titles == ["It rises", "GPT-5 &amp; co: 3.25", "o3: 4", "GPT-5 &amp; co: 2.5"]


def test_a_mark_of_two_numbers_shows_both(tmp_path):
    fig, ax = axes()
    ax.scatter([1, 2], [10, 20])
    assert "<title>2, 20</title></use>" in drawn(fig, tmp_path, "plane")[0]


@pytest.mark.parametrize("most", [0, 200])
def test_a_series_of_too_many_marks_has_no_titles_and_pixels_stay(tmp_path, monkeypatch, most):
    monkeypatch.setattr(figures, "MOST", most)
    fig, ax = axes()
    ax.plot([1, 2], [10, 20], "o")
    svg, png = drawn(fig, tmp_path, "same")
    assert svg.count("<title>") == (3 if most else 1)
    monkeypatch.setattr(figures, "name_marks", lambda fig: {})
    fig, ax = axes()
    ax.plot([1, 2], [10, 20], "o")
    assert drawn(fig, tmp_path, "same")[1] == png
