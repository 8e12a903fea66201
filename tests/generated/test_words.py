from proctor.generated.draft import DISTINCT, DOUBLED


def test_no_letter_stands_twice_in_a_distinct_word():
    assert [word for word in DISTINCT if len(set(word)) < len(word)] == []


def test_a_doubled_word_has_a_letter_twice_in_a_row():
    assert [word for word in DOUBLED if not any(a == b for a, b in zip(word, word[1:]))] == []
