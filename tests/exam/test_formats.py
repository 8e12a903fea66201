"""What is written in a format of the field reads back equal, and real oddities of these files are told."""

import json
import math
import zipfile

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.exam.formats import (
    read_hle,
    read_inspect,
    read_lm_eval,
    read_results,
    write_hle,
    write_inspect,
    write_lm_eval,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
ROW = st.fixed_dictionaries(
    dict(
        reply=TEXT,
        answer=st.none() | TEXT,
        correct=st.booleans(),
        confidence=st.integers(0, 100).map(lambda percent: percent / 100),
        prompt_tokens=st.integers(0, 9999),
        completion_tokens=st.integers(0, 9999),
        cut_off=st.booleans(),
        right=st.sampled_from([0.0, 1.0, math.nan]),
        judge_answer=TEXT,
        judge_reasoning=TEXT,
    )
)
TIDY = dict(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def results(draw, samples=2):
    ids = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    questions = [Question(id=name, question=f"Q {name}", answer=draw(TEXT)) for name in ids]
    rows = [dict(model="m", question_id=name, sample=sample) | draw(ROW) for name in ids for sample in range(samples)]
    return pd.DataFrame(rows), questions


def equal(one, two, columns):
    for column in columns:
        assert [None if x is None or x != x else x for x in one[column]] == [
            None if x is None or x != x else x for x in two[column]
        ], column


@settings(**TIDY)
@given(found=results(samples=1))
def test_hle_predictions_and_judged_files_read_back_equal(tmp_path, found):
    rows, questions = found
    columns = ["model", "question_id", "reply", "prompt_tokens", "completion_tokens"]
    write_hle(tmp_path / "p.json", rows[columns])
    equal(read_hle(tmp_path / "p.json"), rows, columns)
    rows["judge_confidence"] = rows["confidence"]
    write_hle(tmp_path / "j.json", rows, questions)
    back = read_hle(tmp_path / "j.json").reindex(columns=[*rows.columns])
    equal(back, rows, [*columns, "right"])
    judged = rows["right"].notna()
    equal(back[judged], rows[judged], ["judge_answer", "judge_reasoning"])
    assert back[judged]["judge_confidence"].to_numpy() == pytest.approx(rows[judged]["confidence"].to_numpy())


@settings(**TIDY)
@given(found=results())
def test_logs_of_inspect_read_back_equal(tmp_path, found):
    rows, questions = found
    rows["undecided"] = False
    write_inspect(tmp_path / "log.json", rows, questions)
    tokens = ["prompt_tokens", "completion_tokens"]
    columns = ["model", "question_id", "sample", "answer", "correct", "confidence", "reply", "cut_off", *tokens]
    equal(read_inspect(tmp_path / "log.json"), rows, columns)


@settings(**TIDY)
@given(found=results())
def test_samples_of_lm_eval_read_back_equal(tmp_path, found):
    rows, questions = found
    write_lm_eval(tmp_path / "s.jsonl", rows, questions)
    back = read_lm_eval(tmp_path / "s.jsonl", "m")
    rows["answer"] = rows["answer"].fillna("")  # this format has no missing answer
    equal(back, rows, ["model", "question_id", "sample", "answer", "correct", "reply"])


def test_a_zipped_log_and_content_in_parts_are_read(tmp_path):
    sample = {
        "id": 7,
        "epoch": 2,
        "output": {"choices": [{"message": {"content": [{"type": "text", "text": "B"}]}, "stop_reason": "max_tokens"}]},
        "scores": {"choice": {"value": 1, "answer": "B"}, "other": {"value": {"a": 1}}},
    }
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("header.json", json.dumps({"eval": {"model": "x"}}))
        file.writestr("samples/7_epoch_2.json", json.dumps(sample))
    row = read_inspect(tmp_path / "log.eval", score="choice").iloc[0]
    assert (row["model"], row["question_id"], row["sample"], row["reply"]) == ("x", "7", 1, "B") and row["cut_off"]
    with pytest.raises(DataError, match="scores choice, other. Name one of them"):
        read_inspect(tmp_path / "log.eval")
    with pytest.raises(DataError, match="Reduce it to C, I or a number"):
        read_inspect(tmp_path / "log.eval", score="other")


def test_a_deflated_log_is_read_and_one_whose_bytes_changed_is_refused(tmp_path):
    path = tmp_path / "log.eval"
    sample = {"id": 7, "epoch": 1, "output": {}, "scores": {"choice": {"value": "C", "answer": "B" * 100}}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"eval": {"model": "x"}}))
        file.writestr("samples/7_epoch_1.json", json.dumps(sample))
        place = file.getinfo("samples/7_epoch_1.json").header_offset + 30 + len("samples/7_epoch_1.json") + 10
    assert read_inspect(path)["answer"].tolist() == ["B" * 100]
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DataError, match="log.eval: not a log that can be read"):
        read_inspect(path)


