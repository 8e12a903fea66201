import re

import pytest
from proctor.cbu.candidates import AUTHOR, KINDS, candidates, load_candidates, written
from proctor.data.schemas import Question

QUESTIONS, ANSWERS = load_candidates(levels=3)


def last_line(answer):
    return answer.text.splitlines()[-1].removeprefix("Exact Answer: ")


def test_every_question_has_one_candidate_of_each_kind_in_order():
    assert len(QUESTIONS) == 81 and len({answer.id for answer in ANSWERS}) == 81 * len(KINDS)
    for question in QUESTIONS:
        assert [a.label for a in ANSWERS if a.question_id == question.id] == list(KINDS)


def test_stated_answers_are_right_and_wrong_as_their_kind_says():
    keys = {question.id: question.answer for question in QUESTIONS}
    for answer in ANSWERS:
        assert (last_line(answer) == keys[answer.question_id]) == KINDS[answer.label].answer_right
        assert answer.correct == KINDS[answer.label].correct and answer.author == AUTHOR


def test_kinds_without_derivation_repeat_no_step_of_the_worked_solutions():
    for question in QUESTIONS:
        numbers = set(re.findall(r"\d+", question.extra["right"] + question.extra["wrong"]))
        for kind in ("short", "compressed", "authority"):
            said = next(a.text for a in ANSWERS if a.id == f"{question.id}-{kind}").splitlines()[:-1]
            assert not numbers & set(re.findall(r"\d+", " ".join(said)))


def test_lucky_holds_the_derivation_of_wrong_under_the_answer_of_right():
    texts = {answer.id: answer.text for answer in ANSWERS}
    for question in QUESTIONS:
        parts = {kind: texts[f"{question.id}-{kind}"].rsplit("\n", 1) for kind in KINDS}
        assert parts["lucky"] == [parts["wrong"][0], parts["right"][1]] != parts["wrong"]
        assert parts["wrong"][0].removeprefix("Explanation: ") in parts["confident"][0]


def test_phrases_vary_over_questions_and_never_from_run_to_run():
    assert candidates(QUESTIONS) == ANSWERS
    assert len({a.text.splitlines()[0] for a in ANSWERS if a.label == "compressed"}) == 3


def test_question_without_worked_solutions_is_refused_by_name():
    with pytest.raises(ValueError, match="question 'own' has no right, wrong, wrong_answer"):
        candidates([Question(id="own", question="What is 2 + 2?", answer="4")])


def test_written_neighbours_are_other_questions_with_keys_that_copying_does_not_give():
    found = written(QUESTIONS, 2)
    for question in QUESTIONS:
        near = found[question.id]
        assert len({question.question, *(other.question for other in near)}) == 3
        assert all(other.answer not in (question.answer, question.extra["wrong_answer"]) for other in near)
        assert found[question.id][:1] == written([question], 1)[question.id]


@pytest.mark.parametrize("n", [0, 4])
def test_more_neighbours_than_a_question_carries_are_refused(n):
    with pytest.raises(ValueError, match="carries 3 neighbours, not"):
        written(QUESTIONS[:1], n)
