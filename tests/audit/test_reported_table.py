"""The CSV of reported metrics: what is read, and which faults are named with place and remedy."""

import pytest
from proctor.audit.reported_table import load_reported
from proctor.data.tabular import DataError

GOOD = "name,accuracy,precision,recall,n,positives\nA,89.25,81.33,67.78,400,90\n"


def write(tmp_path, content):
    (path := tmp_path / "mine.csv").write_text(content)
    return path


def test_figures_keep_their_zeros_and_empty_cells_are_not_given(tmp_path):
    path = write(tmp_path, "name,accuracy,precision,n\nA,85.40,,400\nB , 85.4 ,1,400\n,,,\n")
    assert [(r.name, r.figures) for r in load_reported(path)] == [
        ("A", {"accuracy": "85.40"}),
        ("B", {"accuracy": "85.4", "precision": "1"}),
    ]


def test_shares_become_percentages_of_as_many_digits(tmp_path):
    for share, percent in (("0.8540", "85.40"), ("0.85", "85"), (".854", "85.4"), ("1.00", "100"), ("1", "100")):
        (found,) = load_reported(write(tmp_path, f"name,accuracy,n\nA,{share},400\n"), unit="share")
        assert found.figures["accuracy"] == percent
    path = write(tmp_path, "name,accuracy,n\nA,85.4,400\nB,0.9,400\n")
    with pytest.raises(DataError, match=r"85.4 is above 1.*Set unit to percent"):
        load_reported(path, unit="share")


def test_parameters_stand_in_for_empty_cells_only(tmp_path):
    path = write(tmp_path, "name,accuracy,recall,n,positives\nA,89.25,67.78,,\nB,80.0,50.0,100,10\n")
    sizes = [(r.n, r.positives) for r in load_reported(path, n=400, positives=90)]
    assert sizes == [(400, 90), (100, 10)]
    assert load_reported(path, n_min=390, n_max=400)[0].sizes == range(390, 401)


@pytest.mark.parametrize(
    "content, said, mend",
    [
        ("name,sensitivity,n\nA,85.4,400\n", "row 1, column sensitivity: unknown column", "Did you mean recall?"),
        (
            "name,accuracy,n,year\nA,85.4,400,2020\n",
            "column year: unknown column",
            "known are name, accuracy, precision, recall, f1, specificity, npv, balanced_accuracy, kappa, n, positives",
        ),
        ("accuracy,n\n85.4,400\n", "row 2, column name: empty or missing", "Give every row a name"),
        ("name,n\nA,400\n", "no row can be read. The first: no figure given", "Fill in one of accuracy, precision"),
        ("name,accuracy,n\nA,85.4,400\nA,80.0,400\n", "row 3, column name: 'A' is the name of row 2 too", "its own"),
        ("name,accuracy,n\nA,-5.0,400\n", "'-5.0' is not a number", "leave it empty"),
        ("name,accuracy,n\nA,85.4 %,400\n", "column accuracy: '85.4 %' has a % sign", "Write 85.4, with unit percent"),
        ('name,accuracy,n\nA,"85,4",400\n', "column accuracy: '85,4' has a decimal comma", "Write 85.4"),
        ("name,accuracy,n\nA,854,400\n", "854 is above 100", "Correct it"),
        ("name,accuracy,n\nA,0.854,400\nB,0.9,400\n", "no figure is above 1, but the unit is", "Set unit to share"),
        ("name,accuracy,n\nA,85.40000000000,400\n", "too many decimals", "at most 9"),
        ("name,accuracy,n\nA,85.4,400.5\n", "column n: '400.5' is not a whole number", "such as 1200"),
        ("name,accuracy,n\nA,85.4,0\n", "column n: '0' is not a whole number from 1", "digits alone"),
        ("name,accuracy,n\nA,85.4,\n", "column n: empty, and no parameter n", "n_min and n_max"),
        ("name,accuracy,n,positives\nA,85.4,400,401\n", "column positives: 401, more than n = 400", "Correct one"),
        ("name,accuracy,recall,n,samples\nA,85.4,80.0,400,5\n", "column samples: 5, next to", "count answers"),
        ("", "no rows in it", "at least one row"),
    ],
)
def test_bad_files_are_refused_with_place_and_mend(tmp_path, content, said, mend):
    path = write(tmp_path, content)
    with pytest.raises(DataError) as error:
        load_reported(path)
    assert str(error.value).startswith(str(path)) and said in str(error.value) and mend in str(error.value)


def test_a_cell_that_cannot_be_read_is_said_of_its_row_and_the_others_go_on(tmp_path):
    found = load_reported(write(tmp_path, "name,accuracy,n\nA,x,400\nB,80.0,1.5\nC,85.40,400\nD,101,400\n"))
    assert [bool(row.fault) for row in found] == [True, True, False, True] and found[2].figures["accuracy"] == "85.40"
    assert "column accuracy: 'x' is not a number" in found[0].fault and "column n: '1.5'" in found[1].fault
    assert "101 is above 100" in found[3].fault


def test_a_spread_is_left_out_and_named_and_a_kappa_is_a_share_whatever_the_unit(tmp_path):
    (found,) = load_reported(write(tmp_path, "name,accuracy,recall,kappa,n\nA,93.4 ± 0.8,67.78+/-1,0.45,400\n"))
    assert found.figures == {"accuracy": "93.4", "recall": "67.78", "kappa": "45"}
    assert found.note == "± of accuracy and recall left out" and found.shown("kappa", "45") == "0.45"


def test_columns_of_other_names_are_read_where_they_are_named(tmp_path):
    path = write(tmp_path, "test,Sens.,n\nA,67.78,400\n")
    (found,) = load_reported(path, columns={"name": "test", "recall": "Sens."})
    assert (found.name, found.figures["recall"]) == ("A", "67.78")
    with pytest.raises(DataError, match="no field 'power'. Fields are name, accuracy"):
        load_reported(path, columns={"power": "Sens."})


@pytest.mark.parametrize(
    "wrong, said",
    [
        (dict(unit="permille"), "choose percent or share"),
        (dict(n=0), "n is 0"),
        (dict(positives=-3), "positives is -3"),
        (dict(n_min=5), "give n alone, or n_min and n_max"),
        (dict(n=5, n_min=1, n_max=9), "give n alone"),
        (dict(n_min=9, n_max=5), "rising range"),
    ],
)
def test_bad_parameters_are_refused(tmp_path, wrong, said):
    with pytest.raises(ValueError, match=said):
        load_reported(write(tmp_path, GOOD), **wrong)
