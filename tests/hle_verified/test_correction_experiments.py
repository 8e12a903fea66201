import pytest
from proctor.hle_verified import correction_experiments as corrections


@pytest.fixture(scope="module")
def cells():
    return corrections.correction_coverage((0.02, 0.5), (10, 100), 200, 60, 60, 1)


def test_one_exam_has_a_row_a_correction_with_its_interval():
    table = corrections.one_exam(300, 1)
    assert len(table) == 6 and ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()


def test_coverage_has_every_method_in_every_cell_and_no_correction_fails(cells):
    assert len(cells) == 6 * 4 and set(cells["method"]) == set(corrections.METHODS)
    assert (cells["hits"] == (cells["held"] * 60).round()).all()
    by = cells.set_index(["method", "truth", "known"])["held"]
    assert by["Wilson", 0.02, 100] < 0.1 and by["jeffreys", 0.02, 100] > 0.85


def test_the_interval_of_the_worst_cell_is_simultaneous(cells):
    worst = corrections.worst_cells(cells).set_index("method")
    assert (worst["low"] <= worst["held"]).all() and (worst["held"] <= worst["high"]).all()
    one = corrections.worst_cells(cells[(cells["truth"] == 0.02) & (cells["known"] == 100)]).set_index("method")
    assert worst.loc["jeffreys", "low"] <= one.loc["jeffreys", "low"]


def test_a_less_sensitive_judge_breaks_rogan_gladen_and_not_ppi():
    table = corrections.failures(200, 100, 60, 1).set_index(["broken", "value"])
    assert table.loc[("sensitivity here", 0.7), "rogan_gladen"] < 0.7 < table.loc[("sensitivity here", 0.7), "ppi"]
    width = table.loc["none; sensitivity = specificity", "width"]
    assert width[0.6] > 2 * width[0.9]
