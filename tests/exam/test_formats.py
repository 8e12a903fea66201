"""Files in the formats of the field are read, and real oddities of these files are told."""

import json

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.exam.formats import read_results, zipfile
from proctor.exam.marking import read_one


def inspect_log(path, *scores):
    """A log as inspect_ai writes it (`EvalRecorder`): members of a deflated zip, `scores` by scorer in each sample."""
    samples = [dict(id=i, epoch=1, input="?", target="B", messages=[], scores=each) for i, each in enumerate(scores, 1)]
    header = dict(version=2, status="success", eval=dict(model="openai/gpt-x", task="t"))
    if path.suffix == ".json":
        path.write_text(json.dumps(header | dict(samples=samples)))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=5) as file:
        file.writestr("_journal/start.json", json.dumps(header))
        for each in samples:
            file.writestr(f"samples/{each['id']}_epoch_1.json", json.dumps(each, indent=2))
        file.writestr("header.json", json.dumps(header))
    return path


def test_a_log_of_inspect_gives_each_epoch_s_reply_and_whether_it_was_cut_off(tmp_path):
    path = inspect_log(tmp_path / "log.json", dict(match=BY_MATCH), dict(match=BY_MATCH))
    log = json.loads(path.read_text())
    for epoch, (each, reason) in enumerate(zip(log["samples"], ("stop", "max_tokens")), 1):
        choice = dict(message=dict(role="assistant", content=f"reply {epoch}"), stop_reason=reason)
        each |= dict(id="q", epoch=epoch, output=dict(model="openai/gpt-x", choices=[choice]))
    path.write_text(json.dumps(log))
    found = read_results(path)[["question_id", "sample", "reply", "cut_off"]]
    assert found.to_numpy().tolist() == [["q", 0, "reply 1", False], ["q", 1, "reply 2", True]]


BY_MATCH, BY_MODEL = dict(value="C", answer="B"), dict(value="I", answer="B is it")


def test_a_sample_that_ended_in_an_error_has_no_answer_and_counts_as_wrong(tmp_path):
    path = inspect_log(tmp_path / "log.eval", dict(match=BY_MATCH), {})
    with zipfile.ZipFile(path, "a") as file:
        failed = dict(id=3, epoch=1, scores={}, error=dict(message="timeout", traceback="..."))
        file.writestr("samples/3_epoch_1.json", json.dumps(failed))
    with pytest.raises(DataError, match="row 2, column scores: no score match"):
        read_results(path)
    path = inspect_log(path, dict(match=BY_MATCH))
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("samples/3_epoch_1.json", json.dumps(failed))
    rows = read_results(path)
    assert rows[["score", "answer"]].isna().all(axis=1).tolist() == [False, True]
    assert read_one(path).to_dict() == {"1": 1, "3": 0}


def test_the_parts_of_a_scorer_are_scores_and_a_sample_without_the_score_or_with_no_number_is_named(tmp_path):
    path = inspect_log(tmp_path / "log.json", dict(quality=dict(value={"correct": 1, "concise": 0}, answer="B")))
    with pytest.raises(DataError, match="quality/correct, quality/concise. Choose one"):
        read_results(path)
    assert read_results(path, ["quality/concise"])["score"].tolist() == [0]
    path = inspect_log(tmp_path / "log.json", dict(match=BY_MATCH), {}, dict(match=dict(value=[1, 0])))
    with pytest.raises(DataError, match=r"(?s)row 2, column scores: no score match.*row 3.*Reduce it to C, I or a num"):
        read_results(path)
    with pytest.raises(DataError, match="row 1, column scores: no score. Run this sample again, or score the log"):
        read_results(inspect_log(tmp_path / "unscored.json", {}))


@pytest.mark.parametrize("way", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD], ids=["deflate", "zstd"])
def test_a_compressed_log_is_read_with_content_in_parts_and_one_whose_bytes_changed_is_refused(tmp_path, way):
    path, part = tmp_path / "log.eval", {"type": "text", "text": "B"}
    output = {"choices": [{"message": {"content": [part, part]}, "stop_reason": "max_tokens"}]}
    sample = {"id": 7, "epoch": 2, "output": output, "scores": {"choice": {"value": 1, "answer": "B" * 100}}}
    with zipfile.ZipFile(path, "w", way) as file:
        file.writestr("header.json", json.dumps({"eval": {"model": "x"}}))
        file.writestr("samples/7_epoch_1.json", json.dumps(sample))
        place = file.getinfo("samples/7_epoch_1.json").header_offset + 30 + len("samples/7_epoch_1.json") + 10
    (row,) = read_results(path)[["model", "question_id", "sample", "answer", "reply", "cut_off"]].to_numpy().tolist()
    assert row == ["x", "7", 1, "B" * 100, "BB", True]
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DataError, match="log.eval: not a log that can be read"):
        read_results(path)


def test_scores_alone_are_read_from_the_summaries_and_from_the_samples_where_there_are_none(tmp_path):
    path = inspect_log(tmp_path / "log.eval", dict(match=BY_MATCH), dict(match=dict(value="I", answer="C")))
    columns = ["question_id", "sample", "answer", "score"]
    samples = read_results(path, replies=False)[columns]
    with zipfile.ZipFile(path, "a") as file:
        summaries = [dict(id=i, epoch=1, scores=dict(match=said)) for i, said in ((1, BY_MATCH), (2, BY_MODEL))]
        file.writestr("summaries.json", json.dumps(summaries))
    assert read_results(path, replies=False)["answer"].tolist() == ["B", "B is it"]
    pd.testing.assert_frame_equal(read_results(path)[columns], samples)


