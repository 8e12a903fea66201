"""What several files here need: commits, and to wait for processes."""

import subprocess
import time
from pathlib import Path

import psutil


def git(root: Path, *words: str) -> None:
    """Git's own command, in the folder."""
    author = ["-c", "user.name=A", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(root), *author, *words], check=True, capture_output=True)


def commit_all(root: Path) -> None:
    """A commit of all files, in a repository that is made where there is none."""
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        git(root, *words)


def alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def wait_until(true, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
