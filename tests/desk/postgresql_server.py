"""A PostgreSQL server of one's own, in a folder of its own, where its programs are found; for tests and benchmarks."""

import contextlib
import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

PLACES = ("/usr/local/bin", *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True))
MISSING = "no PostgreSQL here (initdb, pg_ctl): on Debian apt-get install postgresql"


def programs() -> Path | None:
    """Where initdb and pg_ctl are."""
    on_path = shutil.which("initdb")
    places = [*([os.path.dirname(on_path)] if on_path else []), *PLACES]
    return next(
        (Path(one) for one in places if all(os.access(f"{one}/{p}", os.X_OK) for p in ("initdb", "pg_ctl"))), None
    )


class Server:
    """`url` names its database; it listens on a socket in its folder alone."""

    def __init__(self, folder: Path, places: Path):
        self.folder, self.places = folder, places
        self.url = f"postgresql://desk@{str(folder).replace('/', '%2F')}/postgres"
        self.run("initdb", "-U", "desk", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def run(self, program: str, *more: str) -> None:
        """As nobody where we are root, as whom PostgreSQL refuses to run."""
        how = dict(user="nobody", group="nogroup", extra_groups=[]) if os.geteuid() == 0 else {}
        command = [self.places / program, "-D", self.folder / "data", *more]
        with (self.folder / "log").open("ab") as log:  # a pipe would stay open in the server
            done = subprocess.run(command, stdout=log, stderr=log, cwd=self.folder, **how)
        if done.returncode:
            raise RuntimeError(f"{program}: {(self.folder / 'log').read_text()[-500:]}")

    def start(self) -> None:
        self.run("pg_ctl", "-w", "-o", f"-c listen_addresses='' -c fsync=off -k {self.folder}", "start")

    def stop(self) -> None:
        """At once, as if it was killed."""
        self.run("pg_ctl", "-m", "immediate", "-w", "stop")


@contextlib.contextmanager
def running() -> Iterator[Server]:
    places = programs()
    if places is None:
        raise RuntimeError(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="desk-pg-", dir="/tmp"))  # a socket's path must be short
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        server = Server(folder, places)
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(RuntimeError):  # stopped already
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
