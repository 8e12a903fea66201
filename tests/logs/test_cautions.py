"""Cautions about logs, as code."""

import pandas as pd
from proctor.logs.tidy import twins


def test_twins_are_systems_that_gave_the_same_where_both_gave_something():
    table = pd.DataFrame(
        {"a": ["A", "B", "", "C"], "b": ["A", "B", "D", "C"], "c": ["A", "B", "D", "D"], "d": ["A"] * 4, "e": ["A"] * 4}
    )
    assert twins(table) == [("a", "b", 1.0)]
    assert [pair[:2] for pair in twins(table, 0.6)] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_two_of_the_real_models_are_nearly_twins_and_no_two_agents_are(real_logs):
    from proctor import logs

    assert [logs.twins(logs.outcomes(name)) for name in ("swe_bench_pro", "gso")] == [[], []]
    models = logs.table("mmlu_redux").iloc[:, 5:]
    assert [pair[:2] for pair in logs.twins(models, 0.95)] == [
        ("meta_llama-3.2-90b-vision-instruct-turbo", "meta_llama-3.1-70b-instruct-turbo")
    ]
