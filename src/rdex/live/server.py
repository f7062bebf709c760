"""A page on this machine that shows a snapshot again and again; nobody else can reach it."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

from rdex.live.snapshot import snapshot

#: The only address that is listened to: this machine itself.
LOOPBACK = "127.0.0.1"

#: The page may load nothing from elsewhere, and be shown in no other page.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'"
)


def page_text() -> str:
    """The page: one file, with its style and script inside."""
    return resources.files("rdex.live").joinpath("page.html").read_text(encoding="utf-8")


def make_server(path: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server of the page and of /snapshot.json; port 0 takes any that is free."""
    page = page_text().encode()

    class Handler(BaseHTTPRequestHandler):
        """Answers two addresses."""

        def do_GET(self) -> None:
            if not self._is_local():
                self._answer(403, "text/plain", b"only from this machine\n")
            elif self.path == "/":
                self._answer(200, "text/html; charset=utf-8", page)
            elif self.path == "/snapshot.json":
                facts = json.dumps(snapshot(path), allow_nan=False).encode()
                self._answer(200, "application/json", facts)
            else:
                self._answer(404, "text/plain", b"not found\n")

        def _is_local(self) -> bool:
            """Whether the browser was sent here by this machine's name, and not by another's."""
            host = self.headers.get("Host", "").rpartition(":")[0]
            return host in (LOOPBACK, "localhost")

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on standard error."""

    return ThreadingHTTPServer((LOOPBACK, port), Handler)
