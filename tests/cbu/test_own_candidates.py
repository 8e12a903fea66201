import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor import cli, paths
from proctor.cbu import own_candidates
from proctor.cbu.candidates import load_candidates
from proctor.cbu.own_candidates import final_answer, majority_score
from proctor.data.schemas import Answer
from proctor.data.tabular import DataError
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import rehearsed, study, to_ask
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

EXAMPLES = paths.ROOT / "data/examples"
ITSELF = "Let a # b mean 2a + 3b. What is 4 # 9?"


def test_the_example_s_tables_and_claim_are_recounted():
    table = pd.read_csv(paths.FIGURES / "cbu/your_candidates_table.csv")
    assert len(table) == 28 and table["judge"].between(1, 10).all() and table["judge_calls"].eq(1).all()
    assert (table.groupby("question_id")["utility"].diff().fillna(0) <= 0).all()  # the best first
    assert table["gain"].to_numpy() == pytest.approx((table["utility"] - table["base"]).to_numpy())
    expected = stats.ttest_1samp(table.groupby("question_id")["gain"].mean(), 0).confidence_interval(0.95)
    claim = pd.read_csv(paths.FIGURES / "cbu/claims_your_candidates.csv").set_index("id").loc["cbu/your_candidates"]
    assert [claim["low"], claim["high"]] == pytest.approx([100 * end for end in expected])


def test_a_served_judge_gets_as_many_calls_as_utility_and_one_whose_probabilities_are_read_gets_one(tmp_path):
    loaded = own_candidates.load(EXAMPLES / "candidates.jsonl", EXAMPLES / "neighbours.jsonl")

    async def run(mode, *how):
        async with Session(mode, cache=tmp_path / "c.sqlite", recorded=None, progress=False) as session:
            one = study(own_candidates.score, loaded, *how)
            plan = (await rehearsed(session, one)).plan_so_far
            return plan.to_ask, mode == "auto" or len(await to_ask(session, one))  # of one round

    assert asyncio.run(run("replay", ["qwen2.5-coder-1.5b"])) == (92, 92)
    assert asyncio.run(run("auto", ["openai/m@http://127.0.0.1:9/v1"], 3)) == (28 * 6 + 6 * (28 + 4), True)


def test_neighbours_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "near.csv"
    for rows, told in (
        ("question,answer,neighbour_of\nWhat?,1,elsewhere\n", "which is no question"),
        ("question,answer,neighbour_of\nWhat?,1,invented_sign-1-01\n", "no neighbour of question"),
        ("question,answer,neighbour_of\nWhat?,,invented_sign-1-01\n", "has no answer"),
        (f"question,answer,neighbour_of\n{ITSELF},35,invented_sign-1-01\n", "is question invented_sign-1-01 itself"),
    ):
        file.write_text(rows)
        with pytest.raises(DataError, match=told):
            own_candidates.load(EXAMPLES / "candidates.jsonl", file)


def test_questions_without_candidates_are_left_out_and_counted(tmp_path, capsys, monkeypatch):
    files = {name: tmp_path / f"{name}.csv" for name in ("questions", "candidates", "neighbours")}
    files["questions"].write_text("id,question\na,What is 1?\nb,What is 2?\nc,What is 3?\n")
    files["candidates"].write_text("question_id,text\na,1\na,2\n")
    files["neighbours"].write_text("question,answer,neighbour_of\nWhat is 4?,4,a\nWhat is 5?,5,b\n")
    asked, _, near = own_candidates.load(files["candidates"], files["neighbours"], files["questions"])
    assert [question.id for question in asked] == list(near) == ["a"] and len(near["a"]) == 1
    monkeypatch.setattr(paths, "REPLIES", tmp_path / "replies.sqlite")
    words = [files["candidates"], "--neighbours", files["neighbours"], "--questions", files["questions"]]
    with pytest.raises(SystemExit):
        cli.main(["candidates", *map(str, words), "--model", "smollm2-135m", "--plan"])
    assert "2 candidates to 1 questions; left out: 2 questions without candidates" in capsys.readouterr().out


@pytest.fixture(scope="module")
def best(defined):
    known = dict(np=np, pd=pd, confint_proportions_2indep=confint_proportions_2indep)
    return defined("cbu/your_candidates", **known).best_candidates


def worth_of(solved, rollouts, lost=0):
    """Utilities of candidates to one question by how many of their rollouts succeed; `lost`: undecided ones of each."""
    solved = np.asarray(solved)
    return pd.DataFrame(
        dict(
            model="m", question_id="q", candidate=[f"c{i}" for i in range(len(solved))], utility=solved / rollouts,
            most=(solved + lost) / rollouts, weight=rollouts, rollouts=rollouts, base=0.0, unreadable=0, undecided=lost,
        )
    ).assign(**{"cut off": 0})  # fmt: skip


@pytest.mark.parametrize("rollouts, chance", [(2, 0.5), (4, 0.5), (4, 0.9), (16, 0.1)])
def test_equal_candidates_are_rarely_called_best(rollouts, chance, best):
    trials = 200
    drawn = np.sort(np.random.default_rng(7).binomial(rollouts, chance, (trials, 4)))
    rows, times = np.unique(drawn, axis=0, return_counts=True)
    wrong = sum(n * (best(worth_of(row, rollouts))["low"].iloc[0] > 0) for row, n in zip(rows, times))
    assert wrong / trials <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / trials)


def test_the_best_is_above_the_second_where_rollouts_say_so_and_undecided_ones_do_not(best):
    assert best(worth_of([30, 8, 5], 32))["reading"].tolist() == ["above the second"]
    assert best(worth_of([20, 8, 5], 32, lost=12))["reading"].tolist() == ["undecided"]
    assert best(worth_of([8, 8], 32))["reading"].tolist() == ["tied"]
    assert best(worth_of([8], 32))["reading"].tolist() == ["the only candidate"]


def test_copies_at_temperature_0_are_no_rollouts():
    with pytest.raises(ValueError, match="one rollout, copied"):
        own_candidates.refuse_copies(8, Settings(temperature=0))
    own_candidates.refuse_copies(1, Settings(temperature=0))


# majority voting


def test_given_votes_count_by_their_final_answers_and_else_the_other_candidates_vote():
    questions, answers = (rows[:n] for rows, n in zip(load_candidates(), (2, 14)))
    votes = {q.id: [q.answer, q.answer, q.extra["wrong_answer"], None] for q in questions}
    found, among = majority_score(answers, votes), majority_score(answers)
    name = questions[0].id
    assert [found[f"{name}-{kind}"] for kind in ("right", "lucky", "wrong")] == [0.5, 0.5, 0.25]
    assert [among[f"{name}-{kind}"] for kind in ("right", "compressed")] == pytest.approx([2 / 6, 3 / 6])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Explanation: so.\nExact Answer: 12", "12"),
        ("so \\boxed{3}.\nSo \\boxed{ab}", "ab"),
        ("so \\boxed{3} and \\boxed{ab}", "\\boxed{3} and \\boxed{ab}"),
        ("It is\nHHHHH", "H"),
        ("no end", None),
        ("ABCDE", None),
    ],
)
def test_final_answers_are_read_in_the_three_forms(text, answer):
    assert final_answer(text) == answer


def test_candidate_without_final_answer_has_no_vote():
    texts = {"a": "no end", "b": "AAAAA", "c": "AAAAA"}
    found = majority_score([Answer(id=i, question_id="q", text=text) for i, text in texts.items()])
    assert np.isnan(found["a"]) and found["b"] == 0.5
