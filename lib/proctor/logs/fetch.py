"""Fetch the sources of logs and import them: `python -m proctor logs [NAME ...]`, or `make logs`.

Git brings a source at its commit from `https://github.com/<repository>`, or from `$PROCTOR_LOGS_URL/<repository>`: only
the wanted files, and of the history what is needed. The commit's id proves their bytes. The importer makes the tidy
files of them in `.cache/logs/<source>/`; the raw files are deleted. A tidy file whose digest is not that of
data/logs/sources.yaml is not kept.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from proctor import paths, program
from proctor.data.fetch import FetchError, say
from proctor.data.tabular import DataError
from proctor.files import write_atomic
from proctor.log_files import Source, sources
from proctor.logs import hle, importers, proofs

GITHUB = "https://github.com"
STAMP = "source.json"  # beside the tidy files: the commit that they come from
ALL = (importers.judge_scores, importers.mmlu_redux, importers.agent_outcomes, importers.zeroeval)
ALL += (importers.llmbar, importers.token_probability, hle.hle_runs, hle.hle_repairs, hle.hle_answers)
ALL += (importers.livebench, importers.mmlu_pro)
ALL += (proofs.open_proofs, proofs.broken_math, proofs.erdos, proofs.erdos_attempts)
IMPORTERS = {importer.__name__: importer for importer in ALL}  # by the name of the source
# Their known digests are those of lines that end with a carriage return and a line break.
OLDEST = ("judge_scores", "mmlu_redux", "agent_outcomes", "zeroeval", "llmbar", "token_probability")
# What an importer raises for raw files of another form.
OTHER_FORM = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


def main(arguments: list[str]) -> int:
    """Fetch the named sources, or all of them. Exit codes: 0 all are there, 1 one failed, 2 unknown name."""
    known = sources()
    parser = argparse.ArgumentParser(
        prog=f"{program()} logs",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {source.name:18} {source.repository}, {source.licence}" for source in known.values()),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a source of the list below; all where none is named")
    parser.add_argument("--every-run", action="store_true", help="also the runs that our results do not rest on")
    asked = parser.parse_args(arguments)
    if wrong := [name for name in asked.names if name not in known]:
        parser.error(f"no source {', '.join(wrong)}; there are {', '.join(known)}")
    failed = 0
    for name in asked.names or known:
        source = known[name]
        if asked.every_run and source.runs:  # more rows than those whose digests are known
            source = source._replace(runs=(), tidy=tuple(each._replace(sha256="") for each in source.tidy))
        try:
            fetch_source(source)
        except (FetchError, DataError) as error:
            failed += 1
            say(f"{name}: {error}")
    return 1 if failed else 0


def fetch_source(source: Source) -> None:
    """Bring the tidy files of a source into the cache, unless they are there.

    Raises FetchError (git, network, digest, disk) or DataError (raw files of another form).
    """
    folder = paths.CACHE / "logs" / source.name
    if _is_there(source, folder):
        say(f"{source.name}: present in {folder}")
        return
    say(f"{source.name}: {source.repository}@{source.commit[:12]}, licence {source.licence}. {source.citation}")
    needed = [source, *([sources()[source.joined]] if source.joined else [])]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".unfinished-") as unfinished:
            (raw := Path(unfinished) / "raw").mkdir()
            for each in needed:
                check_out(each, Path(unfinished) / f"{each.name}.git", raw)
            contents = tidy_files(source, raw)
        _compare(source, contents)
        for name, content in contents.items():
            write_atomic(folder / name, gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
            say(f"  {name}")
        stamp = {"commit": source.commit, "runs": list(source.runs)}
        write_atomic(folder / STAMP, json.dumps(stamp, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise FetchError(
            f"{error.strerror or error}. Free some disk space or fix the permissions of {folder.parent}."
        ) from error


def _is_there(source: Source, folder: Path) -> bool:
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
    except (OSError, ValueError):
        return False
    same = stamp.get("commit") == source.commit and stamp.get("runs", []) == list(source.runs)
    return same and all((folder / tidy.file).is_file() for tidy in source.tidy)


def check_out(source: Source, clone: Path, raw: Path) -> None:
    """Write a source's wanted files at its commit into `raw`, and what its `history` asks for. Raises FetchError.

    "versions": versions/<number>_<time, UTC>_<commit>.yaml of the one file. "dates": history.csv with the days of the
    first and the last commit of each file.
    """
    git = partial(_git, source, f"--git-dir={clone}", f"--work-tree={raw}")
    base = (os.environ.get("PROCTOR_LOGS_URL") or GITHUB).rstrip("/")
    # Without the filter all files of all commits come; with it those that are checked out.
    part = {"": ("--depth=1", "--filter=blob:none"), "dates": ("--filter=blob:none",), "versions": ()}[source.history]
    git("init", "--quiet")
    git("remote", "add", "origin", f"{base}/{source.repository}")
    git("fetch", "--no-tags", *part, "origin", source.commit)
    git("config", "core.sparseCheckout", "true")  # git sparse-checkout of before 2.35 takes no such patterns
    (clone / "info").mkdir(exist_ok=True)
    (clone / "info" / "sparse-checkout").write_text("\n".join(source.paths))
    git("checkout", "--quiet", "--detach", source.commit)
    if source.history == "versions":
        (raw / "versions").mkdir()
        for number, (commit, time, [name]) in enumerate(_commits(git, source)):
            content = git("show", f"{commit}:{name}")
            (raw / "versions" / f"{number:04}_{time}_{commit[:12]}.yaml").write_bytes(content)
    elif source.history == "dates":
        days: dict[str, list[str]] = {}
        for _, time, names in _commits(git, source):
            for name in names:
                days.setdefault(name, []).append(time[:10])
        rows = [(name, min(each), max(each)) for name, each in days.items()]
        pd.DataFrame(rows, columns=["path", "first_date", "last_date"]).to_csv(raw / "history.csv", index=False)


def _commits(git: Callable[..., bytes], source: Source) -> Iterator[tuple[str, str, list[str]]]:
    """Id, time (UTC) and changed wanted files of the commits along first parents to the source's own."""
    how = ["--first-parent", "--diff-merges=first-parent", "--no-renames", "--reverse", "--name-only", "-z"]
    how += ["--date=format-local:%Y-%m-%dT%H%M", "--format=%x01%H %cd"]
    log = git("log", *how, source.commit, "--", *(f":(top,glob){path}" for path in source.paths)).decode()
    for each in log.split("\x01")[1:]:
        head, *names = [part.strip("\n") for part in each.split("\0") if part.strip("\n")]
        commit, time = head.split()
        yield commit, time, names


