import matplotlib

matplotlib.use("agg")
import pytest
from matplotlib import pyplot as plt
from proctor import paths
from proctor.report.catalog import Row
from proctor.report.figures import FULL, axes, style


@pytest.fixture
def house():
    """Figures have the house's style, and none is left open."""
    with matplotlib.rc_context():
        style()
        yield
    plt.close("all")


@pytest.fixture
def ax(house):
    return axes(width=FULL, height=3)[1]


@pytest.fixture
def own_figures(tmp_path, monkeypatch):
    """Where figures and tables go: a folder of the test's own."""
    for name in ("FIGURES", "OWN_FIGURES"):
        monkeypatch.setattr(paths, name, tmp_path / "figures")
    return tmp_path / "figures"


@pytest.fixture
def row():
    """`row("uq/x", kind="claim")`: a row of the catalog, otherwise blank."""

    def make(id, **cells):
        blank = dict.fromkeys(Row._fields, "") | {"outputs": (), "evidence": ()}
        return Row(**blank | {"id": id, "paper": id.partition("/")[0], "title": "A title"} | cells)

    return make


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.fixture(scope="session")
def contrast():
    """Contrast of two colours by WCAG 2: 1 (none) to 21 (black on white)."""

    def of(colour, other="#FFFFFF"):
        light, dark = sorted((_luminance(colour), _luminance(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    return of
