"""Cautions about logs, as code."""

import pandas as pd
from proctor.logs.cautions import without_partial_pass


def test_only_the_partial_pass_loses_its_judgements():
    runs = pd.DataFrame(
        {"run": ["openai_gpt-5_azure", "x"], "judge_correct": ["1", "1"], "judge_confidence": ["9", "8"]}
    )
    left = without_partial_pass(runs)
    assert left["judge_correct"].tolist() == ["", "1"] and left["judge_confidence"].tolist() == ["", "8"]
    assert runs["judge_correct"].tolist() == ["1", "1"]
