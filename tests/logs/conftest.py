"""Where the tests of logs look: made-up tidy files by default, the real ones where ../shared has them."""

import pandas as pd
import pytest
from proctor import paths

SHARED = next(
    (place for up in paths.ROOT.parents[:2] if (place := up / "shared" / "data" / "logs").is_dir()),
    paths.ROOT / "shared" / "data" / "logs",
)


@pytest.fixture
def no_logs(tmp_path, monkeypatch):
    """A machine without logs; returns the cache's folder of them, to be filled."""
    monkeypatch.delenv("PROCTOR_LOGS", raising=False)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    return tmp_path / "cache" / "logs"


@pytest.fixture
def real_logs(monkeypatch):
    """The tidy files of the real sources; skips where they are not."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/data/logs")
    monkeypatch.setenv("PROCTOR_LOGS", str(SHARED))
    return SHARED


@pytest.fixture
def tidy(real_logs):
    """`tidy(source, name)`: a real tidy file, all of it as text."""
    return lambda source, name="tidy.csv.gz": pd.read_csv(real_logs / source / name, dtype=str, keep_default_na=False)