def _git(source: Source, *arguments: str) -> bytes:
    """What git prints; its progress and its errors go to the terminal."""
    own = ("core.autocrlf=false", "core.symlinks=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=60")
    command = ["git", *(word for each in own for word in ("-c", each)), *arguments]
    outer = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")  # of a hook that runs us
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "TZ": "UTC"}
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True).stdout
    except FileNotFoundError:
        raise FetchError("git brings the logs, and it is not installed.") from None
    except subprocess.CalledProcessError:
        raise FetchError(
            f"git can't read {source.repository} at {source.commit[:12]}; why is said above. Check the network and run "
            "it again, or set PROCTOR_LOGS to a folder that holds the tidy files."
        ) from None


def tidy_files(source: Source, raw: Path) -> dict[str, bytes]:
    """{tidy file: its content, not packed} as the source's importer makes them of the raw files. Raises DataError."""
    try:
        tables = IMPORTERS[source.name](raw, **({"only": source.runs} if source.runs else {}))
    except OTHER_FORM as error:
        raise DataError(f"{source.name}: its raw files are not in the form that is known ({error!r}).") from error
    end = "\r\n" if source.name in OLDEST else "\n"
    return {name: table.to_csv(index=False, lineterminator=end).encode() for name, table in tables.items()}


def _compare(source: Source, contents: dict[str, bytes]) -> None:
    """Raises FetchError where a tidy file has other rows than the committed figures rest on."""
    found = {tidy: hashlib.sha256(contents.get(tidy.file, b"")).hexdigest() for tidy in source.tidy}
    other = {tidy: sha256 for tidy, sha256 in found.items() if tidy.sha256 not in ("", sha256)}
    if other and not source.whole:
        say("  more rows than the committed figures rest on, as is known of this source: verdicts are not asserted")
    elif other:
        raise FetchError(
            "other rows than the committed figures rest on, not kept: "
            + ", ".join(f"{tidy.file} (SHA-256 {sha256}, expected {tidy.sha256})" for tidy, sha256 in other.items())
            + ". If you trust these rows, put their digests into data/logs/sources.yaml and fetch again."
        )
