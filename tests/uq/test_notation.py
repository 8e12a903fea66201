"""Validators as values: notation, verdicts with and without early exit, and what they cost."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.published import load_published
from proctor.uq.notation import (
    CHECKS,
    ROUNDS,
    By,
    Check,
    NotationError,
    Poll,
    cost,
    decide,
    expected_calls,
    parse,
)

CHECK = st.builds(Check, st.sampled_from(sorted(CHECKS)), st.sampled_from([None, None, 0.8, 0.05]))
NAMED = st.builds(By, CHECK, st.sampled_from(["o3", "openai/gpt-4o"]))
TIMES, VOTE = st.integers(1, 4), st.sampled_from("MU")
REFLECTED = st.builds(Poll, st.just("u"), st.tuples(CHECK), VOTE, TIMES)
CLOSED = NAMED | st.builds(Poll, st.sampled_from("xu"), st.tuples(NAMED), VOTE, TIMES) | st.just(Check("units"))
NODES = st.recursive(
    st.one_of(CHECK, REFLECTED, st.just(Poll("Debate"))),
    lambda inner: st.one_of(
        st.builds(Poll, st.just("x"), st.tuples(inner), VOTE, TIMES),
        st.builds(Poll, st.just("|"), st.tuples(inner), VOTE),
        st.builds(Poll, st.just("=>"), st.tuples(inner, inner) | st.tuples(inner, inner, inner), st.just("U")),
        st.builds(Poll, st.just("[]"), st.tuples(inner, inner | CLOSED) | st.tuples(CLOSED, CLOSED, inner), VOTE),
    ),
    max_leaves=5,
)


def run(node, outcome_of, judges=1, exhaustive=False):
    """The verdict and the votes asked for, each answered by outcome_of(vote)."""
    asked, votes = [], decide(node, judges, exhaustive)
    try:
        vote = next(votes)
        while True:
            asked.append(vote)
            vote = votes.send(outcome_of(vote))
    except StopIteration as end:
        return end.value, asked


def calls_of(asked):
    """What the votes cost: a check's first turn all its calls, a reconsideration or a round of debate one."""
    return sum(1 if vote.turn or vote.check == "Debate" else CHECKS.get(vote.check, 0) for vote in asked)


def reference(node, outcome_of, judges, at=(0, 0, 0)):
    """The verdict by counting all votes: the public semantics, written apart from the library."""
    judge, sample, turn = at
    if isinstance(node, Check):
        return outcome_of((node.name, "", 0, 0) if node.name == "units" else (node.name, judge, sample, turn))
    if isinstance(node, By):
        return reference(node.node, outcome_of, judges, (node.judge, sample, turn))
    if node.kind == "=>":
        return all(reference(stage, outcome_of, judges, at) is True for stage in node.nodes)
    if node.kind == "Debate":
        ballots = [outcome_of(("Debate", j, sample, ROUNDS - 1)) for j in range(judges)]
        return 2 * sum(b is True for b in ballots) > len(ballots)
    if node.kind == "[]":
        ballots = [reference(one, outcome_of, judges, at) for one in node.nodes]
    else:
        places = {
            "|": [(j, sample, turn) for j in range(judges)],
            "u": [(judge, sample, t) for t in range(node.times)],
            "x": [(judge, sample * node.times + i, turn) for i in range(node.times)],
        }[node.kind]
        ballots = [reference(node.nodes[0], outcome_of, judges, place) for place in places]
    yes = sum(b is True for b in ballots)
    return yes == len(ballots) if node.vote == "U" else 2 * yes > len(ballots)


def test_every_strategy_of_table_s10_is_read_and_printed_back():
    for text in load_published("uq/table_S10")["strategy"].unique():
        assert str(parse(text)) == text
    assert parse("(CC ∪ 3|U) ⇒ (C × 5 | M)") == parse("(CC u3|U) => (C x5|M)")  # the paper's own signs and spacing
    assert parse("C × 5 | M") == parse("C x5|M") and parse("C×5|M") == parse("C x 5 |M")


@pytest.mark.parametrize(
    "text, node",
    [
        ("[C, FLC, CC] |M", Poll("[]", (Check("C"), Check("FLC"), Check("CC")), "M")),
        ("[C => FLC, CC x2|U]|U", Poll("[]", (parse("C => FLC"), parse("CC x2|U")), "U")),
        ("C@o3 => FLC@claude", Poll("=>", (By(Check("C"), "o3"), By(Check("FLC"), "claude")), "U")),
        ("(C => V)@o3", By(parse("C => V"), "o3")),
        ("C@openai/m@http://a:80/v1 x3|M", Poll("x", (By(Check("C"), "openai/m@http://a:80/v1"),), "M", 3)),
        ("C@o3→V", Poll("=>", (By(Check("C"), "o3"), Check("V")), "U")),
        ("C>0.8", Check("C", 0.8)),
        ("C >.5=>V", Poll("=>", (Check("C", 0.5), Check("V")), "U")),
        ("C>0.8 u3|M", Poll("u", (Check("C", 0.8),), "M", 3)),
        ("units => (C x3|U)", Poll("=>", (Check("units"), Poll("x", (Check("C"),), "U", 3)), "U")),
    ],
)
def test_what_the_paper_does_not_have_is_read(text, node):
    assert parse(text) == node and parse(str(node)) == node


