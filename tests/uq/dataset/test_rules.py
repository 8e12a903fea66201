"""UQ's rules by the engine, against counts made question by question in plain Python."""

import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import date, datetime
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import rules
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.pool import writing
from proctor.uq.dataset.rules import (
    RULES,
    Filter,
    by_rule,
    by_site,
    development_set,
    kept,
    least_votes,
    load_rules,
    scan,
)

REAL = Path("/work/shared/data/coffee_posts.xml")
POST = dict(
    score=50, views=5000, answers=0, tags=["algebra"], title="How so?", body="<p>b</p>", created=datetime(2012, 1, 1)
)


def brute_force(questions: list[dict], limits, as_of: date) -> dict[int, set[str]]:
    """id -> failed rules, by the words of appendix H.2."""
    failed = {}
    for q in questions:
        own = limits.of(q["site"])
        unanswered = sorted(
            (p["score"] for p in questions if p["site"] == q["site"] and p["answers"] == 0), reverse=True
        )
        share = math.ceil(len(unanswered) * own["top_percent"] / 100 - 1e-9)
        whole, part = own["off_topic_tags"], own["tag_match"] == "substring"
        bad_tag = any(word in tag if part else word == tag for tag in q["tags"] for word in whole)
        old = q["created"].date() <= as_of.replace(year=as_of.year - own["min_age_years"])
        kept = dict(
            age=old,
            views=q["views"] is not None and q["views"] >= own["min_views"],
            votes=q["score"] >= own["min_votes"],
            views_per_vote=q["score"] > 0
            and q["views"] is not None
            and q["views"] / q["score"] <= own["max_views_per_vote"],
            top_share=own["top_percent"] == 100 or bool(unanswered) and q["score"] >= unanswered[share - 1],
            no_answers=q["answers"] == 0,
            no_why=not re.search(r"\bwhy\b", q["title"], re.IGNORECASE | re.ASCII),
            no_images="<img" not in q["body"],
            on_topic=not bad_tag,
        )
        failed[q["site"], q["question_id"]] = {name for name, passed in kept.items() if not passed}
    return failed


def decided(source, limits, as_of, folder, **how) -> dict:
    with Filter(source, limits, as_of, **how) as found:
        found.write(folder)
        outcomes = found.outcomes()
    table = pd.read_parquet(folder / "decisions.parquet")
    failed = {(row.site, row.question_id): set(row.failed) for row in table.itertuples()}
    kept = pd.read_parquet(folder / "kept.parquet")
    assert set(zip(kept["site"], kept["question_id"])) == {name for name, wrong in failed.items() if not wrong}
    counts = by_rule(outcomes).set_index("rule")["failed"].to_dict()
    assert counts == {name: sum(name in f for f in failed.values()) for name in RULES}
    return failed


def pool_of(folder, posts: list[dict]) -> Path:
    with writing(folder, "math") as writer:
        rows = [POST | post for post in posts]
        writer.add("questions", [
            (i, p["title"], p["body"], p["body"].count("<img"), p["tags"], p["score"], p["views"], p["answers"], 0, None, p["created"], *[None] * 5)
            for i, p in enumerate(rows)
        ])  # fmt: skip
    return folder


@pytest.mark.parametrize("variant", [None, "public_code"])
def test_every_question_knows_the_rules_it_failed(generated, tmp_path, variant):
    pool, _ = generated
    questions = duckdb.execute(f"SELECT * FROM {scan(pool)}").df().replace({float("nan"): None}).to_dict("records")
    limits, as_of = load_rules(variant=variant), date(2024, 10, 13)
    if variant is None:
        limits = limits._replace(sites={"circuits": dict(min_views=900, min_votes=9, top_percent=20)})
    assert decided(pool, limits, as_of, tmp_path) == brute_force(questions, limits, as_of)


