"""A local server that speaks OpenAI's chat completions, pictures included: `Server(answer)` with answer(text) -> str.

`asked` counts requests, `pictures` those that held one, `bodies` what they held.
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen


class Server:
    def __init__(self, answer: Callable[[str], str]):
        self.answer, self.asked, self.pictures, self.bodies = answer, 0, 0, []

    def __enter__(self) -> "Server":
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                content = [m["content"] for m in body["messages"] if m["role"] == "user"][-1]
                parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
                outer.asked += 1
                outer.bodies.append(body)
                outer.pictures += any(part["type"] != "text" for part in parts)
                said = outer.answer("\n".join(part["text"] for part in parts if part["type"] == "text"))
                message = {"role": "assistant", "content": said}
                reply = {
                    "id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
                }  # fmt: skip
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        return self

    def answer_line(self, line: str) -> str:
        """The line of results, as a cluster would write it, to one of a file of requests."""
        asked = json.loads(line)
        call = Request(f"{self.url}/chat/completions", json.dumps(asked["body"]).encode())
        with urlopen(call) as reply:
            body = json.load(reply)
        return json.dumps({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}}) + "\n"

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
