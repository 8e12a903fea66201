import pytest
from proctor.report import site_check
from proctor.report.catalog import Row


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, headless, or the one that PROCTOR_CHROMIUM names."""
    if site_check.CHROMIUM is None:
        pytest.skip("no chromium here to look at pages with")
    with site_check.chromium() as opened:
        yield opened


@pytest.fixture
def row():
    """`row("uq/x", kind="claim")`: a row of the catalog, otherwise blank."""

    def make(id, **cells):
        blank = dict.fromkeys(Row._fields, "") | {"outputs": (), "evidence": ()}
        return Row(**blank | {"id": id, "paper": id.partition("/")[0], "title": "A title"} | cells)

    return make
