"""Each notebook runs with the quick parameters and leaves what is committed: `differences` of conftest looks at each run.

Those of whose tables a part is counted again have a file of their own; the others run here.
"""

import base64
import re
import shutil
from pathlib import Path

import pytest
from proctor import paths
from proctor.workflow.notebook import all_notebooks

FILES = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
COUNTED = {name for text in FILES for name in re.findall(r'^NAME = "(.+)"', text, re.MULTILINE)}
OTHERS = [each for each in all_notebooks() if each.name not in COUNTED and not each.name.endswith("/exercises")]


@pytest.mark.parametrize("notebook", OTHERS, ids=lambda notebook: notebook.name)
def test_it_runs_and_leaves_what_is_committed(notebook, quick_run, needs_logs):
    needs_logs(*notebook.logs)
    quick_run(notebook.name)


SPOILED = [  # an artifact of cbu/5_worked_candidates, what stands in its file, what then stands there, what is said
    ("5_effects.json", '"measured"', '"simulated"', "cbu/5_effects: evidence is simulated, committed measured"),
    ("5_effects.csv", "0.30625", "0.25", "cbu/5_effects has other difference than committed"),
    ("5_effects.csv", "difference", "gap", "cbu/5_effects has the columns"),
    ("claims_5_worked_candidates.csv", "cbu/5_transfer,", "cbu/5_transfers,", "cbu/5_transfer is not judged"),
    ("claims_5_worked_candidates.csv", ",holds,", ",does not hold,", "verdict is does not hold, committed holds"),
    ("5_auc.json", '"notebook": "cbu', '"notebook": "uq', "cbu/5_auc is left by one run alone"),
]


@pytest.fixture(scope="module")
def conftest(request):
    return next(plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "page_faults"))


@pytest.mark.parametrize("file, old, new, said", SPOILED)
def test_what_a_run_leaves_otherwise_is_named(file, old, new, said, conftest, tmp_path):
    name = "cbu/5_worked_candidates"
    for one in conftest.records_of(name, paths.COMMITTED):
        for path in (paths.COMMITTED / one).parent.glob(f"{Path(one).name}.*"):
            (tmp_path / one).parent.mkdir(exist_ok=True)
            shutil.copy(path, tmp_path / one.rpartition("/")[0])
    assert conftest.differences(name, tmp_path, paths.COMMITTED) == []
    text = (tmp_path / "cbu" / file).read_text()
    assert old in text
    (tmp_path / "cbu" / file).write_text(text.replace(old, new))
    assert any(said in fault for fault in conftest.differences(name, tmp_path, paths.COMMITTED))


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
def test_each_fault_of_a_page_is_named(conftest, outputs, faults):
    page = {"cells": [{"cell_type": "markdown"}, {"cell_type": "code", "outputs": outputs}]}
    assert conftest.page_faults(page, {b"one": "fig_1"}) == faults
