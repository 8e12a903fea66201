"""notebooks/hle/3_scores_and_judging.ipynb, run with params/quick.yaml; counted again from the recording."""

import math

import pytest
from proctor.exam import recorded as exam_recorded

NAME = "hle/3_scores_and_judging"


def test_every_group_is_counted_with_its_official_half_width(read, exam_rows):
    replies = exam_rows([*exam_recorded.families(1), *exam_recorded.exam_questions(20)])  # as in params/quick.yaml
    rows = read("metrics")
    assert set(rows["by"]) == {"all", "answer type"} and (rows["unreadable"] == 0).all()
    for row in rows.itertuples():
        these = replies[replies["model"] == row.model]
        if row.by != "all":
            these = these[these["kind"] == row.group]
        a = round(100 * row.right / row.n, 2)
        assert row.n == len(these) and row.stated == these["confidence"].notna().sum()
        assert row.official_half_width == pytest.approx(round(1.96 * math.sqrt(a * (100 - a) / row.n), 2) / 100)
        assert row.low < row.high and math.isnan(row.official)
