"""The damaged exam. That each recipe does what its kind says in every family is tested in test_paired_defects."""

import re
from collections import Counter

import pytest
from proctor.data.published import load_published
from proctor.generated.worked import EQUATION
from proctor.hle_verified.planted_defects import COMPONENTS, PLANTS, Defect, damaged_exam

ITEMS, TRUTHS = damaged_exam()
BY_KIND = {kind: [item for item in ITEMS if TRUTHS[item.id].defect == kind] for kind in [*Defect, None]}


def test_two_items_of_every_kind_and_twelve_sound_ones():
    assert {kind: len(items) for kind, items in BY_KIND.items()} == dict.fromkeys(Defect, 2) | {None: 12}
    assert list(PLANTS) == list(Defect)


def test_the_kinds_are_those_of_the_taxonomy_with_component_and_name():
    table = load_published("hle_verified/taxonomy").set_index("code")
    assert list(table.index) == list(Defect)
    for kind in Defect:
        row = table.loc[kind]
        assert (kind.component, kind.title) == (row["component"], row["name"])
    assert Defect.S3.title == "Empirical Soundness Violation"  # Table 1 has another name for it


def test_a_defect_changes_its_component_and_nothing_else():
    fields = {"problem": "question", "answer": "answer", "rationale": "rationale"}
    for item in ITEMS:
        truth = TRUTHS[item.id]
        changed = {part for part, field in fields.items() if getattr(item, field) != getattr(truth.sound, field)}
        assert changed == ({truth.defect.component} if truth.defect else set()), truth
        assert [part for part in COMPONENTS if truth.holds[part] is False] == list(changed)


def test_nothing_in_an_item_tells_its_defect():
    for item in ITEMS:
        sound = TRUTHS[item.id].sound
        assert item.id == sound.id and item.extra == sound.extra == {} and item.source == ITEMS[0].source
        assert not re.search(r"[QSA]\d", item.id)
    assert [item.id for item in ITEMS] == sorted(TRUTHS)


def test_a_larger_exam_contains_the_smaller_one_in_its_order_and_shares_no_base():
    larger, truths = damaged_exam(per_kind=3, controls=15)
    assert [item for item in larger if item.id in TRUTHS] == ITEMS
    assert len(larger) == len({truth.sound.question for truth in truths.values()}) == 3 * 19 + 15
    assert damaged_exam(seed=5)[0] != ITEMS
    with pytest.raises(ValueError, match="counts of 0 to 50"):
        damaged_exam(per_kind=-1)


def test_a_problem_that_leaves_a_number_out_has_one_number_less():
    for item in BY_KIND["Q3"]:
        assert len(re.findall(r"\d+", item.question)) < len(re.findall(r"\d+", TRUTHS[item.id].sound.question))


def test_an_ambiguous_problem_has_two_answers():
    sign, rectangle = sorted(BY_KIND["Q1"], key=lambda item: item.category)
    p, q, _, _, x, y = map(int, re.findall(r"\d+", sign.question))
    assert str(p * x + q * y) == sign.answer != str(p * x - q * y) and ", or " in sign.question
    perimeter, longer = map(int, re.findall(r"\d+", rectangle.question))
    assert str(perimeter // 4 + longer // 2) == rectangle.answer  # its length, or its area:
    assert rectangle.question.endswith("How large is it?")


def test_a_damaged_key_is_another_text_than_the_right_one():
    for kind in ("A1", "A2", "A3", "A4"):
        for item in BY_KIND[kind]:
            right = TRUTHS[item.id].sound.answer
            assert item.answer != right and (right in item.answer) == (kind == "A4")
    assert all(TRUTHS[item.id].sound.answer.startswith(f"{item.answer} and ") for item in BY_KIND["A2"])


def test_circles_and_repetitions_do_what_they_are_called():
    assert all(item.rationale.count(item.answer) >= 5 and not EQUATION.search(item.rationale) for item in BY_KIND["S2"])
    for item in BY_KIND["S1"]:
        steps = TRUTHS[item.id].sound.rationale.partition(" The answer is ")[0]
        assert item.rationale.count(steps) == 2


def test_each_kind_has_an_easy_and_a_middle_item_of_two_of_the_nine_families():
    assert len(Counter(item.category for item in ITEMS)) == 9
    for kind in Defect:
        assert {item.level for item in BY_KIND[kind]} == {1, 2} and len({item.category for item in BY_KIND[kind]}) == 2
    assert all(truth.sound.rationale.endswith(f"{truth.sound.answer}.") for truth in TRUTHS.values())
