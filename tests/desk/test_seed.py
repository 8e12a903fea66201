import pytest
from desk import seed


@pytest.fixture(scope="module")
def communities():
    return seed.invented(0), seed.invented(0), seed.invented(1)


def test_the_same_number_gives_the_same_community(communities):
    one, again, other = communities
    assert one.answers.equals(again.answers) and one.reviews.equals(again.reviews)
    assert not one.answers.equals(other.answers)


def test_sizes_are_those_of_a_small_community(communities):
    one = communities[0]
    assert len(one.questions) == 40 and one.questions["site"].nunique() == 5
    assert 100 <= len(one.answers) <= 140 and one.answers["system"].nunique() == 7  # six systems, and people
