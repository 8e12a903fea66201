"""notebooks/hle/2_measured_models.ipynb, run with params/quick.yaml; every number is counted again here."""

import json
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam
from proctor.models.prompts import load

NAME = "hle/2_measured_models"
N_EXAM = 20  # as in params/quick.yaml
pytestmark = pytest.mark.skipif(
    not (paths.CACHE / "fetched/MMLU/test-tiny.jsonl").is_file(),
    reason="the exam's questions are not fetched: run `make setup`",
)


def right(question, text) -> bool:
    """Whether a reply's answer line holds the key, read and compared without the library."""
    found = re.findall(r"^(?:Exact )?Answer: (.*)$", text, re.MULTILINE)
    given = found[-1].strip() if found else ""
    if question.options:
        return given == question.answer
    number = re.fullmatch(r"([-\d,.]*\d)\s*[a-z°%]*\.?", given.lower())
    if number and re.fullmatch(r"-?[\d.]+", question.answer):
        return Decimal(number[1].replace(",", "")) == Decimal(question.answer)
    return given.lower().strip(" .'\"") == question.answer.lower()


@pytest.fixture(scope="module")
def recount(recorded_replies):
    """One row a model and question of both exams: right, stated confidence."""
    rows = []
    for model in exam_recorded.MODELS:
        replies = recorded_replies(model)
        for place, questions in (
            ("families", exam_recorded.families(1)),
            ("exam", exam_recorded.exam_questions(N_EXAM)),
        ):
            for question in questions:
                text = replies[run_exam.exam_request(model, question).key]["text"]
                said = re.search(r"^Confidence: (\d+)%", text, re.MULTILINE)
                rows.append(
                    (
                        place,
                        model,
                        question.category,
                        question.level,
                        question.id,
                        right(question, text),
                        int(said[1]) / 100 if said else np.nan,
                    )
                )
    return pd.DataFrame(rows, columns=["place", "model", "category", "level", "question_id", "right", "confidence"])


def test_the_lead_figure_shows_the_recounted_shares_and_the_anchor(done, read, recount):
    rows = read("lead_confidence_table").set_index("model")
    known = recount.dropna(subset=["confidence"])
    for model, these in known.groupby("model"):
        assert rows["n"][model] == len(these)
        assert rows["stated"][model] == pytest.approx(these["confidence"].mean())
        assert rows["right"][model] == pytest.approx(these["right"].mean())
        near = [min(abs(c - x) for x in (0.96, 0.71, 0.97, 0.68)) < 0.0301 for c in these["confidence"]]
        assert rows["anchored"][model] == pytest.approx(np.mean(near))
        for name in ("stated", "token", "right", "anchored"):
            assert rows[f"{name}_low"][model] <= rows[name][model] <= rows[f"{name}_high"][model]
    said = [re.findall(r"^Confidence: (\d+)%", load(f"hle/{name}").messages[i][1], re.MULTILINE)
            for name in ("answer_exact", "answer_choice") for i in (2, 4)]  # fmt: skip
    assert [int(found[0]) for found in said] == [96, 71, 97, 68]
    record = json.loads((done / "figures/hle/lead_confidence.json").read_text())
    assert "worked examples state 96 and 71 and 97 and 68" in record["alt"]


def test_accuracies_equal_a_recount_of_the_recording(read, recount):
    rows = read("measured_accuracy_table")
    first = recount[recount["place"] == "families"]
    groups = {"all families": first, "MMLU-tiny": recount[recount["place"] == "exam"]}
    groups |= {f"level {level:.0f}": these for level, these in first.groupby("level")} | dict(
        list(first.groupby("category"))
    )
    assert set(rows["questions"]) == set(groups) and len(rows) == 3 * len(groups)
    for row in rows.itertuples():
        these = groups[row.questions].query("model == @row.model")
        assert (row.n, row.right) == (len(these), these["right"].sum())
        assert row.accuracy == pytest.approx(these["right"].mean()) and row.low <= row.accuracy <= row.high


def test_the_official_calibration_error_is_shown_to_depend_on_the_number_of_answers_alone(read, recount):
    rows = read("calibration_table").query("signal == 'stated confidence'").set_index("answers")
    known = recount.dropna(subset=["confidence"])
    assert rows["n"]["all, both exams"] == len(known)
    assert rows["official"][exam_recorded.MODELS].isna().all()  # below 100 answers
    assert rows["official"]["all, both exams"] == 0  # below 200
    one_bin = known[known["model"] == exam_recorded.MODELS[2]]
    gap = abs(one_bin["confidence"].mean() - one_bin["right"].mean())
    assert rows["all_bins"][exam_recorded.MODELS[2]] == pytest.approx(gap)


def test_the_anchors_are_those_of_the_prompts_and_the_guess_is_judged_by_families(read, claims_made):
    styles = read("3b_styles").set_index("style")
    assert (styles["answers"] == 100).all() and list(styles.index) == ["plain", "anchored", "low"]
    claim = claims_made["hle/3b_low_guess"]
    assert claim.estimate == pytest.approx(100 * (styles["below_90"]["low"] - styles["below_90"]["plain"]))
    assert claim.n == 9 and claim.high < 25


def test_your_own_questions_take_the_place_of_the_generated_ones(quick_run):
    lines = (paths.QUESTIONS / "families_v2.jsonl").read_text().splitlines()
    ids = [f'"id": "{family}-{level}-01"' for family in ("tank", "long_sum") for level in (1, 2)]
    own = [line for line in lines if any(name in line for name in ids)]
    done = quick_run(NAME, "-p", "questions", "{}/own.jsonl", label="own", files={"own.jsonl": "\n".join(own)})
    rows = pd.read_csv(done / "figures/hle/measured_accuracy_table.csv")
    assert set(rows["questions"]) == {"all families", "level 1", "level 2", "tank", "long_sum", "MMLU-tiny"}
    assert (rows["n"][rows["questions"] == "all families"] == 4).all()


def test_a_model_that_nobody_has_asked_is_told_with_the_way_out(run_notebook, tmp_path):
    result = run_notebook(NAME, tmp_path, "--params", "params/quick.yaml", "-p", "models", "[openai/gpt-4o]")
    assert result.returncode == 1
    assert "neither recorded nor cached" in result.stderr and "Use mode auto to ask the model" in result.stderr
