"""Answers, confidences and letters as people and models write them, and replies that state none.

The traps of KINA's ten options are among them: A and I are words too.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.models.messages import Reply
from proctor.models.read_answer import Stated, answer_probability, letter, stated


@pytest.mark.parametrize(
    "text, answer, confidence",
    [
        ("Explanation: because\nExact Answer: 1,234\nConfidence: 90%", "1,234", 0.9),
        ("**Explanation:** so\n**Exact Answer:** 1,234\n**Confidence:** 90%", "1,234", 0.9),
        ("**Explanation**: so\n**Answer**: **1,234**\n**Confidence**: **90%**", "1,234", 0.9),
        ("explanation: because\nanswer:1,234   \nCONFIDENCE: 90.0 %", "1,234", 0.9),
        ("Answer: 1\nConfidence: 10%\nNo.\nAnswer: 1,234\nConfidence: 90%", "1,234", 0.9),
        ("## Explanation\nx\n\n## Exact Answer\n\n7\n\n## Confidence\n\n0.7", "7", 0.7),
        ("### **Final Answer**\n$$\\frac{1}{2}$$\n\n### Confidence: 70 %", "$$\\frac{1}{2}$$", 0.7),
        ("**Answer:**\n\n- a\n- b\n\nConfidence: about seventy percent", "- a\n- b", 0.7),
        ("Answer: Part a: 5\nPart b: 6\nConfidence: 88.5%", "Part a: 5\nPart b: 6", 0.885),
        ("Exact Answer: \\[\n\nx = 5\n\n\\]\nConfidence: 7/10", "\\[\n\nx = 5\n\n\\]", 0.7),
        ("**Exact Answer: 7**\n**Confidence: high**", "7", None),
        ("Exact Answer\n============\n7", "7", None),
        ("1. Explanation: x\n2. Answer: y\n3. Confidence: 55%", "y", 0.55),
        ("> **Answer** : `x = 1`\n> **Confidence** : 85\\%", "x = 1", 0.85),
        ("Answer: 7 (Confidence: 80%)", "7", 0.8),
        ("Answer: C*\nConfidence: 1", "C*", None),
        ("Answer: x**2\nConfidence: 1%", "x**2", 0.01),
        ("Answer:\nConfidence: 5%", None, 0.05),
        ("So \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}", None),
        ("Thus \\boxed{3} and \\boxed{5}.", "\\boxed{3} and \\boxed{5}", None),
        ("## Answer\n\nWe compute:\n\n$$x=\\boxed{7}$$\n", "7", None),
        ("The final answer is:\n\n$$\\boxed{12}$$", "12", None),
        ("Therefore, the final answer is **42**.", "42", None),
        ("I think the answer is 3.5, because it is.", "3.5", None),
        ("If the answer is 7 then no", None, None),
        ("Answer: B\n\nExplanation: one may think the answer is A", "B", None),
        ("<think>the answer is 5. Answer: 5</think>\nAnswer: 6\nConfidence: 99", "6", 0.99),
        ("<think>the answer is 5. Answer: 5", None, None),
        ("I can't help with that.", None, None),
        ("Answer: 7\n\n" + "so " * 2_000 + "I answer", "7", None),
        ("Answer: 7. _Confidence: 80%_", "7", 0.8),
        ("no Confidence: 5%", None, None),
        ('{"answer": "42", "confidence": 80}', "42", 0.8),
        ('```json\n{\n  "explanation": "as said",\n  "exact_answer": 3.5,\n  "confidence": "70%"\n}\n```', "3.5", 0.7),
        ('{"answer": "\\\\frac{1}{2}"}', r"\frac{1}{2}", None),
        (r'{"answer": "\frac{1}{2}"}', r"\frac{1}{2}", None),
        ("I think.\n<answer>\n  B\n</answer>\n<confidence>55</confidence>", "B", 0.55),
        ("| field | value |\n|---|---|\n| **Answer** | 7 |\n| Confidence | 60 % |", "7", 0.6),
        ('{"answer": "1"}\n\nAnswer: 2', "2", None),
        ('{"answer": "1"}\n{"answer": "2", "confidence": 1}', "2", None),
        ('{"answer": ""}', None, None),
        ('{"answers": ["1"]}', None, None),
    ],
)
def test_answers_are_read_as_people_write_them(text, answer, confidence):
    found = stated(text)
    assert (found.answer, found.confidence) == (answer, confidence)


SHARES = {
    **{"70": 0.7, "70 %": 0.7, "0.7": 0.7, "0,7": 0.7, "1.0": 1.0, "~85%": 0.85, "70/100": 0.7, "7 out of 10": 0.7},
    **{"High (90%)": 0.9, "about seventy-five per cent": 0.75, "twenty-one percent": 0.21, "one hundred percent": 1.0},
    **{"95% (fairly sure)": 0.95, "0": 0.0, "0%": 0.0, "0.5%": 0.005},
    **dict.fromkeys(["", "1", "101%", "1000", "-5%", "high", "60-80%", "between 60 and 80%", "70% to 80%"]),
    **dict.fromkeys(["8 on a scale of ten", "50/50", "11/10", ">95%", "seventy apples"]),
}


@pytest.mark.parametrize("said", SHARES)
def test_a_confidence_is_a_number_or_unreadable(said):
    assert stated(f"Answer: x\nConfidence: {said}").confidence == SHARES[said]


# token probabilities


@pytest.mark.parametrize(
    ("text", "answer", "confidence"),
    [
        ("Answer: 270\nConfidence: 9", "270", None),
        ("Answer: 270\nConfidence: 95%\n", "270", 0.95),
        ("Answer: 18\nAnswer: 2", "18", None),
        ("The answer is 2", None, None),
    ],
)
def test_the_last_line_of_a_reply_that_was_cut_off_is_not_read(text, answer, confidence):
    tokens = tuple((letter, -0.1) for letter in text)
    found = Reply(text, "length", tokens=tokens)
    assert stated(found) == Stated(answer, confidence) and (answer_probability(found) is None) == (answer is None)
    assert stated(Reply(text)) == stated(f"{text}\n") != Stated(None, None)


def test_answer_probability_is_that_of_the_answer_line():
    """`C` also stands in `Confidence`, and `9` in `97%`: neither is the answer."""
    tokens = (
        ("Explanation: C\n", -5.0),
        ("Answer:", -4.0),
        (" C", -0.5),
        ("\n", -3.0),
        ("C", -2.0),
        ("onfidence: 97%", -1.0),
    )
    assert answer_probability(Reply("", tokens=tokens)) == pytest.approx(math.exp(-0.5))
    assert answer_probability(Reply("", tokens=(("nothing", -1.0),))) is None and answer_probability(Reply("x")) is None


# letters

CHOSEN = {
    "A": ["Answer: A, since it fits", "Answer: A because it fits", "I cannot see why not. The answer is A", "A.",
          "Answer: A\nbut see below"],
    "B": ["Answer: B\nOn reflection the answer is I am not sure"],
    "C": ["A careful look. Answer: C", "Answer: A\nNo, the answer is C.", "Answer: C\nI cannot be sure",
          "**Answer:** C", "Final answer: **C**", "The correct choice is C, as shown", "The answer is option C, not option A",
          "The answer is (C)", "C.", "c", "(c)", "C) Carbon", "**C**", "[C]", "C: Carbon", " C\n", "A. is tempting, but the answer is C", "The answer is C, not option A",
          "Option C", "the final answer is: **C**", "Answer: C"],
    "I": ["Answer: I", "The answer is I.", "The answer is I as shown", "I) is the one", "i",
          "Answer: I. I cannot say more."],
    "J": ["(j)"],
    None: ["Answer: I cannot determine this", "The answer is I don't know", "Answer: I’m not sure",
           "Answer: I'm not sure", "Answer: A careful look shows nothing", "I cannot answer that",
           "I can't help with this.", "A careful look", "", "Answer:", "As an AI I decline", "None of the above",
           "The options A to J all fail", "answer is a", "Choice A careful",
           "Option A careful", "Answer: I would say", "K", "Answer: K", "K)"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "chosen"), [(text, chosen) for chosen, texts in CHOSEN.items() for text in texts])
def test_a_letter_is_read_and_no_word_for_one(text, chosen):
    assert letter(text, 10) == chosen


# any text


@given(st.text(max_size=200) | st.text(r"answer:*\boxed{}confidence 7%#" + "\n", max_size=80), st.integers(2, 10))
def test_of_any_text_the_answer_stands_in_it_and_shares_and_letters_are_possible(text, options):
    reply = Reply(text, tokens=tuple((sign, -0.5) for sign in text))
    found, p = stated(reply), answer_probability(reply)
    assert found.answer is None or found.answer in text
    assert all(share is None or 0 <= share <= 1 for share in (found.confidence, p))
    assert letter(text, options) in {None, *"ABCDEFGHIJ"[:options]}
