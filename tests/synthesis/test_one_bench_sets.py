"""The sets hold the recorded scores as their papers' notebooks have them, and what they cost."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.data.tabular import DataError
from proctor.exam.recorded import MODELS
from proctor.models.session import Session
from proctor.synthesis import one_bench, one_bench_sets
from proctor.uq.frontier_judges import Scores


@pytest.fixture(scope="module")
def table():
    return asyncio.run(one_bench_sets.all_sets(Session("replay", progress=False), MODELS))


def test_every_set_is_a_bench_of_each_model(table):
    found = {(bench.set, bench.model): bench for bench in one_bench.benches(table)}
    assert len(found) == 9
    sizes = {name: (len(bench.correct), bench.correct.sum()) for (name, _), bench in found.items()}
    assert sizes == {"solutions": (126, 36), "pairs": (36, 18), "answers": (81, 15)}
    shared = set(found["pairs", MODELS[0]].scores)
    assert set(found["solutions", MODELS[0]].scores) < shared and {"utility", "V", "B", "token probability"} < shared


def test_utility_and_judges_rank_as_in_the_notebook_of_cbu(table):
    printed = pd.read_csv(paths.COMMITTED / "cbu/table_2.csv").set_index(["scorer", "model"])["AUC"]
    for bench in one_bench.benches(table[table["set"] == "solutions"]):
        found = one_bench.quality(bench).set_index("method")["within"]
        for method in ("utility", "judge 1-10", "judge yes/no", "generative reward"):
            assert found[method] == pytest.approx(printed[method, bench.model])


def test_costs_are_calls_and_generated_tokens_a_candidate(table):
    cost = table[table["model"] == MODELS[2]].groupby(["set", "method"])[["calls", "tokens"]].first()
    assert cost.loc[("pairs", "utility"), "calls"] == 2 and cost.loc[("pairs", "C"), "tokens"] == 1
    assert cost.loc[("pairs", "B"), "calls"] == 1.5  # the judge's own answer serves both candidates
    assert cost.loc[("solutions", "own answer"), "calls"] == pytest.approx(1 / 7)
    assert cost.loc[("solutions", "own samples"), "calls"] == pytest.approx(2 / 7)
    assert (table.loc[table["model"] == "", "calls"] == 0).all()


def test_confidence_counts_for_the_answer_that_the_judge_gave(table):
    part = table[(table["set"] == "solutions") & (table["model"] == MODELS[2])]
    wide = part.pivot(index="candidate", columns="method", values="score")
    agrees = wide["own answer"] == 1
    per_question = part[part["method"] == "token probability"].set_index("candidate")["question"]
    for question in per_question.unique():
        score = wide.loc[per_question.index[per_question == question], "token probability"]
        sure, other = score[agrees[score.index]].unique(), score[~agrees[score.index]].unique()
        if len(sure):
            assert sure == pytest.approx(1 - other)


def test_repeats_are_averaged_and_a_missing_score_is_left_out():
    scores = np.array([[[2.0, 4.0], [1.0, np.nan]], [[3.0, 5.0], [np.nan, np.nan]]])
    found = one_bench_sets.of_repeats(Scores(np.array(["i", "j"]), {("m", "V"): scores}), {"i": "x", "j": "y"}, [1, 2])
    twice = found[found["method"] == "m V x2"]
    assert twice["score"].tolist()[:3] == [3, 1, 4] and np.isnan(twice["score"].iloc[3])
    assert twice["correct"].tolist() == [1, 0, 1, 0] and twice["family"].tolist() == ["x", "x", "y", "y"]
    assert (twice["calls"] == 2).all() and set(found["method"]) == {"m V x1", "m V x2"}


def test_a_table_of_one_s_own_is_read_or_refused_by_name(tmp_path):
    file, header = tmp_path / "mine.csv", "question,candidate,correct,method,score,calls,tokens\n"
    lines = [f"q{q},c{c},{int(c == 0)},m,{q + c},1,5\n" for q in range(3) for c in range(2)]
    file.write_text(header + "".join(lines))
    (bench,) = one_bench.benches(one_bench_sets.load(file))
    assert bench.set == "own" and list(bench.family[:2]) == ["q0", "q0"] and len(bench.scores) == 6
    file.write_text(header + lines[0] + "q0,c1,maybe,m,1,1,5\n")
    with pytest.raises(DataError, match="row 2.*correct|correct.*maybe"):
        one_bench_sets.load(file)
    file.write_text(header.replace("score,", "") + "q,c,1,m,1,5\n")
    with pytest.raises(DataError, match="no column score"):
        one_bench_sets.load(file)
