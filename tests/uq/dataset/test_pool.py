"""The pool's files: whole or not at all."""

import random

import pyarrow.parquet as pq
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import pool
from proctor.uq.dataset.pool import Rejected, SeenIds, writing

QUESTION = (1, "t", "b", 0, ["a"], 1, 2, 0, 0, None, None, None, None, None, None, None)


def test_seen_ids_are_those_of_a_set():
    rng, seen, known = random.Random(0), SeenIds(), set()
    for number in [0, 7, 8, pool.LARGEST_ID, *(rng.randrange(3_000_000) % 5000 * 601 for _ in range(5000))]:
        assert seen.add(number) == (number not in known)
        known.add(number)


def test_a_site_is_written_whole_and_replaced_whole(tmp_path):
    for posts in (3, 2):
        with writing(tmp_path, "math") as writer:
            writer.add("questions", [QUESTION] * posts)
            writer.add("rejected", [Rejected(4, "9", "why")])
        assert writer.done() == ("math", posts, 0, 0, 1)
        assert pq.read_table(tmp_path / "questions/site=math/questions.parquet").num_rows == posts
    assert (tmp_path / "rejected/site=math.csv").read_text().splitlines() == ["row,post_id,reason", "4,9,why"]
    assert pool.sites(tmp_path) == ["math"]


def test_an_error_leaves_what_stood_there(tmp_path):
    with writing(tmp_path, "math") as writer:
        writer.add("questions", [QUESTION])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(RuntimeError), writing(tmp_path, "math") as writer:
        writer.add("questions", [QUESTION] * 9)
        raise RuntimeError
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_answers_of_an_earlier_source_go(tmp_path):
    with writing(tmp_path, "math", answers=True) as writer:
        writer.add("answers", [(2, 1, 0, "b", None, None, None, None)])
    assert (tmp_path / "answers/site=math/answers.parquet").is_file()
    with writing(tmp_path, "math"):
        pass
    assert not (tmp_path / "answers/site=math/answers.parquet").exists()


@pytest.mark.parametrize("site", ["", "Math", "a/b", "..", "a b", "x" * 64])
def test_a_name_that_is_no_site_is_refused(tmp_path, site):
    with pytest.raises(DataError, match="not a site's name"), writing(tmp_path, site):
        pass
    assert not list(tmp_path.iterdir())


def test_an_empty_pool_says_how_to_fill_it(tmp_path):
    with pytest.raises(DataError, match="ingest"):
        pool.sites(tmp_path)
