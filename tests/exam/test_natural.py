"""Natural answers: from kept cells, readable, half of them right, each known to be right or wrong."""

import asyncio
from collections import Counter

from proctor.exam import natural, screening


def test_candidates_are_half_right_and_from_kept_cells(fake_model):
    questions, answers = asyncio.run(natural.candidates(fake_model, n=60))
    assert len(answers) == 60 == len({answer.id for answer in answers})
    right = Counter(answer.question_id.rsplit("-", 2)[0] for answer in answers if answer.correct)
    assert right.total() == 30 and len(right) == len({question.category for question in questions}) > 5
    table = asyncio.run(natural.kept_cells(fake_model))
    kept = {(row.category, row.level) for row in table[table["keep"]].itertuples()}
    assert {(question.category, question.level) for question in questions} <= kept
    assert {answer.question_id for answer in answers} == {question.id for question in questions}


def test_attempts_are_samples_of_fresh_questions(fake_model):
    found = asyncio.run(natural.attempts(fake_model))
    screened = asyncio.run(screening.screening(fake_model))
    assert len(found) == natural.FRESH * natural.ATTEMPTS and set(found["sample"]) == {1, 2}
    assert not set(found["question_id"]) & set(screened["question_id"])
