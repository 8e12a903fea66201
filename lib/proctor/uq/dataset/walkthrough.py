"""From made-up dumps to two versions of a release (UQ, A.1, A.3 and H.3 to H.5).

Rules, queue, review, diamond subset, dev set, versions and their check are those that the commands run. Posts, judge,
reviewers, experts and what becomes of the questions are drawn, each from the question's own number and the seed: what
is counted here shows how the parts work together, and says nothing of real questions.
"""

from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from proctor.uq.dataset.attribution import LICENCES
from proctor.uq.dataset.dev_set import SIZE, development_set
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.generate_dump import write_later_dump
from proctor.uq.dataset.llm_filter import CHANCES, CRITERIA, REPEATS, YES_NO, decide
from proctor.uq.dataset.near_duplicates import find_duplicates
from proctor.uq.dataset.next_version import propose, read_proposal
from proctor.uq.dataset.release import (
    Release,
    first_changes,
    next_changes,
    read_releases,
    write_release,
)
from proctor.uq.dataset.review_queue import KEY, Quotas, build_queue, draw, read_reviews, write_queue
from proctor.uq.dataset.rule_findings import RuleReport, Source, apply_rules, open_source
from proctor.uq.dataset.rules import load_rules

MEANS = {"correctness": 51.2, "solvability": 77.8}  # of the made-up judge's chances: UQ's before the filter (A.2)
SPREAD, NOISE = 30, 8  # of these chances: between questions, between replies
YES = 0.95  # chance that a question meets a yes/no criterion
GOOD, SLIP = 0.75, 0.06  # chance that a question is good; that a reviewer says the opposite
BAD = ("opinion", "several questions", "known result")
REVIEWERS = ("A", "B")
FATES = {"accepted answer": 0.25, "answered": 0.15, "closed": 0.05, "deleted": 0.05}  # what becomes of a question
RIGHT = {"accepted answer": 0.95, "answered": 0.3}  # chance that an expert calls it solved
DATES = (date(2025, 1, 1), date(2026, 1, 1))  # of the two versions
QUOTAS = Quotas(  # the four ways of H.3: the top by votes, all from so many votes on, read by votes, read at random
    dict(category="", top=0, min_votes=None, reviewed=5, order="votes", spare=2, diamond_votes=12, diamond_views=2000),
    {
        "proofs": dict(category="Science", top=12, reviewed=0),
        "circuits": dict(category="Technology", min_votes=12, reviewed=2),
        "stories": dict(category="Life & Arts"),
        "harvest": dict(category="Science", order="random"),
    },
)


class Crawl(NamedTuple):
    """One crawl's way to the reviewed questions. verdicts: the judge's; duplicates: pairs shown to the reviewers."""

    report: RuleReport
    kept: pd.DataFrame
    verdicts: pd.DataFrame
    duplicates: pd.DataFrame
    queue: pd.DataFrame
    reviews: pd.DataFrame


class Walk(NamedTuple):
    """Two crawls, the releases made of them, and what an expert said of the first one's questions."""

    first: Crawl
    second: Crawl
    folder: Path
    releases: list[Release]
    proposal: pd.DataFrame


def walk(questions: int, seed: int, dev: int = SIZE) -> Walk:
    """Dumps of four made-up sites with `questions` questions each, version 1, a later crawl, version 2."""
    source, rules = open_source("", "", questions, 0.02, seed, answers=True), load_rules()
    folder = source.pool.parent / "releases"
    first = _crawl(source, folder, seed, "first")
    held_out = development_set(source.pool, rules, first.report.as_of, dev, seed)
    changes = first_changes(first.reviews, QUOTAS)
    write_release(folder, "1", first.kept, first.reviews, changes, QUOTAS, held_out, DATES[0])

    [one] = read_releases(folder)
    later = source._replace(pool=_later_pool(source, one, seed))
    proposal = propose(pd.DataFrame(one.questions), later.pool)
    signed = signed_proposal(proposal, seed)
    signed.to_csv(folder.parent / "solved.csv", index=False)
    solved = read_proposal(folder.parent / "solved.csv", set(one.keys))
    second = _crawl(later, folder, seed, "second")
    changes = next_changes(second.reviews, solved, [one], early=True)
    write_release(folder, "2", second.kept, second.reviews, changes, QUOTAS, None, DATES[1])
    return Walk(first, second, folder, read_releases(folder), signed)


