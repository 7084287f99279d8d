"""What every scripted model behind an HTTP API does, whatever the API."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from tests.support import script
from tests.support.http_stub import HttpReply, HttpRequest, HttpStub, json_reply
from tests.support.model import Script
from tests.support.script import Reply, Request

# A client that retries would wait for half a second otherwise.
_AT_ONCE = {"retry-after-ms": "1"}


class HttpModel(Script, ABC):
    """The model that a script plays, as a service at `url` while entered.

    `base_path` ends that address, and `path` is a pattern of what follows it in each
    request. The three methods that are left to write say what the API looks like.
    """

    base_path: ClassVar[str] = ""
    path: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._stub = HttpStub(self._respond)
        self.url = f"{self._stub.url}{self.base_path}"

    def __enter__(self) -> Self:
        self._stub.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stub.close()

    def leave(self) -> None:
        self._stub.close()

    @property
    def connections(self) -> int:
        """How many connections the adapter holds open now."""
        return self._stub.connections

    @abstractmethod
    def read_request(self, http: HttpRequest) -> Request:
        """What the model was sent, and why the API would refuse it."""

    @abstractmethod
    def reply(self, step: Reply, request: Request) -> Any:
        """The JSON in which the API says `step`."""

    @abstractmethod
    def error(self, status: int, message: str) -> Any:
        """The JSON that comes with a status that is an error."""

    def _respond(self, http: HttpRequest) -> HttpReply | None:
        if not re.fullmatch(f"{self.base_path}{self.path}", http.path):
            message = f"there is no {http.method} {http.path}"
            return json_reply(404, self.error(404, message))
        request = self.read_request(http)
        match self.step_for(request):
            case script.Drop():
                return None
            case script.Hang():
                self._stub.closing.wait()
                return None
            case script.Garbled(text):
                kind = "text/html" if text.startswith("<") else "application/json"
                return HttpReply(200, text.encode(), {"content-type": kind})
            case script.Fail(status, message, wait):
                headers = _AT_ONCE if wait is None else {"retry-after": f"{wait:g}"}
                return json_reply(status, self.error(status, message), headers)
            case step:
                return json_reply(200, self.reply(step, request))
