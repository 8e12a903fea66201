"""Which models there are, where their weights lie, what they cost."""

import hashlib
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import yaml

from proctor import need
from proctor.data.fetch import FetchError, fetched
from proctor.paths import OWN_PARAMS, PARAMS


class ModelError(ValueError):
    """A model that can't be asked as things are; the message says what to mend."""


@dataclass(frozen=True)
class Spec:
    """One model: `kind` is gguf, openai or anthropic. `sees` says whether it takes images (`images`).

    requests_per_minute, tokens_per_minute: the provider's limits, which a session then keeps below; None knows none.
    max_output: tokens of a reply, where the model takes less than `settings.PROVIDER_TOKENS`.
    """

    name: str
    kind: str
    model: str = ""
    base_url: str | None = None
    key_env: str | None = None
    file: str = ""
    sha256: str = ""
    source: str = ""
    sees: bool | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_output: int | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be told of: the key, and what an address may hold besides the server's name."""
        parts = urlsplit(self.base_url or "")
        hidden = [parts.username, parts.password, *(value for _, value in parse_qsl(parts.query))]
        key = os.environ.get(self.key_env, "").strip() if self.key_env else ""
        return tuple(secret for secret in (key, *hidden) if secret)

    @property
    def local(self) -> bool:
        return self.kind == "gguf"

    @property
    def images(self) -> bool:
        """Unless `sees` says otherwise, the providers' own models take images and other servers' do not; what is
        served here never does."""
        return not self.local and (self.base_url is None if self.sees is None else self.sees)


OLD = 180  # days after which a plan says when its prices were known
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def _table(name: str) -> dict:
    """The entries of models.yaml or prices.yaml and, over them, the user's own of my_models.yaml or my_prices.yaml."""
    return _entries(os.path.join(PARAMS, name)) | _own_entries(name)


def _own_entries(name: str) -> dict:
    own = os.path.join(OWN_PARAMS, f"my_{name}")  # asked for at each call: a Path takes ten times as long
    return _entries(own) if os.path.isfile(own) else {}


@lru_cache
def _entries(path: str) -> dict:
    try:
        entries = yaml.safe_load(Path(path).read_text()) or {}
    except (OSError, yaml.YAMLError) as error:
        raise ModelError(
            f"{path}: can't be read ({error}). Correct the file or take it from the repository again"
        ) from error
    if isinstance(entries, dict) and all(isinstance(entry, dict) for entry in entries.values()):
        return entries
    raise ModelError(f"{path}: each line must be a name and its entry, such as my-server: {{kind: openai, ...}}")


def spec(name: str) -> Spec:
    """The model called `name`: an entry of params/models.yaml or of the user's my_models.yaml (in `paths.OWN_PARAMS`),
    `openai/<model>`, `anthropic/<model>`, either with `@<address>` of a server, or the path of a GGUF file.

    The key of a server given by its address is read from $PROCTOR_SERVER_KEY, if that is set; the provider's own key
    never goes there. Raises ModelError for anything else."""
    table = _table("models.yaml")
    if name in table:
        try:
            entry = Spec(name=name, **{"model": "" if table[name].get("kind") == "gguf" else name} | table[name])
            limits = entry.requests_per_minute, entry.tokens_per_minute, entry.max_output
            if not all(limit is None or isinstance(limit, int | float) and limit > 0 for limit in limits):
                raise TypeError("requests_per_minute, tokens_per_minute and max_output are more than 0")
            if entry.kind not in ("gguf", *KEYS):
                raise TypeError(f"kind {entry.kind!r} is none of gguf, {', '.join(KEYS)}")
            if "@" in urlsplit(entry.base_url or "").netloc:
                raise TypeError(
                    "base_url holds a name or a password; put the key into an environment variable and name that as "
                    "key_env"
                )
            return entry
        except (TypeError, AttributeError) as error:
            where = OWN_PARAMS / "my_models.yaml" if name in _own_entries("models.yaml") else PARAMS / "models.yaml"
            raise ModelError(f"{where}, {name}: {error}") from error
    kind, _, model = name.partition("/")
    model, at, address = model.partition("@http")
    if kind in KEYS and model:
        if not at:
            return Spec(name=name, kind=kind, model=model, key_env=KEYS[kind])
        url = f"http{address}"
        parts = urlsplit(url)
        if not parts.hostname or parts.username or parts.password or parts.query:
            raise ModelError(
                f"{name.split('@')[0]}@...: give the address as http://<server>:<port>/v1, without a name, a password "
                "or a query: it is part of file names. Keys come from the environment"
            )
        # never the provider's own key, which no other server may see
        key_env = "PROCTOR_SERVER_KEY" if os.environ.get("PROCTOR_SERVER_KEY", "").strip() else None
        return Spec(name=name, kind=kind, model=model, base_url=url.rstrip("/"), key_env=key_env)
    if name.endswith(".gguf"):
        return Spec(name=name, kind="gguf", file=name)
    raise ModelError(
        f"no model {name!r}: use one of {', '.join(sorted(table))}, openai/<model>, anthropic/<model>, either with "
        f"@http://<server>, the path of a .gguf file, or add an entry to {OWN_PARAMS / 'my_models.yaml'}"
    )


