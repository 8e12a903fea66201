"""Fetch the sources of logs and import them: `python -m proctor logs [NAME ...]`, or `make logs`.

A source comes as one archive of its repository at its commit, over HTTPS: `https://github.com/<repository>/archive/
<commit>.tar.gz`. `$PROCTOR_LOGS_URL` names another place that serves the same paths. A download that was cut goes on
where it stopped. Of the archive only the wanted files are taken out; the importer makes the tidy files of them in
`.cache/logs/<source>/`, and archive and raw files are deleted. A digest that data/logs/sources.yaml knows, of the raw
files or of a tidy one, must fit: else nothing stays. One that it does not know is printed. A source whose history is
needed is cloned with git instead, from `https://github.com/<repository>`, and the clone is deleted.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import httpx
import pandas as pd
from tqdm import tqdm

from proctor import paths, program
from proctor.data.fetch import FetchError, keep, say
from proctor.data.tabular import DataError
from proctor.files import write_atomic
from proctor.log_files import Source, digest, sources
from proctor.logs import boards, hle, importers, proofs
from proctor.logs.importers import AGAIN, OTHER_FORM, Say
from proctor.logs.tidy import twins

GITHUB = "https://github.com"
STAMP = "source.json"  # beside the tidy files: the commit that they come from
ATTEMPTS = 4
ALL = (importers.judge_scores, importers.mmlu_redux, importers.agent_outcomes, importers.zeroeval)
ALL += (importers.llmbar, importers.token_probability, hle.hle_runs, hle.hle_repairs, hle.hle_answers)
ALL += (boards.livebench, boards.mmlu_pro)
ALL += (proofs.open_proofs, proofs.broken_math, proofs.erdos, proofs.erdos_attempts)
IMPORTERS = {importer.__name__: importer for importer in ALL}  # by the name of the source
# Their known digests are those of lines that end with a carriage return and a line break.
OLDEST = ("judge_scores", "mmlu_redux", "agent_outcomes", "zeroeval", "llmbar", "token_probability")
SYSTEMS_FROM = {"agent_outcomes": 1, "zeroeval": 1, "mmlu_redux": 5}  # wide tables: the first column of a system


def main(arguments: list[str]) -> int:
    """Fetch the named sources, or all of them. Exit codes: 0 all are there, 1 one failed, 2 unknown name."""
    known = sources()
    if {"-h", "--help"} & set(arguments):
        print(f"usage: {program()} logs [NAME ...] [--every-run]\nfetches all of them where none is named:")
        print("\n".join(f"  {source.name:18} {source.repository}, {source.licence}" for source in known.values()))
        return 0
    every_run = "--every-run" in arguments  # also those that our results do not rest on
    arguments = [name for name in arguments if name != "--every-run"]
    if wrong := [name for name in arguments if name not in known]:
        say(f"usage: {program()} logs [NAME ...] [--every-run]")
        say(f"no source {', '.join(wrong)}; there are {', '.join(known)}")
        return 2
    failed = 0
    for name in arguments or known:
        try:
            source = known[name]
            fetch_source(_with_every_run(source) if every_run else source)
        except (FetchError, DataError) as error:
            failed += 1
            say(f"{name}: {error}")
    return 1 if failed else 0


def _with_every_run(source: Source) -> Source:
    """The source with all of its runs; its tidy files then hold more rows than those whose digests are known."""
    tidy = tuple(each._replace(sha256="") for each in source.tidy)
    return source._replace(runs=(), tidy=tidy) if source.runs else source


def fetch_source(source: Source, *, timeout: float = 60.0, pause: float = 2.0) -> list[Path]:
    """Bring the tidy files of a source into the cache, unless they are there; returns them.

    From GitHub, or the address in $PROCTOR_LOGS_URL. timeout: seconds without a byte that end an attempt; pause:
    seconds before the second one, doubled each time.
    Raises FetchError (network, archive, digest) or DataError (a raw file that can't be imported).
    """
    folder = paths.CACHE / "logs" / source.name
    if _is_there(source, folder):
        say(f"{source.name}: present in {_short(folder)}")
        return [folder / tidy.file for tidy in source.tidy]
    say(f"{source.name}: {source.repository}@{source.commit[:12]}, licence {source.licence}. {source.citation}")
    unfinished = folder.parent / ".unfinished" / source.name  # not in `folder`: what lies there counts as fetched
    unfinished.mkdir(parents=True, exist_ok=True)
    base = (os.environ.get("PROCTOR_LOGS_URL") or GITHUB).rstrip("/")
    needed = [source, *([sources()[source.joined]] if source.joined else [])]
    archives = [unfinished / f"{each.commit}.tar.gz.part" for each in needed]
    found: dict[str, str] = {}
    try:
        for each, archive in zip(needed, archives):
            if not each.history:
                _download(f"{base}/{each.repository}/archive/{each.commit}.tar.gz", archive, each, timeout, pause)
        with tempfile.TemporaryDirectory(dir=unfinished, prefix="raw-") as raw:
            try:
                for each, archive in zip(needed, archives):
                    if each.history:
                        found |= _clone(f"{base}/{each.repository}", Path(raw), each)
                    else:
                        found |= _extract(archive, Path(raw), each)
                _check(source, found)
                written = run_importer(source, Path(raw), folder, say)
                _compare(source, folder)
            except (FetchError, DataError):  # whole but wrong: the next fetch must not begin with it
                for archive in archives:
                    archive.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise FetchError(
            f"{error.strerror or error}. Free some disk space or fix the permissions of {folder.parent}."
        ) from error
    stamp = {"commit": source.commit, "files": found, "runs": list(source.runs)}
    write_atomic(folder / STAMP, json.dumps(stamp, indent=1, sort_keys=True) + "\n")
    for archive in archives:
        archive.unlink(missing_ok=True)
    return written


def run_importer(source: Source, raw: Path, target: Path, say: Say = print) -> list[Path]:
    """Write the tidy files of a source into `target`, whole or not at all. Returns them. Raises DataError."""
    try:
        tables = IMPORTERS[source.name](raw, say, **({"only": source.runs} if source.runs else {}))
    except OTHER_FORM as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{source.name}: its raw files are not in the form that is known ({error!r}). {AGAIN}."
        ) from error
    written = []
    for name, table in tables.items():
        text = table.to_csv(index=False, lineterminator="\r\n" if source.name in OLDEST else "\n").encode()
        written.append(write_atomic(target / name, gzip.compress(text, mtime=0) if name.endswith(".gz") else text))
        say(f"  {name}: {len(table):,} rows")
        systems = table.iloc[:, SYSTEMS_FROM[source.name] :] if source.name in SYSTEMS_FROM else pd.DataFrame()
        for one, other, _ in twins(systems):
            say(f"  twins: {one} and {other} gave the same on every item")
    return written


def _is_there(source: Source, folder: Path) -> bool:
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
    except (OSError, ValueError):
        return False
    same = stamp.get("commit") == source.commit and stamp.get("runs", []) == list(source.runs)
    return same and all((folder / tidy.file).is_file() for tidy in source.tidy)


def _download(address: str, target: Path, source: Source, timeout: float, pause: float) -> None:
    """Append to `target` until the archive is whole; a server that can't resume sends it anew from its start."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            code = _download_once(address, target, timeout)
            if code < 400 or code == 416 and _is_whole(target):
                return
            problem = f"HTTP {code}"
        except httpx.HTTPError as error:
            code, problem = 0, str(error) or type(error).__name__
        if code == 416:  # what is there is longer than the archive
            target.unlink(missing_ok=True)
        elif 400 <= code < 500 and code != 429:
            raise FetchError(
                f"{source.repository} has no archive at commit {source.commit} (HTTP {code}). Check that the "
                "repository is still public, or set PROCTOR_LOGS to a folder that holds the tidy files."
            )
        if attempt < ATTEMPTS:
            say(f"  {problem}; attempt {attempt + 1} of {ATTEMPTS} goes on where it stopped")
            time.sleep(pause * 2 ** (attempt - 1))
    raise FetchError(
        f"{source.repository} could not be downloaded in {ATTEMPTS} attempts ({problem}). Check the network and run "
        "it again: what has come is kept. Or set PROCTOR_LOGS to a folder that holds the tidy files."
    )


def _download_once(address: str, target: Path, timeout: float) -> int:
    """The status of the reply, whose content is appended to `target`. Raises httpx.HTTPError for one that was cut."""
    have = target.stat().st_size if target.is_file() else 0
    asked = {"User-Agent": "proctor", "Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with httpx.stream("GET", address, headers=asked, timeout=timeout, follow_redirects=True) as reply:
        if reply.status_code < 400:
            have *= reply.status_code == 206
            total = have + int(reply.headers["Content-Length"]) if "Content-Length" in reply.headers else None
            how = dict(unit="B", unit_scale=True, disable=None, leave=False)
            with open(target, "ab" if have else "wb") as file, tqdm(total=total, initial=have, **how) as bar:
                for chunk in reply.iter_raw():  # what has come, so that nothing is lost when it stalls
                    file.write(chunk)
                    bar.update(len(chunk))
        return reply.status_code


def _is_whole(archive: Path) -> bool:
    try:
        with tarfile.open(archive, "r|gz") as tar:
            for _ in tar:
                pass
        return True
    except (tarfile.TarError, EOFError, zlib.error, OSError):
        return False


def _extract(archive: Path, target: Path, source: Source) -> dict[str, str]:
    """Stream the wanted files of the archive into `target`; returns {path in the repository: SHA-256}.

    Only regular files that match one of the source's patterns are written, at places made here of their parts, so
    that no name in the archive can lead elsewhere.
    """
    wanted, found = [_pattern(pattern) for pattern in source.paths], {}
    try:
        with tarfile.open(archive, "r|gz") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                path = "/".join(name.parts[1:])  # the first part is <repository>-<commit>
                if not member.isfile() or ".." in name.parts or name.is_absolute() or "\\" in path:
                    continue
                content = tar.extractfile(member)
                if content is not None and any(pattern.fullmatch(path) for pattern in wanted):
                    found[path] = keep(content, target / path)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the archive
        raise FetchError(f"what came is no whole archive ({error}). It was removed; run it again.") from None
    if not found:
        raise FetchError(f"the archive of {source.repository} holds none of {', '.join(source.paths)}. It was removed.")
    return found


def _clone(address: str, target: Path, source: Source) -> dict[str, str]:
    """Write what a source needs of its history into `target`; returns {path in it: SHA-256}.

    "versions": versions/<number>_<time, UTC>_<commit>.yaml of the one file, along first parents. "dates": the wanted
    files at the commit at their paths, and history.csv with the days of their first and last commits.
    """
    clone, wanted = target.with_name(f"{target.name}.git"), [f":(glob){path}" for path in source.paths]
    named = ["--first-parent", "--diff-merges=first-parent", "--no-renames", "--reverse", "--name-only", "-z"]
    try:
        _git(source, "clone", "--bare", "--quiet", address, str(clone))
        log = _git(
            source, "-C", str(clone), "log", *named, "--format=%x01%H %ct", source.commit, "--", *wanted
        ).decode()
        commits = []
        for each in log.split("\x01")[1:]:
            head, *names = [part.strip("\n") for part in each.split("\0") if part.strip("\n")]
            commit, seconds = head.split()
            commits.append((commit, datetime.fromtimestamp(int(seconds), UTC), names))
        contents = {}
        if source.history == "versions":
            for number, (commit, time_, names) in enumerate(commits):
                place = f"versions/{number:04}_{time_:%Y-%m-%dT%H%M}_{commit[:12]}.yaml"
                contents[place] = _git(source, "-C", str(clone), "show", f"{commit}:{names[0]}")
        else:
            dates: dict[str, list[str]] = {}
            for _, time_, names in commits:
                for name in names:
                    dates.setdefault(name, []).append(f"{time_:%Y-%m-%d}")
            listed = _git(source, "-C", str(clone), "ls-tree", "-r", "-z", "--name-only", source.commit).decode()
            for name in dates.keys() & set(listed.split("\0")):
                contents[name] = _git(source, "-C", str(clone), "show", f"{source.commit}:{name}")
            rows = [(name, min(dates[name]), max(dates[name])) for name in sorted(contents)]
            table = pd.DataFrame(rows, columns=["path", "first_date", "last_date"])
            contents["history.csv"] = table.to_csv(index=False, lineterminator="\n").encode()
    finally:
        shutil.rmtree(clone, ignore_errors=True)
    if len(contents) < 2 and source.history == "dates" or not contents:
        raise FetchError(f"the history of {source.repository} holds none of {', '.join(source.paths)}.")
    return {place: keep(io.BytesIO(content), target / place) for place, content in contents.items()}


def _git(source: Source, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, env=os.environ | {"GIT_TERMINAL_PROMPT": "0"})
    except FileNotFoundError:
        raise FetchError(f"{source.name} needs the history of its repository, and git is not installed.") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise FetchError(
            f"git can't read {source.repository} at {source.commit[:12]} ({said[-1] if said else done.returncode}). "
            "Check the network, or set PROCTOR_LOGS to a folder that holds the tidy files."
        )
    return done.stdout


def _check(source: Source, found: dict[str, str]) -> None:
    """Compare the digest of all raw files with the known one; print it where none is known."""
    lines = "".join(f"{sha}  {path}\n" for path, sha in sorted(found.items()))
    total = hashlib.sha256(lines.encode()).hexdigest()
    if source.sha256 and total != source.sha256:
        raise FetchError(
            f"{len(found)} files have SHA-256 {total} together, data/logs/sources.yaml expects {source.sha256}. "
            "Nothing was imported. Someone has changed the source or the way to it: compare before you trust it."
        )
    known = "as known" if source.sha256 else "not known before: put it into data/logs/sources.yaml to have it checked"
    say(f"  {len(found)} files, SHA-256 of the list of their digests {total} ({known})")


def _compare(source: Source, folder: Path) -> None:
    """Raises FetchError if a tidy file lacks; and, removing it, if it has other rows than the committed figures."""
    if lacking := [tidy.file for tidy in source.tidy if not (folder / tidy.file).is_file()]:
        raise FetchError(f"its raw files gave no {', '.join(lacking)}. The other tidy files can be used.")
    other = {tidy: found for tidy in source.tidy if tidy.sha256 not in ("", found := digest(folder / tidy.file))}
    if other and not source.whole:
        say("  more rows than the committed figures rest on, as is known of this source: verdicts are not asserted")
        return
    for tidy in other:
        (folder / tidy.file).unlink()
    if other:
        raise FetchError(
            "other rows than the committed figures rest on, removed: "
            + ", ".join(f"{tidy.file} (SHA-256 {found}, expected {tidy.sha256})" for tidy, found in other.items())
            + ". Someone has changed the source or the way to it. If you trust these rows, put their digests into "
            "data/logs/sources.yaml and fetch again."
        )


def _pattern(glob: str) -> re.Pattern[str]:
    """A pattern of paths: * within a folder, ** over folders."""
    parts = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile("".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*)", glob)))


def _short(path: Path) -> str:
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path)
