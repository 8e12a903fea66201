"""The three ways out: OpenAI's interface, Anthropic's, and the model served here. One `send` each, no retries.

The SDKs are imported by who first asks through them: together they take seconds and 70 MB, and a replay needs neither.
"""

import asyncio
import hashlib
import json
import logging
from collections import Counter
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from proctor.models.embedded import Embedded, Endpoint, try_turn
from proctor.models.endings import CallError, call_errors, scrub
from proctor.models.messages import Reply, Request, anthropic_message, openai_message
from proctor.models.registry import KEYS, Spec, key_of, weights_file
from proctor.models.settings import LEAST_BUDGET, takes

LISTING = 10.0  # seconds at most for the free call that tries a key
THINKING = ("enable_thinking", "thinking")  # for vLLM, SGLang and llama.cpp: chat templates know one name or the other
LARGEST = 64 << 20  # bytes of a reply, unpacked: far more than the longest with its alternatives


class Served:
    """A model served here. One call at a time; the reply depends on the request alone, not on what came before.

    The slot is first brought to the request's shared prefix, evaluated from zero whenever the prefix
    changes and kept otherwise; the stand-in message `~` makes both ways end at the same token.
    """

    in_use: "Served | None" = None  # of this process: two models are never served at once

    def __init__(self, model: Spec, timeout: float):
        self.model, self.timeout = model, timeout
        self._server = Embedded(weights_file(model))
        self._client: Any = None
        self._endpoint: Endpoint | None = None
        self._prefix = ""  # digest of the prefix that the slot holds

    async def send(self, request: Request) -> Reply:
        while (turn := try_turn()) is None:  # another notebook is asking
            await asyncio.sleep(0.01)
        with turn:
            if Served.in_use not in (None, self):
                Served.in_use.stop()
            Served.in_use = self
            endpoint = await asyncio.to_thread(self._server.start)
            if endpoint != self._endpoint:
                if self._client:
                    await self._client.close()
                self._client = sdk_client("openai", endpoint.url, endpoint.key)
                self._endpoint, self._prefix = endpoint, ""
            try:
                with call_errors(endpoint.key):
                    async with asyncio.timeout(request.timeout or self.timeout):
                        return await self._ask(request)
            except CallError as error:
                if error.again:
                    self.stop()  # it may hang: the next attempt starts another one
                raise

    async def _ask(self, request: Request) -> Reply:
        prefix = request.messages[: request.prefix]
        digest = hashlib.sha256(json.dumps(prefix).encode()).hexdigest() if prefix else ""
        held, self._prefix = self._prefix, ""  # until the call is through, nobody knows what the slot holds
        if prefix:
            primer = [*prefix, {"role": "user", "content": "~"}]
            await _post(self._client, primer, 0, temperature=0.0, cache_prompt=held == digest)
        reply = await ask_served(self._client, request, cache_prompt=bool(prefix))
        self._prefix = digest
        return reply

    async def close(self) -> None:
        if self._client:
            await self._client.close()
        self.stop()

    def stop(self) -> None:
        """End the server, without a word to it."""
        self._server.stop()


async def ask_served(client: Any, request: Request, cache_prompt: bool) -> Reply:
    """One call to a server of `embedded`. cache_prompt: a slot may go on from what it holds of the prompt."""
    bound = {"grammar": request.grammar} if request.grammar else {}
    answer = await _post(
        client,
        request.messages,
        request.max_tokens,
        temperature=request.temperature,
        cache_prompt=cache_prompt,
        seed=request.seed,
        **bound,
        **_asked_logprobs(request),
    )
    return reply_from_openai(answer, request.opening)


async def _post(client: Any, messages: Any, max_tokens: int, **body: Any) -> Any:
    return await client.post(
        "/chat/completions",
        cast_to=bytes,
        body={"model": "embedded", "messages": messages, "max_tokens": max_tokens, **body},
    )


def openai_body(model: Spec, request: Request) -> dict:
    schema = {"name": "reply", "strict": True, "schema": request.schema}
    thinking = {"chat_template_kwargs": dict.fromkeys(THINKING, bool(request.thinking))}
    taken, own = takes(model), model.base_url is None  # OpenAI itself, whose newer models know the second name alone
    messages = [openai_message(message) for message in request.messages]
    if "system" not in taken:  # it goes into the user's turn (HLE's code)
        messages = [{**m, "role": "user"} if m["role"] == "system" else m for m in messages]
    return {
        "model": model.model,
        "messages": messages,
        **({"temperature": request.temperature} if "temperature" in taken else {}),
        **(_asked_logprobs(request) if "logprobs" in taken else {}),
        "max_completion_tokens" if own else "max_tokens": request.max_tokens,
        **({"reasoning_effort": request.effort} if request.effort else {}),
        **({} if request.thinking is None else thinking),
        **({"response_format": {"type": "json_schema", "json_schema": schema}} if request.schema else {}),
    }


