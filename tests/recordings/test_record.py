"""What the recordings hold, and how `make record` compares a new one with them. No model is asked here."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from proctor import paths
from proctor.exam.recorded import MODELS
from proctor.models.cache import Cache, read_recording, recording_path, write_recording
from proctor.models.messages import Reply
from proctor.models.registry import spec
from proctor.recordings import record
from proctor.recordings.record import STUDIES

FETCHED = pytest.mark.skipif(
    not (paths.CACHE / "fetched/MMLU/test-tiny.jsonl").is_file(),
    reason="the real questions are not fetched: run `make setup`",
)


def as_json(text: str, logprob: float = -0.5) -> str:
    return Reply(text, tokens=((text, logprob),)).to_json()


@pytest.fixture
def refilled(tmp_path):
    """The path of a cache that holds the recording of the embedded model, as if it had just been asked."""
    cache = Cache(tmp_path / "record.sqlite")
    for key, reply in read_recording(recording_path(paths.RECORDED, MODELS[0]))[1].items():
        cache.put(SimpleNamespace(key=key, model=MODELS[0], prompt="", sample=0), Reply.from_json(reply, "live"))
    cache.close()
    return tmp_path / "record.sqlite"


@pytest.fixture(scope="module")
def parallel():
    """Keys of what was asked at once."""
    kept = read_recording(recording_path(paths.RECORDED, MODELS[0]))[0]
    return asyncio.run(record.of_parallel(MODELS[0], kept["studies"]))


def test_compare_counts_every_reply_once():
    old = {"a": as_json("x"), "b": as_json("x"), "c": as_json("x"), "gone": as_json("x")}
    new = {"a": as_json("x"), "b": as_json("x", -0.6), "c": as_json("y"), "d": as_json("x")}
    assert record.compare_replies({key: reply.encode() for key, reply in old.items()}, new) == {
        "identical": 1,
        "same words, other probabilities": 1,
        "other words": 1,
        "new": 1,
        "no longer asked": 1,
    }


@FETCHED
def test_the_studies_ask_all_that_is_recorded_and_nothing_else(refilled, parallel, monkeypatch):
    monkeypatch.setattr(
        "proctor.models.session.Session._check",
        lambda self, missing: pytest.fail(f"{len(missing)} requests are not recorded"),
    )
    asked = asyncio.run(record.ask_again(MODELS[:1], list(STUDIES), refilled))[MODELS[0]]
    kept = read_recording(recording_path(paths.RECORDED, MODELS[0]))[1]
    asked |= {key: kept[key].decode() for key in parallel}
    assert record.compare_replies(kept, asked) == {
        "identical": len(kept),
        "same words, other probabilities": 0,
        "other words": 0,
        "new": 0,
        "no longer asked": 0,
    }


@FETCHED
def test_a_sample_is_drawn_by_its_seed_from_what_is_recorded_and_counted(monkeypatch, capsys):
    drawn = []

    async def as_recorded_but_one(session, requests, what="calls"):
        kept = read_recording(recording_path(paths.RECORDED, MODELS[0]))[1]
        drawn.append([request.key for request in requests])
        replies = [Reply.from_json(kept[request.key], "live") for request in requests]
        return [Reply("other words"), *replies[1:]]

    replayed = record.Session.ask_many
    monkeypatch.setattr(
        "proctor.models.session.Session.ask_many",
        lambda self, requests, what="calls": (replayed if self.mode == "replay" else as_recorded_but_one)(
            self, requests, what
        ),
    )
    for seed in ("1", "1", "2"):
        told = ["--models", MODELS[0], "--studies", "answers", "--sample", "20", "--seed", seed]
        assert record.main(told) == 0
    assert "19 of 20 replies are identical to the recording; 1 other words\n" in capsys.readouterr().out
    assert drawn[0] == drawn[1] != drawn[2] and len(set(drawn[0])) == 20


@pytest.mark.parametrize("model", MODELS)
def test_a_recording_names_the_weights_and_settings_that_it_rests_on_and_holds_replies_but_no_request(model):
    header, replies = read_recording(recording_path(paths.RECORDED, model))
    assert header["model"] == model and header["sha256"] == spec(model).sha256
    assert {"xllamacpp", "openai"} <= set(header["versions"]) and header["settings"]["n_parallel"] == 1
    assert len(replies) > 500 and {len(key) for key in replies} == {64}
    for reply in map(json.loads, replies.values()):
        assert reply["text"] and set(reply) <= set(Reply.__dataclass_fields__)


def test_a_recording_that_grew_names_both_processors():
    past, now = {"processor": "A", "model": "m"}, {"processor": "B", "model": "m"}
    assert record.joined(past, now) == {"processor": "A; B", "model": "m"}
    assert record.joined({"processor": "A; B"}, now)["processor"] == "A; B"
    assert record.joined(past, past) == past


def test_a_new_recording_keeps_what_was_recorded_with_many_calls_at_once(monkeypatch, tmp_path):
    path = recording_path(tmp_path, MODELS[0])
    old = {"parallel": as_json("x"), "asked": as_json("x"), "stale": as_json("x")}
    write_recording(path, {"processor": "A", "studies": {"one": {}}}, old)

    async def asked(models, *rest):
        return {MODELS[0]: {"asked": as_json("y")}}

    async def of_parallel(model, names):
        return {"parallel"} if list(names) == ["one"] else set()

    monkeypatch.setattr(paths, "RECORDED", tmp_path)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(record, "available", list)
    monkeypatch.setattr(record, "ask_again", asked)
    monkeypatch.setattr(record, "of_parallel", of_parallel)
    assert record.main(["--models", MODELS[0], "--write"]) == 0
    head, kept = read_recording(path)
    assert head["studies"] == {"one": {}}
    assert {key: json.loads(reply)["text"] for key, reply in kept.items()} == {"asked": "y", "parallel": "x"}


def test_what_was_asked_at_once_is_a_part_of_the_recording(parallel):
    assert set() < parallel <= set(read_recording(recording_path(paths.RECORDED, MODELS[0]))[1])
