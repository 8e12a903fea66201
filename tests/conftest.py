"""Models that live on a local server, put in the place of params/models.yaml and params/prices.yaml; notebooks' kernels."""

import gc
import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: pytest-xdist already uses every core
sys.modules.setdefault("rfc3987_syntax", None)  # an optional part of jsonschema that takes seconds to import

from proctor.models import registry
from proctor.models.messages import Request
from proctor.models.session import Session

KEY = "PROCTORFAKE-7f3a9c2d41"
SERVER = Path(__file__).parent / "models" / "faulty_server.py"

_spec = importlib.util.spec_from_file_location("faulty_server", SERVER)  # tests are no package (importlib mode)
_module = importlib.util.module_from_spec(_spec)
sys.modules["faulty_server"] = _module
_spec.loader.exec_module(_module)


def pytest_collection_modifyitems(items):
    """The files that take longest first, so that at the end no core waits for one of them."""
    items.sort(key=lambda item: not item.nodeid.startswith(("tests/workflow/", "tests/notebooks/", "tests/models/")))


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
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture(scope="session")
def workers():
    """What serves the jobs of a `make reproduce`: papermill and the kernels' packages are imported once."""
    from proctor.workflow.workers import Workers  # imports papermill

    with Workers(say=lambda line: None) as server:
        yield server


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
    """`session(**how)`: a Session with a cache of its own and no recordings, that asks."""

    def make(mode: str = "auto", **how) -> Session:
        defaults = dict(cache=tmp_path / "replies.sqlite", recorded=None, progress=False, timeout=5.0, concurrency=16)
        return Session(mode, **{**defaults, **how})

    return make


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
