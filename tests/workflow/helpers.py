"""What several files here need: commits, claims and their tables, and to wait for processes."""

import subprocess
import time
from pathlib import Path

import psutil
from proctor.report import claims


def git(root: Path, *words: str) -> None:
    """Git's own command, in the folder."""
    author = ["-c", "user.name=A", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(root), *author, *words], check=True, capture_output=True)


def commit_all(root: Path) -> None:
    """A commit of all files, in a repository that is made where there is none."""
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        git(root, *words)


def claim(id: str = "uq/gain", estimate: float = 5.0, interval=(1.0, 9.0), **how) -> claims.Claim:
    """A claim "> 0" of that estimate; how: what else `claims.judge` takes."""
    how = {"sentence": "It gains", "says": "> 0", "n": 10, "notebook": "uq/x", "evidence": "measured"} | how
    return claims.judge(id, how.pop("sentence"), estimate=estimate, interval=interval, **how)


def claims_csv(*made: claims.Claim) -> str:
    """The file of these claims."""
    rows = [claims.as_row(each) for each in made]
    return "\n".join([",".join(rows[0]), *(",".join(f'"{cell}"' for cell in row.values()) for row in rows)]) + "\n"


def alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def wait_until(true, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
