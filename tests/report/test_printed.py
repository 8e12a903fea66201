import re

import pytest
from matplotlib import pyplot as plt
from PIL import Image
from proctor.report import figures
from proctor.report.figures import ASKED
from proctor.report.provenance import describe


def draw(name, folder):
    figures.style()
    fig, ax = figures.axes()
    ax.plot([1, 2], [3, 4], label="a line")
    record = describe(f"uq/{name}", evidence="published", notebook="uq/x")
    figures.save(fig, record, claim="A line rises", alt="It rises.", out=folder)
    plt.close("all")


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The folder in which one figure was saved while its printed forms were asked for, and another without them."""
    folder = tmp_path_factory.mktemp("printed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ASKED, "3.25 5.5")
        draw("line", folder)
    draw("again", folder)
    return folder / "uq"


def test_a_pdf_has_the_journals_width_and_no_header(printed):
    for width in ("3.25", "5.5"):
        pdf = (printed / f"line_{width}in.pdf").read_bytes()
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
        assert float(box[1]) == 72 * float(width) and float(box[2]) == pytest.approx(72 * 0.7 * figures.COLUMN, abs=0.1)


def test_the_narrow_form_fits_a_phone_and_says_its_title_in_the_caption_only(printed):
    assert Image.open(printed / "line_360px.png").width == 720
    assert "A line rises" not in (printed / "line_360px.svg").read_text()
    assert (printed / "line.txt").read_text() == "A line rises. It rises. (published; uq/line)\n"


def test_the_saved_figure_is_the_same_as_without_its_printed_forms(printed):
    one, other = ((printed / f"{name}.svg").read_text() for name in ("line", "again"))
    assert re.findall(r' d="[^"]*"', one) == re.findall(r' d="[^"]*"', other) and not list(printed.glob("again_*"))
