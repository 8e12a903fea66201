from collections import Counter
from functools import partial

import pytest
from desk import rounds
from desk.models import Account, Act, Ballot, Case, Round, Seat
from desk.trail import NotAllowed, Refused

from .round_cases import CASES, account, cast, opened

PEOPLE = {"reviewer": ["ada", "bo", "cy", "di"], "auditor": ["ed", "flo"]}
ITEM = CASES["kina_blind"]


@pytest.fixture
def olga(db):
    for name in [*PEOPLE["reviewer"], *PEOPLE["auditor"]]:
        account(name)
    account("dan", "reader")
    return account("olga", "moderator")


def blind(olga, **settings):
    return rounds.open_round(olga, "kina_blind", "Items", PEOPLE, settings)


def test_seats_are_shared_out_evenly_and_one_to_an_account(olga):
    cases = rounds.add_cases(olga, blind(olga), [ITEM] * 6)
    load = Counter(Seat.objects.filter(part="reviewer").values_list("account__username", flat=True))
    assert set(load.values()) == {3} and set(load) == set(PEOPLE["reviewer"])
    for case in cases:
        assert Counter(case.seats.values_list("part", flat=True)) == {"reviewer": 2, "auditor": 1}


def test_an_author_never_reviews_the_own_item(olga):
    cases = rounds.add_cases(olga, blind(olga), [ITEM | {"author": "ada"}] * 4)
    assert not Seat.objects.filter(case__in=cases, account__username="ada").exists()


@pytest.mark.parametrize(
    "change, told",
    [
        ({"question": ""}, "row 2: question: missing"),
        ({"author": "nobody"}, "row 2: author: no account"),
        ({"author": "olga"}, "row 2: author: the organizer"),
        ({"colour": "red"}, "row 2: colour: unknown"),
        ({"question": ["a"]}, "row 2: question: not a text"),
        ({"question": "\x00"}, "row 2: question: more than"),
    ],
)
def test_a_case_that_does_not_do_is_named_and_none_is_added(olga, change, told):
    with pytest.raises(Refused, match=told):
        rounds.add_cases(olga, blind(olga), [ITEM, ITEM | change])
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    "people, settings, field",
    [
        ({"reviewer": ["ada"], "auditor": ["ed"]}, {}, "reviewer"),
        ({"reviewer": ["ada", "olga"], "auditor": ["ed"]}, {}, "reviewer"),
        ({"reviewer": ["ada", "dan"], "auditor": ["ed"]}, {}, "reviewer"),  # a reader
        (PEOPLE | {"judge": ["ada"]}, {}, "judge"),
        (PEOPLE, {"bar": 7}, "bar"),
        (PEOPLE, {"colour": 1}, "colour"),
    ],
)
def test_a_round_that_does_not_do_is_refused_by_field(olga, people, settings, field):
    with pytest.raises(Refused) as error:
        rounds.open_round(olga, "kina_blind", "Items", people, settings)
    assert field in error.value.problems and not Round.objects.exists()


def test_only_a_moderator_opens_and_only_the_organizer_runs_a_round(olga):
    held = blind(olga)
    with pytest.raises(NotAllowed):
        rounds.open_round(Account.objects.get(username="ada"), "kina_blind", "Mine", PEOPLE)
    with pytest.raises(NotAllowed):
        rounds.add_cases(account("other", "moderator"), held, [ITEM])
    with pytest.raises(NotAllowed):
        rounds.close_round(Account.objects.get(username="other"), held)


@pytest.mark.django_db
def test_a_ballot_s_form_is_checked_by_fields_and_by_the_paper_s_rules():
    case = opened("uq_filter", {"reviewer": ["ada", "bo"]})
    for form, field in (({"decision": "maybe"}, "decision"), ({"decision": "reject"}, "reason"), ({}, "decision")):
        with pytest.raises(Refused) as error:
            cast(case, "ada", "decide", **form)
        assert list(error.value.problems) == [field]
    assert not Ballot.objects.exists() and not Act.objects.filter(verb="cast").exists()


@pytest.mark.django_db
def test_a_case_keeps_the_state_that_its_protocol_decides_and_nothing_comes_after_the_end():
    case = opened("uq_filter", {"reviewer": ["ada", "bo"]})
    cast(case, "ada", "decide", decision="accept")
    rounds.close_round(Account.objects.get(username="olga"), case.round)
    assert Case.objects.get().state == "accept"
    with pytest.raises(NotAllowed):
        cast(case, "bo", "decide", decision="accept")


@pytest.mark.django_db(transaction=True)
def test_two_ballots_at_once_are_both_kept_and_one_twice_only_once(at_once):
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    names = ("ada", "ada", "bo", "bo")
    refused = at_once(*(partial(cast, case, name, "review", verdict="accept", text=name) for name in names))
    numbers, texts = zip(*Ballot.objects.order_by("number").values_list("number", "form__text"))
    assert numbers == (1, 2) and set(texts) == {"ada", "bo"}
    assert [type(error) for error in refused] == [NotAllowed] * 2
