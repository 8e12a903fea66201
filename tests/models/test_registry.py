import re

import pytest
import yaml
from proctor.models import registry
from proctor.models.registry import ModelError, Spec, price, spec, weights_file
from proctor.paths import PARAMS, ROOT


@pytest.fixture
def table(monkeypatch):
    models: dict = {"mine": {"kind": "openai", "base_url": "http://127.0.0.1:1/v1"}}
    monkeypatch.setattr(
        registry, "_table", {"models.yaml": models, "prices.yaml": {"mine": {"input": 3, "output": 15}}}.__getitem__
    )
    return models


def test_models_are_found_by_entry_provider_and_path_and_prices_are_dollars_a_token(table):
    assert spec("mine").model == "mine" and not spec("mine").local
    assert (spec("openai/gpt-4o").model, spec("openai/gpt-4o").key_env) == ("gpt-4o", "OPENAI_API_KEY")
    assert spec("anthropic/a/b").model == "a/b" and spec("dir/x.gguf").local
    with pytest.raises(ModelError, match="no model 'gpt'.*mine.*openai/<model>"):
        spec("gpt")
    assert price("mine") == (3e-6, 15e-6) and price("none") is None and price("x.gguf") == (0.0, 0.0)


NAMED = {"kind": "openai", "base_url": "http://me:secret@server/v1"}


@pytest.mark.parametrize(
    "entry, wrong",
    [({"kind": "opnai"}, "opnai"), ({"kind": "openai", "colour": 1}, "colour"), (None, "wrong"), (NAMED, "key_env")]
    + [({"kind": "openai", "requests_per_minute": odd}, "more than 0") for odd in (-1, 0, "many")],
)
def test_a_wrong_entry_is_named_with_its_file(table, entry, wrong):
    table["wrong"] = entry
    with pytest.raises(ModelError, match=f"models.yaml.*{wrong}") as error:
        spec("wrong")
    assert "secret" not in str(error.value)


def test_missing_and_wrong_weights_are_told(table, tmp_path, monkeypatch):
    monkeypatch.delenv("PROCTOR_WEIGHTS", raising=False)
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    model, file = Spec("m", "gguf", file="no.gguf", sha256=digest), tmp_path / "no.gguf"
    with pytest.raises(ModelError, match="not here.*mode replay"):
        weights_file(model)
    monkeypatch.setenv("PROCTOR_WEIGHTS", str(tmp_path))
    file.write_bytes(b"abc")
    assert weights_file(model) == file
    file.write_bytes(b"abcd")
    with pytest.raises(ModelError, match="SHA-256 differs"):
        weights_file(model)


def test_a_server_is_named_by_its_address(table, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not for others")
    monkeypatch.delenv("PROCTOR_SERVER_KEY", raising=False)
    found = spec("openai/org/m@http://node:8000/v1/")
    assert (found.model, found.base_url, found.key_env) == ("org/m", "http://node:8000/v1", None)
    assert spec("anthropic/c@https://proxy/x").base_url == "https://proxy/x" and not found.images
    monkeypatch.setenv("PROCTOR_SERVER_KEY", "s")
    assert spec("openai/m@http://node:8000/v1").key_env == "PROCTOR_SERVER_KEY"
    for address in ("http://me:secret@node/v1", "http://node/v1?key=secret", "http://"):
        with pytest.raises(ModelError, match="give the address") as told:
            spec(f"openai/m@{address}")
        assert "secret" not in str(told.value)


@pytest.fixture
def own(monkeypatch, tmp_path):
    """The folder of a user's own tables."""
    monkeypatch.setattr(registry, "OWN_PARAMS", tmp_path)
    yield tmp_path
    registry._entries.cache_clear()


def test_own_models_and_prices_come_before_ours_from_files_that_git_ignores(own):
    (own / "my_models.yaml").write_text("mine: {kind: openai, base_url: http://b/v1}\nsmollm2-135m: {kind: openai}")
    (own / "my_prices.yaml").write_text("mine: {input: 1, output: 2}\nopenai/gpt-4o: {input: 3, output: 4}")
    assert (spec("mine").base_url, spec("smollm2-135m").kind) == ("http://b/v1", "openai")
    assert (price("mine"), price("openai/gpt-4o")) == ((1e-6, 2e-6), (3e-6, 4e-6)) and price("smollm2-135m") == (0, 0)
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/params/my_models.yaml", "/params/my_prices.yaml"} <= set(ignored)


@pytest.mark.parametrize("text", ["mine: {kind: opnai}", "mine: {colour: 1}", "- mine", "mine: 7", "mine: {"])
def test_a_faulty_entry_of_one_s_own_is_named_with_its_file(own, text):
    (own / "my_models.yaml").write_text(text)
    with pytest.raises(ModelError, match=f"^{own}/my_models.yaml"):
        spec("mine")


@pytest.mark.parametrize(
    "entry", ["{input: 5}", "{input: a, output: 1}", "{input: -5, output: 1}", "{input: .nan, output: 1}"]
)
def test_a_price_that_no_budget_could_hold_is_refused(own, entry):
    (own / "my_prices.yaml").write_text(f"openai/m: {entry}")
    with pytest.raises(ModelError, match=f"^{own}/my_prices.yaml, openai/m: no price.*Give dollars"):
        price("openai/m")


def test_the_prices_of_providers_models_are_dated():
    prices = yaml.safe_load((PARAMS / "prices.yaml").read_text())
    paid = {name: entry for name, entry in prices.items() if "/" in name}
    assert {name.partition("/")[0] for name in paid} == {"openai", "anthropic"} and len(paid) > 15
    assert all(re.fullmatch(r"20\d\d-\d\d", str(entry["known"])) for entry in paid.values())
    assert all(0 < entry["input"] < entry["output"] for entry in paid.values())
