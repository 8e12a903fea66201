import json

import pytest
from proctor.report import provenance


@pytest.mark.parametrize(
    "given, kinds",
    [("measured", ("measured",)), ("simulated + published", ("published", "simulated")), (["logged"], ("logged",))],
)
def test_kinds_come_in_one_order(given, kinds):
    assert provenance.evidence_kinds(given) == kinds


@pytest.mark.parametrize("given", ["", "guessed", "measured + guessed"])
def test_unknown_evidence_is_refused(given):
    with pytest.raises(ValueError, match="give one or several of"):
        provenance.evidence_kinds(given)


def test_a_simulation_needs_its_seed():
    with pytest.raises(ValueError, match="seed"):
        provenance.describe("uq/x", evidence="simulated")


def test_a_missing_input_is_named():
    with pytest.raises(ValueError, match="nowhere.csv"):
        provenance.describe("uq/x", evidence="published", inputs=["nowhere.csv"])


def test_the_record_is_written_last_and_names_no_path_of_this_machine(tmp_path):
    record = provenance.describe("uq/x", evidence="published", parameters={"path": tmp_path / "own.csv"}, seed=None)
    provenance.write(record, {".csv": "a\n1\n"}, tmp_path)
    text = (tmp_path / "uq" / "x.json").read_text()
    assert json.loads(text)["parameters"] == {"path": "own.csv"} and str(tmp_path) not in text


def test_a_log_is_named_by_its_source_and_digest(tmp_path):
    place = "owner/name@0123: tidy.csv.gz"
    record = provenance.describe("uq/x", evidence="logged", inputs=[provenance.Logged(place, "ab")])
    assert record["inputs"] == [{"path": place, "sha256": "ab"}]
