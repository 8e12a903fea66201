"""The walk itself is run by the notebook uq/8_platform and its test."""

import pytest
from desk import tour


def test_a_walk_that_fails_tells_why(tmp_path, monkeypatch):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no such table' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(tour.sys, "executable", str(broken))
    with pytest.raises(RuntimeError, match="no such table"):
        tour.tour()


def test_the_paper_s_parts_are_tried_once_each():
    parts = [part for part, _, _ in tour.PARTS]
    assert len(set(parts)) == len(parts) == 7
