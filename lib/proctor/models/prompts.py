"""Prompts are files, `<paper>/prompts/<name>.md`: a header and the messages, in our own words. Those of HLE that every
paper uses are in `exam/prompts/`. One in the free style lies in `<paper>/prompts/free/<name>.md`: it lets the model
reason at length, without worked examples and without a beginning of the reply. One in the style of its paper lies in
`<paper>/prompts/paper/<name>.md`: the inputs, parts, order, scale and form of reply of a prompt that the paper prints
(docs/prompts.md compares them). `Settings.style` chooses; where a style lacks a prompt, paper takes free, free short.

    ---
    version: 1
    paper: where the paper describes the check
    asks: what the model is asked
    differs: from the paper's own prompt, in the styles free and paper
    output: verdict | answer | choice | text     (what models.final_line or read_answer reads)
    max_tokens: 1                                (for a model served here, bound by the grammar)
    free_tokens: 400                             (for a provider at least, which has 16,384 otherwise)
    grammar: GBNF, optional
    logprobs: number of alternatives a token, optional
    seeds: request     (a seed for each request and sample; without it sample k has one seed)
    ---
    # system
    ...
    # user
    Question: {{question}}
    # assistant
    Accepted: [[

A last message of the assistant is a beginning that a model served here, or Anthropic's, continues. A prompt of one's
own, `<prompts_dir>/<paper>/<name>.md`, stands for all styles.
"""

import hashlib
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel

from proctor.data.tabular import Wrong, record
from proctor.models.messages import Reply, Request, picture
from proctor.models.registry import spec
from proctor.models.settings import Settings, takes

LIBRARY = {  # name -> file; the exam's prompts are those of HLE, whichever paper gives the exam
    f"{'hle' if path.parts[-3] == 'exam' else path.parts[-3]}/{path.stem}": path
    for path in sorted(Path(__file__).parents[1].glob("*/prompts/*.md"))
}
STYLED = {  # style -> name -> file
    style: {name: file for name, path in LIBRARY.items() if (file := path.parent / style / path.name).is_file()}
    for style in ("free", "paper")
}
_ROLE = re.compile(r"^# (system|user|assistant)\n", re.MULTILINE)
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_MARKERS = re.compile(r"<(?=\|)|<(?=/?s>|/?(?:start|end)_of_turn>)|\[(?=/?INST\])", re.IGNORECASE)


class PromptError(ValueError):
    """A prompt file or its fields are wrong; the message names the file."""


class Prompt(BaseModel, frozen=True):
    """One prompt. `version` is `<paper>/<name>@<version>-<digest of the file>`; `settings` say in which style it is put
    to a model, and how. `own`: it lies in the user's folder, and stands for all styles."""

    name: str
    version: str
    messages: tuple[tuple[str, str], ...]
    prefix: int  # messages before the first one with a field: shared by all calls
    output: Literal["verdict", "answer", "choice", "text"]
    max_tokens: int = 256
    free_tokens: int = 1024
    grammar: str = ""
    logprobs: int | None = None
    seeds: Literal["sample", "request"] = "sample"
    own: bool = False
    settings: Settings = Settings()

    def in_style(self, style: str) -> "Prompt":
        """This prompt in a style; where paper lacks it that is free, where free lacks it this one."""
        for each in {"paper": ("paper", "free"), "free": ("free",)}.get(style, ()):
            if not self.own and (path := STYLED[each].get(self.name)):
                return _read(self.name.replace("/", f"/{each}/"), path)
        return self

    def request(
        self, model: str, *, sample: int = 0, temperature: float = 0.0, image: str = "", **fields: str
    ) -> Request:
        """The call that puts `fields` to `model`. Raises PromptError for a missing or unknown field.

        `temperature` is the protocol's; that of the settings, if there is one, takes its place.

        `image`, a data URI, goes with the last message of the user; PromptError where the model takes none, or where
        it is no picture that providers take.
        """
        asked, settings = spec(model), self.settings
        chosen = self.in_style(settings.style_for(asked))
        wanted = {name for _, text in chosen.messages for name in _FIELD.findall(text)}
        if wanted != set(fields):
            raise PromptError(f"prompt {self.name} takes {sorted(wanted)}, got {sorted(fields)}")
        messages = [{"role": role, "content": fill(text, fields)} for role, text in chosen.messages]
        if image:
            last = max(i for i, message in enumerate(messages) if message["role"] == "user")
            messages[last]["image"] = _shown(model, image)
        thinking = settings.thinking_for(asked)
        if messages[-1]["role"] == "assistant" and "beginning" not in takes(asked, thinking):
            messages.pop()
        return Request(
            model=model,
            messages=tuple(messages),
            sample=sample,
            prompt=chosen.version,
            prefix=chosen.prefix,
            temperature=temperature if settings.temperature is None else settings.temperature,
            max_tokens=settings.tokens_for(asked, chosen.max_tokens, chosen.free_tokens),
            grammar=chosen.grammar if asked.local else "",
            logprobs=chosen.logprobs if asked.kind != "anthropic" else None,
            seeds=chosen.seeds,
            server=asked.base_url or "",
            effort=settings.effort_for(asked),
            thinking=thinking,
            timeout=settings.timeout,
            quoted="\n".join(fields.values()),
        )


