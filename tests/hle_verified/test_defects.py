"""One planted defect an item: in each of nine families beside its sound twin, and in an exam of mixed items."""

import asyncio
import re
from collections import Counter

import pytest
from proctor.data.published import load_published
from proctor.generated.worked import EQUATION, OPERATIONS
from proctor.hle_verified.planted_defects import (
    COMPONENTS,
    DAMAGED,
    PLANTS,
    RIGHT,
    SOUND,
    WRONG,
    all_versions,
    both,
    component_of,
    damaged_exam,
    pool,
    reworded,
)
from proctor.hle_verified.stages import paired_audits
from proctor.models.endings import MissingReply
from proctor.models.session import Session
from proctor.recordings.record import PARALLEL

FIELDS = {"problem": "question", "answer": "answer", "rationale": "rationale"}


@pytest.fixture(scope="module")
def versions():
    return all_versions()


@pytest.fixture(scope="module")
def twins(versions):
    return {version.base: version.item for version in versions if version.state == SOUND}


@pytest.fixture(scope="module")
def damage(versions):
    return [version for version in versions if version.state == DAMAGED]


@pytest.fixture(scope="module")
def exam():
    return damaged_exam()


def false_equations(text):
    return [m[0] for m in EQUATION.finditer(text) if OPERATIONS[m[2]](int(m[1]), int(m[3])) != int(m[4])]


def changed(item, sound):
    return [part for part, field in FIELDS.items() if getattr(item, field) != getattr(sound, field)]


def test_the_kinds_are_those_of_the_taxonomy_with_component_and_name():
    table = load_published("hle_verified/taxonomy").set_index("code")
    assert list(table.index) == list(PLANTS) and [*map(component_of, PLANTS)] == table["component"].tolist()
    assert table["name"]["S3"] == "Empirical Soundness Violation"  # Table 1 has another name for it


def test_ten_items_of_each_kind_in_all_families_and_at_all_levels(damage):
    assert Counter(version.kind for version in damage) == dict.fromkeys(PLANTS, 10)
    families = set(pool())
    for kind in PLANTS:
        own = [version.item for version in damage if version.kind == kind]
        assert {item.category for item in own} == families and {item.level for item in own} == {1, 2, 3}
        assert len({item.id for item in own}) == 10
    second = Counter(version.item.category for version in damage)
    assert max(second.values()) - min(second.values()) <= 1  # no family has much more than its share


def test_a_defect_changes_its_component_and_nothing_else(versions, twins, damage, exam):
    for version in damage:
        broken = [part for part in COMPONENTS if version.holds[part] is False]
        assert changed(version.item, twins[version.base]) == [component_of(version.kind)] == broken, version
    assert len({tuple(getattr(v.item, f) for f in FIELDS.values()) for v in versions}) == len(versions)
    for item in exam[0]:
        truth = exam[1][item.id]
        broken = [part for part in COMPONENTS if truth.holds[part] is False]
        assert changed(item, truth.sound) == ([component_of(truth.defect)] if truth.defect else []) == broken, truth


def test_planted_wrong_results_are_wrong_and_the_last_one_is_right(twins, damage):
    planted = {"S4": 1, "S6": 1, "S8": 2} | dict.fromkeys(("S1", "S3", "S5", "S7"), 0)
    for version in damage:
        if version.kind in planted:
            assert len(false_equations(version.item.rationale)) == planted[version.kind], version.item.rationale
        if version.kind == "S8":
            assert EQUATION.findall(version.item.rationale)[-1][3] == version.item.answer
    assert not any(false_equations(item.rationale) for item in twins.values())


def test_each_kind_does_what_it_is_called(twins, damage):
    for version in damage:
        twin, item = twins[version.base], version.item
        was, now = twin.question, item.question
        if version.kind == "Q3":
            assert len(re.findall(r"\d+", now)) < len(re.findall(r"\d+", was)) or item.category == "letter_count"
            assert len(now) < len(was) + 20 and "  " not in now and " ," not in now and not EQUATION.search(now)
        elif version.kind in ("Q1", "Q2", "Q4"):
            assert now[-1] in "?."
        elif version.kind == "A2":
            first, second = twin.answer.split(" and ")
            assert item.answer == first != second and now.startswith("Answer two questions.")
        elif version.kind in ("A1", "A3", "A4"):
            assert (twin.answer in item.answer) >= (version.kind == "A4")
        elif version.kind == "S1":
            assert item.rationale.count(twin.rationale.partition(" The answer is ")[0]) == 2
        elif version.kind == "S2":
            assert item.rationale.count(item.answer) >= 5 and not EQUATION.search(item.rationale)


