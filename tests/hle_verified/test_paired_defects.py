"""One planted defect an item, beside its sound twin, on questions of families-v2."""

from collections import Counter

import pytest
from proctor.generated.worked import EQUATION, OPERATIONS
from proctor.hle_verified.paired_defects import (
    DAMAGED,
    PER_KIND,
    RIGHT,
    SOUND,
    WRONG,
    all_versions,
    both,
    pool,
    reworded,
)
from proctor.hle_verified.planted_defects import COMPONENTS, Defect

VERSIONS = all_versions()
TWINS = {version.base: version.item for version in VERSIONS if version.state == SOUND}
DAMAGE = [version for version in VERSIONS if version.state == DAMAGED]
FIELDS = {"problem": "question", "answer": "answer", "rationale": "rationale"}


def false_equations(text):
    return [m[0] for m in EQUATION.finditer(text) if OPERATIONS[m[2]](int(m[1]), int(m[3])) != int(m[4])]


def test_ten_items_of_each_kind_in_all_families_and_at_all_levels():
    assert Counter(version.kind for version in DAMAGE) == dict.fromkeys(Defect, PER_KIND)
    for kind in Defect:
        own = [version.item for version in DAMAGE if version.kind == kind]
        assert {item.category for item in own} == set(pool()) and {item.level for item in own} == {1, 2, 3}
        assert len({item.id for item in own}) == PER_KIND
    second = Counter(version.item.category for version in DAMAGE)
    assert max(second.values()) - min(second.values()) <= 1  # no family has much more than its share


def test_a_defect_changes_its_component_and_nothing_else():
    for version in DAMAGE:
        changed = [
            p for p, field in FIELDS.items() if getattr(version.item, field) != getattr(TWINS[version.base], field)
        ]
        assert changed == [version.kind.component] == [p for p in COMPONENTS if version.holds[p] is False], version
    assert len({tuple(getattr(v.item, f) for f in FIELDS.values()) for v in VERSIONS}) == len(VERSIONS)


@pytest.mark.parametrize("kind", [Defect.S4, Defect.S6, Defect.S8])
def test_planted_wrong_results_are_wrong_and_the_last_one_is_right(kind):
    for version in DAMAGE:
        wrong = false_equations(version.item.rationale)
        if version.kind == kind:
            assert len(wrong) == (2 if kind is Defect.S8 else 1), version.item.rationale
        if version.kind in (Defect.S1, Defect.S3, Defect.S5, Defect.S7):
            assert not wrong
        if version.kind is Defect.S8:
            assert EQUATION.findall(version.item.rationale)[-1][3] == version.item.answer


def test_sound_items_are_right_and_a_missing_number_is_nowhere_in_the_problem():
    for item in TWINS.values():
        assert not false_equations(item.rationale)
    for version in DAMAGE:
        if version.kind is Defect.Q3:
            was, now = TWINS[version.base].question, version.item.question
            assert len(now) < len(was) + 20 and "  " not in now and " ," not in now
            assert len(EQUATION.findall(now)) == 0
        if version.kind in (Defect.Q1, Defect.Q2, Defect.Q3, Defect.Q4):
            assert version.item.question[-1] in "?."


def test_an_incomplete_answer_is_the_first_of_two():
    for version in DAMAGE:
        if version.kind is Defect.A2:
            first, second = TWINS[version.base].answer.split(" and ")
            assert version.item.answer == first != second
            assert version.item.question.startswith("Answer two questions.")


def test_both_repairs_are_worded_alike_and_only_one_is_right():
    repairs = {(v.base, v.state): v for v in VERSIONS if v.state in (RIGHT, WRONG)}
    for (base, state), version in repairs.items():
        twin, item = TWINS[base], version.item
        assert item.question == twin.question and item.rationale != twin.rationale
        assert (item.answer == twin.answer) is (state == RIGHT) is version.holds["answer"]
        words = [part.rpartition(": ")[0] for part in item.rationale.split(". ")[:-1]]
        right = [part.rpartition(": ")[0] for part in repairs[base, RIGHT].item.rationale.split(". ")[:-1]]
        assert set(words) <= set(right)
        key = next((v.item.answer for v in DAMAGE if v.base == base and v.kind is Defect.A1), None)
        assert item.answer != key


def test_other_words_keep_the_numbers_and_unknown_steps_are_refused():
    question = pool()["tank"][0]
    steps = question.extra["wrongs"][0]["solution"]
    assert EQUATION.findall(reworded(question, steps)) == EQUATION.findall(steps) and reworded(question, steps) != steps
    with pytest.raises(ValueError, match="no other words for 'The price'"):
        reworded(question, "The price: 1 + 1 = 2.")


def test_two_questions_in_one_and_a_number_that_is_not_there():
    one, other = pool()["ages"][:2]
    assert both(one, other).answer == f"{one.answer} and {other.answer}"
    assert len(all_versions(0)) == 3 * 54
    with pytest.raises(ValueError, match="per_kind 19: give 0 to 18"):
        all_versions(19)