@pytest.mark.skipif(not REAL.is_file(), reason="the real dump is not here")
@pytest.mark.parametrize("settings", [{}, dict(min_views=20, min_votes=2, top_percent=50, off_topic_tags=["storage"])])
def test_counts_on_the_real_dump_are_those_of_brute_force(tmp_path, settings):
    ingest_dump(REAL, "coffee", tmp_path / "pool")
    questions = []
    for e in ET.parse(REAL).getroot():
        if e.get("PostTypeId") == "1":
            questions.append(dict(
                site="coffee", question_id=int(e.get("Id")), title=e.get("Title"), body=e.get("Body"),
                tags=re.findall("<([^>]+)>", e.get("Tags")), score=int(e.get("Score")), views=int(e.get("ViewCount")),
                answers=int(e.get("AnswerCount")), created=datetime.fromisoformat(e.get("CreationDate")),
            ))  # fmt: skip
    limits = load_rules().but(**settings)
    for as_of in (date(2017, 2, 14), date(2026, 1, 1)):
        found = decided(tmp_path / "pool", limits, as_of, tmp_path / str(as_of))
        assert found == brute_force(questions, limits, as_of)
    counts = Counter(name for failed in found.values() for name in failed)
    assert len(found) == 225 and counts["no_answers"] == 212


def test_sites_one_by_one_and_json_lines_give_the_same(generated, tmp_path):
    pool, _ = generated
    with Filter(pool) as found:
        together = found.outcomes()
    apart = []
    for site in ("proofs", "circuits"):
        with Filter(pool, sites=[site]) as found:
            apart.append(found.outcomes())
    pd.testing.assert_frame_equal(together, pd.concat(apart).sort_values(["site", "failed"]).reset_index(drop=True))
    lines = tmp_path / "q.jsonl"
    duckdb.execute(f"COPY (SELECT * FROM {scan(pool)}) TO '{lines}' (FORMAT json)")
    with Filter(lines) as found:
        pd.testing.assert_frame_equal(together, found.outcomes())


@pytest.mark.parametrize(
    "post, failed",
    [
        ({}, set()),
        (dict(title="WHY so?"), {"no_why"}),
        (dict(title="Whyever not?"), set()),
        (dict(tags=["functional-analysis", "metabolism", "software"]), set()),
        (dict(tags=["sets", "homework"]), {"on_topic"}),
        (dict(views=None), {"views", "views_per_vote"}),
        (dict(answers=None), {"no_answers"}),
        (dict(score=0, views=0), {"views", "votes", "views_per_vote", "top_share"}),
        (dict(score=10, views=50_000), {"top_share"}),
        (dict(score=10, views=50_001), {"views_per_vote", "top_share"}),
        (dict(created=datetime(2022, 6, 30, 23, 59)), set()),
        (dict(created=datetime(2022, 7, 1)), {"age"}),
    ],
)
def test_a_rule_reads_as_its_sentence(tmp_path, post, failed):
    pool = pool_of(tmp_path / "pool", [post, {}, dict(score=1)])
    assert decided(pool, load_rules(), date(2024, 6, 30), tmp_path / "out")["math", 0] == failed


def test_the_public_codes_variant_matches_within_tags_and_takes_no_top_share(tmp_path):
    pool = pool_of(tmp_path / "pool", [dict(tags=["functional-analysis"]), dict(score=11), {}, {}])
    found = decided(pool, load_rules(variant="public_code"), date(2024, 6, 30), tmp_path / "out")
    assert found["math", 0] == {"on_topic"} and found["math", 1] == set()
    found = decided(pool, load_rules(), date(2024, 6, 30), tmp_path / "out")
    assert found["math", 0] == set() and found["math", 1] == {"top_share"}


@pytest.mark.parametrize("n", [1, 9, 10, 11, 30, 101])
@pytest.mark.parametrize("percent", [0.5, 10, 30, 99])
def test_top_share_is_rounded_up_and_keeps_ties(n, percent):
    votes = [k // 2 for k in range(n)]
    least = least_votes(Counter(votes), percent)
    kept = sum(v >= least for v in votes)
    wanted = math.ceil(round(n * percent / 100, 9))
    assert wanted <= kept <= wanted + 1 and sum(v > least for v in votes) < wanted


def test_a_site_without_unanswered_questions_has_no_top():
    assert least_votes({}, 10) is None and least_votes({3: 0}, 10) is None


@pytest.mark.parametrize(
    "text, says",
    [
        ("[", "cannot be read as YAML"),
        ("default: {min_views: 2}", "no min_age_years"),
        ("defaults: {}", "the parts must be"),
    ],
)
def test_a_file_that_holds_no_rules_says_so(tmp_path, text, says):
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=says):
        load_rules(path)


