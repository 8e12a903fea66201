"""An installed library, outside of a checkout: it has parameters, prompts, data and recordings, and writes elsewhere."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata

import pytest
from faulty_server import Server
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from proctor import cli, paths

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


FOLDERS = ("lib", "params", "data", "notebooks")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The unpacked wheel, which is what pip leaves in site-packages; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files", "-z", *FOLDERS, "pyproject.toml", "setup.py", "README.md"],
                           cwd=paths.ROOT, capture_output=True, check=True, text=True).stdout.split("\0")  # fmt: skip
    for name in filter(None, files):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(paths.ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", "."]
    subprocess.run([*pip, str(source)], cwd=folder, check=True, capture_output=True)
    zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def installed(site, tmp_path_factory):
    """installed(code, *extras): the finished process of some Python code, in a folder that is empty at first, where the
    wheel and what it requires can be imported, with these extras, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    (folder / "sitecustomize.py").write_text(BLOCKER)

    def run(code: str, *extras: str) -> subprocess.CompletedProcess:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
        environment |= {"PYTHONPATH": f"{site}{os.pathsep}{folder}", "PYTHONSAFEPATH": "1"}
        environment |= {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CACHE", "CONFIG")}
        environment |= {"BLOCKED": " ".join(not_required(*extras))}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)

    run.folder = folder
    return run


BLOCKER = """
import os, sys

class Blocker:
    names = set(os.environ["BLOCKED"].split())

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""


def not_required(*extras: str) -> set[str]:
    """The modules of this environment that neither the package nor what it requires asks for."""
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *sum((project["optional-dependencies"][extra] for extra in extras), [])]
    todo, seen = [Requirement(line) for line in lines], set()
    while todo:
        one = todo.pop()
        if (key := (canonicalize_name(one.name), frozenset(one.extras))) in seen:
            continue
        seen.add(key)
        for line in metadata.requires(one.name) or []:
            more = Requirement(line)
            if more.marker is None or any(more.marker.evaluate({"extra": extra}) for extra in ("", *one.extras)):
                todo.append(more)
    here = {name for name, _ in seen}
    owners = metadata.packages_distributions().items()
    return {module for module, names in owners if not here & set(map(canonicalize_name, names))}


def test_the_wheel_holds_the_notebooks_of_commands_and_no_tests_other_notebooks_or_figures(site):
    tops = {path.relative_to(site).parts[0] for path in site.rglob("*") if path.is_file()}
    assert {name for name in tops if not name.endswith("dist-info")} == {"proctor", "desk"}
    assert (site / "desk/templates/desk/base.html").is_file() and (site / "desk/seed_texts.yaml").is_file()
    assert list(site.glob("proctor/checkout/params/models.yaml"))
    shipped = {path.relative_to(site / "proctor/checkout/notebooks").as_posix() for path in site.rglob("*.ipynb")}
    own = {
        path.relative_to(paths.ROOT / "notebooks").as_posix() for path in paths.ROOT.glob("notebooks/*/*your_*.ipynb")
    }
    assert shipped == own and len(own) == 8


SERVER = "http://127.0.0.1:9/v1"  # nobody listens
EXAM = f"exam EXAMPLES/exam_questions.jsonl --model openai/m@{SERVER}"
CANDIDATES = f"candidates EXAMPLES/candidates.jsonl --neighbours EXAMPLES/neighbours.jsonl --model openai/m@{SERVER}"
VALIDATE = f"validate EXAMPLES/answers.jsonl --questions EXAMPLES/exam_questions.jsonl --judges openai/m@{SERVER}"
STARTED = [  # words, exit code, what is said
    (f"{EXAM} --max-calls 99", 2, "exam needs papermill, which is not installed: pip install 'proctor[notebooks]'"),
    (f"{CANDIDATES} --max-calls 999", 2, "pip install 'proctor[notebooks]'"),
    (f"{VALIDATE} --max-calls 999", 2, "pip install 'proctor[notebooks]'"),
    (f"{EXAM} --plan", 0, "to ask"),
    (f"{EXAM} --export requests.jsonl", 0, "requests in requests.jsonl"),
    ("coverage EXAMPLES/exam_questions.jsonl", 2, "pip install 'proctor[notebooks]'"),
    ("audit EXAMPLES/reported_metrics.csv", 2, "pip install 'proctor[notebooks]'"),
    ("leaderboard EXAMPLES/leaderboard.csv", 2, "pip install 'proctor[notebooks]'"),
    ("compare one.csv other.csv", 2, "pip install 'proctor[notebooks]'"),
    ("judge EXAMPLES/judge_labels.csv EXAMPLES/judge_verdicts.csv", 2, "pip install 'proctor[notebooks]'"),
    ("keys EXAMPLES/exam_answers.csv", 2, "pip install 'proctor[notebooks]'"),
    ("mark EXAMPLES/replies.csv --keys EXAMPLES/keys.csv", 0, "2 turned right, 0 turned wrong"),
    ("run", 0, "uq/your_answers"),
    ("run uq/your_answers", 2, "pip install 'proctor[notebooks]'"),
    ("sweep uq/your_answers --seed 1 2", 2, "pip install 'proctor[notebooks]'"),
    (f"export --study answers --models openai/m@{SERVER} --out study.jsonl", 0, "requests in study.jsonl"),
    ("import requests.jsonl replies.jsonl", 1, "0 replies kept"),
    ("how-many items --rates 0.6 0.5", 0, "408 items"),
    ("logs nobody", 2, "no source nobody"),
    ("dataset generate --out dumps", 2, "pip install 'proctor[dataset]'"),
    ("platform", 2, "pip install 'proctor[platform]'"),
    ("diff HEAD", 2, "not a git repository"),
    ("status", 1, "2 runs in "),
]
EACH = """
import contextlib, io, json
from proctor import cli, paths

