"""Where the tidy files of logs are found, and what is said when they are not."""

import gzip
import hashlib
import re

import pytest
from proctor import log_files, paths
from proctor.logs.fetch import IMPORTERS


@pytest.fixture(autouse=True)
def no_logs(tmp_path, monkeypatch):
    monkeypatch.delenv("PROCTOR_LOGS", raising=False)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")


def put(folder, name, text="item,a\nx,1\n"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def test_every_source_names_a_commit_a_licence_and_its_files():
    found = log_files.sources()
    assert set(found) == set(IMPORTERS)
    for source in found.values():
        assert re.fullmatch(r"[0-9a-f]{40}", source.commit) and re.fullmatch(r"[\w.-]+/[\w.-]+", source.repository)
        assert source.licence and source.citation and source.paths and source.tidy
    assert {"swe_bench_verified", "crux"} <= {tidy.name for source in found.values() for tidy in source.tidy}


def test_logs_that_are_not_there_say_how_to_get_them():
    assert not log_files.available("llmbar") and log_files.folder("llmbar") is None
    with pytest.raises(
        log_files.LogsMissing, match=r"crux are not on this machine.*make logs.*zeroeval/ holds crux.csv.gz"
    ):
        log_files.files("crux")


def test_the_named_folder_comes_before_the_cache_and_must_be_complete(tmp_path, monkeypatch):
    cached, named = tmp_path / "cache" / "logs" / "hle_runs", tmp_path / "mine" / "hle_runs"
    put(cached, "tidy.csv.gz")
    assert not log_files.available("hle_items")
    put(cached, "items.csv")
    assert log_files.files("hle_items") == [cached / "items.csv"] and log_files.folder("hle_runs") == cached
    monkeypatch.setenv("PROCTOR_LOGS", str(tmp_path / "mine"))
    put(named, "tidy.csv.gz")
    assert log_files.folder("hle_runs") == cached, "items.csv lacks in the named folder"
    put(named, "items.csv")
    assert log_files.folder("hle_runs") == named


def test_a_data_set_needs_only_its_own_file_and_is_named_by_repository_and_commit_and_hashed_unpacked(tmp_path):
    text = "item,a\nx,0\n"
    for folder, name in (("agent_outcomes", "gso_15systems.csv.gz"), ("zeroeval", "crux.csv.gz")):
        put(tmp_path / "cache" / "logs" / folder, name, text)
    assert log_files.available("gso") and not log_files.available("agent_outcomes")
    ((place, digest),) = log_files.inputs("crux")
    assert place == "WildEval/ZeroEval@8c1485edf12c6efb5f69135a562927c5ad484059: crux.csv.gz"
    assert digest == hashlib.sha256(text.encode()).hexdigest() and str(tmp_path) not in place
    with pytest.raises(ValueError, match="no logs called 'gsm9k'.*gsm8k"):
        log_files.available("gsm9k")
