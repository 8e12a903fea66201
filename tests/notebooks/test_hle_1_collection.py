"""notebooks/hle/1_collection.ipynb, run with params/quick.yaml; its numbers are counted again."""

import math
import re
from decimal import Decimal

import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam

NAME = "hle/1_collection"
pytestmark = pytest.mark.skipif(
    not (paths.CACHE / "fetched/MMLU/test-tiny.jsonl").is_file(),
    reason="the exam's questions are not fetched: run `make setup`",
)


@pytest.fixture(scope="module")
def given(recorded_replies) -> dict:
    """(model, question id) -> answer line of the recorded greedy reply, read without the library."""
    found = {}
    for model in exam_recorded.MODELS:
        for question in exam_recorded.families(2):
            text = recorded_replies(model)[run_exam.exam_request(model, question).key]["text"]
            lines = re.findall(r"^(?:Exact )?Answer: (.*)$", text, re.MULTILINE)
            found[model, question.id] = lines[-1].strip() if lines else ""
    return found


def same(answer, key) -> bool:
    number = re.fullmatch(r"([-\d,.]*\d)\s*[a-z°%]*\.?", answer.lower())
    if number and re.fullmatch(r"-?[\d.]+", key):
        return Decimal(number[1].replace(",", "")) == Decimal(key)
    return answer.lower().strip(" .'\"") == key.lower()


def test_the_funnel_of_our_questions_equals_a_recount_of_the_recording(read, given):
    questions = exam_recorded.families(2)
    stumped = [q.id for q in questions if not any(same(given[model, q.id], q.answer) for model in exam_recorded.MODELS)]
    rows = read("funnel").set_index("step")["n"]
    assert (rows["generated: sent in"], rows["stump all models"]) == (len(questions), len(stumped)) == (54, 39)
    assert set(read("sample_questions")["question"]) <= {q.question for q in questions if q.id in stumped}


def test_wrong_keys_are_graded_as_a_recount_grades_them(read, given):
    questions, rows = exam_recorded.families(2), read("wrong_keys_pass").set_index("key")["stumped"]
    for name, key in {
        "misconception": lambda q: q.extra["wrong_answer"],
        "unrelated": lambda q: q.extra["neighbours"][0]["answer"],
    }.items():
        met = [q for q in questions if any(same(given[model, q.id], key(q)) for model in exam_recorded.MODELS)]
        assert rows[name] == len(questions) - len(met)


def test_the_implied_accuracies_solve_the_equation(read):
    rows = read("accuracy_before")
    assert set(rows["models"]) == {4, 6} and len(rows) == 20
    for row in rows.itertuples():  # b + M and a + b follow from before and retest_accuracy
        whole = row.models * row.retest_accuracy / (row.before - row.retest_accuracy)
        a, b = row.before * whole, (1 - row.before) * whole
        assert math.prod((b + i) / (a + b + i) for i in range(row.models)) == pytest.approx(row.passes, rel=1e-6)
