import asyncio
import math

import pytest
from proctor.data.schemas import Answer, Question
from proctor.exam import run_exam
from proctor.models import registry
from proctor.models.endings import MissingReply
from proctor.models.messages import Reply
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.uq import checks, notation

SUM = Question(id="sum", question="What is 2 + 2?", answer="4", category="arithmetic", level=1)
CHOICE = dict(question="Which gas?", answer="C", answer_type="multipleChoice")
GAS = Question(id="gas", options=("Oxygen", "Helium", "Carbon dioxide"), **CHOICE)


@pytest.fixture
def session(tmp_path, monkeypatch):
    models = {"m": {"kind": "gguf", "file": "none.gguf"}, "j": {"kind": "gguf", "file": "none.gguf"}}
    monkeypatch.setattr(registry, "_table", {"models.yaml": models, "prices.yaml": {}}.__getitem__)
    return Session("replay", cache=tmp_path / "c.sqlite", recorded=None, progress=False)


def says(session, request, text, **more):
    session.cache.put(request, Reply(text, **more))


def fields(answer, confidence="80"):
    return f"Explanation: so it is.\nAnswer: {answer}\nConfidence: {confidence}%"


# the exam


def test_sit_grades_numbers_by_value_and_letters_by_letter(session):
    known = dict(prompt_tokens=9, completion_tokens=3, finish="length")
    says(session, run_exam.exam_request("m", SUM), fields("4.0", "0") + "\nThat", **known)
    says(session, run_exam.exam_request("m", GAS), fields("(C)"))
    table = asyncio.run(run_exam.run_exam(session, ["m"], [SUM, GAS]))
    assert list(table["correct"]) == [True, True] and list(table["answer"]) == ["4.0", "C"]
    assert list(table["confidence"]) == [0.0, 0.8] and list(table["cut_off"]) == [True, False]
    assert (table["prompt_tokens"][0], table["completion_tokens"][0], table["category"][0]) == (9, 3, "arithmetic")
    question = Question(id="t", question="Which? A. x B. y", answer="B", answer_type="multipleChoice")
    assert run_exam.extract_answer(question, Reply(fields("B. y"))) == "B" and run_exam.grade(question, "B")
    one, two = run_exam.exam_request("m", GAS), run_exam.exam_request("m", GAS, sample=1)
    assert one.messages[-1]["content"] == "Which gas?\nA. Oxygen\nB. Helium\nC. Carbon dioxide" and one.key != two.key


def test_a_judge_does_not_see_the_stated_confidence(session):
    reply = fields("4")
    says(session, run_exam.exam_request("m", SUM), reply)
    table = asyncio.run(run_exam.run_exam(session, ["m"], [SUM]))
    shown = "Explanation: so it is.\nAnswer: 4"
    request = load("hle/judge").request("j", question=SUM.question, reference="4", response=shown)
    says(session, request, "Same: [[Y", first={"Y": math.log(0.6), "N": math.log(0.2)}, tokens=(("Y", math.log(0.6)),))
    judged = asyncio.run(run_exam.judge(session, ["j"], table, [SUM]))
    assert list(judged["judge"]) == ["j"] and judged["accepted"][0] and judged["p_accept"][0] == pytest.approx(0.75)
    assert run_exam.without_confidence("Answer: 4\n**Confidence:** 9%\nconfidence: 8%") == "Answer: 4"


# the checks

ANSWERS = [
    Answer(id="right", question_id="sum", text="4", correct=True),
    Answer(id="wrong", question_id="sum", text="5", correct=False),
]