def _shown(model: str, image: str) -> str:
    if not spec(model).images:
        raise PromptError(
            f"{model} takes no images: leave the questions that have one out, ask a model that does, "
            "or say `sees: true` in its entry of params/models.yaml"
        )
    try:
        picture(image)
    except ValueError as error:
        raise PromptError(str(error)) from error
    return image


def follow_up(request: Request, reply: Reply, prompt: Prompt) -> Request:
    """`prompt`, which takes no fields, put to the same judge in the conversation that `reply` ended."""
    messages = list(request.messages)
    if messages[-1]["role"] == "assistant":
        messages.pop()  # the beginning of the reply, which has it too
    said = reply.text
    if re.search(r"\[\[\s*[YN]$", said):  # a model bound to one token could only begin its verdict
        said += "]]"
    asked = prompt.request(request.model, sample=request.sample, temperature=request.temperature)
    return replace(
        asked,
        messages=(*messages, {"role": "assistant", "content": said}, *asked.messages),
        prompt=f"{request.prompt} {asked.prompt}",
        prefix=request.prefix,
        quoted=request.quoted,
    )


def fill(text: str, fields: dict[str, str]) -> str:
    """Put the fields into the text, in one pass: braces in a field stay what they are, and so do `[[Y]]` and the like.
    Role markers of chat templates in a field lose their bracket, so that they open no turn."""
    return _FIELD.sub(lambda match: _MARKERS.sub("(", fields[match.group(1)]), text)


def load(name: str, settings: Settings | None = None) -> Prompt:
    """The prompt `<paper>/<name>`, from the settings' `prompts_dir` if the file is there, else from the library.

    Raises PromptError naming the file and what is wrong with it, or what is wrong with the folder.
    """
    settings = settings or Settings()
    folder = settings.prompts_dir
    if folder:
        check_folder(folder)
    path = Path(folder) / f"{name}.md" if folder else None
    own = path is not None and path.is_file()
    path = path if own else LIBRARY.get(name)
    if path is None:
        raise PromptError(
            f"no prompt {name!r}{f' in {folder}' if folder else ''}; the library has {', '.join(LIBRARY)}"
        )
    return _read(name, path).model_copy(update=dict(own=own, settings=settings))


def check_folder(folder: str) -> None:
    """Raises PromptError for a folder of own prompts that is not there or empty, or has a file of no prompt's name."""
    place = Path(folder)
    if not place.is_dir():
        raise PromptError(f"prompts_dir {folder} is no folder: fix its name, or leave it out")
    found = [path.relative_to(place) for path in sorted(place.rglob("*.md")) if path.name.lower() != "readme.md"]
    papers = {name.partition("/")[0] for name in LIBRARY}
    names = {Path(f"{name}.md") for name in LIBRARY}
    wrong = [path for path in found if len(path.parts) != 2 or path.parts[0] in papers and path not in names]
    if not found or wrong:
        what = f"{wrong[0]} is the name of no prompt" if wrong else "there is no prompt in it"
        raise PromptError(
            f"prompts_dir {folder}: {what}. A prompt of your own lies at <paper>/<name>.md there, as one of "
            f"{', '.join(f'{name}.md' for name in LIBRARY)}, or at <any other folder>/<name>.md for a check of your own"
        )


def _read(name: str, path: Path) -> Prompt:
    """The prompt in a file: one is loaded for each call, and read again where the file changed."""
    found = path.stat()
    return _parsed(name, path, found.st_mtime_ns, found.st_size)


@lru_cache
def _parsed(name: str, path: Path, time: int, size: int) -> Prompt:
    content = path.read_text(encoding="utf-8")
    try:
        _, head, body = content.split("---\n", 2)
        header = dict(yaml.safe_load(head))
        version = f"{name}@{header['version']}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise PromptError(f"{path}: the header needs version and output between two lines of --- ({error})") from error
    parts = _ROLE.split(body)[1:]
    messages = [(role, text.strip()) for role, text in zip(parts[::2], parts[1::2])]
    if not messages:
        raise PromptError(f"{path}: no message: begin each with a line `# system`, `# user` or `# assistant`")
    prefix = next((i for i, (_, text) in enumerate(messages) if _FIELD.search(text)), len(messages))
    try:
        return record(Prompt, header | dict(name=name, version=version, messages=messages, prefix=prefix))
    except Wrong as wrong:
        raise PromptError("{}: {}: {}. {}".format(path, *wrong.args)) from None
