"""The recorder with parallel slots: it asks what is missing, goes on after a stop, and writes beside what is there."""

import asyncio
from pathlib import Path

import pytest
from proctor.exam import screening
from proctor.models.cache import Cache, read_recording, recording_path, write_recording
from proctor.models.endings import MissingReply
from proctor.models.session import Session
from proctor.recordings import parallel

MODEL = [screening.MODEL]


class Server:
    def __init__(self, *_, **__):
        self.stopped = False

    def start(self):
        return parallel_endpoint()

    def stop(self):
        self.stopped = True


def parallel_endpoint():
    return type("Endpoint", (), {"url": "", "key": ""})()


class Client:
    async def close(self):
        pass


@pytest.fixture
def served(monkeypatch, fake_model, tmp_path):
    """`served(fail)`: the server is the fake model, nothing is there before; requests for which `fail` is true fail."""
    monkeypatch.setattr(parallel.paths, "RECORDED", tmp_path / "recorded")
    monkeypatch.setattr(parallel, "ARRIVING", tmp_path / "arriving")
    asked = []

    def start(fail=lambda request: False):
        async def answer(client, request, cache_prompt):
            asked.append(request.key)
            if fail(request):
                raise ConnectionError("gone")
            return fake_model.reply(request)

        monkeypatch.setattr(parallel, "Embedded", Server)
        monkeypatch.setattr(parallel, "openai_client", lambda *_: Client())
        monkeypatch.setattr(parallel, "weights_file", lambda spec: Path("w"))
        monkeypatch.setattr(parallel, "ask_served", answer)
        monkeypatch.setattr(parallel, "TRIES", 1)
        monkeypatch.setattr(parallel.asyncio, "sleep", _at_once)
        return asked

    return start


async def _at_once(seconds):
    pass


def test_a_study_is_recorded_and_goes_on_where_it_stopped(served, tmp_path):
    cache, few = tmp_path / "replies.sqlite", screening.screening
    asked = served(fail=lambda request: int(request.key[0], 16) < 4)
    failed = asyncio.run(parallel.record(few, MODEL, cache, 4, False))
    assert failed and "gone" in failed[0]
    done = len(asked) - len(failed)
    asked = served()
    asked.clear()
    assert asyncio.run(parallel.record(few, MODEL, cache, 4, False)) == []
    assert len(asked) == len(failed) and done + len(failed) == 270
    asked.clear()
    assert asyncio.run(parallel.record(few, MODEL, cache, 4, False)) == [] and not asked


def test_kept_replies_of_an_unfinished_study_are_not_asked_again_with_another_cache(served, tmp_path):
    served(fail=lambda request: int(request.key[0], 16) < 4)
    failed = asyncio.run(parallel.record(screening.screening, MODEL, tmp_path / "c.sqlite", 4, False))
    assert parallel.keep(MODEL, tmp_path / "c.sqlite", 4)[0].endswith(f"{270 - len(failed)} replies arriving")
    asked = served()
    asked.clear()
    other = tmp_path / "other.sqlite"
    with pytest.raises(parallel.StoreError, match="--slots 4"):
        asyncio.run(parallel.record(screening.screening, MODEL, other, 8, False))
    assert asyncio.run(parallel.record(screening.screening, MODEL, other, 4, False)) == []
    assert len(asked) == len(failed)
    asyncio.run(parallel.write(["screening"], MODEL, other, 4, False))
    assert parallel.keep(MODEL, other, 4)[0].endswith("0 replies arriving")
    assert not list((tmp_path / "arriving").iterdir())
    asked.clear()
    assert asyncio.run(parallel.record(screening.screening, MODEL, tmp_path / "new.sqlite", 8, False)) == []
    assert not asked  # recorded replies are not asked again either


def test_a_study_that_reads_replies_takes_rounds(served, tmp_path):
    served()
    study = parallel.PARALLEL["kina.tool_gain"]
    assert asyncio.run(parallel.record(study, MODEL, tmp_path / "c.sqlite", 8, False)) == []
    said = asyncio.run(parallel.state(["kina.tool_gain", "cbu.core"], MODEL, tmp_path / "c.sqlite"))
    assert said[0] == "kina.tool_gain: all there" and said[1].endswith("missing")


def test_written_replies_stand_beside_the_old_ones_and_the_header_says_how_they_were_drawn(
    served, tmp_path, monkeypatch
):
    served()
    cache, folder = tmp_path / "c.sqlite", tmp_path / "recorded"
    folder.mkdir()
    monkeypatch.setattr(parallel.paths, "RECORDED", folder)
    write_recording(recording_path(folder, MODEL[0]), {"model": MODEL[0]}, {"old": '{"text":"kept"}'})
    with pytest.raises(MissingReply):
        asyncio.run(parallel.write(["screening"], MODEL, cache, 4, False))
    asyncio.run(parallel.record(screening.screening, MODEL, cache, 4, False))
    asyncio.run(parallel.write(["screening"], MODEL, cache, 4, False))
    head, replies = read_recording(recording_path(folder, MODEL[0]))
    assert len(replies) == 271 and replies["old"] == b'{"text":"kept"}'
    how = head["studies"]["screening"]
    assert how["temperatures"] == [0.7] and how["max_tokens"] == [400] and how["seeds"] == ["request"]
    assert how["slots"] == 4 and how["prompts"][0].startswith("hle/answer_steps@1")

    async def replayed():
        async with Session("replay", cache=tmp_path / "empty.sqlite", recorded=folder, progress=False) as session:
            return await screening.screening(session)

    assert set(asyncio.run(replayed())["source"]) == {"recording"}


def test_only_one_process_records_into_a_cache(tmp_path, capsys):
    import fcntl

    cache = tmp_path / "c.sqlite"
    Cache(cache).close()
    with open(cache.with_suffix(".lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert parallel.main(["record", "--cache", str(cache)]) == 1
    assert "another process" in capsys.readouterr().err


def test_requests_that_begin_alike_are_answered_by_one_slot(ask):
    groups = parallel.by_beginning([ask(f"question {q}", sample=t) for t in (1, 2) for q in "ab"])
    assert [[request.messages[0]["content"][-1] for request in group] for group in groups] == [["a", "a"], ["b", "b"]]