@pytest.mark.parametrize(
    "setting, says",
    [
        ("min_fame: 1", "unknown settings min_fame"),
        ("min_views: many", "is no number"),
        ("min_views: .nan", "is no number"),
        ("top_percent: 0", "no share"),
        ("tag_match: half", "Choose one of: whole, substring"),
        ("off_topic_tags: [Fun]", "small letters"),
    ],
)
def test_a_bad_setting_of_a_site_says_what_is_wrong(tmp_path, setting, says):
    path = tmp_path / "rules.yaml"
    path.write_text(
        Path(rules.__file__).with_name("rules.yaml").read_text().replace("sites:\n", f"sites:\n  x: {{{setting}}}\n")
    )
    with pytest.raises(DataError, match=f"x.*{says}"):
        load_rules(path)


def test_bad_sources_are_named(tmp_path, generated):
    for source in (tmp_path / "none", tmp_path, tmp_path / "x.parquet"):
        with pytest.raises(DataError, match=re.escape(str(source))):
            Filter(source)
    (tmp_path / "bad.jsonl").write_text('{"question_id": "x"}\n')
    with pytest.raises(DataError, match="bad.jsonl"):
        Filter(tmp_path / "bad.jsonl")
    with pytest.raises(DataError, match="no question of these sites"), Filter(generated[0], sites=["none"]) as found:
        found.outcomes()


@pytest.fixture(scope="module")
def outcomes(generated):
    with Filter(generated[0]) as found:
        return found.outcomes()


@pytest.fixture(scope="module")
def decisions(generated, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    with Filter(generated[0]) as found:
        found.write(folder)
    return [set(failed) for failed in pd.read_parquet(folder / "decisions.parquet")["failed"]]


def test_by_rule_counts_single_decisions(outcomes, decisions):
    table = by_rule(outcomes).set_index("rule")
    before: set[str] = set()
    for name in RULES:
        before.add(name)
        assert table.loc[name, "failed"] == sum(name in failed for failed in decisions)
        assert table.loc[name, "alone"] == sum(failed == {name} for failed in decisions)
        assert table.loc[name, "left"] == sum(not failed & before for failed in decisions)
    assert table["left"].iloc[-1] == kept(outcomes) == decisions.count(set()) > 0


def test_by_site_adds_up_to_by_rule(outcomes):
    sites, rules = by_site(outcomes), by_rule(outcomes).set_index("rule")["failed"]
    assert sites[list(RULES)].sum().to_dict() == rules.to_dict()
    assert sites["questions"].tolist() == [1000, 1000] and sites["kept"].sum() == kept(outcomes)
    assert sites["share"].tolist() == pytest.approx(sites["kept"] / 10)


LOOSE = load_rules().but(min_votes=1, min_views=100, top_percent=60)


@pytest.fixture(scope="module")
def pool(two_versions):
    return two_versions.parent / "pool"


def test_it_holds_what_passes_every_rule_but_no_answer(pool):
    found = development_set(pool, LOOSE, size=10**6)
    with Filter(pool, LOOSE) as rules:
        rules.write(pool.parent / "decided")
    decided = pd.read_parquet(pool.parent / "decided/decisions.parquet")
    questions = pd.concat(pd.read_parquet(f).assign(site=f.parent.name[5:]) for f in pool.glob("questions/*/*.parquet"))
    texts = {
        (f.parent.name[5:], row.question_id, row.answer_id): row.body
        for f in pool.glob("answers/*/*.parquet")
        for row in pd.read_parquet(f).itertuples()
    }
    accepted = dict(zip(zip(questions["site"], questions["question_id"]), questions["accepted_answer_id"]))
    expected = {
        (site, number): texts[site, number, accepted[site, number]]
        for site, number, failed in decided.itertuples(index=False)
        if list(failed) == ["no_answers"] and (site, number, accepted[site, number]) in texts
    }
    assert len(expected) > 20
    assert dict(zip(zip(found["site"], found["question_id"]), found["answer"])) == expected


def test_the_seed_decides_and_a_smaller_set_begins_a_larger_one(pool):
    first, more = development_set(pool, LOOSE, size=5, seed=1), development_set(pool, LOOSE, size=9, seed=1)
    assert first.equals(more.head(5)) and len(more) == 9
    assert list(development_set(pool, LOOSE, size=5, seed=2)["question_id"]) != list(first["question_id"])


def test_a_pool_without_answers_is_refused(generated):
    with pytest.raises(DataError, match="no answers there. Read the dump with `ingest --answers`"):
        development_set(generated[0], LOOSE)