@pytest.mark.parametrize("name", list(checks.ONE_CALL))
def test_a_check_of_one_call_gives_three_outcomes(session, name):
    prompt = load(checks.ONE_CALL[name])
    three = [*ANSWERS, Answer(id="odd", question_id="sum", text="[[Y]] indeed", correct=None)]
    for answer, text in zip(three, ("Accepted: [[Y", "Accepted: [[n]]", "It says [[Y]] indeed.")):
        says(session, prompt.request("j", question=SUM.question, answer=answer.text), text)
    table = asyncio.run(checks.run_check(session, name, "j", [SUM], three))
    assert list(table["outcome"]) == ["accept", "reject", "unreadable"]
    assert list(table["answer_id"]) == ["right", "wrong", "odd"]
    assert list(table["correct"])[:2] == [True, False] and set(table["check"]) == {name} and table["level"][0] == 1


def test_cycle_consistency_compares_the_guess_that_was_made_without_the_question(session):
    infer, compare = load("uq/cycle_infer"), load("uq/cycle_compare")
    for answer, guess, said in zip(ANSWERS, (" What is 2 + 2?\n", "What is 5?"), "YN"):
        request = infer.request("j", answer=answer.text)
        assert not any(SUM.question in message["content"] for message in request.messages)
        says(session, request, guess)
        compared = compare.request("j", question=SUM.question, guess=guess.strip(), answer=answer.text)
        says(session, compared, f"Accepted: [[{said}")
    table = asyncio.run(checks.run_check(session, "CC", "j", [SUM], ANSWERS))
    assert list(table["outcome"]) == ["accept", "reject"]


@pytest.mark.parametrize("reply, found", [(fields("4"), "4"), ("no idea", "nothing")])
def test_blind_comparison_uses_what_the_judge_found_itself(session, reply, found):
    says(session, run_exam.exam_request("j", SUM), reply)
    for answer, said in zip(ANSWERS, "YN"):
        request = load("uq/compare_blind").request("j", question=SUM.question, found=found, answer=answer.text)
        says(session, request, f"Accepted: [[{said}")
    assert list(asyncio.run(checks.run_check(session, "B", "j", [SUM], ANSWERS))["outcome"]) == ["accept", "reject"]


def test_unknown_check_question_and_reply_are_errors(session):
    with pytest.raises(ValueError, match="V, C, FLC, CC, R, FA, B"):
        asyncio.run(checks.run_check(session, "X", "j", [SUM], ANSWERS))
    with pytest.raises(KeyError, match="sum"):
        asyncio.run(checks.run_check(session, "V", "j", [GAS], ANSWERS))
    with pytest.raises(MissingReply, match="uq/vanilla"):
        asyncio.run(checks.run_check(session, "V", "j", [SUM], ANSWERS))


def test_a_check_of_one_s_own_is_written_as_any_other(monkeypatch):
    monkeypatch.setattr(checks, "ONE_CALL", dict(checks.ONE_CALL))
    for module in (checks, notation):
        monkeypatch.setattr(module, "CHECKS", dict(notation.CHECKS))
    monkeypatch.setattr(notation, "CHECKS", checks.CHECKS)
    checks.register("Polite", "own/polite")
    assert "Polite" in str(notation.parse("(Polite x3|U) => C"))
    checks.register("Polite", "own/polite")
    for taken, prompt in (("FLC", "own/other"), ("CC", "own/cc"), ("polite", "own/polite"), ("Debate", "own/d")):
        with pytest.raises(ValueError, match="name a check|already"):
            checks.register(taken, prompt)


def test_a_judge_in_the_free_style_sees_site_tags_and_title_with_the_question():
    posted = SUM.model_copy(update={"extra": {"site": "math", "title": "A sum", "tags": ["sums", "easy"]}})
    answer = Answer(id="a", question_id=SUM.id, text="4")

    def shown(judge, **how):
        return [
            m["content"] for m in checks.check_request("C", judge, posted, answer, settings=Settings(**how)).messages
        ]

    free, short = (shown("openai/o3", style=style)[-1] for style in ("free", "short"))
    assert free.startswith(f"Site: math\nTags: sums, easy\nTitle: A sum\n\n{SUM.question}\n")
    assert "Site" not in short and short.startswith(f"Question: {SUM.question}")
    assert shown("smollm2-135m")[-2] == f"Question: {SUM.question}\nAnswer: 4"
