import json
import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from proctor.paths import ROOT

LINES = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
PINS = [line.split(";")[0].strip() for line in LINES]  # behind the semicolon: the versions of Python that need it


def _canonical(pin: str) -> str:
    name, _, version = pin.partition("==")
    return f"{canonicalize_name(name)}=={version}"


def test_every_requirement_is_one_exact_pin():
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    names = [canonicalize_name(line.split("==")[0]) for line in PINS]
    assert len(set(names)) == len(names)


def test_every_direct_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "cluster"}
    lines = [*project["dependencies"], *sum(extras.values(), [])]
    direct = {canonicalize_name(Requirement(line).name) for line in lines}
    assert direct <= {canonicalize_name(line.split("==")[0]) for line in PINS}


def test_the_lock_holds_the_same_pins_each_with_digests():
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text())
    assert sorted(entry.split()[0] for entry in entries) == sorted(map(_canonical, PINS))
    assert all(
        re.fullmatch(r"\S+( ; \S+ < '[\d.]+')?( \\\n    --hash=sha256:[0-9a-f]{64})+\s*", entry) for entry in entries
    )


@pytest.mark.parametrize("name", ["requirements.txt", "environment.yml", "pyproject.toml", "Makefile"])
def test_no_package_index_is_named(name: str):
    assert not re.search(r"index.url|find-links|://", (ROOT / name).read_text())


def test_conda_installs_the_same_pins_and_containers_call_what_the_makefile_has():
    container = (ROOT / "Containerfile").read_text() + (ROOT / ".binder/postBuild").read_text()
    container += json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())["postCreateCommand"]
    assert {"pip": ["-r requirements.txt"]} in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    named = set(re.findall(r"\bmake\"?,? \"?([a-z]+)", container)) - {"git"}
    assert named == {"setup", "lab"}
    assert named <= set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
