import matplotlib
import pytest
from matplotlib import pyplot as plt
from proctor.data.published import load_published
from proctor.hle_verified import defect_labels, figures
from proctor.report.figures import style
from proctor.report.frame import frame, visible_texts

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def words(fig):
    fig.draw_without_rendering()
    return " ".join(text.get_text() for text in visible_texts(fig))


def keeps_the_rules(fig):
    return frame(fig, "hle_verified/x", ("simulated",), "A claim").width > 0  # else ValueError


def test_the_tree_of_defects_has_every_kind():
    kinds = load_published("hle_verified/taxonomy")
    leads = defect_labels.kinds_in_table_1(kinds, load_published("hle_verified/table_1"))
    fig = figures.taxonomy(kinds, leads, 5)
    text = words(fig)
    assert all(code in text.split() for code in kinds["code"]) and "A1 Incorrect Answer: 5 of 5" in text
    assert keeps_the_rules(fig)