def start(words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        try:
            cli.main(words)
        except SystemExit as end:
            return end.code or 0, out.getvalue()

lines = [line.replace("EXAMPLES", str(paths.DATA / "examples")) for line in LINES]
print(json.dumps([start(line.split()) for line in lines]))
"""


def test_without_extras_a_study_is_replayed_and_each_command_starts_or_names_the_extra_that_it_lacks(site, installed):
    for name in ("one.csv", "other.csv"):
        (installed.folder / name).write_text("item,score\na,1\nb,0\n")
    (installed.folder / "replies.jsonl").write_text("")
    done = installed(f"LINES = {[words for words, *_ in STARTED]!r}\n{SCRIPT}\n{EACH}")
    assert done.returncode == 0, done.stderr
    replayed, ends = map(json.loads, done.stdout.splitlines())
    assert replayed["installed"] and replayed["root"] == str(site / "proctor" / "checkout")
    assert replayed["cache"] == str(installed.folder / "cache/proctor")
    assert replayed["build"] == str(installed.folder / "build")  # outside of itself
    assert replayed["rows"] > 10 and replayed["replies"] == 27 and replayed["prompt"].startswith("uq/vanilla@")
    assert replayed["model"] == "gguf"
    for (words, code, told), (ended, said) in zip(STARTED, ends, strict=True):
        assert (ended, told in said) == (code, True), (words, ended, said)
    commands = {command.name or command.callback.__name__ for command in cli.app.registered_commands}
    assert {words.split()[0] for words, *_ in STARTED} == commands


def test_an_installed_command_asks_a_model_of_the_user_s_own_and_shows_its_table(installed):
    (installed.folder / "sums.csv").write_text("question,answer\nWhat is 1?,1\nWhat is 2?,2\n")
    settings = installed.folder / "config/proctor"
    settings.mkdir(parents=True)
    with Server(answer=lambda text: "Exact Answer: 1") as server:
        (settings / "my_models.yaml").write_text(f"mine: {{kind: openai, model: m, base_url: '{server.url}/v1'}}")
        (settings / "my_prices.yaml").write_text("mine: {input: 1, output: 2}")
        words = ["exam", "sums.csv", "--model", "mine", "--budget", "1"]
        done = installed(f"from proctor import cli\ncli.main({words!r})", "notebooks")
        assert done.returncode == 0 and server.arrived == 2, done.stderr
    assert f"{installed.folder}/build/runs/exam-sums" in done.stdout and " 50.0% " in done.stdout
