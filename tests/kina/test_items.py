"""Ten-option items: the file of them, their rules of form, and those that we make by seed."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.questions import load_questions
from proctor.data.schemas import LETTERS
from proctor.data.tabular import DataError
from proctor.generated.generate import SEED, generate
from proctor.kina.generated_items import SLIPS, STEPS, off, option, plain_items, pseudo_items, set_options, with_key
from proctor.kina.item_refinement import planted_defects
from proctor.kina.items import Item, Option, join_stem, load_items, problems, selected, split_stem, statements

from .planting import QUICK, broken, plain, sets, unsourced


def row(**changes) -> dict:
    options = [{"key": key, "answer": f"answer {key}"} for key in "ABCDEFGHIJ"]
    return dict(index=7, discipline="optics", question="Which?", options=options, correct_answer="C") | changes


@pytest.fixture
def file(tmp_path):
    def write(*rows):
        path = tmp_path / "items.json"
        path.write_text(json.dumps(rows))
        return path

    return write


def test_reads_the_official_columns_with_optional_texts_missing_null_or_given(file):
    options = [{"key": "A", "answer": "4", "explanation": "2 + 2", "source": None}, {"key": "B", "answer": "5"}]
    one, two = load_items(
        file(
            row(options=options, correct_answer="A", question_material=None),
            row(index="x", question_source="a book", question_material="a text", year=2026),
        )
    )
    assert (one.index, one.right.explanation, one.right.source, one.question_material) == ("7", "2 + 2", "", "")
    assert [option.key for option in one.wrong] == ["B"]
    assert (two.question_source, two.question_material, two.extra) == ("a book", "a text", {"year": 2026})


TWO = [{"key": "A", "answer": "1"}, {"key": "C", "answer": "2"}]


@pytest.mark.parametrize(
    "changes, place, fix",
    [
        (dict(question=""), "row 1, column question: empty or missing", "Fill it in"),
        (dict(correct_answer=None), "row 1, column correct_answer: empty or missing", "Fill it in"),
        (dict(options="A, B"), "row 1, column options", "list of {key, answer}"),
        (dict(options=[TWO[0], "B"]), "row 1, column options 2", "list of {key, answer}"),
        (dict(options=[TWO[0], {"key": "C"}]), "row 1, column options 2 answer", "Fill it in"),
        (dict(options=[{"key": "A", "answer": 1}, TWO[1]]), "options 1 answer", "between quotes"),
        (dict(options=[TWO[0], TWO[1] | {"why": "so"}]), "options 2 why", "Remove it"),
        (dict(options=[TWO[1], TWO[1]]), "the keys are C, C", "Correct the options"),
        (dict(options=TWO[:1], correct_answer="A"), "1 options: nothing to choose from", "Correct the options"),
        (dict(correct_answer="K"), "'K' is none of the keys", "Correct the options or the letter"),
        (dict(question=5), "row 1, column question", "between quotes"),
    ],
)
def test_errors_name_file_row_column_and_fix(file, changes, place, fix):
    path = file(row(**changes))
    with pytest.raises(DataError) as error:
        load_items(path)
    assert str(error.value).startswith(f"{path}, row 1") and place in str(error.value) and fix in str(error.value)


def test_a_doubled_index_names_both_rows_and_all_problems_are_told_together(file):
    with pytest.raises(DataError, match=r"(?s)2 problems.*row 2.*row 1 too.*row 3, column question"):
        load_items(file(row(), row(), row(index=9, question="")))


def test_an_empty_file_is_an_error_and_the_number_of_options_is_not_the_loaders_business(file):
    with pytest.raises(DataError, match="no items"):
        load_items(file())
    assert len(load_items(file(row(options=row()["options"][:3])))[0].options) == 3


def test_the_exam_reads_the_same_question_from_the_same_file(file):
    path = file(row(question_source="a book"))
    mine, theirs = load_items(path)[0], load_questions(path)[0]
    assert (mine.index, mine.question, mine.correct_answer) == (theirs.id, theirs.question, theirs.answer)
    assert tuple(option.answer for option in mine.options) == theirs.options


# sets of statements

lines = st.text("abc xyz", min_size=1, max_size=10).map(str.strip).filter(bool)


@given(lines, st.lists(lines, min_size=2, max_size=12))
def test_a_stem_is_taken_apart_and_joined_again(lead, listed):
    assert split_stem(join_stem(lead, listed)) == (lead, listed)


@pytest.mark.parametrize(
    "stem, found",
    [
        ("Which hold?\n(1) one\n(2) two", ["one", "two"]),
        ("Which hold? (1) one (2) two", ["one", "two"]),
        ("Which hold?\n1) one\n2) has 1. in it\n3) three", ["one", "has 1. in it", "three"]),
        ("What is 3. 5 times 2?", []),
        ("Only one:\n1. one", []),
        ("Starts at two:\n2. b\n3. c", []),
    ],
)
def test_statements_are_numbered_from_one_in_turn(stem, found):
    assert statements(stem) == found


@given(st.frozensets(st.integers(1, 20), min_size=1), st.sampled_from([", ", " and ", "; ", ",", " & "]))
def test_a_set_is_read_however_it_is_joined(numbers, joint):
    assert selected(joint.join(map(str, sorted(numbers)))) == numbers


@pytest.mark.parametrize("text", ["1,234", "3/4", "12 metres", "1 or 2", "none", "-3", "1.5", "A, B", ""])
def test_what_is_no_set_is_none(text):
    assert selected(text) is None


def test_options_are_sets_only_where_the_stem_lists_statements():
    options = tuple(Option(key=key, answer=text) for key, text in zip("ABC", ("1, 2", "2", "Only 1 and 3")))
    item = Item(index="1", discipline="d", question="Pick.\n1. a\n2. b\n3. c", options=options, correct_answer="A")
    assert item.sets == [frozenset({1, 2}), frozenset({2}), frozenset({1, 3})]
    assert item.but(question="How many apples are left?").sets == []


# the rules: a right item passes, a planted defect is named by its rule and no other


def placed(item, texts, right):
    """The item with these option texts, keyed from A; the right one is the text `right`."""
    made = tuple(option(text, "so").model_copy(update={"key": letter}) for letter, text in zip(LETTERS, texts))
    return item.but(options=made, correct_answer=LETTERS[texts.index(right)])


def misordered(item):
    return item.but(options=item.options[1:] + item.options[:1])


def doubled(item):
    """A wrong option with another's text, written otherwise."""
    a, b = item.wrong[:2]
    text = a.answer.replace(", ", " and ") if item.sets else f" {a.answer.upper()}."
    changed = tuple(one.model_copy(update={"answer": text}) if one == b else one for one in item.options)
    return item.but(options=changed)


