"""Versioned releases of the dataset (UQ, H.5): a folder a version, which is written whole and never changed again.

<releases>/<version>/questions.jsonl, questions.parquet     UQ's public columns
                     attribution.csv                        author, link and licence of each question
                     diamond.csv                            the diamond subset
                     dev.jsonl                              held-out questions with their accepted answers
                     changes.csv, CHANGELOG.md              what this version adds and removes, and why
                     DATASHEET.md, release.json             how it was made; the digest of each file
"""

import json
import os
import re
import shutil
from collections import Counter
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from proctor.data.tabular import DataError, Wrong, problem, read
from proctor.files import as_written, digest, harmless
from proctor.uq.dataset import posts
from proctor.uq.dataset.posts import DEED, LICENCES, licence, to_markdown
from proctor.uq.dataset.review_queue import KEY, UNREAD, Quotas, choose, is_among, keys, without_place

PUBLIC = pa.schema(
    {
        "question_id": pa.int64(),
        "title": pa.string(),
        "body": pa.string(),  # Markdown
        "tags": pa.list_(pa.string()),
        "category": pa.string(),
        "site": pa.string(),
        "link": pa.string(),
        "comments": pa.list_(pa.string()),  # null: a dump's posts hold only their number
        "score": pa.int64(),
        "views": pa.int64(),
    }
)
TABLES = {"attribution": list(posts.COLUMNS), "diamond": KEY, "changes": [*KEY, "change", "reason"]}  # .csv: columns
FILES = ("questions.jsonl", "questions.parquet", "attribution.csv", "diamond.csv", "dev.jsonl", "changes.csv")
PAGES = ("CHANGELOG.md", "DATASHEET.md")
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)
SHARE = 20  # percent of the questions that experts must have checked as solved before a next version
PROPOSED = {  # what a later crawl shows of a question -> what is proposed
    "accepted answer": "replace",
    "answered": "check",
    "closed": "check",
    "not in the crawl": "check",  # deleted or moved; a list of unanswered questions lacks the answered ones too
    "site not crawled": "keep",
    "open": "keep",
}
PROPOSAL = [*KEY, "title", "link", "status", "proposal", "answers", "solved", "expert"]
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


class Release(NamedTuple):
    """A version as its folder holds it. questions, dev: rows of their files; attribution, changes, diamond: tables."""

    version: str
    manifest: dict
    questions: list[dict]
    attribution: pd.DataFrame
    diamond: pd.DataFrame
    dev: list[dict]
    changes: pd.DataFrame

    @property
    def keys(self) -> list[tuple[str, int]]:
        return keys(self.questions)

    @property
    def sizes(self) -> dict[str, int]:
        """How many questions there are, how many of them are diamond, and how many the dev set has."""
        return dict(questions=len(self.questions), diamond=len(self.diamond), dev=len(self.dev))


def public_rows(questions: pd.DataFrame, quotas: Quotas) -> list[dict]:
    """Questions of a pool in UQ's public columns."""
    return [
        dict(
            question_id=row.question_id,
            title=row.title,
            body=to_markdown(row.body),
            tags=list(row.tags),
            category=quotas.of(row.site)["category"],
            site=row.site,
            link=posts.link(row.site, row.question_id),
            comments=None if row.comments != 0 else [],
            score=row.score,
            views=None if pd.isna(row.views) else int(row.views),
        )
        for row in questions.itertuples()
    ]


def first_changes(reviews: pd.DataFrame, quotas: Quotas) -> pd.DataFrame:
    """What the first version adds: the accepted questions that have a place. Raises DataError when there is none."""
    chosen = choose(reviews, quotas)
    if not chosen["taken"].any():
        said = ", ".join(f"{n} {outcome}" for outcome, n in reviews["outcome"].value_counts().items())
        raise DataError(f"no question of the review is accepted ({said}). Fill in decision and reviewer, try again.")
    return _added(chosen[chosen["taken"]])


