"""The scripted model behind the Chat Completions API: the real client meets it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

from openai import AsyncOpenAI

from tests.support import script
from tests.support.http_stub import HttpReply, HttpRequest, HttpStub, json_reply
from tests.support.model import Script, pairing_faults
from tests.support.script import Message, Request, Step, Tokens
from tests.support.subject import KEY

_CALL_NUMBERS = itertools.count(1)


class ScriptedModel(Script):
    """The model that a script plays, as a service at `url` while entered."""

    def __init__(self) -> None:
        super().__init__()
        self._stub = HttpStub(self._respond)
        self.url = f"{self._stub.url}/v1"

    def __enter__(self) -> Self:
        self._stub.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stub.__exit__(*exc_info)

    @property
    def connections(self) -> int:
        """How many connections the adapter holds open now."""
        return self._stub.connections

    def _respond(self, http: HttpRequest) -> HttpReply | None:
        step = self.step_for(_read_request(http))
        if isinstance(step, script.Hang):
            self._stub.closing.wait()
        return _reply(step)


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A client of the caller's own, as the adapter takes it, and whether it is open."""
    client = AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0)
    return {"client": client}, lambda: not client.is_closed()


# --- What the model is sent --------------------------------------------------------


def _read_request(http: HttpRequest) -> Request:
    body = http.json or {}
    sent = body.get("messages") or []
    tools = body.get("tools")
    instructions = [_text(m) for m in sent if m.get("role") in ("system", "developer")]
    found = faults(sent)
    if http.path != "/v1/chat/completions":
        found.append(f"there is no {http.method} {http.path}")
    if not body.get("model"):
        found.append("no model is named")
    if tools == []:
        found.append("the list of tools is empty")
    return Request(
        system="\n\n".join(instructions),
        messages=read(sent),
        tools=tuple(tool["function"]["name"] for tool in tools or ()),
        tool_list=tools is not None,
        faults=tuple(found),
        key=http.headers.get("authorization", "").removeprefix("Bearer "),
        raw=body,
    )


{% include "template/parts/protocols/chat_wire.py" %}


# --- What the model answers --------------------------------------------------------


def _reply(step: Step) -> HttpReply | None:
    match step:
        case script.Fail(status, message):
            error = {"message": message, "type": "stub", "param": None, "code": None}
            # A client that retries does so at once.
            return json_reply(status, {"error": error}, {"retry-after-ms": "1"})
        case script.Garbled():
            # What a proxy in between would send.
            page = b"<html><body>Please sign in.</body></html>"
            return HttpReply(200, page, {"content-type": "text/html"})
        case script.Drop() | script.Hang():
            return None
        case script.Empty(tokens):
            return _completion([], tokens)
        case script.Refuse(text, tokens):
            message = {"role": "assistant", "content": None, "refusal": text}
            return _completion([_choice(message, "stop")], tokens)
        case script.Cut(text, tokens):
            message = {"role": "assistant", "content": text}
            return _completion([_choice(message, "length")], tokens)
        case script.Filter(tokens):
            message = {"role": "assistant", "content": None}
            return _completion([_choice(message, "content_filter")], tokens)
        case script.Answer():
            return _completion([_answer(step)], step.tokens)


def _answer(answer: script.Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.said or None}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    reasons = {"end": "stop", "length": "length", "filter": "content_filter"}
    usual = "tool_calls" if answer.calls else "stop"
    return _choice(message, reasons[answer.finish] if answer.finish else usual)


def _call(call: script.Call) -> dict[str, Any]:
    invented = f"call_{next(_CALL_NUMBERS)}"
    written = json.dumps(dict(call.arguments)) if call.raw is None else call.raw
    return {
        "id": invented if call.id is None else call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": written},
    }


def _choice(message: Mapping[str, Any], finish_reason: str) -> dict[str, Any]:
    return {"index": 0, "message": message, "finish_reason": finish_reason}


def _completion(choices: Sequence[Any], tokens: Tokens | None) -> HttpReply:
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": choices,
    }
    if tokens is not None:
        completion["usage"] = {
            "prompt_tokens": tokens.input,
            "completion_tokens": tokens.output,
            "total_tokens": tokens.input + tokens.output,
            "prompt_tokens_details": {"cached_tokens": tokens.cached},
        }
    return json_reply(200, completion)