def test_a_planted_defect_is_named_by_its_rule_and_but_for_those_of_sets_by_no_other():
    for item in (plain()[0], plain()[-1], *sets()):
        plants = planted_defects(item)
        assert len(plants) == (6 if item.sets else 4)
        alone = {"keys moved": ("options", misordered(item)), "twice, written otherwise": ("distinct", doubled(item))}
        blank = tuple(one.model_copy(update={"explanation": " "}) for one in item.options)
        alone |= {"blank explanations": ("explanation", item.but(options=blank))}
        alone |= {"no source": ("source", unsourced(item))}
        for name, (rule, bad) in (plants | alone).items():
            of_sets = item.sets and name in ("option missing", "option twice", "last statement missing", "subset")
            assert rule in broken(bad) and (of_sets or len(broken(bad)) == 1), name


def test_options_and_statements_are_counted():
    more = plain()[0].but(options=(*plain()[0].options, Option(key="K", answer="77")))
    assert [problem.text for problem in problems(more)] == ["11 options: give ten"]
    lead, listed = split_stem(sets()[0].question)
    few, unknown = problems(sets()[0].but(question=join_stem(lead, listed[:5])))
    assert few.rule == unknown.rule == "statements" and "at least 6" in few.text and "name statements 6" in unknown.text


def test_a_proper_subset_of_the_right_set_is_named_with_its_letter_and_a_superset_is_allowed():
    supersets = [
        item for item in sets(False) if any(one > item.sets[item.options.index(item.right)] for one in item.sets)
    ]
    assert supersets and not any(map(broken, supersets))
    item = next(i for i in sets(False) if i.right.answer.count(",") == 2 and sum(len(one) == 2 for one in i.sets) > 1)
    victim = next(one for one in item.wrong if one.answer.count(",") == 1)
    text = ", ".join(item.right.answer.split(", ")[:2])
    changed = tuple(one.model_copy(update={"answer": text}) if one == victim else one for one in item.options)
    (found,) = problems(item.but(options=changed))
    assert found.rule == "subset" and found.text.startswith(f"{victim.key} ({text})")


@pytest.mark.parametrize("characters, stands_out", [(20, 1), (17, 1), (16, 0), (11, 0), (7, 0), (6, 1), (3, 1)])
def test_a_right_option_much_longer_or_shorter_than_all_others_stands_out(characters, stands_out):
    wrong = [option(f"option {i:04d}", "no") for i in range(9)]  # eleven characters each
    made = {"options": with_key(option("x" * characters, "so"), wrong, 3), "correct_answer": "D"}
    assert broken(plain()[0].but(**made)) == ["balance"] * stands_out


@pytest.mark.parametrize(
    "texts, right, why",
    [
        (["1", "1, 2, 3, 4", "1, 2", "2, 3", "3, 4", "4, 5", "5, 6", "1, 6", "2, 5", "3, 6"], "3, 6", "1 to 4"),
        (["4, 5, 6", "1, 2", "2, 3", "3, 4", "1, 4", "1, 5", "1, 6", "2, 5", "3, 6", "2, 6"], "4, 5, 6", "selects 3"),
    ],
)
def test_sizes_of_sets_are_balanced_and_the_right_one_is_not_alone(texts, right, why):
    (found,) = problems(placed(sets()[0], texts, right))
    assert found.rule == "balance" and why in found.text


