"""The recorder with parallel slots: it asks what is missing, goes on after a stop, and writes beside what is there."""

import asyncio
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest
from proctor.exam import screening
from proctor.files import only_writer
from proctor.models.cache import read_recording, recording_path, write_recording
from proctor.models.endings import MissingReply
from proctor.models.session import Session
from proctor.recordings import parallel

MODEL = [screening.MODEL]


@pytest.fixture
def served(monkeypatch, fake_model, tmp_path):
    """`served(fail)`: the server is the fake model, nothing is there before; requests for which `fail` is true fail."""
    monkeypatch.setattr(parallel.paths, "RECORDED", tmp_path / "recorded")
    monkeypatch.setattr(parallel, "ARRIVING", tmp_path / "arriving")
    monkeypatch.setattr(parallel, "Embedded", MagicMock())
    monkeypatch.setattr(parallel, "sdk_client", lambda *_: AsyncMock())
    monkeypatch.setattr(parallel, "weights_file", lambda spec: Path("w"))
    asked = []

    def start(fail=lambda request: False):
        async def answer(client, request, cache_prompt):
            asked.append(request.key)
            if fail(request):
                raise ConnectionError("gone")
            return fake_model.reply(request)

        monkeypatch.setattr(parallel, "ask_served", answer)
        asked.clear()
        return asked

    return start


def record(cache, slots=4, study=screening.screening):
    return asyncio.run(parallel.record(study, MODEL, cache, slots, False))


def test_a_study_is_recorded_and_goes_on_where_it_stopped_here_or_elsewhere(served, tmp_path):
    cache, other = tmp_path / "replies.sqlite", tmp_path / "other.sqlite"
    asked = served(fail=lambda request: int(request.key[0], 16) < 4)
    failed = record(cache)
    assert failed and "gone" in failed[0] and len(asked) == 270
    assert parallel.keep(MODEL, cache, 4)[0].endswith(f"{270 - len(failed)} replies arriving")
    served()
    assert record(cache) == [] and len(asked) == len(failed)
    asked.clear()
    assert record(cache) == [] and not asked
    with pytest.raises(parallel.StoreError, match="--slots 4"):
        record(other, slots=8)
    assert record(other) == [] and len(asked) == len(failed)  # what has arrived is not asked again with another cache
    asyncio.run(parallel.write(["screening"], MODEL, other, 4, False))
    assert parallel.keep(MODEL, other, 4)[0].endswith("0 replies arriving")
    assert not list((tmp_path / "arriving").iterdir())
    asked.clear()
    assert record(tmp_path / "new.sqlite", slots=8) == [] and not asked  # nor what is recorded


def test_a_study_that_reads_replies_takes_rounds(served, tmp_path):
    study, asked = parallel.PARALLEL["kina.tool_gain"], served()
    assert record(tmp_path / "c.sqlite", 8, study) == [] and asked
    asked.clear()
    assert record(tmp_path / "c.sqlite", 8, study) == [] and not asked


def test_written_replies_stand_beside_the_old_ones_and_the_header_says_how_they_were_drawn(served, tmp_path):
    served()
    cache, folder = tmp_path / "c.sqlite", tmp_path / "recorded"
    folder.mkdir()
    write_recording(recording_path(folder, MODEL[0]), {"model": MODEL[0]}, {"old": '{"text":"kept"}'})
    with pytest.raises(MissingReply):
        asyncio.run(parallel.write(["screening"], MODEL, cache, 4, False))
    record(cache)
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
    cache = tmp_path / "c.sqlite"
    with only_writer(cache):
        assert parallel.main(["record", "--cache", str(cache)]) == 1
    assert "is being written by another run" in capsys.readouterr().err


def test_requests_that_begin_alike_are_answered_by_one_slot(ask):
    groups = parallel.by_beginning([ask(f"question {q}", sample=t) for t in (1, 2) for q in "ab"])
    assert [[request.messages[0]["content"][-1] for request in group] for group in groups] == [["a", "a"], ["b", "b"]]


def test_a_study_of_more_families_is_named_after_the_one_of_nine():
    """`record --studies` and what lies in data/arriving/ know studies by these names."""
    more = {name for name in parallel.PARALLEL if name.endswith(".more")}
    assert len(more) >= 10 and {name.removesuffix(".more") for name in more} <= set(parallel.PARALLEL)
