"""Importers: made-up raw files give the tidy rows, the raw samples give those of the real tidy files, broken ones say where."""

import gzip
import json
import zipfile

import pandas as pd
import pytest
from proctor.logs import fetch, hle, importers

from .laying import put

EIGHT = [7, 10, None, 5, 5, 5, 5, 1]
SCORES = [EIGHT, [1] * 8, [2] * 8, [3] * 8]


def test_scores_become_letters_and_a_number_that_stands_twice_keeps_its_last_item(tmp_path, monkeypatch):
    monkeypatch.setattr(importers, "SCORED", {"base_both_k8": importers.SCORED["base_both_k8"]})
    rows = [
        {"id": "47", "subset": "Factuality", "full_scores": SCORES, "mini_scores": SCORES, "refused": False},
        {"id": "9", "subset": "Math", "full_scores": SCORES, "mini_scores": SCORES, "refused": True},
        {"id": "47", "subset": "Focus", "full_scores": [[4] * 8] * 4, "mini_scores": SCORES},
    ]
    put(tmp_path, "results/raw/base_both_k8.jsonl", rows)
    found = importers.judge_scores(tmp_path)["tidy.csv.gz"]
    assert found.to_numpy().tolist() == [
        ["47", "Focus", "gpt-5.4"] + ["44444444"] * 4,
        ["47", "Focus", "gpt-5.4-mini", "7A.55551", "11111111", "22222222", "33333333"],
    ]


def hle_run(folder, kind, run, entries):
    name = f"{'judged_' * (kind == 'judged')}hle_{run}_20250922_122904.json"
    key = "judged_predictions" if kind == "judged" else "predictions"
    put(folder, f"results/20250922_122904/{kind}/{name}", {key: entries})


def said_by(answer, sure, **more):
    return {
        "response": f"Explanation: x\nAnswer: {answer}\nConfidence: {sure}%",
        "usage": {"completion_tokens": 9},
    } | more


FAILED = {"correct": "no", "confidence": 0, "correct_answer": "D", "reasoning": "", "error": "Connection error."}


def test_runs_of_hle_take_keys_from_the_judge_and_a_failed_call_is_no_verdict(tmp_path):
    verdict = {"correct": "yes", "confidence": 90, "correct_answer": "D", "reasoning": "same"}
    other = {"correct": "no", "confidence": 5, "correct_answer": "4"}
    hle_run(tmp_path, "predictions", "a_m_p", {"q1": said_by("D", 80), "q2": said_by("3.0", 5)})
    cut = {"q1": said_by("(B)", 70), "q2": {"response": "", "error": "cut"}}
    hle_run(tmp_path, "predictions", "openai_gpt-5_azure", cut)
    judged = {"q1": said_by("D", 80, judge_response=verdict), "q2": said_by("3.0", 5, judge_response=other)}
    hle_run(tmp_path, "judged", "a_m_p", judged)
    hle_run(tmp_path, "judged", "openai_gpt-5_azure", {"q1": said_by("(B)", 70, judge_response=FAILED)})
    found = hle.hle_runs(tmp_path)
    assert found["tidy.csv.gz"].to_numpy().tolist() == [
        ["q1", "a_m_p", "1", "80.0", "1", "90", "1", "9"],
        ["q2", "a_m_p", "1", "5.0", "0", "5", "0", "9"],
        ["q1", "openai_gpt-5_azure", "1", "70.0", "", "", "0", "9"],
    ]
    assert found["items.csv"].to_numpy().tolist() == [["q1", "letter"], ["q2", "number"]]
    assert set(hle.hle_runs(tmp_path, ["a_m_p"])["tidy.csv.gz"]["run"]) == {"a_m_p"}


