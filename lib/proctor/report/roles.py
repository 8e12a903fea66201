"""Who is who in every figure: one colour, marker and short name for each model and each role.

    role("smollm2-135m").colour, role("judge").marker, short("qwen2.5-coder-0.5b")
    ax.plot(x, y, "o", **marks("published"))       # hollow = published or reconstructed

A colour never means a model in one figure and a role in another.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from proctor.report.provenance import evidence_kinds

# Okabe and Ito's palette, told apart by colour-blind readers and, mostly, in grey.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "#6E6E6E"


class Role(NamedTuple):
    colour: str
    marker: str
    short: str


# Models: dark enough for text on white (4.5:1), and told apart in grey by lightness alone.
OWN_MODELS = {
    "smollm2-135m": Role("#857000", "o", "135M"),
    "qwen2.5-coder-0.5b": Role("#0A5463", "s", "0.5B"),
    "qwen2.5-coder-1.5b": Role("#3B1466", "^", "1.5B"),
}
ROLES: Mapping[str, Role] = OWN_MODELS | {
    "ours": Role(BLUE, "o", "ours"),
    "paper": Role(VERMILLION, "D", "paper"),
    "judge": Role(PURPLE, "P", "judge"),
    "utility": Role(GREEN, "X", "utility"),
    "baseline": Role(GREY, "v", "baseline"),
    "truth": Role(BLACK, "d", "truth"),
    "right": Role(SKY, "o", "right"),
    "wrong": Role(ORANGE, "x", "wrong"),
    "trivial": Role("#3D3D3D", "*", "reject everything"),
    "all": Role("#4A5568", "h", "all"),
    "human": Role("#7F4F24", "p", "people"),
    "muted": Role("#BDBDBD", ".", "other"),
    "highlight": Role("#C2185B", "o", "highlighted"),
}
# For models that are not ours (Tol's muted scheme), and their markers.
_FREE = tuple(zip(("#332288", "#882255", "#117733", "#44AA99", "#CC6677", "#999933", "#AA4499", "#88CCEE"), "<>8HpDdv"))
_others: dict[str, Role] = {}  # of the models of providers and files that this run has named
LONGEST = 18  # letters of a model's name in a figure


def role(name: str) -> Role:
    """The Role of a role, of an embedded model ("Qwen2.5-Coder-0.5B-Instruct" finds its own) or of one that a provider
    or a file gives ("openai/gpt-5"): such take the free colours in the order in which a run names them.

    Raises ValueError for another name: `roles` gives other models their colours, all at once.
    """
    key = _key(name)
    if key is None and _given(name):
        look = _FREE[len(_others)] if len(_others) < len(_FREE) else ROLES["muted"][:2]
        return _others.setdefault(name, Role(*look, short(name)))
    if key is None:
        raise ValueError(f"no role {name!r}; there are {', '.join(ROLES)}; other models: roles([names])")
    return ROLES[key]


def short(name: str) -> str:
    """ "0.5B" for "qwen2.5-coder-0.5b", "gpt-5" for "openai/gpt-5"; a name without a role stays as it is.

    A long name is cut in its middle."""
    key = _key(name)
    if key is not None:
        return ROLES[key].short
    if not _given(name):
        return name
    model = name.partition("@http")[0].removesuffix(".gguf").rpartition("/")[2]
    return model if len(model) <= LONGEST else f"{model[: LONGEST - 9]}…{model[-8:]}"


def _given(name: str) -> bool:
    """Whether a name is that of a provider's model or of a file of weights."""
    return name.startswith(("openai/", "anthropic/")) or name.endswith(".gguf")


def shorten(names: Iterable[str], length: int = 30) -> list[str]:
    """Names as a figure has room for them, all different: without a leading date and a server's address, and cut in
    the middle, since names of systems differ at their ends.

    >>> shorten(["openai/m@http://localhost:8000/v1", "20251215_agent_claude", "smollm2-135m"])
    ['m', 'agent claude', '135M']
    """
    found: list[str] = []
    for name in names:
        text = re.sub(r"^20\d{2}-?\d{2}-?\d{2}[-_ ]", "", short(name).partition("@http")[0])
        text = " ".join(text.replace("_", " ").split()) or name
        if len(text) > length:
            text = text[: length // 2].rstrip() + "…" + text[len(text) - (length - length // 2 - 1) :].lstrip()
        number = 1 + sum(other == text or other.startswith(f"{text} (") for other in found)
        found.append(text if number == 1 else f"{text} ({number})")
    return found


def roles(names: Iterable[str]) -> dict[str, Role]:
    """A Role for each name: those that `role` knows keep theirs, others take the free colours in alphabetical order.

    Raises ValueError when the free colours run out: use one colour, role("muted"), and label the points.
    """
    names = list(dict.fromkeys(names))
    others = sorted(name for name in names if _key(name) is None and not _given(name))
    if len(others) > len(_FREE):
        raise ValueError(
            f"{len(others)} models without a role, {len(_FREE)} free colours: use role('muted') for all "
            "and label the points"
        )
    free = {name: Role(*look, name) for name, look in zip(others, _FREE)}
    return {name: free[name] if name in free else role(name) for name in names}


def marks(evidence: str | Iterable[str]) -> dict[str, Any]:
    """How marks show evidence, as keywords of `ax.plot`: hollow, filled or dashed.

    published, reconstructed: hollow marks; measured, logged: filled; simulated only: filled, on a dashed line.
    """
    kinds = set(evidence_kinds(evidence))
    if kinds & {"measured", "logged"}:
        return {}
    if "simulated" in kinds:
        return {"linestyle": "--"}
    return {"markerfacecolor": "white"}


def _key(name: str) -> str | None:
    if name in ROLES:
        return name
    return next((key for key in OWN_MODELS if name.lower().startswith(key)), None)
