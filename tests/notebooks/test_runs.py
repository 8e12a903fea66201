"""Each notebook runs with the quick parameters and leaves what is committed: `differences` of conftest looks at each run
(one whose run by `make reproduce` holds is not run again).

Those of whose tables and claims a part is counted again run in that test's file; the others run here.
"""

import base64
import json
import re
import shutil
from pathlib import Path

import pytest
from proctor import paths
from proctor.report.claims import read_claims
from proctor.workflow.notebook import all_notebooks
from proctor.workflow.receipts import records

TEXT = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
MADE_BY = {one: record["code"]["notebook"] for one, record in records().items()}
MADE_BY |= {claim.id: claim.notebook for claim in read_claims()}
COUNTED = {MADE_BY[one] for one in re.findall(r'(?:read|claim)\("([\w./-]+)"', TEXT) if one in MADE_BY}
OTHERS = [each for each in all_notebooks() if each.name not in COUNTED and not each.name.endswith("/exercises")]


@pytest.mark.parametrize("notebook", OTHERS, ids=lambda notebook: notebook.name)
def test_it_runs_and_leaves_what_is_committed(notebook, done):
    done(notebook.name)


@pytest.fixture(scope="module")
def conftest(request):
    return next(plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "page_faults"))


def test_what_a_run_leaves_otherwise_is_named(conftest, tmp_path):
    name, folder = "cbu/5_worked_candidates", tmp_path / "cbu"
    folder.mkdir()
    for one in conftest.records_of(name):
        for path in paths.COMMITTED.glob(f"{one}.*"):
            shutil.copy(path, folder)
    assert conftest.differences(name, tmp_path) == []
    for file, old, new, said in (  # what stands in a file, what then stands there, what is said
        ("5_effects.json", '"measured"', '"simulated"', "cbu/5_effects: evidence is simulated, committed measured"),
        ("5_effects.csv", "0.30625", "0.25", "cbu/5_effects has other difference than committed"),
        ("5_effects.csv", "difference", "gap", "cbu/5_effects has the columns"),
        ("claims_5_worked_candidates.csv", "cbu/5_transfer,", "cbu/5_transfers,", "cbu/5_transfer is not judged"),
        ("claims_5_worked_candidates.csv", ",holds,", ",does not hold,", "verdict is does not hold, committed holds"),
        ("5_auc.json", '"notebook": "cbu', '"notebook": "uq', "cbu/5_auc is left by one run alone"),
    ):
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))
        assert any(said in fault for fault in conftest.differences(name, tmp_path))
        (folder / file).write_text(text)


def picture(content: bytes):
    return {"output_type": "display_data", "data": {"image/png": base64.b64encode(content).decode()}}


@pytest.mark.parametrize(
    "outputs, faults",
    [
        ([picture(b"one"), {"name": "stdout", "text": "fine"}], []),
        ([], ["fig_1 is shown 0 times"]),
        ([picture(b"one"), picture(b"one")], ["fig_1 is shown 2 times"]),
        ([picture(b"one"), picture(b"half")], ["cell 2 shows a picture that is not saved"]),
        (
            [picture(b"one"), {"data": {"text/plain": ["<Axes at 0x7f01>"]}}],
            ["cell 2 shows an object: <Axes at 0x7f01>"],
        ),
        ([picture(b"one"), {"name": "stderr", "text": ["\r 10%|#"]}], ["cell 2 leaves on stderr: \r 10%|#"]),
    ],
)
def test_each_fault_of_a_page_is_named(conftest, outputs, faults, tmp_path):
    cells = [{"cell_type": "markdown", "source": []}, {"cell_type": "code", "source": [], "outputs": outputs}]
    (tmp_path / "out.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "figures/uq").mkdir(parents=True)
    (tmp_path / "figures/uq/fig_1.json").write_text('{"code": {"notebook": "mine"}}')
    (tmp_path / "figures/uq/fig_1.png").write_bytes(b"one")
    assert conftest.page_faults("mine", tmp_path) == faults
