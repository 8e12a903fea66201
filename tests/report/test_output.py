import base64
import json
import shutil
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from proctor import log_files, paths
from proctor.report import output
from proctor.report.claims import read_claims
from proctor.report.figures import axes
from proctor.report.output import Output
from proctor.workflow import notebook

PARAMETERS = "n: int | None = 5  # items\nnames: list[str] = ['a', 'b']\nrate = 0.5\nseed: int = 7\n"
VALUES = dict(n=5, names=["a", "b"], rate=0.5, seed=7)
SAMPLED = dict(estimate=25, interval=(3, 50), n=18, of="questions", unit="points", says="> 0")


def cell(source, *tags):
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": source}


def write_notebook(root, name, *cells, data=(), logs=()):
    path = root / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": cells, "metadata": {"proctor": {"data": list(data), "logs": list(logs)}}}))


@pytest.fixture
def checkout(tmp_path, monkeypatch, own_figures):
    """A checkout with one notebook, uq/1_toy, that the workflow seems to run."""
    for module, name, value in (
        (paths, "ROOT", tmp_path),
        (paths, "DATA", tmp_path / "data"),
        (paths, "PARAMS", tmp_path / "params"),
        (notebook, "ROOT", tmp_path),
        (notebook, "NOTEBOOKS", tmp_path / "notebooks"),
    ):
        monkeypatch.setattr(module, name, value)
    (tmp_path / "data").mkdir()
    for name in ("one.csv", "two.csv"):
        (tmp_path / "data" / name).write_text("x\n")
    write_notebook(tmp_path, "uq/1_toy", cell(PARAMETERS, "parameters"), cell("n + 1"), data=["data/*.csv"])
    monkeypatch.setenv("PROCTOR_NOTEBOOK", "uq/1_toy")
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr(output, "_shell", lambda: None)
    with matplotlib.rc_context():
        yield tmp_path
    plt.close("all")


@pytest.fixture
def page(monkeypatch):
    """What is displayed, as if a notebook ran: (data, metadata)."""
    shown = []
    monkeypatch.setattr(output, "_show", lambda data, metadata=None: shown.append((data, metadata)))
    return shown


@pytest.fixture
def lab(checkout, monkeypatch):
    """An Output of JupyterLab."""
    monkeypatch.delenv("PROCTOR_NOTEBOOK")
    return Output("measured", notebook="uq/1_toy", namespace=VALUES)


def made(evidence="measured", **changed):
    return Output(evidence, namespace=VALUES | changed)


def fake_shell(**changed):
    return SimpleNamespace(user_ns=VALUES | changed, execution_count=1, display_formatter=DisplayFormatter())


def record(checkout, name):
    return json.loads((checkout / "figures" / f"{name}.json").read_text())


def test_it_knows_notebook_inputs_parameters_and_seed(checkout):
    out = made()
    assert (out.name, out.paper, out.seed, out.at_defaults) == ("uq/1_toy", "uq", 7, True)
    assert out.inputs == ["data/one.csv", "data/two.csv"] and out.parameters == VALUES
    assert out.rng().random() == out.rng().random() == np.random.default_rng(7).random()
    write_notebook(checkout, "uq/1_toy", cell("n: int = 5", "parameters"))
    with pytest.raises(ValueError, match="no parameter seed"):
        made().rng()


def test_its_logs_are_inputs(checkout, monkeypatch):
    content = json.loads((checkout / "notebooks/uq/1_toy.ipynb").read_text())
    write_notebook(checkout, "uq/1_toy", *content["cells"], data=["data/*.csv"], logs=["llmbar"])
    monkeypatch.setattr(log_files, "inputs", lambda name: [(f"owner/{name}@0: tidy.csv", "ab")])
    for pinned in (False, True):  # other rows than the committed results rest on may give other verdicts
        monkeypatch.setattr(log_files, "as_pinned", lambda name, pinned=pinned: pinned)
        assert (out := made("logged")).at_defaults == pinned
    assert out.inputs == ["data/one.csv", "data/two.csv", ("owner/llmbar@0: tidy.csv", "ab")]
    out.table(pd.DataFrame({"x": [1]}), "uq/t")
    assert {"path": "owner/llmbar@0: tidy.csv", "sha256": "ab"} in record(checkout, "uq/t")["inputs"]


@pytest.mark.parametrize(
    "profile, changed, expected",
    [
        *(("", changed, False) for changed in ({"n": 6}, {"names": ["a"]}, {"seed": 8})),
        ("all: {n: 9, other: 9}", {}, False),
        ("all: {n: 9, other: 9}", {"n": 9}, True),
        ("all: {n: 8}\nuq/1_toy: {n: 9}", {"n": 9}, True),
        ("all: {n: 8}\nuq/1_toy: {n: 9}", {"n": 8}, False),
        ("uq/2_other: {n: 9}", {}, True),
    ],
)
def test_defaults_are_the_cells_overlaid_by_the_default_profile(checkout, profile, changed, expected):
    (checkout / "params").mkdir()
    (checkout / "params/default.yaml").write_text(profile)
    assert made(**changed).at_defaults is expected


