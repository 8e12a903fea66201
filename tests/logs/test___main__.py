"""`python -m proctor.logs` is the command that the messages name."""

import subprocess
import sys


def test_an_unknown_source_ends_with_the_known_ones():
    done = subprocess.run([sys.executable, "-m", "proctor.logs", "nobody"], capture_output=True, text=True)
    assert done.returncode == 2 and "no source nobody; there are judge_scores, hle_runs" in done.stderr
