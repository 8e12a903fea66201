import asyncio

import pytest
from proctor import paths
from proctor.data.questions import load_questions
from proctor.data.schemas import Question
from proctor.exam import run_exam
from proctor.exam.formats import read_hle
from proctor.exam.run_exam import Setup
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import rehearsed, study
from proctor.recordings import examples

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b"]


@pytest.fixture(scope="module")
def questions():
    return load_questions(paths.ROOT / "data/examples/exam_questions.jsonl")


def test_the_examples_are_those_of_the_families_and_the_recordings():
    for name, text in asyncio.run(examples.made()).items():
        assert (paths.ROOT / "data/examples" / name).read_text(encoding="utf-8") == text, name


def sat(setup: Setup, cache):
    async def run():
        async with Session("replay", cache=cache, progress=False) as session:
            plan = (await rehearsed(session, study(run_exam.sit, setup))).plan_so_far
            return plan, await run_exam.sit(session, setup)

    return asyncio.run(run())


def test_recorded_answers_are_free_decided_and_written(questions, tmp_path):
    plan, alone = sat(Setup(questions, MODELS).checked(), tmp_path / "c.sqlite")
    assert (plan.calls, plan.recorded, plan.to_ask, plan.dollars) == (54, 54, 0, 0)
    assert set(alone["decided_by"]) <= {"nobody", "comparison"}
    _, judged = sat(Setup(questions, MODELS, "qwen2.5-coder-1.5b").checked(), tmp_path / "c.sqlite")
    counted = run_exam.decisions(judged).loc[MODELS]
    assert (counted["by comparison"] + counted["by qwen2.5-coder-1.5b"]).tolist() == [27, 27]
    files = run_exam.write_predictions(tmp_path / "said", judged, questions)
    assert [file.name for file in files] == [f"{model}.json" for model in MODELS]
    back, rows = read_hle(files[0]), judged[judged["model"] == MODELS[0]]
    assert back["reply"].tolist() == rows["reply"].tolist()
    assert back["right"].tolist() == rows["right"].fillna(0).tolist()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (dict(models=[]), "no model"),
        (dict(models=["smollm2-135m"] * 2), "named twice"),
        (dict(samples=2), "set a temperature"),
        (dict(judge_all=True), "needs a judge"),
    ],
)
def test_what_can_t_be_asked_is_refused(questions, how, told):
    with pytest.raises(ValueError, match=told):
        Setup(**dict(questions=questions, models=MODELS) | how).checked()
    Setup(questions, MODELS, samples=2).checked(Settings(temperature=1.0))
    with pytest.raises(ValueError, match="q1 has no key"):
        Setup([Question(id="q1", question="open?")], MODELS).checked()