def key_of(model: Spec) -> str:
    """The provider's key from the environment. Raises ModelError naming the variable, never a value."""
    if not model.key_env:
        return "none"
    key = os.environ.get(model.key_env, "").strip()  # a newline from a file would end up in a header
    if not key:
        raise ModelError(
            f"{model.name} needs a key: set the environment variable {model.key_env}, "
            "or use mode replay, or the embedded model"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError(
            f"the environment variable {model.key_env} holds characters that no key has: set it again, without "
            "quotes, spaces or other text"
        )
    return key


def weights_file(model: Spec) -> Path:
    """The model's file: a path given as the name, the folder $PROCTOR_WEIGHTS, or what `make setup` fetched.

    The file's SHA-256 must be the one of params/models.yaml. Raises ModelError, and ModuleNotFoundError where what
    serves it is not installed.
    """
    need("xllamacpp")
    places = [Path(model.file)] if "/" in model.file else []
    if os.environ.get("PROCTOR_WEIGHTS"):
        places.append(Path(os.environ["PROCTOR_WEIGHTS"]) / model.file)
    try:
        places.append(fetched(model.file))
    except (FetchError, KeyError):
        pass  # not one of the files that `make setup` brings
    for path in places:
        if path.is_file():
            state = path.stat()
            if model.sha256 and _digest(path.resolve(), state.st_size, state.st_mtime_ns) != model.sha256:
                raise ModelError(
                    f"{path} is not the file that params/models.yaml names (SHA-256 differs): fetch it again"
                )
            return path
    raise ModelError(
        f"the weights of {model.name} ({model.file}) are not here: {model.source or 'give the path'}. "
        "Or use mode replay, which needs no weights"
    )


@lru_cache
def _digest(path: Path, size: int, time: int) -> str:
    """SHA-256 of a large file. Its size and time are there for the cache alone."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def price(name: str) -> tuple[float, float] | None:
    """Dollars per token, (input, output), from prices.yaml or the user's my_prices.yaml; None where there is none.

    Raises ModelError for an entry that is no price: no budget would hold with one below nothing."""
    entry = _table("prices.yaml").get(name)
    if entry is None and name.endswith(".gguf"):
        return 0.0, 0.0
    if entry is None:
        return None
    try:
        cost = entry["input"] / 1e6, entry["output"] / 1e6
        if not all(0 <= part < math.inf for part in cost):
            raise ValueError("less than nothing, or no number")
    except (KeyError, TypeError, ValueError) as error:
        where = OWN_PARAMS / "my_prices.yaml" if name in _own_entries("prices.yaml") else PARAMS / "prices.yaml"
        raise ModelError(
            f"{where}, {name}: no price ({error!r}). Give dollars for a million tokens: {{input: 2.5, output: 10}}"
        ) from None
    return cost


def old_prices(names: Iterable[str], today: date | None = None) -> str:
    """The month up to which the oldest price of these models is known, where that is OLD days ago or more; else ""."""
    months = [
        str(entry["known"])[:7] for name in names if (entry := _table("prices.yaml").get(name)) and "known" in entry
    ]
    oldest = min(months, default="")
    try:
        return oldest if oldest and ((today or date.today()) - date.fromisoformat(f"{oldest}-01")).days >= OLD else ""
    except ValueError:
        raise ModelError(f"{PARAMS / 'prices.yaml'}: known: {oldest}: write year-month, such as 2025-11") from None


def is_free(name: str) -> bool:
    """Whether the model is served here, or has a price of nothing."""
    return price(name) == (0.0, 0.0) or spec(name).local
