import numpy as np
import pytest
from proctor.cbu.candidates import load_candidates
from proctor.cbu.score_candidates import final_answer, majority_score
from proctor.data.schemas import Answer

QUESTIONS, ANSWERS = (rows[:n] for rows, n in zip(load_candidates(), (2, 14)))


def test_given_votes_count_by_their_final_answers_and_else_the_other_candidates_vote():
    votes = {q.id: [q.answer, q.answer, q.extra["wrong_answer"], None] for q in QUESTIONS}
    found, among = majority_score(ANSWERS, votes), majority_score(ANSWERS)
    name = QUESTIONS[0].id
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
