"""A local server that also speaks OpenAI's and Anthropic's batch interfaces, and is strict about what it is sent.

`BatchServer` is `faulty_server.Server` with batches. `faults` maps the text of a request's last message to what becomes
of it in a batch, one entry a batch that it is in: "400", "429", "500", "529", "expired", "cancelled", "missing" (it has
no line in the results), "malformed" (a line cut off), "strange" (a line that is no reply), "ok". A batch has ended after
it was looked at more than `looks` times; those whose numbers are in `held` do not end until they are taken out of it.
"""

import asyncio
import collections
import json
import re
import time
from datetime import UTC, datetime

from aiohttp import web
from faulty_server import Server

TALK = ("/v1/chat/completions", "/v1/messages")


class BatchServer(Server):
    """`submitted` counts the batches that a request was in, by custom_id; `batches` are the texts of each, in order;
    `asked` and `answered` count what was in a batch too.

    bad_calls: what happens to the next calls to the interface itself, by its first word ("create", "look", "list",
    "read", "upload"), one entry a call: "500", "429:<Retry-After>", "reset", "401", "404", "echo" (401 whose body
    repeats the key), "lost" (done, but the answer never arrives), "ok". slow: seconds between the creation of a batch
    and its answer, by the batch's number from 0. refused: why the next OpenAI batch fails as a whole, (code, message).
    """

    def __init__(
        self,
        looks: int = 2,
        held: tuple = (),
        bad_calls: dict | None = None,
        slow: dict | None = None,
        refused: tuple | None = None,
        **how,
    ):
        super().__init__(**how)
        self.looks, self.held, self.slow, self.refused = looks, set(held), slow or {}, refused
        self.bad_calls = {call: list(plan) for call, plan in (bad_calls or {}).items()}
        self.calls, self.submitted = collections.Counter(), collections.Counter()
        self.batches: list[list[str]] = []
        self._files, self._made = {}, {}  # contents by name; batches by name, the oldest first

    def paths(self) -> dict:
        return super().paths() | {
            path: self._faulty(call, serve)
            for path, call, serve in (
                ("POST /v1/files", "upload", self._upload),
                ("GET /v1/files/{id}/content", "read", self._file),
                ("POST /v1/batches", "create", self._openai_create),
                ("GET /v1/batches", "list", self._batches),
                ("GET /v1/batches/{id}", "look", self._openai_look),
                ("POST /v1/messages/batches", "create", self._anthropic_create),
                ("GET /v1/messages/batches", "list", self._batches),
                ("GET /v1/messages/batches/{id}", "look", self._anthropic_look),
                ("GET /v1/messages/batches/{id}/results", "read", self._anthropic_results),
            )
        }

    def _faulty(self, call: str, then):
        async def serve(request: web.Request) -> web.StreamResponse:
            self.calls[call] += 1
            plan = self.bad_calls.get(call)
            kind, _, detail = (plan.pop(0) if plan else "ok").partition(":")
            if failure := self.failure(request, kind, detail):
                return failure
            answer = await then(request)
            if kind == "lost":
                request.transport.abort()
            return answer

        return serve

    # OpenAI

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        if form["purpose"] != "batch" or not form["file"].filename.endswith(".jsonl"):
            return _error("a batch's file has purpose batch and the ending .jsonl")
        name = f"file-{len(self._files)}"
        self._files[name] = form["file"].file.read()
        return web.json_response({"id": name, "object": "file", "purpose": "batch", "status": "processed"})

    async def _openai_create(self, request: web.Request) -> web.Response:
        body = await request.json()
        lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        if (body["endpoint"], body["completion_window"]) != (TALK[0], "24h") or any(
            (line["method"], line["url"]) != ("POST", TALK[0]) for line in lines
        ):
            return _error("wrong endpoint, window, method or url")
        if len({line["body"]["model"] for line in lines}) > 1:
            return _error("one model a batch")
        refused, self.refused = self.refused, None
        made = await self._make(
            {line["custom_id"]: line["body"] for line in lines}, refused=refused, metadata=body.get("metadata") or {}
        )
        return web.json_response(self._openai(made))

    async def _openai_look(self, request: web.Request) -> web.Response:
        made = self._look(request)
        if made.ended and not made.refused and not made.files:
            output, errors = [], []
            for key, said, fate in made.fates:
                if fate == "missing":
                    continue
                status, body, error = 200, self._reply(said, TALK[0]), None
                if fate in ("expired", "cancelled"):
                    error = {"code": f"batch_{fate}", "message": f"the batch {fate}"}
                elif fate == "strange":
                    body = {"choices": "none"}
                elif fate.isdigit():
                    status, body = int(fate), {"error": {"message": f"told to fail with {fate}"}}
                response = None if error else {"status_code": status, "body": body}
                line = json.dumps({"custom_id": key, "error": error, "response": response}, ensure_ascii=False)
                where = output if fate in ("ok", "malformed", "strange") else errors
                where.append(line[:-40] if fate == "malformed" else line)
            for what, lines in (("output_file_id", output), ("error_file_id", errors)):
                if lines:
                    made.files[what] = f"file-{len(self._files)}"
                    self._files[made.files[what]] = "\n".join(reversed(lines)).encode()
        return web.json_response(self._openai(made))

    async def _file(self, request: web.Request) -> web.Response:
        return web.Response(body=self._files[request.match_info["id"]], content_type="application/jsonl")

    def _openai(self, made: "_Batch") -> dict:
        status = ("failed" if made.refused else "completed") if made.ended else "in_progress"
        done = len(made.fates) if made.ended else 0
        errors = [dict(zip(("code", "message"), made.refused), line=None, param=None)] * 3 if made.refused else []
        return {
            "id": made.name,
            "object": "batch",
            "status": status,
            "created_at": int(made.created),
            "metadata": made.metadata,
            "request_counts": {"total": len(made.fates), "completed": done, "failed": 0},
            "errors": {"object": "list", "data": errors} if errors and made.ended else None,
            **made.files,
        }

    # Anthropic

    async def _anthropic_create(self, request: web.Request) -> web.Response:
        requests = (await request.json())["requests"]
        known = {"model", "max_tokens", "messages", "temperature", "system"}
        if any(set(one) != {"custom_id", "params"} or set(one["params"]) - known for one in requests):
            return _error("unknown field")
        made = await self._make({one["custom_id"]: one["params"] for one in requests})
        return web.json_response(self._anthropic(made))

    async def _anthropic_look(self, request: web.Request) -> web.Response:
        return web.json_response(self._anthropic(self._look(request)))

    async def _anthropic_results(self, request: web.Request) -> web.Response:
        lines = []
        for key, said, fate in self._made[request.match_info["id"]].fates:
            result = {"type": "succeeded", "message": self._reply(said, TALK[1])}
            if fate in ("expired", "cancelled"):
                result = {"type": fate.replace("ll", "l")}
            elif fate == "strange":
                result["message"] = {"content": None}
            elif fate.isdigit():
                kinds = {"400": "invalid_request", "429": "rate_limit", "500": "api", "529": "overloaded"}
                kind = f"{kinds[fate]}_error"
                result = {
                    "type": "errored",
                    "error": {"type": "error", "error": {"type": kind, "message": f"told to fail with {fate}"}},
                }
            line = json.dumps({"custom_id": key, "result": result}, ensure_ascii=False)
            if fate != "missing":
                lines.append(line[:-40] if fate == "malformed" else line)
        return web.Response(text="\n".join(reversed(lines)), content_type="application/x-jsonl")

    def _anthropic(self, made: "_Batch") -> dict:
        done = len(made.fates) if made.ended else 0
        counts = {"processing": len(made.fates) - done, "succeeded": done, "errored": 0, "canceled": 0, "expired": 0}
        return {
            "id": made.name,
            "type": "message_batch",
            "processing_status": "ended" if made.ended else "in_progress",
            "request_counts": counts,
            "created_at": datetime.fromtimestamp(made.created, UTC).isoformat(),
            "results_url": f"{self.url}/v1/messages/batches/{made.name}/results" if made.ended else None,
        }

    # both

    async def _make(self, bodies: dict[str, dict], **how) -> "_Batch":
        """A new batch, its fates settled."""
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", key) for key in bodies)
        number = len(self._made)
        made = _Batch(number, **how)
        for key, body in bodies.items():
            text = body["messages"][-1]["content"]
            plan = self.faults.get(text)
            made.fates.append((key, self._said(body), plan.pop(0) if plan else "ok"))
            self.submitted[key] += 1
            self.asked[text] += 1
            self.answered.update([text] if made.fates[-1][2] == "ok" else [])
            self.bodies.append(body)
        self._made[made.name] = made
        self.batches.append([body["messages"][-1]["content"] for body in bodies.values()])
        await asyncio.sleep(self.slow.get(number, 0))
        return made

    def _look(self, request: web.Request) -> "_Batch":
        made = self._made[request.match_info["id"]]
        made.looked += 1
        made.ended = made.ended or made.looked > self.looks and made.number not in self.held
        return made

    async def _batches(self, request: web.Request) -> web.Response:
        """Pages of two at most, the newest first. In a list, batches move on too."""
        names, after = list(reversed(self._made)), request.query.get("after", request.query.get("after_id"))
        rest = names[names.index(after) + 1 :] if after else names
        for name in rest[:2]:
            self._made[name].ended |= self._made[name].number not in self.held
        show = self._anthropic if "messages" in request.path else self._openai
        first, last = (rest[0], rest[:2][-1]) if rest else (None, None)
        return web.json_response(
            {
                "object": "list",
                "data": [show(self._made[name]) for name in rest[:2]],
                "has_more": len(rest) > 2,
                "first_id": first,
                "last_id": last,
            }
        )

    def _said(self, body: dict) -> str:
        return body["messages"][-1]["content"].upper() if self.verdicts is None else self._verdict(body)


class _Batch:
    def __init__(self, number: int, refused: tuple | None = None, metadata: dict | None = None):
        self.number, self.name = number, f"batch_{number:04}"
        self.refused, self.metadata, self.created = refused, metadata, time.time()
        self.fates, self.files, self.looked, self.ended = [], {}, 0, False


def _error(message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "invalid_request_error"}}, status=400)