def repairs(folder, part="21", **changed):
    """One item of HLE-Verified whose key was 3 and is the JSON value false, and two runs of it."""
    valid, wrong = dict(is_valid=1, error_type=0), dict(is_valid=0, error_type="A1")
    row = dict(id="q1", question="why", image="", answer=False, original_answer="3", answer_type="exactMatch",
               category="Math", Verified_Classes="Revision subset")  # fmt: skip
    row["verify_meta_info"] = dict(
        problem_verify=valid, answer_verify=wrong, rationale_verify=dict(is_valid="uncertain")
    )
    path = folder / f"data/HLE_Verified_Full_final.part{part}.jsonl.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "x.jsonl", json.dumps({key: value for key, value in (row | changed).items() if value != "out"})
        )
    for run, answer, more in (("b_m_p", "3 m", {}), ("a_m_p", "1/3", {"judge_response": FAILED})):
        hle_run(folder, "predictions", run, {"q1": said_by(answer, 80, **more)})
        hle_run(folder, "judged", run, {"q1": said_by(answer, 80, **more)})


def test_repairs_of_hle_mark_the_runs_by_both_keys(tmp_path):
    repairs(tmp_path)
    repairs(tmp_path, "07", id="q2", original_answer="out", answer="B", image="data:", original_question="whence")
    found = hle.hle_repairs(tmp_path, ["b_m_p", "a_m_p"])
    assert found["items.csv"].to_numpy().tolist() == [
        ["q1", "1", "1", "revision", "0", "1", "number", "other", "Math", "exactMatch", "1", "0", "uncertain", "", "A1", ""],
        ["q2", "0", "0", "revision", "1", "0", "letter", "letter", "Math", "exactMatch", "1", "0", "uncertain", "", "A1", ""],
    ]  # fmt: skip
    assert found["tidy.csv.gz"].to_numpy().tolist() == [
        ["q1", "b_m_p", "80.0", "1", "", ""],
        ["q1", "a_m_p", "80.0", "0", "", ""],  # the judge's call failed: no verdict
    ]


def test_short_answers_are_letters_and_single_numbers_with_their_tokens(tmp_path):
    def reply(answer, **details):
        return said_by(answer, 5, usage={"completion_tokens": 9, "completion_tokens_details": details or None})

    replies = dict(a=reply("(b) no", reasoning_tokens=0), b=reply("x = -1,200 m"), c=reply("1/2"), d={"response": ""})
    hle_run(tmp_path, "predictions", "a_m_p", replies)
    found = hle.hle_answers(tmp_path)["answers.csv.gz"]
    assert found[["id", "run", "answer", "completion_tokens", "reasoning_tokens"]].to_numpy().tolist() == [
        ["a", "a_m_p", "B", "9", "0"], ["b", "a_m_p", "-1200", "9", ""], ["c", "a_m_p", "", "9", ""],
    ]  # fmt: skip


def redux(folder, keys=("2", "A,C")):
    put(
        folder,
        "outputs/multi_expert_helm/all.csv",
        "question,choices,groundtruth_answer,error_type,m1,m2,majority_llm_pred_top_3\n"
        "what,abcd,0,ok,A,This,A\nwhy,abcd,3,wrong_groundtruth,,B,B\nwhy,abcd,1,expert,C,C,C\n",
    )
    header = "question,choices,answer,error_type,source,correct_answer,potential_reason\n"
    put(folder, "mmlu_redux/mmlu_art.csv", header + f'what,abcd,0,OK,,1,\nwhy,abcd,3,Wrong Groundtruth,,"{keys[0]}",\n')
    put(folder, "mmlu_redux/mmlu_zoo.csv", header + f'why,abcd,1,Expert,,"{keys[1]}",\n')


@pytest.mark.parametrize(
    "text, letters",
    [("2 and 3", "CD"), ("B, 0", "AB"), ("13.20%", "B"), ("8.20%", ""), ("either 1 or 3", ""), ("-2-a", "C")],
)
def test_a_repaired_key_is_marks_or_the_text_of_a_choice_and_a_longer_text_is_a_remark(text, letters):
    assert importers._repaired(text, "['8.70%', '13.20%', '54%', '6.60%']") == letters


