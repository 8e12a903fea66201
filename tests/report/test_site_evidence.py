import json

import pytest
from proctor.report.site_check import Addresses
from proctor.report.site_evidence import Behind, badges, without_label


@pytest.mark.parametrize(
    "output, name",
    [
        ('<div class="proctor-table"><table></table>\n<div style="x">measured · uq/a_1</div>\n</div>', "uq/a_1"),
        ("| a |\n|---|\n\n*published + measured · hle\\_verified/b\\_2*\n", "hle_verified/b_2"),
        ("<div>measured · uq/a_1, and more</div>", None),
        ("plain text", None),
    ],
)
def test_the_label_of_a_shown_table_names_it_and_is_taken_off(output, name):
    rest, found = without_label(output)
    assert found == name and (rest == output if name is None else "·" not in rest)
    assert rest.count("<div") == rest.count("</div>")


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


def test_badges():
    assert badges("published + measured").count("<span") == 2 and badges("") == ""