def propose(questions: pd.DataFrame, pool: str | Path) -> pd.DataFrame:
    """A row a question of a release, with its status in a later crawl and empty columns solved and expert (A.3, H.5).

    questions: with site, question_id, title and link. The proposal is no decision: an expert fills `solved`, and a
    question counts as solved only then.
    """
    import duckdb  # here, not above: the desk reads releases without it

    from proctor.uq.dataset.rules import named_errors, scan

    pool = Path(pool)
    with duckdb.connect() as engine, named_errors(pool):
        engine.register("released", questions[[*KEY, "title", "link"]].reset_index(names="place"))
        found = engine.execute(
            f"""SELECT released.* EXCLUDE (place), coalesce(answers, 0) AS answers, CASE
                WHEN site NOT IN (SELECT site FROM {scan(pool)}) THEN 'site not crawled'
                WHEN crawled.question_id IS NULL THEN 'not in the crawl'
                WHEN accepted_answer_id IS NOT NULL THEN 'accepted answer'
                WHEN answers > 0 THEN 'answered'
                WHEN closed IS NOT NULL THEN 'closed' ELSE 'open' END AS status
            FROM released LEFT JOIN {scan(pool)} crawled USING (site, question_id) ORDER BY place"""
        ).df()
    absent = found["status"].isin(["site not crawled", "not in the crawl"])
    answers = found["answers"].astype(object).mask(absent, "")
    found = found.assign(proposal=found["status"].map(PROPOSED), answers=answers, solved="", expert="")[PROPOSAL]
    order = {status: place for place, status in enumerate(PROPOSED)}
    return found.sort_values("status", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def read_proposal(path: str | Path, questions: set[tuple[str, int]]) -> pd.DataFrame:
    """The questions that an expert called solved, with site, question_id, status and expert.

    Raises DataError, with file and row: a question that is not released or stands twice, or that no expert signed.
    """

    def record(row: dict) -> tuple:
        if missing := [name for name in (*KEY, "status", "solved", "expert") if name not in row]:
            raise DataError(problem(Path(path), 1, missing[0], "not there", "Give a file that `next-version` wrote"))
        row = {name: str(value).strip() for name, value in row.items()}
        number = row["question_id"]
        key = row["site"], int(number) if number.isascii() and number.isdigit() else -1
        if key not in questions:
            raise Wrong("question_id", f"{row['site'][:40]} {number[:20]} is not in the release", "Remove the row")
        if row["solved"] not in ("", "yes", "no"):
            raise Wrong("solved", f"{row['solved'][:20]!r}", "Write yes or no, or leave it empty")
        if row["solved"] == "yes" and not row["expert"]:
            raise Wrong("expert", "solved, but checked by no one", "Name the expert who checked it")
        return (*key, row["status"], row["expert"], row["solved"])

    once = ("question_id", lambda row: f"{row[0]} {row[1]}", "question", "Remove one of them")
    found = pd.DataFrame(read(path, record, once=once), columns=[*KEY, "status", "expert", "solved"])
    return found[found.pop("solved") == "yes"].reset_index(drop=True)


def next_changes(reviews: pd.DataFrame, solved: pd.DataFrame, earlier: list[Release], early: bool) -> pd.DataFrame:
    """What a next version removes, the solved questions, and adds: for each an accepted one of its site, if there is.

    reviews: of a queue on a later crawl. No question that an earlier release held comes back. Raises DataError when the
    version is not due (fewer than 20 % solved) unless `early`, and when there is nothing to remove.
    """
    last = earlier[-1]
    if solved.empty:
        raise DataError(f"version {last.version}: no question is marked as solved. There is nothing to replace.")
    if not early and 100 * len(solved) < SHARE * len(last.questions):
        raise DataError(
            f"version {last.version}: {len(solved)} of {len(last.questions)} questions are solved "
            f"({100 * len(solved) / len(last.questions):.1f} %), a next version is due at {SHARE} %. "
            "Wait, or give --early."
        )
    held = {key for release in earlier for key in release.keys}
    accepted = reviews[reviews["outcome"] == "accept"].sort_values(["site", "place"])
    accepted = accepted[~is_among(accepted, held)]
    wanted = solved["site"].value_counts().to_dict()
    nth = accepted.groupby("site").cumcount()
    fresh = accepted[nth < pd.Series([wanted.get(site, 0) for site in accepted["site"]], accepted.index, dtype=int)]
    removed = solved.assign(change="removed", reason=[f"solved ({r.status}; {r.expert})" for r in solved.itertuples()])
    return pd.concat([removed[TABLES["changes"]], _added(fresh)], ignore_index=True)


def _added(chosen: pd.DataFrame) -> pd.DataFrame:
    reasons = [row.way + (f": {row.reason}" if row.reason else "") for row in chosen.itertuples()]
    return chosen.assign(change="added", reason=reasons)[TABLES["changes"]].reset_index(drop=True)


def write_release(
    folder: str | Path,
    version: str,
    kept: pd.DataFrame,
    reviews: pd.DataFrame,
    changes: pd.DataFrame,
    quotas: Quotas,
    dev: pd.DataFrame | None = None,
    on: date | None = None,
) -> Path:
    """Write the version that `changes` makes of the one before, the newest in `folder`; its own folder.

    kept: the questions that `changes` adds, with the columns of a pool. dev: of `development_set`; without it the dev
    set of the version before stays. Raises DataError when the version is there, is no later one, or would hold a
    question twice or one of the dev set.
    """
    folder, earlier = Path(folder), read_releases(folder)
    tables = {name: pd.DataFrame(columns=columns) for name, columns in TABLES.items()}
    last = earlier[-1] if earlier else Release("0", {}, [], **tables, dev=[])
    checked_version(version)
    if earlier and order(version) <= order(last.version):
        raise DataError(f"{folder}: version {last.version} is there. Give a later one than that.")
    fresh, gone = _fresh(kept, changes), set(keys(changes[changes["change"] == "removed"]))
    stay = [row for row, key in zip(last.questions, last.keys) if key not in gone]
    rows = sorted([*stay, *public_rows(fresh, quotas)], key=_key)
    left = set(keys(rows))
    credits = pd.concat([*([last.attribution] if earlier else []), posts.attributions(fresh)], ignore_index=True)
    confirmed = set(keys(reviews[reviews["diamond"].astype(bool)])) & set(keys(fresh))
    held_out = last.dev if dev is None else _dev_rows(dev, quotas)
    if twice := left & set(keys(held_out)):
        site, number = min(twice)
        raise DataError(f"question {number} of {site} is in the dev set too. Draw the dev set from answered questions.")
    release = Release(
        version,
        dict(version=version, previous=last.version if earlier else None, date=(on or date.today()).isoformat()),
        rows,
        credits[is_among(credits, left)].sort_values(KEY).reset_index(drop=True),
        pd.DataFrame(sorted((set(keys(last.diamond)) | confirmed) & left), columns=KEY),
        held_out,
        changes.sort_values(["change", *KEY]).reset_index(drop=True),
    )
    return _write(folder, release, reviews, earlier)


def _key(row: dict) -> tuple[str, int]:
    return row["site"], row["question_id"]


def _fresh(kept: pd.DataFrame, changes: pd.DataFrame) -> pd.DataFrame:
    """The added questions as `kept` holds them, each once."""
    fresh = changes.loc[changes["change"] == "added", KEY].merge(kept, on=KEY, how="left", indicator=True)
    if missing := keys(fresh[fresh["_merge"] == "left_only"]):
        raise DataError(f"question {missing[0][1]} of {missing[0][0]}: reviewed, but not among the kept questions.")
    if twice := keys(fresh[fresh.duplicated(KEY)]):
        raise DataError(f"question {twice[0][1]} of {twice[0][0]} is there twice. Give each question once.")
    return fresh


def _dev_rows(dev: pd.DataFrame, quotas: Quotas) -> list[dict]:
    """The dev set's rows: the public columns, the answer, and whose both are."""
    rows = []
    for public, row in zip(public_rows(dev, quotas), dev.itertuples()):
        own = posts.credit(row.site, row.owner_id, row.owner_name, row.created, row.licence)
        whose = (row.answer_owner_id, row.answer_owner_name, row.answered, row.answer_licence)
        theirs = {f"answer_{name}": value for name, value in posts.credit(row.site, *whose).items()}
        rows.append(public | dict(answer_id=row.answer_id, answer=to_markdown(row.answer)) | own | theirs)
    return sorted(rows, key=_key)


def _write(folder: Path, release: Release, reviews: pd.DataFrame, earlier: list[Release]) -> Path:
    """All files beside the place, then a rename: a version is there whole or not at all."""
    beside, target = folder / f".{release.version}.{os.getpid()}", folder / release.version
    before = (folder / earlier[-1].version / "CHANGELOG.md").read_text(encoding="utf-8") if earlier else ""
    texts = {f"{name}.csv": getattr(release, name).map(harmless).to_csv(index=False) for name in TABLES}
    for name in ("questions", "dev"):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in getattr(release, name)]
        texts[f"{name}.jsonl"] = "".join(lines)
    texts |= _pages(release, reviews, before)
    try:
        beside.mkdir(parents=True)
        for name, text in texts.items():
            (beside / name).write_bytes(text.encode())
        pq.write_table(pa.Table.from_pylist(release.questions, schema=PUBLIC), beside / "questions.parquet")
        digests = {name: digest(beside / name) for name in (*FILES, *PAGES)}
        manifest = release.manifest | release.sizes | dict(files=digests)
        (beside / "release.json").write_text(json.dumps(manifest, indent=2) + "\n")
        os.rename(beside, target)
    except OSError as error:
        raise DataError(f"{target}: could not be written ({error.strerror}). Nothing was changed: fix it.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return target


def _pages(release: Release, reviews: pd.DataFrame, before: str) -> dict[str, str]:
    """The changelog up to this version, the newest on top (before: that of the version before), and a datasheet."""
    changes, outcomes = release.changes, reviews["outcome"]
    sites = Counter((row["category"] or "no category", row["site"]) for row in release.questions)
    facts = release._asdict() | dict(
        older=before.removeprefix("# Changelog\n\n"),
        date=release.manifest["date"],
        previous=release.manifest["previous"],
        changes={name: list(changes[changes["change"] == name].itertuples()) for name in ("removed", "added")},
        columns=PUBLIC.names,
        sites=[(*names, count) for names, count in sorted(sites.items())],
        days=sorted(release.attribution["posted"]) or ["-"],
        licences=sorted(Counter(release.attribution["licence"]).items()),
        deed=DEED,
        queued=len(reviews),
        unread=(reviews["way"] == UNREAD).sum(),
        outcomes={name: (outcomes == name).sum() for name in ("accept", "reject", "split", "open")},
        refused=Counter(reviews.loc[outcomes == "reject", "reason"]).most_common(5),
        left_out=without_place(reviews, release.keys),
    )
    return {page: TEMPLATES.get_template(page.lower()).render(facts) for page in PAGES}


def checked_version(version: str) -> str:
    if not _VERSION.fullmatch(version):
        raise DataError(f"version {version!r}: not a version. Write numbers and points, such as 1 or 1.2.")
    return version


def order(version: str) -> tuple[int, ...]:
    """What versions are sorted by.

    >>> sorted(["10", "2", "1.1"], key=order)
    ['1.1', '2', '10']
    """
    return tuple(map(int, version.split(".")))


def versions(folder: str | Path) -> list[str]:
    """The versions in a folder of releases, the first one first."""
    found = (path.name for path in Path(folder).glob("*") if path.is_dir() and _VERSION.fullmatch(path.name))
    return sorted(found, key=order)


def read_releases(folder: str | Path) -> list[Release]:
    """All versions of a folder, the first one first. Raises DataError where one can't be read."""
    return [read_release(Path(folder) / version) for version in versions(folder)]


def read_release(folder: str | Path) -> Release:
    """One version. Raises DataError naming the file that can't be read; `check_releases` checks what the files say."""
    folder, tables = Path(folder), {}
    path = folder / "release.json"
    try:
        manifest = json.loads(path.read_bytes())
        if not isinstance(manifest["files"], dict):
            raise ValueError("files is no object")
        for name, columns in TABLES.items():
            path = folder / f"{name}.csv"
            table = pd.read_csv(path, dtype=str, keep_default_na=False)[columns]  # an author may be called 007, or NA
            tables[name] = table.map(as_written).astype({"question_id": "int64"})
    except (OSError, ValueError, LookupError, TypeError) as error:
        told = " ".join(str(error).split())[:200]
        raise DataError(f"{path}: not as `release` wrote it ({told}). Take the release anew.") from None
    rows = {name: read(folder / f"{name}.jsonl", _whole) for name in ("questions", "dev")}
    return Release(folder.name, manifest, **rows, **tables)


def _whole(row: dict) -> dict:
    if missing := [name for name in PUBLIC.names if name not in row]:
        raise Wrong(missing[0], "not there", "Take the release anew")
    return row


def check_releases(folder: str | Path) -> list[str]:
    """What is wrong with the releases of a folder, in words; [] if nothing: each is as it was written, and from one to
    the next no question is lost, doubled or comes back. Raises DataError when there is none."""
    folder, problems = Path(folder), []
    if not versions(folder):
        raise DataError(f"{folder}: no release there. Give the folder that holds the versions.")
    before, ever, previous = set[tuple[str, int]](), set[tuple[str, int]](), None
    for version in versions(folder):
        path = folder / version
        try:
            release = read_release(path)
        except DataError as error:
            return [*problems, str(error)]  # what follows rests on it
        said, counted = release.manifest, release.sizes | dict(previous=previous)
        told = [
            f"{name}: not the file that was released"
            for name in (*FILES, *PAGES)
            if not (path / name).is_file() or digest(path / name) != said["files"].get(name)
        ]
        told += [
            f"release.json: {name} is said to be {said.get(name)}, and is {value}"
            for name, value in counted.items()
            if said.get(name) != value
        ]
        now, dev = Counter(release.keys), set(keys(release.dev))
        added, removed = (
            set(keys(release.changes[release.changes["change"] == change])) for change in ("added", "removed")
        )
        due = before - removed | added
        credited = set(keys(release.attribution))
        rows = release.attribution.itertuples()
        unlicensed = {(row.site, row.question_id) for row in rows if not _licensed(row.posted, row.licence)}
        for file, what, questions in (
            ("questions.jsonl", "stands there more than once", {key for key, n in now.items() if n > 1}),
            ("questions.jsonl", "is lost: no change removes it", due - now.keys()),
            ("questions.jsonl", "came with no change", now.keys() - due),
            ("changes.csv", "was in an earlier version already", added & ever),
            ("dev.jsonl", "is in questions.jsonl too", dev & now.keys()),
            ("attribution.csv", "is in one of this and questions.jsonl alone", now.keys() ^ credited),
            ("attribution.csv", "stands under another licence than on its day", unlicensed),
        ):
            told += [f"{file}: question {number} of {site} {what}" for site, number in sorted(questions)]
        problems += [f"{path}/{one}" for one in told]
        before, ever, previous = set(now), ever | set(now), version
    return problems


def _licensed(posted: str, name: str) -> bool:
    """Whether a post of that day can stand under that licence: an edit may have brought a later one."""
    try:
        return name in dict(LICENCES).values() and name >= licence(date.fromisoformat(posted))
    except ValueError:
        return False
