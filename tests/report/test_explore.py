"""Pictures to move: what the book's page shows for a setting is what Python computes for it."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.report.explore import ALL, Explorable
from proctor.report.site_notebook import Behind, rendered
from proctor.synthesis.how_many import items_for_difference
from statsmodels.stats.inter_rater import cohens_kappa

PICTURES = {
    path.stem.removeprefix("explore_"): json.loads(path.with_suffix(".json").read_text())["explore"]
    for path in sorted((paths.ROOT / "figures/synthesis").glob("explore_*.svg"))
}
SCRIPT = paths.ROOT / "lib/proctor/report/site_static/explore.js"
SET = """(box, settings) => {
  for (const [column, value] of Object.entries(settings)) {
    const control = box.querySelector(`[data-column="${column}"]`);
    control.value = value;
    control.dispatchEvent(new Event(control.type === "range" ? "input" : "change"));
  }
  return [box.querySelector(".said").textContent, [...box.querySelectorAll(".mark title")].map((one) => one.textContent)];
}"""


@pytest.fixture
def picture():
    rows = pd.DataFrame(dict(setting=[1, 1, 10, 10], who=list("abab"), x=[0.126, 0.2, 0.3, None], y=[1, 2, 3, 4]))
    return Explorable(rows, x="x", y="y", of="who", group="who", choose={"setting": 1, "who": ALL}, says="{who} at {x}", names={},
                      formats={"x": ".2f"})  # fmt: skip


def page_of(pictures):
    behind = Behind(paths.ROOT, paths.FIGURES)
    saved = behind.records["synthesis/explore_right"]
    boxes = "".join(rendered("figure", behind, saved | {"explore": one}) for one in pictures.values())
    return f"<!doctype html><html lang=en><title>x</title><main>{boxes}</main><script>{SCRIPT.read_text()}</script>"


@pytest.fixture(scope="module")
def shown(browser):
    """shown(picture, setting=...): (its sentence, what its marks say) in the page."""
    page = browser.new_page()
    page.set_content(page_of(PICTURES))
    boxes = dict(zip(PICTURES, page.query_selector_all(".explorable")))

    def look(name, **settings):
        it = PICTURES[name]
        places = {column: it["choose"][column].index(value) for column, value in settings.items()}
        return boxes[name].evaluate(SET, {c: places[c] if c in it["numeric"] else settings[c] for c in settings})

    return look


def test_the_page_says_what_formulas_give(shown):
    table = pd.read_csv(paths.ROOT / "figures/uq/table_S10.csv").dropna(subset=["tp"])
    one = table[table["strategy"] == "Debate"].iloc[0]
    for right in (1, 13, 37, 60):
        said, _ = shown("right", right=str(right), validator="Multi-model, Debate")
        accuracy = right * one["tp"] / one["positives"] + (100 - right) * one["tn"] / (one["n"] - one["positives"])
        assert f"accuracy {accuracy:.1f} %," in said and f"where {right} %" in said
    for better, gap, alike in product((30, 90), (2, 7), ("0.0", "0.4")):
        said, marks = shown("items", better=str(better), gap=str(gap), alike=alike)
        n = items_for_difference((better / 100, (better - gap) / 100), float(alike), test="score").n
        assert f"takes {n} items" in said and said.removesuffix(".") in marks
    for right, error in product((3, 50, 98), (2, 20)):
        share, e = right / 100, error / 100
        passed, failed = np.outer([1 - e, e], [1 - e, e]), np.outer([e, 1 - e], [e, 1 - e])
        kappa = cohens_kappa(share * passed + (1 - share) * failed, return_results=False)
        assert f"Kappa {kappa:.3f} " in shown("kappa", right=str(right), errors=f"{error} %")[0]
    said, _ = shown("peeking", looks="2", level="95")  # Armitage, McPherson and Rowe (1969): 8.3 %
    assert 7.9 < float(said.partition("first difference: a difference that is none in ")[2].partition(" ")[0]) < 8.7


@pytest.mark.parametrize("name", PICTURES)
def test_the_page_draws_a_mark_for_each_row_of_the_setting(shown, name):
    it = PICTURES[name]
    texts = {column: found.split("\t") for column, found in it["texts"].items()}
    rows = [
        {column: texts[column][int(code)] for column, code in zip(it["columns"], line.split())}
        for line in it["rows"].split("\n")
    ]
    drawn = {it["axes"]["x"]["column"], it["axes"]["y"]["column"], it["of"], it["group"]}
    settings = {column: values[-1] for column, values in it["choose"].items()}
    kept = [row for row in rows if all(column in drawn or row[column] == value for column, value in settings.items())]
    assert sorted(shown(name, **settings)[1]) == sorted(it["says"].format(**row) for row in kept)


def test_keys_move_a_slider_and_without_script_the_saved_picture_stands(browser, picture):
    page = browser.new_page()
    page.set_content(page_of({"one": picture.page()}))
    assert page.inner_text(".said") == picture.sentence(picture.start()) == "a at 0.13. b at 0.20."
    page.focus("input[type=range]")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".said") == picture.sentence({"setting": "10", "who": ALL})
    page = browser.new_context(java_script_enabled=False).new_page()
    page.set_content(page_of({"one": picture.page()}))
    assert page.locator("svg.drawn").count() == page.locator("svg").count() == 1


def test_jupyter_has_the_same_settings_and_sentence(picture, capsys):
    slider, choice = picture.widget().children[:2]
    assert list(slider.options) == picture.values("setting") == ["1", "10"] and list(choice.options) == [ALL, "a", "b"]


def test_what_is_chosen_is_in_ink_all_else_is_left_out_and_a_setting_of_no_row_is_an_error(picture):
    part, ink = picture.shown({"setting": "10", "who": "a"})
    assert part["who"].tolist() == ["a", "b"] and ink.tolist() == [True, False] and part["x"].tolist() == ["0.30", ""]
    picture.choose["setting"] = 2
    with pytest.raises(ValueError, match="'setting': '2'"):
        picture.page()
