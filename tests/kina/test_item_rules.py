import pytest
from proctor.data.schemas import LETTERS
from proctor.kina.generated_items import as_text, option, plain_items, pseudo_items, with_key
from proctor.kina.item_rules import problems
from proctor.kina.items import Item, Option, join_stem

from .broken_items import broken, doubled, eleven, five_statements, leaning, misordered, nine, unexplained, unsourced

PLAIN, SETS = plain_items(per_level=1), pseudo_items(9)
LOOSE = pseudo_items(27, antichain=False)


def options(item, *texts, right=None):
    """The item with these option texts, keyed from A; the right one is the text `right`."""
    key = LETTERS[texts.index(right)] if right else item.correct_answer
    keep = {one.answer: one for one in item.options}
    made = tuple(
        (keep.get(text) or option(text, "so")).model_copy(update={"key": letter})
        for letter, text in zip("ABCDEFGHIJKL", texts)
    )
    return item.model_copy(update={"options": made, "correct_answer": key})


# the rules: a right item passes, a planted defect is named by its rule and no other


@pytest.mark.parametrize("item", [*PLAIN, *SETS, *LOOSE], ids=lambda item: item.index)
def test_our_own_items_keep_every_rule(item):
    assert problems(item) == []


@pytest.mark.parametrize(
    "plant, rule",
    [
        (misordered, "options"),
        (doubled, "distinct"),
        (leaning, "stem"),
        (unexplained, "explanation"),
        (unsourced, "source"),
    ],
)
@pytest.mark.parametrize("item", [PLAIN[0], PLAIN[-1], SETS[0], SETS[4]], ids=lambda item: item.index)
def test_a_planted_defect_is_named_by_its_rule_alone(item, plant, rule):
    assert broken(plant(item)) == [rule]


@pytest.mark.parametrize("plant", [nine, eleven])
def test_nine_or_eleven_options_are_too_few_or_too_many(plant):
    assert broken(plant(PLAIN[0])) == ["options"] and "give ten" in problems(plant(PLAIN[0]))[0].text


def test_five_statements_are_too_few_and_options_that_name_a_sixth_are_told():
    found = problems(five_statements(SETS[0]))
    assert [p.rule for p in found] == ["statements", "statements"]
    assert "at least 6" in found[0].text and "name statements 6" in found[1].text


def test_a_proper_subset_of_the_right_set_is_named_with_its_letter():
    item = next(
        item
        for item in LOOSE
        if len(item.sets[item.options.index(item.right)]) == 3 and sum(len(chosen) == 2 for chosen in item.sets) > 1
    )
    victim = next(one for one in item.wrong if len(one.answer.split(", ")) == 2)
    text = ", ".join(item.right.answer.split(", ")[:2])
    changed = options(item, *(text if one == victim else one.answer for one in item.options))
    assert broken(changed) == ["subset"] and problems(changed)[0].text.startswith(f"{victim.key} ({text})")


def test_a_superset_of_the_right_set_breaks_no_rule():
    supersets = sum(chosen > item.sets[item.options.index(item.right)] for item in LOOSE for chosen in item.sets)
    assert supersets > 0


@pytest.mark.parametrize(
    "right, found",
    [(20, ["balance"]), (17, ["balance"]), (16, []), (11, []), (7, []), (6, ["balance"]), (3, ["balance"])],
)
def test_a_right_option_much_longer_or_shorter_than_all_others_stands_out(right, found):
    wrong = [f"option {i:04d}" for i in range(9)]  # eleven characters each
    item = PLAIN[0].model_copy(
        update={
            "options": with_key(option("x" * right, "so"), [option(w, "no") for w in wrong], 3),
            "correct_answer": "D",
        }
    )
    assert broken(item) == found


def test_sizes_of_sets_are_balanced_and_the_right_one_is_not_alone():
    item = SETS[0]
    wide = options(
        item,
        *(["1", "1, 2, 3, 4"] + [as_text(s) for s in ({1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {1, 6}, {2, 5}, {3, 6})]),
        right="3, 6",
    )
    assert broken(wide) == ["balance"] and "1 to 4" in problems(wide)[0].text
    alone = options(
        item,
        *[as_text(s) for s in ({4, 5, 6}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {1, 5}, {1, 6}, {2, 5}, {3, 6}, {2, 6})],
        right="4, 5, 6",
    )
    assert broken(alone) == ["balance"] and "alone selects 3" in problems(alone)[0].text


def test_the_worked_example_that_the_manual_rejects_is_rejected_for_all_its_reasons_of_form():
    """KINA, E.3: five statements, proper subsets, sizes out of balance, a chapter that is not there.

    The review cuts one of the ten options off; "2, 4" stands in for it.
    """
    sets = ["1, 2", "1, 2, 3", "1, 2, 3, 4, 5", "1", "2", "1, 2, 4", "1, 3, 5", "3, 5", "2, 4", "4, 5"]
    item = Item(
        index="fish",
        discipline="zoology",
        question=join_stem("By Chapter 1, which hold?", list("vwxyz")),
        options=tuple(Option(key=key, answer=text, explanation="so") for key, text in zip(LETTERS, sets)),
        correct_answer="B",
        question_source="a book",
    )
    found = problems(item)
    assert [p.rule for p in found] == ["statements", "subset", "subset", "subset", "balance", "stem"]
    assert [p.text[0] for p in found if p.rule == "subset"] == ["A", "D", "E"]


@pytest.mark.parametrize(
    "stem",
    [
        "What does the figure above show?",
        "Use Table 3.",
        "According to the passage, who?",
        "As mentioned earlier, it holds.",
        "What is the paper's claim?",
        "See Eq. (4).",
        "In the following diagram, find x.",
    ],
)
def test_a_stem_that_leans_on_something_absent_is_named_unless_the_material_is_there(stem):
    item = PLAIN[0].model_copy(update={"question": stem})
    assert broken(item) == ["stem"] and broken(item.model_copy(update={"question_material": "It says so."})) == []


@pytest.mark.parametrize(
    "stem",
    [
        "Which of the following statements are true?",
        "What is the graph of a function?",
        "Which text did Galileo publish?",
        "Name the next section of an orchestra.",
    ],
)
def test_a_stem_that_only_sounds_so_passes(stem):
    # Bare numbers under the first stem would be numbers of statements.
    texts = tuple(one.model_copy(update={"answer": f"{one.answer} cm"}) for one in PLAIN[0].options)
    assert problems(PLAIN[0].model_copy(update={"question": stem, "options": texts})) == []
