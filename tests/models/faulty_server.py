"""A local server that speaks OpenAI's chat completions and Anthropic's messages, and misbehaves when told to.

`Server(faults)` runs in a thread of its own (`with Server(...) as server:`); run as a program it serves on a port of
its choice, which it prints, until its standard input is closed (for tests that kill the client, and benchmarks).
`faults` maps the text of a request's last message to what happens, one entry an attempt: "429", "429:<Retry-After>",
"429:+3" (a Retry-After that is the date in three seconds, cut to whole ones), "500", "reset", "cut", "short" (fewer
bytes than announced), "drip", "hang", "html", "empty", "400", "401", "echo" (401 whose body repeats the caller's key), "ok".
What is not in it, or has run out, is answered by `answer(text)`, by default the text in capitals; with `verdicts` by a verdict, Y with that
probability, which depends on the conversation and, unless `steady`, on how often it was asked, but by a question where
the instructions ask for no verdict. `rates` maps faults to the share of all attempts that meet them, drawn with `seed`;
besides those above there are faults of a reply that comes whole: "odd" (usage that is none), "logprobs" (absurd ones) and "deep" (deeply nested text before the verdict).
"""

import argparse
import asyncio
import collections
import contextlib
import hashlib
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from email.utils import formatdate

from aiohttp import web


