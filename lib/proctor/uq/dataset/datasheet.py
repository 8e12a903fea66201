"""What goes with a release in words: its changelog and its datasheet, written from the release's own counts."""

from collections import Counter
from typing import TYPE_CHECKING

import pandas as pd

from proctor.uq.dataset.attribution import DEED
from proctor.uq.dataset.review_queue import without_place

if TYPE_CHECKING:
    from proctor.uq.dataset.release import Release


def changelog(release: "Release", before: str = "", left_out: str = "") -> str:
    """The changelog up to this version, the newest on top. before: that of the version before. left_out: what of the
    review is not in it (`review_queue.without_place`)."""
    counts = release.changes["change"].value_counts()
    lines = [f"## {release.version} ({release.manifest['date']})", ""]
    lines.append(
        f"{len(release.questions)} questions: {counts.get('added', 0)} added, {counts.get('removed', 0)} removed."
    )
    for change in ("removed", "added"):
        rows = release.changes[release.changes["change"] == change]
        lines += ["", f"{change.capitalize()}:", ""] if len(rows) else []
        lines += [f"- {row.site} {row.question_id}: {row.reason}" for row in rows.itertuples()]
    lines += ["", left_out] if left_out else []
    older = before.removeprefix("# Changelog\n\n")
    return "# Changelog\n\n" + "\n".join(lines) + "\n" + (f"\n{older}" if older else "")


def datasheet(release: "Release", reviews: pd.DataFrame) -> str:
    """A datasheet in Markdown: what is in the release, where it is from, how it was chosen, how it may be used."""
    questions, licences = release.questions, Counter(release.attributions["licence"])
    days = sorted(release.attributions["posted"]) or ["-"]
    deeds = ", ".join(f"[{name}]({DEED.format(name.split()[-1])}) ({n})" for name, n in sorted(licences.items()))
    outcomes = reviews["outcome"].value_counts()
    unread = int((reviews["way"] == "by votes").sum())
    refused = Counter(reviews.loc[reviews["outcome"] == "reject", "reason"])
    return f"""# Datasheet, version {release.version}

## What it is for
Questions that nobody had answered on their site when they were collected. They test whether a model can answer what
people have not; there is no key. The {len(release.dev)} questions of the dev set have accepted answers.

## What is in it
{len(questions)} questions of {len({row["site"] for row in questions})} sites, posted from {days[0]} to {days[-1]}.
{len(release.diamond)} of them are the diamond subset.

{_by_site(questions)}

A row is a question: {", ".join(questions[0]) if questions else ""}. `comments` is empty (null) where the source tells
only how many there are. A question's key is its site and its number.

## How they were collected and chosen
1. The public posts of the sites were read from a data dump or the Stack Exchange API.
2. Rules: age, views, votes, views a vote, top share, no answer, no "why", no image, no off-topic tag.
3. Where a filter by language models was run, only the questions that it keeps went on.
4. Review. Of {len(reviews)} questions in the queue {unread} were taken for their votes unless someone objected, and
   {len(reviews) - unread} were to be read. Accepted: {outcomes.get("accept", 0)}. Rejected: \
{outcomes.get("reject", 0)}{_reasons(refused)}.
   Reviewers disagreed: {outcomes.get("split", 0)}. Not read: {outcomes.get("open", 0)}. None of the last two is in it.
   {without_place(reviews, release.keys) or "Every accepted question has a place."}

The only change to the texts: HTML was turned into Markdown.

## Licence and attribution
Each question belongs to its author and stands under CC BY-SA, by the day of the post: {deeds or "-"}.
`attribution.csv` names site, link, author and licence of each. Whoever passes a question on must do the same, mark
changes, and keep the licence.

## People in it
The texts are public posts with the authors' public names. They were not asked for this use; the licence permits it.

## Upkeep
This is version {release.version} of {release.manifest["date"]}; the one before is \
{release.manifest["previous"] or "none"}. A version never changes. A next one may follow when experts have checked
at least 20 % of the questions as solved; `CHANGELOG.md` names each question that came or went.
"""


def _by_site(questions: list[dict]) -> str:
    counts = Counter((row["category"] or "no category", row["site"]) for row in questions)
    lines = ["| category | site | questions |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {category} | {site} | {n} |" for (category, site), n in sorted(counts.items()))])


def _reasons(refused: Counter) -> str:
    return f" ({', '.join(f'{reason}: {n}' for reason, n in refused.most_common(5))})" if refused else ""
