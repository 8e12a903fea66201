from proctor.hle_verified import outcomes
from proctor.hle_verified.planted_defects import COMPONENTS, Defect


def test_definitions_are_those_of_the_components():
    assert tuple(outcomes.validity_definitions()["component"]) == COMPONENTS


def test_an_example_of_each_kind_shows_what_was_changed(exam):
    table = outcomes.planted_examples(exam.items, exam.truths)
    assert list(table["kind"]) == list(Defect) and (table["sound"] != table["damaged"]).all()


def test_prompts_that_need_a_call_say_which_version():
    table = outcomes.prompts().set_index("prompt")
    assert table.loc["Stage I extraction", "ours"] == "no call"
    assert table.loc["cross-audit", "ours"].startswith("hle_verified/audit@") or table.loc["cross-audit", "ours"]
    assert len(table) == 10 and (table["differs"] != "").all()
