"""notebooks/hle/3_scores_and_judging.ipynb, run with params/quick.yaml; counted again from the recording."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam

NAME = "hle/3_scores_and_judging"
N_EXAM = 20  # as in params/quick.yaml
pytestmark = pytest.mark.skipif(
    not (paths.CACHE / "fetched/MMLU/test-tiny.jsonl").is_file(),
    reason="the exam's questions are not fetched: run `make setup`",
)


@pytest.fixture(scope="module")
def replies(recorded_replies):
    """One row a model and question of both exams, read off the recording without the exam's own reader."""
    rows = []
    for model in exam_recorded.MODELS:
        kept = recorded_replies(model)
        for question in (*exam_recorded.families(1), *exam_recorded.exam_questions(N_EXAM)):
            reply = kept[run_exam.exam_request(model, question).key]
            said = re.search(r"^Confidence: (\d+)%", reply["text"], re.MULTILINE)
            rows.append(
                dict(
                    model=model,
                    kind=question.answer_type,
                    confidence=int(said[1]) / 100 if said else np.nan,
                )
            )
    return pd.DataFrame(rows)


def test_every_group_is_counted_with_its_official_half_width(read, replies):
    rows = read("metrics")
    assert set(rows["by"]) == {"all", "answer type"} and (rows["unreadable"] == 0).all()
    for row in rows.itertuples():
        these = replies[replies["model"] == row.model]
        if row.by != "all":
            these = these[these["kind"] == row.group]
        a = round(100 * row.right / row.n, 2)
        assert row.n == len(these) and row.stated == these["confidence"].notna().sum()
        assert row.official_half_width == pytest.approx(round(1.96 * math.sqrt(a * (100 - a) / row.n), 2) / 100)
        assert row.low <= row.accuracy <= row.high and row.high > row.low and math.isnan(row.official)
