"""Fetching sources of logs from a git server on this machine, and from one that is not there."""

import gzip
import json
import socket
import subprocess
import time

import pandas as pd
import pytest
from proctor import log_files, logs
from proctor.data.fetch import FetchError
from proctor.data.tabular import DataError
from proctor.log_files import Source, Tidy
from proctor.logs import fetch

from .laying import put
from .test_erdos import entry

ROWS = [{"subject_id": "s", "responses": {"x": 1, "y": 0}}, {"subject_id": "t", "responses": {"x": 0, "y": 0}}]
GSO = Tidy("gso", "gso_15systems.csv.gz", "outcomes")


def git(folder, *arguments, date="2026-01-17T12:00:00+0000"):
    who = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-C", str(folder), *arguments], env=who | when, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder, date="2026-01-17"):
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "x", date=f"{date}T12:00:00+0000")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(no_logs, tmp_path, monkeypatch):
    """An empty repository, served as owner/name."""
    folder = tmp_path / "served" / "owner" / "name"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "config", "uploadpack.allowFilter", "true")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    how = ["--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", f"--base-path={tmp_path / 'served'}"]
    with subprocess.Popen(["git", "daemon", *how]) as server:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.01)
        there = server.poll() is None  # else git came without its daemon, and reads the folder itself
        monkeypatch.setenv("PROCTOR_LOGS_URL", f"git://127.0.0.1:{port}" if there else (tmp_path / "served").as_uri())
        yield folder
        server.terminate()


@pytest.fixture
def outcomes(repository):
    """Outcomes of two systems, beside a file that nobody wants: the source at their commit."""
    put(repository, "data/gso/responses.jsonl", ROWS)
    put(repository, "big.bin", bytes(50_000))
    (link := repository / "data/link/responses.jsonl").parent.mkdir()
    link.symlink_to("/etc/passwd")
    return Source(
        "agent_outcomes", "owner/name", commit(repository), ("data/*/responses*.jsonl",), "MIT", "Cite me", (GSO,)
    )


def test_a_source_is_fetched_once_at_its_commit_with_the_wanted_files_alone_and_no_links(
    outcomes, repository, no_logs, capsys, monkeypatch
):
    seen, import_them = [], fetch.IMPORTERS["agent_outcomes"]

    def importer(raw):
        files = [path for path in raw.rglob("*") if not path.is_dir()]
        seen.append(sorted((path.relative_to(raw).as_posix(), path.is_symlink()) for path in files))
        return import_them(raw)

    monkeypatch.setitem(fetch.IMPORTERS, "agent_outcomes", importer)
    put(repository, "data/gso/responses.jsonl", ROWS[:1])
    later = commit(repository)
    fetch.fetch_source(outcomes)
    file = no_logs / "agent_outcomes/gso_15systems.csv.gz"
    assert gzip.decompress(file.read_bytes()).decode() == "item,s,t\r\nx,1,0\r\ny,0,0\r\n"
    assert sorted(path.name for path in no_logs.rglob("*") if path.is_file()) == [file.name, "source.json"]
    said = capsys.readouterr().err
    assert "licence MIT" in said and "Cite me" in said and logs.outcomes("gso").shape == (2, 2)
    fetch.fetch_source(outcomes)
    assert "present" in capsys.readouterr().err and seen == [
        [("data/gso/responses.jsonl", False), ("data/link/responses.jsonl", False)]
    ]
    fetch.fetch_source(outcomes._replace(commit=later))
    assert logs.outcomes("gso").shape == (2, 1)


def test_a_joined_source_is_fetched_into_the_same_folder(outcomes, repository, no_logs, monkeypatch):
    folder = repository.with_name("other")
    git(repository.parent, "init", "--quiet", str(folder))
    put(folder, "data/swebench_pro/responses.jsonl", ROWS)
    paths = ("data/swebench_pro/*.jsonl",)
    other = outcomes._replace(name="other", repository="owner/other", commit=commit(folder), paths=paths)
    monkeypatch.setattr(fetch, "sources", lambda: {"other": other})
    fetch.fetch_source(outcomes._replace(joined="other"))
    assert {path.name for path in (no_logs / "agent_outcomes").glob("*.gz")} == {
        GSO.file, "swebench_pro_14systems.csv.gz",
    }  # fmt: skip