def test_multiple_choice_of_lm_eval_and_several_filters(tmp_path):
    line = {"doc_id": 3, "doc": {"q": "x"}, "target": "1", "resps": [[[-1.5, False]], [[-0.5, True]]], "acc": 1.0}
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line | {"metrics": ["acc"], "filter": "none"}))
    row = read_lm_eval(path, "m").iloc[0]
    assert row["question_id"] == "3" and row["correct"]
    path.write_text(
        "\n".join(json.dumps(line | {"metrics": ["acc"], "filter": name}) for name in ("strict", "flexible"))
    )
    assert len(read_lm_eval(path, "m", filter="strict")) == 1
    with pytest.raises(DataError, match="filters strict, flexible. Choose one"):
        read_lm_eval(path, "m")


def test_broken_files_are_told(tmp_path):
    path = tmp_path / "x.json"
    for text, wrong in (
        ("[", "bad JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no results"),
        ('{"a": {}}', "response"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=wrong):
            read_hle(path)
    two = pd.DataFrame([dict(model=name, question_id="q", reply="r") for name in "ab"])
    with pytest.raises(DataError, match="one file a model"):
        write_hle(path, two)


@pytest.mark.parametrize("key", ["predictions", "judged_predictions"])
def test_hle_files_that_are_wrapped_are_read_and_a_failed_judgement_is_none(tmp_path, key):
    failed = {"correct": "no", "confidence": 0, "reasoning": "", "error": "Connection error."}
    entries = {"q1": {"model": "m", "response": "4", "judge_response": failed}, "q2": {"model": "m", "response": "5"}}
    (tmp_path / "judged.json").write_text(json.dumps({"judging_metadata": {"judge": "j"}, key: entries}))
    found = read_hle(tmp_path / "judged.json")
    assert found["question_id"].tolist() == ["q1", "q2"] and "right" not in found


def promptfoo(path, *entries):
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": list(entries), "stats": {}}}))
    return path


def entry(number, output, score, variables, provider="openai:gpt-4o", label="plain"):
    return dict(
        testIdx=number,
        promptIdx=0,
        provider={"id": provider, "label": ""},
        prompt={"raw": "Answer: {{q}}", "label": label},
        testCase={"vars": variables, "metadata": {}},
        response={"output": output, "tokenUsage": {"prompt": 12, "completion": 5}},
        success=score == 1,
        score=score,
    )


def test_results_of_promptfoo_are_read_with_repeats_as_samples(tmp_path):
    again = entry(2, {"answer": 4}, 0, {"q": "2 + 2"})
    named = entry(1, "Paris", 0.5, {"q": "capital", "id": "fr"})
    found = read_results(promptfoo(tmp_path / "r.json", entry(0, "4", 1, {"q": "2 + 2"}), named, again))
    assert found["question_id"].tolist() == ["0", "fr", "0"] and found["sample"].tolist() == [0, 0, 1]
    assert found["correct"].tolist() == [True, False, False] and found["score"].tolist() == [1, 0.5, 0]
    assert found["reply"].tolist() == ["4", "Paris", '{"answer": 4}'] and set(found["model"]) == {"openai:gpt-4o"}
    assert found["completion_tokens"].tolist() == [5, 5, 5]


def test_each_prompt_of_promptfoo_is_a_system_and_a_test_without_response_is_an_error(tmp_path):
    two = entry(0, "4", 1, {"q": "x"}), entry(0, "5", 0, {"q": "x"}, label="at length")
    found = read_results(promptfoo(tmp_path / "r.json", *two))
    assert found["model"].tolist() == ["openai:gpt-4o, plain", "openai:gpt-4o, at length"]
    with pytest.raises(DataError, match="r.json, row 2, column response: no response. Run this test again"):
        read_results(promptfoo(tmp_path / "r.json", two[0], entry(1, None, 0, {"q": "y"})))
