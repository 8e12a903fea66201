"""Where PostgreSQL's programs are found: acts, rate limits, migrations, round trips of files, and the race for a budget.

All of the desk's tests: PROCTOR_TEST_DB=postgresql://user@host/name python -m pytest tests/desk
"""

import os
import subprocess

import pytest
from proctor.paths import ROOT

from .postgresql_server import MISSING, programs, running

FILES = ("acts", "command", "files", "security", "pages", "jobs")
WORDS = (  # in the names of what is chosen of them
    "test_acts", "the_five", "models_and_migrations", "comes_in_again", "stand_together", "fourth_of_three",
    "dropped_with_its_window", "filtered_and_sorted", "few_queries_however", "words_are", "the_index", "installing",
    "budget_together",
)  # fmt: skip


@pytest.mark.skipif(programs() is None, reason=MISSING)
@pytest.mark.skipif("PROCTOR_TEST_DB" in os.environ, reason="these tests run on a database of their own already")
def test_acts_files_and_migrations_hold_on_postgresql(python):
    with running() as server:
        command = [python, "-m", "pytest", *"-q -pno:cacheprovider -pno:xdist -k".split(), " or ".join(WORDS)]
        done = subprocess.run(
            [*command, *(f"{ROOT}/tests/desk/test_{name}.py" for name in FILES)],
            env=os.environ | {"PROCTOR_TEST_DB": server.url},
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout[-3000:]
