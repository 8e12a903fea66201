"""A local server that also speaks OpenAI's and Anthropic's batch interfaces, and is strict about what it is sent.

`faults` maps the text of a request's last message to what becomes of it in a batch, one entry a batch that it is in:
"400", "429", "500", "529", "expired", "cancelled", "missing" (it has no line in the results), "malformed" (a line cut
off), "strange" (a line that is no reply), "ok".
"""

import asyncio
import collections
import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aiohttp import web
from faulty_server import Server

CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"
KINDS = {"400": "invalid_request_error", "429": "rate_limit_error", "500": "api_error", "529": "overloaded_error"}


@dataclass
class Batch:
    number: int
    metadata: dict
    refused: tuple | None
    fates: list = field(default_factory=list)  # (custom_id, reply, fate) of each request
    looked: int = 0
    ended: bool = False
    created: float = field(default_factory=time.time)

    @property
    def name(self) -> str:
        return f"batch_{self.number}"


class BatchServer(Server):
    """`submitted` counts the batches that a request was in, by custom_id; `batches` are the texts of each, in order.

    A batch has ended after two looks; those whose numbers are in `held` only when they are taken out of it. refused: why
    the next OpenAI batch fails as a whole, (code, message). bad_calls: what happens to the next calls to the interface,
    by its word ("upload", "create", "list", "look", "read"), one entry a call: "500", "429:<Retry-After>", "reset",
    "401", "404", "echo" (401 whose body repeats the key), "lost:<seconds>" (done, but then there is no answer), "ok".
    """

    def __init__(self, held: tuple = (), bad_calls: dict | None = None, refused: tuple | None = None, **how):
        super().__init__(**how)
        self.held, self.refused = set(held), refused
        self.bad_calls = {call: list(plan) for call, plan in (bad_calls or {}).items()}
        self.calls, self.submitted = collections.Counter(), collections.Counter()
        self.batches: list[list[str]] = []
        self._files: dict[str, bytes] = {}
        self._made: dict[str, Batch] = {}

    def paths(self) -> dict:
        calls = {"POST /v1/files": ("upload", self._upload), "GET /v1/files/{id}/content": ("read", self._read)}
        for path in ("/v1/batches", "/v1/messages/batches"):
            calls |= {f"POST {path}": ("create", self._create), f"GET {path}": ("list", self._list_batches)}
            calls |= {f"GET {path}/{{id}}": ("look", self._look), f"GET {path}/{{id}}/results": ("read", self._read)}
        return super().paths() | {path: self._faulty(*call) for path, call in calls.items()}

    def _faulty(self, call: str, then):
        async def serve(request: web.Request) -> web.StreamResponse:
            self.calls[call] += 1
            plan = self.bad_calls.get(call)
            kind, _, detail = (plan.pop(0) if plan else "ok").partition(":")
            if failure := self.failure(request, kind, detail):
                return failure
            answer = await then(request)
            if kind == "lost":
                await asyncio.sleep(float(detail))
                request.transport.abort()
            return answer if isinstance(answer, web.Response) else web.json_response(answer)

        return serve

    async def _upload(self, request: web.Request) -> dict:
        form = await request.post()
        assert form["purpose"] == "batch" and form["file"].filename.endswith(".jsonl")
        self._files[name := f"file-{len(self._files)}"] = form["file"].file.read()
        return {"id": name, "object": "file", "purpose": "batch", "status": "processed"}

    async def _create(self, request: web.Request) -> dict:
        body = await request.json()
        if "messages" in request.path:
            bodies = {line["custom_id"]: line["params"] for line in body["requests"]}
            known = {"model", "max_tokens", "messages", "temperature", "system"}
            assert all(
                set(line) == {"custom_id", "params"} and set(line["params"]) <= known for line in body["requests"]
            )
        else:
            lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
            bodies = {line["custom_id"]: line["body"] for line in lines}
            assert (body["endpoint"], body["completion_window"]) == (CHAT, "24h")
            assert all((line["method"], line["url"]) == ("POST", CHAT) for line in lines)
        assert len({body["model"] for body in bodies.values()}) == 1
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", key) for key in bodies)
        made = Batch(len(self._made), body.get("metadata"), self.refused)
        self._made[made.name], self.refused = made, None
        self.batches.append([body["messages"][-1]["content"] for body in bodies.values()])
        for key, body in bodies.items():
            text = body["messages"][-1]["content"]
            plan = self.faults.get(text)
            said = text.upper() if self.verdicts is None else self._verdict(body)
            made.fates.append((key, said, plan.pop(0) if plan else "ok"))
            self.submitted[key] += 1
            self.asked[text] += 1
            self.answered.update([text] if made.fates[-1][2] == "ok" else [])
            self.bodies.append(body)
        return self._shown(made, request)

    async def _look(self, request: web.Request) -> dict:
        made = self._made[request.match_info["id"]]
        made.looked += 1
        made.ended = made.ended or made.looked > 2 and made.number not in self.held
        return self._shown(made, request)

    async def _list_batches(self, request: web.Request) -> dict:
        """Pages of two at most, the newest first."""
        names, after = list(reversed(self._made)), request.query.get("after", request.query.get("after_id"))
        rest = names[names.index(after) + 1 :] if after else names
        shown = [self._shown(self._made[name], request) for name in rest[:2]]
        ends = dict(first_id=rest[0], last_id=rest[:2][-1]) if rest else {}
        return {"object": "list", "data": shown, "has_more": len(rest) > 2, **ends}

    def _shown(self, made: Batch, request: web.Request) -> dict:
        done = len(made.fates) * made.ended
        if "messages" in request.path:
            counts = dict(processing=len(made.fates) - done, succeeded=done, errored=0, canceled=0, expired=0)
            return {
                "id": made.name,
                "type": "message_batch",
                "processing_status": "ended" if made.ended else "in_progress",
                "request_counts": counts,
                "created_at": datetime.fromtimestamp(made.created, UTC).isoformat(),
                "results_url": f"{self.url}/v1/messages/batches/{made.name}/results" if made.ended else None,
            }
        shown = {"id": made.name, "object": "batch", "created_at": int(made.created), "metadata": made.metadata}
        if made.ended and made.refused:
            error = dict(zip(("code", "message"), made.refused), line=None, param=None)
            return shown | {"status": "failed", "errors": {"object": "list", "data": [error] * 3}}
        files = {f"{what}_file_id": f"{what}-{made.name}" for what in ("output", "error") if made.ended}
        return shown | {"status": "completed" if made.ended else "in_progress"} | files

    async def _read(self, request: web.Request) -> web.Response:
        """The lines of one of OpenAI's two files, or all of Anthropic's, in another order than they came in."""
        what, _, name = request.match_info["id"].rpartition("-")
        lines = []
        for key, said, fate in reversed(self._made[name].fates):
            if fate == "missing" or what and (what == "output") != (fate in ("ok", "malformed", "strange")):
                continue
            outcome = self._response(said, fate) if what else {"result": self._result(said, fate)}
            line = json.dumps({"custom_id": key} | outcome, ensure_ascii=False)
            lines.append(line[:-40] if fate == "malformed" else line)
        return web.Response(body="\n".join(lines).encode(), content_type="application/x-jsonl")

    def _response(self, said: str, fate: str) -> dict:
        if fate in ("expired", "cancelled"):
            return {"response": None, "error": {"code": f"batch_{fate}", "message": f"the batch {fate}"}}
        body = {"choices": "none"} if fate == "strange" else self._reply(said, CHAT)
        if fate.isdigit():
            body = {"error": {"message": f"told to fail with {fate}"}}
        return {"response": {"status_code": int(fate) if fate.isdigit() else 200, "body": body}, "error": None}

    def _result(self, said: str, fate: str) -> dict:
        if fate in ("expired", "cancelled"):
            return {"type": fate.replace("ll", "l")}
        if fate.isdigit():
            error = {"type": KINDS[fate], "message": f"told to fail with {fate}"}
            return {"type": "errored", "error": {"type": "error", "error": error}}
        return {"type": "succeeded", "message": {"content": None} if fate == "strange" else self._reply(said, MESSAGES)}
