import pandas as pd
import pytest
from desk import acts, releases
from desk.models import Act, Question
from proctor.data.tabular import DataError
from proctor.uq.dataset.release import write_release
from proctor.uq.dataset.review_queue import load_quotas


@pytest.fixture
def folder(tmp_path):
    """A folder of releases whose version 1 has two questions, one of them diamond."""
    kept = pd.DataFrame(
        dict(
            site=["math", "cs"],
            question_id=[1, 2],
            title=["Is it so?", "How hard?"],
            body=["<p>Why <b>x</b>?</p>"] * 2,
            tags=[["sets"], []],
            comments=[0, 3],
            score=[9, 8],
            views=[100.0, None],
            owner_id=[7.0, None],
            owner_name=["Ann", None],
            licence=[None, "CC BY-SA 3.0"],
            created=pd.to_datetime(["2010-01-02", "2015-03-04"]),
        )
    )
    changes = kept[["site", "question_id"]].assign(change="added", reason="votes")
    reviews = kept[["site", "question_id"]].assign(
        diamond=[True, False], way="reviewed", outcome="accept", reason="", place=[1, 2]
    )
    (tmp_path / "quotas.yaml").write_text(
        "default: {category: Science, top: 2, min_votes: null, reviewed: 4, order: votes, spare: 4, diamond_votes: 9, diamond_views: 1}\nsites: {}"
    )
    write_release(tmp_path / "releases", "1", kept, reviews, changes, load_quotas(tmp_path / "quotas.yaml"))
    return tmp_path / "releases"


def test_a_release_is_loaded_with_whose_the_questions_are_and_loaded_again_changes_nothing(folder, db, reviewer):
    assert releases.load_release(folder) == (2, 0)
    one, two = Question.objects.order_by("-key")
    assert (one.key, one.author, one.author_link, one.licence) == (
        "math/1", "Ann", "https://math.stackexchange.com/users/7", "CC BY-SA 2.5",
    )  # fmt: skip
    assert (two.author, two.licence, two.views, two.comments) == ("unknown", "CC BY-SA 3.0", 0, [])
    assert (one.diamond, two.diamond, one.release, one.category) == (True, False, "1", "Science")
    assert "**x**" in one.body and one.posted_at.isoformat() == "2010-01-02T00:00:00+00:00"
    acts.vote(reviewer, one, 1)
    assert releases.load_release(folder / "1") == (0, 0)
    assert Question.objects.get(key="math/1").votes == 1 and Act.objects.filter(verb="add").count() == 2


def test_what_the_desk_cannot_hold_or_credit_is_named_and_nothing_loaded(folder, db):
    questions, credits = folder / "1/questions.jsonl", folder / "1/attribution.csv"
    whole = questions.read_text()
    questions.write_text(whole.replace("Is it so?", "x" * 501))
    with pytest.raises(DataError, match="math/1, title"):
        releases.load_release(folder)
    questions.write_text(whole)
    credits.write_text("\n".join(credits.read_text().splitlines()[:2]) + "\n")
    with pytest.raises(DataError, match="no row for question"):
        releases.load_release(folder)
    with pytest.raises(DataError, match="not a release"):
        releases.load_release(folder / "1" / "none")
    assert not Question.objects.exists()
