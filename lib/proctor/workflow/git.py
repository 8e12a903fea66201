"""What git holds, read and never changed: commits, the files of one, and what differs from it in the checkout."""

import os
import subprocess
from collections.abc import Iterable, Mapping

from proctor.paths import ROOT
from proctor.workflow.notebook import WorkflowError


def commit(name: str = "HEAD") -> str:
    """The full id of the commit that `name` means. Raises WorkflowError."""
    try:
        return _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except _Refused:
        _git("rev-parse", "--git-dir")  # tells when this is no repository at all
        raise WorkflowError(f"git knows no commit {name!r}: `git log --oneline` lists them") from None


def changed() -> list[str]:
    """The files of the checkout that are not as HEAD has them, new ones included. Raises WorkflowError."""
    entries = _git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames").decode().split("\0")
    return [entry[3:] for entry in entries if entry]


def files(commit: str, folder: str) -> dict[str, str]:
    """{path: id of its content} of all files that the commit has under the folder. Raises WorkflowError."""
    entries = _git("ls-tree", "-r", "-z", commit, "--", folder).decode().split("\0")
    split = (entry.partition("\t") for entry in entries if entry)
    return {path: about.split()[2] for about, _, path in split if about.split()[1] == "blob"}


def contents(ids: Iterable[str]) -> Mapping[str, bytes]:
    """{id: content} of these blobs, by one process. Raises WorkflowError."""
    wanted = list(dict.fromkeys(ids))
    told = _git("cat-file", "--batch", given="".join(f"{id}\n" for id in wanted).encode())
    found, place = {}, 0
    for id in wanted:
        end = told.index(b"\n", place)
        size = int(told[place:end].split()[2])
        found[id] = told[end + 1 : end + 1 + size]
        place = end + 1 + size + 1
    return found


class _Refused(WorkflowError):
    """Git said no."""


def _git(*arguments: str, given: bytes = b"") -> bytes:
    elsewhere = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")  # of a hook that runs us
    environment = {name: value for name, value in os.environ.items() if name not in elsewhere}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # not even the index is refreshed
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], input=given, capture_output=True, env=environment)
    except FileNotFoundError:
        raise WorkflowError("there is no program `git` here: install it (Debian: apt-get install git)") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
        raise _Refused(f"{ROOT}: {said}")
    return done.stdout