def _crawl(source: Source, releases: Path, seed: int, name: str) -> Crawl:
    report = apply_rules(source, load_rules())
    kept, place = pd.read_parquet(report.kept_file), releases.parent / name
    verdicts = made_up_verdicts(kept, seed)
    duplicates = find_duplicates(report.kept_file, source.pool)
    released = [key for release in read_releases(releases) for key in release.keys]
    queue = build_queue(kept, QUOTAS, seed, verdicts, released, duplicates)
    write_queue(place, queue, kept)
    sheets = [made_up_sheet(queue, reviewer, seed) for reviewer in REVIEWERS]
    for sheet, path in zip(sheets, paths := [place / f"{reviewer}.csv" for reviewer in REVIEWERS]):
        sheet.to_csv(path, index=False)
    return Crawl(report, kept, verdicts, duplicates, queue, read_reviews(paths))


def _later_pool(source: Source, release: Release, seed: int) -> Path:
    """The pool of a later crawl, in which some of the released questions are answered, closed or deleted."""
    dumps, pool = source.pool.parent / "dumps", source.pool.parent / "later"
    fates = {key: _one_of(_rng(seed, 3, *key), FATES) for key in release.keys}
    for dump in sorted(dumps.glob("*/Posts.xml")):
        site = dump.parent.name
        found = {number: fate for (its_site, number), fate in fates.items() if its_site == site}
        ingest_dump(write_later_dump(dump.with_name("Later.xml"), dump, found), site, pool)
    return pool


def made_up_verdicts(kept: pd.DataFrame, seed: int) -> pd.DataFrame:
    """What a made-up judge replies to each question, and what follows (`llm_filter.decide`): the filter's columns."""
    rows = []
    for key in zip(kept["site"], kept["question_id"]):
        rng = _rng(seed, 1, *key)
        replies: dict[str, list] = {}
        easy = SPREAD * rng.standard_normal()
        for name in CHANCES:
            chance = MEANS[name] + easy + NOISE * rng.standard_normal(REPEATS)
            replies[name] = np.clip(chance, 0, 100).round().astype(int).tolist()
        for name in YES_NO:
            replies[name] = [bool(rng.random() < YES)] * REPEATS
        rows.append((*key, *decide(replies), *(replies[name] for name in CRITERIA)))
    return pd.DataFrame(rows, columns=[*KEY, "outcome", "failed_on", "missing_on", *CRITERIA])


def made_up_sheet(queue: pd.DataFrame, reviewer: str, seed: int) -> pd.DataFrame:
    """A queue as a made-up reviewer fills it in: good questions are accepted but for slips, candidates confirmed.

    Of questions taken by votes only the bad ones are objected to. Whether a question is good is the same for all.
    """
    decisions = []
    for row in queue.itertuples():
        rng, own = _rng(seed, 2, row.site, row.question_id), _rng(seed, ord(reviewer), row.site, row.question_id)
        good = (rng.random() < GOOD) != (own.random() < SLIP)
        decisions.append(("accept", "") if good else ("reject", BAD[rng.integers(len(BAD))]))
    filled = queue.assign(reviewer=reviewer, diamond=queue["diamond_candidate"])
    return filled.assign(decision=[said for said, _ in decisions], reason=[why for _, why in decisions])


def signed_proposal(proposal: pd.DataFrame, seed: int) -> pd.DataFrame:
    """A proposal as a made-up expert fills it in: of the questions with an answer, which are solved."""
    solved = [
        _rng(seed, 4, row.site, row.question_id).random() < RIGHT.get(row.status, 0) for row in proposal.itertuples()
    ]
    return proposal.assign(solved=["yes" if each else "" for each in solved], expert="C")


def _rng(seed: int, what: int, site: str, question_id: int) -> np.random.Generator:
    return np.random.default_rng([what, draw(seed, site, question_id)])


