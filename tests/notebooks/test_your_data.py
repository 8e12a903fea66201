"""The notebooks for one's own data, on the examples that ship: each leaves what the catalog promises, and the committed
results are its own."""

import pandas as pd
import pytest
from proctor import paths
from proctor.report import catalog

NAMES = [
    "hle/your_exam",
    "hle_verified/your_exam",
    "uq/your_answers",
    "uq/your_judge",
    "cbu/your_candidates",
    "kina/your_coverage",
]


@pytest.mark.parametrize("name", NAMES)
def test_it_leaves_what_the_catalog_promises(name, run_notebook, tmp_path):
    # limits of resamples are compared too: as many as were committed
    more = ["-p", "resamples", "2000"] if name == "uq/your_answers" else []
    done = run_notebook(name, tmp_path, "--params", "params/quick.yaml", *more)
    assert done.returncode == 0, done.stderr
    rows = [row for row in catalog.read() if row.notebook == name and row.state in catalog.RUN]
    assert len(rows) >= 3 and catalog.check(rows, tmp_path / "figures") == []
    for path in {output for row in rows for output in row.outputs if output.endswith(".csv")}:
        if "claims" not in path:
            pd.testing.assert_frame_equal(
                pd.read_csv(tmp_path / "figures" / path), pd.read_csv(paths.ROOT / "figures" / path)
            )
