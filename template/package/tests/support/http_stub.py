"""An HTTP server on this machine that answers with what a function returns."""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias, cast


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What arrived: `path` has no query, header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The parsed body; None when there is none."""
        return json.loads(self.body) if self.body else None

    @property
    def bearer(self) -> str:
        """The key that came as a bearer's; empty when none did."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What is answered."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


# None closes the connection without an answer.
Respond: TypeAlias = Callable[[HttpRequest], HttpReply | None]


def json_reply(
    status: int, payload: Any, headers: Mapping[str, str] | None = None
) -> HttpReply:
    """`payload` as a JSON answer."""
    content = {"content-type": "application/json", **(headers or {})}
    return HttpReply(status, json.dumps(payload).encode(), content)


class HttpStub:
    """Serves `respond`, one thread a connection, while entered as a context.

    `respond` runs on those threads. `closing` is set when the context ends, for
    answers that wait.
    """

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.closing = threading.Event()
        self._server = _Server(self)
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._acceptor.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Serve no more: connections are refused, and those that are open end."""
        if self.closing.is_set():
            return
        self.closing.set()
        # Wakes the thread that waits for the next connection.
        socket.create_connection(("127.0.0.1", self._server.server_port)).close()
        self._acceptor.join()
        self._server.server_close()
        self._server.hang_up()

    def _accept(self) -> None:
        while not self.closing.is_set():
            self._server.handle_request()

    @property
    def connections(self) -> int:
        """How many connections clients hold open now."""
        return self._server.count_open()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, stub: HttpStub) -> None:
        self.stub = stub
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._sockets.discard(connection)

    def count_open(self) -> int:
        # The thread of a connection learns late that its client has gone, so ask the
        # sockets themselves. The lock keeps them from being closed meanwhile.
        with self._lock:
            return sum(not _abandoned(connection) for connection in self._sockets)

    def hang_up(self) -> None:
        """End the connections that are open."""
        with self._lock:
            for connection in self._sockets:
                # The client may have ended it first.
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that is cancelled resets its connection.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _abandoned(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    if not readable:
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except ConnectionError:
        return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A reply in one write and without Nagle's delay: otherwise each waits some 40 ms
    # for the client's delayed acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    @property
    def _owner(self) -> _Server:
        return cast("_Server", self.server)

    def setup(self) -> None:
        super().setup()
        self._owner.opened(self.connection)

    def finish(self) -> None:
        self._owner.closed(self.connection)
        super().finish()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        request = HttpRequest(self.command, path, headers, body)
        reply = self._owner.stub.respond(request)
        if reply is None:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def log_message(self, format: str, *args: Any) -> None:
        """Keep requests out of the test output."""
