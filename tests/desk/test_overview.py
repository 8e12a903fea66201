"""The overview of the store, the page of it, and the invented community that fills it."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from types import SimpleNamespace

import pandas as pd
import pytest
from desk import overview, resolution, seed, tables
from desk.models import Account, Act, Answer, Ballot, Comment, Question, Review, System, Verdict, Vote
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from proctor.uq import partial_verification
from proctor.uq.community import Community, answer_states

pytestmark = pytest.mark.django_db  # else a run of this file alone has no tables
SMALL = replace(seed.SETTING, questions=8, reviews=80)
WORDS = {"right": "verified", "wrong": "refuted", "disputed": "disputed"}


@pytest.fixture(scope="module")
def seeded(django_db_setup, django_db_blocker):
    """A store that is filled once, and what the tests read of it."""
    with django_db_blocker.unblock(), transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(overview, "RESAMPLES", 10)
        patch.setattr(overview, "STEPS", 2)
        counts = seed.seed(0, SMALL)
        Account.objects.filter(username="ada_k").update(affiliation="Marsh Lab")
        for question in Question.objects.all():
            resolution.recompute(question)
        community = Community(**tables.all_tables())
        yield SimpleNamespace(counts=counts, community=community, summary=overview.summary(community))
        transaction.set_rollback(True)


def names_of_systems() -> set[str]:
    return set(System.objects.filter(people=False, answers__isnull=False).values_list("name", flat=True))


def test_an_answer_counts_in_the_overview_as_on_its_page_and_people_stand_in_the_ranking(seeded):
    states = answer_states(seeded.community, overview.RULE).set_index("answer_id")["state"]
    found = [resolution.answer_states(question) for question in Question.objects.all()]
    shown = {answer.key: state for one in found for answer, state in one.items()}
    assert set(shown) == set(states.index) and {"right", "wrong"} <= set(states)
    for key, state in states.items():
        own = shown[key]
        assert WORDS.get(state, own) == own and (own in ("verified", "refuted")) == (state in ("right", "wrong"))
    ranking, history = seeded.summary["ranking"], seeded.summary["history"]
    assert set(ranking["system"]) == names_of_systems() | {"people"}
    assert (ranking["low"] <= ranking["share"]).all()
    assert (ranking["share_most"] <= ranking["high"]).all()
    assert history["resolved"].iloc[-1] == Question.objects.filter(state="resolved").count()


def test_a_validator_that_is_not_there_gives_the_one_with_most_verdicts(seeded):
    screens = [overview.summary(seeded.community, name)["screen"] for name in ("C", "nothing")]
    assert screens == ["C", seeded.summary["screen"]] and set(screens) <= set(seeded.summary["validators"])


def test_the_page_shows_every_part_without_inline_style_or_script(seeded, client, monkeypatch):
    summary = seeded.summary | dict(screen="C")
    monkeypatch.setattr(overview, "overview", lambda validator: summary)
    page = client.get("/overview/", {"validator": "C"})
    text = page.text
    for heading in ("Cautious ranking", "Resolution", "Over time", "Validators", "Agreement of reviewers"):
        assert f"<h2>{heading}</h2>" in text
    assert all(system in text for system in names_of_systems())
    assert "People" in text and "<option selected>C</option>" in text and "nan" not in text.lower().split()
    assert not re.search(r"<script(?! src)|style=| on\w+=", text)
    for mark in page.context["marks"]:  # they lie within the picture and in order
        places = [overview.LEFT, *(mark[name] for name in ("low", "share", "share_most", "high")), overview.WIDTH]
        assert places == sorted(places) and mark["y"] < page.context["height"]
    assert page.context["ticks"][0] == (overview.LEFT, "0 %") and 2 <= len(page.context["ticks"]) <= 7
    now = pd.Timestamp("2026-01-01", tz="UTC")
    assert overview.history_points(pd.DataFrame(dict(at=[now], resolved=[0])))["last"] == 0  # of one moment


def test_uq_s_evaluation_takes_its_human_verdicts_from_the_store(seeded):
    """The functions of notebook uq/7_evaluation, on the store's tables in the place of Table S3."""
    community, screen = seeded.community, seeded.summary["screen"]
    models, every = partial_verification.counts_from_reviews(community, screen, overview.RULE)
    states = answer_states(community, overview.RULE)
    passes = set(community.verdicts.query("validator == @screen and verdict == 'accept'")["answer_id"])
    for name in models.index:
        own = states[(states["system"] == name) & states["answer_id"].isin(passes)]
        settled = own[own["state"].isin(["right", "wrong"])]
        counts = [len(own), len(settled), (own["state"] == "right").sum()]
        assert models.loc[name, ["passed", "human_verified", "human_passed"]].tolist() == counts
    bounds = partial_verification.solve_rate_bounds(models, every, (0.5, 0.7))
    assert (bounds["verified_right"] <= bounds["passed_and_right_most"]).all() and len(bounds) == len(models) + 1


def test_the_store_is_filled_by_acts(seeded):
    counts = seeded.counts
    assert counts["question"] == 8 and counts["review"] > 40 and counts["verdict"] == 2 * counts["answer"]
    assert counts["round"] == 4 and Ballot.objects.exists()
    assert System.objects.filter(people=True).count() == 1 and Comment.objects.exists() and Vote.objects.exists()
    assert {"resolved", "answered"} <= set(Question.objects.values_list("state", flat=True))
    assert Act.objects.filter(verb="review").count() == Review.objects.count()
    assert not any(account.has_usable_password() for account in Account.objects.all())
    times = (Answer.objects.values_list("written_at", flat=True), Verdict.objects.values_list("decided_at", flat=True))
    assert max(max(column) for column in times) < timezone.now()
    assert not Question.objects.exclude(link="").exists()  # nobody asked them: there is nothing to link to


def test_readers_who_come_at_once_wait_for_one_computation(monkeypatch):
    cache.clear()
    asked, all_came = [], Barrier(4)
    monkeypatch.setattr(overview, "all_tables", lambda: asked.append(1) or {})
    monkeypatch.setattr(overview, "Community", lambda **_: None)
    monkeypatch.setattr(overview, "summary", lambda *_: "told")

    def read(_):
        all_came.wait(10)
        return overview.overview()

    with ThreadPoolExecutor(4) as readers:
        assert list(readers.map(read, range(4))) == ["told"] * 4 and len(asked) == 1
    cache.clear()