def test_repaired_keys_are_read_from_letters_and_places(tmp_path):
    redux(tmp_path)
    found = importers.mmlu_redux(tmp_path)["tidy.csv.gz"]
    assert found.to_numpy().tolist() == [
        ["art/000", "art", "ok", "A", "B", "A", "T"],
        ["art/001", "art", "wrong_groundtruth", "D", "C", "", "B"],
        ["zoo/002", "zoo", "expert", "B", "AC", "C", "C"],
    ]


def test_outcomes_of_agents_are_sorted_by_item_and_share(tmp_path):
    rows = [{"subject_id": "weak", "responses": {"y": 0, "x": 0}}, {"subject_id": "strong", "responses": {"x": 1}}]
    put(tmp_path, "data/gso/responses.jsonl", rows)
    trials = {"x": {"successes": 2, "trials": 5}}
    put(tmp_path, "data/terminalbench/responses_raw.jsonl", [{"subject_id": "a", "responses": trials}])
    found = importers.agent_outcomes(tmp_path)
    assert found["gso_15systems.csv.gz"].to_numpy().tolist() == [["x", "1", "0"], ["y", "", "0"]]
    assert list(found["gso_15systems.csv.gz"]) == ["item", "strong", "weak"]
    assert found["terminalbench2_trials_83systems.csv.gz"].to_numpy().tolist() == [["x", "2/5"]]


@pytest.mark.parametrize(
    "answer, key, same",
    [("1,200", "1200", True), ("$3.0", "3", True), ("-3", "3", False), ("", "3", False), ("[1,2]", "[1, 2]", True),
     ("9/4", "9", False), ("'ab'", "'ab'", True), ("Yes", "yes", True), ("70,000", "# 70000", True), ("ab", "'ab'", True),
     ("{{}}", "3", False), ("(" * 300, "3", False)],
)  # fmt: skip
def test_answers_are_marked_again_by_program(tmp_path, answer, key, same):
    output = "```json\n" + json.dumps({"reasoning": "r", "answer": answer}) + "\n```"
    put(tmp_path, "result_dirs/crux/m.json", [{"id": "c0", "output": [output], "answer": key}])
    found = importers.zeroeval(tmp_path)["crux.csv.gz"]
    assert found.to_numpy().tolist() == [["c0", str(int(same))]]


def test_verdicts_on_pairs_keep_both_orders_and_of_several_stages_the_last(tmp_path):
    stages = [{"swap = False": {"winner": first}, "swap = True": {"winner": None}} for first in ("2", "1")]
    for prompt in ("Swap", "Metrics"):
        rows = [{"label": 2, "results": stages}]
        put(tmp_path, f"Dataset/LLMBar/Natural/evaluators/GPT-4/{prompt}/result.json", rows)
    found = importers.llmbar(tmp_path)["tidy.csv.gz"]
    assert found.to_numpy().tolist() == [["Natural", "0", "GPT-4", "Swap", "2", "1", "None"]]


def test_token_probabilities_are_numbered_over_the_files(tmp_path):
    head = "grade confidence_level\n"
    for name, lines in {
        "q500to1000_no_abst_norm_logits_first_prompt": "Unparseable 0.3\nWrong 0.99999\n",
        "q0to500": "Correct 0.12345\n",
        "q0to500_no_abst_raw_logits_first_prompt": "Correct 9\n",
    }.items():
        put(tmp_path, f"main_results/arc_gpt-4-turbo-{name}.txt", head + lines)
    found = importers.token_probability(tmp_path)["tidy.csv.gz"]
    assert found.to_numpy().tolist() == [["arc", "gpt-4-turbo", 0, 1, 0.1235], ["arc", "gpt-4-turbo", 501, 0, 1.0]]


# --- the real raw samples, in the places that they have in their repositories ---


def lay(real_logs, source, target, places):
    for sample, place in places.items():
        data = (real_logs / source / "raw" / sample).read_bytes()
        put(target, place, gzip.decompress(data) if sample.endswith(".gz") else data)
    return fetch.IMPORTERS[source](target)


