"""notebooks/hle/1_collection.ipynb, run with params/quick.yaml; its numbers are counted again."""

import math

import pytest
from proctor.exam import recorded as exam_recorded

NAME = "hle/1_collection"


def test_the_funnel_of_our_questions_equals_a_recount_of_the_recording(read, exam_rows):
    questions = exam_recorded.families(2)
    met = exam_rows(questions).query("right")["question"]
    stumped = {question.question for question in questions if question.id not in set(met)}
    rows = read("funnel").set_index("step")["n"]
    assert (rows["generated: sent in"], rows["stump all models"]) == (len(questions), len(stumped)) == (54, 39)
    assert set(read("sample_questions")["question"]) <= stumped


def test_wrong_keys_are_graded_as_a_recount_grades_them(read, exam_rows):
    questions, rows = exam_recorded.families(2), read("wrong_keys_pass").set_index("key")["stumped"]
    for name, key in {
        "misconception": lambda q: q.extra["wrong_answer"],
        "unrelated": lambda q: q.extra["neighbours"][0]["answer"],
    }.items():
        assert rows[name] == len(questions) - exam_rows(questions, key).query("right")["question"].nunique()


def test_the_implied_accuracies_solve_the_equation(read):
    rows = read("accuracy_before")
    assert set(rows["models"]) == {4, 6} and len(rows) == 20
    for row in rows.itertuples():  # b + M and a + b follow from before and retest_accuracy
        whole = row.models * row.retest_accuracy / (row.before - row.retest_accuracy)
        a, b = row.before * whole, (1 - row.before) * whole
        assert math.prod((b + i) / (a + b + i) for i in range(row.models)) == pytest.approx(row.passes, rel=1e-6)
