import json

from proctor.report.site_check import Addresses
from proctor.report.site_evidence import Behind


def test_an_artifact_without_a_record_has_neither_caption_nor_panel(tmp_path):
    behind = Behind(Addresses(tmp_path, tmp_path, {}))
    assert behind.caption("uq/gone", "uq/1_a") == behind.panel("uq/gone", "uq/1_a") == "" and behind.record(None) == {}


def test_a_caption_leads_to_the_row_that_owns_the_artifact(row, tmp_path):
    (tmp_path / "uq").mkdir()
    (tmp_path / "uq/a.json").write_text(json.dumps({"evidence": "measured"}))
    (tmp_path / "uq/a.csv").write_text("")
    owner = row("uq/table_1", kind="table", outputs=("uq/a.csv",))
    caption = Behind(Addresses(tmp_path, tmp_path, {}), [owner]).caption("uq/a", "uq/1_a")
    assert 'href="../catalog.html#uq/table_1"' in caption and ">CSV</a>" in caption and "Markdown" not in caption
