"""Agreement of people and validator: the counts behind the printed percentages."""

from fractions import Fraction

import pytest
from proctor.uq import human_agreement as ha


@pytest.fixture(scope="module")
def table():
    return ha.rated_answers(25)


def test_counts_give_back_the_printed_kappa(table):
    assert (table[ha.CELLS].sum(axis=1) == 25).all()
    gemini = table.set_index("answer_model").loc["Gemini 2.5 Pro"]
    assert Fraction(gemini["kappa"]) == Fraction(22, 47) and gemini["kappa_printed"] == "0.468"


def test_a_number_of_people_that_no_table_fits_is_an_error():
    with pytest.raises(ValueError):
        ha.rated_answers(24)
