"""Where PostgreSQL's programs are found: acts, rate limits, migrations, round trips of files, and the race for a budget.

All of the desk's tests: PROCTOR_TEST_DB=postgresql://user@host/name python -m pytest tests/desk
"""

import os
import subprocess

import pytest
from proctor.paths import ROOT

from .postgresql_server import MISSING, programs, running

CHOSEN = (
    "test_acts.py",
    "test_migrations.py",
    "test_files.py::test_what_comes_in_again_is_what_went_out",
    "test_files.py::test_rounds_and_runs_of_validators_come_in_again_with_what_they_refer_to",
    "test_files.py::test_a_changed_file_and_rows_that_cannot_stand_together_are_refused",
    "test_security.py::test_the_fourth_of_three_is_too_many_until_the_window_is_over",
    "test_security.py::test_what_is_stored_names_nobody_and_is_dropped_with_its_window",
    "test_pages.py",
    "test_jobs.py::test_jobs_that_start_at_once_do_not_pass_the_budget_together",
)


@pytest.mark.skipif(programs() is None, reason=MISSING)
@pytest.mark.skipif("PROCTOR_TEST_DB" in os.environ, reason="these tests run on a database of their own already")
def test_acts_files_and_migrations_hold_on_postgresql(python):
    with running() as server:
        command = [python, "-m", "pytest", "-q", *(f"-pno:{name}" for name in ("cacheprovider", "xdist"))]
        done = subprocess.run(
            [*command, *(str(ROOT / "tests/desk" / name) for name in CHOSEN)],
            env=os.environ | {"PROCTOR_TEST_DB": server.url},
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout[-3000:]
