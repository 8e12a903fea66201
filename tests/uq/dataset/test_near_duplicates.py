"""Near duplicates against planted copies and against all pairs by brute force."""

from itertools import combinations

import duckdb
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset.rules import COLUMNS, find_duplicates, jaccard, scan, word_runs


def test_planted_copies_are_found_and_nothing_else(generated):
    pool, planted = generated
    found = find_duplicates(pool, pool, threshold=0.5)
    pairs = {frozenset([(r.site, r.question_id), (r.other_site, r.other_id)]) for r in found.itertuples()}
    copies = {frozenset(pair) for pair in planted.items()}
    siblings = {frozenset(p) for p in combinations(planted, 2) if planted[p[0]] == planted[p[1]]}
    assert pairs <= copies | siblings
    assert len(pairs & copies) >= 0.9 * len(copies)
    assert set(found["relation"]) == {"asked twice", "answered elsewhere"}
    assert ((found["other_answers"] > 0) == (found["relation"] == "answered elsewhere")).all()


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
        frozenset(pair): len(runs[pair[0]] & runs[pair[1]]) / len(runs[pair[0]] | runs[pair[1]])
        for pair in combinations(runs, 2)
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


def test_no_duplicates_is_an_empty_table(tmp_path):
    path = write(tmp_path / "q.parquet", [("a", 1, "t", "one two three four", 0), ("a", 2, "t", "five six seven", 0)])
    assert find_duplicates(path, path).columns.tolist() == COLUMNS and find_duplicates(path, path).empty


def test_a_short_text_has_one_run():
    assert len(word_runs("", "<p>x</p>")) == 1 and jaccard(word_runs("a", "b"), word_runs("A", "b")) == 1


@pytest.mark.parametrize("threshold", [0, -1, 1.1])
def test_a_threshold_that_is_no_similarity_is_refused(threshold):
    with pytest.raises(DataError, match="threshold"):
        find_duplicates("x", "x", threshold)