def test_both_repairs_are_worded_alike_and_only_one_is_right(versions, twins, damage):
    repairs = {(v.base, v.state): v for v in versions if v.state in (RIGHT, WRONG)}
    for (base, state), version in repairs.items():
        twin, item = twins[base], version.item
        assert item.question == twin.question and item.rationale != twin.rationale
        assert (item.answer == twin.answer) is (state == RIGHT) is version.holds["answer"]
        words = [part.rpartition(": ")[0] for part in item.rationale.split(". ")[:-1]]
        right = [part.rpartition(": ")[0] for part in repairs[base, RIGHT].item.rationale.split(". ")[:-1]]
        assert set(words) <= set(right)
        key = next((v.item.answer for v in damage if v.base == base and v.kind == "A1"), None)
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


# one audit a version and component, with one probability each


def test_each_component_with_a_truth_is_audited_once(fake_model):
    found = asyncio.run(paired_audits(fake_model, ["qwen2.5-coder-1.5b"]))
    assert len(found) == len({r.key for r in fake_model.asked}) == 946
    assert not found.duplicated(["base", "state", "kind", "component"]).any()
    assert found["sound"].eq(False).all() and found["p_sound"].between(0, 0.5).all()
    damaged = found[found["state"] == "damaged"]
    assert damaged[~damaged["holds"]].groupby("kind").size().eq(10).all()
    twins = found[(found["state"] == "sound") & found["holds"]].set_index(["base", "component"]).index
    assert all(pair in twins for pair in zip(damaged["base"], damaged["component"]))
    asked = fake_model.asked  # one token without sampling, and an item's parts follow each other
    assert {(r.max_tokens, r.temperature, r.seeds) for r in asked} == {(1, 0.0, "request")}
    assert all(r.messages[:13] == asked[0].messages[:13] and r.prefix == 13 for r in asked)
    items = [r.messages[13]["content"].rpartition("\nPart: ")[0] for r in asked]
    assert sum(one != other for one, other in zip(items, items[1:])) + 1 == len(set(items))


def test_the_study_can_be_recorded_and_says_how_many_calls_it_lacks(tmp_path):
    async def missing():
        async with Session("replay", cache=tmp_path / "r.sqlite", recorded=None, progress=False) as session:
            await PARALLEL["verification.paired_audits"](session, ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"])

    with pytest.raises(MissingReply) as found:
        asyncio.run(missing())
    assert len(found.value.requests) == 2 * 946


# the exam


def test_nothing_in_an_item_tells_its_defect(exam):
    items, truths = exam
    assert Counter(truth.defect for truth in truths.values()) == dict.fromkeys(PLANTS, 2) | {None: 12}
    for item in items:
        sound = truths[item.id].sound
        assert item.id == sound.id and item.extra == sound.extra == {} and item.source == items[0].source
        assert not re.search(r"[QSA]\d", item.id) and sound.rationale.endswith(f"{sound.answer}.")
    assert [item.id for item in items] == sorted(truths) and len({item.category for item in items}) == 9
    for kind in PLANTS:
        own = [item for item in items if truths[item.id].defect == kind]
        assert {item.level for item in own} == {1, 2} and len({item.category for item in own}) == 2


def test_a_larger_exam_contains_the_smaller_one_in_its_order_and_shares_no_base(exam):
    larger, truths = damaged_exam(per_kind=3, controls=15)
    assert [item for item in larger if item.id in exam[1]] == exam[0]
    assert len(larger) == len({truth.sound.question for truth in truths.values()}) == 3 * 19 + 15
    assert damaged_exam(1, 1, seed=5)[0] != damaged_exam(1, 1)[0]
    with pytest.raises(ValueError, match="counts of 0 to 50"):
        damaged_exam(per_kind=-1)


def test_an_ambiguous_problem_has_two_answers(exam):
    of_kind = [item for item in exam[0] if exam[1][item.id].defect == "Q1"]
    sign, rectangle = sorted(of_kind, key=lambda item: item.category)
    p, q, _, _, x, y = map(int, re.findall(r"\d+", sign.question))
    assert str(p * x + q * y) == sign.answer != str(p * x - q * y) and ", or " in sign.question
    perimeter, longer = map(int, re.findall(r"\d+", rectangle.question))
    assert str(perimeter // 4 + longer // 2) == rectangle.answer  # its length, or its area:
    assert rectangle.question.endswith("How large is it?")
