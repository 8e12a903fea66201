"""How models are asked: one record of settings, and what each provider's models take of it, by their names.

    Settings(effort="high", max_tokens=32_000)              # of a session, or of one call of the library
    Settings.of({"style": "free", "temperature": 1.0})      # as a notebook's parameter `settings` gives them

What a model does not take is left out of its requests, and of their keys; `left_out` says so in sentences.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from proctor.data.tabular import FIXES, Wrong, record
from proctor.models.registry import Spec, spec

PROVIDER_TOKENS = 16_384  # of a reply, its reasoning among them
PROVIDER_TIMEOUT, LOCAL_TIMEOUT = 600.0, 120.0  # seconds
LEAST_BUDGET = 1024  # tokens of thinking that Anthropic's interface takes

_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)")
_FIRST_REASONERS = re.compile(r"o1(?:-mini|-preview)")
_CLAUDE = re.compile(r"claude-(?:([a-z]+)-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")


class Settings(BaseModel, frozen=True, extra="forbid"):
    """How models are asked. None and "" leave a thing to its default.

    style: `free` (reason at length, no worked examples), `short` (for small models), `paper` (the parts, scale and form
    of the paper's own prompt, where it prints one), `auto` (providers' models free, those served here short).
    max_tokens: of a reply, its reasoning included; for providers' models 16,384 by default. effort: how much a
    reasoning model reasons, if at all. thinking: True, False, or the tokens that it may take. timeout: seconds for
    one attempt; 600 for providers, 120 for models served here. temperature: in place of the protocol's own.
    prompts_dir: a folder with prompts of one's own, which come before the library's.

    max_tokens, effort and thinking are not for the short style of models served here, whose prompts say what they need.
    """

    style: Literal["auto", "free", "short", "paper"] = "auto"
    max_tokens: int | None = Field(default=None, gt=0)
    effort: Literal["", "none", "minimal", "low", "medium", "high", "xhigh", "max"] = ""
    thinking: bool | int | None = None
    timeout: float | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0, le=2)
    prompts_dir: str | None = None

    @model_validator(mode="after")
    def _thinking_has_room(self) -> "Settings":
        budget = self.thinking_budget
        if budget and budget < LEAST_BUDGET:
            raise ValueError(f"thinking {budget}: give {LEAST_BUDGET} tokens or more, or true or false")
        if budget and self.max_tokens and budget >= self.max_tokens:
            raise ValueError(
                f"thinking {budget}: max_tokens is {self.max_tokens} and must be larger, since it holds both"
            )
        return self

    @classmethod
    def of(cls, values: "Settings | Mapping[str, Any] | None") -> "Settings":
        """Settings, given as such or by name. Raises ValueError that names the setting."""
        try:
            return values if isinstance(values, Settings) else record(cls, dict(values or {}), _FIXES)
        except Wrong as wrong:
            raise ValueError("{}: {}. {}".format(*wrong.args).removeprefix(": ")) from None

    @property
    def thinking_budget(self) -> int:
        """Tokens for thinking; 0 where none are named."""
        return 0 if self.thinking is None or isinstance(self.thinking, bool) else int(self.thinking)

    def style_for(self, model: Spec) -> str:
        """`free`, `short` or `paper`."""
        return self.style if self.style != "auto" else "short" if model.local else "free"

    def tokens_for(self, model: Spec, short: int, least: int) -> int:
        """The most tokens of a reply. short: what the prompt says of models served here; least: what it asks of
        others."""
        if model.local:
            return short if self.style_for(model) == "short" else self.max_tokens or short
        if self.max_tokens:
            return self.max_tokens
        most = max(PROVIDER_TOKENS, least) + self.thinking_budget
        return min(most, model.max_output) if model.max_output else most

    def effort_for(self, model: Spec) -> str:
        """The effort that is sent to the model: "" where it takes none."""
        return self.effort if "effort" in takes(model) else ""

    def thinking_for(self, model: Spec) -> bool | int | None:
        """The thinking that is sent to the model: None where it takes none, True where it takes no number of tokens."""
        if "thinking" not in takes(model):
            return None
        return True if self.thinking_budget and "budget" not in takes(model) else self.thinking

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
            if self.temperature is not None and "temperature" not in takes(model, self.thinking_for(model)):
                told.append(f"{model.name} takes no temperature, which is left out")
        return told


_FIXES = FIXES | {"extra_forbidden": f"The settings are {', '.join(Settings.model_fields)}"}
EVERYTHING = {"temperature", "logprobs", "system", "beginning", "effort", "thinking", "budget", "freely"}


def takes(model: Spec, thinking: bool | int | None = None) -> set[str]:
    """What of EVERYTHING a model takes, asked to think or not. Names that we do not know are read as the newest of
    their provider; other servers take everything.

    system: a system's turn. beginning: it goes on from a beginning of its reply. budget: thinking of at most so many
    tokens; freely: of no given length.
    """
    refused = {"effort", "thinking"}
    if model.kind == "openai" and model.base_url is not None:
        refused = {"beginning", "budget"}
    elif model.kind == "openai":
        refused = {"beginning", "thinking", "budget"}  # effort instead of thinking
        refused |= {"temperature", "logprobs"} if _REASONS.match(model.model) else {"effort"}
        refused |= {"system", "effort"} if _FIRST_REASONERS.match(model.model) else set()
    elif model.kind == "anthropic":
        refused = {"logprobs", "temperature", "beginning"} if thinking else {"logprobs"}
        named = _CLAUDE.search(model.model)
        if named or model.base_url is None:
            version = (int(named[2]), int(named[3] or 0)) if named else (99, 0)
            since = dict(thinking=(3, 7), freely=(4, 6), effort=(4, 5) if named and named[1] == "opus" else (4, 6))
            until = dict(beginning=(4, 6), temperature=(4, 7), budget=(4, 7))
            refused |= {name for name, first in since.items() if version < first}
            refused |= {name for name, end in until.items() if version >= end}
    return EVERYTHING - refused
