import pytest
from desk import acts, people
from desk.models import Account, Act

PASS = "a long pass phrase"


@pytest.mark.parametrize(
    "name", ["GRACE", "gr\u0430ce", "gra\u0441e", "gr\u00e1ce"], ids=ascii
)  # letters that look alike
def test_a_name_that_looks_like_another_s_is_taken(db, name):
    acts.sign_up("grace", PASS)
    with pytest.raises(acts.Refused, match="taken"):
        acts.sign_up(name, PASS)


@pytest.mark.parametrize("name, password, field", [("eve", "12345678", "password"), ("a b", PASS, "username"), ("", PASS, "username")])  # fmt: skip
def test_an_odd_name_and_a_weak_password_are_refused_by_field(db, name, password, field):
    with pytest.raises(acts.Refused) as refused:
        acts.sign_up(name, password)
    assert set(refused.value.problems) == {field}


def test_nobody_signs_up_as_a_moderator(db):
    with pytest.raises(acts.Refused, match="role"):
        acts.sign_up("eve", PASS, role="moderator")


def test_only_a_moderator_gives_roles_and_says_why(reviewer, moderator):
    with pytest.raises(acts.NotAllowed):
        acts.set_role(reviewer, reviewer, "moderator", "I want it")
    with pytest.raises(acts.Refused, match="reason"):
        acts.set_role(moderator, reviewer, "reader", " ")
    with pytest.raises(acts.NotAllowed, match="own"):
        acts.set_role(moderator, moderator, "reader", "tired")
    assert acts.set_role(moderator, reviewer, "moderator", "knows the field").role == "moderator"
    assert Act.objects.get(verb="set role").before == {"role": "reviewer"}


def test_a_poster_is_marked_once_a_moderator_has_confirmed_the_profile(reviewer, moderator, question):
    assert not people.is_poster(reviewer, question)  # neither has a profile
    question.author_link = "https://math.example/users/7/"
    question.save()
    reviewer = acts.edit_profile(reviewer, source_profile="https://math.example/users/7")
    assert not people.is_poster(reviewer, question)
    reviewer = acts.confirm_profile(moderator, reviewer, "the profile links here")
    assert people.is_poster(reviewer, question) and list(people.asked_by(reviewer)) == [question]
    reviewer = acts.edit_profile(reviewer, source_profile="https://math.example/users/8")
    assert not people.is_poster(reviewer, question)


def test_a_badge_counts_reviews_that_agree_with_a_later_resolution(answer):
    sides = dict(zip("abcd", ["yes", "no", "yes", "yes"]))
    who = {name: Account.objects.create_user(name, role="reviewer") for name in [*sides, "late"]}
    for name, side in sides.items():
        acts.review(who[name], answer, side, 4, "So.")
    assert [people.badge(who[name]) for name in "abd"] == [
        dict(reviews=1, settled=1, agreed=1), dict(reviews=1, settled=1, agreed=0), dict(reviews=1, settled=1, agreed=1),
    ]  # fmt: skip
    acts.review(who["late"], answer, "yes", 5, "Me too.")
    assert people.badge(who["late"]) == dict(reviews=1, settled=0, agreed=0)


def test_a_review_that_changes_its_side_afterwards_earns_nothing(answer):
    a, b, c = (Account.objects.create_user(name, role="reviewer") for name in "abc")
    row = acts.review(c, answer, "no", 4, "No.")
    for who in (a, b, Account.objects.create_user("d", role="reviewer")):
        acts.review(who, answer, "yes", 4, "Yes.")
    acts.edit(c, row, 1, correct="yes")
    assert people.badge(c) == dict(reviews=1, settled=0, agreed=0)
