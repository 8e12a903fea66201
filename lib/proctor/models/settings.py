"""How models are asked: one record of settings, and what each provider's models take of it, by their names.

    Settings(effort="high", max_tokens=32_000)              # of a session, or of one call of the library
    Settings.of({"style": "free", "temperature": 1.0})      # as a notebook's parameter `settings` gives them

What a model does not take is left out of its requests, and of their keys; `left_out` says so in sentences.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from proctor.models.registry import Spec, spec

STYLES = ("auto", "free", "short", "paper")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
PROVIDER_TOKENS = 16_384  # of a reply, its reasoning among them
PROVIDER_TIMEOUT, LOCAL_TIMEOUT = 600.0, 120.0  # seconds
LEAST_BUDGET = 1024  # tokens of thinking that Anthropic's interface takes

_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)")
_FIRST_REASONERS = re.compile(r"o1(?:-mini|-preview)")
_CLAUDE = re.compile(r"claude-(?:([a-z]+)-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")


@dataclass(frozen=True)
class Settings:
    """How models are asked. None and "" leave a thing to its default.

    style: `free` (reason at length, no worked examples), `short` (for small models), `paper` (the parts, scale and form
    of the paper's own prompt, where it prints one), `auto` (providers' models free, those served here short).
    max_tokens: of a reply, its reasoning included; for providers' models 16,384 by default. effort: how much a
    reasoning model reasons, one of EFFORTS. thinking: True, False, or the tokens that it may take. timeout: seconds for
    one attempt; 600 for providers, 120 for models served here. temperature: in place of the protocol's own.
    prompts_dir: a folder with prompts of one's own, which come before the library's.

    max_tokens, effort and thinking are not for the short style of models served here, whose prompts say what they need.
    """

    style: str = "auto"
    max_tokens: int | None = None
    effort: str = ""
    thinking: bool | int | None = None
    timeout: float | None = None
    temperature: float | None = None
    prompts_dir: str | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"style {self.style!r}: use one of {', '.join(STYLES)}")
        if self.effort and self.effort not in EFFORTS:
            raise ValueError(f"effort {self.effort!r}: use one of {', '.join(EFFORTS)}, or leave it out")
        for name in ("max_tokens", "timeout"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name} {value}: give more than 0, or leave it out")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature {self.temperature}: give 0 to 2, or leave it out")
        budget = self.thinking_budget
        if budget and budget < LEAST_BUDGET:
            raise ValueError(f"thinking {budget}: give {LEAST_BUDGET} tokens or more, or true or false")
        if budget and self.max_tokens and budget >= self.max_tokens:
            raise ValueError(
                f"thinking {budget}: max_tokens is {self.max_tokens} and must be larger, since it holds both"
            )

    @classmethod
    def of(cls, values: "Settings | Mapping[str, Any] | None") -> "Settings":
        """Settings, given as such or by name. Raises ValueError for a name that is none of them."""
        if isinstance(values, Settings):
            return values
        given, known = dict(values or {}), [field.name for field in fields(cls)]
        if unknown := [name for name in given if name not in known]:
            raise ValueError(f"no setting {unknown[0]!r}: there are {', '.join(known)}")
        return cls(**given)

    @property
    def thinking_budget(self) -> int:
        """Tokens for thinking; 0 where none are named."""
        return 0 if self.thinking is None or isinstance(self.thinking, bool) else int(self.thinking)

    def style_for(self, model: Spec) -> str:
        """`free`, `short` or `paper`."""
        return self.style if self.style != "auto" else "short" if model.local else "free"

    def tokens_for(self, model: Spec, least: int = 0) -> int:
        """The most tokens of a provider's reply; `least`: what the prompt asks for."""
        if self.max_tokens:
            return self.max_tokens
        most = max(PROVIDER_TOKENS, least) + self.thinking_budget
        return min(most, model.max_output) if model.max_output else most

    def effort_for(self, model: Spec) -> str:
        """The effort that is sent to the model: "" where it takes none."""
        return self.effort if takes_effort(model) else ""

    def thinking_for(self, model: Spec) -> bool | int | None:
        """The thinking that is sent to the model: None where it takes none, True where it takes no number of tokens."""
        if not takes_thinking(model):
            return None
        return True if self.thinking_budget and not takes_budget(model) else self.thinking

    def left_out(self, models: Iterable[str]) -> list[str]:
        """A sentence for each setting that a model does not take."""
        told = []
        for model in map(spec, dict.fromkeys(models)):
            if model.local:
                continue
            if self.effort and not self.effort_for(model):
                told.append(f"{model.name} takes no effort, which is left out")
            if self.thinking is not None and self.thinking_for(model) is None:
                told.append(f"{model.name} takes no setting of thinking, which is left out")
            elif self.thinking_budget and self.thinking_for(model) is True:
                told.append(f"{model.name} thinks as long as it finds right: the number of tokens is left out")
            if self.temperature is not None and not takes_temperature(model, self.thinking_for(model)):
                told.append(f"{model.name} takes no temperature, which is left out")
        return told


