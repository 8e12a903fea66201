"""What the tests of this folder share: a pool of generated questions, and the path from dumps to two releases."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest
from proctor import cli
from proctor.paths import ROOT
from proctor.uq.dataset.generate_dump import SITES, make_posts, make_questions, write_dump, write_dumps
from proctor.uq.dataset.pool import ingest_dump


@pytest.fixture(scope="session")
def coffee():
    """The dump of a real site, in the folder PROCTOR_SHARED or in ../shared."""
    given = os.environ.get("PROCTOR_SHARED")
    places = [Path(given)] if given else [up / "shared" for up in ROOT.parents[:2]]
    found = [place / "data/coffee_posts.xml" for place in places if (place / "data/coffee_posts.xml").is_file()]
    return found[0] if found else pytest.skip("needs ../shared/data/coffee_posts.xml")


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """(pool with answers, planted copies) of 400 questions a site, two sites, a tenth of the second copied from the first."""
    folder = tmp_path_factory.mktemp("generated")
    planted = write_dumps(folder / "dumps", 400, 5, SITES[:2], copies=0.1)
    for site in SITES[:2]:
        assert ingest_dump(folder / "dumps" / site.name / "Posts.xml", site.name, folder / "pool", True).rejected == 0
    return folder / "pool", planted


@pytest.fixture(scope="session")
def two_versions(tmp_path_factory):
    """A folder of two sound versions, made through the commands: 12 questions, then 3 of them replaced."""
    return release_twice(tmp_path_factory.mktemp("releases"))


RULES = "min_age_years: 0, min_views: 0, min_votes: 0, max_views_per_vote: 1000000, top_percent: 100, tag_match: whole"
QUOTAS = "category: Science, top: 2, min_votes: null, reviewed: 4, order: votes, spare: 4, diamond_votes: 9, diamond_views: 1"
NAMES = ("cs", "math")


def run(*arguments, code: int = 0) -> None:
    """A command of `dataset`, which ends with this exit code."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["dataset", *map(str, arguments)])
    assert (ended.value.code or 0) == code, arguments


def dump(path: Path, site: str, answered=(), later: bool = False) -> None:
    """The posts of a site, the last ones only `later`; those of `answered` have got an accepted answer since."""
    posts = []
    for post in make_posts(make_questions(200, NAMES.index(site))):
        if post["PostTypeId"] == "1" and int(post["Id"]) in answered:
            post |= {"AnswerCount": "1", "AcceptedAnswerId": "999999"}
        posts.append(post)
    write_dump(path, posts if later else posts[:-40])


def settings(folder: Path) -> tuple[Path, Path]:
    rules, quotas = folder / "rules.yaml", folder / "quotas.yaml"
    rules.write_text(f"default: {{{RULES}, off_topic_tags: [homework]}}")
    quotas.write_text(f"default: {{{QUOTAS}}}\nsites: {{}}")
    return rules, quotas


def review(folder: Path, reject=lambda row: row["place"] % 4 == 3) -> Path:
    """Fill a sheet in: every question that `reject` does not name is accepted, every diamond candidate confirmed."""
    path = folder / "review.csv"
    sheet = pd.read_csv(path, keep_default_na=False, dtype=str).assign(reviewer="A")
    bad = pd.to_numeric(sheet["place"]).to_frame("place").apply(reject, axis=1)
    sheet["decision"], sheet["reason"] = bad.map({True: "reject", False: "accept"}), bad.map({True: "vague", False: ""})
    sheet["diamond"] = sheet["diamond_candidate"]
    sheet.to_csv(path, index=False)
    return path


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def release_twice(folder: Path) -> Path:
    """Dump, rules, verdicts of a made-up LLM filter, queue, review, version 1; a later crawl, version 2."""
    rules, quotas = settings(folder)
    releases = folder / "releases"
    for site in NAMES:
        dump(folder / f"{site}.xml", site)
        run("ingest", folder / f"{site}.xml", "--site", site, "--pool", folder / "pool", "--answers")
    run("filter", "--pool", folder / "pool", "--rules", rules, "--out", folder / "kept")
    kept = pd.read_parquet(folder / "kept/kept.parquet")
    words = ["keep", "keep", "drop", "keep", "undecided"]
    verdicts = kept[["site", "question_id"]].assign(outcome=[words[n % 5] for n in kept["question_id"]])
    verdicts.to_json(folder / "verdicts.jsonl", orient="records", lines=True)
    queue = ("queue", "--quotas", quotas, "--released", releases)
    run(*queue, folder / "kept/kept.parquet", "--verdicts", folder / "verdicts.jsonl", "--out", folder / "review")
    release = ("release", "--quotas", quotas, "--out", releases)
    first = ("--kept", folder / "kept/kept.parquet", "--review", review(folder / "review"), "--version", "1")
    run(*release, *first, "--pool", folder / "pool", "--rules", rules, "--dev", "5", "--date", "2025-01-01")

    one = rows(releases / "1/questions.jsonl")
    solved = {("cs", one[0]["question_id"]), ("cs", one[1]["question_id"]), ("math", one[-1]["question_id"])}
    for site in NAMES:
        dump(folder / f"{site}.xml", site, {number for s, number in solved if s == site}, later=True)
        run("ingest", folder / f"{site}.xml", "--site", site, "--pool", folder / "later", "--answers")
    run("next-version", releases, "--pool", folder / "later", "--out", folder / "proposal.csv")
    proposal = pd.read_csv(folder / "proposal.csv", keep_default_na=False)
    assert set(zip(*proposal.loc[proposal["proposal"] == "replace", ["site", "question_id"]].values.T)) == solved
    yes = proposal["proposal"] == "replace"
    proposal.assign(solved=yes.map({True: "yes", False: ""}), expert="B").to_csv(folder / "solved.csv", index=False)
    run("filter", "--pool", folder / "later", "--rules", rules, "--out", folder / "kept2")
    run(*queue, folder / "kept2/kept.parquet", "--out", folder / "review2")
    second = ("--kept", folder / "kept2/kept.parquet", "--review", review(folder / "review2"), "--version", "2")
    run(*release, *second, "--solved", folder / "solved.csv", "--date", "2026-01-01")
    run("check-release", releases)
    return releases


@pytest.fixture(scope="session")
def fill_in():
    """`fill_in(folder)`: its review.csv, filled in by a reviewer."""
    return review


@pytest.fixture(scope="session")
def dataset():
    """`dataset(*arguments, code=0)`: a command, which ends with this exit code."""
    return run
