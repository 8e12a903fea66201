import pytest
from desk import rate_limits
from desk.models import Use
from django.test import RequestFactory


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "write", rate_limits.Limit(3, 60))
    now = [1_800_000_000.0]
    monkeypatch.setattr(rate_limits.time, "time", lambda: now[0])
    return now


def test_the_fourth_of_three_is_too_many_until_the_window_is_over(db, clock):
    for _ in range(3):
        rate_limits.spend("write", "account 1")
    with pytest.raises(rate_limits.TooMany) as error:
        rate_limits.spend("write", "account 1")
    assert 0 < error.value.seconds <= 60
    clock[0] += error.value.seconds
    rate_limits.spend("write", "account 1")


def test_one_account_does_not_use_up_anothers(db, clock):
    for number in range(9):
        rate_limits.spend("write", f"account {number}")


def test_what_is_stored_names_nobody(db):
    rate_limits.spend("sign_in", "name grace", "address 192.0.2.7")
    stored = " ".join(Use.objects.values_list("who", flat=True))
    assert "grace" not in stored and "192.0.2.7" not in stored


def test_counts_of_past_windows_are_dropped(db, monkeypatch):
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_600_000_000.0)
    rate_limits.spend("write", "account 1")
    monkeypatch.undo()
    rate_limits.spend("write", "account 1")
    assert Use.objects.count() == 1


@pytest.mark.parametrize(
    "given, shown",
    [
        ("192.0.2.7", "address 192.0.2.7"),
        ("2001:db8:1:2:3::4", "address 2001:db8:1:2::/64"),
        ("", "address "),
        ("x" * 900, "address " + "x" * 60),
    ],
)
def test_an_address_is_that_of_the_connection(given, shown):
    request = RequestFactory().get("/", REMOTE_ADDR=given, HTTP_X_FORWARDED_FOR="6.6.6.6")
    assert rate_limits.address(request) == shown


def test_behind_a_proxy_it_is_what_the_proxy_itself_added(monkeypatch):
    monkeypatch.setenv("PROCTOR_DESK_HTTPS", "1")
    request = RequestFactory().get("/", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR="6.6.6.6, 192.0.2.7")
    assert rate_limits.address(request) == "address 192.0.2.7"
