"""What is sent to a model, what comes back, and the key under which it is kept.

Images are data URIs, as HLE's column `image` has them. A message that shows one keeps its text in `content` and the
data URI in `image`: so the key of a request includes the picture's bytes, and the key of a request without one is what
it was before there were any.
"""

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property

REHEARSED = "rehearsal"  # the source of a stand-in for a reply, while calls are only planned
PICTURE = 6_000  # characters: providers bill 1,000 to 2,000 tokens for most pictures
# Fields of a request that are newer than recordings: not in the key at these values, so that old keys stay.
NEWER = {"server": "", "seeds": "sample", "effort": "", "thinking": None}
LARGEST_PICTURE = 20_000  # tokens, more than either provider bills for one


@dataclass(frozen=True)
class Request:
    """One call. Everything here but `timeout` and `quoted`, and nothing else, decides the reply and the key.

    `messages` are {"role", "content"} dicts; a last one by the assistant is a beginning that the
    model continues. The first `prefix` messages are shared with other calls of the same prompt
    (instructions and worked examples). `sample` numbers the rollouts of one request; `prompt` is
    the version of the prompt file. `grammar` (GBNF) binds models served here only. `seeds` says how
    these draw at a temperature: "sample" gives sample k one seed for all requests,
    "request" gives every request and sample a seed of its own. `effort`, `thinking` and `timeout`
    (seconds for one attempt) are those of `settings.Settings`; what says nothing is not in the key.
    `quoted` is what others wrote in the messages, which the reply may repeat.
    """

    model: str
    messages: tuple
    sample: int = 0
    prompt: str = ""
    prefix: int = 0
    temperature: float = 0.0
    max_tokens: int = 512
    logprobs: int | None = None  # number of alternatives a token; None asks for no probabilities
    grammar: str = ""
    schema: dict | None = None  # JSON schema of a structured reply, for providers that have it
    seeds: str = "sample"
    server: str = ""  # the address, where it is not the provider's own: two servers may know one model name
    effort: str = ""
    thinking: bool | int | None = None
    timeout: float | None = None
    quoted: str = ""

    @cached_property
    def key(self) -> str:
        """SHA-256 (hex) of the canonical request, the sample index and the prompt's version."""
        left_out = {"prefix", "timeout", "quoted"} | {
            name for name, default in NEWER.items() if getattr(self, name) == default
        }
        content = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def seed(self) -> int:
        """What a model served here draws with: from the digest of the request and the sample, unless `seeds` says the
        sample alone."""
        return self.sample if self.seeds == "sample" else int(self.key[:8], 16) % 2**31

    @property
    def opening(self) -> str:
        """The beginning of the reply that the request gives, "" for none."""
        last = self.messages[-1] if self.messages else {}
        return last["content"] if last.get("role") == "assistant" else ""

    @property
    def shown(self) -> dict[str, str]:
        """What a reader of the reply must know of the request: `quoted` and `opening`."""
        return dict(quoted=self.quoted, opening=self.opening)

    @property
    def characters(self) -> int:
        """Of the text; a picture counts as PICTURE of them."""
        return sum(len(message["content"]) + PICTURE * ("image" in message) for message in self.messages)

    @property
    def most_tokens(self) -> int:
        """The most tokens that a provider can count of what is sent: none is shorter than a byte."""
        return len(json.dumps(self.schema or "")) + sum(
            len(m["content"].encode(errors="replace")) + 16 + LARGEST_PICTURE * ("image" in m) for m in self.messages
        )


@dataclass(frozen=True)
class Reply:
    """What came back. `source` is recording, cache, live or rehearsal; `tokens` are (text, log-probability) pairs.

    `first` holds the alternatives for the first token, {text: log-probability}. `finish` is "stop",
    or "length" when `max_tokens` cut the reply off.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: tuple = ()
    first: dict = field(default_factory=dict)
    source: str = "live"

    @property
    def cut_off(self) -> bool:
        return self.finish == "length"

    def to_json(self) -> str:
        content = {name: value for name, value in vars(self).items() if name == "text" or value and name != "source"}
        line = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return line.encode(errors="replace").decode()  # half a surrogate pair, in a token, can't be written

    @classmethod
    def from_json(cls, text: str | bytes, source: str) -> "Reply":
        content = json.loads(text)
        content["tokens"] = tuple(map(tuple, content.get("tokens", ())))
        return cls(**content, source=source)


_URI = re.compile(r"data:image/[\w.+-]+(?:;[\w-]+=[\w.-]+)*;base64,", re.IGNORECASE)
_BEGINS = re.compile(
    rb"(?P<png>\x89PNG\r\n\x1a\n)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a)|RIFF.{4}(?P<webp>WEBP)", re.DOTALL
)


def picture(uri: str) -> tuple[str, str]:
    """(MIME type, base64) of a data URI: png, jpeg, webp or gif, which both providers take.

    The type is read off the bytes: files say `image/jpg`, or png of a jpeg, and Anthropic refuses these.
    Raises ValueError for anything else.
    """
    head = _URI.match(uri)
    if not head:
        raise ValueError(f"image {uri[:30]!r} is no data URI: write it as data:image/png;base64,...")
    try:
        content = base64.b64decode("".join(uri[head.end() :].split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"image {uri[:30]!r}: its base64 can't be read ({error})") from None
    if not (kind := _BEGINS.match(content)):
        raise ValueError(f"image {uri[:30]!r} holds no png, jpeg, webp or gif: convert it")
    return f"image/{kind.lastgroup}", base64.b64encode(content).decode()


def openai_message(message: dict) -> dict:
    """A message as OpenAI's chat interface takes it."""
    if "image" not in message:
        return message
    kind, data = picture(message["image"])
    shown = {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
    return {"role": message["role"], "content": [{"type": "text", "text": message["content"]}, shown]}


def anthropic_message(message: dict) -> dict:
    """A message as Anthropic's takes it: the picture before the text that asks about it, as its guide advises."""
    if "image" not in message:
        return message
    kind, data = picture(message["image"])
    shown = {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    return {"role": message["role"], "content": [shown, {"type": "text", "text": message["content"]}]}