@given(NODES)
def test_printing_and_reading_gives_the_same_validator(node):
    again = parse(str(node))
    assert again == node and hash(again) == hash(node) and str(again) == str(node)


@pytest.mark.parametrize(
    "text, place, what",
    [
        ("C x3", "C x3", "x3|M or x3|U"),
        ("D", "D", "no check of this name"),
        ("(C => V", "(", "not closed"),
        ("C)", ")", "closes nothing"),
        ("C |X", "|X", "majority"),
        ("C =>", None, "a check is missing"),
        ("C ! V", "!", "expected a check"),
        ("", None, "nothing here"),
        ("(C => V) u3|U", "u3", "only a check can be reconsidered"),
        ("C V", "V", "expected =>"),
        ("C x0|M", "x0", "at least one vote"),
        ("[C, V]", "[", "say how the 2 votes count"),
        ("[C]|M", "[", "one alone does not vote"),
        ("[C, V)|M", "[", "not closed"),
        ("(C |M)@o3", "@o3", "@ gives a check its one judge"),
        ("Debate@o3", "@o3", "@ gives a check its one judge"),
        ("units@o3", "@o3", "@ gives a check its one judge"),
        ("C@o3 |M", "|M", "no check is left"),
        ("units x3|M", "x3", "same verdict each time"),
        ("units>0.5", ">0.5", "no probability"),
        ("C>1.5", ">1.5", "no probability is above 1"),
    ],
)
def test_a_fault_of_the_notation_is_pointed_at(text, place, what):
    with pytest.raises(NotationError, match=what.replace("|", r"\|")) as error:
        parse(text)
    line, caret = str(error.value).split("\n")[1:]
    if place and place != text:
        assert caret.index("^") - 2 == text.index(place) and line.strip() == text


@given(NODES, st.integers(1, 4), st.randoms(use_true_random=False))
def test_early_exit_gives_the_verdict_of_all_votes_and_asks_only_some_of_them(node, judges, random):
    outcomes = {}

    def outcome_of(vote):
        vote = vote if isinstance(vote, tuple) else (vote.check, vote.judge, vote.sample, vote.turn)
        return outcomes.setdefault(vote, random.choice([True, True, False, None]))

    every, all_votes = run(node, outcome_of, judges, exhaustive=True)
    early, some = run(node, outcome_of, judges)
    assert early == every and set(some) <= set(all_votes) and len(some) <= len(all_votes)
    assert early == reference(node, outcome_of, judges)
    low, high = cost(node, judges)
    assert low <= calls_of(some) <= high


@pytest.mark.parametrize(
    "text, judges",
    [
        ("C", 1),
        ("(CC x3|U) => (FLC x3|U) => (C x3|U)", 1),
        ("C u5 |M", 1),
        ("CC u3 |U", 1),
        ("C |M", 5),
        ("((CC x2|U) => (C x2|U)) |U", 2),
        ("Debate", 3),
        ("B x2|M => V", 1),
        ("[C, CC, V] |M", 1),
        ("[CC, C => FLC] |U", 1),
        ("units => [C@o3, V] |U", 2),
    ],
)
def test_least_most_and_mean_calls_are_those_of_all_outcomes(text, judges):
    node = parse(text)
    every = run(node, lambda vote: True, judges, exhaustive=True)[1]
    places = list(dict.fromkeys(every))
    calls, mean, chance = [], 0.0, 0.0
    for outcome in product((True, False), repeat=len(places)):
        verdict, asked = run(node, dict(zip(places, outcome)).__getitem__, judges)
        weight = 0.7 ** sum(outcome) * 0.3 ** (len(outcome) - sum(outcome))
        calls.append(calls_of(asked))
        mean, chance = mean + weight * calls_of(asked), chance + weight * verdict
    assert cost(node, judges) == (min(calls), max(calls))
    rates = dict.fromkeys([*CHECKS, "Debate", "units"], 0.7)
    assert expected_calls(node, rates, judges) == pytest.approx((mean, chance))


def test_a_lone_check_stays_unreadable_and_votes_keep_their_sample_numbers_whatever_came_before():
    assert run(parse("C"), lambda vote: None)[0] is None
    assert run(parse("C x3|M"), lambda vote: None if vote.sample == 0 else True)[0] is True
    for exhaustive, samples in ((True, [0, 1, 2, 3, 4, 5]), (False, [0, 2, 3, 4, 5])):
        asked = run(parse("(C x2|U) x3|M"), lambda vote: vote.sample != 0, exhaustive=exhaustive)[1]
        assert [vote.sample for vote in asked] == samples