def _one_of(rng: np.random.Generator, chances: dict[str, float]) -> str:
    """A word by its chance; "" for the rest."""
    return str(rng.choice([*chances, ""], p=[*chances.values(), 1 - sum(chances.values())]))


def stages(found: Walk) -> pd.DataFrame:
    """Questions left after each stage of the first crawl, who decides, and the share of the stage before in percent."""
    first, one = found.first, found.releases[0]
    counts = {
        "raw": ("made-up posts", first.report.raw),
        "after rules": ("the nine rules", first.report.kept),
        "after LLM judges": ("a made-up judge", int((first.verdicts["outcome"] == "keep").sum())),
        "in the review queue": ("quotas by site", len(first.queue)),
        "after human review": ("two made-up reviewers", len(one.questions)),
        "diamond subset": ("thresholds and reviewers", len(one.diamond)),
    }
    table = pd.DataFrame(
        [(stage, *rest) for stage, rest in counts.items()], columns=["stage", "decided_by", "questions"]
    )
    return table.assign(of_previous=100 * table["questions"] / table["questions"].shift())


def is_nested(found: Walk) -> bool:
    """Whether each stage of both crawls took only questions that the stage before it left."""
    held: list[tuple[str, int]] = []
    for crawl, release in zip((found.first, found.second), found.releases):
        kept, queued, accepted = (
            set(zip(table["site"], table["question_id"]))
            for table in (
                crawl.verdicts[crawl.verdicts["outcome"] == "keep"],
                crawl.queue,
                crawl.reviews[crawl.reviews["outcome"] == "accept"],
            )
        )
        passed = set(zip(crawl.kept["site"], crawl.kept["question_id"]))
        if not set(release.keys) - set(held) <= accepted <= queued <= kept <= passed or queued & set(held):
            return False
        held += release.keys
    return True


def review_by_site(found: Crawl, release: Release) -> pd.DataFrame:
    """By site: the questions taken by votes and those to be read, what the reviewers said, and what was released."""
    table = found.reviews.merge(found.queue[[*KEY, "diamond_candidate"]], on=KEY)
    rows = []
    for site, group in table.groupby("site"):
        ways, outcomes = group["way"].value_counts(), group["outcome"].value_counts()
        candidates = int((group["diamond_candidate"] == "yes").sum())
        taken = sum(site == name for name, _ in release.keys)
        diamond = int((release.diamond["site"] == site).sum())
        told = (outcomes.get(name, 0) for name in ("accept", "reject", "split"))
        rows.append((site, ways.get("by votes", 0), ways.get("to review", 0), *told, taken, candidates, diamond))
    names = ["site", "by_votes", "to_review", "accept", "reject", "split", "released", "diamond_candidates", "diamond"]
    return pd.DataFrame(rows, columns=names)


def licences(release: Release) -> pd.DataFrame:
    """By licence: from which day it holds, the questions under it, and the days of the first and last of them."""
    rows = []
    for since, name in reversed(LICENCES):
        posted = release.attributions.loc[release.attributions["licence"] == name, "posted"]
        holds_from = "" if since == date.min else since.isoformat()
        ends = (posted.min(), posted.max()) if len(posted) else ("", "")
        rows.append((name, holds_from, len(posted), *ends))
    return pd.DataFrame(rows, columns=["licence", "holds_from", "questions", "first_post", "last_post"])


def version_table(found: Walk) -> pd.DataFrame:
    """By version: its day, the questions in it, those added and removed, diamond and dev set."""
    rows = []
    for release in found.releases:
        changed = release.changes["change"].value_counts()
        counts = (changed.get("added", 0), changed.get("removed", 0), len(release.diamond), len(release.dev))
        rows.append((release.version, release.manifest["date"], len(release.questions), *counts))
    return pd.DataFrame(rows, columns=["version", "date", "questions", "added", "removed", "diamond", "dev_set"])


def later_statuses(found: Walk) -> pd.DataFrame:
    """What the later crawl shows of version 1's questions, what is proposed, and how many an expert called solved."""
    solved = (found.proposal["solved"] == "yes").rename("solved")
    table = found.proposal[["status", "proposal"]].assign(questions=1, solved=solved.astype(int))
    return table.groupby(["status", "proposal"], sort=False, as_index=False).sum()
