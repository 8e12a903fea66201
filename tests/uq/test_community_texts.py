"""The texts of a simulated community fill every gap and name no real site."""

import numpy as np
from proctor.uq import community_texts as texts


def test_questions_answers_and_reviews_have_no_open_gap():
    rng = np.random.default_rng(0)
    found = [part for site in texts.SITES for _ in range(20) for part in texts.question(site, rng)]
    found += [texts.answer(rng) for _ in range(20)] + [texts.review(word, rng) for word in texts.REVIEWS]
    assert not [text for text in found if "{0}" in text or "{1}" in text or not text.strip()]


def test_some_bodies_hold_mathematics_and_markdown():
    bodies = " ".join(site.body for site in texts.SITES)
    assert "$$" in bodies and "```" in bodies and "**" in bodies
