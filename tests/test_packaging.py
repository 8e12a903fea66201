"""An installed library, outside of a checkout: it has parameters, prompts, data and recordings, and writes elsewhere."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
from proctor import paths

SCRIPT = """
import asyncio, json
from proctor import paths
from proctor.data.published import load_published
from proctor.exam.recorded import answers
from proctor.models.prompts import load
from proctor.models.registry import spec
from proctor.models.session import Session

async def replay():
    async with Session("replay") as session:
        return await answers(session, ["smollm2-135m"], 1)

print(json.dumps({
    "installed": paths.INSTALLED, "root": str(paths.ROOT), "cache": str(paths.CACHE), "build": str(paths.BUILD),
    "rows": len(load_published("uq/table_S10")), "replies": len(asyncio.run(replay())),
    "prompt": load("uq/vanilla").version, "model": spec("smollm2-135m").kind,
}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The unpacked wheel, which is what pip leaves in site-packages; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files", "-z", "lib", "params", "data", "pyproject.toml", "setup.py", "README.md"],
                           cwd=paths.ROOT, capture_output=True, check=True, text=True).stdout.split("\0")  # fmt: skip
    for name in filter(None, files):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(paths.ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", "."]
    subprocess.run([*pip, str(source)], cwd=folder, check=True, capture_output=True)
    zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(folder / "site")
    return folder / "site"


def test_an_installed_library_replays_a_study_and_writes_outside_of_itself(site, tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PROCTOR_")}
    environment |= {"PYTHONPATH": str(site), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONSAFEPATH": "1"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["installed"] and told["root"] == str(site / "proctor" / "checkout")
    assert told["cache"] == str(tmp_path / "cache" / "proctor") and told["build"] == str(tmp_path / "build")
    assert told["rows"] > 10 and told["replies"] == 27 and told["prompt"].startswith("uq/vanilla@")
    assert told["model"] == "gguf"


def test_the_wheel_holds_no_tests_notebooks_or_figures(site):
    tops = {path.relative_to(site).parts[0] for path in site.rglob("*") if path.is_file()}
    assert {name for name in tops if not name.endswith("dist-info")} == {"proctor"}
    assert not list(site.rglob("*.ipynb")) and list(site.glob("proctor/checkout/params/models.yaml"))
