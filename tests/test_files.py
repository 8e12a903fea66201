import os
import subprocess
import sys

import pytest
from proctor.files import FileBusy, only_writer, write_atomic
from proctor.paths import ROOT


def test_writes_whole_with_its_parents_and_a_failure_leaves_the_old_file_alone(tmp_path, monkeypatch):
    file = write_atomic(tmp_path / "a" / "b.txt", "hé")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="b.txt.*nothing was changed"):
        write_atomic(file, "new")
    assert file.read_bytes() == "hé".encode() and list(file.parent.iterdir()) == [file]


# one writer at a time

HOLD = """
import sys
from proctor.files import only_writer
with only_writer(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path):
    """A process that holds tmp_path / "v.jsonl"."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "v.jsonl")]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT / "lib")}, **pipes) as child:
        assert child.stdout.readline() == "held\n"
        yield child
        child.kill()


def test_a_second_process_is_told_which_one_writes_the_file(tmp_path, held):
    (tmp_path / "alias").symlink_to(tmp_path / "v.jsonl")
    for name in ("v.jsonl", "alias"):
        with pytest.raises(FileBusy, match=f"v.jsonl .*process {held.pid}, since .*a file of its own"):
            with only_writer(tmp_path / name):
                pass
    with only_writer(tmp_path / "other.jsonl") as alone:
        assert alone


@pytest.mark.parametrize("end", ["killed", "done"])
def test_the_lock_ends_with_its_process(tmp_path, held, end):
    held.kill() if end == "killed" else held.stdin.close()
    held.wait()
    with only_writer(tmp_path / "v.jsonl") as alone:
        assert alone
    assert not list(tmp_path.iterdir())


def test_what_stands_in_a_lock_is_not_trusted(tmp_path, held):
    lock = tmp_path / ".v.jsonl.lock"
    lock.write_bytes(b"\xff\0 process 1, since for ever" * 1000)
    with pytest.raises(FileBusy, match="which does not say its number"), only_writer(tmp_path / "v.jsonl"):
        pass
    held.kill()
    held.wait()
    with only_writer(tmp_path / "v.jsonl"):
        assert lock.read_text().startswith(f"process {os.getpid()}, since ")


def test_one_process_does_not_write_a_file_twice_at_a_time(tmp_path):
    with only_writer(tmp_path / "v"), pytest.raises(FileBusy), only_writer(tmp_path / "v"):
        pass
