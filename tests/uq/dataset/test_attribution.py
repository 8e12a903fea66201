"""Licence by the day of the post, links, and the row of an author."""

from datetime import datetime

import pandas as pd
import pytest
from proctor.uq.dataset.attribution import COLUMNS, attributions, home, licence


@pytest.mark.parametrize(
    "moment, name",
    [
        ("2008-09-15T00:00:00", "CC BY-SA 2.5"),
        ("2011-04-07T23:59:59.999", "CC BY-SA 2.5"),
        ("2011-04-08T00:00:00", "CC BY-SA 3.0"),
        ("2018-05-01T23:59:59.999", "CC BY-SA 3.0"),
        ("2018-05-02T00:00:00", "CC BY-SA 4.0"),
    ],
)
def test_the_licence_changes_at_midnight_of_the_days_that_the_paper_gives(moment, name):
    assert licence(datetime.fromisoformat(moment)) == name


def test_sites_of_their_own_domain():
    assert [home(site) for site in ("askubuntu", "ru.stackoverflow", "cs")] == [
        "https://askubuntu.com",
        "https://ru.stackoverflow.com",
        "https://cs.stackexchange.com",
    ]


def test_an_author_is_named_as_far_as_the_source_knows_him():
    days = pd.to_datetime(["2010-01-01", "2015-01-01", "2015-01-01"])
    asked = pd.DataFrame(
        dict(site="cs", question_id=[1, 2, 3], owner_id=[7.0, 8.0, None], owner_name=["Ada", None, None], created=days)
    )
    found = attributions(asked.assign(licence=[None, "CC BY-SA 4.0", None]))
    assert tuple(found.columns) == COLUMNS
    assert list(found["author"]) == ["Ada", "user 8", "unknown"]
    assert list(found["licence"]) == [
        "CC BY-SA 2.5",
        "CC BY-SA 4.0",
        "CC BY-SA 3.0",
    ]  # 4.0: edited later, says the source
    assert list(found["author_link"]) == [home("cs") + "/users/7", home("cs") + "/users/8", ""]
