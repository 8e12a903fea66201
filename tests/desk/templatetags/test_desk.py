from datetime import UTC, datetime

from desk.models import Account
from desk.templatetags import desk


def test_a_day_shows_its_time_to_whoever_points_at_it():
    html = desk.day(datetime(2020, 3, 5, 14, 30, tzinfo=UTC))
    assert "5 March 2020</time>" in html and 'title="2020-03-05 14:30 UTC"' in html and desk.day(None) == ""


def test_a_persons_name_is_escaped_and_linked():
    assert desk.person(Account(username="a<b")) == '<a href="/people/a%3Cb/">a&lt;b</a>'
    assert desk.person(None) == "the desk"


def test_a_trace_of_any_shape_is_shown():
    assert desk.steps([{"a": 1}, "b", [2]]) == [[("a", "1")], [("", "b")], [("", "[2]")]]
    assert desk.steps({"a": "x"}) == [[("a", "x")]]


def test_a_long_step_is_cut_and_says_so():
    (((_, text),),) = desk.steps(["x" * 30_000])
    assert len(text) < 21_000 and text.endswith("30,000 characters in all]")
