"""notebooks/synthesis/5_how_many.ipynb, run by papermill with the quick parameters."""

import json

import pandas as pd
from proctor.report import catalog

NAME = "synthesis/5_how_many"


def test_leaves_what_the_catalog_promises(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) >= 7 and catalog.check(rows, done / "figures") == []


def test_one_line_stands_for_the_sliders(done):
    cells = json.loads((done / "out.ipynb").read_text())["cells"]
    shown = [output["data"] for cell in cells for output in cell.get("outputs", ()) if "data" in output]
    assert any("Sliders: open" in "".join(data.get("text/markdown", "")) for data in shown)
    assert not [data for data in shown if "application/vnd.jupyter.widget-view+json" in data]


def test_every_question_was_simulated(done):
    table = pd.read_csv(done / "figures/synthesis/how_many_trials.csv")
    questions = {"items", "repeats", "votes", "rollouts", "agreement", "checks", "split"}
    assert set(table["question"]) == questions and (table["trials"] == 400).all()


def test_what_rests_on_no_sample_is_as_committed(claims_made):
    verdicts = {name.removeprefix("synthesis/5_"): claim.verdict for name, claim in claims_made.items() if claim.exact}
    assert verdicts == {
        "items.exact": "holds",
        "items.one_variance": "does not hold",
        "one_point": "holds",
        "checks.below": "holds",
        "split.rule": "holds",
        "leads": "does not hold",
        "checked": "holds",
        "rated": "does not hold",
    }
