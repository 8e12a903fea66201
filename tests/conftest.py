"""Models that live on a local server, put in the place of params/models.yaml and params/prices.yaml; notebooks' kernels."""

import ast
import contextlib
import gc
import importlib.util
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: pytest-xdist already uses every core
sys.modules.setdefault("rfc3987_syntax", None)  # an optional part of jsonschema that takes seconds to import

from proctor.data.questions import load_families
from proctor.models import registry
from proctor.models.messages import Reply, Request
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.paths import ROOT
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook

# The same examples in each run, and none fails for a machine that is busy; `--hypothesis-profile explore` draws others.
hypothesis.settings.register_profile(
    "explore", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], max_examples=300
)
hypothesis.settings.register_profile(
    "any machine", hypothesis.settings.get_profile("explore"), derandomize=True, max_examples=40
)
hypothesis.settings.load_profile("any machine")

LONG = tuple(f"tests/{place}" for place in ("desk/", "models/", "notebooks/", "report/", "test_", "workflow/"))
KEY = "PROCTORFAKE-7f3a9c2d41"
SERVER = Path(__file__).parent / "models" / "faulty_server.py"

_spec = importlib.util.spec_from_file_location(SERVER.stem, SERVER)  # tests are no package (importlib mode)
_module = sys.modules[SERVER.stem] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)


def pytest_collection_modifyitems(items):
    """The files that take longest first, so that at the end no core waits for one of them."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture(scope="module", autouse=True)
def little_garbage():
    """Collections of garbage, which statsmodels asks for at each correction, do not look at all that is loaded."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    """What `little_garbage` froze is freed when the process ends; else DuckDB's binding prints it as leaked."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def unchanged():
    """What a test, or a command or benchmark that it runs in this process, puts elsewhere is put back after it."""
    environment, table = dict(os.environ), registry._table
    yield
    registry._table = table
    if os.environ != environment:
        os.environ.clear()
        os.environ.update(environment)


@pytest.fixture
def file(tmp_path):
    """A text as a file in the test's folder; its path."""

    def write(text, name="table.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture(scope="session")
def kernels():
    """What forks the kernels of all notebooks that the tests run (PROCTOR_KERNELS: its folder)."""
    with KernelServer() as server:
        yield server


@pytest.fixture(scope="session")
def defined():
    """What a notebook defines: defined("kina/3_leaderboard", np=np) with the names that its functions use."""

    def of(notebook: str, **known) -> SimpleNamespace:
        for cell in Notebook(ROOT / f"notebooks/{notebook}.ipynb").code:
            tree = compile(cell.source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
            exec(compile(ast.Module(functions, []), notebook, "exec"), known)
        return SimpleNamespace(**known)

    return of


@pytest.fixture(scope="session")
def python():
    """A program in the place of Python that has imported the big packages: for -c and -m (see python_server.py)."""
    with tempfile.TemporaryDirectory(prefix="python-") as folder:  # a socket's path may have about 100 characters
        command = [sys.executable, Path(__file__).with_name("python_server.py"), folder]
        server, program = subprocess.Popen(command, stdin=subprocess.PIPE), Path(folder, "python")
        while not program.exists():
            assert server.poll() is None
            time.sleep(0.02)
        yield str(program)
        server.communicate()


@pytest.fixture
def serving(monkeypatch):
    """`serving(**how)` starts a server; models "open" and "claude" are its two interfaces, priced 1 and 2 $/M
    tokens."""
    running = []

    def start(**how):
        server = _module.Server(**how).__enter__()
        running.append(server)
        table(monkeypatch, server.url)
        return server

    monkeypatch.setenv("FAKE_KEY", KEY)
    yield start
    for server in running:
        server.__exit__()


def table(monkeypatch, url: str) -> None:
    models = {
        "open": {"kind": "openai", "model": "m", "base_url": f"{url}/v1", "key_env": "FAKE_KEY"},
        "claude": {"kind": "anthropic", "model": "m", "base_url": url, "key_env": "FAKE_KEY"},
        "unpriced": {"kind": "openai", "model": "m", "base_url": f"{url}/v1"},
    }
    prices = {"open": {"input": 1.0, "output": 2.0}, "claude": {"input": 1.0, "output": 2.0}}
    monkeypatch.setattr(registry, "_table", {"models.yaml": models, "prices.yaml": prices}.__getitem__)


@pytest.fixture
def session(tmp_path):
    """`session(**how)`: a Session with a cache of its own and no recordings, that asks, without a limit."""

    def make(mode: str = "auto", **how) -> Session:
        defaults = dict(cache=tmp_path / "replies.sqlite", recorded=None, progress=False, timeout=5.0, concurrency=16)
        defaults["budget"] = "none"
        return Session(mode, **{**defaults, **how})

    return make


class FakeModel:
    """Stands in for a session. It answers half of the questions of families-v2, and of their neighbours, rightly;
    `asked` holds what it was asked."""

    def __init__(self, keys: dict[str, str]):
        self.asked, self.keys, self.settings, self.stand_ins = [], keys, Settings(), 0

    as_recorded = contextlib.nullcontext

    async def ask_many(self, requests, what="calls"):
        requests = list(requests)
        self.asked += requests
        return [self.reply(request) for request in requests]

    def reply(self, request: Request) -> Reply:
        name, last = request.prompt.split("@")[0], request.messages[-1]["content"]
        if name.startswith("kina/answer_calculator"):
            told = last.removeprefix("Result: ")
            return Reply("Calculate: 2 x 3" if told == last else f"Exact Answer: {told}", completion_tokens=6)
        if name.startswith("hle/confidence"):
            return Reply("96%" if name.endswith("anchored") else "70%")
        if name.startswith("uq/cycle_infer"):
            return Reply("What is asked?")
        if name == "hle_verified/audit_parts":
            p = (1 + int(request.key[:4], 16)) / 2**17  # in (0, 0.5], whatever the item is
            return Reply("Sound: [[N", tokens=(("N", math.log(1 - p)),), first={"Y": math.log(p), "N": math.log(1 - p)})
        if name.startswith("uq/"):
            bare = Reply("Accepted: [[Y", tokens=(("Y", -0.1),), first={"Y": -0.1, "N": -2.4})
            return Reply("Check: one step is wrong.\nAccepted: [[N]]") if "reasoned" in name else bare
        answer = int(self.keys[last]) + int(request.key[:4], 16) % 2
        return Reply(f"Explanation: It is {answer}.\nExact Answer: {answer}", completion_tokens=9)


@pytest.fixture(scope="session")
def _keys():
    questions = load_families(version="families-v2")
    near = [each for question in questions for each in question.extra["neighbours"]]
    return {one["question"]: one["answer"] for one in near} | {one.question: one.answer for one in questions}


@pytest.fixture
def fake_model(_keys):
    """A `FakeModel` that was asked nothing yet."""
    return FakeModel(_keys)


@pytest.fixture
def ask():
    """`ask(text)`: the request with that one message, to "open" unless told otherwise."""

    def make(text: str, model: str = "open", **how) -> Request:
        return Request(model=model, messages=({"role": "user", "content": text},), **how)

    return make


@pytest.fixture
def quick(monkeypatch):
    """Pauses between attempts a hundredth as long; what a server asks for is still waited."""
    from proctor.models import session as module

    monkeypatch.setattr(module.random, "random", lambda: -0.49)


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, headless, or the one that PROCTOR_CHROMIUM names."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("PROCTOR_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("no Chromium here: install Debian's package chromium, or name one in PROCTOR_CHROMIUM")
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()
