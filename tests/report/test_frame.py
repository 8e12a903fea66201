import json

import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image
from proctor import paths
from proctor.report.claims import judge
from proctor.report.figures import COLUMN, FULL, axes, save
from proctor.report.frame import faults, is_drawn, text_width, visible_texts, wrapped
from proctor.report.provenance import describe

SENTENCE = "Pipelines that cost $3 and not $30 gain balanced accuracy over single checks"
HOW = dict(notebook="uq/3_validators", evidence="measured", says="> 0", n=500)
GAIN = judge("uq/finding_1", SENTENCE, estimate=-1.2, interval=(-7, 0.4), of="answers", unit="points", **HOW)
PAIR = judge("uq/finding_2", "Panels gain more", estimate=2, interval=(1, 3), **HOW)
STRICT = dict(claim=GAIN, alt="One rising line <50 % & more.")


pytestmark = pytest.mark.usefixtures("house", "own_figures")


def drawn(width=COLUMN, **how):
    fig, ax = axes(width=width, **how)
    ax.plot([0, 1], [0, 1])
    ax.set_xlabel("x axis")
    return fig


def saved(fig, name="uq/sample", evidence="measured", **how):
    save(fig, describe(name, evidence=evidence, seed=1), **(STRICT | how))
    return paths.FIGURES / name


@pytest.mark.parametrize("width", [COLUMN, FULL])
def test_the_claim_stands_above_the_figure_and_is_recorded(width):
    fig = drawn(width)
    fig.axes[0].plot(0.5, {COLUMN: -1.2, FULL: 2.1}[width], "o")
    base = saved(fig, claim=[GAIN, PAIR])
    picture = Image.open(base.with_suffix(".png"))
    assert abs(picture.width - 200 * width) <= 1 and picture.height > 200 * (fig.get_size_inches()[1] + 0.4)
    fig.draw_without_rendering()  # texts measure themselves as they were drawn last
    header = [text for text in fig.texts if text.get_gid() == "frame" and text.get_text() != "uq/sample"]
    assert all(text.get_window_extent().y0 >= fig.bbox.y1 for text in header)
    pixels = np.asarray(picture.convert("L"))
    assert (pixels[:4] > 250).all() and (pixels[-4:] > 250).all() and (pixels[:, -2:] > 250).all(), "nothing is cut"
    svg = base.with_suffix(".svg").read_text()
    for text in ("measured", "-1.2 points [-7.0, +0.4], n = 500 answers", "uq/sample"):
        assert f"{text}</text>" in svg
    assert f"<title>{GAIN.finding}</title>\n <desc>One rising line &lt;50 % &amp; more.</desc>" in svg
    assert 'role="img"' in svg and "<dc:date>" not in svg
    info = picture.info
    assert info["Title"] == GAIN.finding and info["Description"] == STRICT["alt"] and "Software" not in info
    record = json.loads(base.with_suffix(".json").read_text())
    assert record["claim"] == f"Cannot tell: {SENTENCE}" == GAIN.finding and record["alt"] == STRICT["alt"]
    assert record["claim_ids"] == ["uq/finding_1", "uq/finding_2"] and record["estimate_drawn"] == (width == COLUMN)


@pytest.mark.parametrize(
    ("interval", "refuted", "title", "chip"),
    [
        ((1, 3), "", "", "✓ holds"),
        ((-1, 3), "", "No sign of a gain", "? cannot tell"),
        ((-3, -1), "", "", "✗ does not hold"),
        ((-3, -1), "Panels lose", "", "✓ holds"),  # the title says what the interval shows
    ],
)
def test_the_chip_says_whether_the_title_holds(interval, refuted, title, chip):
    claim = judge("uq/f", "Panels gain", notebook="uq/3", evidence="measured", estimate=sum(interval) / 2,
                  interval=interval, says="> 0", n=9, refuted=refuted)  # fmt: skip
    fig = drawn()
    base = saved(fig, claim=claim, title=title)
    assert chip in [text.get_text() for text in fig.texts]
    assert json.loads(base.with_suffix(".json").read_text())["claim"] == (title or claim.finding)