RUN = "results/20250922_122904"
SWE, TERMINAL = "swebench_verified_134systems.csv.gz", "terminalbench2_trials_83systems.csv.gz"
SCORED = [f"{name}_k8" for name in ("base_both", "base_nano", "base_claude_both", "criteria_both")]
DATE = "_20250922_122904.json"
MODELS = ("claude-3-5-sonnet-20241022", "o1-mini-2024-09-12")
PAIRS = (("Adversarial/Neighbor", "GPT-4"), ("Natural", "GPT-4"), ("Natural", "PaLM2"))
TEXTS = ("arc_gpt-4-turbo-q2000to2500.txt", "mmlu_gpt-4-turbo-q0to500.txt")


@pytest.mark.parametrize(
    "source, name, places, keys, n",
    [
        ("judge_scores", "tidy.csv.gz", {f"{name}.jsonl.gz": f"results/raw/{name}.jsonl" for name in SCORED}, ["id", "judge"], 11_920),
        ("hle_runs", "tidy.csv.gz", {
            "hle_openai_o4-mini_openai.json.gz": f"{RUN}/predictions/hle_openai_o4-mini_openai{DATE}",
            "judged_hle_z-ai_glm-4.5_z-ai.json.gz": f"{RUN}/judged/judged_hle_z-ai_glm-4.5_z-ai{DATE}",
        }, ["run", "id"], 444),
        ("agent_outcomes", SWE, {"swebench_verified_responses.jsonl.gz": "data/swebench_verified/responses.jsonl"}, ["item"], 500),
        ("agent_outcomes", TERMINAL, {"terminalbench_responses_raw.jsonl.gz": "data/terminalbench/responses_raw.jsonl"}, ["item"], 88),
        ("zeroeval", "math-l5.csv.gz", {f"math-l5_{m}.json.gz": f"result_dirs/math-l5/{m}.json" for m in MODELS}, ["id"], 60),
        ("llmbar", "tidy.csv.gz", {
            f"{subset.replace('/', '-')}_{judge}-Swap.json.gz": f"Dataset/LLMBar/{subset}/evaluators/{judge}/Swap/result.json"
            for subset, judge in PAIRS
        }, ["subset", "judge", "prompt"], 334),
        ("token_probability", "tidy.csv.gz", {name: f"main_results/{name}" for name in TEXTS}, ["dataset", "model", "item"], 999),
    ],
)  # fmt: skip
def test_samples_give_the_tidy_rows(real_logs, tidy, tmp_path, monkeypatch, source, name, places, keys, n):
    """But for what the samples lack: the subset that another file names, keys of HLE, a reply that was left out."""
    monkeypatch.setattr(importers, "SCORED", {stem: importers.SCORED[stem] for stem in SCORED})
    mine = lay(real_logs, source, tmp_path, places)[name].astype(str)
    if source == "hle_runs":
        mine = mine[mine["stated_confidence"] != ""]
    if source in ("judge_scores", "hle_runs"):
        mine = mine.drop(columns=["subset", "exact_original_key"], errors="ignore")
    real = tidy(source, name).merge(mine[keys].drop_duplicates(), on=keys)[list(mine)]
    order = list(mine) if source == "hle_runs" else keys
    assert len(mine) == n
    pd.testing.assert_frame_equal(*(rows.sort_values(order, kind="stable", ignore_index=True) for rows in (mine, real)))


def test_samples_of_mmlu_redux_give_the_tidy_rows(real_logs, tidy, tmp_path):
    lines = pd.read_csv(real_logs / "mmlu_redux/raw/all.csv.gz", dtype=str, keep_default_na=False)
    real = tidy("mmlu_redux")
    subjects = ["abstract_algebra", "college_chemistry", "virology"]
    rows = real.index[real["subject"].isin(subjects)]
    put(tmp_path, "outputs/multi_expert_helm/all.csv", lines.loc[rows].to_csv(index=False))
    places = {f"mmlu_{subject}.csv": f"mmlu_redux/mmlu_{subject}.csv" for subject in subjects}
    mine = lay(real_logs, "mmlu_redux", tmp_path, places)["tidy.csv.gz"].drop(columns="item").astype(str)
    pd.testing.assert_frame_equal(mine, real.loc[rows, list(mine)].reset_index(drop=True))
