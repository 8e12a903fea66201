"""The held-out dev set: answered questions that pass every other rule, against a reference row by row."""

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset.dev_set import development_set
from proctor.uq.dataset.rules import Filter, load_rules

RULES = load_rules().but(min_votes=1, min_views=100, top_percent=60)


@pytest.fixture(scope="module")
def pool(two_versions):
    return two_versions.parent / "pool"


def test_it_holds_what_passes_every_rule_but_no_answer(pool):
    found = development_set(pool, RULES, size=10**6)
    with Filter(pool, RULES) as rules:
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
    first, more = development_set(pool, RULES, size=5, seed=1), development_set(pool, RULES, size=9, seed=1)
    assert first.equals(more.head(5)) and len(more) == 9
    assert list(development_set(pool, RULES, size=5, seed=2)["question_id"]) != list(first["question_id"])


def test_a_pool_without_answers_is_refused(generated):
    with pytest.raises(DataError, match="no answers there. Read the dump with `ingest --answers`"):
        development_set(generated[0], RULES)