@pytest.mark.parametrize("how", [dict(alt=None), dict(alt=" "), dict(claim=None), dict(claim=""), dict(claim=[])])
def test_claim_and_alt_go_together(how):
    with pytest.raises(ValueError, match="give both"):
        saved(drawn(), **how)


def outside(fig):
    fig.set_layout_engine("none")
    fig.axes[0].text(1.3, 0.5, "far right", transform=fig.axes[0].transAxes)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (outside, r"leaves the canvas \(.*right by .* in\): .*'far right'"),
        (lambda fig: fig.axes[0].annotate("tiny", (0.5, 0.5), fontsize=5.5), "'tiny' is 5.5 pt"),
        (
            lambda fig: fig.axes[0].set_xticks(np.linspace(0, 1, 12), ["a long name"] * 12),
            "tick labels overlap: 'a long name' and 'a long name'",
        ),
        (lambda fig: fig.suptitle("A claim"), "suptitle 'A claim'"),
        (lambda fig: fig.set_size_inches(5, 3), "width is 5 inches"),
    ],
)
def test_what_breaks_the_house_rules_is_told_and_not_written(spoil, message):
    fig = drawn()
    spoil(fig)
    with pytest.raises(ValueError, match=message):
        saved(fig)
    assert not paths.FIGURES.exists()


def test_what_is_not_drawn_is_not_judged():
    fig = drawn()
    ax = fig.axes[0]
    ax.annotate("hidden", (0.5, 0.5), fontsize=4).set_visible(False)
    ax.set_yticks([0.5, 7.0], ["in", "out of the limits"])
    ax.set_ylim(0, 1)
    other = fig.add_axes((0.5, 0.5, 0.2, 0.2))
    other.set_axis_off()
    other.tick_params(labelsize=3)
    fig.draw_without_rendering()
    assert {text.get_text() for text in visible_texts(fig)} >= {"in", "x axis"}
    assert not {"hidden", "out of the limits"} & {text.get_text() for text in visible_texts(fig)}
    assert faults(fig) == []


def test_each_kind_of_evidence_has_its_tag_and_none_leaves_the_picture():
    fig = drawn()
    kinds = ["published", "reconstructed", "measured", "logged", "simulated"]
    base = saved(fig, evidence=kinds)
    fig.draw_without_rendering()  # texts measure themselves as they were drawn last
    tags = [text for text in fig.texts if text.get_text() in kinds]
    boxes = [tag.get_bbox_patch().get_window_extent() for tag in tags]
    chip = next(text for text in fig.texts if text.get_text() == "? cannot tell").get_bbox_patch().get_window_extent()
    assert len(boxes) == 5 and boxes[-1].x1 < fig.bbox.x1 and chip.x1 < fig.bbox.x1 and chip.y1 < boxes[-1].y0
    assert all(one.x1 < other.x0 for one, other in zip(boxes, boxes[1:])), "none covers another"
    assert all(f">{kind}</text>" in base.with_suffix(".svg").read_text() for kind in kinds)


def test_lines_are_as_long_as_the_room_and_lose_no_word():
    text = "Judges accept wrong answers more often than they accept right ones, by every count that we made"
    lines = wrapped(text, 9, 180, "bold")
    assert " ".join(lines) == text and len(lines) > 2
    assert all(text_width(line, 9, "bold") <= 180 for line in lines)
    assert wrapped("", 9, 10) == [] and wrapped("unbreakable", 9, 10) == ["unbreakable"]


MARKS = {  # what draws a number: as a mark, bar, cell or text
    "bar": (lambda ax: ax.bar([0, 1], [0.2, 0.731]), 0.731),
    "point": (lambda ax: ax.scatter([1, 2], [0.1, 0.731]), 0.731),
    "cell": (lambda ax: ax.imshow(np.array([[0.1, 0.731]])), 0.731),
    "text": (lambda ax: ax.text(0, 0, "+0.73 on average"), 0.731),
    "thousands": (lambda ax: ax.annotate("2,500 items", (0, 0)), 2500.4),
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_number_is_found_as_mark_bar_cell_or_text(mark):
    fig, ax = plt.subplots()
    draw, value = MARKS[mark]
    draw(ax)
    assert is_drawn(fig, value) and not is_drawn(fig, 0.55)
