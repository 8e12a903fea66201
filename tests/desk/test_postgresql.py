"""The same tests on PostgreSQL, where its programs are found: what writes, what reads files, and the migrations.

All of the desk's tests: PROCTOR_TEST_DB=postgresql://user@host/name python -m pytest tests/desk
"""

import os
import subprocess
import sys

import pytest
from proctor.paths import ROOT

from .postgresql_server import MISSING, programs, running

CHOSEN = ("test_acts.py", "test_files.py", "test_jobs.py", "test_migrations.py", "test_rate_limits.py")


@pytest.mark.skipif(programs() is None, reason=MISSING)
@pytest.mark.skipif("PROCTOR_TEST_DB" in os.environ, reason="these tests run on a database of their own already")
def test_acts_files_and_migrations_hold_on_postgresql():
    with running() as server:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-p",
            "no:randomly",
        ]
        done = subprocess.run(
            [*command, *(str(ROOT / "tests/desk" / name) for name in CHOSEN)],
            env=os.environ | {"PROCTOR_TEST_DB": server.url},
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout[-3000:]
