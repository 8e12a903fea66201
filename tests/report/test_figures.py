import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import proctor
import pytest
from PIL import Image
from proctor import paths
from proctor.report import figures
from proctor.report.figures import COLUMN, axes, save
from proctor.report.provenance import describe, write

DRAW = """
import matplotlib
before = dict(matplotlib.rcParams)
from proctor.report.figures import axes, forest, save, style
from proctor.report.provenance import describe
assert dict(matplotlib.rcParams) == before, "importing changes no settings"
style()
fig, ax = axes()
forest(ax, ["a", "b"], [0.2, 0.5], [0.1, 0.4], [0.3, 0.6], role="ours", evidence="measured")
ax.set_xlabel(r"accuracy $\\alpha$")
record = describe("uq/sample", evidence="measured", inputs=["data/facts.csv"], seed=3, packages=["matplotlib"])
save(fig, record, claim="It rises", alt="A line")
"""


pytestmark = pytest.mark.usefixtures("house")


@pytest.fixture
def checkout(tmp_path, monkeypatch, own_figures):
    """A checkout of its own with one input file."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "facts.csv").write_text("a\n1\n")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "DATA", tmp_path / "data")
    return tmp_path


def drawn(width=COLUMN):
    fig, ax = axes(width=width)
    ax.plot([0, 1], [0, 1])
    ax.set_xlabel("x axis")
    return fig


def files_under(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_another_process_in_another_checkout_with_another_matplotlibrc_writes_the_same_bytes(checkout, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(checkout / "data", other / "data")
    (other / "matplotlibrc").write_text("figure.dpi: 55\nfont.size: 20\nxtick.direction: in\nsvg.fonttype: path\n")
    places = {"PROCTOR_ROOT": str(other), "PROCTOR_FIGURES": str(other / "figures"), "MPLBACKEND": "agg"}
    environment = os.environ | {"PYTHONPATH": str(Path(proctor.__file__).parents[1])} | places
    subprocess.run([sys.executable, "-c", DRAW], cwd=other, env=environment, check=True)
    exec(DRAW, {})
    assert files_under(checkout / "figures") == ["uq/sample.json", "uq/sample.png", "uq/sample.svg"]
    for name in files_under(checkout / "figures"):
        content = (checkout / "figures" / name).read_bytes()
        assert content == (other / "figures" / name).read_bytes() and str(tmp_path).encode() not in content


def test_json_tells_where_the_figure_comes_from(checkout, monkeypatch):
    monkeypatch.setenv("PROCTOR_NOTEBOOK", "hle/2_evaluation")
    file = checkout / "data" / "facts.csv"
    given = {"n": np.int64(3), "rates": np.array([0.5]), "file": file, "text": str(file.parent), "far": "/srv/x/me.csv"}
    how = dict(evidence="measured", inputs=["data/facts.csv", file], note="a note", packages=("matplotlib", "numpy"))
    save(drawn(), describe("uq/sample", parameters=given, seed=np.int64(7), **how), claim="It rises", alt="A line")
    text = (checkout / "figures/uq/sample.json").read_text()
    found = json.loads(text)
    assert text == json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    versions = {"proctor": proctor.__version__, "matplotlib": matplotlib.__version__, "numpy": np.__version__}
    assert found == {
        "artifact": "uq/sample",
        "evidence": "measured",
        "inputs": [{"path": "data/facts.csv", "sha256": hashlib.sha256(b"a\n1\n").hexdigest()}],
        "parameters": {"n": 3, "rates": [0.5], "file": "data/facts.csv", "text": "data", "far": "me.csv"},
        "seed": 7,
        "note": "a note",
        "code": {"notebook": "hle/2_evaluation", "versions": versions},
        "claim": "It rises",
        "claim_ids": [],
        "alt": "A line",
    }


@pytest.mark.parametrize(
    "wrong, message",
    [
        *(({"evidence": evidence}, "give one or several of") for evidence in ("", "guessed", "measured + guessed")),
        ({"evidence": "simulated"}, "seed"),
        ({"name": "no_paper"}, "no_paper"),
        ({"name": "../uq/sample"}, "uq/sample"),
    ],
)
def test_bad_calls_are_told(checkout, wrong, message):
    with pytest.raises(ValueError, match=message):
        describe(**{"name": "uq/sample", "evidence": "measured"} | wrong)


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_a_parameter_that_json_does_not_hold_leaves_no_file(own_figures, value):
    with pytest.raises(ValueError, match="uq/x: parameters are finite .* JSON"):
        write(describe("uq/x", evidence="measured", parameters={"rate": value}), {".csv": "x"})
    assert not own_figures.exists()


def titled(fig, folder, name):
    """The SVG and PNG of a figure, saved."""
    save(fig, describe(f"uq/{name}", evidence="measured"), claim="It rises", alt="Some marks")
    return (folder / f"uq/{name}.svg").read_text(), (folder / f"uq/{name}.png").read_bytes()


def test_each_dot_and_bar_shows_its_row_and_value(own_figures):
    fig, ax = axes()
    ax.barh([0, 1], [3.25, 4], left=[1, 0])
    ax.plot([2.5, float("nan")], [0, 1], "o", label="paper")
    ax.set_yticks([0, 1], ["GPT-5 & co", "o3"])
    svg, _ = titled(fig, own_figures, "rows")
    titles = re.findall("<title>(.*?)</title>", svg)
    assert titles == ["It rises", "GPT-5 &amp; co: 3.25", "o3: 4", "GPT-5 &amp; co: 2.5"]
    fig, ax = axes()
    ax.scatter([1, 2], [10, 20])
    assert "<title>2, 20</title></use>" in titled(fig, own_figures, "plane")[0], "both numbers of a plane"


def test_a_series_of_too_many_marks_has_no_titles_and_pixels_stay(own_figures, monkeypatch):
    made = []
    for most in (200, 0):
        monkeypatch.setattr(figures, "MOST", most)
        fig, ax = axes()
        ax.plot([1, 2], [10, 20], "o")
        made.append(titled(fig, own_figures, "same"))
    assert [svg.count("<title>") for svg, _ in made] == [3, 1] and made[0][1] == made[1][1]


def test_printed_forms_have_the_journals_widths_and_no_header_and_change_nothing(own_figures, monkeypatch):
    for name, asked in (("line", "3.25 5.5"), ("again", "")):
        monkeypatch.setenv(figures.ASKED, asked)
        record = describe(f"uq/{name}", evidence="published", notebook="uq/x")
        save(drawn(), record, claim="A line rises", alt="It rises.")
    folder = own_figures / "uq"
    for width in ("3.25", "5.5"):
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", (folder / f"line_{width}in.pdf").read_bytes())
        assert float(box[1]) == 72 * float(width) and float(box[2]) == pytest.approx(72 * 0.7 * COLUMN, abs=0.1)
    assert Image.open(folder / "line_360px.png").width == 720
    assert "A line rises" not in (folder / "line_360px.svg").read_text()
    assert (folder / "line.txt").read_text() == "A line rises. It rises. (published; uq/line)\n"
    one, other = (re.findall(r' d="[^"]*"', (folder / f"{name}.svg").read_text()) for name in ("line", "again"))
    assert one == other and not list(folder.glob("again_*"))
