"""UQ's rules by the engine, question by question in plain Python; near duplicates against planted copies and all pairs."""

import math
import re
from datetime import date, datetime
from itertools import combinations
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset.pool import write_site
from proctor.uq.dataset.rules import (
    BIT,
    COLUMNS,
    RULES,
    Filter,
    by_rule,
    by_site,
    development_set,
    find_duplicates,
    load_rules,
    scan,
    word_runs,
)

POST = dict(
    score=50, views=5000, answers=0, tags=["algebra"], title="How so?", body="<p>b</p>", created=datetime(2012, 1, 1)
)


def brute_force(questions: list[dict], limits, as_of: date) -> dict[int, set[str]]:
    """id -> failed rules, by the words of appendix H.2."""
    failed, by_site = {}, {}
    for q in sorted(questions, key=lambda q: -q["score"]):
        by_site.setdefault(q["site"], []).extend([q["score"]] * (q["answers"] == 0))
    for q in questions:
        own, unanswered = limits.of(q["site"]), by_site[q["site"]]
        share = math.ceil(len(unanswered) * own["top_percent"] / 100 - 1e-9)
        whole, part = own["off_topic_tags"], own["tag_match"] == "substring"
        bad_tag = any(word in tag if part else word == tag for tag in q["tags"] for word in whole)
        old = q["created"].date() <= as_of.replace(year=as_of.year - own["min_age_years"])
        kept = dict(
            age=old,
            views=q["views"] is not None and q["views"] >= own["min_views"],
            votes=q["score"] >= own["min_votes"],
            views_per_vote=q["score"] > 0 and (q["views"] or math.inf) / q["score"] <= own["max_views_per_vote"],
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
    rules, sites = by_rule(outcomes).set_index("rule"), by_site(outcomes).set_index("site")
    before: set[str] = set()
    for name in RULES:
        before.add(name)
        assert rules.loc[name, "failed"] == sites[name].sum() == sum(name in each for each in failed.values())
        assert rules.loc[name, "alone"] == sum(each == {name} for each in failed.values())
        assert rules.loc[name, "left"] == sum(not each & before for each in failed.values())
    for site, row in sites.iterrows():
        own = [each for (place, _), each in failed.items() if place == site]
        assert (row["questions"], row["kept"]) == (len(own), own.count(set()))
        assert row["share"] == pytest.approx(100 * own.count(set()) / len(own))
    return failed


def pool_of(folder, posts: list[dict], site: str = "math") -> Path:
    names = dict(Title="title", Body="body", Score="score", ViewCount="views", AnswerCount="answers")
    rows = []
    for i, post in enumerate(POST | post for post in posts):
        row = {name: str(post[own]) for name, own in names.items() if post[own] is not None}
        row |= dict(Id=str(i), PostTypeId="1", Tags="|" + "|".join(post["tags"]) + "|")
        rows.append((i, row | dict(CreationDate=post["created"].isoformat())))
    write_site(folder, site, [rows])
    return folder


@pytest.mark.parametrize("variant", [None, "public_code"])
def test_every_question_knows_the_rules_it_failed(generated, tmp_path, variant):
    pool, _ = generated
    questions = duckdb.execute(f"SELECT * FROM {scan(pool)}").df().replace({float("nan"): None}).to_dict("records")
    limits, as_of = load_rules(variant=variant), date(2024, 10, 13)
    if variant is None:
        limits = limits._replace(sites={"circuits": dict(min_views=900, min_votes=9, top_percent=20)})
    assert decided(pool, limits, as_of, tmp_path) == brute_force(questions, limits, as_of)


def test_a_rule_reads_as_its_sentence(tmp_path):
    """Of each post on a site of its own, next to one that everything suits and one without votes."""
    cases = (
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
    )
    for k, (post, _) in enumerate(cases):
        pool_of(tmp_path / "pool", [post, {}, dict(score=1)], f"site{k}")
    found = decided(tmp_path / "pool", load_rules(), date(2024, 6, 30), tmp_path / "out")
    assert {k: found[f"site{k}", 0] for k in range(len(cases))} == dict(enumerate(failed for _, failed in cases))


def test_top_share_is_rounded_up_and_keeps_ties(tmp_path):
    sizes = [1, 9, 10, 11, 30, 101]
    for n in sizes:
        pool_of(tmp_path, [dict(score=k // 2) for k in range(n)] + [dict(score=99, answers=1)], f"site{n}")
    pool_of(tmp_path, [dict(answers=1)], "answered")
    for percent in [0.5, 10, 30, 99]:
        with Filter(tmp_path, load_rules(top_percent=percent)) as rules:
            top = rules.ask(
                f"SELECT site, score FROM decided WHERE failed & {BIT['top_share']} = 0 AND answers < 1"
            ).df()
            assert rules.ask("SELECT top_votes FROM thresholds WHERE site = 'answered'").fetchone() == (None,)
        for n in sizes:
            votes = top.loc[top["site"] == f"site{n}", "score"]
            wanted = math.ceil(round(n * percent / 100, 9))
            assert wanted <= len(votes) <= wanted + 1 and (votes > votes.min()).sum() < wanted


def test_an_age_in_months_ends_with_the_day_also_in_february(tmp_path):
    pool_of(tmp_path, [{}])
    for years, last in ((2, "2022-02-28"), (0.5, "2023-08-29")):
        with Filter(tmp_path, load_rules(min_age_years=years), date(2024, 2, 29)) as rules:
            [(before,)] = rules.ask("SELECT created_before FROM thresholds").fetchall()
            assert before.isoformat() == f"{last}T23:59:59.999000"


# the development set


LOOSE = load_rules(min_votes=1, min_views=100, top_percent=60)


def test_the_development_set_holds_what_passes_every_rule_but_no_answer(generated, tmp_path):
    pool = generated[0]
    found = development_set(pool, LOOSE, size=10**6)
    with Filter(pool, LOOSE) as rules:
        rules.write(tmp_path)
    decisions = pd.read_parquet(tmp_path / "decisions.parquet").set_index(["site", "question_id"])["failed"].map(list)
    questions, texts = (
        pd.concat(pd.read_parquet(f).assign(site=f.parent.name[5:]) for f in pool.glob(f"{name}/*/*.parquet"))
        for name in ("questions", "answers")
    )
    answered = questions.merge(
        texts, left_on=["site", "accepted_answer_id"], right_on=["site", "answer_id"], suffixes=("", "_of")
    )
    answered = answered.set_index(["site", "question_id"])["body_of"]
    expected = answered[[decisions[key] == ["no_answers"] for key in answered.index]]
    assert len(expected) > 20
    assert found.set_index(["site", "question_id"])["answer"].to_dict() == expected.to_dict()


def test_the_seed_decides_and_a_smaller_set_begins_a_larger_one(generated, tmp_path):
    first, more, other = (development_set(generated[0], LOOSE, size=n, seed=k) for n, k in ((5, 1), (9, 1), (5, 2)))
    assert first.equals(more.head(5)) and len(more) == 9
    assert list(other["question_id"]) != list(first["question_id"])
    with pytest.raises(DataError, match="no answers there. Read the dump with `ingest --answers`"):
        development_set(pool_of(tmp_path, [{}]), LOOSE)


# near duplicates


def test_pairs_are_those_of_brute_force(generated, tmp_path):
    pool, planted = generated
    numbers = [number for _, number in list(planted)[:20]]
    origins = [number for _, number in list(planted.values())[:20]]
    chosen = f"(site = 'circuits' AND question_id IN {tuple(numbers)}) OR (site = 'proofs' AND question_id IN {tuple(origins)})"
    path = tmp_path / "some.parquet"
    duckdb.execute(f"COPY (SELECT * FROM {scan(pool)} WHERE {chosen}) TO '{path}'")
    rows = duckdb.execute(f"SELECT site, question_id, title, body FROM '{path}'").fetchall()
    runs = {(site, number): set(word_runs(title, body).tolist()) for site, number, title, body in rows}
    expected = {
        frozenset(p): len(runs[p[0]] & runs[p[1]]) / len(runs[p[0]] | runs[p[1]]) for p in combinations(runs, 2)
    }
    found = find_duplicates(path, path, threshold=0.4)
    got = {frozenset([(r.site, r.question_id), (r.other_site, r.other_id)]): r.similarity for r in found.itertuples()}
    assert got == {pair: pytest.approx(value) for pair, value in expected.items() if value >= 0.4}


def write(path, rows):
    values = ", ".join(str(row) for row in rows)
    columns = "site, question_id, title, body, answers"
    duckdb.execute(f"COPY (SELECT * FROM (VALUES {values}) AS t({columns})) TO '{path}' (FORMAT parquet)")
    return path


def test_a_question_answered_elsewhere_is_told_from_one_asked_twice(tmp_path):
    text = " ".join(f"word{k}" for k in range(40))
    rows = [("a", 1, "title", text, 2), ("b", 2, "title", f"<p>{text.upper()}</p>", 0), ("c", 3, "title", text, 0)]
    path = write(tmp_path / "q.parquet", rows)
    found = find_duplicates(path, path)
    assert sorted(zip(found["site"], found["other_site"], found["relation"])) == [
        ("b", "a", "answered elsewhere"),
        ("b", "c", "asked twice"),
        ("c", "a", "answered elsewhere"),
    ]
    assert (found["similarity"] == 1).all()


def test_without_duplicates_the_table_is_empty_and_a_threshold_must_be_a_similarity(tmp_path):
    path = write(tmp_path / "q.parquet", [("a", 1, "t", "one two three four", 0), ("a", 2, "t", "five six seven", 0)])
    assert find_duplicates(path, path).columns.tolist() == COLUMNS and find_duplicates(path, path).empty
    assert len(word_runs("", "<p>x</p>")) == 1
    for threshold in (0, 1.1):
        with pytest.raises(DataError, match="threshold"):
            find_duplicates("x", "x", threshold)
