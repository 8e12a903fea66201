"""A small version of benchmarks/desk_faults.py: nothing that was acknowledged is lost, whatever is killed or full."""

import subprocess

from proctor.paths import ROOT


def test_no_acknowledged_review_is_lost_to_a_kill_or_to_a_full_disk(python):
    told = ["--only", "kills", "--only", "disk", "--kills", "1", "--people", "2"]
    done = subprocess.run(
        [python, ROOT / "benchmarks/desk_faults.py", *told], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "lost, doubled or torn: 0" in done.stdout