@pytest.mark.parametrize(
    "stem, leans",
    [
        ("What does the figure above show?", True),
        ("Use Table 3.", True),
        ("According to the passage, who?", True),
        ("As mentioned earlier, it holds.", True),
        ("What is the paper's claim?", True),
        ("See Eq. (4).", True),
        ("In the following diagram, find x.", True),
        ("Which of the following statements are true?", False),
        ("What is the graph of a function?", False),
        ("Which text did Galileo publish?", False),
        ("Name the next section of an orchestra.", False),
    ],
)
def test_a_stem_that_leans_on_something_absent_is_named_unless_the_material_is_there(stem, leans):
    # Bare numbers under a stem that says "statements" would be numbers of statements.
    texts = tuple(one.model_copy(update={"answer": f"{one.answer} cm"}) for one in plain()[0].options)
    item = plain()[0].but(question=stem, options=texts)
    assert broken(item) == ["stem"] * leans
    assert broken(item.but(question_material="It says so.")) == []


# our own items


def test_a_seed_gives_the_same_items_and_more_items_leave_the_first_as_they_were():
    assert plain_items(per_level=1, families=QUICK[:2]) == plain()[:6]
    assert plain_items(5, 1, QUICK[:2]) != plain_items(6, 1, QUICK[:2])
    assert pseudo_items(3, families=QUICK) == sets()[:3]


# Family letter_count with seed 6 has an item whose right answer is 2 and whose misconception gives 0.
@pytest.mark.parametrize("seed, families", [(SEED, QUICK), (6, ["letter_count"])])
def test_wrong_numbers_are_what_their_explanations_say_and_the_misconception_is_among_them(seed, families):
    questions = {q.id: q for q in generate(seed, 3, families)}
    items = plain_items(seed, 3, families)
    assert len(items) == len(questions)
    for item in items:
        question = questions[item.extra["exact_id"]]
        method, misled = question.extra["wrong_method"], question.extra["wrong_answer"]
        assert item.right.answer == question.answer and item.right.explanation == question.rationale
        assert item.right.source and item.extra["misled"] == misled
        assert f"{method}." in [one.explanation for one in item.wrong if one.answer == misled]
        for one in item.wrong:
            steps = one.explanation.removesuffix(".").split(", and then ")
            value = int(misled) if steps[0] == method else int(item.right.answer)
            for slip in steps[steps[0] == method :]:
                value = SLIPS[slip](value)
            assert value == int(one.answer) != int(item.right.answer)


def test_a_step_can_be_undone():
    for there, back in zip(STEPS[::2], STEPS[1::2]):
        assert all(SLIPS[back](SLIPS[there](n)) == n for n in range(200))


def test_right_options_have_no_favourite_letter_or_rank():
    items = plain_items(per_level=8, families=QUICK)
    for some in (*(items[start : start + 10] for start in range(0, len(items) - 9, 10)), sets(), sets(False)):
        assert len({item.correct_answer for item in some}) == 10
    ranks = Counter(sorted(int(one.answer) for one in i.options).index(int(i.right.answer)) for i in items)
    assert max(ranks.values()) < 0.2 * len(items) and len(ranks) == 10


def test_statements_are_true_as_the_right_set_says():
    answers = {q.id: (q.answer, q.extra["wrong_answer"]) for q in generate(per_level=6, families=QUICK)}
    for item in (*sets(), *sets(False)):
        right = item.sets[item.options.index(item.right)]
        for number, (text, exact) in enumerate(zip(statements(item.question), item.extra["exact_ids"]), 1):
            assert text.endswith(f" has the answer {answers[exact][number not in right]}.")
    assert off(frozenset({1, 2}), frozenset({2, 3})) == "takes 1 for true and leaves out 3."
    assert off(frozenset({1, 2, 3}), frozenset({2, 3})) == "takes 1 for true."


@given(st.integers(6, 8), st.integers(2, 4), st.booleans(), st.integers(0, 10**6))
def test_sets_keep_the_rules_whatever_is_right(n, size, antichain, seed):
    rng = np.random.default_rng(seed)
    right = frozenset(int(i) + 1 for i in rng.permutation(n)[:size])
    ten = set_options(right, n, rng, antichain=antichain)
    sizes = Counter(map(len, ten))
    assert ten[0] == right and len(set(ten)) == 10 and not any(chosen < right for chosen in ten)
    assert max(sizes.values()) <= 5 and max(sizes) - min(sizes) <= 2 and sizes[size] > 1
    assert not antichain or not any(a < b for a in ten for b in ten)


@pytest.mark.parametrize(
    "call, what",
    [
        (lambda: set_options(frozenset({1, 2}), 4, np.random.default_rng(0)), "no ten sets fit"),
        (lambda: plain_items(families=["alchemy"]), "unknown"),
    ],
)
def test_too_few_statements_or_questions_are_errors(call, what):
    with pytest.raises(ValueError, match=what):
        call()
