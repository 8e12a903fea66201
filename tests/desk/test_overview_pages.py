import re
from dataclasses import replace

import pandas as pd
import pytest
from desk import overview, seed
from desk.overview_pages import LEFT, WIDTH, history_points, ranking_marks, rows_of
from django.core.cache import cache


def test_marks_lie_within_the_picture_and_in_order():
    table = pd.DataFrame(
        dict(system=["a", "b"], share=[0.1, 0.0], share_most=[0.2, 0.0], low=[0.05, 0.0], high=[0.4, 0.1])
    )
    marks, ticks, height = ranking_marks(table)
    for mark in marks:
        places = [LEFT, *(mark[name] for name in ("low", "share", "share_most", "high")), WIDTH]
        assert places == sorted(places) and mark["y"] < height
    assert ticks[0] == (LEFT, "0 %") and 2 <= len(ticks) <= 7


def test_one_moment_is_a_history_too():
    now = pd.Timestamp("2026-01-01", tz="UTC")
    assert history_points(pd.DataFrame(dict(at=[now], resolved=[0])))["last"] == 0


def test_cells_are_rounded_and_missing_ones_a_dash():
    table = pd.DataFrame(dict(what=["x"], share=[1 / 3], low=[float("nan")], high=[0.5], of=[float("nan")]))
    assert rows_of(table, "what share low..high of") == [["x", "33.3 %", "–", ""]]


def test_an_empty_desk_says_so(client, db):
    cache.clear()
    assert b"Nobody has answered" in client.get("/overview/").content


@pytest.mark.django_db
def test_the_page_shows_every_part_without_inline_style_or_script(client, monkeypatch):
    community = seed.invented(0, replace(seed.SETTING, questions=10, reviews=120))
    monkeypatch.setattr(overview, "overview", lambda validator: overview.summary(community, validator))
    text = client.get("/overview/", {"validator": "C"}).content.decode()
    for heading in ("Cautious ranking", "Resolution", "Over time", "Validators", "Agreement of reviewers"):
        assert f"<h2>{heading}</h2>" in text
    assert all(system in text for system in set(community.answers["system"]) - {"people"})
    assert "People" in text and "<option selected>C</option>" in text and "nan" not in text.lower().split()
    assert not re.search(r"<script(?! src)|style=| on\w+=", text)
