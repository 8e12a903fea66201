"""The notebooks for one's own data, on the examples that ship: each leaves what the catalog promises, and the committed
results are its own."""

import pandas as pd
import pytest
from proctor import paths
from proctor.report import catalog

NAMES = ["hle/your_exam", "uq/your_answers", "cbu/your_candidates", "kina/your_coverage"]


@pytest.mark.parametrize("name", NAMES)
def test_it_leaves_what_the_catalog_promises(name, run_notebook, tmp_path):
    done = run_notebook(name, tmp_path, "--params", "params/quick.yaml")
    assert done.returncode == 0, done.stderr
    rows = [row for row in catalog.read() if row.notebook == name and row.state in catalog.RUN]
    assert len(rows) >= 3 and catalog.check(rows, tmp_path / "figures") == []
    for path in {output for row in rows for output in row.outputs if output.endswith(".csv")}:
        if "claims" not in path:
            quick, committed = (pd.read_csv(root / "figures" / path) for root in (tmp_path, paths.ROOT))
            if name == "uq/your_answers":  # its limits are of resamples, fewer in a quick run
                quick, committed = (frame.filter(regex=r"(?<!_low)(?<!_high)$") for frame in (quick, committed))
            pd.testing.assert_frame_equal(quick, committed)
