"""Importers of proofs: made-up rows, broken ones, and the real raw samples against the tidy files."""

import gzip

import pandas as pd
from proctor.logs import proofs

from .laying import put

HEAD = ",judge,solver,solver_id,problem,competition,true_grade,split,cost,confidence,incorrect\n"
LOGITS = HEAD.replace(",incorrect", ",entropy,tail_confidence,full_confidence,incorrect")
SCORES = ",solver,solver_id,problem,competition,split,judge,accuracy\n"
GOOD = {
    "sycophancy_confidence": HEAD + "0,J,S,s,p_1-part10,p,incorrect,generic,0,85.0,True\n1,J,S,s,p_1-part2,p,detected,generic,0,,False\n",
    "sycophancy_hint": HEAD + "0,J,GPT OSS 120B (high),openai/oss-120b,matharena_a_1,m,corrected,matharena,0,,False\n",
    "sycophancy_more": HEAD + "0,J,S,s,p_1,p,correct,generic,0,,False\n",
    "sycophancy_recent": HEAD + "0,J,S,s,p_1,p,incorrect,generic,0,,True\n",
    "sycophancy_logits": LOGITS + "0,J,S,s_logprobs,p_1,p,incorrect,generic,0,,0.108,14.3,9,True\n",
    "utility_recent_comps": SCORES
    + "0,S,s,p_1,p,proofs,OPC R1 8B,1.0\n1,GPT OSS 120B (high),openai/oss-20b,matharena_a/1,m,matharena,Final Answer Parser,0.75\n",
}  # fmt: skip
ATTEMPT = {
    "model_id": "m",
    "solution": "proof",
    "cost": {"output_tokens": 7},
    "rejected": False,
    "timestamp": "2025-05-24T23:51:22",
    "llm_judgment": {"result": {"issues": [{"category": "Missing Edge Cases"}, {"category": "Wrong Reasoning"}]}},
}
ABOUT = {"competition": "bmo", "source": "Balkan", "level": "high_school", "year": 2016, "difficulty": 7.0}
PROBLEM = {"problem_id": "p1", "metadata": ABOUT, "solutions": [{"author": "Human"}]}
LABELLED = PROBLEM | ATTEMPT | {"reward_model": {"ground_truth": "correct"}, "last_update": "2025-06-08T10:43:06"}


def lay_broken(folder):
    for name, text in GOOD.items():
        put(folder, f"data/results/{name}.csv", text)
    return proofs.broken_math(folder)


def lay_proofs(folder, labelled, attempts):
    place = folder / "data/train/discrete/long/test.parquet"
    place.parent.mkdir(parents=True)
    pd.DataFrame(labelled).to_parquet(place)
    put(folder, "data/solved/proof_verification/BMOSL/2016_10.json", PROBLEM | {"attempts": attempts})
    return proofs.open_proofs(folder)


def test_replies_to_false_theorems_are_numbered_and_only_the_solver_has_its_score(tmp_path):
    found = lay_broken(tmp_path)
    columns = ["setting", "problem", "sample", "deceived", "stated_confidence", "original_score", "entropy"]
    assert found["tidy.csv.gz"][columns].to_numpy().tolist() == [
        ["confidence", "p_1", "2", "0", "", "1", ""],
        ["confidence", "p_1", "10", "1", "85", "1", ""],
        ["hint", "matharena_a_1", "0", "0", "", "", ""],  # a smaller model answered the true version
        ["own_theorem", "p_1", "0", "0", "", "1", ""],
        ["plain", "p_1", "0", "1", "", "1", ""],
        ["token_probability", "p_1", "0", "1", "", "1", "0.1080"],
    ]
    assert found["original.csv.gz"]["problem"].tolist() == ["matharena_a_1", "p_1"]


def test_a_proof_without_a_list_has_no_number_of_issues_and_a_proof_in_both_files_is_marked(tmp_path):
    bare = LABELLED | {"model_id": "bare", "llm_judgment": None, "rejected": None, "solutions": []}
    bare["reward_model"] = {"ground_truth": "incorrect"}
    later = ATTEMPT | {"model_id": "bare"}
    other = ATTEMPT | {"cost": {"output_tokens": 8}, "model_id": "other", "solution": " "}
    found = lay_proofs(tmp_path, [LABELLED, bare], [ATTEMPT, later, other])
    columns = ["model", "human_correct", "has_issue_list", "n_issues", "issue_kinds", "has_reference", "rejected"]
    assert found["tidy.csv.gz"][columns].to_numpy().tolist() == [
        ["bare", "0", "0", "", "", "0", ""],
        ["m", "1", "1", "2", "edge_cases;other", "1", "0"],
    ]
    columns = ["model", "n_issues", "proof_empty", "in_tidy", "human_correct", "list_in_tidy"]
    assert found["with_lists.csv.gz"][columns].to_numpy().tolist() == [
        ["bare", "2", "0", "1", "0", "0"],  # graded without the list, which came later
        ["m", "2", "0", "1", "1", "1"],
        ["other", "2", "1", "0", "", ""],
    ]


def assert_rows_of(mine, real, keys):
    """Each row of `mine` is the row of `real` with the same keys."""
    wanted = real[list(mine)].set_index(keys).loc[pd.MultiIndex.from_frame(mine[keys])].reset_index()
    pd.testing.assert_frame_equal(wanted[list(mine)], mine.reset_index(drop=True), check_dtype=False)


def test_samples_of_broken_math_give_the_tidy_rows(real_logs, tidy):
    folder = real_logs / "broken_math/raw"
    replies = pd.concat(
        proofs.read_replies(folder / f"sycophancy_{name}.csv").assign(setting=setting)
        for name, setting in proofs.SETTINGS.items()
    )
    assert len(replies) == 100
    assert_rows_of(replies, tidy("broken_math"), ["setting", "problem", "solver", "sample", "judge"])
    scores = proofs.read_scores(folder / "utility_recent_comps.csv")
    assert_rows_of(scores, tidy("broken_math", "original.csv.gz"), ["problem", "solver"])


def test_samples_of_open_proofs_give_the_tidy_rows(real_logs, tidy, tmp_path):
    raw = real_logs / "open_proofs/raw"
    put(tmp_path, "data/train/discrete/long/test.parquet", (raw / "test.parquet").read_bytes())
    for sample in ("BMOSL_2016_10", "USAMO_1997_5"):
        competition, _, rest = sample.partition("_")
        text = gzip.decompress((raw / f"solved_{sample}.json.gz").read_bytes())
        put(tmp_path, f"data/solved/proof_verification/{competition}/{rest}.json", text)
    found = proofs.open_proofs(tmp_path)
    keys = ["problem", "model"]
    assert len(found["tidy.csv.gz"]) == 11
    assert_rows_of(found["tidy.csv.gz"], tidy("open_proofs"), keys)
    lists = found["with_lists.csv.gz"].drop(columns=["in_tidy", "human_correct", "list_in_tidy"])  # of both whole files
    assert len(lists) == 10
    assert_rows_of(lists, tidy("open_proofs", "with_lists.csv.gz"), keys)