def test_jupyterlab_names_the_notebook_or_else_the_author(checkout, monkeypatch):
    monkeypatch.delenv("PROCTOR_NOTEBOOK")
    with pytest.raises(ValueError, match=r"which notebook is this\? .* say Output\(..., notebook='uq/3_validators'\)"):
        made()
    for name in ("uq/1_toy", "notebooks/uq/1_toy.ipynb", str(checkout / "notebooks/uq/1_toy.ipynb")):
        assert Output("measured", notebook=name, namespace=VALUES).name == "uq/1_toy"
    monkeypatch.setenv("JPY_SESSION_NAME", str(checkout / "notebooks/uq/1_toy.ipynb"))
    assert made().name == "uq/1_toy"
    monkeypatch.setenv("JPY_SESSION_NAME", str(checkout / "Untitled.ipynb"))
    with pytest.raises(ValueError, match="Untitled.ipynb is no notebook file"):
        made()


def test_parameters_are_ipythons_variables_or_given_and_all_there(checkout, monkeypatch):
    with pytest.raises(ValueError, match="namespace=globals"):
        Output("measured")
    with pytest.raises(ValueError, match="parameters n have no value"):
        Output("measured", namespace={name: value for name, value in VALUES.items() if name != "n"})
    monkeypatch.setattr(output, "_shell", lambda: fake_shell(n=6))
    assert Output("measured").parameters["n"] == 6


def test_a_table_is_written_with_its_origin_and_twelve_digits(checkout, page):
    rates = {"rate": [1 / 3, 1.0], "low": [0.1 + 0.2, 0.5], "high": [0.5, 1.0]}
    frame = pd.DataFrame({"model": ["a", "b"], **rates, "n": [3, 4]})
    made().table(frame, "uq/rates", caption="Rates", evidence=["published", "simulated"])
    written = (checkout / "figures/uq/rates.csv").read_text()
    assert written == "model,rate,low,high,n\na,0.333333333333,0.3,0.5,3\nb,1.0,0.5,1.0,4\n"
    found = record(checkout, "uq/rates")
    assert found["parameters"] == {"n": 5, "names": ["a", "b"], "rate": 0.5} and found["seed"] == 7
    assert [entry["path"] for entry in found["inputs"]] == ["data/one.csv", "data/two.csv"]
    ((shown, _),) = page
    assert "| a | 0.33 [0.30, 0.50] | 3 |" in shown["text/plain"] == shown["text/markdown"]


def test_the_page_shows_thirty_rows_and_eight_columns_and_says_what_it_leaves_out(checkout, page):
    frame = pd.DataFrame({f"c{i}": range(40) for i in range(10)})
    out = made()
    out.table(frame, "uq/long")
    out.table(frame, "uq/long", show=["c9", "c0"])
    out.table(frame, "uq/long", show=False)
    (first, _), (second, _) = page
    assert "\n\n… 10 more rows and 2 more columns in figures/uq/long.csv\n" in first["text/markdown"]
    assert first["text/markdown"].count("\n|") == 31
    assert second["text/markdown"].startswith("| c9 | c0 |") and "… 10 more rows in" in second["text/markdown"]
    with pytest.raises(ValueError, match="no column c10"):
        out.table(frame, "uq/long", show=["c10"])


def test_the_picture_shown_is_the_picture_saved_and_it_is_one(checkout, page):
    out = made()
    fig, ax = axes()
    ax.plot([0, 1])
    gain = out.claim("uq/gain.a/b", "It rises", **SAMPLED, expect="holds")
    out.figure(fig, "uq/line", claim=gain, title="A line rises", alt="A line")
    data, metadata = page[-1]
    assert base64.b64decode(data["image/png"]) == (checkout / "figures/uq/line.png").read_bytes()
    assert metadata == {"artifact": "uq/line", "image/png": {"alt": "A line", "width": 340}} and len(page) == 2
    assert not plt.get_fignums(), "closed, so that Jupyter does not show it again"
    assert record(checkout, "uq/line")["claim_ids"] == ["uq/gain.a_b"] and record(checkout, "uq/line")["seed"] == 7
    assert record(checkout, "uq/line")["claim"] == "A line rises", "the title of the verdict expected"


