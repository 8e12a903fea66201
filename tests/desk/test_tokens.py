import pytest
from desk import acts, tokens
from desk.models import Account, Act, Token
from django.test import RequestFactory


def test_only_the_digest_is_kept_anywhere(reviewer):
    _, text = tokens.make(reviewer, "my runs")
    stored = str(list(Token.objects.values())) + str(list(Act.objects.values()))
    assert text not in stored and text.removeprefix(tokens.PREFIX) not in stored


def test_a_blocked_account_loses_its_tokens(reviewer):
    _, text = tokens.make(reviewer, "my runs")
    acts.block(None, reviewer, "spam")
    assert tokens.account_of(text) is None


def test_a_stranger_revokes_nothing_and_a_moderator_may(reviewer):
    token, text = tokens.make(reviewer, "my runs")
    with pytest.raises(acts.NotAllowed):
        tokens.revoke(Account.objects.create_user("eve"), token)
    tokens.revoke(Account.objects.create_user("mod", role="moderator"), token)
    assert tokens.account_of(text) is None


def test_an_account_has_so_many_tokens_and_each_a_name(reviewer):
    with pytest.raises(acts.Refused, match="name"):
        tokens.make(reviewer, " ")
    for number in range(tokens.MOST):
        tokens.make(reviewer, f"run {number}")
    with pytest.raises(acts.Refused, match="Revoke"):
        tokens.make(reviewer, "one more")


def test_a_token_comes_in_the_header_alone():
    ask = RequestFactory().get
    assert tokens.bearer(ask("/?token=desk_x", HTTP_AUTHORIZATION="Basic desk_x")) == ""
    assert tokens.bearer(ask("/", HTTP_AUTHORIZATION="bearer desk_x")) == "desk_x"
