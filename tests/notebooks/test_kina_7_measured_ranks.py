"""notebooks/kina/7_measured_ranks.ipynb, run by papermill on the recording with the quick parameters."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam
from proctor.exam.words import same_answer
from proctor.models.cache import recording_path
from proctor.models.messages import Reply
from proctor.models.read_answer import stated
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/7_measured_ranks"


@pytest.fixture(scope="module")
def measured(done):
    return pd.read_csv(done / "figures/kina/measured_ranking_table.csv").set_index(["board", "row"])


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_leaves_what_the_catalog_promises_with_the_evidence_that_it_names(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) == 4 and catalog.check(rows, done / "figures") == []


def test_measured_outputs_name_the_recordings_that_they_rest_on(done):
    for name in ("measured_ranking", "measured_ranking_table"):
        found = record(done, name)
        assert found["evidence"] == "measured"
        assert {entry["path"] for entry in found["inputs"]} >= {
            f"data/recorded/{model}.jsonl.gz" for model in exam_recorded.MODELS
        }


def test_measured_accuracies_equal_a_recount_of_the_recording(measured):
    questions = exam_recorded.families(2)
    for model in exam_recorded.MODELS:
        with gzip.open(recording_path(paths.RECORDED, model), "rb") as file:
            next(file)
            replies = {key.decode(): reply for key, _, reply in (line.rstrip().partition(b" ") for line in file)}
        right = {
            q.id: same_answer(
                stated(Reply.from_json(replies[run_exam.exam_request(model, q).key], "recording")).answer, q.answer
            )
            for q in questions
        }
        assert measured.loc[("models", model), "accuracy"] == pytest.approx(100 * np.mean(list(right.values())))
        for level in (1, 2, 3):
            own = [hit for key, hit in right.items() if key.split("-")[1] == str(level)]
            accuracy = measured.loc[("models by level", f"{model}, level {level}"), "accuracy"]
            assert len(own) == 18 and accuracy == pytest.approx(100 * np.mean(own))


def test_measured_rank_sets_over_families_are_no_smaller_than_over_their_questions_on_average(measured):
    width = {unit: (measured[f"{unit}_high"] - measured[f"{unit}_low"]).mean() for unit in ("family", "question")}
    assert width["family"] > width["question"]
    for _, part in measured.groupby("board"):
        assert part["rank"].between(1, len(part)).all() and part["p_first"].sum() == pytest.approx(1)


def test_ranks_are_titled_by_family_and_shown_by_both_units(done, measured):
    claims = {claim.id: claim for claim in read_claims(done / "figures")}
    models = measured.loc["models"]
    certain = {unit: (models[f"{unit}_low"] == models[f"{unit}_high"]).sum() for unit in ("family", "question")}
    assert certain == {"family": 0, "question": 3}
    by_family = claims["kina/7_measured_ranks.families"]
    assert by_family.verdict == "cannot tell" and by_family.n == 9 and "0 of 3 models by family" in by_family.title
    assert claims["kina/7_measured_ranks.questions"].verdict == "holds"
    drawn = record(done, "measured_ranking")
    assert drawn["claim"] == by_family.title and drawn["claim_ids"] == [by_family.id]


def test_results_box_has_the_numbers_of_the_committed_claims():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    box = " ".join("".join(content["cells"][0]["source"]).replace("\n>", " ").split())
    committed = {claim.id: claim for claim in read_claims() if claim.notebook == NAME}
    for name in ("7_measured_ranks.families", "7_measured_ranks.questions", "7_measured_ends"):
        assert committed[f"kina/{name}"].numbers.partition(", n =")[0] in box


def test_notebook_is_stored_without_outputs():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert all(len(cell["source"]) <= 12 for cell in code) and len(code) <= 20
    assert "sqlite" not in json.dumps(content)
