"""The scripted model behind the Chat Completions API: the real client meets it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI

from tests.support import script
from tests.support.http_model import HttpModel
from tests.support.http_stub import HttpRequest
from tests.support.model import pairing_faults
from tests.support.script import Message, Reply, Request, Tokens
from tests.support.subject import KEY

_CALL_NUMBERS = itertools.count(1)
# Services say a text at once, or in parts.
_IN_PARTS = itertools.cycle([False, True])
# They have words of their own for where they cut one off.
_CUTS = itertools.cycle(["length", "model_length"])


class ScriptedModel(HttpModel):
    """The model that a script plays, as a service at `url` while entered."""

    base_path = "/v1"
    path = "/chat/completions"

    def read_request(self, http: HttpRequest) -> Request:
        body = http.json or {}
        sent, tools = body.get("messages") or [], body.get("tools")
        own = [_text(m) for m in sent if m.get("role") in ("system", "developer")]
        found = faults(sent)
        if not body.get("model"):
            found.append("no model is named")
        if tools == []:
            found.append("the list of tools is empty")
        return Request(
            system="\n\n".join(own),
            messages=read(sent),
            tools=tuple(tool["function"]["name"] for tool in tools or ()),
            tool_list=tools is not None,
            faults=tuple(found),
            key=http.bearer,
            raw=body,
        )

    def reply(self, step: Reply, request: Request) -> Any:
        match step:
            case script.Empty(tokens):
                return _completion(next(_NO_ANSWERS), tokens)
            case script.Refuse(text, tokens):
                message = {"role": "assistant", "content": None, "refusal": text}
                return _completion([_choice(message, "stop")], tokens)
            case script.Cut(text, tokens):
                message = {"role": "assistant", "content": text}
                return _completion([_choice(message, next(_CUTS))], tokens)
            case script.Filter(tokens):
                message = {"role": "assistant", "content": None}
                return _completion([_choice(message, "content_filter")], tokens)
            case script.Answer():
                return _completion([_answer(step)], step.tokens)

    def error(self, status: int, message: str) -> Any:
        about = {"message": message, "type": "stub", "param": None, "code": None}
        return {"error": about}


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A client of the caller's own, as the adapter takes it, and whether it is open."""
    client = AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0)
    return {"client": client}, lambda: not client.is_closed()


# --- What the model is sent --------------------------------------------------------


{% include "template/parts/protocols/chat_wire.py" %}


# --- What the model answers --------------------------------------------------------


def _answer(answer: script.Answer) -> dict[str, Any]:
    said: Any = answer.said or None
    if said and next(_IN_PARTS):
        thought = {"type": "thinking", "thinking": []}
        said = [thought, {"type": "text", "text": said}]
    message = {"role": "assistant", "content": said}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    reasons = {"end": "stop", "length": "length", "filter": "content_filter"}
    usual = "tool_calls" if answer.calls else "stop"
    return _choice(message, reasons[answer.finish] if answer.finish else usual)


def _call(call: script.Call) -> dict[str, Any]:
    invented = f"call_{next(_CALL_NUMBERS)}"
    # Some services leave an id out like this.
    return {
        "id": invented if call.id is None else call.id or None,
        "type": "function",
        "function": {"name": call.name, "arguments": call.written},
    }


def _choice(message: Mapping[str, Any], finish_reason: str) -> dict[str, Any]:
    return {"index": 0, "message": message, "finish_reason": finish_reason}


_BROKEN_OFF = {"role": "assistant", "content": "The answer is that"}
_NO_ANSWERS = itertools.cycle([[], [_choice(_BROKEN_OFF, "error")]])


def _completion(choices: Sequence[Any], tokens: Tokens | None) -> Any:
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
    return completion
