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


def read(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Chat Completions messages in neutral form, without the instructions."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Mapping[str, Any]) -> Iterator[Message]:
    match message.get("role"):
        case "user":
            if text := _text(message):
                yield script.Heard(text)
            for part in _parts(message):
                if part.get("type") == "image_url":
                    header, _, data = part["image_url"]["url"].partition(";base64,")
                    yield script.Saw(header.removeprefix("data:"), data)
        case "assistant":
            if text := _text(message):
                yield script.Spoke(text)
            for call in message.get("tool_calls") or ():
                function = call.get("function") or {}
                arguments = _arguments(function) or {}
                yield script.Called(
                    call.get("id", ""), function.get("name", ""), arguments
                )
        case "tool":
            yield script.Answered(message.get("tool_call_id", ""), _text(message))


def _text(message: Mapping[str, Any]) -> str:
    texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(texts)


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why the API, or one that is stricter than OpenAI's own, refuses `messages`."""
    found = [] if messages else ["there are no messages"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    return found + pairing_faults(map(_pairing, messages))


def _pairing(message: Mapping[str, Any]) -> tuple[list[str], str | None]:
    calls = [str(call.get("id")) for call in message.get("tool_calls") or ()]
    is_answer = message.get("role") == "tool"
    return calls, str(message.get("tool_call_id")) if is_answer else None


def _faults_of(message: Mapping[str, Any]) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    calls = message.get("tool_calls")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        yield f"the role {role!r} does not exist"
    if not isinstance(content, (str, list)) and not (role == "assistant" and calls):
        yield f"its content is {content!r}"
    if content == [] or calls == []:
        yield "it has an empty list"
    if role == "assistant" and not calls and content == "":
        yield "the assistant says nothing"
    if calls and role != "assistant":
        yield f"the role {role!r} cannot call tools"
    for call in calls or ():
        yield from _faults_of_call(call)


def _faults_of_call(call: Mapping[str, Any]) -> Iterator[str]:
    call_id, function = call.get("id"), call.get("function") or {}
    if call.get("type") != "function":
        yield f"the call's type is {call.get('type')!r}"
    if not isinstance(call_id, str) or not 1 <= len(call_id) <= 40:
        yield f"the call's id {call_id!r} is not a text of 1 to 40 characters"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(function.get("name", ""))):
        yield f"the called name {function.get('name')!r} does not match the pattern"
    if _arguments(function) is None:
        yield f"the arguments {function.get('arguments')!r} are not a JSON object"


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
