"""Fetching sources of logs from a local server that cuts, stalls, refuses, lies and tries to write elsewhere."""

import gzip
import http.server
import io
import json
import tarfile
import threading

import pytest
from proctor import log_files, logs
from proctor.data.fetch import FetchError
from proctor.log_files import Source, Tidy
from proctor.logs import fetch

COMMIT = "a" * 40
ROWS = [{"subject_id": "s", "responses": {"x": 1, "y": 0}}, {"subject_id": "t", "responses": {"x": 0, "y": 0}}]
RESPONSES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def made(**changed) -> Source:
    tidy = (Tidy("gso", "gso_15systems.csv.gz", "outcomes"),)
    return Source(
        "agent_outcomes", "owner/name", COMMIT, ("data/*/responses*.jsonl",), "MIT", "Cite me", tidy
    )._replace(**changed)


def archive(members=None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in (members or {"data/gso/responses.jsonl": RESPONSES, "big.bin": bytes(50_000)}).items():
            info = tarfile.TarInfo(name if name.startswith(("/", "..")) else f"name-{COMMIT}/{name}")
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """Serves `body`. faults: one a request, in turn: "cut", "stall", an HTTP status, or "" for none."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.faults, self.asked, self.resumes = archive(), [], [], True
        self.base, self.over = f"http://127.0.0.1:{self.server_port}", threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server, fault = self.server, self.server.faults.pop(0) if self.server.faults else ""
        wanted = self.headers.get("Range")
        server.asked.append((self.path, wanted))
        if isinstance(fault, int):
            self.send_error(fault)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.resumes else 0
        if start and start >= len(server.body):
            self.send_error(416)
            return
        rest = server.body[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: len(rest) // 2] if fault else rest)
        if fault == "stall":
            self.wfile.flush()
            server.over.wait(60)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(no_logs, monkeypatch):
    server = Server()
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    monkeypatch.setenv("PROCTOR_LOGS_URL", server.base)
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()


def bring(source=None, timeout=30.0):
    return fetch.fetch_source(source or made(), timeout=timeout, pause=0)


def test_a_source_is_fetched_once_at_its_commit_and_imported(server, capsys):
    (file,) = bring()
    assert server.asked == [(f"/owner/name/archive/{COMMIT}.tar.gz", None)]
    assert gzip.decompress(file.read_bytes()).decode() == "item,s,t\r\nx,1,0\r\ny,0,0\r\n"
    said = capsys.readouterr().err
    assert "licence MIT" in said and "Cite me" in said and "not known before" in said
    assert sorted(path.name for path in file.parent.iterdir()) == ["gso_15systems.csv.gz", "source.json"]
    assert logs.outcomes("gso").shape == (2, 2)
    bring()
    assert len(server.asked) == 1 and "present" in capsys.readouterr().err
    bring(made(commit="b" * 40))
    assert len(server.asked) == 2


def test_a_joined_source_is_fetched_into_the_same_folder(server, monkeypatch):
    other = made(name="other", repository="owner/other", commit="c" * 40, paths=("more/*.txt",))
    monkeypatch.setattr(fetch, "sources", lambda: {"other": other})
    server.body = archive({"data/gso/responses.jsonl": RESPONSES, "more/x.txt": b"x"})
    (file,) = bring(made(joined="other"))
    assert [path for path, _ in server.asked] == [
        f"/owner/name/archive/{COMMIT}.tar.gz",
        f"/owner/other/archive/{'c' * 40}.tar.gz",
    ]
    stamp = json.loads((file.parent / "source.json").read_text())
    assert sorted(stamp["files"]) == ["data/gso/responses.jsonl", "more/x.txt"]
    assert [path.name for path in (file.parent.parent / ".unfinished/agent_outcomes").iterdir()] == []


@pytest.mark.parametrize("fault, resumes", [("cut", True), ("stall", True), ("cut", False)])
def test_a_download_that_stops_goes_on_where_it_stopped_or_anew(server, fault, resumes, capsys):
    server.faults, server.resumes = [fault], resumes
    (file,) = bring(timeout=0.3 if fault == "stall" else 30.0)
    assert [wanted for _, wanted in server.asked] == [None, f"bytes={len(server.body) // 2}-"]
    assert "attempt 2 of 4" in capsys.readouterr().err and file.is_file()


def test_what_has_come_is_kept_for_the_next_run(server):
    server.faults = ["cut"] + [503] * 3
    with pytest.raises(FetchError, match=r"could not be downloaded in 4 attempts \(HTTP 503\).*what has come is kept"):
        bring()
    bring()
    assert server.asked[-1][1] == f"bytes={len(server.body) // 2}-"


def test_a_whole_archive_that_was_not_imported_is_not_fetched_again(server, no_logs):
    part = no_logs / ".unfinished/agent_outcomes" / f"{COMMIT}.tar.gz.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(server.body)
    assert bring()[0].is_file()
    part.write_bytes(b"x" * 2 * len(server.body))
    (no_logs / "agent_outcomes/source.json").unlink()
    assert bring()[0].is_file() and server.asked[-1][1] is None


def test_a_repository_that_is_gone_is_said_at_once(server):
    server.faults = [404]
    with pytest.raises(FetchError, match=r"owner/name has no archive at commit a+ \(HTTP 404\).*PROCTOR_LOGS") as error:
        bring()
    assert len(server.asked) == 1 and "127.0.0.1" not in str(error.value)


OTHER_ROWS = (Tidy("gso", "gso_15systems.csv.gz", "outcomes", "00"),)
MORE = (*made().tidy, Tidy("swe_bench_pro", "swebench_pro_14systems.csv.gz", "outcomes"))
NO_ROWS = archive({"data/gso/responses.jsonl": b'{"subject_id": "a"}\n'})


@pytest.mark.parametrize(
    "changed, body, message",
    [
        ({}, b"<html>not an archive</html>", "no whole archive"),
        ({}, archive()[:-200], "no whole archive"),
        ({}, archive({"README.md": b"x"}), "holds none of data/"),
        ({}, NO_ROWS, "row 1: not in the form that is known"),
        (dict(sha256="00"), archive(), r"1 files have SHA-256 [0-9a-f]{64} together.*expects 00"),
        (dict(tidy=OTHER_ROWS), archive(), r"removed: gso_15systems.csv.gz \(SHA-256 [0-9a-f]{64}, expected 00\)"),
        (dict(tidy=MORE), archive(), "gave no swebench_pro_14systems.csv.gz"),
    ],
    ids=["a page", "cut off", "other files", "odd rows", "another archive", "other rows", "more rows"],  # no bytes
)
def test_what_is_wrong_is_told_and_leaves_nothing_of_it(server, no_logs, changed, body, message):
    server.body = body
    with pytest.raises((FetchError, ValueError), match=message):
        bring(made(**changed))
    kept = ["gso_15systems.csv.gz"] if changed.get("tidy") == MORE else []
    assert [path.name for path in no_logs.rglob("*") if path.is_file()] == kept


def test_rows_of_every_run_are_others_than_the_known_ones():
    assert not any(tidy.sha256 for tidy in fetch._with_every_run(made(tidy=OTHER_ROWS, runs=("one",))).tidy)


def test_the_printed_digest_is_the_one_to_expect_and_rows_that_grow_are_kept_where_that_is_known(
    server, no_logs, capsys
):
    bring()
    digest = capsys.readouterr().err.split("their digests ")[1].split()[0]
    (no_logs / "agent_outcomes/source.json").unlink()
    bring(made(sha256=digest))
    assert "(as known)" in capsys.readouterr().err
    (file,) = bring(made(tidy=OTHER_ROWS, whole=False, commit="d" * 40))
    assert file.is_file() and "verdicts are not asserted" in capsys.readouterr().err


def test_no_name_in_the_archive_leads_elsewhere(server, no_logs, tmp_path):
    evil = {f"data/{up}/responses.jsonl": b"evil" for up in ("..", "../..", "../../../..")}
    evil |= {
        "../data/x/responses.jsonl": b"evil",
        "/data/x/responses.jsonl": b"evil",
        "data/link/responses.jsonl": "/etc/passwd",
    }
    server.body = archive(evil | {"data/gso/responses.jsonl": RESPONSES})
    bring()
    stamp = json.loads((no_logs / "agent_outcomes/source.json").read_text())
    assert list(stamp["files"]) == ["data/gso/responses.jsonl"]
    assert not [path for path in tmp_path.rglob("responses.jsonl")]


@pytest.mark.parametrize(
    "glob, path, fits",
    [
        ("a/*.json", "a/b.json", True),
        ("a/*.json", "a/b/c.json", False),
        ("a/**/r.json", "a/b/c/r.json", True),
        ("a/**/r.json", "a/r.json", True),
        ("a/b.c", "a/bxc", False),
    ],
)
def test_patterns_stay_within_their_folders(glob, path, fits):
    assert bool(fetch._pattern(glob).fullmatch(path)) is fits


def test_the_command_goes_on_after_a_source_that_fails(server, monkeypatch, capsys):
    sources = {"agent_outcomes": made(), "gone": made(name="gone", repository="owner/gone")}
    monkeypatch.setattr(fetch, "sources", lambda: dict(reversed(sources.items())))
    server.faults = [404]
    assert fetch.main([]) == 1
    assert log_files.available("gso") and "gone: owner/gone has no archive" in capsys.readouterr().err
    assert fetch.main(["agent_outcomes"]) == 0
    assert fetch.main(["nobody"]) == 2 and "there are gone, agent_outcomes" in capsys.readouterr().err