def anthropic_body(model: Spec, request: Request) -> dict:
    system = "\n\n".join(m["content"] for m in request.messages if m["role"] == "system")
    turns = [anthropic_message(m) for m in request.messages if m["role"] != "system"]
    return {
        "model": model.model,
        "max_tokens": request.max_tokens,
        "messages": turns,
        **({"temperature": request.temperature} if "temperature" in takes(model, request.thinking) else {}),
        **({} if request.thinking is None else {"thinking": _anthropic_thinking(model, request)}),
        **({"output_config": {"effort": request.effort}} if request.effort else {}),
        **({"system": system} if system else {}),
    }


def _anthropic_thinking(model: Spec, request: Request) -> dict:
    """Off, for as long as the model finds right, or with so many tokens: half of the reply where nobody says."""
    if not request.thinking:
        return {"type": "disabled"}
    if request.thinking is not True:
        return {"type": "enabled", "budget_tokens": request.thinking}
    if "freely" in takes(model):
        return {"type": "adaptive"}
    return {"type": "enabled", "budget_tokens": max(LEAST_BUDGET, request.max_tokens // 2)}


def sdk_client(kind: str, base_url: str | None, key: str) -> Any:
    """The client of the SDK of that name, openai or anthropic."""
    logging.getLogger("httpx").addFilter(_without_query)  # once, however often it is added
    if kind == "anthropic":
        import anthropic as sdk
    else:
        import openai as sdk  # type: ignore[no-redef]
    connections = sdk.DefaultAioHttpClient(trust_env=not _here(base_url), event_hooks={"response": [_read_bounded]})
    how = dict(base_url=base_url, api_key=key, max_retries=0, timeout=None, http_client=connections)
    return sdk.AsyncAnthropic(**how) if kind == "anthropic" else sdk.AsyncOpenAI(**how)


def _without_query(record: logging.LogRecord) -> bool:
    """Whether a line of the log may be shown: the query of an address may hold a key."""
    return "?" not in record.getMessage()


async def _read_bounded(response: Any) -> None:
    """Read what a call gave, unpacked, up to LARGEST bytes; the SDK then finds it read. Raises CallError for more."""
    if not response.request.url.path.endswith(("/chat/completions", "/messages")):
        return
    parts, size = [], 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > LARGEST:
            raise CallError(f"a reply of more than {LARGEST >> 20} MB", again=True, unreadable=True)
        parts.append(part)
    response._content = b"".join(parts)


def _here(base_url: str | None) -> bool:
    """Whether the server is on this machine: no proxy of the environment may come between, and see the key."""
    host = urlsplit(base_url or "").hostname or ""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _asked_logprobs(request: Request) -> dict:
    return {} if request.logprobs is None else {"logprobs": True, "top_logprobs": request.logprobs}


def _counted(answer: dict) -> dict[str, Any]:
    """Tokens that a provider counted, under either interface's names; 0 where it does not say, or not a number.

    Those of the prompt are all that it can bill: Anthropic counts what comes from its cache and goes there besides, and
    some servers of OpenAI's interface what comes from theirs.
    """
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    given = (details if isinstance(details, dict) else {}) | usage
    known = Counter({name: n for name, n in given.items() if type(n) is int and 0 <= n <= 10**9})
    sent = known["prompt_tokens"] or known["input_tokens"]
    sent += known["cache_creation_input_tokens"] + known["cache_read_input_tokens"]
    sent += known["cached_tokens"] if known["cached_tokens"] > sent else 0
    return dict(prompt_tokens=sent, completion_tokens=known["completion_tokens"] or known["output_tokens"])


class Alternative(BaseModel):
    token: Annotated[str, Field(strict=True)]
    logprob: Annotated[float, Field(ge=-1e5, le=0.01, allow_inf_nan=False)]


class Token(Alternative):
    top_logprobs: list[Alternative] = []


TOKENS = TypeAdapter(list[Token])


def _tokens(logprobs: Any) -> list[Token]:
    """[] where there are none, or odd ones: what a reply says beside its text must never lose the reply."""
    try:
        return TOKENS.validate_python(logprobs["content"])
    except (ValidationError, TypeError, KeyError, RecursionError):
        return []


def reply_from_openai(answer: bytes | dict, opening: str = "") -> Reply:
    """The reply in a chat completion, as JSON. Raises CallError for anything else."""
    try:
        answer = json.loads(answer) if isinstance(answer, bytes) else answer
        choice = answer["choices"][0]
        said = choice["message"].get("content") or ""
        text = said if isinstance(said, str) else "".join(part["text"] for part in said if part["type"] == "text")
        tokens = _tokens(choice.get("logprobs"))
        return Reply(
            text=_whole(text, opening),
            finish=_finish(choice.get("finish_reason")),
            **_counted(answer),
            tokens=tuple((t.token, round(t.logprob, 4)) for t in tokens),
            first={t.token: round(t.logprob, 4) for t in tokens[0].top_logprobs} if tokens else {},
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise CallError("a reply that is no chat completion", again=True, unreadable=True) from None


def reply_from_anthropic(answer: bytes | dict, opening: str = "") -> Reply:
    """The reply in a message, as JSON. Raises CallError for anything else."""
    try:
        answer = json.loads(answer) if isinstance(answer, bytes) else answer
        text = "".join(part["text"] for part in answer["content"] if part["type"] == "text")
        return Reply(
            text=_whole(text, opening),
            finish="length" if _finish(answer.get("stop_reason")) == "length" else "stop",
            **_counted(answer),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CallError("a reply that is no message", again=True, unreadable=True) from None


CUT_OFF = "length max_tokens max_output_tokens model_length model_context_window_exceeded".split()  # servers' words


def _finish(reason: object) -> str:
    """Why the reply ended: "length" where it was cut off. Raises ValueError where the server says that it failed."""
    said = str(reason or "stop")[:40]
    if said.lower() in ("error", "failed"):
        raise ValueError(said)
    return "length" if said.lower() in CUT_OFF else said


def _whole(text: str, opening: str) -> str:
    """The reply with the beginning that the request gave it, whether the server repeats that or not."""
    text = text.encode(errors="replace").decode()  # half a surrogate pair can't be written down
    return text if text.startswith(opening) else opening + text


class Keyed:
    """The models of a provider, or of a server that speaks its interface."""

    calls: ClassVar[str]  # the path of a call
    body: ClassVar[Any]  # (model, request): what is sent
    read: ClassVar[Any]  # (answer, opening): the reply in what comes back

    def __init__(self, model: Spec, timeout: float):
        self.model, self.timeout, self._client = model, timeout, sdk_client(model.kind, model.base_url, key_of(model))

    async def send(self, request: Request) -> Reply:
        with call_errors(*self.model.secrets):
            async with asyncio.timeout(request.timeout or self.timeout):
                # post and bytes: create() spends most of a call's CPU on walking through the types of plain dicts
                answer = await self._client.post(self.calls, cast_to=bytes, body=self.body(self.model, request))
        return self.read(answer, request.opening)

    async def close(self) -> None:
        await self._client.close()


class OpenAI(Keyed):
    """Any server that speaks OpenAI's chat interface."""

    calls, body, read = "/chat/completions", staticmethod(openai_body), staticmethod(reply_from_openai)


class Anthropic(Keyed):
    """Anthropic's messages. Its interface offers no token probabilities."""

    calls, body, read = "/v1/messages", staticmethod(anthropic_body), staticmethod(reply_from_anthropic)


KINDS: dict[str, Any] = {"openai": OpenAI, "anthropic": Anthropic, "gguf": Served}


def register(kind: str, provider: Any, key_env: str = "") -> None:
    """A way of one's own to models: `kind/<model>` is then asked by `provider(spec, timeout)`, which has `async
    send(request)`, one attempt that gives the Reply or raises CallError, and `async close()`.

    key_env: the environment variable that holds its key, "" for none. Raises ValueError for a kind that is taken."""
    if not kind.isidentifier() or KINDS.get(kind, provider) is not provider:
        raise ValueError(f"kind {kind!r}: give a name of letters that no other provider has ({', '.join(KINDS)})")
    KINDS[kind], KEYS[kind] = provider, key_env


async def refusal(model: Spec) -> str:
    """Why the provider refuses the model's key, by one free call: the list of models. "" where it does not.

    Only a 401 is a refusal: a server may have no such list, and a key may be good for calls alone.
    """
    client = sdk_client(model.kind, model.base_url, key_of(model))
    try:
        async with asyncio.timeout(LISTING):
            await client.get("/v1/models" if model.kind == "anthropic" else "/models", cast_to=bytes)
    except Exception as error:  # of any other fault the calls themselves will tell
        if getattr(error, "status_code", None) == 401:
            return scrub(str(error), *model.secrets)
    finally:
        await client.close()
    return ""
