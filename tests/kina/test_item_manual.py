import pytest
from proctor.data.published import load_published
from proctor.kina import item_manual as lib


@pytest.fixture(scope="module")
def facts():
    return load_published("kina/facts").set_index("fact")["value"].to_dict()


def test_rules_say_what_the_objective_knows_of_them(facts):
    for rules in (lib.writing_rules(facts), lib.selection_rules()):
        assert rules["in_objective"].str.match("yes|no|in part").all() and rules["rule"].is_unique