class Server:
    """`asked` counts attempts and `answered` whole replies, by the text of the last message."""

    def __init__(
        self,
        faults: dict | None = None,
        latency: float = 0.0,
        every: int = 0,
        usage: tuple | None = (10, 5),
        verdicts: float | None = None,
        steady: bool = False,
        rates: dict | None = None,
        seed: int = 0,
        listing: int = 404,
        hold: int | None = None,
        answer: Callable[[str], str] = str.upper,
    ):
        self.faults = {text: list(plan) for text, plan in (faults or {}).items()}
        self.latency, self.every, self.usage, self.verdicts = latency, every, usage, verdicts
        self._spoken = answer  # what is said to a text
        self.hold = hold  # after so many attempts none is answered, until this is None
        self.steady = steady
        self.rates, self.draws = rates or {}, random.Random(seed)
        self.whole = collections.Counter()  # whole replies by conversation (a digest), whichever
        self.charged, self.dollars = 0, 0.0  # attempts that a provider may charge, and whole replies at 1 and 2 $/M
        self.listing, self.listed = listing, 0  # the status of its list of models, and how often it was asked for
        self.talks = collections.Counter()  # whole replies by conversation, where verdicts are given
        self.asked, self.answered = collections.Counter(), collections.Counter()
        self.times = collections.defaultdict(list)  # of the attempts, by text
        self.bodies, self.arrived, self.busy, self.busiest = [], 0, 0, 0

    def __enter__(self) -> "Server":
        up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(up)), daemon=True)
        self._thread.start()
        assert up.wait(10)
        return self

    def __exit__(self, *_) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _run(self, up: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        await self.start()
        up.set()
        await self._stop.wait()
        await self._runner.cleanup()

    async def start(self) -> None:
        app = web.Application(client_max_size=2**28)
        for path, serve in self.paths().items():
            app.router.add_route(*path.split(), serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    def paths(self) -> dict:
        talk = {f"POST {path}": self._serve for path in ("/v1/chat/completions", "/v1/messages")}
        return talk | {"GET /v1/models": self._list, "GET /counts": self._counts}

    async def _list(self, request: web.Request) -> web.Response:
        self.listed += 1
        told = {"data": []} if self.listing == 200 else {"error": {"message": f"no list for {self._key(request)}"}}
        return web.json_response(told, status=self.listing)

    async def _counts(self, _) -> web.Response:
        self.hold = None
        counts = {"asked": self.asked, "answered": self.answered, "busiest": self.busiest, "whole": self.whole}
        return web.json_response({**counts, "charged": self.charged, "dollars": self.dollars, "arrived": self.arrived})

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        said = body["messages"][-1]["content"]  # in parts, where there is a picture
        text = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
        self.asked[text] += 1
        self.arrived += 1
        unlucky = self.every and self.arrived % self.every == 0
        self.times[text].append(time.monotonic())
        self.bodies.append(body)
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            while self.hold is not None and self.arrived > self.hold:
                await asyncio.sleep(0.01)
            plan = self.faults.get(text)
            fault = plan.pop(0) if plan else self._drawn()
            if unlucky:
                fault = "429:0"
            self.charged += not fault.startswith("429")
            return await self._answer(request, fault, text, body)
        finally:
            self.busy -= 1

    def _drawn(self) -> str:
        [fault] = self.draws.choices([*self.rates, "ok"], [*self.rates.values(), 1 - sum(self.rates.values())])
        return fault

    async def _answer(self, request: web.Request, fault: str, text: str, body: dict) -> web.StreamResponse:
        kind, _, detail = fault.partition(":")
        complete = kind in ("ok", "odd", "logprobs", "deep")
        said = self._spoken(text) if self.verdicts is None or not complete else self._verdict(body)
        reply = self._reply("[" * 20_000 + said if kind == "deep" else said, request.path)
        if kind == "odd":
            reply["usage"] = self.draws.choice([None, "many", {"prompt_tokens": None}, {"prompt_tokens": -1}, 10**400])
        if kind == "logprobs" and "choices" in reply:
            reply["choices"][0]["logprobs"] = {"content": [{"token": 7, "logprob": 1e300, "top_logprobs": None}]}
        whole = json.dumps(reply).encode()
        if failure := self.failure(request, kind, detail):
            return failure
        if kind == "html":
            return web.Response(text="<html>a proxy's greeting</html>", content_type="text/html")
        if kind == "empty":
            return web.json_response({"error": "none"})
        if kind == "hang":
            await asyncio.sleep(3600)
        if kind == "cut":
            return web.Response(body=whole[:-20], content_type="application/json")
        if kind in ("drip", "short"):  # byte by byte, or fewer than announced
            answer = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(whole))})
            await answer.prepare(request)
            with contextlib.suppress(ConnectionError):  # the caller hangs up
                for part in [whole[:-20]] if kind == "short" else map(bytes, zip(whole)):
                    await answer.write(part)
                    await asyncio.sleep(0.05 * (kind == "drip"))
            if kind == "short":
                request.transport.close()
            return answer
        assert complete, fault
        self.answered[text] += 1
        self.whole[hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:16]] += 1
        if self.usage:
            self.dollars += self.usage[0] * 1e-6 + self.usage[1] * 2e-6
        return web.Response(body=whole, content_type="application/json")

    def failure(self, request: web.Request, kind: str, detail: str) -> web.Response | None:
        """The answer that says no, or none at all."""
        if kind == "reset":
            request.transport.abort()
            return web.Response()  # goes nowhere
        if kind == "echo":
            told, status = f"Incorrect API key provided: {self._key(request)}", 401
        elif kind.isdigit():
            told, status = f"told to fail with {kind}", int(kind)
        else:
            return None
        later = formatdate(time.time() + float(detail), usegmt=True) if detail.startswith("+") else detail
        headers = {"Retry-After": later} if later else {}
        return web.json_response({"error": {"message": told}}, status=status, headers=headers)

    def _key(self, request: web.Request) -> str:
        return request.headers.get("Authorization", "") + request.headers.get("x-api-key", "")

    def _verdict(self, body: dict) -> str:
        talk = json.dumps(body["messages"], sort_keys=True)
        digest = hashlib.sha256(f"{talk} {self.talks[talk]}".encode()).digest()
        self.talks[talk] += not self.steady
        whole = json.dumps(body)
        if '"system"' in whole and "ccepted" not in whole:  # instructions that ask for no verdict
            return f"Which sum has the digest {digest.hex()[:8]}?"
        return f"Accepted: [[{'Y' if int.from_bytes(digest[:4]) / 2**32 < self.verdicts else 'N'}]]"

    def _reply(self, said: str, path: str) -> dict:
        if path == "/v1/messages":
            usage = dict(zip(("input_tokens", "output_tokens"), self.usage))
            content = [{"type": "text", "text": said}]
            return {"id": "m", "type": "message", "stop_reason": "end_turn", "content": content, "usage": usage}
        token = {"token": said, "logprob": -0.25}
        choice = {
            "finish_reason": "stop",
            "logprobs": {"content": [{**token, "top_logprobs": [token]}]},
            "message": {"role": "assistant", "content": said},
        }
        usage = dict(zip(("prompt_tokens", "completion_tokens"), self.usage)) if self.usage else None
        return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}


async def main(**how) -> None:
    server = Server(**how)
    await server.start()
    print(server.url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--every", type=int, default=0, help="every n-th attempt gets 429")
    parser.add_argument("--verdicts", type=float, help="answer with verdicts that accept at this rate")
    parser.add_argument("--steady", action="store_true", help="the same conversation gets the same verdict")
    parser.add_argument("--rates", type=json.loads, help='JSON: {"429": 0.2}')
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hold", type=int, help="answer no more than so many attempts until /counts is asked for")
    asyncio.run(main(**vars(parser.parse_args())))
