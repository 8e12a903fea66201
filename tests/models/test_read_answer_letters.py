"""The reader of multiple-choice letters against the traps of KINA's ten options, where A and I are words too."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.models.read_answer import letter

PROSE = [
    "A careful look shows two of them",
    "I cannot be sure of this",
    "I'm not certain",
    "A is for apple",
    "At first I thought that it was harder",
    "I would say",
    "An answer needs care",
    "B vitamins matter here",
    "In option lists one finds",
    "The options differ in one word",
]
STATEMENTS = [
    "The answer is {}",
    "the answer is ({}).",
    "Answer: {}",
    "**Answer:** {}",
    "Final answer: **{}**",
    "The correct choice is {}, as shown",
    "Answer: {} because it follows",
    "The answer is option {}.",
    "Answer: {}. I cannot say more.",
]
LETTERS = st.sampled_from("ABCDEFGHIJ")
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8).filter(
    lambda word: (
        word
        not in "because since as for and but or with which is not due given based by from rather "
        "instead option choice answer".split()
    )
)


@settings(deadline=None)  # a loaded machine must not fail the test
@given(
    st.lists(st.sampled_from(PROSE), max_size=3),
    st.sampled_from(STATEMENTS),
    LETTERS,
    st.lists(st.sampled_from(PROSE), max_size=2),
)
def test_explicit_statement_wins_over_letters_met_in_prose(before, statement, chosen, after):
    text = "\n".join([*before, statement.format(chosen), *after])
    assert letter(text, 10) == chosen


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STATEMENTS), LETTERS), min_size=1, max_size=4))
def test_last_of_several_statements_counts(statements):
    assert letter("\n".join(form.format(chosen) for form, chosen in statements), 10) == statements[-1][1]


@settings(deadline=None)
@given(
    st.sampled_from(["", "Answer: ", "The answer is ", "answer is: ", "Choice: ", "Option "]),
    st.sampled_from("AI"),
    st.lists(WORDS, min_size=1, max_size=4),
)
def test_a_sentence_that_begins_with_a_or_i_chooses_nothing(lead, word, rest):
    assert letter(f"{lead}{word} {' '.join(rest)}.", 10) is None


@pytest.mark.parametrize(
    "text",
    [
        "Answer: I cannot determine this",
        "The answer is I don't know",
        "Answer: I’m not sure",
        "Answer: I'm not sure",
        "Answer: A careful look shows nothing",
        "I cannot answer that",
        "I can't help with this.",
        "A careful look",
        "",
        "Answer:",
        "As an AI I decline",
        "None of the above",
        "The options A to J all fail",
        "answer is a",
        "Choice A careful",
    ],
)
def test_refusals_and_traps_are_unreadable(text):
    assert letter(text, 10) is None


@pytest.mark.parametrize(
    "text, chosen",
    [
        ("Answer: I", "I"),
        ("The answer is I.", "I"),
        ("Answer: A, since it fits", "A"),
        ("Answer: A because it fits", "A"),
        ("The answer is I as shown", "I"),
        ("A careful look. Answer: C", "C"),
        ("I cannot see why not. The answer is A", "A"),
        ("Answer: C\nI cannot be sure", "C"),
        ("Answer: B\nOn reflection the answer is I am not sure", "B"),
        ("I) is the one", "I"),
        ("A.", "A"),
        ("Answer: A\nbut see below", "A"),
        ("i", "I"),
        ("(j)", "J"),
    ],
)
def test_a_and_i_as_letters_are_read(text, chosen):
    assert letter(text, 10) == chosen


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(2, 10))
def test_whatever_is_read_is_an_option(text, options):
    assert letter(text, options) in {None, *"ABCDEFGHIJ"[:options]}


@settings(deadline=None)
@given(st.sampled_from(STATEMENTS), LETTERS, st.integers(2, 9))
def test_a_letter_beyond_the_options_is_no_answer(statement, chosen, options):
    expected = chosen if "ABCDEFGHIJ".index(chosen) < options else None
    assert letter(statement.format(chosen), options) == expected