# What models take. Names that we do not know are read as the newest of their provider; other servers take everything.


def takes_temperature(model: Spec, thinking: bool | int | None = None) -> bool:
    """OpenAI's reasoning models refuse one, Anthropic's where they think and from 4.7 on."""
    if model.kind == "openai":
        return model.base_url is not None or not _REASONS.match(model.model)
    if model.kind == "anthropic":
        return not thinking and (_unknown_server(model) or _claude(model)[1:] < (4, 7))
    return True


def takes_logprobs(model: Spec) -> bool:
    """Whether token probabilities can be asked for."""
    return model.kind != "anthropic" and takes_temperature(model)


def takes_system(model: Spec) -> bool:
    """OpenAI's first reasoning models refuse a system's turn."""
    return not (model.kind == "openai" and model.base_url is None and _FIRST_REASONERS.match(model.model))


def takes_beginning(model: Spec, thinking: bool | int | None = None) -> bool:
    """Whether the model goes on from a beginning of its reply. OpenAI's interface does not, nor Claude from 4.6 on."""
    if model.kind == "anthropic":
        return not thinking and (_unknown_server(model) or _claude(model)[1:] < (4, 6))
    return model.kind != "openai"


def takes_effort(model: Spec) -> bool:
    if model.kind == "openai":
        return model.base_url is not None or bool(_REASONS.match(model.model)) and takes_system(model)
    if model.kind == "anthropic" and not _unknown_server(model):
        family, *version = _claude(model)
        return version >= [4, 6] or family == "opus" and version >= [4, 5]
    return not model.local


def takes_thinking(model: Spec) -> bool:
    """OpenAI's own models have effort instead."""
    if model.kind == "openai":
        return model.base_url is not None
    if model.kind == "anthropic" and not _unknown_server(model):
        return _claude(model)[1:] >= (3, 7)
    return not model.local


def takes_budget(model: Spec) -> bool:
    """Whether thinking can be bounded by a number of tokens: Claude from 3.7 to 4.6."""
    if model.kind == "anthropic":
        return _unknown_server(model) or _claude(model)[1:] < (4, 7)
    return model.kind != "openai"


def thinks_freely(model: Spec) -> bool:
    """Whether Claude takes thinking of no given length: from 4.6 on."""
    return _unknown_server(model) or _claude(model)[1:] >= (4, 6)


def _claude(model: Spec) -> tuple[str, int, int]:
    """Family and version in a Claude's name, such as ("opus", 4, 1)."""
    found = _CLAUDE.search(model.model)
    return (found[1] or "", int(found[2]), int(found[3] or 0)) if found else ("", 99, 0)


def _unknown_server(model: Spec) -> bool:
    """A model on a server of one's own whose name is no Claude's."""
    return model.base_url is not None and not _CLAUDE.search(model.model)
