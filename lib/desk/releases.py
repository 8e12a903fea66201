"""A release of UQ's dataset (`uq/dataset/release.py` writes them) into the desk: its questions, and whose they are."""

from datetime import UTC, datetime
from pathlib import Path

from proctor.data.tabular import DataError
from proctor.uq.dataset.release import Release, keys, read_release, versions

from desk import acts
from desk.models import Account

EMPTY = dict(title="", body="", category="", tags=[], comments=[], score=0, views=0)  # where a release has no value


def load_release(folder: str | Path, by: Account | None = None) -> tuple[int, int]:
    """Load a release, or the newest of a folder of releases: how many questions are new, and how many have changed.

    Loaded again it changes nothing. A question that a later version leaves out stays, marked with its own release.
    """
    folder = Path(folder)
    if not (folder / "release.json").is_file() and (found := versions(folder)):
        folder = folder / found[-1]
    release = read_release(folder)
    try:
        return acts.add_questions(by, question_rows(release))
    except acts.Refused as refused:
        place, told = next(iter(refused.problems.items()))
        raise DataError(f"{folder / 'questions.jsonl'}, question {place}: {told}") from None


def question_rows(release: Release) -> list[dict]:
    """Its questions with the fields of `models.Question`. Raises DataError for one whose author is not named."""
    credits = {(row.site, row.question_id): row for row in release.attribution.itertuples()}
    diamond, rows = set(zip(release.diamond["site"], release.diamond["question_id"])), []
    for key, row in zip(keys(release.questions), release.questions):
        credit = credits.get(key)
        if credit is None:
            raise DataError(f"release {release.version}, attribution.csv: no row for question {key[1]} of {key[0]}.")
        rows.append(
            dict(
                key=f"{key[0]}/{key[1]}",
                site=row["site"],
                **{name: row[name] or empty for name, empty in EMPTY.items()},
                **{name: getattr(credit, name) for name in ("link", "author", "author_link", "licence")},
                posted_at=datetime.fromisoformat(credit.posted).replace(tzinfo=UTC),
                release=release.version,
                diamond=key in diamond,
            )
        )
    return rows
