"""notebooks/hle/2_measured_models.ipynb, run with params/quick.yaml; every number is counted again here."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.models.prompts import load

NAME = "hle/2_measured_models"


@pytest.fixture(scope="module")
def families(exam_rows):
    return exam_rows(exam_recorded.families(1))


@pytest.fixture(scope="module")
def exam(exam_rows):
    return exam_rows(exam_recorded.exam_questions(20))  # as in params/quick.yaml


@pytest.fixture(scope="module")
def stated(families, exam):
    """The rows of both that state a confidence."""
    return pd.concat([families, exam]).dropna(subset="confidence")


def test_the_lead_figure_shows_the_recounted_shares_and_the_anchor(done, read, stated):
    rows = read("lead_confidence_table").set_index("model")
    for model, these in stated.groupby("model"):
        assert rows["n"][model] == len(these)
        assert rows["stated"][model] == pytest.approx(these["confidence"].mean())
        assert rows["right"][model] == pytest.approx(these["right"].mean())
        near = [min(abs(c - x) for x in (0.96, 0.71, 0.97, 0.68)) < 0.0301 for c in these["confidence"]]
        assert rows["anchored"][model] == pytest.approx(np.mean(near))
    said = [re.findall(r"^Confidence: (\d+)%", load(f"hle/{name}").messages[i][1], re.MULTILINE)
            for name in ("answer_exact", "answer_choice") for i in (2, 4)]  # fmt: skip
    assert [int(found[0]) for found in said] == [96, 71, 97, 68]
    record = json.loads((done / "figures/hle/lead_confidence.json").read_text())
    assert "worked examples state 96 and 71 and 97 and 68" in record["alt"]


def test_accuracies_equal_a_recount_of_the_recording(read, families, exam):
    rows = read("measured_accuracy_table")
    groups = {"all families": families, "MMLU-tiny": exam} | dict(list(families.groupby("category")))
    groups |= {f"level {level:.0f}": these for level, these in families.groupby("level")}
    assert set(rows["questions"]) == set(groups) and len(rows) == 3 * len(groups)
    for row in rows.itertuples():
        these = groups[row.questions].query("model == @row.model")
        assert (row.n, row.right) == (len(these), these["right"].sum())
        assert row.accuracy == pytest.approx(these["right"].mean())


def test_the_official_calibration_error_is_shown_to_depend_on_the_number_of_answers_alone(read, stated):
    rows = read("calibration_table").query("signal == 'stated confidence'").set_index("answers")
    assert rows["n"]["all, both exams"] == len(stated)
    assert rows["official"][exam_recorded.MODELS].isna().all()  # below 100 answers
    assert rows["official"]["all, both exams"] == 0  # below 200
    one_bin = stated[stated["model"] == exam_recorded.MODELS[2]]
    gap = abs(one_bin["confidence"].mean() - one_bin["right"].mean())
    assert rows["all_bins"][exam_recorded.MODELS[2]] == pytest.approx(gap)


def test_the_effect_of_a_low_anchor_is_that_of_the_table_with_families_as_units(read, claims_made):
    styles, claim = read("3b_styles"), claims_made["hle/3b_low_guess"]
    styles = styles[styles["version"] == "families-v2"].set_index("style")
    assert (claim.estimate, claim.n) == (
        pytest.approx(100 * styles["below_90"]["low"] - 100 * styles["below_90"]["plain"]),
        9,
    )


def test_your_own_questions_take_the_place_of_the_generated_ones(quick_run):
    lines = (paths.QUESTIONS / "families_v2.jsonl").read_text().splitlines()
    ids = [f'"id": "{family}-{level}-01"' for family in ("tank", "long_sum") for level in (1, 2)]
    own = [line for line in lines if any(name in line for name in ids)]
    done = quick_run(NAME, "-p", "questions", "{}/own.jsonl", label="own", files={"own.jsonl": "\n".join(own)})
    rows = pd.read_csv(done / "figures/hle/measured_accuracy_table.csv")
    assert set(rows["questions"]) == {"all families", "level 1", "level 2", "tank", "long_sum", "MMLU-tiny"}
    assert (rows["n"][rows["questions"] == "all families"] == 4).all()
