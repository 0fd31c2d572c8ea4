"""A real local HTTP server that speaks the chat completions protocol, in good and in bad ways."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Given what was asked, the answer's text; or bytes, an HTTP status or seconds of silence instead of one;
# of a list a piece every tenth of a second.
Answer = Callable[[dict[str, Any]], "str | bytes | int | float | list[bytes]"]


class Server(ThreadingHTTPServer):
    """`asked`: the requests so far. `answer` may be changed while it runs."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not wait is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({"path": self.path, **asked})
        answer = self.server.answer(asked)
        if isinstance(answer, float):
            time.sleep(answer)
            return
        if isinstance(answer, list):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            for piece in answer:
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(0.1)
            return
        if isinstance(answer, int):
            body, status = json.dumps({"error": {"message": f"refused: {asked['messages']}"}}).encode(), answer
        elif isinstance(answer, bytes):
            body, status = answer, 200
        else:
            message = {"role": "assistant", "content": answer}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body, status = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m",
                                       "choices": [choice]}).encode(), 200  # fmt: skip
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests print nothing."""


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
