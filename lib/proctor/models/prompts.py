"""Prompts are files, `<paper>/prompts/<name>.md`: a header and the messages, in our own words. Those of HLE that every
paper uses are in `exam/prompts/`.

    ---
    version: 1
    paper: where the paper describes the check
    asks: what the model is asked
    output: verdict | answer | choice | text     (what models.read_reply or read_answer reads)
    max_tokens: 1                                (for a model served here, bound by the grammar)
    free_tokens: 400                             (for a provider, which replies freely)
    grammar: GBNF, optional
    logprobs: number of alternatives a token, optional
    seeds: request     (a seed for each request and sample; without it sample k has one seed, as in families-v1)
    ---
    # system
    ...
    # user
    Question: {{question}}
    # assistant
    Accepted: [[

A last message of the assistant is a beginning that a model served here, or Anthropic's, continues.
"""

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import yaml

from proctor.models.images import picture
from proctor.models.messages import Reply, Request
from proctor.models.registry import spec

LIBRARY = {  # name -> file; the exam's prompts are those of HLE, whichever paper gives the exam
    f"{'hle' if path.parts[-3] == 'exam' else path.parts[-3]}/{path.stem}": path
    for path in sorted(Path(__file__).parents[1].glob("*/prompts/*.md"))
}
_ROLE = re.compile(r"^# (system|user|assistant)\n", re.MULTILINE)
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_MARKERS = re.compile(r"<(?=\|)|<(?=/?s>|/?(?:start|end)_of_turn>)|\[(?=/?INST\])", re.IGNORECASE)
OUTPUTS = ("verdict", "answer", "choice", "text")
VERDICT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reasoning", "accepted"],
    "properties": {"reasoning": {"type": "string"}, "accepted": {"type": "string", "enum": ["Y", "N"]}},
}
_LINE = re.compile(r"end with the line `Accepted: \[\[Y\]\]` or `Accepted: \[\[N\]\]`", re.IGNORECASE)
_WORKED = re.compile(r"(?:Check: (.*)\n)?Accepted: \[\[([YN])\]\]")


class PromptError(ValueError):
    """A prompt file or its fields are wrong; the message names the file."""


@dataclass(frozen=True)
class Prompt:
    """One prompt. `version` is `<paper>/<name>@<version>-<digest of the file>`."""

    name: str
    version: str
    output: str
    messages: tuple[tuple[str, str], ...]
    prefix: int  # messages before the first one with a field: shared by all calls
    max_tokens: int
    free_tokens: int
    grammar: str
    logprobs: int | None
    structured: bool = False
    seeds: str = "sample"

    def request(
        self, model: str, *, sample: int = 0, temperature: float = 0.0, image: str = "", **fields: str
    ) -> Request:
        """The call that puts `fields` to `model`. Raises PromptError for a missing or unknown field.

        `image`, a data URI, goes with the last message of the user; PromptError where the model takes none, or where
        it is no picture that providers take.

        A `structured` prompt for a verdict has it as JSON, bound to the schema VERDICT, from models whose interface
        offers that (OpenAI's); others are asked as ever.
        """
        wanted = {name for _, text in self.messages for name in _FIELD.findall(text)}
        if wanted != set(fields):
            raise PromptError(f"prompt {self.name} takes {sorted(wanted)}, got {sorted(fields)}")
        asked, kind = spec(model), spec(model).kind
        as_json = self.structured and self.output == "verdict" and kind == "openai"
        messages = [
            {"role": role, "content": fill(_in_json(role, text) if as_json else text, fields)}
            for role, text in self.messages
        ]
        if image:
            last = max(i for i, message in enumerate(messages) if message["role"] == "user")
            messages[last]["image"] = _shown(model, image)
        if kind == "openai" and messages[-1]["role"] == "assistant":
            messages.pop()  # this interface does not continue a beginning
        bound = kind == "gguf"
        return Request(
            model=model,
            messages=tuple(messages),
            sample=sample,
            prompt=self.version,
            prefix=self.prefix,
            temperature=temperature,
            max_tokens=self.max_tokens if bound else self.free_tokens,
            grammar=self.grammar if bound else "",
            logprobs=self.logprobs if kind != "anthropic" else None,
            schema=VERDICT if as_json else None,
            seeds=self.seeds,
            server=asked.base_url or "",
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


def _in_json(role: str, text: str) -> str:
    """A message of a prompt, with its instruction and its worked verdicts put for a reply in JSON."""
    if role == "assistant" and (worked := _WORKED.fullmatch(text)):
        return json.dumps({"reasoning": worked[1] or "", "accepted": worked[2]})
    return _LINE.sub("reply in JSON: your `reasoning`, then `accepted`, Y or N", text)


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
    )


def fill(text: str, fields: dict[str, str]) -> str:
    """Put the fields into the text, in one pass: braces in a field stay what they are, and so do `[[Y]]` and the like.
    Role markers of chat templates in a field lose their bracket, so that they open no turn."""
    return _FIELD.sub(lambda match: _MARKERS.sub("(", fields[match.group(1)]), text)


def load(name: str, prompts_dir: str | None = None, structured: bool = False) -> Prompt:
    """The prompt `<paper>/<name>`, from `prompts_dir` if the file is there, else from the library.

    Raises PromptError naming the file and what is wrong with it, or the folder that is not there.
    """
    if prompts_dir and not Path(prompts_dir).is_dir():
        raise PromptError(f"prompts_dir {prompts_dir} is no folder: mend its name, or leave it out")
    path = Path(prompts_dir) / f"{name}.md" if prompts_dir else None
    if path is None or not path.is_file():
        path = LIBRARY.get(name)
    if path is None:
        raise PromptError(
            f"no prompt {name!r}{f' in {prompts_dir}' if prompts_dir else ''}; the library has {', '.join(LIBRARY)}"
        )
    prompt = _read(name, path, path.read_text(encoding="utf-8"))
    return replace(prompt, structured=True) if structured else prompt


@lru_cache
def _read(name: str, path: Path, content: str) -> Prompt:
    try:
        _, head, body = content.split("---\n", 2)
        header = yaml.safe_load(head)
        version, output = header["version"], header["output"]
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise PromptError(f"{path}: the header needs version and output between two lines of --- ({error})") from error
    if output not in OUTPUTS:
        raise PromptError(f"{path}: output {output!r} is none of {', '.join(OUTPUTS)}")
    parts = _ROLE.split(body)[1:]
    if (seeds := header.get("seeds", "sample")) not in ("sample", "request"):
        raise PromptError(f"{path}: seeds {seeds!r} is neither sample nor request")
    messages = tuple((role, text.strip()) for role, text in zip(parts[::2], parts[1::2]))
    if not messages:
        raise PromptError(f"{path}: no message: begin each with a line `# system`, `# user` or `# assistant`")
    prefix = next((i for i, (_, text) in enumerate(messages) if _FIELD.search(text)), len(messages))
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    return Prompt(
        name,
        f"{name}@{version}-{digest}",
        output,
        messages,
        prefix,
        header.get("max_tokens", 256),
        header.get("free_tokens", 1024),
        header.get("grammar", ""),
        header.get("logprobs"),
        seeds=seeds,
    )
