"""A pool of generated questions of two sites, shared by the tests of this folder."""

import pytest
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.generate_dump import SITES, write_dumps


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """(pool, planted copies) of 1,000 questions a site, two sites, a twentieth of the second copied from the first."""
    folder = tmp_path_factory.mktemp("generated")
    planted = write_dumps(folder / "dumps", 1000, 5, SITES[:2], copies=0.05)
    for site in SITES[:2]:
        assert ingest_dump(folder / "dumps" / site.name / "Posts.xml", site.name, folder / "pool").rejected == 0
    return folder / "pool", planted