def test_in_jupyterlab_what_breaks_a_rule_is_a_grey_line(lab, page, monkeypatch):
    fig, _ = axes()
    fig.set_size_inches(6, 4)
    lab.figure(fig, "uq/line", claim="A line", alt="A line")
    lab.not_drawn("uq/line", "no row is left")
    assert lab.claim("uq/gain", "It rises", **SAMPLED, expect="cannot tell").verdict == "holds"
    texts = [data["text/plain"] for data, _ in page]
    assert texts[0].startswith("uq/line: width is 6 inches") and "image/png" in page[1][0]
    assert texts[2] == "uq/line is not drawn: no row is left"
    assert texts[4] == "expected cannot tell, found holds (uq/gain)"
    lab.claim("uq/gain", "It rises", **SAMPLED, expect="holds")
    assert len(page) == 6
    monkeypatch.setenv("PROCTOR_NOTEBOOK", "uq/1_toy")  # the workflow refuses it
    with pytest.raises(ValueError, match="width is 6 inches"):
        made().figure(fig, "uq/line", claim="A line", alt="A line")
    with pytest.raises(ValueError, match="uq/line is not drawn: no row is left"):
        made().not_drawn("uq/line", "no row is left")


def test_in_jupyterlab_a_cell_may_run_again(lab, checkout):
    for estimate in (25, 26):
        lab.claim("uq/gain", "It rises", **SAMPLED | {"estimate": estimate})
        lab.claim("uq/rows", "All fit", holds=True, exact="all")
    found = [(claim.id, claim.estimate) for claim in read_claims(checkout / "figures")]
    assert found == [("uq/gain", 26), ("uq/rows", None)]


def test_a_copy_of_a_notebook_works_anywhere_in_jupyterlab(checkout, monkeypatch):
    copy = shutil.copy(checkout / "notebooks/uq/1_toy.ipynb", checkout / "mine.ipynb")
    monkeypatch.delenv("PROCTOR_NOTEBOOK")
    monkeypatch.setenv("JPY_SESSION_NAME", str(copy))
    out = made()
    out.claim("uq/gain", "It rises", **SAMPLED)
    assert out.inputs == ["data/one.csv", "data/two.csv"] and out.at_defaults
    assert [claim.id for claim in read_claims(checkout / "figures")] == ["uq/gain"]


def test_claims_are_written_in_order_and_anew_each_run(checkout):
    for _ in range(2):
        out = made()
        first = out.claim("uq/gain.small", "It rises", **SAMPLED)
        second = out.claim("uq/rows", "All rows fit", holds=False, exact="all 27 rows", n=27, evidence="published")
        assert read_claims(checkout / "figures") == [first, second]
    assert sorted(path.name for path in (checkout / "figures/uq").iterdir()) == [
        f"claims_1_toy.{ending}" for ending in ("csv", "json", "md")
    ]
    assert record(checkout, "uq/claims_1_toy")["evidence"] == "published + measured"
    assert "+25 points [+3, +50], n = 18 questions" in (checkout / "figures/uq/claims_1_toy.md").read_text()
    made().claim("uq/other", "It rises", **SAMPLED)
    assert [claim.id for claim in read_claims(checkout / "figures")] == ["uq/other"]


def test_a_claim_is_shown_in_one_line_and_once(checkout, page, monkeypatch):
    shell = fake_shell()
    monkeypatch.setattr(output, "_shell", lambda: shell)
    claim = made().claim("uq/gain", "It rises & falls", refuted="no", **SAMPLED, expect="holds")
    line = "✓ holds: It rises & falls (+25 points [+3, +50], n = 18 questions; measured; uq/gain)"
    assert page[0][0]["text/plain"] == line and "It rises &amp; falls" in page[0][0]["text/html"]
    assert shell.display_formatter.format(claim) == ({}, {}) and len(page) == 1  # a cell that ends with it
    shell.execution_count += 1
    assert shell.display_formatter.format(claim) == ({}, {}) and page[1] == page[0]


def test_the_expected_verdict_is_asserted_at_the_defaults_only(checkout, page):
    with pytest.raises(AssertionError, match="expected 'does not hold', found ✓ holds: It rises.*change expect="):
        made().claim("uq/gain", "It rises", **SAMPLED, expect="does not hold")
    made(n=6).claim("uq/gain", "It rises", **SAMPLED, expect="does not hold")
    assert "[not asserted: parameters or logs are not the defaults]" in page[-1][0]["text/plain"]
    assert "not asserted" in page[-1][0]["text/html"] and "not asserted" not in page[0][0]["text/plain"]
    made(n=6).claim("uq/gain", "It rises", **SAMPLED)
    assert "not asserted" not in page[-1][0]["text/plain"]


@pytest.mark.parametrize(
    "id, how, message",
    [
        ("uq/gain", {}, "made twice"),
        ("hle/gain", {}, "its paper is hle, the notebook's is uq"),
        ("uq/other", {"expect": "yes"}, "expect='yes'"),
        ("uq/other", {"evidence": ()}, "evidence"),
    ],
)
def test_what_claims_may_not_do(checkout, id, how, message):
    out = made()
    out.claim("uq/gain", "It rises", **SAMPLED)
    with pytest.raises(ValueError, match=message):
        out.claim(id, "It rises", **SAMPLED, **how)
    assert [claim.id for claim in read_claims(checkout / "figures")] == ["uq/gain"]