def test_what_can_not_be_fetched_or_imported_is_told_and_leaves_nothing(outcomes, repository, no_logs, monkeypatch):
    with pytest.raises(FetchError, match="git can't read owner/gone at .*PROCTOR_LOGS"):
        fetch.fetch_source(outcomes._replace(repository="owner/gone"))
    with pytest.raises(FetchError, match="git can't read owner/name at aaaaaaaaaaaa"):
        fetch.fetch_source(outcomes._replace(commit="a" * 40))
    tidy = (GSO._replace(sha256="00"),)
    with pytest.raises(FetchError, match=r"not kept: gso_15systems.csv.gz \(SHA-256 [0-9a-f]{64}, expected 00\)"):
        fetch.fetch_source(outcomes._replace(tidy=tidy))
    put(repository, "data/gso/responses.jsonl", [{"subject_id": "a"}])
    with pytest.raises(DataError, match=r"agent_outcomes: its raw files are not .* \(KeyError\('responses'\)\)"):
        fetch.fetch_source(outcomes._replace(commit=commit(repository)))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FetchError, match="not installed"):
        fetch.fetch_source(outcomes)
    assert not list(no_logs.iterdir())


def test_rows_that_grow_are_kept_where_that_is_known_and_those_of_every_run_are_not_compared(
    outcomes, no_logs, capsys, monkeypatch
):
    grown = outcomes._replace(tidy=(GSO._replace(sha256="00"),), whole=False)
    fetch.fetch_source(grown)
    assert "verdicts are not asserted" in capsys.readouterr().err and log_files.available("gso")
    monkeypatch.setattr(fetch, "sources", lambda: {"agent_outcomes": grown._replace(whole=True, runs=("one",))})
    monkeypatch.setattr(fetch, "fetch_source", lambda source: print(source.runs, source.tidy))
    assert fetch.main(["--every-run"]) == 0 and capsys.readouterr().out == f"() {(GSO,)}\n"


def test_the_command_goes_on_after_a_source_that_fails(outcomes, monkeypatch, capsys):
    known = {"gone": outcomes._replace(name="gone", repository="owner/gone"), "agent_outcomes": outcomes}
    monkeypatch.setattr(fetch, "sources", lambda: known)
    assert fetch.main([]) == 1
    assert log_files.available("gso") and "gone: git can't read owner/gone" in capsys.readouterr().err
    assert fetch.main(["agent_outcomes"]) == 0
    with pytest.raises(SystemExit):
        fetch.main(["nobody"])
    assert "no source nobody; there are gone, agent_outcomes" in capsys.readouterr().err


def real(name, commit):
    known = log_files.sources()[name]
    return known._replace(
        repository="owner/name", commit=commit, tidy=tuple(each._replace(sha256="") for each in known.tidy)
    )


def test_each_version_of_a_table_is_fetched_up_to_the_commit(repository, no_logs):
    commits = []
    for day, state in enumerate(("open", "open", "solved", "open"), 1):
        put(repository, "data/problems.yaml", entry(1, state))
        put(repository, "other.txt", str(day))
        commits.append(commit(repository, f"2026-01-0{day}"))
    fetch.fetch_source(real("erdos", commits[2]))
    rows = logs.table("erdos")
    assert rows[["date", "changed", "state"]].to_numpy().tolist() == [
        ["2026-01-01", "new", "open"], ["2026-01-03", "state", "solved"],
    ]  # fmt: skip
    assert (no_logs / "erdos/versions.csv.gz").is_file()
    assert json.loads((no_logs / "erdos/source.json").read_text())["commit"] == commits[2]


def test_files_come_with_the_days_of_their_first_and_last_commits(repository, no_logs):
    for day, text in ((17, "FINAL PROOF"), (20, "FINAL UNRESOLVED")):
        put(repository, "attacks/erdos/b/1.tex", text)
        put(repository, "attacks/erdos/b/2 - é.tex", "FINAL PROOF")
        last = commit(repository, f"2026-01-{day}")
    fetch.fetch_source(real("erdos_attempts", last))
    rows = pd.read_csv(no_logs / "erdos_attempts/tidy.csv.gz")
    assert rows[["first_date", "last_date", "claim"]].to_numpy().tolist() == [
        ["2026-01-17", "2026-01-20", "unresolved"], ["2026-01-17", "2026-01-17", "claims_proof"],
    ]  # fmt: skip
