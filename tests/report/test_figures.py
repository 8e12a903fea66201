import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import proctor
import pytest
from matplotlib import pyplot as plt
from proctor import paths
from proctor.report.figures import COLUMN, save, size

LIB = str(Path(proctor.__file__).parents[1])
DRAW = """
import sys
from matplotlib import pyplot as plt
from proctor.report.figures import forest, save, size, style
style()
fig, ax = plt.subplots(figsize=size())
forest(ax, ["a", "b"], [0.2, 0.5], [0.1, 0.4], [0.3, 0.6], role="ours", evidence="measured")
ax.set_xlabel(r"accuracy $\\alpha$")
save(fig, "uq/sample", claim="It rises", alt="A line", evidence="measured", inputs=["catalog.csv"], seed=3, out=sys.argv[1])
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
    fig, ax = plt.subplots(figsize=size(width))
    ax.plot([0, 1], [0, 1])
    ax.set_xlabel("x axis")
    return fig


def files_under(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def run_fresh(checkout: Path, cwd: Path) -> dict[str, bytes]:
    (checkout / "data").mkdir(parents=True)
    cwd.mkdir()
    (cwd / "matplotlibrc").write_text(
        "figure.dpi: 55\nfont.size: 20\naxes.grid: False\nsvg.fonttype: path\n" if checkout.name == "two" else ""
    )
    (checkout / "data" / "catalog.csv").write_text("x\n")
    environment = os.environ | {"PYTHONPATH": LIB, "PROCTOR_ROOT": str(checkout), "MPLBACKEND": "agg"}
    subprocess.run([sys.executable, "-c", DRAW, str(checkout / "out")], cwd=cwd, env=environment, check=True)
    return {file: (checkout / "out" / file).read_bytes() for file in files_under(checkout / "out")}


def test_two_processes_in_two_checkouts_with_two_matplotlibrc_write_the_same_bytes(tmp_path):
    one, two = (run_fresh(tmp_path / name, tmp_path / f"cwd_{name}") for name in ("one", "two"))
    assert sorted(one) == ["uq/sample.json", "uq/sample.png", "uq/sample.svg"]
    assert one == two
    assert not any(str(tmp_path).encode() in content for content in one.values())


def test_json_tells_where_the_figure_comes_from(checkout, monkeypatch):
    monkeypatch.setenv("PROCTOR_NOTEBOOK", "hle/2_evaluation")
    save(
        drawn(),
        "uq/sample",
        claim="It rises",
        alt="A line",
        evidence="measured",
        seed=np.int64(7),
        inputs=["facts.csv", checkout / "data" / "facts.csv"],
        parameters={
            "n": np.int64(3),
            "rates": np.array([0.5]),
            "file": checkout / "data" / "facts.csv",
            "text": str(checkout / "data"),
            "elsewhere": "/srv/someone/private.jsonl",
        },
        note="a note",
    )
    text = (checkout / "figures/uq/sample.json").read_text()
    found = json.loads(text)
    assert text == json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    described = {"artifact", "code", "evidence", "inputs", "note", "parameters", "seed"}
    assert set(found) == described | {"alt", "claim", "claim_ids"}
    assert found["inputs"] == [{"path": "data/facts.csv", "sha256": hashlib.sha256(b"a\n1\n").hexdigest()}]
    assert found["parameters"] == {
        "n": 3,
        "rates": [0.5],
        "file": "data/facts.csv",
        "text": "data",
        "elsewhere": "private.jsonl",
    }
    assert found["seed"] == 7 and found["note"] == "a note" and found["evidence"] == "measured"
    assert found["code"]["notebook"] == "hle/2_evaluation"
    assert found["code"]["versions"] == {
        "proctor": proctor.__version__,
        "matplotlib": matplotlib.__version__,
        "numpy": np.__version__,
    }


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"inputs": "facts.csv"}, "list of files"),
        ({"inputs": ["data"]}, "'data' is not a file"),
        ({"name": "no_paper"}, "no_paper"),
        ({"name": "../uq/sample"}, "uq/sample"),
        ({"parameters": {"rate": float("nan")}}, "rate"),
        ({"parameters": {"deep": [{"model": object()}]}}, r"deep\[0\].model"),
    ],
)
def test_bad_calls_are_told_and_write_nothing(checkout, wrong, message):
    arguments = {"name": "uq/sample", "evidence": "measured", "claim": "It rises", "alt": "A line"} | wrong
    before = files_under(checkout)
    with pytest.raises(ValueError, match=message):
        save(drawn(), arguments.pop("name"), **arguments)
    assert files_under(checkout) == before


def test_importing_changes_no_settings():
    code = (
        "import matplotlib; before = dict(matplotlib.rcParams); import proctor.report.figures;"
        "assert dict(matplotlib.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": LIB, "MPLBACKEND": "agg"}, check=True)