def lm_eval_line(number, resps, filtered, filter="none", **metrics):
    """A line as lm-eval writes it (`save_results_samples`): responses and likelihoods as texts in nested lists."""
    arguments = {"gen_args_0": {"arg_0": "Q?", "arg_1": {"until": ["Q:"]}}}
    said = dict(doc_id=number, doc={"question": "Q?"}, target="B", arguments=arguments, resps=resps)
    return json.dumps(said | dict(filtered_resps=filtered, filter=filter, metrics=list(metrics)) | metrics)


def test_a_multiple_choice_of_lm_eval_is_one_row_with_the_likeliest_letter(tmp_path):
    path, likelihoods = tmp_path / "samples_mmlu.jsonl", [["-1.5", "False"], ["-0.5", "True"], ["-2.0", "False"]]
    path.write_text(lm_eval_line(3, [[pair] for pair in likelihoods], likelihoods, acc=1.0))
    (row,) = read_results(path).to_dict("records")
    assert (row["question_id"], row["answer"], row["reply"], row["score"]) == ("3", "B", "", 1)


@pytest.mark.parametrize("option", ["filters", "scores"])
def test_samples_with_two_filters_or_metrics_name_them_and_are_read_by_the_one_that_is_chosen(tmp_path, option):
    path, reply = tmp_path / "samples_gsm8k_2026-11-26.jsonl", [["It is 7."]]
    strict = lm_eval_line(0, reply, ["[invalid]"], "strict-match", exact_match=0.0)
    flexible = lm_eval_line(0, reply, ["7"], "flexible-extract", exact_match=1.0)
    metrics = lm_eval_line(0, [[["-1", "False"]], [["-2", "False"]]], [], acc=1.0, acc_norm=0.0)
    path.write_text(f"{strict}\n{flexible}" if option == "filters" else metrics)
    said = "filter: strict-match, flexible-extract" if option == "filters" else "metrics: acc, acc_norm"
    with pytest.raises(DataError, match=f"column {said}. Choose one, such as --{option[:-1]} "):
        read_results(path)
    names = ("flexible-extract", "strict-match") if option == "filters" else ("acc", "acc_norm")
    right, wrong = (read_results(path, **{option: [name]}) for name in names)
    assert right["score"].tolist() == [1] and wrong["score"].tolist() == [0]
    if option == "filters":
        assert right["answer"].tolist() == ["7"] and wrong["answer"].tolist() == [None]


def test_broken_files_are_told(tmp_path):
    path, told = tmp_path / "x.json", ("bad JSON", "not a JSON object", "no results", "response")
    for text, wrong in zip(("[", "3", "{}", '{"a": {}}'), told):
        path.write_text(text)
        with pytest.raises(DataError, match=wrong):
            read_results(path)


@pytest.mark.parametrize("key", ["predictions", "judged_predictions"])
def test_hle_files_that_are_wrapped_are_read_and_a_failed_judgement_is_none(tmp_path, key):
    path, yes, no = tmp_path / "judged.json", {"correct": "Yes ", "confidence": 80}, {"correct": "no"}
    entries = {"q1": {"model": "m", "response": "4", "judge_response": no | {"error": "Connection error."}}}
    entries["q2"] = {"model": "m", "response": "5"}
    path.write_text(json.dumps({"judging_metadata": {"judge": "j"}, key: entries}))
    found = read_results(path)
    assert found[["model", "question_id", "reply"]].to_numpy().tolist() == [["m", "q1", "4"], ["m", "q2", "5"]]
    assert found["score"].isna().all()
    judged = [entry | dict(judge_response=said) for entry, said in zip(entries.values(), (yes, no))]
    path.write_text(json.dumps({key: dict(zip("ab", judged))}))
    assert read_results(path)["score"].tolist() == [1, 0]


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


def test_results_of_promptfoo_are_read_with_repeats_as_samples_and_each_prompt_as_a_system(tmp_path):
    again = entry(2, {"answer": 4}, 0, {"q": "2 + 2"})
    named = entry(1, "Paris", 0.5, {"q": "capital", "id": "fr"})
    found = read_results(promptfoo(tmp_path / "r.json", entry(0, "4", 1, {"q": "2 + 2"}), named, again))
    assert found["question_id"].tolist() == ["0", "fr", "0"] and found["sample"].tolist() == [0, 0, 1]
    assert found["score"].tolist() == [1, 0.5, 0]
    assert found["reply"].tolist() == ["4", "Paris", '{"answer": 4}'] and set(found["model"]) == {"openai:gpt-4o"}
    two = entry(0, "4", 1, {"q": "x"}), entry(0, "5", 0, {"q": "x"}, label="at length")
    found = read_results(promptfoo(tmp_path / "r.json", *two))
    assert found["model"].tolist() == ["openai:gpt-4o, plain", "openai:gpt-4o, at length"]
    with pytest.raises(DataError, match="r.json, row 2, column response: no response. Run this test again"):
        read_results(promptfoo(tmp_path / "r.json", two[0], entry(1, None, 0, {"q": "y"})))
