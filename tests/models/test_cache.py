import gzip
import multiprocessing
import os
import random
import signal
import sqlite3
import threading
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.models.cache import Cache, StoreError, read_recording, write_recording
from proctor.models.messages import Reply, Request

LINES = st.dictionaries(
    st.text("0123456789abcdef", min_size=1, max_size=64),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(lambda t: Reply(t).to_json()),
)


@given(LINES)
def test_recording_comes_back_as_written_and_has_the_same_bytes_whatever_the_order(tmp_path_factory, replies):
    folder = tmp_path_factory.mktemp("recording")
    write_recording(folder / "m.jsonl.gz", {"model": "m", "a": 1}, replies)
    header, lines = read_recording(folder / "m.jsonl.gz")
    assert header == {"model": "m", "a": 1} and {key: line.decode() for key, line in lines.items()} == replies
    write_recording(folder / "again", {"a": 1, "model": "m"}, dict(reversed(replies.items())))
    assert (folder / "again").read_bytes() == (folder / "m.jsonl.gz").read_bytes()


def test_a_recording_that_was_cut_or_damaged_names_the_file_or_is_read_as_it_was(tmp_path):
    path = tmp_path / "m.jsonl.gz"
    write_recording(path, {"model": "m"}, {f"{n:064x}": Reply(f"reply {n * n}").to_json() for n in range(20)})
    whole, right = path.read_bytes(), read_recording(path)
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        with pytest.raises(StoreError, match="m.jsonl.gz"):
            read_recording(path)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            assert read_recording(path) == right
        except StoreError as error:
            assert "m.jsonl.gz" in str(error)
    path.write_bytes(gzip.compress(b'{}\nabc {"text":"x"}\nnonsense\n'))
    with pytest.raises(StoreError, match="m.jsonl.gz, line 3"):
        read_recording(path)


@pytest.fixture
def opened(tmp_path):
    """`opened()`: one more cache on a file that all of a test share."""
    return lambda: Cache(tmp_path / "replies.sqlite")


def test_a_file_that_is_no_cache_or_breaks_later_and_a_folder_that_is_none_are_named(tmp_path, opened):
    (tmp_path / "c.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="c.sqlite.*move the file away"):
        Cache(tmp_path / "c.sqlite")
    cache = opened()
    with sqlite3.connect(cache.path) as db:
        db.execute("DROP TABLE replies")
    with pytest.raises(StoreError, match="replies.sqlite"):
        cache.get("x")
    (tmp_path / "cache").write_text("mine")
    with pytest.raises(StoreError, match="cache: no folder can be made there.*PROCTOR_REPLIES"):
        Cache(tmp_path / "cache" / "replies.sqlite")


# damage and leases


def test_a_flipped_bit_in_the_cache_never_gives_another_reply(tmp_path):
    cache = Cache(tmp_path / "replies.sqlite")
    requests = [Request(model="m", messages=({"role": "user", "content": f"{n}"},)) for n in range(20)]
    for n, request in enumerate(requests):
        cache.put(request, Reply(f"the reply to {n} is {n * n}"))
    cache._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache.close()
    whole = (tmp_path / "replies.sqlite").read_bytes()
    rng, damaged = random.Random(0), 0
    for _ in range(300):
        at = rng.randrange(len(whole) * 8)
        content = bytearray(whole)
        content[at // 8] ^= 1 << at % 8
        (tmp_path / "bad.sqlite").write_bytes(content)
        try:
            bad = Cache(tmp_path / "bad.sqlite")
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = [bad.get(request.key) for request in requests]
        except StoreError as error:
            assert "bad.sqlite" in str(error)
            continue
        finally:
            for rest in tmp_path.glob("bad.sqlite*"):
                rest.unlink()
        assert all(reply is None or reply.text == f"the reply to {n} is {n * n}" for n, reply in enumerate(found))
        damaged += bool(told)
    assert damaged > 10


def test_a_stopped_process_keeps_its_lease_and_a_killed_one_loses_it(opened, forked):
    told, other = multiprocessing.get_context("fork").Queue(), opened()
    assert other.lease("ours") is None

    def hold():
        cache = opened()
        told.put([cache.lease("key"), cache.lease("ours")])
        opened().close()  # whatever else it does with the cache's files
        signal.pause()

    child = forked(hold)
    assert told.get(timeout=60) == [None, "another"]
    os.kill(child.pid, signal.SIGSTOP)
    assert other.lease("key") == "another" and other.lease("key, too") is None
    child.kill()
    child.join()
    assert other.lease("key") is None


def test_a_new_cache_may_be_opened_while_another_process_opens_it(tmp_path):
    path = tmp_path / "replies.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE theirs (key)")  # SQLite's own timeout does not hold for who now asks for a WAL
    threading.Timer(0.1, other.execute, ["COMMIT"]).start()
    assert len(Cache(path)) == 0


def test_a_cache_of_an_older_version_is_read(tmp_path):
    with sqlite3.connect(tmp_path / "replies.sqlite") as db:
        db.execute(
            "CREATE TABLE replies (key TEXT PRIMARY KEY, model TEXT, prompt TEXT, sample INTEGER, created REAL, "
            "reply TEXT) WITHOUT ROWID"
        )
        db.execute("INSERT INTO replies VALUES ('k', 'm', '', 0, 1.0, ?)", (Reply("old").to_json(),))
    assert Cache(tmp_path / "replies.sqlite").get("k").text == "old"
