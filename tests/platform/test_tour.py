import subprocess
import sys

TOUR = """
from proctor.platform.tour import tour
found = tour()
assert len(found) == 7 and found["holds"].all(), found.to_string()
"""


def test_each_part_that_the_paper_lists_is_on_a_desk_of_its_own(monkeypatch):
    for name in ("PROCTOR_DESK", "PROCTOR_DESK_DB"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run([sys.executable, "-c", TOUR], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
