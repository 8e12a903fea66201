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
